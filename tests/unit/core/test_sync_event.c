/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sync events: locations, start and stop, the counter, export and import.
 */
#include "memtest.h"
#include "child.h"
#include "doca_ctx.h"
#include "doca_pe.h"
#include "doca_sync_event.h"

struct rig {
	struct doca_dev *dev;
	struct doca_sync_event *event;
};

static int set_up(void **state)
{
	struct rig *rig = malloc(sizeof(*rig));

	rig->dev = open_dev("b1:00.0");
	assert_ok(doca_sync_event_create(&rig->event));
	*state = rig;
	return 0;
}

/* Closing the device fails if an event still uses it. */
static int tear_down(void **state)
{
	struct rig *rig = *state;

	assert_ok(doca_sync_event_destroy(rig->event));
	assert_ok(doca_dev_close(rig->dev));
	free(rig);
	return 0;
}

static void start(struct rig *rig)
{
	assert_ok(doca_sync_event_add_publisher_location_remote_pci(rig->event));
	assert_ok(doca_sync_event_add_subscriber_location_cpu(rig->event, rig->dev));
	assert_ok(doca_sync_event_start(rig->event));
}

static uint64_t counter(struct doca_sync_event *event)
{
	uint64_t value = 0xbad;

	assert_ok(doca_sync_event_get(event, &value));
	return value;
}

static void null_is_refused(void **state)
{
	struct rig *rig = *state;
	struct doca_sync_event_remote_net *net;
	struct doca_sync_event *event;
	const uint8_t *blob;
	uint8_t byte = 0;
	size_t size;

	assert_err(doca_sync_event_create(NULL), INVALID_VALUE);
	assert_err(doca_sync_event_destroy(NULL), INVALID_VALUE);
	assert_err(doca_sync_event_start(NULL), INVALID_VALUE);
	assert_err(doca_sync_event_stop(NULL), INVALID_VALUE);
	assert_null(doca_sync_event_as_ctx(NULL));
	assert_err(doca_sync_event_add_publisher_location_cpu(rig->event, NULL), INVALID_VALUE);
	assert_err(doca_sync_event_add_publisher_location_cpu(NULL, rig->dev), INVALID_VALUE);
	assert_err(doca_sync_event_add_subscriber_location_cpu(rig->event, NULL), INVALID_VALUE);
	assert_err(doca_sync_event_add_publisher_location_remote_pci(NULL), INVALID_VALUE);
	assert_err(doca_sync_event_add_subscriber_location_remote_pci(NULL), INVALID_VALUE);
	assert_err(doca_sync_event_add_publisher_location_dpa(rig->event, NULL), INVALID_VALUE);
	assert_err(doca_sync_event_get(rig->event, NULL), INVALID_VALUE);
	assert_err(doca_sync_event_update_add(NULL, 1, NULL), INVALID_VALUE);
	assert_err(doca_sync_event_update_set(NULL, 1), INVALID_VALUE);
	assert_err(doca_sync_event_wait_gt(NULL, 1, 1), INVALID_VALUE);
	assert_err(doca_sync_event_export_to_remote_pci(rig->event, NULL, &blob, &size),
		   INVALID_VALUE);
	assert_err(doca_sync_event_export_to_remote_pci(rig->event, rig->dev, NULL, &size),
		   INVALID_VALUE);
	assert_err(doca_sync_event_remote_net_create_from_export(NULL, &byte, 1, &net),
		   INVALID_VALUE);
	assert_err(doca_sync_event_remote_net_create_from_export(rig->dev, &byte, 0, &net),
		   INVALID_VALUE);
	assert_err(doca_sync_event_remote_net_destroy(NULL), INVALID_VALUE);
	assert_err(doca_sync_event_remote_net_get_dpa_handle(NULL, NULL, NULL), INVALID_VALUE);
	assert_err(doca_sync_event_remote_net_get_gpu_handle(NULL, NULL, NULL), INVALID_VALUE);
	assert_err(doca_sync_event_cap_task_wait_eq_is_supported(NULL), INVALID_VALUE);

	start(rig); /* what is refused must be right but for that */
	assert_ok(doca_sync_event_export_to_remote_pci(rig->event, rig->dev, &blob, &size));
	assert_err(doca_sync_event_create_from_export(NULL, blob, size, &event), INVALID_VALUE);
	assert_err(doca_sync_event_create_from_export(rig->dev, NULL, size, &event), INVALID_VALUE);
	assert_err(doca_sync_event_create_from_export(rig->dev, blob, 0, &event), INVALID_VALUE);
	assert_err(doca_sync_event_create_from_export(rig->dev, blob, size, NULL), INVALID_VALUE);
}

