/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DMA: copying buffers, also to and from memory of the other side, one after the other in the order
 * of submission: in the submit, as a card would do without being asked again, or in
 * doca_pe_progress() what is left of it. At most BUDGET bytes at a time, so that no call takes much
 * longer than a tenth of a millisecond.
 *
 * As on a card, a failed task stops the context: what is queued behind it is flushed.
 */
#define LOG_MODULE "dma"
#include "dma/dma.h"

#include <stdlib.h>
#include "base/log.h"

/*
 * Bytes copied in one poll, and in all submits between two. In a poll a task counts as TASK_COST at
 * least, so that callbacks are bounded.
 */
#define BUDGET	  (1024 * 1024)
#define TASK_COST 4096

/*
 * Queue
 */

static void queue_init(struct doca_dma *dma)
{
	dma->first = NULL;
	dma->last = &dma->first;
	dma->lags = false;
	dma->submit_budget = BUDGET;
}

static struct doca_task *queue_pop(struct doca_dma *dma)
{
	struct doca_task *task = dma->first;

	dma->first = task->next;
	if (!dma->first) {
		dma->last = &dma->first;
		dma->lags = false;
	}
	memcpy_end(memcpy_of(task));
	return task;
}

static void flush(struct doca_dma *dma)
{
	while (dma->first)
		task_complete(queue_pop(dma), DOCA_ERROR_IO_FAILED);
}

/*
 * If nothing before it waits to be copied: programs wait for what the other side does then, and do
 * not ask for progress. What fails does so in its turn, in a poll.
 */
static void copy_at_once(struct doca_dma *dma, struct doca_dma_task_memcpy *copy)
{
	if (!dma->lags && !copy->refused && copy->left <= dma->submit_budget)
		memcpy_work(dma, copy, &dma->submit_budget);
	dma->lags = copy->refused || copy->left;
}

doca_error_t dma_submit(struct doca_task *task, uint32_t flags)
{
	struct doca_dma *dma = dma_of(task->pool->ctx);

	(void)flags; /* a doorbell costs nothing here */
	task_accept(task);
	memcpy_begin(memcpy_of(task));
	task->next = NULL;
	*dma->last = task;
	dma->last = &task->next;
	copy_at_once(dma, memcpy_of(task));
	if (doca_unlikely(!dma->poller.hot))
		priv_poll_group_heat(&dma->poller); /* also ends a sleep, in which none is hot */
	return DOCA_SUCCESS;
}

/*
 * Polling
 */

/* The callback may stop, restart and destroy the context. */
static void finish(struct doca_dma *dma)
{
	memcpy_commit(memcpy_of(dma->first));
	task_report(queue_pop(dma), DOCA_SUCCESS);
}

/* The first task has failed: told before those that are flushed because of it. */
static void fail(struct doca_dma *dma, doca_error_t err)
{
	if (err == DOCA_ERROR_CONNECTION_RESET)
		err = DOCA_ERROR_IO_FAILED;
	task_complete(queue_pop(dma), err);
	flush(dma);
	priv_poll_group_remove(&dma->poller);
	priv_ctx_fail(&dma->ctx);
	priv_ctx_stopped(&dma->ctx);
}

static unsigned int dma_poll(struct poller *poller)
{
	struct doca_dma *dma = container_of(poller, struct doca_dma, poller);
	const struct doca_pe *pe = dma->ctx.pe;
	size_t budget = BUDGET;
	unsigned int done = 0;

	dma->submit_budget = BUDGET;
	while (dma->first && budget && !pe->is_inherited) { /* a callback may fork */
		struct doca_dma_task_memcpy *copy = memcpy_of(dma->first);
		size_t before = budget;
		doca_error_t err;

		if (doca_unlikely(copy->task.state == TASK_ABANDONED)) {
			task_report(queue_pop(dma),
				    DOCA_ERROR_IO_FAILED); /* its buffers may be gone */
			continue;
		}
		err = memcpy_work(dma, copy, &budget);
		if (err) {
			fail(dma, err);
			return done + 1;
		}
		if (copy->left)
			return done + 1;
		finish(dma);
		done++;
		if (budget + TASK_COST > before)
			budget = before > TASK_COST ? before - TASK_COST : 0;
	}
	return done;
}

