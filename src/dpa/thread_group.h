/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads with ranks. A thread is in at most one group; it is stopped after that, and destroyed
 * after it, or after it has been replaced there.
 */
#ifndef SOFTFIELD_DPA_THREAD_GROUP_H
#define SOFTFIELD_DPA_THREAD_GROUP_H

#include "dpa/thread.h"

struct doca_dpa_tg {
	struct doca_dpa *dpa;
	bool is_started;
	unsigned int num_threads;
	struct doca_dpa_thread *threads[]; /* by rank; NULL: not set */
};

/* Is it in a group that is started? Then it cannot be stopped. */
static inline bool thread_is_grouped(const struct doca_dpa_thread *thread)
{
	return thread->group && thread->group->is_started;
}

#endif
