/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Execution units: threads of the program that run DPA code. A DPA thread has a unit of its own, or
 * shares one with those that have the same affinity; a kernel's ranks, RPCs and waits borrow units.
 *
 * An activation is one run of a function on a unit. It ends when the function returns, or inside of
 * doca_dpa_dev_thread_reschedule() or _finish(), or, when it is given up, inside of any call.
 */
#ifndef SOFTFIELD_DPA_EXEC_H
#define SOFTFIELD_DPA_EXEC_H

#include <setjmp.h>
#include "dpa/dpa.h"

enum activation_end {
	ACTIVATION_RETURNED = 1, /* what setjmp() does not return of itself */
	ACTIVATION_RESCHEDULED,
	ACTIVATION_FINISHED,
	ACTIVATION_GIVEN_UP,
};

struct activation {
	struct doca_dpa *dpa;
	struct doca_dpa_thread *thread; /* NULL: a kernel's rank, or an RPC */
	doca_dpa_dev_uintptr_t local_storage;
	unsigned int rank, num_threads;
	const atomic_bool *given_up; /* besides dpa->is_ending; NULL: nobody gives it up */
	jmp_buf leave;
};

/* the calling thread's; NULL: it is not a unit, or runs no DPA code */
extern __thread struct activation *activation_here;

/* Runs a function; ret_value: what it has returned. In a unit. */
enum activation_end activation_run(struct activation *activation,
				   const struct softfield_dpa_func *func, const void *args,
				   uint64_t *ret_value);
/* ends the one that runs here; does not return */
void activation_leave(enum activation_end end) __attribute__((noreturn));
bool activation_is_given_up(const struct activation *activation);
/* leaves it, if it has been given up: in every call that may be what a loop consists of */
void activation_check(void);
/* the same, from a call that has looked for something in vain: others run, after a while it naps */
void activation_pause(void);
/* it has found something: the next wait is a new one */
void activation_note_found(void);

/* Work for a borrowed unit. */
struct unit_work {
	/* both in the unit; it is free again when ended is called, which may free the work */
	void (*run)(struct unit_work *work);
	void (*ended)(struct unit_work *work);
	/*
	 * It has waited, and there will be no units: that cannot be made, or the DPA ends. May free
	 * the work. Of several only the first one's is called.
	 */
	void (*refused)(struct unit_work *work);
	struct unit_work *next; /* begins at the same time; NULL: none */
	bool is_wait;		/* it does nothing but wait: there may be many of these */
	/* of the first, while it waits: */
	struct list_node waiting_node;
	unsigned int count;
};

/*
 * A unit for each of so many works, the first of which is given, all at the same time: now, or when
 * units come back. NO_MEMORY, FULL, OPERATING_SYSTEM: they cannot be made, and none is out.
 * BAD_STATE: the DPA is about to end
 */
doca_error_t units_lend(struct doca_dpa *dpa, struct unit_work *first, unsigned int count);
/* Of what was lent: it is not to be done. false: it has its unit already, or has had it. */
bool units_withdraw(struct doca_dpa *dpa, struct unit_work *first);

/*
 * A thread's place: on a unit of its own (eu_id: DPA_EUS), or on the one of this id. FULL: that
 * many threads have units. NO_MEMORY, OPERATING_SYSTEM: there is none
 */
doca_error_t unit_take_thread(struct doca_dpa_thread *thread, unsigned int eu_id,
			      struct unit **ret_unit);
/* waits until it does not run */
void unit_drop_thread(struct unit *unit, struct doca_dpa_thread *thread);
/* something has changed that it ought to look at */
void unit_wake(struct unit *unit);
/* the same, in one of its threads: that may be to run now */
void unit_call(struct unit *unit);
/* its engine, made when first asked for */
doca_error_t unit_get_engine(struct unit *unit, struct dpa_engine **ret_engine);

/* for doca_dpa_create() */
void units_init(struct doca_dpa *dpa);
/* All units end: what runs there is given up. No thread has a place any more. */
void units_end(struct doca_dpa *dpa);
/* dpa_ops.get_engine. NOT_CONNECTED: in a child of fork() */
doca_error_t units_get_engine(struct doca_dpa *dpa, struct dpa_engine **ret_engine);

#endif
