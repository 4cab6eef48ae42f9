/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consumers on a DPA, as the program sees them: what they need to start, that they stop at once,
 * and that they have no tasks.
 */
#include "test.h"

#include "fake_dpa.h"

/* a consumer with its data path on the DPA, but no completion */
static struct doca_ctx *create(struct rig *rig)
{
	struct doca_ctx *ctx;

	assert_ok(doca_comch_msgq_consumer_create(rig->msgq, &rig->consumer));
	ctx = doca_comch_consumer_as_ctx(rig->consumer);
	assert_ok(doca_ctx_set_datapath_on_dpa(ctx, &dpa));
	return ctx;
}

static void begin(struct rig *rig)
{
	assert_ok(doca_comch_msgq_set_dpa_consumer(rig->msgq, &dpa));
	assert_ok(doca_comch_msgq_start(rig->msgq));
	add_completion(rig, true);
}

static void finish(struct rig *rig)
{
	assert_ok(doca_comch_consumer_destroy(rig->consumer));
	assert_ok(doca_comch_msgq_stop(rig->msgq));
	doca_comch_consumer_completion_stop(rig->completion);
	assert_ok(doca_comch_consumer_completion_destroy(rig->completion));
}

static void setters_check_their_arguments(void **state)
{
	struct rig *rig = *state;
	uint64_t handle;

	begin(rig);
	create(rig);
	assert_err(doca_comch_consumer_set_completion(NULL, rig->completion, 0), INVALID_VALUE);
	assert_err(doca_comch_consumer_set_completion(rig->consumer, NULL, 0), INVALID_VALUE);
	assert_err(doca_comch_consumer_set_dev_max_num_recv(NULL, 1), INVALID_VALUE);
	assert_err(doca_comch_consumer_set_dev_max_num_recv(rig->consumer, 0), INVALID_VALUE);
	assert_err(doca_comch_consumer_set_dev_max_num_recv(rig->consumer, UINT32_MAX),
		   INVALID_VALUE);
	assert_ok(doca_comch_consumer_set_dev_num_recv(rig->consumer, 3));
	assert_err(doca_comch_consumer_get_dpa_handle(NULL, &handle), INVALID_VALUE);
	assert_err(doca_comch_consumer_get_dpa_handle(rig->consumer, NULL), INVALID_VALUE);
	assert_err(doca_comch_consumer_get_dpa_handle(rig->consumer, &handle), BAD_STATE);
	finish(rig);
}

/* Those of a queue, or a connection, that is not for it. */
static void consumers_of_the_cpu_refuse(void **state)
{
	struct rig *rig = *state;
	struct doca_ctx *ctx;

	assert_ok(doca_comch_msgq_start(rig->msgq));
	add_completion(rig, true);
	assert_ok(doca_comch_msgq_consumer_create(rig->msgq, &rig->consumer));
	ctx = doca_comch_consumer_as_ctx(rig->consumer);
	assert_err(doca_ctx_set_datapath_on_dpa(ctx, &dpa), NOT_SUPPORTED);
	assert_err(doca_comch_consumer_set_completion(rig->consumer, rig->completion, 0),
		   NOT_SUPPORTED);
	assert_err(doca_comch_consumer_set_dev_max_num_recv(rig->consumer, 1), NOT_SUPPORTED);
	finish(rig);
}

static void start_needs_the_data_path_there(void **state)
{
	struct rig *rig = *state;
	struct doca_ctx *ctx;

	begin(rig);
	start_completion(rig, 4);
	assert_ok(doca_comch_msgq_consumer_create(rig->msgq, &rig->consumer));
	ctx = doca_comch_consumer_as_ctx(rig->consumer);
	assert_ok(doca_comch_consumer_set_completion(rig->consumer, rig->completion, 0));
	assert_err(doca_ctx_start(ctx), BAD_STATE);
	assert_ok(doca_pe_connect_ctx(rig->pe, ctx));
	assert_err(doca_ctx_start(ctx), BAD_STATE);
	assert_ok(doca_ctx_set_datapath_on_dpa(ctx, &dpa)); /* after the completion */
	assert_ok(doca_ctx_start(ctx));
	assert_ok(doca_ctx_stop(ctx));
	finish(rig);
}

static void the_data_path_is_on_the_same_device(void **state)
{
	struct rig *rig = *state;
	struct doca_dpa other = {.dev = open_dev("03:00.1"), .is_started = true};
	struct doca_ctx *ctx;

	begin(rig);
	ctx = create(rig);
	assert_err(doca_ctx_set_datapath_on_dpa(ctx, &other), INVALID_VALUE);
	dpa.is_started = false;
	assert_err(doca_ctx_set_datapath_on_dpa(ctx, &dpa), BAD_STATE);
	dpa.is_started = true;
	assert_int_equal(dpa.attached, 2); /* the queue, and what was set before */
	assert_ok(doca_ctx_set_datapath_on_dpa(ctx, &dpa));
	assert_int_equal(dpa.attached, 2);
	finish(rig);
	assert_int_equal(dpa.attached, 1);
	assert_ok(doca_dev_close(other.dev));
}

