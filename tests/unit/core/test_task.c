/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks: their life, what each state allows, and the pool they come from.
 */
#include "pages.h"
#include "toy.h"

#include <malloc.h>
#include "doca_log.h"
#include "said.h"

static void start(struct toy *toy)
{
	assert_ok(doca_ctx_start(&toy->ctx));
}

static void stop_toy(struct toy *toy)
{
	doca_ctx_stop(&toy->ctx);
	toy_progress(toy);
	assert_int_equal(toy->ctx.state, IDLE);
}

/*
 * Pools
 */

static void configure_checks_its_arguments(void **state)
{
	struct toy *toy = *state;
	struct task_pool pool = {0};

	assert_err(toy_configure(toy, &pool, NULL, toy_failed, 1, 4), INVALID_VALUE);
	assert_err(toy_configure(toy, &pool, toy_completed, NULL, 1, 4), INVALID_VALUE);
	assert_err(toy_configure(toy, &pool, toy_completed, toy_failed, 0, 4), INVALID_VALUE);
	assert_err(toy_configure(toy, &pool, toy_completed, toy_failed, 5, 4), INVALID_VALUE);
	assert_int_equal(pool.count, 0);
	start(toy);
	assert_err(toy_configure(toy, &pool, toy_completed, toy_failed, 4, 4), BAD_STATE);
	stop_toy(toy);
	assert_ok(toy_configure(toy, &pool, toy_completed, toy_failed, 4, 4));
	priv_task_pool_fini(&pool);
}

static void configure_wrongly(struct child *parent, void *arg)
{
	struct doca_log_backend *backend;
	struct task_pool pool = {0};

	(void)parent;
	assert_ok(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend));
	assert_err(toy_configure(arg, &pool, toy_completed, toy_failed, 0, 4), INVALID_VALUE);
	assert_err(toy_configure(arg, &pool, toy_completed, toy_failed, 5, 4), INVALID_VALUE);
}

static void how_many_tasks_there_may_be_is_told_of(void **state)
{
	char said[SAID_SIZE];

	listen_to(configure_wrongly, *state, said);
	assert_non_null(strstr(said, "0 tasks asked for; 1 to 4 are allowed"));
	assert_non_null(strstr(said, "5 tasks asked for; 1 to 4 are allowed"));
}

static void a_pool_gives_what_was_configured(void **state)
{
	struct toy *toy = *state;
	struct toy_task *tasks[TOY_TASKS];
	struct doca_task *one_more = NULL;
	unsigned int i;

	assert_err(task_alloc(&toy->pool, &one_more), BAD_STATE);
	start(toy);
	for (i = 0; i < TOY_TASKS; i++)
		tasks[i] = toy_alloc(toy);
	assert_err(task_alloc(&toy->pool, &one_more), NO_MEMORY);
	assert_null(one_more);
	doca_task_free(&tasks[2]->base);
	assert_ok(task_alloc(&toy->pool, &one_more));
	assert_ptr_equal(one_more, tasks[2]);
	for (i = 0; i < TOY_TASKS; i++)
		doca_task_free(&tasks[i]->base);
	stop_toy(toy);
	assert_err(task_alloc(&toy->pool, &one_more), BAD_STATE);
}

static void a_task_comes_without_traces_of_its_last_life(void **state)
{
	struct toy *toy = *state;
	struct toy_task *task;

	start(toy);
	task = toy_alloc(toy);
	doca_task_set_user_data(&task->base, (union doca_data){.u64 = 5});
	assert_ok(doca_task_submit(&task->base));
	task_complete(&task->base, DOCA_ERROR_IO_FAILED);
	toy_progress(toy);
	task = toy_alloc(toy);
	assert_int_equal(doca_task_get_user_data(&task->base).u64, 0);
	assert_ok(doca_task_get_status(&task->base));
	doca_task_free(&task->base);
	stop_toy(toy);
}

static void a_pool_may_change_its_size_between_runs(void **state)
{
	struct toy *toy = *state;
	struct doca_task *task = NULL;

	start(toy);
	stop_toy(toy);
	assert_ok(toy_configure(toy, &toy->pool, toy_completed, toy_failed, 1, TOY_TASKS));
	start(toy);
	assert_ok(task_alloc(&toy->pool, &task));
	assert_err(task_alloc(&toy->pool, &task), NO_MEMORY);
	doca_task_free(task);
	stop_toy(toy);
}

