/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks: first member of every task of every library, and the pool they come from.
 *
 * Life: FREE -> (alloc) IDLE -> (submit) SUBMITTED -> (callback) HELD -> resubmit or free. The user
 * owns it in IDLE and HELD, the library in SUBMITTED, from the end of the work to the callback in
 * pe->done, and in ABANDONED. A context that is stopping waits for its tasks in SUBMITTED and HELD;
 * an allocated one that was never submitted does not hold it up.
 */
#ifndef SOFTFIELD_CORE_TASK_H
#define SOFTFIELD_CORE_TASK_H

#include <stdint.h>
#include "base/debug.h"
#include "base/export.h"
#include "doca_pe.h"
#include "core/ctx.h"
#include "core/pe.h"
#include "softfield_inline.h"

enum task_state {
	/* up to HELD it can be submitted */
	TASK_IDLE,
	TASK_HELD,
	TASK_SUBMITTED,
	/* freed while the library has it: nobody is told, it goes back at the end */
	TASK_ABANDONED,
	TASK_STALE, /* kept since before the pool was made anew: can only be freed */
	TASK_FREE,
};

struct task_pool;
struct task_array;

struct doca_task {
	struct task_pool *pool;
	struct doca_task *next; /* in pool->free, in pe->done, or in the library's own queue */
	union doca_data user_data;
	doca_error_t status;
	enum task_state state;
};

/* Programs are compiled with it (softfield_inline.h). */
_Static_assert(offsetof(struct doca_task, user_data) == offsetof(struct softfield_task, user_data),
	       "ABI");
_Static_assert(offsetof(struct doca_task, status) == offsetof(struct softfield_task, status),
	       "ABI");
_Static_assert(sizeof(struct doca_task) == offsetof(struct softfield_comch_task, buf), "ABI");

struct task_type {
	const char *name;
	/* refuses what can be seen to be wrong before anything happens; may be NULL; try_submit
	 * calls it */
	doca_error_t (*check)(const struct doca_task *task);
	/*
	 * Starts the work, after task_accept(): the library completes the task later with
	 * task_complete() (any time, also at once) or task_report() (from a poll). Or refuses: the
	 * user keeps the task.
	 */
	doca_error_t (*submit)(struct doca_task *task, uint32_t flags);
};

struct task_pool {
	struct doca_ctx *ctx;
	/* the type's while the context is RUNNING, else one that refuses */
	doca_error_t (*submit)(struct doca_task *task, uint32_t flags);
	const struct task_type *type;
	doca_task_completion_cb_t completion_cb, error_cb;
	struct doca_task *free;	   /* those that were taken before, or are about to be */
	struct task_array *arrays; /* the pool's; behind it those with stale tasks */
	size_t task_size;
	uint32_t count;		/* configured; 0: the task type is not enabled */
	struct task_pool *next; /* of the same context */
};

struct task_pool_config {
	const struct task_type *type;
	size_t task_size;
	/* take the concrete task, which starts with its struct doca_task */
	doca_task_completion_cb_t completion_cb, error_cb;
	uint32_t count, max; /* how many there shall be, and how many there may be */
};

/*
 * Remembers the configuration of a task type; the memory is taken when the context starts.
 * INVALID_VALUE: a callback is NULL, or count is 0 or above max. BAD_STATE: the context is not
 * IDLE.
 */
PRIV_EXPORT doca_error_t priv_task_pool_configure(struct task_pool *pool, struct doca_ctx *ctx,
						  const struct task_pool_config *config);
/*
 * Takes the memory, and touches little of it; called from the context's start. Tasks that the user
 * still holds from an earlier run stay valid and stay out; of a pool of another size they can only
 * be freed. NO_MEMORY
 */
PRIV_EXPORT doca_error_t priv_task_pool_start(struct task_pool *pool);
/* Puts some that were never taken into pool->free, which is empty. Its first; NULL: all are out */
PRIV_EXPORT struct doca_task *priv_task_pool_refill(struct task_pool *pool);
/*
 * Logs why there is no task now; not as an error, as with a submit. Without arguments: each would
 * be made ready where there is one.
 */
PRIV_EXPORT void priv_task_tell_refusal(void);
/* The state of the context has changed. */
void task_pools_follow(struct doca_ctx *ctx);
/* gives the memory back; called when the object is destroyed */
PRIV_EXPORT void priv_task_pool_fini(struct task_pool *pool);

/* Functions of doca_pe.h for tasks of our own, as in core/pe.h */
PRIV_EXPORT doca_error_t priv_task_submit(struct doca_task *task);
doca_error_t task_try_submit(struct doca_task *task);
void task_free(struct doca_task *task);

