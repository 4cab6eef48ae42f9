/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An activation is one run of a function of DPA code on a unit. It ends when the function returns,
 * or inside of doca_dpa_dev_thread_reschedule() or _finish(), or, when it is given up, inside of
 * any call.
 */
#ifndef SOFTFIELD_DPA_ACTIVATION_H
#define SOFTFIELD_DPA_ACTIVATION_H

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

#endif
