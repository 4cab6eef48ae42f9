/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sync events on a work queue, as programs of releases up to 2.2 use them.
 */
#define DOCA_LEGACY_2_2
#include "test.h"

#include <poll.h>
#include <stdlib.h>
#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_sync_event.h"
#include "doca_workq.h"
#include "leak.h"

struct rig {
	struct leak before;
	struct doca_dev *dev;
	struct doca_sync_event *event;
	struct doca_ctx *ctx;
	struct doca_workq *workq;
	struct doca_event done;
};

static struct doca_dev *open_first(void)
{
	struct doca_devinfo **list;
	struct doca_dev *dev;
	uint32_t count;

	assert_ok(doca_devinfo_list_create(&list, &count));
	assert_ok(doca_sync_event_get_create_from_export_supported(list[0]));
	assert_ok(doca_sync_event_get_export_to_dpu_supported(list[0]));
	assert_ok(doca_sync_event_job_get_supported(list[0], DOCA_SYNC_EVENT_JOB_WAIT_GT));
	assert_ok(doca_sync_event_job_get_supported(list[0], DOCA_SYNC_EVENT_JOB_UPDATE_ADD));
	assert_err(doca_sync_event_job_get_supported(list[0], (enum doca_sync_event_job_types)1),
		   NOT_SUPPORTED);
	assert_err(doca_sync_event_job_get_supported(NULL, DOCA_SYNC_EVENT_JOB_GET), INVALID_VALUE);
	assert_ok(doca_dev_open(list[0], &dev));
	assert_ok(doca_devinfo_list_destroy(list));
	return dev;
}

static int setup(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	assert_non_null(rig);
	rig->before = leak_count();
	rig->dev = open_first();
	assert_ok(doca_sync_event_create(&rig->event));
	assert_ok(doca_sync_event_publisher_add_location_cpu(rig->event, rig->dev));
	assert_ok(doca_sync_event_subscriber_add_location_cpu(rig->event, rig->dev));
	rig->ctx = doca_sync_event_as_ctx(rig->event);
	assert_err(doca_ctx_dev_add(rig->ctx, rig->dev), NOT_SUPPORTED);
	assert_ok(doca_ctx_start(rig->ctx));
	assert_ok(doca_workq_create(1, &rig->workq));
	assert_ok(doca_ctx_workq_add(rig->ctx, rig->workq));
	*state = rig;
	return 0;
}

static int teardown(void **state)
{
	struct rig *rig = *state;
	bool clean;

	assert_ok(doca_ctx_workq_rm(rig->ctx, rig->workq));
	assert_ok(doca_workq_destroy(rig->workq));
	assert_ok(doca_ctx_stop(rig->ctx));
	assert_ok(doca_sync_event_destroy(rig->event));
	assert_ok(doca_dev_close(rig->dev));
	clean = leak_check(&rig->before);
	free(rig);
	return clean ? 0 : -1;
}

/* Its event is the next one. */
static void expect_end(struct rig *rig, int type, uint64_t user_data)
{
	doca_error_t err;

	do
		err = doca_workq_progress_retrieve(rig->workq, &rig->done, 0);
	while (err == DOCA_ERROR_AGAIN);
	assert_ok(err);
	assert_int_equal(rig->done.type, type);
	assert_int_equal(rig->done.user_data.u64, user_data);
	assert_int_equal(rig->done.result.u64, DOCA_SUCCESS);
}

static void set(struct rig *rig, uint64_t value)
{
	const struct doca_sync_event_job_update_set job = {
		.base = {.type = DOCA_SYNC_EVENT_JOB_UPDATE_SET,
			 .ctx = rig->ctx,
			 .user_data = {.u64 = 5}},
		.value = value};

	assert_ok(doca_workq_submit(rig->workq, &job.base));
	expect_end(rig, DOCA_SYNC_EVENT_JOB_UPDATE_SET, 5);
}

static uint64_t get(struct rig *rig)
{
	uint64_t fetched = 0;
	const struct doca_sync_event_job_get job = {
		.base = {.type = DOCA_SYNC_EVENT_JOB_GET, .ctx = rig->ctx, .user_data = {.u64 = 6}},
		.fetched = &fetched};

	assert_ok(doca_workq_submit(rig->workq, &job.base));
	expect_end(rig, DOCA_SYNC_EVENT_JOB_GET, 6);
	return fetched;
}

static void jobs_read_and_change_the_counter(void **state)
{
	struct rig *rig = *state;
	uint64_t before = 0;
	struct doca_sync_event_job_update_add job = {
		.base = {.type = DOCA_SYNC_EVENT_JOB_UPDATE_ADD,
			 .ctx = rig->ctx,
			 .user_data = {.u64 = 7}},
		.value = 3,
		.fetched = &before};

	set(rig, 40);
	assert_ok(doca_workq_submit(rig->workq, &job.base));
	expect_end(rig, DOCA_SYNC_EVENT_JOB_UPDATE_ADD, 7);
	assert_int_equal(before, 40);
	job.fetched = NULL;
	assert_ok(doca_workq_submit(rig->workq, &job.base));
	expect_end(rig, DOCA_SYNC_EVENT_JOB_UPDATE_ADD, 7);
	assert_int_equal(get(rig), 46);
}

static void waits_end_when_the_counter_has_passed(void **state)
{
	struct rig *rig = *state;
	const struct doca_sync_event_job_wait job = {.base = {.type = DOCA_SYNC_EVENT_JOB_WAIT_GT,
							      .ctx = rig->ctx,
							      .user_data = {.u64 = 8}},
						     .value = 4,
						     .mask = 0xff};
	doca_event_handle_t handle;
	struct pollfd pollfd;

	set(rig, 0x104);
	assert_ok(doca_workq_submit(rig->workq, &job.base));
	assert_err(doca_workq_progress_retrieve(rig->workq, &rig->done, 0), AGAIN);
	assert_err(doca_ctx_workq_rm(rig->ctx, rig->workq), IN_USE);
	assert_ok(doca_workq_get_event_handle(rig->workq, &handle));
	assert_ok(doca_workq_event_handle_arm(rig->workq));
	pollfd = (struct pollfd){.fd = handle, .events = POLLIN};
	assert_int_equal(poll(&pollfd, 1, 0), 0);
	assert_ok(doca_sync_event_update_set(rig->event, 5)); /* not by the queue */
	assert_int_equal(poll(&pollfd, 1, -1), 1);
	assert_ok(doca_workq_event_handle_clear(rig->workq, handle));
	expect_end(rig, DOCA_SYNC_EVENT_JOB_WAIT_GT, 8);
}

static void wrong_jobs_are_refused(void **state)
{
	struct rig *rig = *state;
	struct doca_sync_event_job_get job = {
		.base = {.type = DOCA_SYNC_EVENT_JOB_UPDATE_ADD + 1, .ctx = rig->ctx}};
	struct doca_workq *other;

	assert_err(doca_workq_submit(rig->workq, &job.base), NOT_SUPPORTED);
	job.base.type = DOCA_SYNC_EVENT_JOB_GET;
	assert_err(doca_workq_submit(rig->workq, &job.base), INVALID_VALUE);
	assert_ok(doca_workq_create(1, &other));
	assert_err(doca_ctx_workq_add(rig->ctx, other), NOT_SUPPORTED);
	assert_ok(doca_workq_destroy(other));
	assert_int_equal(get(rig), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(jobs_read_and_change_the_counter),
		TEST(waits_end_when_the_counter_has_passed),
		TEST(wrong_jobs_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