static void somebody_must_change_it_and_somebody_wait(void **state)
{
	struct rig *rig = *state;

	assert_err(doca_sync_event_start(rig->event), BAD_STATE);
	assert_ok(doca_sync_event_add_publisher_location_cpu(rig->event, rig->dev));
	assert_err(doca_sync_event_start(rig->event), BAD_STATE);
	assert_ok(doca_sync_event_add_subscriber_location_cpu(rig->event, rig->dev));
	assert_ok(doca_sync_event_start(rig->event));
	assert_err(doca_sync_event_start(rig->event), BAD_STATE);
	assert_ok(doca_sync_event_stop(rig->event));
	assert_err(doca_sync_event_stop(rig->event), BAD_STATE);
}

static void destroying_stops_it(void **state)
{
	struct rig *rig = *state;
	struct doca_sync_event *event;

	assert_ok(doca_sync_event_create(&event));
	assert_ok(doca_sync_event_add_publisher_location_cpu(event, rig->dev));
	assert_ok(doca_sync_event_add_subscriber_location_cpu(event, rig->dev));
	assert_ok(doca_sync_event_start(event));
	assert_ok(doca_sync_event_destroy(event));
}

static void locations_are_added_once_and_before_start(void **state)
{
	struct rig *rig = *state;

	assert_ok(doca_sync_event_add_publisher_location_cpu(rig->event, rig->dev));
	assert_err(doca_sync_event_add_publisher_location_cpu(rig->event, rig->dev), ALREADY_EXIST);
	assert_ok(doca_sync_event_add_publisher_location_remote_pci(rig->event));
	assert_err(doca_sync_event_add_publisher_location_remote_pci(rig->event), ALREADY_EXIST);
	assert_ok(doca_sync_event_add_subscriber_location_remote_pci(rig->event));
	assert_err(doca_sync_event_add_subscriber_location_remote_pci(rig->event), ALREADY_EXIST);
	assert_ok(doca_sync_event_start(rig->event));
	assert_err(doca_sync_event_add_subscriber_location_cpu(rig->event, rig->dev), BAD_STATE);
	assert_err(doca_sync_event_add_publisher_location_remote_net(rig->event), BAD_STATE);
	assert_ok(doca_sync_event_stop(rig->event));
	assert_ok(doca_sync_event_add_subscriber_location_cpu(rig->event, rig->dev));
}

static void other_locations_do_not_exist(void **state)
{
	struct rig *rig = *state;
	struct doca_devinfo *info = doca_dev_as_devinfo(rig->dev);
	/* Nothing of these kinds exists; the addresses only have to be some. */
	struct doca_dpa *dpa = (struct doca_dpa *)rig;
	struct doca_gpu *gpu = (struct doca_gpu *)rig;
	struct doca_sync_event_remote_net *net = (struct doca_sync_event_remote_net *)rig;
	doca_dpa_dev_sync_event_remote_net_t net_handle;
	doca_gpu_dev_sync_event_t *gpu_handle;
	const uint8_t *blob, byte = 0;
	size_t size;

	for (int twice = 0; twice < 2; twice++) {
		assert_err(doca_sync_event_add_publisher_location_gpu(rig->event, gpu),
			   NOT_SUPPORTED);
		assert_err(doca_sync_event_add_publisher_location_remote_net(rig->event),
			   NOT_SUPPORTED);
		assert_err(doca_sync_event_add_subscriber_location_gpu(rig->event, gpu),
			   NOT_SUPPORTED);
	}
	assert_err(doca_sync_event_get_gpu_handle(rig->event, gpu, &gpu_handle), NOT_SUPPORTED);
	assert_err(doca_sync_event_export_to_remote_net(rig->event, &blob, &size), NOT_SUPPORTED);
	assert_err(doca_sync_event_remote_net_get_dpa_handle(net, dpa, &net_handle), NOT_SUPPORTED);
	assert_err(doca_sync_event_remote_net_get_gpu_handle(net, gpu, &net_handle), NOT_SUPPORTED);
	assert_err(doca_sync_event_remote_net_create_from_export(rig->dev, &byte, 1, &net),
		   NOT_SUPPORTED);
	assert_err(doca_sync_event_cap_remote_net_is_export_to_dpa_supported(info), NOT_SUPPORTED);
	assert_err(doca_sync_event_cap_is_export_to_gpu_supported(info), NOT_SUPPORTED);
	assert_err(doca_sync_event_cap_is_export_to_gpu_supported(NULL), INVALID_VALUE);
	assert_err(doca_sync_event_cap_is_export_to_remote_net_supported(info), NOT_SUPPORTED);
	assert_err(doca_sync_event_cap_remote_net_is_create_from_export_supported(info),
		   NOT_SUPPORTED);
	assert_err(doca_sync_event_cap_remote_net_is_export_to_gpu_supported(info), NOT_SUPPORTED);
	assert_ok(doca_sync_event_cap_is_export_to_remote_pci_supported(info));
	assert_ok(doca_sync_event_cap_is_create_from_export_supported(info));
	assert_ok(doca_sync_event_cap_task_get_is_supported(info));
	assert_ok(doca_sync_event_cap_task_notify_set_is_supported(info));
	assert_ok(doca_sync_event_cap_task_notify_add_is_supported(info));
	assert_ok(doca_sync_event_cap_task_wait_gt_is_supported(info));
	assert_ok(doca_sync_event_cap_task_wait_eq_is_supported(info));
	assert_ok(doca_sync_event_cap_task_wait_neq_is_supported(info));
}

