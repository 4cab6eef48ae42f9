/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A context that does what the test says: starts and stops at once or later or not at all, and has
 * tasks that are finished when the test wants it.
 */
#ifndef SOFTFIELD_TESTS_TOY_H
#define SOFTFIELD_TESTS_TOY_H

#include "test.h"

#include <stdlib.h>
#include <string.h>
#include "core/ctx.h"
#include "core/pe.h"
#include "core/task.h"
#include "leak.h"

#define TOY_TASKS  4u
#define TOY_STATES 32

struct toy_task {
	struct doca_task base;
	unsigned int number;
};

struct toy {
	struct doca_ctx ctx;
	struct task_pool pool;
	struct doca_pe *pe;
	struct leak before;

	/* what the context's operations answer */
	doca_error_t check_answer, start_answer, stop_answer, submit_answer, task_check_answer;
	unsigned int checks, starts, stops, idles, flushes;
	uint32_t last_flags;

	/* what the program has been told */
	enum doca_ctx_states states[TOY_STATES];
	unsigned int state_count;
	unsigned int completed, failed;
	doca_error_t last_status;
	union doca_data last_task_data, last_ctx_data;
	bool hold; /* tasks are kept in their callback, else freed */
	void (*on_state)(struct toy *toy, enum doca_ctx_states next);
	void (*on_task)(struct toy *toy, struct toy_task *task);
};

static inline struct toy *toy_of(struct doca_ctx *ctx)
{
	return container_of(ctx, struct toy, ctx);
}

static inline doca_error_t toy_check(struct doca_ctx *ctx)
{
	toy_of(ctx)->checks++;
	return toy_of(ctx)->check_answer;
}

static inline doca_error_t toy_start(struct doca_ctx *ctx)
{
	assert_int_equal(ctx->state, DOCA_CTX_STATE_IDLE);
	toy_of(ctx)->starts++;
	assert_ok(priv_task_pool_start(&toy_of(ctx)->pool));
	return toy_of(ctx)->start_answer;
}

static inline doca_error_t toy_stop(struct doca_ctx *ctx)
{
	toy_of(ctx)->stops++;
	return toy_of(ctx)->stop_answer;
}

static inline void toy_idle(struct doca_ctx *ctx)
{
	toy_of(ctx)->idles++;
}

static inline void toy_flush(struct doca_ctx *ctx)
{
	toy_of(ctx)->flushes++;
}

static const struct ctx_ops toy_ops = {
	.name = "toy",
	.check = toy_check,
	.start = toy_start,
	.stop = toy_stop,
	.idle = toy_idle,
	.flush = toy_flush,
};

static inline doca_error_t toy_task_check(const struct doca_task *task)
{
	return toy_of(task->pool->ctx)->task_check_answer;
}

static inline doca_error_t toy_submit(struct doca_task *task, uint32_t flags)
{
	struct toy *toy = toy_of(task->pool->ctx);

	toy->last_flags = flags;
	if (!toy->submit_answer)
		task_accept(task);
	return toy->submit_answer;
}

static const struct task_type toy_type = {
	.name = "toy task",
	.check = toy_task_check,
	.submit = toy_submit,
};

static inline void toy_told(struct toy *toy, struct doca_task *task, union doca_data task_data,
			    union doca_data ctx_data)
{
	toy->last_status = doca_task_get_status(task);
	toy->last_task_data = task_data;
	toy->last_ctx_data = ctx_data;
	if (toy->on_task)
		toy->on_task(toy, (struct toy_task *)task);
	else if (!toy->hold)
		doca_task_free(task);
}

static inline void toy_completed(struct doca_task *task, union doca_data task_data,
				 union doca_data ctx_data)
{
	struct toy *toy = toy_of(doca_task_get_ctx(task));

	toy->completed++;
	toy_told(toy, task, task_data, ctx_data);
}

static inline void toy_failed(struct doca_task *task, union doca_data task_data,
			      union doca_data ctx_data)
{
	struct toy *toy = toy_of(doca_task_get_ctx(task));

