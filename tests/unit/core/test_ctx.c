/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts: every transition of the table, who is told, and what waits for whom.
 */
#include "toy.h"
#include "devices.h"
#include "doca_log.h"
#include "said.h"

/*
 * Start
 */

static void a_start_at_once_is_running(void **state)
{
	struct toy *toy = *state;

	assert_ok(doca_ctx_start(&toy->ctx));
	EXPECT_STATES(toy, RUNNING);
	assert_ok(doca_ctx_stop(&toy->ctx));
	EXPECT_STATES(toy, RUNNING, IDLE);
	assert_int_equal(toy->idles, 1);
}

static void a_start_that_takes_time_is_told_later(void **state)
{
	struct toy *toy = *state;

	toy->start_answer = DOCA_ERROR_IN_PROGRESS;
	assert_err(doca_ctx_start(&toy->ctx), IN_PROGRESS);
	EXPECT_STATES(toy, STARTING);
	assert_err(doca_ctx_start(&toy->ctx), BAD_STATE);
	priv_ctx_started(&toy->ctx, DOCA_SUCCESS);
	EXPECT_STATES(toy, STARTING, RUNNING);
	priv_ctx_started(&toy->ctx, DOCA_SUCCESS); /* too late to matter */
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void a_start_that_fails_later_goes_back_to_idle(void **state)
{
	struct toy *toy = *state;

	toy->start_answer = DOCA_ERROR_IN_PROGRESS;
	assert_err(doca_ctx_start(&toy->ctx), IN_PROGRESS);
	priv_ctx_started(&toy->ctx, DOCA_ERROR_NOT_FOUND);
	EXPECT_STATES(toy, STARTING, IDLE);
	assert_int_equal(toy->idles, 1);
}

static void a_start_that_is_refused_changes_nothing(void **state)
{
	struct toy *toy = *state;

	toy->check_answer = DOCA_ERROR_BAD_STATE;
	assert_err(doca_ctx_start(&toy->ctx), BAD_STATE);
	assert_int_equal(toy->starts, 0);
	toy->check_answer = DOCA_SUCCESS;
	toy->start_answer = DOCA_ERROR_IN_USE;
	assert_err(doca_ctx_start(&toy->ctx), IN_USE);
	assert_int_equal(toy->state_count, 0);
	assert_int_equal(toy->idles, 0);
	assert_int_equal(toy->ctx.state, IDLE);
	assert_err(doca_ctx_start(NULL), INVALID_VALUE);
}

static void what_the_system_refuses_is_an_initialization_error(void **state)
{
	static const doca_error_t refusals[] = {DOCA_ERROR_FULL, DOCA_ERROR_NOT_FOUND,
						DOCA_ERROR_NOT_PERMITTED,
						DOCA_ERROR_OPERATING_SYSTEM};
	struct toy *toy = *state;

	for (unsigned int i = 0; i < ARRAY_SIZE(refusals); i++) {
		toy->start_answer = refusals[i];
		assert_err(doca_ctx_start(&toy->ctx), INITIALIZATION);
	}
	assert_int_equal(toy->state_count, 0);
	assert_int_equal(toy->ctx.state, IDLE);
}

static void start_needs_a_progress_engine(void **state)
{
	struct toy toy;

	(void)state;
	toy_init(&toy);
	assert_err(doca_ctx_start(&toy.ctx), NOT_CONNECTED);
	assert_int_equal(toy.checks, 0);
	toy_fini(&toy);
}

static void only_idle_can_be_started(void **state)
{
	struct toy *toy = *state;

	assert_ok(doca_ctx_start(&toy->ctx));
	assert_err(doca_ctx_start(&toy->ctx), BAD_STATE);
	toy->stop_answer = DOCA_ERROR_IN_PROGRESS;
	assert_err(doca_ctx_stop(&toy->ctx), IN_PROGRESS);
	assert_err(doca_ctx_start(&toy->ctx), BAD_STATE);
	priv_ctx_stopped(&toy->ctx);
	toy_progress(toy);
	assert_ok(doca_ctx_start(&toy->ctx)); /* restart */
	toy->stop_answer = DOCA_SUCCESS;
	assert_ok(doca_ctx_stop(&toy->ctx));
	EXPECT_STATES(toy, RUNNING, STOPPING, IDLE, RUNNING, IDLE);
}

/*
 * Stop
 */

static void stopping_what_is_idle_does_nothing(void **state)
{
	struct toy *toy = *state;

	assert_err(doca_ctx_stop(NULL), INVALID_VALUE);
	assert_ok(doca_ctx_stop(&toy->ctx));
	assert_int_equal(toy->stops, 0);
	assert_int_equal(toy->state_count, 0);
}

static void a_stop_that_takes_time_goes_through_stopping(void **state)
{
	struct toy *toy = *state;

	assert_ok(doca_ctx_start(&toy->ctx));
	toy->stop_answer = DOCA_ERROR_IN_PROGRESS;
	assert_err(doca_ctx_stop(&toy->ctx), IN_PROGRESS);
	assert_err(doca_ctx_stop(&toy->ctx), IN_PROGRESS);
	assert_int_equal(toy->stops, 1);
	toy_progress(toy);
	EXPECT_STATES(toy, RUNNING, STOPPING);
	priv_ctx_stopped(&toy->ctx);
	EXPECT_STATES(toy, RUNNING, STOPPING); /* told by progress only */
	assert_int_equal(doca_pe_progress(toy->pe), 1);
	EXPECT_STATES(toy, RUNNING, STOPPING, IDLE);
	assert_int_equal(doca_pe_progress(toy->pe), 0);
}

static void a_stop_that_is_refused_changes_nothing(void **state)
{
	struct toy *toy = *state;

	assert_ok(doca_ctx_start(&toy->ctx));
	toy->stop_answer = DOCA_ERROR_IN_USE;
	assert_err(doca_ctx_stop(&toy->ctx), IN_USE);
	EXPECT_STATES(toy, RUNNING);
	toy->stop_answer = DOCA_SUCCESS;
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void a_starting_context_can_be_stopped(void **state)
{
	struct toy *toy = *state;

	toy->start_answer = DOCA_ERROR_IN_PROGRESS;
	assert_err(doca_ctx_start(&toy->ctx), IN_PROGRESS);
	assert_ok(doca_ctx_stop(&toy->ctx));
	EXPECT_STATES(toy, STARTING, IDLE);
	assert_err(doca_ctx_start(&toy->ctx), IN_PROGRESS);
	toy->stop_answer = DOCA_ERROR_IN_PROGRESS;
	assert_err(doca_ctx_stop(&toy->ctx), IN_PROGRESS);
	priv_ctx_started(&toy->ctx, DOCA_SUCCESS); /* overtaken by the stop */
	priv_ctx_stopped(&toy->ctx);
	toy_progress(toy);
	EXPECT_STATES(toy, STARTING, IDLE, STARTING, STOPPING, IDLE);
}

static void a_failure_goes_to_stopping_by_itself(void **state)
{
	struct toy *toy = *state;

	assert_ok(doca_ctx_start(&toy->ctx));
	priv_ctx_fail(&toy->ctx);
	EXPECT_STATES(toy, RUNNING, STOPPING);
	priv_ctx_fail(&toy->ctx);
	assert_err(doca_ctx_stop(&toy->ctx), IN_PROGRESS);
	assert_int_equal(toy->stops, 0);
	priv_ctx_stopped(&toy->ctx);
	toy_progress(toy);
	EXPECT_STATES(toy, RUNNING, STOPPING, IDLE);
	priv_ctx_fail(&toy->ctx); /* nothing left to fail */
	EXPECT_STATES(toy, RUNNING, STOPPING, IDLE);
}

/*
 * Tasks hold a stopping context
 */

static void stopping_waits_for_tasks_in_flight(void **state)
{
	struct toy *toy = *state;
	struct toy_task *task;

	assert_ok(doca_ctx_start(&toy->ctx));
	task = toy_send(toy);
	assert_err(doca_ctx_stop(&toy->ctx), IN_PROGRESS);
	toy_progress(toy);
	EXPECT_STATES(toy, RUNNING, STOPPING);
	task_complete(&task->base, DOCA_ERROR_IO_FAILED);
	toy_progress(toy); /* the callback frees it */
	EXPECT_STATES(toy, RUNNING, STOPPING, IDLE);
	assert_int_equal(toy->failed, 1);
}

static void stopping_waits_until_a_held_task_is_freed(void **state)
{
	struct toy *toy = *state;
	struct toy_task *task;

	toy->hold = true;
	assert_ok(doca_ctx_start(&toy->ctx));
	task = toy_send(toy);
	task_complete(&task->base, DOCA_SUCCESS);
	toy_progress(toy);
	assert_err(doca_ctx_stop(&toy->ctx), IN_PROGRESS);
	toy_progress(toy);
	EXPECT_STATES(toy, RUNNING, STOPPING);
	doca_task_free(&task->base);
	toy_progress(toy);
	EXPECT_STATES(toy, RUNNING, STOPPING, IDLE);
}

static void stopping_does_not_wait_for_tasks_that_were_never_submitted(void **state)
{
	struct toy *toy = *state;
	struct toy_task *task;

	assert_ok(doca_ctx_start(&toy->ctx));
	task = toy_alloc(toy);
	assert_ok(doca_ctx_stop(&toy->ctx));
	EXPECT_STATES(toy, RUNNING, IDLE);
	doca_task_free(&task->base);
	EXPECT_STATES(toy, RUNNING, IDLE);
}

static struct toy_task *held;

static void free_held(struct toy *toy, enum doca_ctx_states next)
{
	(void)toy;
	if (next == STOPPING)
		doca_task_free(&held->base);
}

static void the_last_task_may_be_freed_in_the_stopping_callback(void **state)
{
	struct toy *toy = *state;

	toy->hold = true;
	toy->on_state = free_held;
	assert_ok(doca_ctx_start(&toy->ctx));
	held = toy_send(toy);
	task_complete(&held->base, DOCA_SUCCESS);
	toy_progress(toy);
	assert_err(doca_ctx_stop(&toy->ctx), IN_PROGRESS);
	toy_progress(toy);
	EXPECT_STATES(toy, RUNNING, STOPPING, IDLE);
}

/*
 * In the callback
 */

static void stop_when_running(struct toy *toy, enum doca_ctx_states next)
{
	if (next == RUNNING)
		assert_ok(doca_ctx_stop(&toy->ctx));
}

static void the_running_callback_may_stop(void **state)
{
	struct toy *toy = *state;

	toy->on_state = stop_when_running;
	assert_ok(doca_ctx_start(&toy->ctx));
	EXPECT_STATES(toy, RUNNING, IDLE);
}

static void submit_when_running(struct toy *toy, enum doca_ctx_states next)
{
	if (next == RUNNING)
		task_complete(&toy_send(toy)->base, DOCA_SUCCESS);
}

static void the_running_callback_may_submit(void **state)
{
	struct toy *toy = *state;

	toy->on_state = submit_when_running;
	assert_ok(doca_ctx_start(&toy->ctx));
	assert_int_equal(toy->completed, 0);
	toy_progress(toy);
	assert_int_equal(toy->completed, 1);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void start_when_idle(struct toy *toy, enum doca_ctx_states next)
{
	if (next == IDLE && toy->starts < 5)
		assert_ok(doca_ctx_start(&toy->ctx));
}

static void the_idle_callback_may_start_again(void **state)
{
	struct toy *toy = *state;
	unsigned int i;

	toy->on_state = start_when_idle;
	assert_ok(doca_ctx_start(&toy->ctx));
	for (i = 0; i < 5; i++)
		assert_ok(doca_ctx_stop(&toy->ctx));
	assert_int_equal(toy->starts, 5);
	assert_int_equal(toy->ctx.state, IDLE);
}

/*
 * Attributes
 */

static void user_data_comes_with_the_callback(void **state)
{
	struct toy *toy = *state;
	union doca_data data = {.u64 = 7};

	assert_ok(doca_ctx_get_user_data(&toy->ctx, &data));
	assert_int_equal(data.u64, 0);
	data.u64 = 42;
	assert_ok(doca_ctx_set_user_data(&toy->ctx, data));
	data.u64 = 0;
	assert_ok(doca_ctx_get_user_data(&toy->ctx, &data));
	assert_int_equal(data.u64, 42);
	assert_err(doca_ctx_set_user_data(NULL, data), INVALID_VALUE);
	assert_err(doca_ctx_get_user_data(NULL, &data), INVALID_VALUE);
	assert_err(doca_ctx_get_user_data(&toy->ctx, NULL), INVALID_VALUE);
}

static void the_callback_is_set_in_idle(void **state)
{
	struct toy *toy = *state;

	assert_err(doca_ctx_set_state_changed_cb(NULL, toy_changed), INVALID_VALUE);
	assert_err(doca_ctx_set_state_changed_cb(&toy->ctx, NULL), INVALID_VALUE);
	assert_ok(doca_ctx_start(&toy->ctx));
	assert_err(doca_ctx_set_state_changed_cb(&toy->ctx, toy_changed), BAD_STATE);
	assert_ok(doca_ctx_stop(&toy->ctx));
	assert_ok(doca_ctx_set_state_changed_cb(&toy->ctx, toy_changed));
}

static void change_while_running(struct child *parent, void *arg)
{
	struct doca_log_backend *backend;
	struct toy *toy = arg;

	(void)parent;
	assert_ok(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend));
	assert_ok(doca_ctx_start(&toy->ctx));
	assert_err(doca_ctx_set_state_changed_cb(&toy->ctx, toy_changed), BAD_STATE);
	toy->stop_answer = DOCA_ERROR_IN_PROGRESS;
	assert_err(doca_ctx_stop(&toy->ctx), IN_PROGRESS);
	assert_err(doca_ctx_start(&toy->ctx), BAD_STATE);
}

static void the_state_that_is_in_the_way_is_told_of(void **state)
{
	char said[SAID_SIZE];

	listen_to(change_while_running, *state, said);
	assert_non_null(strstr(said, "its context is RUNNING, and has to be IDLE"));
	assert_non_null(strstr(said, "its context is STOPPING, and has to be IDLE"));
}

static void state_and_inflight_tasks_are_told(void **state)
{
	struct toy *toy = *state;
	enum doca_ctx_states now;
	struct toy_task *task;
	size_t count = 99;

	assert_err(doca_ctx_get_state(NULL, &now), INVALID_VALUE);
	assert_err(doca_ctx_get_state(&toy->ctx, NULL), INVALID_VALUE);
	assert_err(doca_ctx_get_num_inflight_tasks(NULL, &count), INVALID_VALUE);
	assert_err(doca_ctx_get_num_inflight_tasks(&toy->ctx, NULL), INVALID_VALUE);
	assert_ok(doca_ctx_get_num_inflight_tasks(&toy->ctx, &count));
	assert_int_equal(count, 0);
	assert_ok(doca_ctx_start(&toy->ctx));
	task = toy_send(toy);
	assert_ok(doca_ctx_get_num_inflight_tasks(&toy->ctx, &count));
	assert_int_equal(count, 1);
	task_complete(&task->base, DOCA_SUCCESS);
	assert_ok(doca_ctx_get_num_inflight_tasks(&toy->ctx, &count));
	assert_int_equal(count, 1); /* until it is told */
	toy_progress(toy);
	assert_ok(doca_ctx_get_num_inflight_tasks(&toy->ctx, &count));
	assert_int_equal(count, 0);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void flush_needs_a_running_context(void **state)
{
	struct toy *toy = *state;

	doca_ctx_flush_tasks(NULL);
	doca_ctx_flush_tasks(&toy->ctx);
	assert_int_equal(toy->flushes, 0);
	assert_ok(doca_ctx_start(&toy->ctx));
	doca_ctx_flush_tasks(&toy->ctx);
	assert_int_equal(toy->flushes, 1);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void other_datapaths_are_not_supported(void **state)
{
	struct toy *toy = *state;
	struct doca_gpu *gpu = (struct doca_gpu *)toy;
	struct doca_dpa *dpa = (struct doca_dpa *)toy;

	assert_err(doca_ctx_set_datapath_on_gpu(NULL, gpu), INVALID_VALUE);
	assert_err(doca_ctx_set_datapath_on_gpu(&toy->ctx, NULL), INVALID_VALUE);
	assert_err(doca_ctx_set_datapath_on_gpu(&toy->ctx, gpu), NOT_SUPPORTED);
	assert_err(doca_ctx_set_datapath_on_dpa(NULL, dpa), INVALID_VALUE);
	assert_err(doca_ctx_set_datapath_on_dpa(&toy->ctx, NULL), INVALID_VALUE);
	assert_err(doca_ctx_set_datapath_on_dpa(&toy->ctx, dpa), NOT_SUPPORTED);
	assert_ok(doca_ctx_start(&toy->ctx));
	assert_err(doca_ctx_set_datapath_on_gpu(&toy->ctx, gpu), BAD_STATE);
	assert_err(doca_ctx_set_datapath_on_dpa(&toy->ctx, dpa), BAD_STATE);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void there_is_one_completion_vector(void **state)
{
	struct toy *toy = *state;
	struct doca_dev *dev = open_dev("03:00.0");
	const struct doca_devinfo *devinfo = doca_dev_as_devinfo(dev);
	uint32_t count = 7;

	assert_err(doca_ctx_set_completion_vector(NULL, 0), INVALID_VALUE);
	assert_err(doca_ctx_set_completion_vector(&toy->ctx, 1), INVALID_VALUE);
	assert_ok(doca_ctx_set_completion_vector(&toy->ctx, 0));
	assert_ok(doca_ctx_start(&toy->ctx));
	assert_err(doca_ctx_set_completion_vector(&toy->ctx, 0), BAD_STATE);
	assert_ok(doca_ctx_stop(&toy->ctx));
	assert_err(doca_ctx_cap_get_num_completion_vectors(NULL, &count), INVALID_VALUE);
	assert_err(doca_ctx_cap_get_num_completion_vectors(devinfo, NULL), INVALID_VALUE);
	assert_int_equal(count, 7);
	assert_ok(doca_ctx_cap_get_num_completion_vectors(devinfo, &count));
	assert_int_equal(count, 1);
	assert_ok(doca_dev_close(dev));
}

static void destroy_is_for_idle_contexts(void **state)
{
	struct toy *toy = *state;

	assert_ok(priv_ctx_check_destroy(&toy->ctx));
	assert_ok(doca_ctx_start(&toy->ctx));
	assert_err(priv_ctx_check_destroy(&toy->ctx), IN_USE);
	priv_ctx_fail(&toy->ctx);
	assert_err(priv_ctx_check_destroy(&toy->ctx), IN_USE);
	priv_ctx_stopped(&toy->ctx);
	toy_progress(toy);
	assert_ok(priv_ctx_check_destroy(&toy->ctx));
}

static void use(struct task_pool *pool)
{
	struct doca_task *task = NULL;

	assert_ok(task_alloc(pool, &task));
	assert_ok(doca_task_submit(task));
	doca_task_free(task);
	task_complete(task, DOCA_SUCCESS);
}

/* Also after one of them has gone, and after another one was configured twice. */
static void pools_of_a_context_follow_its_state(void **state)
{
	struct task_pool second = {0}, third = {0};
	struct doca_task *task = NULL;
	struct toy *toy = *state;

	assert_ok(toy_configure(toy, &second, toy_completed, toy_failed, 1, 4));
	assert_ok(toy_configure(toy, &third, toy_completed, toy_failed, 1, 4));
	assert_ok(toy_configure(toy, &second, toy_completed, toy_failed, 2, 4));
	assert_ok(priv_task_pool_start(&second));
	assert_ok(priv_task_pool_start(&third));
	assert_ok(doca_ctx_start(&toy->ctx));
	use(&second);
	use(&third);
	toy_progress(toy);
	priv_task_pool_fini(&third);
	assert_ok(task_alloc(&second, &task));
	assert_ok(doca_ctx_stop(&toy->ctx));
	assert_err(doca_task_submit(task), BAD_STATE);
	doca_task_free(task);
	assert_ok(doca_ctx_start(&toy->ctx));
	use(&second);
	use(&toy->pool);
	toy_progress(toy);
	assert_ok(doca_ctx_stop(&toy->ctx));
	priv_task_pool_fini(&second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_start_at_once_is_running),
		TEST(a_start_that_takes_time_is_told_later),
		TEST(a_start_that_fails_later_goes_back_to_idle),
		TEST(a_start_that_is_refused_changes_nothing),
		TEST(what_the_system_refuses_is_an_initialization_error),
		TEST(start_needs_a_progress_engine),
		TEST(only_idle_can_be_started),
		TEST(stopping_what_is_idle_does_nothing),
		TEST(a_stop_that_takes_time_goes_through_stopping),
		TEST(a_stop_that_is_refused_changes_nothing),
		TEST(a_starting_context_can_be_stopped),
		TEST(a_failure_goes_to_stopping_by_itself),
		TEST(stopping_waits_for_tasks_in_flight),
		TEST(stopping_waits_until_a_held_task_is_freed),
		TEST(stopping_does_not_wait_for_tasks_that_were_never_submitted),
		TEST(the_last_task_may_be_freed_in_the_stopping_callback),
		TEST(the_running_callback_may_stop),
		TEST(the_running_callback_may_submit),
		TEST(the_idle_callback_may_start_again),
		TEST(user_data_comes_with_the_callback),
		TEST(the_callback_is_set_in_idle),
		TEST(the_state_that_is_in_the_way_is_told_of),
		TEST(state_and_inflight_tasks_are_told),
		TEST(flush_needs_a_running_context),
		TEST(other_datapaths_are_not_supported),
		TEST(there_is_one_completion_vector),
		TEST(destroy_is_for_idle_contexts),
		TEST(pools_of_a_context_follow_its_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
