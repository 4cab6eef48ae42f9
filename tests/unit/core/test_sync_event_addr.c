/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sync events whose counter is in memory of the program's.
 */
#include <pthread.h>
#include <stdatomic.h>
#include "memtest.h"
#include "doca_ctx.h"
#include "doca_pe.h"
#include "doca_sync_event.h"
#include "readable.h"

struct rig {
	struct doca_dev *dev;
	struct doca_sync_event *events[2];
	_Atomic uint64_t counter;
	unsigned int done;
};

static int set_up(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	rig->dev = open_dev("b1:00.0");
	for (int i = 0; i < 2; i++) {
		assert_ok(doca_sync_event_create(&rig->events[i]));
		assert_ok(doca_sync_event_add_publisher_location_cpu(rig->events[i], rig->dev));
		assert_ok(doca_sync_event_add_subscriber_location_cpu(rig->events[i], rig->dev));
	}
	*state = rig;
	return 0;
}

static int tear_down(void **state)
{
	struct rig *rig = *state;

	for (int i = 0; i < 2; i++)
		assert_ok(doca_sync_event_destroy(rig->events[i]));
	assert_ok(doca_dev_close(rig->dev));
	free(rig);
	return 0;
}

static uint64_t *place(struct rig *rig)
{
	return (uint64_t *)&rig->counter;
}

static void start(struct rig *rig)
{
	for (int i = 0; i < 2; i++) {
		assert_ok(doca_sync_event_set_addr(rig->events[i], place(rig)));
		assert_ok(doca_sync_event_start(rig->events[i]));
	}
}

static void stop_rig(struct rig *rig)
{
	for (int i = 0; i < 2; i++)
		assert_ok(doca_sync_event_stop(rig->events[i]));
}

static void only_sound_addresses_are_taken(void **state)
{
	struct rig *rig = *state;
	struct doca_sync_event *event = rig->events[0];
	uint64_t *crooked = (uint64_t *)(void *)((char *)place(rig) + 4);

	assert_err(doca_sync_event_set_addr(NULL, place(rig)), INVALID_VALUE);
	assert_err(doca_sync_event_set_addr(event, NULL), INVALID_VALUE);
	assert_err(doca_sync_event_set_addr(event, crooked), INVALID_VALUE);
	assert_ok(doca_sync_event_start(event));
	assert_err(doca_sync_event_set_addr(event, place(rig)), BAD_STATE);
	assert_ok(doca_sync_event_update_set(event, 3));
	assert_ok(doca_sync_event_stop(event));
	assert_int_equal(atomic_load(&rig->counter), 0);
}

static void there_are_no_events_in_buffers(void **state)
{
	struct rig *rig = *state;
	struct doca_sync_event *event = rig->events[0];
	struct doca_buf *buf = (struct doca_buf *)rig; /* some address */

	assert_err(doca_sync_event_set_doca_buf(NULL, buf), INVALID_VALUE);
	assert_err(doca_sync_event_set_doca_buf(event, NULL), INVALID_VALUE);
	assert_err(doca_sync_event_set_doca_buf(event, buf), NOT_SUPPORTED);
	assert_ok(doca_sync_event_start(event));
	assert_err(doca_sync_event_set_doca_buf(event, buf), BAD_STATE);
	assert_ok(doca_sync_event_stop(event));
}

static void imports_have_the_exporters_counter(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *buf = (struct doca_buf *)rig; /* some address */
	struct doca_sync_event *import;
	const uint8_t *blob;
	size_t size;

	assert_ok(doca_sync_event_add_subscriber_location_remote_pci(rig->events[0]));
	assert_ok(doca_sync_event_start(rig->events[0]));
	assert_ok(doca_sync_event_export_to_remote_pci(rig->events[0], rig->dev, &blob, &size));
	assert_ok(doca_sync_event_create_from_export(rig->dev, blob, size, &import));
	assert_err(doca_sync_event_set_addr(import, place(rig)), NOT_PERMITTED);
	assert_err(doca_sync_event_set_doca_buf(import, buf), NOT_PERMITTED);
	assert_ok(doca_sync_event_destroy(import));
	assert_ok(doca_sync_event_stop(rig->events[0]));
}