static void start_needs_a_completion_that_is_started(void **state)
{
	struct rig *rig = *state;
	struct doca_ctx *ctx;
	uint64_t handle;

	begin(rig);
	ctx = create(rig);
	assert_err(doca_ctx_start(ctx), BAD_STATE);
	assert_ok(doca_comch_consumer_set_completion(rig->consumer, rig->completion, 0));
	assert_err(doca_ctx_start(ctx), BAD_STATE);
	start_completion(rig, 4);
	assert_ok(doca_ctx_start(ctx));
	assert_err(doca_comch_consumer_set_completion(rig->consumer, rig->completion, 0),
		   BAD_STATE);
	assert_err(doca_comch_consumer_set_dev_max_num_recv(rig->consumer, 1), BAD_STATE);
	assert_ok(doca_comch_consumer_get_dpa_handle(rig->consumer, &handle));
	assert_ok(doca_ctx_stop(ctx));
	assert_err(doca_comch_consumer_get_dpa_handle(rig->consumer, &handle), BAD_STATE);
	finish(rig);
}

static void start_checks_the_completions_numbers(void **state)
{
	struct rig *rig = *state;
	struct doca_comch_consumer *second;
	struct doca_ctx *ctx;
	uint32_t imm_len;

	assert_ok(doca_comch_msgq_set_max_num_consumers(rig->msgq, 2));
	begin(rig);
	assert_ok(doca_comch_consumer_completion_set_max_num_consumers(rig->completion, 1));
	assert_ok(doca_comch_consumer_completion_set_imm_data_len(rig->completion, 8));
	start_completion(rig, 4);
	ctx = create(rig);
	assert_ok(doca_comch_consumer_set_completion(rig->consumer, rig->completion, 0));
	assert_ok(doca_comch_consumer_set_imm_data_len(rig->consumer, 9));
	assert_err(doca_ctx_start(ctx), INVALID_VALUE);
	assert_ok(doca_comch_consumer_set_imm_data_len(rig->consumer, 8));
	assert_ok(doca_ctx_start(ctx));
	second = rig->consumer;
	ctx = create(rig);
	assert_ok(doca_comch_consumer_set_completion(rig->consumer, rig->completion, 0));
	assert_err(doca_ctx_start(ctx), NO_MEMORY);
	assert_ok(doca_ctx_stop(doca_comch_consumer_as_ctx(second)));
	assert_ok(doca_ctx_start(ctx));
	assert_ok(doca_comch_consumer_get_imm_data_len(rig->consumer, &imm_len));
	assert_int_equal(imm_len, 8); /* it was not set */
	assert_ok(doca_ctx_stop(ctx));
	assert_ok(doca_comch_consumer_destroy(second));
	finish(rig);
}

/* a consumer of another queue, which is on that DPA */
static void add_queue_on(const struct rig *rig, struct doca_dpa *other,
			 struct doca_comch_msgq **ret_queue,
			 struct doca_comch_consumer **ret_consumer)
{
	assert_ok(doca_comch_msgq_create(rig->dev, ret_queue));
	assert_ok(doca_comch_msgq_set_dpa_consumer(*ret_queue, other));
	assert_ok(doca_comch_msgq_start(*ret_queue));
	assert_ok(doca_comch_msgq_consumer_create(*ret_queue, ret_consumer));
	assert_ok(doca_ctx_set_datapath_on_dpa(doca_comch_consumer_as_ctx(*ret_consumer), other));
}

/* Who takes what is in the ring is one engine. */
static void without_a_thread_its_consumers_are_on_one_dpa(void **state)
{
	struct rig *rig = *state;
	struct doca_dpa other = {.dev = rig->dev, .is_started = true};
	struct doca_comch_consumer *consumer;
	struct doca_comch_msgq *queue;
	struct doca_ctx *ctx;

	engine_init(&other.engine);
	assert_ok(doca_comch_msgq_set_dpa_consumer(rig->msgq, &dpa));
	assert_ok(doca_comch_msgq_start(rig->msgq));
	add_completion(rig, false);
	start_completion(rig, 4);
	seen.get_engine_answer = DOCA_ERROR_NO_MEMORY;
	ctx = create(rig);
	assert_ok(doca_comch_consumer_set_completion(rig->consumer, rig->completion, 0));
	assert_err(doca_ctx_start(ctx), NO_MEMORY);
	seen.get_engine_answer = DOCA_SUCCESS;
	assert_ok(doca_ctx_start(ctx));
	add_queue_on(rig, &other, &queue, &consumer);
	assert_ok(doca_comch_consumer_set_completion(consumer, rig->completion, 0));
	assert_err(doca_ctx_start(doca_comch_consumer_as_ctx(consumer)), INVALID_VALUE);
	assert_ok(doca_comch_consumer_destroy(consumer));
	assert_ok(doca_comch_msgq_stop(queue));
	assert_ok(doca_comch_msgq_destroy(queue));
	assert_ok(doca_ctx_stop(ctx));
	finish(rig);
	assert_int_equal(other.attached, 0);
	engine_fini(&other.engine);
}

