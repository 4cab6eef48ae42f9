/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A DPA thread: a function that runs on a unit whenever something triggers it.
 */
#ifndef SOFTFIELD_DPA_THREAD_H
#define SOFTFIELD_DPA_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/list.h"
#include "core/dpa_handle.h"
#include "dpa/dpa.h"

struct doca_dpa_eu_affinity;
struct doca_dpa_tg;
struct unit;

struct doca_dpa_thread {
	struct dpa_place *place; /* its handle: what is to trigger it has that */
	struct doca_dpa *dpa;
	uint32_t id;

	/* set before it is started */
	const struct softfield_dpa_func *func; /* NULL: not set */
	doca_dpa_func_t *stub;
	uint64_t arg;
	doca_dpa_dev_uintptr_t local_storage;
	const struct doca_dpa_eu_affinity *affinity; /* held; NULL: a unit of its own */

	struct doca_dpa_tg *group; /* thread_group.c; NULL: in none */
	/* what its group has said when it was started; 0 of 1 before. Units read them, relaxed. */
	_Atomic unsigned int rank, num_threads;

	/* thread.c */
	bool is_started;	       /* has a place on a unit; what triggers it is remembered */
	struct unit *unit;	       /* since the last start */
	_Atomic uint32_t num_attached; /* started objects that are to trigger it */
	atomic_bool runs;	       /* doca_dpa_thread_run(): a trigger lets it run */
	atomic_bool triggered;	       /* since it was last begun */
	atomic_bool finished;	       /* for good */
	atomic_bool given_up;	       /* what runs of it leaves at its next call */

	/* exec.c */
	struct list_node unit_node; /* of the unit's lock */
	atomic_bool is_active;	    /* its function runs; set under that lock */
};

/* in a child of fork() none is: their units are not there */
static inline bool thread_is_started(const struct doca_dpa_thread *thread)
{
	return thread->is_started && !thread->dpa->is_inherited;
}

/* is it to run now? */
static inline bool thread_is_triggered(const struct doca_dpa_thread *thread)
{
	/* Sequentially consistent: see may_sleep() in exec.c. */
	return atomic_load(&thread->triggered) && atomic_load(&thread->runs) &&
	       !atomic_load(&thread->finished) && !atomic_load(&thread->given_up);
}

/* by its unit: what comes from now on makes it run once more */
static inline bool thread_take_trigger(struct doca_dpa_thread *thread)
{
	return thread_is_triggered(thread) && atomic_exchange(&thread->triggered, false);
}

/* thread.c: by its unit: runs its function once */
void thread_activate(struct doca_dpa_thread *thread);
/* Lets it run: now, or again as soon as it gives its unit up. Any thread, of what is attached. */
void thread_trigger(struct doca_dpa_thread *thread);

/*
 * For an object of dpa that is to trigger it: its handle, which the object keeps, if it could be
 * attached now. INVALID_VALUE, and logged: it is another DPA's. BAD_STATE, and logged: it is not
 * started
 */
doca_error_t thread_choose(const struct doca_dpa_thread *thread, struct doca_dpa *dpa,
			   uint64_t *ret_handle);
/*
 * The object is started; the thread cannot be stopped before it. BAD_STATE, and logged: the thread
 * is not started, or has been destroyed
 */
doca_error_t thread_attach(uint64_t handle, struct doca_dpa_thread **ret_thread);
void thread_detach(struct doca_dpa_thread *thread);

#endif
