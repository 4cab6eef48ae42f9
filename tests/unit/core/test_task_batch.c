/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Batches: submitted in order, stopped at the first refusal, freed as a whole.
 */
#include "toy.h"

#include "core/task_batch.h"

#define BATCH 3u

struct batch_of_toys {
	struct doca_task_batch batch;
	struct doca_task *tasks[BATCH];
};

static void make(struct toy *toy, struct batch_of_toys *made)
{
	memset(made, 0, sizeof(*made));
	made->batch.ctx = &toy->ctx;
	made->batch.count = BATCH;
	made->batch.tasks = made->tasks;
	for (unsigned int i = 0; i < BATCH; i++)
		made->tasks[i] = &toy_alloc(toy)->base;
}

static void a_batch_is_submitted_in_order(void **state)
{
	struct toy *toy = *state;
	struct batch_of_toys made;

	assert_ok(doca_ctx_start(&toy->ctx));
	make(toy, &made);
	assert_ok(doca_task_batch_submit(&made.batch));
	assert_int_equal(ctx_num_inflight(&toy->ctx), BATCH);
	for (unsigned int i = 0; i < BATCH; i++)
		task_complete(made.tasks[i], DOCA_SUCCESS);
	toy_progress(toy);
	assert_int_equal(toy->completed, BATCH);
	doca_ctx_stop(&toy->ctx);
}

static void a_refusal_ends_the_submit(void **state)
{
	struct toy *toy = *state;
	struct batch_of_toys made;

	assert_ok(doca_ctx_start(&toy->ctx));
	make(toy, &made);
	toy->task_check_answer = DOCA_ERROR_INVALID_VALUE;
	assert_err(doca_task_batch_try_submit(&made.batch), INVALID_VALUE);
	assert_int_equal(ctx_num_inflight(&toy->ctx), 0);
	doca_task_batch_free(&made.batch);
	assert_int_equal(doca_task_batch_get_tasks_num(&made.batch), 0);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void attributes_are_kept(void **state)
{
	struct toy *toy = *state;
	union doca_data of_batch = {.u64 = 7}, of_ctx = {.u64 = 9};
	struct batch_of_toys made;

	assert_ok(doca_ctx_set_user_data(&toy->ctx, of_ctx));
	assert_ok(doca_ctx_start(&toy->ctx));
	make(toy, &made);
	doca_task_batch_set_user_data(&made.batch, of_batch);
	assert_int_equal(doca_task_batch_get_user_data(&made.batch).u64, 7);
	assert_int_equal(doca_task_batch_get_ctx_user_data(&made.batch).u64, 9);
	assert_ptr_equal(doca_task_batch_get_ctx(&made.batch), &toy->ctx);
	assert_int_equal(doca_task_batch_get_tasks_num(&made.batch), BATCH);
	made.batch.status = DOCA_ERROR_IO_FAILED;
	assert_err(doca_task_batch_get_status(&made.batch), IO_FAILED);
	doca_task_batch_free(&made.batch);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void null_is_answered(void **state)
{
	(void)state;
	assert_err(doca_task_batch_submit(NULL), INVALID_VALUE);
	assert_err(doca_task_batch_try_submit(NULL), INVALID_VALUE);
	assert_err(doca_task_batch_get_status(NULL), INVALID_VALUE);
	assert_null(doca_task_batch_get_ctx(NULL));
	assert_int_equal(doca_task_batch_get_tasks_num(NULL), 0);
	assert_int_equal(doca_task_batch_get_user_data(NULL).u64, 0);
	assert_int_equal(doca_task_batch_get_ctx_user_data(NULL).u64, 0);
	doca_task_batch_set_user_data(NULL, (union doca_data){0});
	doca_task_batch_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_batch_is_submitted_in_order),
		TEST(a_refusal_ends_the_submit),
		TEST(attributes_are_kept),
		TEST(null_is_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
