/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sync events with an end on the DPA: locations, handles, and what threads of the DPA do with them.
 */
#include "memtest.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include "child.h"
#include "core/sync_event.h"
#include "core/sync_event_dpa.h"
#include "doca_log.h"
#include "said.h"

struct rig {
	struct doca_dev *dev;
	struct doca_sync_event *event;
};

/* Not looked into; the addresses only have to be some. */
#define DPA ((struct doca_dpa *)rig)

static int set_up(void **state)
{
	struct rig *rig = malloc(sizeof(*rig));

	rig->dev = open_dev("b1:00.0");
	assert_ok(doca_sync_event_create(&rig->event));
	*state = rig;
	return 0;
}

static int tear_down(void **state)
{
	struct rig *rig = *state;

	assert_ok(doca_sync_event_destroy(rig->event));
	assert_ok(doca_dev_close(rig->dev));
	free(rig);
	return 0;
}

static void start_for_waits(struct rig *rig)
{
	assert_ok(doca_sync_event_add_publisher_location_cpu(rig->event, rig->dev));
	assert_ok(doca_sync_event_add_subscriber_location_dpa(rig->event, DPA));
	assert_ok(doca_sync_event_start(rig->event));
}

static void start_for_updates(struct rig *rig)
{
	assert_ok(doca_sync_event_add_publisher_location_dpa(rig->event, DPA));
	assert_ok(doca_sync_event_add_subscriber_location_cpu(rig->event, rig->dev));
	assert_ok(doca_sync_event_start(rig->event));
}

static doca_dpa_dev_sync_event_t handle_of(const struct doca_sync_event *event)
{
	doca_dpa_dev_sync_event_t handle = priv_sync_event_dpa_handle(event);

	assert_int_not_equal(handle, 0);
	return handle;
}

static uint64_t counter(struct doca_sync_event *event)
{
	uint64_t value = 0xbad, same = 0xbad;

	assert_ok(doca_sync_event_get(event, &value));
	assert_ok(priv_sync_event_dpa_get(handle_of(event), &same));
	assert_int_equal(same, value);
	return value;
}

static void every_device_has_a_dpa(void **state)
{
	struct rig *rig = *state;
	struct doca_dev *dpu = open_dev("03:00.0");

	assert_err(doca_sync_event_cap_is_export_to_dpa_supported(NULL), INVALID_VALUE);
	assert_ok(doca_sync_event_cap_is_export_to_dpa_supported(doca_dev_as_devinfo(rig->dev)));
	assert_ok(doca_sync_event_cap_is_export_to_dpa_supported(doca_dev_as_devinfo(dpu)));
	assert_ok(doca_dev_close(dpu));
}

static void the_dpa_is_added_once_and_before_start(void **state)
{
	struct rig *rig = *state;

	assert_err(doca_sync_event_add_publisher_location_dpa(NULL, DPA), INVALID_VALUE);
	assert_err(doca_sync_event_add_publisher_location_dpa(rig->event, NULL), INVALID_VALUE);
	assert_err(doca_sync_event_add_subscriber_location_dpa(NULL, DPA), INVALID_VALUE);
	assert_err(doca_sync_event_add_subscriber_location_dpa(rig->event, NULL), INVALID_VALUE);
	assert_ok(doca_sync_event_add_publisher_location_dpa(rig->event, DPA));
	assert_err(doca_sync_event_add_publisher_location_dpa(rig->event, DPA), ALREADY_EXIST);
	assert_err(doca_sync_event_start(rig->event), BAD_STATE); /* nobody waits */
	assert_ok(doca_sync_event_add_subscriber_location_dpa(rig->event, DPA));
	assert_err(doca_sync_event_add_subscriber_location_dpa(rig->event, DPA), ALREADY_EXIST);
	assert_ok(doca_sync_event_start(rig->event));
	assert_err(doca_sync_event_add_publisher_location_dpa(rig->event, DPA), BAD_STATE);
	assert_err(doca_sync_event_add_subscriber_location_dpa(rig->event, DPA), BAD_STATE);
	assert_ok(doca_sync_event_stop(rig->event));
}