	toy->failed++;
	toy_told(toy, task, task_data, ctx_data);
}

static inline void toy_changed(const union doca_data data, struct doca_ctx *ctx,
			       enum doca_ctx_states prev, enum doca_ctx_states next)
{
	struct toy *toy = toy_of(ctx);
	enum doca_ctx_states now;

	(void)data;
	assert_int_equal(prev, toy->state_count ? toy->states[toy->state_count - 1]
						: DOCA_CTX_STATE_IDLE);
	assert_ok(doca_ctx_get_state(ctx, &now));
	assert_int_equal(now, next);
	assert_true(toy->state_count < TOY_STATES);
	toy->states[toy->state_count++] = next;
	if (toy->on_state)
		toy->on_state(toy, next);
}

static inline doca_error_t toy_configure(struct toy *toy, struct task_pool *pool,
					 doca_task_completion_cb_t completed,
					 doca_task_completion_cb_t failed, uint32_t count,
					 uint32_t max)
{
	const struct task_pool_config config = {
		.type = &toy_type,
		.task_size = sizeof(struct toy_task),
		.completion_cb = completed,
		.error_cb = failed,
		.count = count,
		.max = max,
	};

	return priv_task_pool_configure(pool, &toy->ctx, &config);
}

static inline void toy_init(struct toy *toy)
{
	memset(toy, 0, sizeof(*toy));
	priv_ctx_init(&toy->ctx, &toy_ops, NULL);
	assert_ok(doca_ctx_set_state_changed_cb(&toy->ctx, toy_changed));
	assert_ok(toy_configure(toy, &toy->pool, toy_completed, toy_failed, TOY_TASKS, TOY_TASKS));
}

static inline void toy_fini(struct toy *toy)
{
	priv_task_pool_fini(&toy->pool);
	priv_ctx_fini(&toy->ctx);
}

static inline struct toy_task *toy_alloc(struct toy *toy)
{
	struct doca_task *task = NULL;

	assert_ok(task_alloc(&toy->pool, &task));
	return (struct toy_task *)task;
}

/* a task that is submitted and not finished */
static inline struct toy_task *toy_send(struct toy *toy)
{
	struct toy_task *task = toy_alloc(toy);

	assert_ok(doca_task_submit(&task->base));
	return task;
}

static inline void toy_progress(struct toy *toy)
{
	while (priv_pe_work(toy->pe))
		;
}

static inline void expect_states(const struct toy *toy, unsigned int count,
				 const enum doca_ctx_states *states)
{
	assert_int_equal(toy->state_count, count);
	assert_memory_equal(toy->states, states, count * sizeof(*states));
}

#define EXPECT_STATES(toy, ...)                                                                    \
	expect_states(                                                                             \
		toy, sizeof((enum doca_ctx_states[]){__VA_ARGS__}) / sizeof(enum doca_ctx_states), \
		(enum doca_ctx_states[]){__VA_ARGS__})

#define IDLE	 DOCA_CTX_STATE_IDLE
#define STARTING DOCA_CTX_STATE_STARTING
#define RUNNING	 DOCA_CTX_STATE_RUNNING
#define STOPPING DOCA_CTX_STATE_STOPPING

static inline int toy_setup(void **state)
{
	struct leak before = leak_count();
	struct toy *toy = malloc(sizeof(*toy));

	toy_init(toy);
	toy->before = before;
	assert_ok(doca_pe_create(&toy->pe));
	assert_ok(doca_pe_connect_ctx(toy->pe, &toy->ctx));
	*state = toy;
	return 0;
}

static inline int toy_teardown(void **state)
{
	struct toy *toy = *state;
	struct leak before = toy->before;

	toy_fini(toy);
	if (doca_pe_destroy(toy->pe))
		return -1;
	free(toy);
	return leak_check(&before) ? 0 : -1;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, toy_setup, toy_teardown)

#endif