static bool dma_pending(struct poller *poller)
{
	return container_of(poller, struct doca_dma, poller)->first != NULL;
}

/* Work comes from this thread only. */
static const struct poller_ops dma_poller_ops = {
	.poll = dma_poll,
	.pending = dma_pending,
};

/*
 * Context
 */

static doca_error_t dma_check(struct doca_ctx *ctx)
{
	const struct doca_dma *dma = dma_of(ctx);

	if (dma->memcpy_pool.count)
		return DOCA_SUCCESS;
	LOG_ERR("dma cannot start: its memcpy task was not enabled");
	return DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t dma_start(struct doca_ctx *ctx)
{
	struct doca_dma *dma = dma_of(ctx);
	doca_error_t err;

	if (!dma->bounce)
		dma->bounce = malloc(BOUNCE_SIZE);
	if (!dma->bounce)
		return DOCA_ERROR_NO_MEMORY;
	err = priv_task_pool_start(&dma->memcpy_pool);
	if (err)
		return err;
	queue_init(dma);
	priv_poll_group_add(&ctx->pe->group, &dma->poller);
	return DOCA_SUCCESS;
}

static doca_error_t dma_stop(struct doca_ctx *ctx)
{
	struct doca_dma *dma = dma_of(ctx);

	priv_poll_group_remove(&dma->poller);
	flush(dma);
	return DOCA_SUCCESS;
}

static const struct ctx_ops dma_ctx_ops = {
	.name = "dma",
	.check = dma_check,
	.start = dma_start,
	.stop = dma_stop,
	.jobs = &dma_job_ops,
};

static doca_error_t create(struct doca_dev *dev, struct doca_dma **dma)
{
	struct doca_dma *new_dma = calloc(1, sizeof(*new_dma));

	if (!new_dma)
		return DOCA_ERROR_NO_MEMORY;
	priv_ctx_init(&new_dma->ctx, &dma_ctx_ops, dev);
	new_dma->poller.ops = &dma_poller_ops;
	*dma = new_dma;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma)
{
	return dev && dma ? create(dev, dma) : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t softfield_dma_create_2_2(struct doca_dma **dma)
{
	doca_error_t err = dma ? create(NULL, dma) : DOCA_ERROR_INVALID_VALUE;

	if (!err)
		(*dma)->ctx.queued.does_jobs = true;
	return err;
}

static void release(struct pe_garbage *garbage)
{
	struct doca_dma *dma = container_of(garbage, struct doca_dma, garbage);

	priv_task_pool_fini(&dma->memcpy_pool);
	memcpy_free_lists(dma);
	free(dma->bounce);
	free(dma);
}

doca_error_t doca_dma_destroy(struct doca_dma *dma)
{
	struct doca_pe *pe;
	doca_error_t err;

	if (!dma)
		return DOCA_ERROR_INVALID_VALUE;
	err = priv_ctx_check_destroy(&dma->ctx);
	if (err)
		return err;
	pe = dma->ctx.pe;
	priv_ctx_fini(&dma->ctx);
	priv_pe_discard(pe, &dma->garbage, release);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma)
{
	return dma ? &dma->ctx : NULL;
}

doca_error_t doca_dma_set_ordered_completions(struct doca_dma *dma, uint8_t enable)
{
	if (!dma)
		return DOCA_ERROR_INVALID_VALUE;
	dma->ordered = enable;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_get_ordered_completions(struct doca_dma *dma, uint8_t *enabled)
{
	if (!dma || !enabled)
		return DOCA_ERROR_INVALID_VALUE;
	*enabled = dma->ordered;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_get_gpu_handle(struct doca_dma *dma, struct doca_gpu_dma **gpu_dma)
{
	return dma && gpu_dma ? DOCA_ERROR_BAD_STATE : DOCA_ERROR_INVALID_VALUE;
}