static void a_task_may_outlive_a_run(void **state)
{
	struct toy *toy = *state;
	struct toy_task *task;
	unsigned int i;

	start(toy);
	task = toy_alloc(toy);
	stop_toy(toy);
	assert_err(doca_task_submit(&task->base), BAD_STATE);
	start(toy);
	for (i = 0; i < TOY_TASKS - 1; i++)
		assert_ptr_not_equal(toy_alloc(toy), task);
	assert_ok(doca_task_submit(&task->base));
	task_complete(&task->base, DOCA_SUCCESS);
	toy_progress(toy);
	assert_int_equal(toy->completed, 1);
	stop_toy(toy);
}

/*
 * Submit
 */

static void submit_hands_over_and_completion_gives_back(void **state)
{
	struct toy *toy = *state;
	struct toy_task *task;

	toy->hold = true;
	assert_ok(doca_ctx_set_user_data(&toy->ctx, (union doca_data){.u64 = 11}));
	start(toy);
	task = toy_alloc(toy);
	doca_task_set_user_data(&task->base, (union doca_data){.u64 = 22});
	assert_ptr_equal(doca_task_get_ctx(&task->base), &toy->ctx);
	assert_ok(doca_task_submit(&task->base));
	assert_err(doca_task_submit(&task->base), INVALID_VALUE);
	task_complete(&task->base, DOCA_SUCCESS);
	assert_err(doca_task_submit(&task->base), INVALID_VALUE);
	assert_int_equal(toy->completed, 0);
	toy_progress(toy);
	assert_int_equal(toy->completed, 1);
	assert_ok(toy->last_status);
	assert_int_equal(toy->last_ctx_data.u64, 11);
	assert_int_equal(toy->last_task_data.u64, 22);
	assert_ok(doca_task_submit(&task->base)); /* again */
	task_complete(&task->base, DOCA_ERROR_CONNECTION_RESET);
	toy_progress(toy);
	assert_int_equal(toy->failed, 1);
	assert_int_equal(toy->last_status, DOCA_ERROR_CONNECTION_RESET);
	doca_task_free(&task->base);
	stop_toy(toy);
}

static void a_refused_submit_leaves_the_task_with_the_program(void **state)
{
	struct toy *toy = *state;
	struct toy_task *task;
	size_t count;

	start(toy);
	task = toy_alloc(toy);
	toy->submit_answer = DOCA_ERROR_AGAIN;
	assert_err(doca_task_submit(&task->base), AGAIN);
	assert_ok(doca_ctx_get_num_inflight_tasks(&toy->ctx, &count));
	assert_int_equal(count, 0);
	assert_int_equal(toy->ctx.num_held, 0);
	toy->submit_answer = DOCA_SUCCESS;
	assert_ok(doca_task_submit(&task->base));
	task_complete(&task->base, DOCA_SUCCESS);
	toy_progress(toy);
	assert_int_equal(toy->completed, 1);
	stop_toy(toy);
}

