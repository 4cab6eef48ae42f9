/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What DPA code asks about itself, and how it gives its unit up.
 */
#include "doca_dpa_dev.h"

#include <sched.h>
#include "dpa/activation.h"

void doca_dpa_dev_device_set(doca_dpa_dev_t dpa_handle)
{
	(void)dpa_handle; /* handles name objects of whatever device by themselves */
	activation_check();
}

unsigned int doca_dpa_dev_thread_rank(void)
{
	return activation_here ? activation_here->rank : 0;
}

unsigned int doca_dpa_dev_num_threads(void)
{
	return activation_here ? activation_here->num_threads : 1;
}

doca_dpa_dev_uintptr_t doca_dpa_dev_thread_get_local_storage(void)
{
	return activation_here ? activation_here->local_storage : 0;
}

void doca_dpa_dev_yield(void)
{
	activation_check();
	sched_yield();
}

/* Ends a thread's activation; of a kernel or an RPC: it has no business here. */
static void leave(enum activation_end end, const char *what)
{
	if (!activation_here)
		return;
	if (!activation_here->thread)
		dpa_fail(activation_here->dpa, what);
	activation_leave(end);
}

void doca_dpa_dev_thread_reschedule(void)
{
	leave(ACTIVATION_RESCHEDULED,
	      "doca_dpa_dev_thread_reschedule() in a kernel or an RPC, which are no DPA threads");
}

void doca_dpa_dev_thread_finish(void)
{
	leave(ACTIVATION_FINISHED,
	      "doca_dpa_dev_thread_finish() in a kernel or an RPC, which are no DPA threads");
}
