/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups of threads: ranks, nothing else. A thread gets its rank when the group is started, and has
 * it until another group gives it one: what still runs when a group stops counts on it.
 */
#define LOG_MODULE "dpa"
#include "dpa/thread_group.h"

#include <stdlib.h>
#include "base/log.h"

#define MAX_GROUP 1024u

static void remove_thread(struct doca_dpa_tg *tg, unsigned int rank)
{
	struct doca_dpa_thread *thread = tg->threads[rank];

	if (!thread)
		return;
	tg->threads[rank] = NULL;
	thread->group = NULL;
}

doca_error_t doca_dpa_thread_group_create(struct doca_dpa *dpa, unsigned int num_threads,
					  struct doca_dpa_tg **tg)
{
	struct doca_dpa_tg *group;

	if (!dpa || !tg)
		return DOCA_ERROR_INVALID_VALUE;
	if (!num_threads || num_threads > MAX_GROUP) {
		LOG_ERR("thread group of %u threads: 1 to %u are allowed", num_threads, MAX_GROUP);
		return DOCA_ERROR_INVALID_VALUE;
	}
	group = calloc(1, sizeof(*group) + num_threads * sizeof(group->threads[0]));
	if (!group)
		return DOCA_ERROR_NO_MEMORY;
	group->dpa = dpa;
	group->num_threads = num_threads;
	dpa_ref(dpa);
	*tg = group;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_group_destroy(struct doca_dpa_tg *tg)
{
	if (!tg)
		return DOCA_ERROR_INVALID_VALUE;
	if (tg->is_started)
		return DOCA_ERROR_BAD_STATE;
	for (unsigned int rank = 0; rank < tg->num_threads; rank++)
		remove_thread(tg, rank);
	dpa_unref(tg->dpa);
	free(tg);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_group_get_num_threads(struct doca_dpa_tg *tg,
						   unsigned int *num_threads)
{
	if (!tg || !num_threads)
		return DOCA_ERROR_INVALID_VALUE;
	*num_threads = tg->num_threads;
	return DOCA_SUCCESS;
}

/* of a thread that is in the group */
static unsigned int find_rank(const struct doca_dpa_tg *tg, const struct doca_dpa_thread *thread)
{
	unsigned int rank = 0;

	while (tg->threads[rank] != thread)
		rank++;
	return rank;
}

doca_error_t doca_dpa_thread_group_set_thread(struct doca_dpa_tg *tg,
					      struct doca_dpa_thread *thread, unsigned int rank)
{
	doca_error_t err;

	if (!tg || !thread)
		return DOCA_ERROR_INVALID_VALUE;
	err = dpa_check_same(tg->dpa, thread->dpa, "a DPA thread");
	if (err)
		return err;
	if (rank >= tg->num_threads) {
		LOG_ERR("rank %u in a thread group: there are 0 to %u", rank, tg->num_threads - 1);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (tg->is_started)
		return DOCA_ERROR_BAD_STATE;
	if (thread->group && thread->group != tg) {
		LOG_ERR("DPA thread %u is in another group", thread->id);
		return DOCA_ERROR_IN_USE;
	}
	if (thread->group)
		remove_thread(tg, find_rank(tg, thread));
	remove_thread(tg, rank);
	tg->threads[rank] = thread;
	thread->group = tg;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_group_start(struct doca_dpa_tg *tg)
{
	if (!tg)
		return DOCA_ERROR_INVALID_VALUE;
	if (tg->is_started)
		return DOCA_ERROR_BAD_STATE;
	for (unsigned int rank = 0; rank < tg->num_threads; rank++) {
		const struct doca_dpa_thread *thread = tg->threads[rank];

		if (!thread || !thread_is_started(thread)) {
			LOG_ERR("thread group cannot start: rank %u of %u %s", rank,
				tg->num_threads, thread ? "is not started" : "has no thread");
			return DOCA_ERROR_BAD_STATE;
		}
	}
	/* Relaxed: what triggers the thread after this call orders them. */
	for (unsigned int rank = 0; rank < tg->num_threads; rank++) {
		atomic_store_explicit(&tg->threads[rank]->rank, rank, memory_order_relaxed);
		atomic_store_explicit(&tg->threads[rank]->num_threads, tg->num_threads,
				      memory_order_relaxed);
	}
	tg->is_started = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_group_stop(struct doca_dpa_tg *tg)
{
	if (!tg)
		return DOCA_ERROR_INVALID_VALUE;
	if (!tg->is_started)
		return DOCA_ERROR_BAD_STATE;
	tg->is_started = false;
	return DOCA_SUCCESS;
}