static void flags_reach_the_library(void **state)
{
	struct toy *toy = *state;
	struct toy_task *task;
	uint32_t flags;

	toy->hold = true;
	start(toy);
	task = toy_alloc(toy);
	for (flags = 0; flags < 4; flags++) {
		assert_ok(doca_task_submit_ex(&task->base, flags));
		assert_int_equal(toy->last_flags, flags);
		task_complete(&task->base, DOCA_SUCCESS);
		toy_progress(toy);
	}
	assert_err(doca_task_submit_ex(&task->base, 4), INVALID_VALUE);
	assert_err(doca_task_submit_ex(&task->base, UINT32_MAX), INVALID_VALUE);
	assert_ok(doca_task_submit(&task->base));
	assert_int_equal(toy->last_flags, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	task_complete(&task->base, DOCA_SUCCESS);
	toy_progress(toy);
	doca_task_free(&task->base);
	stop_toy(toy);
}

static void try_submit_asks_first(void **state)
{
	struct toy *toy = *state;
	struct toy_task *task;

	start(toy);
	task = toy_alloc(toy);
	toy->task_check_answer = DOCA_ERROR_INVALID_VALUE;
	assert_err(doca_task_try_submit(&task->base), INVALID_VALUE);
	assert_int_equal(toy->ctx.num_submitted, 0);
	toy->task_check_answer = DOCA_SUCCESS;
	assert_ok(doca_task_try_submit(&task->base));
	assert_err(doca_task_try_submit(&task->base), INVALID_VALUE);
	task_complete(&task->base, DOCA_SUCCESS);
	toy_progress(toy);
	task = toy_alloc(toy);
	stop_toy(toy);
	assert_err(doca_task_try_submit(&task->base), BAD_STATE);
	doca_task_free(&task->base);
}

static void null_is_answered(void **state)
{
	(void)state;
	assert_err(doca_task_submit(NULL), INVALID_VALUE);
	assert_err(doca_task_submit_ex(NULL, 0), INVALID_VALUE);
	assert_err(doca_task_try_submit(NULL), INVALID_VALUE);
	assert_err(doca_task_get_status(NULL), INVALID_VALUE);
	assert_null(doca_task_get_ctx(NULL));
	assert_int_equal(doca_task_get_user_data(NULL).u64, 0);
	doca_task_set_user_data(NULL, (union doca_data){0});
	doca_task_free(NULL);
}

static void configure(struct toy *toy, uint32_t count)
{
	assert_ok(toy_configure(toy, &toy->pool, toy_completed, toy_failed, count, 2 * TOY_TASKS));
}

/* More than are made ready at a time. */
static void a_large_pool_gives_each_task_once(void **state)
{
	enum { COUNT = 100 };
	struct toy *toy = *state;
	struct toy_task *tasks[COUNT];
	struct doca_task *one_more;

	assert_ok(toy_configure(toy, &toy->pool, toy_completed, toy_failed, COUNT, COUNT));
	start(toy);
	for (unsigned int i = 0; i < COUNT; i++) {
		tasks[i] = toy_alloc(toy);
		assert_int_equal(tasks[i]->number, 0);
		tasks[i]->number = i + 1;
	}
	assert_err(task_alloc(&toy->pool, &one_more), NO_MEMORY);
	for (unsigned int i = 0; i < COUNT; i++) {
		assert_int_equal(tasks[i]->number, i + 1);
		doca_task_free(&tasks[i]->base);
	}
	stop_toy(toy);
}

static void tasks_that_nobody_takes_need_no_memory(void **state)
{
	enum { COUNT = 1 << 20 };
	struct toy *toy = *state;
	struct toy_task *first;

	mallopt(M_PERTURB, 0); /* MALLOC_PERTURB_ touches all there is */
	assert_ok(toy_configure(toy, &toy->pool, toy_completed, toy_failed, COUNT, COUNT));
	start(toy);
	first = toy_alloc(toy);
	assert_true(page_is_there(first));
	assert_false(page_is_there(first + COUNT / 2));
	doca_task_free(&first->base);
	stop_toy(toy);
}

static void a_task_that_outlives_its_pool_can_only_be_freed(void **state)
{
	struct toy *toy = *state;
	struct doca_task *kept, *task = NULL, *none;

	start(toy);
	kept = &toy_alloc(toy)->base;
	stop_toy(toy);
	configure(toy, 1);
	start(toy);
	assert_err(doca_task_submit(kept), INVALID_VALUE);
	assert_err(doca_task_try_submit(kept), INVALID_VALUE);
	doca_task_set_user_data(kept, (union doca_data){.u64 = 7});
	assert_int_equal(doca_task_get_user_data(kept).u64, 7);
	assert_ok(task_alloc(&toy->pool, &task));
	assert_ptr_not_equal(task, kept);
	stop_toy(toy);
	configure(toy, 2 * TOY_TASKS);
	start(toy); /* both are from before */
	doca_task_free(kept);
	doca_task_free(task);
	assert_ok(task_alloc(&toy->pool, &task));
	doca_task_free(task);
	stop_toy(toy);
	configure(toy, 1);
	start(toy);
	assert_ok(task_alloc(&toy->pool, &task));
	assert_err(task_alloc(&toy->pool, &none), NO_MEMORY);
	doca_task_free(task);
	stop_toy(toy);
}

static void a_pool_of_the_same_size_takes_back_what_it_gave(void **state)
{
	struct toy *toy = *state;
	struct toy_task *kept;

	start(toy);
	kept = toy_alloc(toy);
	stop_toy(toy);
	configure(toy, TOY_TASKS);
	start(toy);
	assert_ok(doca_task_submit(&kept->base));
	task_complete(&kept->base, DOCA_SUCCESS);
	toy_progress(toy);
	assert_int_equal(toy->completed, 1);
	stop_toy(toy);
}

static void leave_tasks(struct child *parent, void *arg)
{
	struct doca_log_backend *backend;
	struct toy *toy = arg;

	(void)parent;
	assert_ok(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend));
	start(toy);
	toy_alloc(toy);
	toy_alloc(toy);
	doca_task_free(&toy_alloc(toy)->base);
	task_complete(&toy_send(toy)->base, DOCA_SUCCESS);
	toy_progress(toy);
	stop_toy(toy);
	priv_task_pool_fini(&toy->pool);
}