static void the_counter_needs_a_started_event(void **state)
{
	struct rig *rig = *state;
	uint64_t value = 0;

	assert_err(doca_sync_event_get(rig->event, &value), BAD_STATE);
	assert_err(doca_sync_event_update_set(rig->event, 1), BAD_STATE);
	assert_err(doca_sync_event_update_add(rig->event, 1, &value), BAD_STATE);
	assert_err(doca_sync_event_wait_eq(rig->event, 0, 0), BAD_STATE);
	start(rig);
	assert_int_equal(counter(rig->event), 0);
	assert_ok(doca_sync_event_update_add(rig->event, 7, &value));
	assert_int_equal(value, 0);
	assert_ok(doca_sync_event_update_add(rig->event, 1, NULL));
	assert_int_equal(counter(rig->event), 8);
	assert_ok(doca_sync_event_update_set(rig->event, 3));
	assert_int_equal(counter(rig->event), 3);
	assert_ok(doca_sync_event_stop(rig->event));
	assert_ok(doca_sync_event_start(rig->event));
	assert_int_equal(counter(rig->event), 0);
	assert_ok(doca_sync_event_stop(rig->event));
}

static void what_holds_already_is_not_waited_for(void **state)
{
	struct rig *rig = *state;

	start(rig);
	assert_ok(doca_sync_event_update_set(rig->event, 0x105));
	assert_ok(doca_sync_event_wait_gt(rig->event, 0x104, UINT64_MAX));
	assert_ok(doca_sync_event_wait_gt_yield(rig->event, 4, 0xff));
	assert_ok(doca_sync_event_wait_eq(rig->event, 5, 0xff));
	assert_ok(doca_sync_event_wait_eq_yield(rig->event, 0x105, UINT64_MAX));
	assert_ok(doca_sync_event_wait_neq(rig->event, 5, UINT64_MAX));
	assert_ok(doca_sync_event_wait_neq_yield(rig->event, 0x105, 0xff));
	assert_ok(doca_sync_event_stop(rig->event));
}

static void export_has_conditions(void **state)
{
	struct rig *rig = *state;
	const uint8_t *blob;
	size_t size;

	assert_ok(doca_sync_event_add_publisher_location_cpu(rig->event, rig->dev));
	assert_ok(doca_sync_event_add_subscriber_location_cpu(rig->event, rig->dev));
	assert_err(doca_sync_event_export_to_remote_pci(rig->event, rig->dev, &blob, &size),
		   BAD_STATE);
	assert_ok(doca_sync_event_start(rig->event));
	assert_err(doca_sync_event_export_to_remote_pci(rig->event, rig->dev, &blob, &size),
		   NOT_PERMITTED);
	assert_ok(doca_sync_event_stop(rig->event));
}

