/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * membarrier(), or a plain fence where it does not exist.
 */
#include "base/barrier.h"

#include <linux/membarrier.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

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

void priv_barrier_heavy(void)
{
	atomic_thread_fence(memory_order_seq_cst);
	if (priv_barrier_register())
		syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
}