static void tasks_that_nobody_has_freed_are_told_of(void **state)
{
	char said[SAID_SIZE];

	listen_to(leave_tasks, *state, said);
	assert_non_null(strstr(said, "2 were allocated and neither submitted nor freed"));
}

static void use_wrongly(struct child *parent, void *arg)
{
	struct doca_log_backend *backend;
	struct toy *toy = arg;
	struct toy_task *task, *kept;

	(void)parent;
	assert_ok(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend));
	assert_ok(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DEBUG));
	start(toy);
	task = toy_send(toy);
	assert_err(doca_task_submit(&task->base), INVALID_VALUE);
	task_complete(&task->base, DOCA_SUCCESS);
	toy_progress(toy);
	doca_task_free(&task->base);
	assert_err(doca_task_submit(&task->base), INVALID_VALUE);
	kept = toy_alloc(toy);
	stop_toy(toy);
	assert_err(doca_task_submit(&task->base), BAD_STATE);
	configure(toy, 1);
	start(toy);
	doca_task_free(&kept->base);
	doca_task_free(&kept->base);
	stop_toy(toy);
}

static void why_a_task_is_refused_is_told_of(void **state)
{
	char said[SAID_SIZE], *behind;

	listen_to(use_wrongly, *state, said);
	assert_non_null(strstr(said, "submitted twice"));
	assert_non_null(strstr(said, "submitted after it was freed"));
	behind = strstr(said, "submitted while its context is not running");
	assert_non_null(behind);
	assert_non_null(strstr(behind, "freed twice"));
}

/*
 * Callbacks
 */

static void submit_again(struct toy *toy, struct toy_task *task)
{
	if (toy->completed == 10) {
		doca_task_free(&task->base);
		return;
	}
	assert_ok(doca_task_submit(&task->base));
	task_complete(&task->base, DOCA_SUCCESS);
}

static void a_callback_may_submit_again_and_is_told_in_the_next_round(void **state)
{
	struct toy *toy = *state;
	unsigned int rounds = 0;

	toy->on_task = submit_again;
	start(toy);
	task_complete(&toy_send(toy)->base, DOCA_SUCCESS);
	while (toy->completed < 10) {
		doca_pe_progress(toy->pe);
		assert_int_equal(toy->completed, ++rounds);
	}
	stop_toy(toy);
}

static struct toy_task *told_together[2];

static void free_both(struct toy *toy, struct toy_task *task)
{
	unsigned int i;

	(void)toy;
	(void)task;
	for (i = 0; i < 2; i++)
		if (told_together[i]->base.state != TASK_FREE &&
		    told_together[i]->base.state != TASK_ABANDONED)
			doca_task_free(&told_together[i]->base);
}

static void a_callback_may_free_a_task_that_is_to_be_told_next(void **state)
{
	struct toy *toy = *state;
	struct toy_task *first, *second;

	toy->on_task = free_both;
	start(toy);
	first = told_together[0] = toy_send(toy);
	second = told_together[1] = toy_send(toy);
	task_complete(&first->base, DOCA_SUCCESS);
	task_complete(&second->base, DOCA_SUCCESS);
	toy_progress(toy);
	assert_int_equal(toy->completed, 1);
	assert_int_equal(first->base.state, TASK_FREE);
	assert_int_equal(second->base.state, TASK_FREE);
	stop_toy(toy);
}

