/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What libraries know of the software DPA. libdoca_dpa links none of them and none links it: it
 * leaves its operations in priv_dpa when it is loaded. Whoever holds a pointer to one of its
 * objects may rely on them. What DPA code, and they, know objects by is in core/dpa_handle.h.
 *
 * An engine is a progress engine that a thread of the DPA drives: a unit, while none of its program
 * runs there, and the program's own calls. Contexts with their data path on the DPA are connected
 * to one. Its lock is held around everything that is done to the progress engine or to what is
 * connected to it. It is never freed: who has looked it up may come for its lock late.
 */
#ifndef SOFTFIELD_CORE_DPA_HOOK_H
#define SOFTFIELD_CORE_DPA_HOOK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/export.h"
#include "doca_error.h"

struct doca_dev;
struct doca_dpa;
struct doca_dpa_completion;
struct doca_dpa_thread;
struct doca_pe;

struct dpa_engine {
	pthread_mutex_t lock; /* of pe, and of all that is connected to it */
	struct doca_pe *pe;   /* NULL: the DPA has ended */
	_Atomic pid_t owner;  /* process of the unit; in its children nobody gives the lock up */
	bool is_asleep;	      /* the unit, which looks at it again when it is woken */
	/*
	 * DPA code has polled it since this was taken back: then the unit leaves it to that code,
	 * and looks now and then whether that still does.
	 */
	atomic_bool is_polled;
	void (*wake)(struct dpa_engine *engine);
};

struct dpa_ops {
	/* where it is; of an extended one: the other device */
	struct doca_dev *(*get_dev)(const struct doca_dpa *dpa);
	/* objects that keep it from being stopped. BAD_STATE: it is not started */
	doca_error_t (*attach)(struct doca_dpa *dpa);
	void (*detach)(struct doca_dpa *dpa);
	/*
	 * Before something of one DPA is connected to something of another one. INVALID_VALUE, and
	 * logged: neither extends the other. A thread that has been destroyed is not in the way.
	 */
	doca_error_t (*check_same)(struct doca_dpa *dpa, struct doca_dpa *other, const char *what);
	doca_error_t (*check_thread)(struct doca_dpa *dpa, uint64_t thread_handle);
	doca_error_t (*check_completion)(struct doca_dpa *dpa,
					 const struct doca_dpa_completion *completion);
	/* the engine for what no thread is told of. FULL, NO_MEMORY, OPERATING_SYSTEM */
	doca_error_t (*get_engine)(struct doca_dpa *dpa, struct dpa_engine **ret_engine);

	/* what is not attached knows a thread by this: it may be destroyed meanwhile */
	uint64_t (*thread_handle)(const struct doca_dpa_thread *thread);
	/*
	 * The same of a thread, whose unit drives it. A thread that something is attached to cannot
	 * be stopped. BAD_STATE, and logged: it is not started, or has been destroyed
	 */
	doca_error_t (*thread_attach)(uint64_t handle, struct doca_dpa_thread **ret_thread,
				      struct dpa_engine **ret_engine);
	void (*thread_detach)(struct doca_dpa_thread *thread);
	/*
	 * Lets it run: now, or again as soon as it gives its unit up. Before doca_dpa_thread_run()
	 * it is remembered. Any thread, with an engine's lock held or without.
	 */
	void (*thread_trigger)(struct doca_dpa_thread *thread);

	uint64_t (*completion_handle)(const struct doca_dpa_completion *completion);
	/* BAD_STATE, and logged: it is not started, or has been destroyed */
	doca_error_t (*completion_attach)(uint64_t handle,
					  struct doca_dpa_completion **ret_completion);
	void (*completion_detach)(struct doca_dpa_completion *completion);
	/* reports a send. Never waits: what finds no room is lost, as on a card, and logged once */
	void (*completion_push)(struct doca_dpa_completion *completion, uint32_t user_data,
				doca_error_t status);

	/*
	 * From DPA code, with no lock held, in every call that may be what a loop consists of. Does
	 * not return when the thread is being stopped.
	 */
	void (*check)(void);
	/* The same when it has looked for something in vain: others may run. */
	void (*pause)(void);
	/* From DPA code that has found something: its next look in vain is a first one. */
	void (*note_found)(void);
	/* only a wrong program does it: tells of it, and doca_dpa_peek_at_last_error() */
	void (*fail)(struct doca_dpa *dpa, const char *what);
};

PRIV_EXPORT extern const struct dpa_ops *priv_dpa; /* NULL: libdoca_dpa is not there */

static inline void dpa_engine_lock(struct dpa_engine *engine)
{
	pthread_mutex_lock(&engine->lock);
}

static inline void dpa_engine_unlock(struct dpa_engine *engine)
{
	bool is_asleep = engine->is_asleep;

	pthread_mutex_unlock(&engine->lock);
	if (is_asleep)
		engine->wake(engine);
}

/* There is something to do that cannot wait for the next poll of DPA code: none may come. */
static inline void dpa_engine_unlock_to_unit(struct dpa_engine *engine)
{
	/* Sequentially consistent: the unit has seen it when it naps, or is woken. */
	atomic_store(&engine->is_polled, false);
	pthread_mutex_unlock(&engine->lock);
	engine->wake(engine);
}

#endif
