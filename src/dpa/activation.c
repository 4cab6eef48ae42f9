/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Activations: how DPA code begins, waits and ends.
 */
#include "dpa/activation.h"

#include <assert.h>
#include <sched.h>
#include "base/clock.h"

/* Looks in vain: so many at full speed, then others run now and then, after this long it naps. */
#define PAUSES_AT_FULL_SPEED 256u
#define PAUSES_PER_YIELD     32u
#define PAUSES_BEFORE_NAP    100000u
#define NAP_NS		     50000

__thread struct activation *activation_here __attribute__((tls_model("initial-exec")));
static __thread uint32_t pauses __attribute__((tls_model("initial-exec")));

enum activation_end activation_run(struct activation *activation,
				   const struct softfield_dpa_func *func, const void *args,
				   uint64_t *ret_value)
{
	int end;

	assert(!activation_here);
	activation_here = activation;
	pauses = 0;
	end = _setjmp(activation->leave);
	if (!end) {
		*ret_value = func->run(args);
		end = ACTIVATION_RETURNED;
	}
	activation_here = NULL;
	return (enum activation_end)end;
}

void activation_leave(enum activation_end end)
{
	/* Not _longjmp(), which is the same, and which the thread sanitizer does not know. */
	longjmp(activation_here->leave, end);
}

bool activation_is_given_up(const struct activation *activation)
{
	/* Relaxed: flags; nothing is read because of them. */
	return atomic_load_explicit(&activation->dpa->is_ending, memory_order_relaxed) ||
	       (activation->given_up &&
		atomic_load_explicit(activation->given_up, memory_order_relaxed));
}

void activation_check(void)
{
	if (activation_here && activation_is_given_up(activation_here))
		activation_leave(ACTIVATION_GIVEN_UP);
}

void activation_note_found(void)
{
	pauses = 0;
}

void activation_pause(void)
{
	const struct timespec nap = {.tv_nsec = NAP_NS};

	activation_check();
	if (++pauses < PAUSES_AT_FULL_SPEED || pauses % PAUSES_PER_YIELD)
		clock_relax();
	else if (pauses < PAUSES_BEFORE_NAP)
		sched_yield();
	else
		nanosleep(&nap, NULL);
}
