/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Producers on a DPA, as the program sees them: what they need to start, that they stop at once,
 * and that they have no tasks.
 */
#include "test.h"

#include "fake_dpa.h"

static struct doca_ctx *create(struct rig *rig)
{
	assert_ok(doca_comch_msgq_producer_create(rig->msgq, &rig->producer));
	return doca_comch_producer_as_ctx(rig->producer);
}

static void begin(struct rig *rig)
{
	assert_ok(doca_comch_msgq_set_dpa_producer(rig->msgq, &dpa));
	assert_ok(doca_comch_msgq_start(rig->msgq));
}

static void finish(struct rig *rig)
{
	assert_ok(doca_comch_producer_destroy(rig->producer));
	assert_ok(doca_comch_msgq_stop(rig->msgq));
}

static void setters_check_their_arguments(void **state)
{
	struct rig *rig = *state;
	uint64_t handle;

	begin(rig);
	create(rig);
	assert_err(doca_comch_producer_set_dev_max_num_send(NULL, 1), INVALID_VALUE);
	assert_err(doca_comch_producer_set_dev_max_num_send(rig->producer, 0), INVALID_VALUE);
	assert_err(doca_comch_producer_set_dev_max_num_send(rig->producer, UINT32_MAX),
		   INVALID_VALUE);
	assert_ok(doca_comch_producer_set_dev_num_send(rig->producer, 3));
	assert_err(doca_comch_producer_dpa_completion_attach(NULL, &reports), INVALID_VALUE);
	assert_err(doca_comch_producer_dpa_completion_attach(rig->producer, NULL), INVALID_VALUE);
	assert_err(doca_comch_producer_get_dpa_handle(NULL, &handle), INVALID_VALUE);
	assert_err(doca_comch_producer_get_dpa_handle(rig->producer, NULL), INVALID_VALUE);
	assert_err(doca_comch_producer_get_dpa_handle(rig->producer, &handle), BAD_STATE);
	finish(rig);
}

static void producers_of_the_cpu_refuse(void **state)
{
	struct rig *rig = *state;
	struct doca_ctx *ctx;

	assert_ok(doca_comch_msgq_start(rig->msgq));
	ctx = create(rig);
	assert_err(doca_ctx_set_datapath_on_dpa(ctx, &dpa), NOT_SUPPORTED);
	assert_err(doca_comch_producer_set_dev_max_num_send(rig->producer, 1), NOT_SUPPORTED);
	assert_err(doca_comch_producer_dpa_completion_attach(rig->producer, &reports),
		   NOT_SUPPORTED);
	finish(rig);
}

static void start_needs_the_data_path_there(void **state)
{
	struct rig *rig = *state;
	struct doca_dpa other = {.dev = open_dev("03:00.1"), .is_started = true};
	struct doca_ctx *ctx;
	uint64_t handle;

	begin(rig);
	ctx = create(rig);
	assert_ok(doca_pe_connect_ctx(rig->pe, ctx));
	assert_err(doca_ctx_start(ctx), BAD_STATE);
	assert_err(doca_ctx_set_datapath_on_dpa(ctx, &other), INVALID_VALUE);
	assert_ok(doca_ctx_set_datapath_on_dpa(ctx, &dpa));
	seen.get_engine_answer = DOCA_ERROR_FULL;
	assert_err(doca_ctx_start(ctx), INITIALIZATION);
	seen.get_engine_answer = DOCA_SUCCESS;
	assert_ok(doca_ctx_start(ctx));
	assert_err(doca_comch_producer_set_dev_max_num_send(rig->producer, 1), BAD_STATE);
	assert_err(doca_comch_producer_dpa_completion_attach(rig->producer, &reports), BAD_STATE);
	assert_ok(doca_comch_producer_get_dpa_handle(rig->producer, &handle));
	assert_ok(doca_ctx_stop(ctx));
	assert_err(doca_comch_producer_get_dpa_handle(rig->producer, &handle), BAD_STATE);
	finish(rig);
	assert_ok(doca_dev_close(other.dev));
}

static void its_completion_must_be_started_when_it_is(void **state)
{
	struct rig *rig = *state;
	struct doca_ctx *ctx;

	begin(rig);
	ctx = create(rig);
	assert_ok(doca_ctx_set_datapath_on_dpa(ctx, &dpa));
	reports.is_started = false;
	assert_ok(doca_comch_producer_dpa_completion_attach(rig->producer, &reports));
	assert_int_equal(reports.attached, 0);
	assert_err(doca_ctx_start(ctx), BAD_STATE);
	reports.is_started = true;
	assert_ok(doca_ctx_start(ctx));
	assert_int_equal(reports.attached, 1);
	assert_ok(doca_ctx_stop(ctx));
	assert_int_equal(reports.attached, 0);
	finish(rig);
}

static void ignore(struct doca_comch_producer_task_send *task, union doca_data task_data,
		   union doca_data ctx_data)
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
}

static void the_program_has_no_tasks(void **state)
{
	struct rig *rig = *state;
	struct doca_comch_producer_task_send *task;
	uint8_t imm[4] = {0};

	begin(rig);
	add_dpa_producer(rig, 4);
	assert_err(doca_comch_producer_task_send_set_conf(rig->producer, ignore, ignore, 1),
		   NOT_SUPPORTED);
	assert_err(doca_comch_producer_task_send_alloc_init(rig->producer, NULL, imm, 4, 1, &task),
		   BAD_STATE);
	assert_ok(doca_ctx_stop(doca_comch_producer_as_ctx(rig->producer)));
	finish(rig);
}

/* They fail, and the next run begins with nothing in flight. */
static void it_stops_with_what_waits(void **state)
{
	struct rig *rig = *state;
	struct doca_ctx *ctx;

	run_from_dpa(rig, 2);
	ctx = doca_comch_producer_as_ctx(rig->producer);
	for (unsigned int run = 0; run < 2; run++) {
		dpa_send(rig, 1, DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS);
		dpa_send(rig, 2, DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
		assert_int_equal(reports.pushed, 2 * run);
		assert_ok(doca_ctx_stop(ctx));
		assert_int_equal(reports.pushed, 2 * run + 2);
		assert_int_equal(reports.status, DOCA_ERROR_IO_FAILED);
		dpa_send(rig, 3, DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH); /* nobody hears it */
		assert_ok(doca_ctx_start(ctx));
	}
	assert_int_equal(reports.pushed, 4);
	cpu_post(rig, 2);
	progress(rig);
	assert_int_equal(rig->received, 0);
	end(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(setters_check_their_arguments),
		TEST(producers_of_the_cpu_refuse),
		TEST(start_needs_the_data_path_there),
		TEST(its_completion_must_be_started_when_it_is),
		TEST(the_program_has_no_tasks),
		TEST(it_stops_with_what_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