static void a_handle_has_conditions(void **state)
{
	struct rig *rig = *state;
	doca_dpa_dev_sync_event_t handle = 0;

	assert_err(doca_sync_event_get_dpa_handle(NULL, DPA, &handle), INVALID_VALUE);
	assert_err(doca_sync_event_get_dpa_handle(rig->event, NULL, &handle), INVALID_VALUE);
	assert_err(doca_sync_event_get_dpa_handle(rig->event, DPA, NULL), INVALID_VALUE);
	assert_err(doca_sync_event_get_dpa_handle(rig->event, DPA, &handle), BAD_STATE);
	assert_ok(doca_sync_event_add_publisher_location_cpu(rig->event, rig->dev));
	assert_ok(doca_sync_event_add_subscriber_location_cpu(rig->event, rig->dev));
	assert_ok(doca_sync_event_start(rig->event));
	assert_err(doca_sync_event_get_dpa_handle(rig->event, DPA, &handle), NOT_PERMITTED);
	assert_int_equal(handle, 0);
	assert_ok(doca_sync_event_stop(rig->event));
	assert_ok(doca_sync_event_add_subscriber_location_dpa(rig->event, DPA));
	assert_ok(doca_sync_event_start(rig->event));
	assert_ok(doca_sync_event_get_dpa_handle(rig->event, DPA, &handle));
	assert_int_not_equal(handle, 0);
	assert_ok(doca_sync_event_stop(rig->event));
}

static void imports_have_no_handle(void **state)
{
	struct rig *rig = *state;
	struct doca_sync_event *import;
	doca_dpa_dev_sync_event_t handle;
	const uint8_t *blob;
	size_t size;

	assert_ok(doca_sync_event_add_publisher_location_remote_pci(rig->event));
	assert_ok(doca_sync_event_add_subscriber_location_dpa(rig->event, DPA));
	assert_ok(doca_sync_event_start(rig->event));
	assert_ok(doca_sync_event_export_to_remote_pci(rig->event, rig->dev, &blob, &size));
	assert_ok(doca_sync_event_create_from_export(rig->dev, blob, size, &import));
	assert_err(doca_sync_event_add_publisher_location_dpa(import, DPA), NOT_PERMITTED);
	assert_err(doca_sync_event_add_subscriber_location_dpa(import, DPA), NOT_PERMITTED);
	assert_ok(doca_sync_event_start(import));
	assert_err(doca_sync_event_get_dpa_handle(import, DPA, &handle), NOT_PERMITTED);
	assert_ok(doca_sync_event_update_set(import, 7));
	assert_int_equal(counter(rig->event), 7);
	assert_ok(doca_sync_event_stop(import));
	assert_ok(doca_sync_event_destroy(import));
	assert_ok(doca_sync_event_stop(rig->event));
}

static void locations_say_what_kernels_may_do(void **state)
{
	struct rig *rig = *state;

	assert_ok(doca_sync_event_add_publisher_location_dpa(rig->event, DPA));
	assert_ok(doca_sync_event_add_subscriber_location_cpu(rig->event, rig->dev));
	assert_false(priv_sync_event_dpa_may_update(rig->event)); /* not started */
	assert_ok(doca_sync_event_start(rig->event));
	assert_true(priv_sync_event_dpa_may_update(rig->event));
	assert_false(priv_sync_event_dpa_may_wait(rig->event));
	assert_ok(doca_sync_event_stop(rig->event));
	assert_ok(doca_sync_event_add_subscriber_location_dpa(rig->event, DPA));
	assert_false(priv_sync_event_dpa_may_wait(rig->event));
	assert_ok(doca_sync_event_start(rig->event));
	assert_true(priv_sync_event_dpa_may_wait(rig->event));
	assert_ok(doca_sync_event_stop(rig->event));
}

static void dpa_code_reads_and_changes_it(void **state)
{
	struct rig *rig = *state;

	start_for_updates(rig);
	assert_ok(priv_sync_event_dpa_set(handle_of(rig->event), 40));
	assert_int_equal(counter(rig->event), 40);
	assert_ok(priv_sync_event_dpa_add(handle_of(rig->event), 2));
	assert_int_equal(counter(rig->event), 42);
	assert_ok(doca_sync_event_stop(rig->event));
}

static bool never(void *arg)
{
	(void)arg;
	return false;
}