static void ignore(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		   union doca_data ctx_data)
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
}

static void the_program_has_no_tasks(void **state)
{
	struct rig *rig = *state;
	struct doca_comch_consumer_task_post_recv *task;

	begin(rig);
	start_completion(rig, 4);
	rig->consumer = new_dpa_consumer(rig, 4);
	assert_err(doca_comch_consumer_task_post_recv_set_conf(rig->consumer, ignore, ignore, 1),
		   NOT_SUPPORTED);
	assert_err(doca_comch_consumer_task_post_recv_alloc_init(rig->consumer, NULL, &task),
		   BAD_STATE);
	assert_ok(doca_ctx_stop(doca_comch_consumer_as_ctx(rig->consumer)));
	finish(rig);
}

/* Nothing of the last run is left, and another depth counts from then on. */
static void it_can_run_again(void **state)
{
	struct rig *rig = *state;
	struct doca_ctx *ctx;

	run_to_dpa(rig, 4, 4);
	ctx = doca_comch_consumer_as_ctx(rig->consumer);
	doca_dpa_dev_comch_consumer_ack(rig->consumer_handle, 4);
	cpu_send(rig, 1, 1);
	assert_ok(doca_ctx_stop(ctx)); /* the message comes nevertheless */
	expect_message(rig, 1);
	give_back(rig, 1);
	assert_ok(doca_comch_consumer_set_dev_max_num_recv(rig->consumer, 2));
	assert_ok(doca_ctx_start(ctx));
	doca_dpa_dev_comch_consumer_ack(rig->consumer_handle, 4); /* 2, that is */
	for (uint32_t i = 0; i < 4; i++)
		cpu_send(rig, i, 1);
	drive(&thread.engine);
	progress(rig);
	assert_int_equal(rig->sent, 3);
	expect_message(rig, 0);
	expect_message(rig, 1);
	expect_none(rig);
	end(rig);
	assert_int_equal(rig->failed, 2);
}

static unsigned int states_seen;

static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
		     enum doca_ctx_states prev, enum doca_ctx_states next)
{
	struct rig *rig = user_data.ptr;

	(void)ctx;
	states_seen++;
	if (next == DOCA_CTX_STATE_IDLE) {
		assert_int_equal(prev, DOCA_CTX_STATE_RUNNING);
		assert_ok(doca_comch_consumer_destroy(rig->consumer));
		rig->consumer = NULL;
	}
}

static void it_may_be_destroyed_in_its_callback(void **state)
{
	struct rig *rig = *state;
	struct doca_ctx *ctx;

	states_seen = 0;
	begin(rig);
	start_completion(rig, 4);
	ctx = create(rig);
	assert_ok(doca_comch_consumer_set_completion(rig->consumer, rig->completion, 0));
	assert_ok(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = rig}));
	assert_ok(doca_ctx_set_state_changed_cb(ctx, on_state));
	assert_ok(doca_ctx_start(ctx));
	assert_ok(doca_comch_consumer_get_dpa_handle(rig->consumer, &rig->consumer_handle));
	doca_dpa_dev_comch_consumer_ack(rig->consumer_handle, 4);
	assert_ok(doca_ctx_stop(ctx));
	assert_int_equal(states_seen, 2);
	assert_null(rig->consumer);
	assert_ok(doca_comch_msgq_stop(rig->msgq));
	assert_ok(doca_comch_consumer_completion_stop(rig->completion));
	assert_ok(doca_comch_consumer_completion_destroy(rig->completion));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(setters_check_their_arguments),
		TEST(consumers_of_the_cpu_refuse),
		TEST(start_needs_the_data_path_there),
		TEST(the_data_path_is_on_the_same_device),
		TEST(start_needs_a_completion_that_is_started),
		TEST(start_checks_the_completions_numbers),
		TEST(without_a_thread_its_consumers_are_on_one_dpa),
		TEST(the_program_has_no_tasks),
		TEST(it_can_run_again),
		TEST(it_may_be_destroyed_in_its_callback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
