/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sync events from DPA code: reading, changing, waiting, and leaving a wait.
 */
#include "test.h"

#include "doca_dpa_dev_sync_event.h"
#include "doca_sync_event.h"
#include "rig.h"

static uint64_t get_it(uint64_t handle)
{
	uint64_t value = 0xbad;

	doca_dpa_dev_sync_event_get(handle, &value);
	return value;
}
RPC(gets, get_it)

static uint64_t change_it(uint64_t handle)
{
	doca_dpa_dev_sync_event_update_set(handle, 40);
	doca_dpa_dev_sync_event_update_add(handle, 2);
	return 1;
}
RPC(changes, change_it)

static uint64_t wait_for_4(uint64_t handle)
{
	doca_dpa_dev_sync_event_wait_gt(handle, 3, 0xf);
	return 1;
}
RPC(waits_for_4, wait_for_4)

static _Atomic uint64_t begun, ended;

static void wait_and_tell(uint64_t handle)
{
	atomic_fetch_add(&begun, 1);
	doca_dpa_dev_sync_event_wait_gt(handle, 3, UINT64_MAX);
	atomic_fetch_add(&ended, 1);
}
GLOBAL(waits, wait_and_tell)

static const struct softfield_dpa_func funcs[] = {
	RPC_ROW(gets),
	RPC_ROW(changes),
	RPC_ROW(waits_for_4),
	GLOBAL_ROW(waits),
};

struct event_rig {
	struct rig rig;
	struct doca_sync_event *event; /* both ends on the DPA and the CPU; started */
	doca_dpa_dev_sync_event_t handle;
};

static int set_up(void **state)
{
	struct event_rig *event_rig = malloc(sizeof(*event_rig));
	struct rig *rig = &event_rig->rig;

	rig_init(rig, funcs, ARRAY_SIZE(funcs));
	assert_ok(doca_sync_event_create(&event_rig->event));
	assert_ok(doca_sync_event_add_publisher_location_dpa(event_rig->event, rig->dpa));
	assert_ok(doca_sync_event_add_publisher_location_cpu(event_rig->event, rig->dev));
	assert_ok(doca_sync_event_add_subscriber_location_dpa(event_rig->event, rig->dpa));
	assert_ok(doca_sync_event_add_subscriber_location_cpu(event_rig->event, rig->dev));
	assert_ok(doca_sync_event_start(event_rig->event));
	assert_ok(doca_sync_event_get_dpa_handle(event_rig->event, rig->dpa, &event_rig->handle));
	atomic_store(&begun, 0);
	atomic_store(&ended, 0);
	*state = event_rig;
	return 0;
}

static int tear_down(void **state)
{
	struct event_rig *event_rig = *state;
	int failed;

	doca_sync_event_stop(event_rig->event);
	assert_ok(doca_sync_event_destroy(event_rig->event));
	failed = rig_fini(&event_rig->rig);
	free(event_rig);
	return failed;
}

static uint64_t call(struct event_rig *event_rig, void (*func)(void), uint64_t arg)
{
	uint64_t result = 0xbad;

	assert_ok(doca_dpa_rpc(event_rig->rig.dpa, func, &result, arg));
	return result;
}

static void dpa_code_reads_and_changes_it(void **state)
{
	struct event_rig *event_rig = *state;
	uint64_t value = 0;

	assert_ok(doca_sync_event_update_set(event_rig->event, 7));
	assert_int_equal(call(event_rig, gets, event_rig->handle), 7);
	assert_int_equal(call(event_rig, changes, event_rig->handle), 1);
	assert_ok(doca_sync_event_get(event_rig->event, &value));
	assert_int_equal(value, 42);
	assert_ok(doca_sync_event_update_set(event_rig->event, 4));
	assert_int_equal(call(event_rig, waits_for_4, event_rig->handle), 1);
}

static void nonsense_changes_nothing(void **state)
{
	struct event_rig *event_rig = *state;

	assert_int_equal(call(event_rig, gets, 0), 0xbad);
	assert_int_equal(call(event_rig, changes, 0), 1);
	assert_int_equal(call(event_rig, waits_for_4, 0), 1);
	assert_ok(doca_sync_event_stop(event_rig->event));
	assert_int_equal(call(event_rig, gets, event_rig->handle), 0xbad);
	assert_int_equal(call(event_rig, waits_for_4, event_rig->handle), 1);
}

static void launch(struct event_rig *event_rig)
{
	assert_ok(doca_dpa_kernel_launch_update_set(event_rig->rig.dpa, NULL, 0, NULL, 0, 1, waits,
						    event_rig->handle));
	wait_until(&begun, 1);
}

static void the_cpu_ends_a_wait(void **state)
{
	struct event_rig *event_rig = *state;

	launch(event_rig);
	assert_ok(doca_sync_event_update_add(event_rig->event, 3, NULL));
	assert_int_equal(atomic_load(&ended), 0);
	assert_ok(doca_sync_event_update_add(event_rig->event, 1, NULL));
	wait_until(&ended, 1);
}

static void stopping_the_event_ends_a_wait(void **state)
{
	struct event_rig *event_rig = *state;

	launch(event_rig);
	assert_ok(doca_sync_event_stop(event_rig->event));
	wait_until(&ended, 1);
}

/* The rig is destroyed while the kernel waits, and its event after that. */
static void the_end_of_the_dpa_ends_a_wait(void **state)
{
	struct event_rig *event_rig = *state;

	launch(event_rig);
	assert_ok(doca_dpa_destroy(event_rig->rig.dpa));
	assert_int_equal(atomic_load(&ended), 0);
	assert_ok(doca_dpa_create(event_rig->rig.dev, &event_rig->rig.dpa));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(dpa_code_reads_and_changes_it),
		TEST(nonsense_changes_nothing),
		TEST(the_cpu_ends_a_wait),
		TEST(stopping_the_event_ends_a_wait),
		TEST(the_end_of_the_dpa_ends_a_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