static void the_other_side_does_not_reach_it(void **state)
{
	struct rig *rig = *state;
	struct doca_sync_event *event = rig->events[0];
	struct doca_ctx *ctx = doca_sync_event_as_ctx(rig->events[1]);
	struct doca_pe *pe;

	assert_ok(doca_sync_event_add_publisher_location_remote_pci(event));
	assert_ok(doca_sync_event_set_addr(event, place(rig)));
	assert_err(doca_sync_event_start(event), NOT_SUPPORTED);

	assert_ok(doca_pe_create(&pe));
	assert_ok(doca_pe_connect_ctx(pe, ctx));
	assert_ok(doca_sync_event_set_addr(rig->events[1], place(rig)));
	assert_ok(doca_sync_event_add_publisher_location_remote_pci(rig->events[1]));
	assert_err(doca_ctx_start(ctx), NOT_SUPPORTED);
	assert_ok(doca_sync_event_destroy(rig->events[1]));
	assert_ok(doca_pe_destroy(pe));
	assert_ok(doca_sync_event_create(&rig->events[1]));
}

static void events_of_one_address_have_one_counter(void **state)
{
	struct rig *rig = *state;
	uint64_t value;

	atomic_store(&rig->counter, 40);
	start(rig);
	assert_ok(doca_sync_event_get(rig->events[1], &value));
	assert_int_equal(value, 40); /* what was there */
	assert_ok(doca_sync_event_update_add(rig->events[0], 2, &value));
	assert_int_equal(value, 40);
	assert_int_equal(atomic_load(&rig->counter), 42);
	assert_ok(doca_sync_event_wait_eq(rig->events[1], 42, UINT64_MAX));
	assert_ok(doca_sync_event_update_set(rig->events[1], 1));
	assert_ok(doca_sync_event_wait_neq_yield(rig->events[0], 42, UINT64_MAX));
	stop_rig(rig);
	assert_int_equal(atomic_load(&rig->counter), 1);
}

static void *wait_for_five(void *arg)
{
	struct rig *rig = arg;

	assert_ok(doca_sync_event_wait_eq_yield(rig->events[0], 5, UINT64_MAX));
	return NULL;
}

static void plain_stores_end_waits(void **state)
{
	struct rig *rig = *state;
	pthread_t thread;

	start(rig);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_five, rig), 0);
	atomic_store(&rig->counter, 5);
	assert_int_equal(pthread_join(thread, NULL), 0);
	stop_rig(rig);
}

static void count_done(struct doca_sync_event_task_wait_gt *task, union doca_data user_data,
		       union doca_data ctx_user_data)
{
	(void)task, (void)user_data;
	((struct rig *)ctx_user_data.ptr)->done++;
}

static void an_engine_that_waits_for_it_does_not_sleep(void **state)
{
	struct rig *rig = *state;
	struct doca_ctx *ctx = doca_sync_event_as_ctx(rig->events[0]);
	struct doca_sync_event_task_wait_gt *task;
	struct doca_pe *pe;

	assert_ok(doca_pe_create(&pe));
	assert_ok(doca_pe_connect_ctx(pe, ctx));
	assert_ok(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = rig}));
	assert_ok(doca_sync_event_set_addr(rig->events[0], place(rig)));
	assert_ok(doca_sync_event_task_wait_gt_set_conf(rig->events[0], count_done, count_done, 1));
	assert_ok(doca_ctx_start(ctx));
	assert_ok(doca_sync_event_task_wait_gt_alloc_init(rig->events[0], 6, UINT64_MAX,
							  (union doca_data){0}, &task));
	assert_ok(doca_task_submit(doca_sync_event_task_wait_gt_as_doca_task(task)));
	assert_int_equal(doca_pe_progress(pe), 0);
	assert_ok(doca_pe_request_notification(pe));
	assert_true(pe_is_readable(pe)); /* nobody will tell it */
	assert_ok(doca_pe_clear_notification(pe, 0));
	assert_int_equal(rig->done, 0);
	atomic_store(&rig->counter, 7);
	while (!rig->done)
		doca_pe_progress(pe);
	doca_task_free(doca_sync_event_task_wait_gt_as_doca_task(task));
	assert_ok(doca_ctx_stop(ctx));
	assert_ok(doca_sync_event_destroy(rig->events[0]));
	assert_ok(doca_pe_destroy(pe));
	assert_ok(doca_sync_event_create(&rig->events[0]));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(only_sound_addresses_are_taken),
		TEST(there_are_no_events_in_buffers),
		TEST(imports_have_the_exporters_counter),
		TEST(the_other_side_does_not_reach_it),
		TEST(events_of_one_address_have_one_counter),
		TEST(plain_stores_end_waits),
		TEST(an_engine_that_waits_for_it_does_not_sleep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