static void an_import_shares_the_counter(void **state)
{
	struct doca_pe *pe;
	struct rig *rig = *state;
	struct doca_sync_event *import;
	const uint8_t *blob;
	uint64_t value = 0;
	size_t size;

	start(rig);
	assert_ok(doca_sync_event_export_to_remote_pci(rig->event, rig->dev, &blob, &size));
	assert_ok(doca_sync_event_create_from_export(rig->dev, blob, size, &import));
	assert_err(doca_sync_event_add_publisher_location_cpu(import, rig->dev), NOT_PERMITTED);
	assert_err(doca_sync_event_add_publisher_location_remote_net(import), NOT_PERMITTED);
	assert_ok(doca_sync_event_start(import));
	assert_err(doca_sync_event_export_to_remote_pci(import, rig->dev, &blob, &size),
		   NOT_PERMITTED);
	assert_ok(doca_sync_event_update_set(import, 4));
	assert_int_equal(counter(rig->event), 4);
	assert_ok(doca_sync_event_update_add(rig->event, 1, &value));
	assert_int_equal(value, 4);
	assert_int_equal(counter(import), 5);
	assert_ok(doca_sync_event_stop(import));
	assert_ok(doca_sync_event_start(import));
	assert_int_equal(counter(import), 5); /* it is the exporter's */

	assert_ok(doca_sync_event_stop(rig->event));
	assert_err(doca_sync_event_get(import, &value), IO_FAILED);
	assert_err(doca_sync_event_update_set(import, 1), IO_FAILED);
	assert_err(doca_sync_event_update_add(import, 1, NULL), IO_FAILED);
	assert_err(doca_sync_event_wait_eq(import, 99, UINT64_MAX), IO_FAILED);
	assert_ok(doca_sync_event_stop(import));
	assert_err(doca_sync_event_start(import), DRIVER);
	assert_ok(doca_pe_create(&pe));
	assert_ok(doca_pe_connect_ctx(pe, doca_sync_event_as_ctx(import)));
	assert_err(doca_ctx_start(doca_sync_event_as_ctx(import)), DRIVER);
	assert_ok(doca_sync_event_destroy(import));
	assert_ok(doca_pe_destroy(pe));
}

static void wrong_blobs_are_refused(void **state)
{
	struct rig *rig = *state;
	struct doca_sync_event *import = NULL;
	const uint8_t *good;
	uint8_t blob[1024];
	size_t size;

	start(rig);
	assert_ok(doca_sync_event_export_to_remote_pci(rig->event, rig->dev, &good, &size));
	assert_true(size <= sizeof(blob));
	memcpy(blob, good, size);
	assert_err(doca_sync_event_create_from_export(rig->dev, blob, size - 1, &import),
		   INVALID_VALUE);
	blob[size / 2] ^= 4;
	assert_err(doca_sync_event_create_from_export(rig->dev, blob, size, &import),
		   INVALID_VALUE);
	blob[size / 2] ^= 4;
	assert_ok(doca_sync_event_stop(rig->event));
	assert_err(doca_sync_event_create_from_export(rig->dev, blob, size, &import), DRIVER);
	assert_null(import);
}

static void a_context_takes_the_place_of_start(void **state)
{
	struct rig *rig = *state;
	struct doca_ctx *ctx = doca_sync_event_as_ctx(rig->event);
	struct doca_pe *pe;

	assert_ok(doca_pe_create(&pe));
	assert_ok(doca_pe_connect_ctx(pe, ctx));
	assert_err(doca_ctx_start(ctx), INVALID_VALUE); /* nobody changes it */
	assert_ok(doca_sync_event_add_publisher_location_cpu(rig->event, rig->dev));
	assert_ok(doca_sync_event_add_subscriber_location_cpu(rig->event, rig->dev));
	assert_ok(doca_sync_event_start(rig->event));
	assert_err(doca_ctx_start(ctx), BAD_STATE);
	assert_ok(doca_sync_event_stop(rig->event));
	assert_ok(doca_ctx_start(ctx));
	assert_err(doca_sync_event_start(rig->event), BAD_STATE);
	assert_err(doca_sync_event_stop(rig->event), BAD_STATE);
	assert_err(doca_sync_event_destroy(rig->event), IN_USE);
	assert_ok(doca_sync_event_update_set(rig->event, 6));
	assert_int_equal(counter(rig->event), 6);
	assert_ok(doca_ctx_stop(ctx));
	assert_ok(doca_sync_event_destroy(rig->event));
	assert_ok(doca_pe_destroy(pe));
	assert_ok(doca_sync_event_create(&rig->event));
}