/* back to the pool from HELD or ABANDONED; a stopping context may have waited for it */
PRIV_EXPORT void priv_task_release(struct doca_task *task);

/* One of its tasks is HELD or ABANDONED no more. */
static inline void task_note_release(struct doca_ctx *ctx)
{
	if (doca_unlikely(--ctx->num_held == 0) && ctx->state == DOCA_CTX_STATE_STOPPING)
		priv_ctx_todo(ctx);
}

/*
 * Takes a task for the user. BAD_STATE: the context is not RUNNING (or the type not configured).
 * NO_MEMORY: all are out.
 */
static inline doca_error_t task_alloc(struct task_pool *pool, struct doca_task **ret_task)
{
	struct doca_task *task = pool->free;

	if (doca_unlikely(!pool->ctx || pool->ctx->state != DOCA_CTX_STATE_RUNNING)) {
		priv_task_tell_refusal();
		return DOCA_ERROR_BAD_STATE;
	}
	if (doca_unlikely(!task) && !(task = priv_task_pool_refill(pool)))
		return DOCA_ERROR_NO_MEMORY;
	pool->free = task->next;
	task->state = TASK_IDLE;
	task->status = DOCA_SUCCESS;
	task->user_data.u64 = 0;
	*ret_task = task;
	return DOCA_SUCCESS;
}

/* task_accept() for those who know its pool's context. */
static inline void task_take(struct doca_ctx *ctx, struct doca_task *task)
{
	debug_assert(task->state == TASK_IDLE || task->state == TASK_HELD);
	ctx->num_submitted++;
	if (doca_unlikely(task->state == TASK_IDLE))
		ctx->num_held++;
	task->state = TASK_SUBMITTED;
}

/* The task is the library's. For a submit that can no longer refuse it. */
static inline void task_accept(struct doca_task *task)
{
	task_take(task->pool->ctx, task);
}

/*
 * How a task ends. task_complete(), from anywhere: the callback comes in the next round of
 * doca_pe_progress(). task_report(), from a poll: it comes now. What else there is below are parts
 * of these two, and task_tell() is the second one for a path that counts nanoseconds.
 */

/*
 * Calls the user's callback: the status says which one. The task is not ABANDONED, and counted in
 * num_reported.
 */
static inline void task_call_back(struct doca_ctx *ctx, const struct task_pool *pool,
				  struct doca_task *task)
{
	debug_assert(task->state == TASK_SUBMITTED);
	task->state = TASK_HELD;
	if (doca_unlikely(task->status != DOCA_SUCCESS))
		pool->error_cb(task, task->user_data, ctx->user_data);
	else
		pool->completion_cb(task, task->user_data, ctx->user_data);
}

/* task_report() for those who know that it has not been freed, and its pool, which is ctx's. */
static inline void task_tell(struct doca_ctx *ctx, const struct task_pool *pool,
			     struct doca_task *task, doca_error_t status)
{
	task->status = status;
	ctx->num_reported++;
	task_call_back(ctx, pool, task);
}

/* Calls the user's callback now, for a task that has its status. Only from a poll, as below. */
static inline void task_report_status(struct doca_task *task)
{
	const struct task_pool *pool = task->pool;
	struct doca_ctx *ctx = pool->ctx;

	ctx->num_reported++;
	if (doca_likely(task->state != TASK_ABANDONED))
		task_call_back(ctx, pool, task);
	else
		priv_task_release(task);
}

/* Calls the user's callback now. Only from a poll, that is, inside doca_pe_progress(). */
static inline void task_report(struct doca_task *task, doca_error_t status)
{
	task->status = status;
	task->pool->ctx->pe->has_told = true;
	task_report_status(task);
}

/*
 * Puts finished tasks, from first to last, which are linked and have their status, where
 * doca_pe_progress() finds them. The caller wakes whoever has armed the engine
 * (poll_group_end_sleep()).
 */
static inline void tasks_done(struct doca_pe *pe, struct doca_task *first, struct doca_task *last)
{
	last->next = NULL;
	*pe->done_tail = first;
	pe->done_tail = &last->next;
}

static inline void task_done(struct doca_pe *pe, struct doca_task *task, doca_error_t status)
{
	task->status = status;
	tasks_done(pe, task, task);
}

/* Finishes a task; the user is told in the next round of doca_pe_progress(). */
static inline void task_complete(struct doca_task *task, doca_error_t status)
{
	struct doca_pe *pe = task->pool->ctx->pe;

	debug_assert(task->state == TASK_SUBMITTED || task->state == TASK_ABANDONED);
	task_done(pe, task, status);
	poll_group_end_sleep(&pe->group);
}

#endif