static void an_order_is_kept(void **state)
{
	struct toy *toy = *state;
	struct toy_task *tasks[TOY_TASKS];
	unsigned int i;

	toy->hold = true;
	start(toy);
	for (i = 0; i < TOY_TASKS; i++) {
		tasks[i] = toy_alloc(toy);
		doca_task_set_user_data(&tasks[i]->base, (union doca_data){.u64 = i});
		assert_ok(doca_task_submit(&tasks[i]->base));
	}
	for (i = 0; i < TOY_TASKS; i++)
		task_complete(&tasks[TOY_TASKS - 1 - i]->base, DOCA_SUCCESS);
	toy_progress(toy);
	assert_int_equal(toy->last_task_data.u64, 0);
	assert_int_equal(toy->completed, TOY_TASKS);
	for (i = 0; i < TOY_TASKS; i++)
		doca_task_free(&tasks[i]->base);
	stop_toy(toy);
}

/*
 * Free
 */

static void a_task_in_flight_that_is_freed_is_not_told(void **state)
{
	struct toy *toy = *state;
	struct toy_task *task;

	start(toy);
	task = toy_send(toy);
	doca_task_free(&task->base);
	assert_int_equal(task->base.state, TASK_ABANDONED);
	doca_task_free(&task->base); /* twice is harmless */
	assert_err(doca_task_submit(&task->base), INVALID_VALUE);
	task_complete(&task->base, DOCA_SUCCESS);
	toy_progress(toy);
	assert_int_equal(toy->completed, 0);
	assert_int_equal(task->base.state, TASK_FREE);
	stop_toy(toy);
}

static void free_in_flight(struct child *parent, void *arg)
{
	struct doca_log_backend *backend;
	struct toy *toy = arg;

	(void)parent;
	assert_ok(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend));
	assert_ok(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DEBUG));
	start(toy);
	doca_task_free(&toy_send(toy)->base);
}

static void why_a_task_is_not_told_is_told_of(void **state)
{
	char said[SAID_SIZE];

	listen_to(free_in_flight, *state, said);
	assert_non_null(strstr(said, "freed while it was under way"));
}

static void a_stopping_context_waits_for_a_freed_task_in_flight(void **state)
{
	struct toy *toy = *state;
	struct toy_task *task;

	start(toy);
	task = toy_send(toy);
	doca_task_free(&task->base);
	assert_err(doca_ctx_stop(&toy->ctx), IN_PROGRESS);
	toy_progress(toy);
	assert_int_equal(toy->ctx.state, STOPPING);
	task_complete(&task->base, DOCA_SUCCESS);
	toy_progress(toy);
	assert_int_equal(toy->ctx.state, IDLE);
}

static void freeing_twice_does_no_harm(void **state)
{
	struct toy *toy = *state;
	struct toy_task *task;
	struct doca_task *tasks[TOY_TASKS + 1] = {NULL};
	unsigned int i;

	start(toy);
	task = toy_alloc(toy);
	doca_task_free(&task->base);
	doca_task_free(&task->base);
	for (i = 0; i < TOY_TASKS; i++)
		assert_ok(task_alloc(&toy->pool, &tasks[i]));
	assert_err(task_alloc(&toy->pool, &tasks[i]), NO_MEMORY);
	stop_toy(toy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(configure_checks_its_arguments),
		TEST(how_many_tasks_there_may_be_is_told_of),
		TEST(a_pool_gives_what_was_configured),
		TEST(a_task_comes_without_traces_of_its_last_life),
		TEST(a_pool_may_change_its_size_between_runs),
		TEST(a_task_may_outlive_a_run),
		TEST(submit_hands_over_and_completion_gives_back),
		TEST(a_refused_submit_leaves_the_task_with_the_program),
		TEST(flags_reach_the_library),
		TEST(try_submit_asks_first),
		TEST(null_is_answered),
		TEST(a_large_pool_gives_each_task_once),
		TEST(tasks_that_nobody_takes_need_no_memory),
		TEST(a_task_that_outlives_its_pool_can_only_be_freed),
		TEST(a_pool_of_the_same_size_takes_back_what_it_gave),
		TEST(tasks_that_nobody_has_freed_are_told_of),
		TEST(why_a_task_is_refused_is_told_of),
		TEST(a_callback_may_submit_again_and_is_told_in_the_next_round),
		TEST(a_callback_may_free_a_task_that_is_to_be_told_next),
		TEST(an_order_is_kept),
		TEST(a_task_in_flight_that_is_freed_is_not_told),
		TEST(why_a_task_is_not_told_is_told_of),
		TEST(a_stopping_context_waits_for_a_freed_task_in_flight),
		TEST(freeing_twice_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