static void one_that_is_not_started_is_noticed(void **state)
{
	struct rig *rig = *state;
	const struct event_condition condition = {EVENT_GT, 0, UINT64_MAX};
	uint64_t value;

	start_for_updates(rig);
	assert_ok(doca_sync_event_stop(rig->event));
	assert_err(priv_sync_event_dpa_get(handle_of(rig->event), &value), BAD_STATE);
	assert_err(priv_sync_event_dpa_set(handle_of(rig->event), 1), BAD_STATE);
	assert_err(priv_sync_event_dpa_add(handle_of(rig->event), 1), BAD_STATE);
	assert_err(priv_sync_event_dpa_wait(handle_of(rig->event), &condition, never, NULL),
		   BAD_STATE);
	assert_err(priv_sync_event_dpa_set(0, 1), BAD_STATE);
	assert_ok(doca_sync_event_start(rig->event));
	assert_ok(priv_sync_event_dpa_set(handle_of(rig->event), 1));
	assert_ok(doca_sync_event_stop(rig->event));
}

static void set_often(struct child *parent, void *arg)
{
	doca_dpa_dev_sync_event_t handle = *(const doca_dpa_dev_sync_event_t *)arg;
	struct doca_log_backend *backend;

	(void)parent;
	doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend);
	for (int i = 0; i < 100; i++)
		priv_sync_event_dpa_set(handle, 1);
}

static unsigned int count_lines(doca_dpa_dev_sync_event_t handle)
{
	char said[SAID_SIZE];
	unsigned int lines = 0;

	listen_to(set_often, &handle, said);
	for (const char *at = said; *at; at++)
		lines += *at == '\n';
	return lines;
}

/* stopped, or destroyed */
static void who_uses_it_in_a_loop_is_told_once(void **state)
{
	struct rig *rig = *state;
	struct rig own = {.dev = rig->dev};
	doca_dpa_dev_sync_event_t handle;

	assert_ok(doca_sync_event_create(&own.event));
	start_for_updates(&own);
	handle = handle_of(own.event);
	assert_int_equal(count_lines(handle), 0);
	assert_ok(doca_sync_event_stop(own.event));
	assert_int_equal(count_lines(handle), 1);
	assert_ok(doca_sync_event_destroy(own.event));
	assert_int_equal(count_lines(handle), 1);
}

/*
 * Waits
 */

struct waiter {
	struct doca_sync_event *event;
	uint64_t threshold;
	atomic_bool given_up;
	doca_error_t result;
};

static bool is_given_up(void *arg)
{
	return atomic_load(&((struct waiter *)arg)->given_up);
}

static void *wait_ge(void *arg)
{
	struct waiter *waiter = arg;

	waiter->result = priv_sync_event_dpa_wait_ge(handle_of(waiter->event), waiter->threshold,
						     is_given_up, waiter);
	return NULL;
}

/* Returns when the thread is about to sleep. */
static pthread_t start_waiting(struct waiter *waiter)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, wait_ge, waiter), 0);
	while (!atomic_load(&waiter->event->cell.page->sleepers[0]))
		sched_yield();
	return thread;
}

static void a_threshold_is_reached_by_the_cpu(void **state)
{
	struct rig *rig = *state;
	struct waiter waiter = {.event = rig->event, .threshold = 4};
	pthread_t thread;

	start_for_waits(rig);
	assert_ok(priv_sync_event_dpa_wait_ge(handle_of(rig->event), 0, never, NULL));
	thread = start_waiting(&waiter);
	assert_ok(doca_sync_event_update_set(rig->event, 3));
	assert_ok(doca_sync_event_update_add(rig->event, 1, NULL));
	pthread_join(thread, NULL);
	assert_ok(waiter.result);
	assert_ok(priv_sync_event_dpa_wait_ge(handle_of(rig->event), 4, never, NULL));
	assert_ok(doca_sync_event_stop(rig->event));
}

static void a_counter_in_memory_of_the_program_ends_waits_of_the_dpa(void **state)
{
	struct rig *rig = *state;
	struct waiter waiter = {.event = rig->event, .threshold = 4};
	_Atomic uint64_t counter = 0;
	pthread_t thread;

	assert_ok(doca_sync_event_set_addr(rig->event, (uint64_t *)&counter));
	start_for_waits(rig);
	assert_int_equal(pthread_create(&thread, NULL, wait_ge, &waiter), 0);
	while (!atomic_load(&rig->event->cell.crowd)) /* is about to look now and then */
		sched_yield();
	atomic_store(&counter, 4);
	pthread_join(thread, NULL);
	assert_ok(waiter.result);
	assert_ok(doca_sync_event_stop(rig->event));
}

