/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks and their pools; batches.
 */
#define LOG_MODULE "core"
#include "core/task.h"

#include <stdlib.h>
#include <string.h>
#include "base/log.h"

#define SUBMIT_FLAGS (DOCA_TASK_SUBMIT_FLAG_FLUSH | DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS)

/*
 * Pools
 */

doca_error_t priv_task_pool_configure(struct task_pool *pool, struct doca_ctx *ctx,
				      const struct task_type *type, size_t task_size,
				      doca_task_completion_cb_t completion_cb,
				      doca_task_completion_cb_t error_cb, uint32_t count,
				      uint32_t max)
{
	if (!completion_cb || !error_cb || !count)
		return DOCA_ERROR_INVALID_VALUE;
	if (count > max) {
		LOG_ERR("%s: %u tasks asked for, at most %u", type->name, count, max);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (ctx_check_idle(ctx))
		return DOCA_ERROR_BAD_STATE;
	pool->ctx = ctx;
	pool->type = type;
	pool->task_size = task_size;
	pool->completion_cb = completion_cb;
	pool->error_cb = error_cb;
	pool->count = count;
	return DOCA_SUCCESS;
}

doca_error_t priv_task_pool_start(struct task_pool *pool)
{
	uint32_t i;

	/* Tasks that the user still holds from an earlier run stay valid and stay out. */
	if (pool->array && pool->array_count == pool->count)
		return DOCA_SUCCESS;
	free(pool->array);
	pool->free = NULL;
	pool->array = calloc(pool->count, pool->task_size);
	pool->array_count = pool->array ? pool->count : 0;
	if (!pool->array)
		return DOCA_ERROR_NO_MEMORY;
	for (i = pool->count; i-- > 0;) {
		struct doca_task *task = (void *)((char *)pool->array + i * pool->task_size);

		task->pool = pool;
		task->next = pool->free;
		pool->free = task;
	}
	return DOCA_SUCCESS;
}

void priv_task_pool_fini(struct task_pool *pool)
{
	free(pool->array);
	memset(pool, 0, sizeof(*pool));
}

/*
 * Tasks
 */

/* Hands the task to its library. */
static inline doca_error_t submit(struct doca_task *task, uint32_t flags)
{
	const struct task_pool *pool = task->pool;

	if (doca_unlikely(pool->ctx->state != DOCA_CTX_STATE_RUNNING))
		return DOCA_ERROR_BAD_STATE;
	if (doca_unlikely(task->state != TASK_IDLE && task->state != TASK_HELD))
		return DOCA_ERROR_INVALID_VALUE;
	return pool->type->submit(task, flags);
}

doca_error_t doca_task_submit(struct doca_task *task)
{
	if (doca_unlikely(!task))
		return DOCA_ERROR_INVALID_VALUE;
	return submit(task, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags)
{
	if (doca_unlikely(!task || (flags & ~SUBMIT_FLAGS)))
		return DOCA_ERROR_INVALID_VALUE;
	return submit(task, flags);
}

doca_error_t doca_task_try_submit(struct doca_task *task)
{
	doca_error_t err = DOCA_SUCCESS;

	if (!task)
		return DOCA_ERROR_INVALID_VALUE;
	if (task->pool->ctx->state != DOCA_CTX_STATE_RUNNING)
		return DOCA_ERROR_BAD_STATE;
	if (task->pool->type->check)
		err = task->pool->type->check(task);
	return err ? err : submit(task, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

static void put_back(struct doca_task *task)
{
	task->state = TASK_FREE;
	task->next = task->pool->free;
	task->pool->free = task;
}

void priv_task_release(struct doca_task *task)
{
	struct doca_ctx *ctx = task->pool->ctx;

	if (--ctx->num_held == 0 && ctx->state == DOCA_CTX_STATE_STOPPING)
		priv_ctx_todo(ctx);
	put_back(task);
}

void doca_task_free(struct doca_task *task)
{
	if (!task)
		return;
	switch (task->state) {
	case TASK_IDLE:
		put_back(task);
		break;
	case TASK_HELD:
		priv_task_release(task);
		break;
	case TASK_SUBMITTED:
	case TASK_DONE:
		/* Real programs free their posted receives before they stop a consumer. */
		task->state = TASK_ABANDONED;
		break;
	case TASK_FREE:
	case TASK_ABANDONED:
		LOG_ERR("%s: a task is freed twice", task->pool->type->name);
		break;
	}
}

doca_error_t doca_task_get_status(const struct doca_task *task)
{
	return task ? task->status : DOCA_ERROR_INVALID_VALUE;
}

void doca_task_set_user_data(struct doca_task *task, union doca_data user_data)
{
	if (task)
		task->user_data = user_data;
}

union doca_data doca_task_get_user_data(const struct doca_task *task)
{
	return task ? task->user_data : (union doca_data){0};
}

struct doca_ctx *doca_task_get_ctx(const struct doca_task *task)
{
	return task ? task->pool->ctx : NULL;
}
