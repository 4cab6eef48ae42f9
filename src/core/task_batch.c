/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Batches of tasks.
 */
#include "core/task_batch.h"

/* Stops at the first task that is refused: those before it are submitted, as with single tasks. */
static doca_error_t submit_all(struct doca_task_batch *batch,
			       doca_error_t (*submit)(struct doca_task *task))
{
	doca_error_t err = DOCA_SUCCESS;

	if (!batch)
		return DOCA_ERROR_INVALID_VALUE;
	for (uint16_t i = 0; i < batch->count && !err; i++)
		err = submit(batch->tasks[i]);
	return err;
}

doca_error_t doca_task_batch_submit(struct doca_task_batch *task_batch)
{
	return submit_all(task_batch, priv_task_submit);
}

doca_error_t doca_task_batch_try_submit(struct doca_task_batch *task_batch)
{
	return submit_all(task_batch, task_try_submit);
}

void doca_task_batch_free(struct doca_task_batch *task_batch)
{
	if (!task_batch)
		return;
	for (uint16_t i = 0; i < task_batch->count; i++)
		task_free(task_batch->tasks[i]);
	task_batch->count = 0;
}

doca_error_t doca_task_batch_get_status(const struct doca_task_batch *task_batch)
{
	return task_batch ? task_batch->status : DOCA_ERROR_INVALID_VALUE;
}

void doca_task_batch_set_user_data(struct doca_task_batch *task_batch, union doca_data user_data)
{
	if (task_batch)
		task_batch->user_data = user_data;
}

union doca_data doca_task_batch_get_user_data(const struct doca_task_batch *task_batch)
{
	return task_batch ? task_batch->user_data : (union doca_data){0};
}

struct doca_ctx *doca_task_batch_get_ctx(const struct doca_task_batch *task_batch)
{
	return task_batch ? task_batch->ctx : NULL;
}

union doca_data doca_task_batch_get_ctx_user_data(const struct doca_task_batch *task_batch)
{
	return task_batch ? task_batch->ctx->user_data : (union doca_data){0};
}

uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *task_batch)
{
	return task_batch ? task_batch->count : 0;
}
