/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks and their pools.
 */
#define LOG_MODULE "core"
#include "core/task.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "topo/topo.h"

#define SUBMIT_FLAGS (DOCA_TASK_SUBMIT_FLAG_FLUSH | DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS)

/* Each task begins a cache line. */
#define TASK_ALIGN 64u
/* How many tasks that were never taken are made ready at a time. */
#define REFILL 32u

/*
 * Pools
 */

/* In place of a type's submit. Not logged as an error: programs try again and again. */
static __attribute__((cold)) doca_error_t refuse_state(struct doca_task *task, uint32_t flags)
{
	(void)flags;
	LOG_DBG("%s: submitted while its context is not running", task->pool->type->name);
	return DOCA_ERROR_BAD_STATE;
}

void task_pools_follow(struct doca_ctx *ctx)
{
	bool is_running = ctx->state == DOCA_CTX_STATE_RUNNING;

	for (struct task_pool *pool = ctx->pools; pool; pool = pool->next)
		pool->submit = is_running ? pool->type->submit : refuse_state;
}

static void leave_ctx(struct task_pool *pool)
{
	struct task_pool **link = &pool->ctx->pools;

	while (*link != pool)
		link = &(*link)->next;
	*link = pool->next;
}

doca_error_t priv_task_pool_configure(struct task_pool *pool, struct doca_ctx *ctx,
				      const struct task_pool_config *config)
{
	if (!config->completion_cb || !config->error_cb)
		return DOCA_ERROR_INVALID_VALUE;
	if (!config->count || config->count > config->max) {
		LOG_ERR("%s: %u tasks asked for; 1 to %u are allowed" LIMITS_HINT,
			config->type->name, config->count, config->max);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (ctx_check_idle(ctx))
		return DOCA_ERROR_BAD_STATE;
	if (!pool->ctx) {
		pool->next = ctx->pools;
		ctx->pools = pool;
	}
	pool->ctx = ctx;
	pool->submit = refuse_state;
	pool->type = config->type;
	pool->task_size = (config->task_size + TASK_ALIGN - 1) & ~(size_t)(TASK_ALIGN - 1);
	pool->completion_cb = config->completion_cb;
	pool->error_cb = config->error_cb;
	pool->count = config->count;
	return DOCA_SUCCESS;
}

/* Tasks from `fresh` on have never been taken, and nobody has touched their memory. */
struct task_array {
	alignas(TASK_ALIGN) struct task_array *next;
	uint32_t count, fresh;
	alignas(TASK_ALIGN) char tasks[];
};

static struct doca_task *task_at(const struct task_pool *pool, struct task_array *array, uint32_t i)
{
	return (struct doca_task *)(void *)&array->tasks[i * pool->task_size];
}

static void put_back(struct doca_task *task)
{
	task->state = TASK_FREE;
	task->next = task->pool->free;
	task->pool->free = task;
}

/* What the user still has of the array is stale from now on. Returns how many that are. */
static uint32_t make_stale(const struct task_pool *pool, struct task_array *array)
{
	uint32_t i, count = 0;

	for (i = 0; i < array->fresh; i++) {
		struct doca_task *task = task_at(pool, array, i);

		if (task->state == TASK_FREE)
			continue;
		task->state = TASK_STALE;
		count++;
	}
	return count;
}

/* Gives back the arrays of which the user has nothing. */
static void drop_arrays(struct task_pool *pool)
{
	struct task_array **link = &pool->arrays;

	while (*link) {
		struct task_array *array = *link;

		if (make_stale(pool, array)) {
			link = &array->next;
			continue;
		}
		*link = array->next;
		free(array);
	}
}

doca_error_t priv_task_pool_start(struct task_pool *pool)
{
	struct task_array *array;

	if (pool->arrays && pool->arrays->count == pool->count)
		return DOCA_SUCCESS;
	array = aligned_alloc(TASK_ALIGN, sizeof(*array) + pool->count * pool->task_size);
	if (!array)
		return DOCA_ERROR_NO_MEMORY;
	drop_arrays(pool);
	*array = (struct task_array){.next = pool->arrays, .count = pool->count};
	pool->arrays = array;
	pool->free = NULL;
	return DOCA_SUCCESS;
}

struct doca_task *priv_task_pool_refill(struct task_pool *pool)
{
	struct task_array *array = pool->arrays;
	uint32_t begin, i;

	if (!array || array->fresh == array->count)
		return NULL;
	begin = array->fresh;
	array->fresh = array->count - begin > REFILL ? begin + REFILL : array->count;
	memset(task_at(pool, array, begin), 0, (array->fresh - begin) * pool->task_size);
	for (i = array->fresh; i-- > begin;) {
		struct doca_task *task = task_at(pool, array, i);

		task->pool = pool;
		put_back(task);
	}
	return pool->free;
}

__attribute__((cold)) void priv_task_tell_refusal(void)
{
	LOG_DBG("a task of a context that is not running, or of a type that was not configured");
}

static uint32_t count_never_submitted(const struct task_pool *pool)
{
	uint32_t count = 0;

	for (struct task_array *array = pool->arrays; array; array = array->next)
		for (uint32_t i = 0; i < array->fresh; i++)
			count += task_at(pool, array, i)->state == TASK_IDLE;
	return count;
}

/* Here a context waits for those only that have been submitted. */
static void tell_never_freed(const struct task_pool *pool)
{
	uint32_t count = count_never_submitted(pool);

	if (count)
		LOG_WRN("%s of %s: %u were allocated and neither submitted nor freed; a card's "
			"context may wait for them for ever when it is stopped, see "
			"doca_task_free()",
			pool->type->name, pool->ctx->ops->name, count);
}

void priv_task_pool_fini(struct task_pool *pool)
{
	tell_never_freed(pool);
	while (pool->arrays) {
		struct task_array *array = pool->arrays;

		pool->arrays = array->next;
		free(array);
	}
	if (pool->ctx)
		leave_ctx(pool);
	memset(pool, 0, sizeof(*pool));
}

/*
 * Tasks
 */

/* Not logged as an error either. */
static __attribute__((cold)) doca_error_t refuse_task(const struct doca_task *task)
{
	LOG_DBG("%s: submitted %s", task->pool->type->name,
		task->state == TASK_SUBMITTED ? "twice: it comes back in doca_pe_progress()"
					      : "after it was freed, or its pool was made anew");
	return DOCA_ERROR_INVALID_VALUE;
}

/* Hands the task to its library. */
static inline doca_error_t submit(struct doca_task *task, uint32_t flags)
{
	const struct task_pool *pool = task->pool;

	/* What the context's state forbids is told first. */
	if (doca_unlikely(task->state > TASK_HELD) && pool->submit != refuse_state)
		return refuse_task(task);
	return pool->submit(task, flags);
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
		return refuse_state(task, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	if (task->pool->type->check)
		err = task->pool->type->check(task);
	return err ? err : submit(task, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

static inline void release(struct doca_task *task)
{
	put_back(task);
	task_note_release(task->pool->ctx);
}

void priv_task_release(struct doca_task *task)
{
	release(task);
}

/* A task that is not HELD. */
static __attribute__((noinline)) void free_other(struct doca_task *task)
{
	switch (task->state) {
	case TASK_IDLE:
		put_back(task);
		break;
	case TASK_STALE:
		task->state = TASK_FREE;
		break;
	case TASK_SUBMITTED:
		/* Real programs free their posted receives before they stop a consumer. */
		LOG_DBG("%s: freed while it was under way: none of its callbacks will be called",
			task->pool->type->name);
		task->state = TASK_ABANDONED;
		break;
	default:
		LOG_ERR("%s: a task is freed twice", task->pool->type->name);
		break;
	}
}

void doca_task_free(struct doca_task *task)
{
	if (doca_unlikely(!task))
		return;
	if (doca_likely(task->state == TASK_HELD))
		release(task);
	else
		free_other(task);
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

/*
 * The same where nobody stands between
 */

__attribute__((alias("doca_task_submit"))) doca_error_t priv_task_submit(struct doca_task *task);
__attribute__((alias("doca_task_try_submit"))) doca_error_t task_try_submit(struct doca_task *task);
__attribute__((alias("doca_task_free"))) void task_free(struct doca_task *task);