static void a_wait_can_be_given_up(void **state)
{
	struct rig *rig = *state;
	struct waiter waiter = {.event = rig->event, .threshold = 4};
	pthread_t thread;

	start_for_waits(rig);
	thread = start_waiting(&waiter);
	atomic_store(&waiter.given_up, true);
	pthread_join(thread, NULL);
	assert_int_equal(waiter.result, DOCA_ERROR_AGAIN);
	assert_ok(doca_sync_event_stop(rig->event));
}

static void stopping_the_event_ends_its_waits(void **state)
{
	struct rig *rig = *state;
	struct waiter waiter = {.event = rig->event, .threshold = 4};
	pthread_t thread;

	start_for_waits(rig);
	thread = start_waiting(&waiter);
	assert_ok(doca_sync_event_stop(rig->event));
	pthread_join(thread, NULL);
	assert_int_equal(waiter.result, DOCA_ERROR_IO_FAILED);
}

static void *set_1(void *arg)
{
	priv_sync_event_dpa_set(*(const doca_dpa_dev_sync_event_t *)arg, 1);
	return NULL;
}

/* What a program does that waits for a kernel; sanitizers see a use after the end. */
static void who_sees_the_value_may_destroy_the_event(void **state)
{
	struct rig *rig = *state;
	struct rig own = {.dev = rig->dev};

	for (int i = 0; i < 100; i++) {
		doca_dpa_dev_sync_event_t handle;
		pthread_t thread;

		assert_ok(doca_sync_event_create(&own.event));
		start_for_updates(&own);
		handle = handle_of(own.event);
		assert_int_equal(pthread_create(&thread, NULL, set_1, &handle), 0);
		assert_ok(i % 2 ? doca_sync_event_wait_eq(own.event, 1, UINT64_MAX)
				: doca_sync_event_wait_eq_yield(own.event, 1, UINT64_MAX));
		assert_ok(doca_sync_event_stop(own.event));
		assert_ok(doca_sync_event_destroy(own.event));
		pthread_join(thread, NULL);
	}
}

static void stop_in_child(struct child *parent, void *arg)
{
	struct rig *rig = arg;
	doca_error_t err = doca_sync_event_stop(rig->event);

	if (!err)
		err = doca_sync_event_start(rig->event);
	if (!err)
		err = doca_sync_event_stop(rig->event);
	child_send(parent, &err, sizeof(err));
}

static void a_child_does_not_wait_for_the_parents_threads(void **state)
{
	struct rig *rig = *state;
	struct waiter waiter = {.event = rig->event, .threshold = 4};
	doca_error_t err = DOCA_ERROR_UNKNOWN;
	struct child child;
	pthread_t thread;

	start_for_waits(rig);
	thread = start_waiting(&waiter);
	child = child_start(stop_in_child, rig);
	child_receive(&child, &err, sizeof(err));
	assert_int_equal(err, DOCA_SUCCESS);
	assert_int_equal(child_join(&child), 0);
	assert_ok(doca_sync_event_update_set(rig->event, 4));
	pthread_join(thread, NULL);
	assert_ok(waiter.result);
	assert_ok(doca_sync_event_stop(rig->event));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(every_device_has_a_dpa),
		TEST(the_dpa_is_added_once_and_before_start),
		TEST(a_handle_has_conditions),
		TEST(imports_have_no_handle),
		TEST(locations_say_what_kernels_may_do),
		TEST(dpa_code_reads_and_changes_it),
		TEST(one_that_is_not_started_is_noticed),
		TEST(who_uses_it_in_a_loop_is_told_once),
		TEST(a_threshold_is_reached_by_the_cpu),
		TEST(a_counter_in_memory_of_the_program_ends_waits_of_the_dpa),
		TEST(a_wait_can_be_given_up),
		TEST(stopping_the_event_ends_its_waits),
		TEST(who_sees_the_value_may_destroy_the_event),
		TEST(a_child_does_not_wait_for_the_parents_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