/* The other side of the official samples: waits for 1, then adds 1. */
static void answer(struct child *parent, void *arg)
{
	struct doca_dev *dev = open_dev("03:00.0");
	struct doca_sync_event *event;
	uint8_t blob[1024];
	size_t size;

	(void)arg;
	child_receive(parent, &size, sizeof(size));
	child_receive(parent, blob, size);
	if (doca_sync_event_create_from_export(dev, blob, size, &event) ||
	    doca_sync_event_start(event) || doca_sync_event_wait_eq(event, 1, UINT64_MAX) ||
	    doca_sync_event_update_add(event, 1, NULL) || doca_sync_event_stop(event) ||
	    doca_sync_event_destroy(event) || doca_dev_close(dev))
		_exit(1);
}

static void set_done(struct doca_sync_event_task_notify_set *task, union doca_data user_data,
		     union doca_data ctx_data)
{
	(void)task, (void)user_data;
	(*(unsigned int *)ctx_data.ptr)++;
}

/* It waits for what the program has of it: neither started nor to be started or configured. */
static void a_context_that_stops_stays_as_it_is(void **state)
{
	struct doca_sync_event *event = ((struct rig *)*state)->event;
	struct doca_dev *dev = ((struct rig *)*state)->dev;
	struct doca_ctx *ctx = doca_sync_event_as_ctx(event);
	struct doca_sync_event_task_notify_set *set;
	uint64_t word = 0, value;
	unsigned int done = 0;
	struct doca_pe *pe;

	assert_ok(doca_pe_create(&pe));
	assert_ok(doca_pe_connect_ctx(pe, ctx));
	assert_ok(doca_sync_event_add_publisher_location_cpu(event, dev));
	assert_ok(doca_sync_event_add_subscriber_location_cpu(event, dev));
	assert_ok(doca_sync_event_task_notify_set_set_conf(event, set_done, set_done, 1));
	assert_ok(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = &done}));
	assert_ok(doca_ctx_start(ctx));
	assert_ok(doca_sync_event_task_notify_set_alloc_init(event, 1, (union doca_data){0}, &set));
	assert_ok(doca_task_submit(doca_sync_event_task_notify_set_as_doca_task(set)));
	while (!done)
		doca_pe_progress(pe);
	assert_err(doca_ctx_stop(ctx), IN_PROGRESS);
	assert_err(doca_sync_event_start(event), BAD_STATE);
	assert_err(doca_sync_event_stop(event), BAD_STATE);
	assert_err(doca_sync_event_get(event, &value), BAD_STATE);
	assert_err(doca_sync_event_add_publisher_location_remote_pci(event), BAD_STATE);
	assert_err(doca_sync_event_add_publisher_location_remote_net(event), BAD_STATE);
	assert_err(doca_sync_event_set_addr(event, &word), BAD_STATE);
	assert_err(doca_sync_event_set_doca_buf(event, (struct doca_buf *)&word), BAD_STATE);
	doca_task_free(doca_sync_event_task_notify_set_as_doca_task(set));
	while (doca_pe_progress(pe))
		;
	assert_ok(doca_sync_event_set_addr(event, &word));
	assert_ok(doca_sync_event_start(event));
	assert_ok(doca_sync_event_destroy(event));
	assert_ok(doca_pe_destroy(pe));
	assert_ok(doca_sync_event_create(&((struct rig *)*state)->event));
}

static void two_processes_take_turns(void **state)
{
	struct rig *rig = *state;
	struct child child = child_start(answer, NULL);
	const uint8_t *blob;
	size_t size;

	start(rig);
	assert_ok(doca_sync_event_export_to_remote_pci(rig->event, rig->dev, &blob, &size));
	child_send(&child, &size, sizeof(size));
	child_send(&child, blob, size);
	assert_ok(doca_sync_event_update_set(rig->event, 1));
	assert_ok(doca_sync_event_wait_gt_yield(rig->event, 1, UINT64_MAX));
	assert_int_equal(counter(rig->event), 2);
	assert_int_equal(child_join(&child), 0);
	assert_ok(doca_sync_event_stop(rig->event));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(null_is_refused),
		TEST(destroying_stops_it),
		TEST(somebody_must_change_it_and_somebody_wait),
		TEST(locations_are_added_once_and_before_start),
		TEST(other_locations_do_not_exist),
		TEST(the_counter_needs_a_started_event),
		TEST(what_holds_already_is_not_waited_for),
		TEST(export_has_conditions),
		TEST(an_import_shares_the_counter),
		TEST(wrong_blobs_are_refused),
		TEST(a_context_takes_the_place_of_start),
		TEST(a_context_that_stops_stays_as_it_is),
		TEST(two_processes_take_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
