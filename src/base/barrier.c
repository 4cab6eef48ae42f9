/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * membarrier(), or a plain fence where it does not exist.
 */
#define LOG_MODULE "base"
#include "base/barrier.h"

#include <linux/membarrier.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/log.h"

static atomic_int registered; /* 0: not tried, 1: yes, -1: impossible here */

bool priv_barrier_register(void)
{
	/* Relaxed: registering twice is harmless. */
	int state = atomic_load_explicit(&registered, memory_order_relaxed);

	if (!state) {
		state = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) ? -1
												: 1;
		atomic_store_explicit(&registered, state, memory_order_relaxed);
	}
	return state > 0;
}

/*
 * A filter on system calls that came later than the registration forbids it now, and the others
 * rely on it. No store stays in a processor's buffer for nearly so long, nor does an interrupted
 * thread's.
 */
static void outlast_stores(void)
{
	const struct timespec millisecond = {.tv_nsec = 1000000};
	static atomic_bool told;

	if (!atomic_exchange_explicit(&told, true, memory_order_relaxed))
		LOG_WRN("membarrier() was allowed before and is forbidden now: each time this "
			"process goes to sleep costs it a millisecond");
	nanosleep(&millisecond, NULL);
	atomic_thread_fence(memory_order_seq_cst);
}

void priv_barrier_heavy(void)
{
	atomic_thread_fence(memory_order_seq_cst);
	if (priv_barrier_register() &&
	    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0))
		outlast_stores();
}
