/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels: ranks, the events before and after, several at a time.
 */
#include "test.h"

#include "doca_dpa_dev_sync_event.h"
#include "doca_sync_event.h"
#include "dpa/dpa.h"
#include "rig.h"

static _Atomic uint64_t begun, seen_ranks[4];

static void note_rank(uint64_t arg)
{
	unsigned int rank = doca_dpa_dev_thread_rank();

	atomic_fetch_or(&seen_ranks[rank / 64], 1ull << rank % 64);
	atomic_fetch_add(&begun, arg * doca_dpa_dev_num_threads());
}
GLOBAL(notes_rank, note_rank)

static void loop(uint64_t arg)
{
	(void)arg;
	atomic_fetch_add(&begun, 1);
	while (1)
		doca_dpa_dev_yield();
}
GLOBAL(loops, loop)

/* waits for an event of the next kernel, which must run at the same time */
static void wait_for_next(uint64_t handle)
{
	doca_dpa_dev_sync_event_wait_gt(handle, 0, UINT64_MAX);
	atomic_fetch_add(&begun, 1);
}
GLOBAL(waits, wait_for_next)

static void update(uint64_t handle)
{
	doca_dpa_dev_sync_event_update_add(handle, 1);
}
GLOBAL(updates, update)

static void reschedule(uint64_t arg)
{
	(void)arg;
	doca_dpa_dev_thread_reschedule();
}
GLOBAL(reschedules, reschedule)

static uint64_t return_it(uint64_t arg)
{
	return arg;
}
RPC(returns_it, return_it)

static const struct softfield_dpa_func funcs[] = {
	GLOBAL_ROW(notes_rank), GLOBAL_ROW(loops),	 GLOBAL_ROW(waits),
	GLOBAL_ROW(updates),	GLOBAL_ROW(reschedules), RPC_ROW(returns_it),
};

struct events {
	struct rig rig;
	struct doca_sync_event *to_dpa, *from_dpa, *inside;
};

static struct doca_sync_event *add_event(struct events *events, bool by_dpa, bool for_dpa)
{
	struct doca_sync_event *event;

	assert_ok(doca_sync_event_create(&event));
	if (by_dpa)
		assert_ok(doca_sync_event_add_publisher_location_dpa(event, events->rig.dpa));
	else
		assert_ok(doca_sync_event_add_publisher_location_cpu(event, events->rig.dev));
	if (for_dpa)
		assert_ok(doca_sync_event_add_subscriber_location_dpa(event, events->rig.dpa));
	else
		assert_ok(doca_sync_event_add_subscriber_location_cpu(event, events->rig.dev));
	assert_ok(doca_sync_event_start(event));
	return event;
}

static int set_up(void **state)
{
	static struct events events;

	rig_init(&events.rig, funcs, ARRAY_SIZE(funcs));
	atomic_store(&begun, 0);
	for (size_t i = 0; i < ARRAY_SIZE(seen_ranks); i++)
		atomic_store(&seen_ranks[i], 0);
	events.to_dpa = add_event(&events, false, true);
	events.from_dpa = add_event(&events, true, false);
	events.inside = add_event(&events, true, true);
	*state = &events;
	return 0;
}

static int tear_down(void **state)
{
	struct events *events = *state;

	/* What still runs or waits ends with the DPA, before the events do. */
	assert_ok(doca_dpa_destroy(events->rig.dpa));
	assert_ok(doca_sync_event_destroy(events->to_dpa));
	assert_ok(doca_sync_event_destroy(events->from_dpa));
	assert_ok(doca_sync_event_destroy(events->inside));
	assert_ok(doca_dev_close(events->rig.dev));
	return leak_check(&events->rig.before) ? 0 : -1;
}

static void each_rank_runs_once(void **state)
{
	struct events *events = *state;

	assert_ok(doca_dpa_kernel_launch_update_set(events->rig.dpa, NULL, 0, events->from_dpa, 10,
						    100, notes_rank, (uint64_t)3));
	assert_ok(doca_sync_event_wait_gt(events->from_dpa, 9, UINT64_MAX));
	assert_int_equal(begun, 3 * 100 * 100);
	assert_int_equal(seen_ranks[0], UINT64_MAX);
	assert_int_equal(seen_ranks[1], (1ull << 36) - 1);
}

static void completion_is_counted_once_a_kernel(void **state)
{
	struct events *events = *state;
	uint64_t value;

	for (int i = 0; i < 20; i++)
		assert_ok(doca_dpa_kernel_launch_update_add(
			events->rig.dpa, NULL, 0, events->from_dpa, 2, 3, notes_rank, (uint64_t)1));
	assert_ok(doca_sync_event_wait_gt(events->from_dpa, 39, UINT64_MAX));
	assert_ok(doca_sync_event_get(events->from_dpa, &value));
	assert_int_equal(value, 40);
	assert_int_equal(begun, 20 * 9);
}

static void waits_for_its_event(void **state)
{
	struct events *events = *state;
	uint64_t value;

	assert_ok(doca_dpa_kernel_launch_update_set(events->rig.dpa, events->to_dpa, 4,
						    events->from_dpa, 1, 2, notes_rank,
						    (uint64_t)1));
	/* another one runs through meanwhile: whoever waits is in nobody's way */
	assert_ok(doca_sync_event_update_set(events->to_dpa, 3));
	assert_ok(doca_dpa_rpc(events->rig.dpa, returns_it, &value, (uint64_t)1));
	assert_int_equal(begun, 0);
	assert_ok(doca_sync_event_update_add(events->to_dpa, 1, NULL));
	assert_ok(doca_sync_event_wait_gt(events->from_dpa, 0, UINT64_MAX));
	assert_int_equal(begun, 4);
}

static void kernels_run_side_by_side(void **state)
{
	struct events *events = *state;
	doca_dpa_dev_sync_event_t handle;

	assert_ok(doca_sync_event_get_dpa_handle(events->inside, events->rig.dpa, &handle));
	assert_ok(doca_dpa_kernel_launch_update_set(events->rig.dpa, NULL, 0, events->from_dpa, 1,
						    60, waits, (uint64_t)handle));
	assert_ok(doca_dpa_kernel_launch_update_set(events->rig.dpa, NULL, 0, NULL, 0, 1, updates,
						    (uint64_t)handle));
	assert_ok(doca_sync_event_wait_gt(events->from_dpa, 0, UINT64_MAX));
	assert_int_equal(begun, 60);
}

/* All but one of few units are taken by a kernel that ends with the event `inside`. */
static void take_units(struct events *events, unsigned int max_units)
{
	doca_dpa_dev_sync_event_t handle;

	events->rig.dpa->max_units = max_units;
	assert_ok(doca_sync_event_get_dpa_handle(events->inside, events->rig.dpa, &handle));
	assert_ok(doca_dpa_kernel_launch_update_set(events->rig.dpa, NULL, 0, NULL, 0,
						    max_units - 1, waits, (uint64_t)handle));
}

static void launch_update(struct events *events, struct doca_sync_event *wait_event)
{
	doca_dpa_dev_sync_event_t handle;

	assert_ok(doca_sync_event_get_dpa_handle(events->inside, events->rig.dpa, &handle));
	assert_ok(doca_dpa_kernel_launch_update_set(events->rig.dpa, wait_event, 1, NULL, 0, 1,
						    updates, (uint64_t)handle));
}

static void kernels_wait_for_units(void **state)
{
	struct events *events = *state;

	take_units(events, 4);
	for (int i = 0; i < 3; i++)
		assert_ok(doca_dpa_kernel_launch_update_add(
			events->rig.dpa, NULL, 0, events->from_dpa, 1, 4, notes_rank, (uint64_t)1));
	launch_update(events, NULL); /* goes first: there is a unit for it */
	assert_ok(doca_sync_event_wait_gt(events->from_dpa, 2, UINT64_MAX));
	assert_int_equal(begun, 3 + 3 * 4 * 4);
}

/* It came when all units were out, and has one although a large kernel waits for more. */
static void one_alone_goes_past_a_large_kernel(void **state)
{
	struct events *events = *state;
	doca_dpa_dev_sync_event_t handle;

	take_units(events, 4);
	assert_ok(doca_sync_event_get_dpa_handle(events->to_dpa, events->rig.dpa, &handle));
	assert_ok(doca_dpa_kernel_launch_update_set(events->rig.dpa, NULL, 0, NULL, 0, 1, waits,
						    (uint64_t)handle)); /* the fourth unit */
	assert_ok(doca_dpa_kernel_launch_update_set(events->rig.dpa, NULL, 0, events->from_dpa, 1,
						    4, notes_rank, (uint64_t)1));
	launch_update(events, NULL);
	assert_ok(doca_sync_event_update_set(events->to_dpa, 1));
	assert_ok(doca_sync_event_wait_gt(events->from_dpa, 0, UINT64_MAX));
	assert_int_equal(begun, 4 + 4 * 4);
}

static void threads_leave_units_and_make_room(void **state)
{
	struct events *events = *state;
	struct doca_dpa *dpa = events->rig.dpa;
	struct doca_dpa_thread *thread;

	assert_ok(doca_dpa_thread_create(dpa, &thread));
	assert_ok(doca_dpa_thread_set_func_arg(thread, notes_rank, 1));
	dpa->num_pinned = 1024;
	assert_err(doca_dpa_thread_start(thread), FULL);
	dpa->num_pinned = 0;
	assert_ok(doca_dpa_thread_start(thread));
	take_units(events, 4); /* and the thread has the fourth */
	assert_ok(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, events->from_dpa, 1, 1,
						    notes_rank, (uint64_t)1));
	assert_ok(doca_dpa_thread_stop(thread));
	assert_ok(doca_dpa_thread_destroy(thread));
	assert_ok(doca_sync_event_wait_gt(events->from_dpa, 0, UINT64_MAX));
	launch_update(events, NULL);
}

static void waiting_kernels_leave_units_for_others(void **state)
{
	struct events *events = *state;
	uint64_t value;

	for (int i = 0; i < 260; i++)
		assert_ok(doca_dpa_kernel_launch_update_add(events->rig.dpa, events->to_dpa, 1,
							    events->from_dpa, 1, 1, notes_rank,
							    (uint64_t)1));
	assert_int_equal(events->rig.dpa->num_units, 256);
	assert_ok(doca_dpa_rpc(events->rig.dpa, returns_it, &value, (uint64_t)5));
	assert_int_equal(value, 5);
	assert_ok(doca_sync_event_update_set(events->to_dpa, 1));
	assert_ok(doca_sync_event_wait_gt(events->from_dpa, 259, UINT64_MAX));
}

static void far_more_than_there_are_units(void **state)
{
	struct events *events = *state;
	uint64_t value;

	events->rig.dpa->max_units = 8;
	for (int i = 0; i < 300; i++)
		assert_ok(doca_dpa_kernel_launch_update_add(events->rig.dpa, NULL, 0,
							    events->from_dpa, 1, 1 + i % 8,
							    notes_rank, (uint64_t)1));
	assert_ok(doca_dpa_rpc(events->rig.dpa, returns_it, &value, (uint64_t)5));
	assert_int_equal(value, 5);
	assert_ok(doca_sync_event_wait_gt(events->from_dpa, 299, UINT64_MAX));
}

static void units_are_waited_for_after_the_event(void **state)
{
	struct events *events = *state;

	take_units(events, 4);
	assert_ok(doca_dpa_kernel_launch_update_set(events->rig.dpa, events->to_dpa, 1,
						    events->from_dpa, 1, 4, notes_rank,
						    (uint64_t)1));
	launch_update(events, events->to_dpa); /* there is no unit to wait in */
	assert_ok(doca_sync_event_update_set(events->to_dpa, 1));
	assert_ok(doca_sync_event_wait_gt(events->from_dpa, 0, UINT64_MAX));
	assert_int_equal(begun, 3 + 4 * 4);
}

static void what_waits_for_units_ends_with_the_dpa(void **state)
{
	struct events *events = *state;

	take_units(events, 4);
	assert_ok(doca_dpa_kernel_launch_update_set(events->rig.dpa, NULL, 0, events->from_dpa, 1,
						    4, notes_rank, (uint64_t)1));
	assert_ok(doca_dpa_stop(events->rig.dpa));
	assert_int_equal(begun, 0);
}

static void units_that_will_never_be_there_are_an_error(void **state)
{
	struct events *events = *state;

	take_units(events, 4);
	assert_ok(doca_dpa_kernel_launch_update_set(events->rig.dpa, NULL, 0, events->from_dpa, 1,
						    5, notes_rank, (uint64_t)1));
	assert_ok(doca_dpa_peek_at_last_error(events->rig.dpa));
	launch_update(events, NULL);
	while (doca_dpa_peek_at_last_error(events->rig.dpa) == DOCA_SUCCESS)
		sched_yield();
	assert_int_equal(begun, 3);
	assert_err(doca_dpa_kernel_launch_update_set(events->rig.dpa, NULL, 0, NULL, 0, 5,
						     notes_rank, (uint64_t)1),
		   FULL);
}

static void what_runs_or_waits_ends_with_the_dpa(void **state)
{
	struct events *events = *state;
	uint64_t value;

	assert_ok(doca_dpa_kernel_launch_update_set(events->rig.dpa, NULL, 0, events->from_dpa, 1,
						    4, loops, (uint64_t)0));
	assert_ok(doca_dpa_kernel_launch_update_set(events->rig.dpa, events->to_dpa, 1,
						    events->from_dpa, 2, 4, loops, (uint64_t)0));
	wait_until(&begun, 4);
	assert_ok(doca_dpa_stop(events->rig.dpa));
	assert_int_equal(begun, 4);
	assert_ok(doca_sync_event_get(events->from_dpa, &value));
	assert_int_equal(value, 0);
}

static void its_event_is_stopped_while_it_waits(void **state)
{
	struct events *events = *state;

	assert_ok(doca_dpa_kernel_launch_update_set(events->rig.dpa, events->to_dpa, 1, NULL, 0, 4,
						    notes_rank, (uint64_t)1));
	assert_ok(doca_sync_event_stop(events->to_dpa));
	while (doca_dpa_peek_at_last_error(events->rig.dpa) == DOCA_SUCCESS)
		sched_yield();
	assert_ok(doca_dpa_stop(events->rig.dpa));
	assert_int_equal(begun, 0);
}

static void what_cannot_be_launched_is_refused(void **state)
{
	struct events *events = *state;
	struct doca_dpa *dpa = events->rig.dpa;

	assert_err(doca_dpa_kernel_launch_update_set(NULL, NULL, 0, NULL, 0, 1, notes_rank,
						     (uint64_t)1),
		   INVALID_VALUE);
	assert_err(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, NULL, 0, 1, NULL, (uint64_t)1),
		   INVALID_VALUE);
	assert_err(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, NULL, 0, 0, notes_rank,
						     (uint64_t)1),
		   INVALID_VALUE);
	assert_err(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, NULL, 0, 129, notes_rank,
						     (uint64_t)1),
		   INVALID_VALUE);
	assert_err(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, NULL, 0, 1, returns_it,
						     (uint64_t)1),
		   INVALID_VALUE);
	assert_err(doca_dpa_kernel_launch_update_set(dpa, events->to_dpa, 255, NULL, 0, 1,
						     notes_rank, (uint64_t)1),
		   INVALID_VALUE);
	/* events that go the other way */
	assert_err(doca_dpa_kernel_launch_update_set(dpa, events->from_dpa, 1, NULL, 0, 1,
						     notes_rank, (uint64_t)1),
		   INVALID_VALUE);
	assert_err(doca_dpa_kernel_launch_update_add(dpa, NULL, 0, events->to_dpa, 1, 1, notes_rank,
						     (uint64_t)1),
		   INVALID_VALUE);
	assert_int_equal(begun, 0);
}

static void rescheduling_one_is_a_fatal_error(void **state)
{
	struct events *events = *state;

	assert_ok(doca_dpa_kernel_launch_update_set(events->rig.dpa, NULL, 0, events->from_dpa, 1,
						    1, reschedules, (uint64_t)0));
	assert_ok(doca_sync_event_wait_gt(events->from_dpa, 0, UINT64_MAX));
	assert_err(doca_dpa_peek_at_last_error(events->rig.dpa), BAD_STATE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_rank_runs_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(completion_is_counted_once_a_kernel, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(waits_for_its_event, set_up, tear_down),
		cmocka_unit_test_setup_teardown(kernels_run_side_by_side, set_up, tear_down),
		cmocka_unit_test_setup_teardown(kernels_wait_for_units, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_alone_goes_past_a_large_kernel, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(threads_leave_units_and_make_room, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(waiting_kernels_leave_units_for_others, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(far_more_than_there_are_units, set_up, tear_down),
		cmocka_unit_test_setup_teardown(units_are_waited_for_after_the_event, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_waits_for_units_ends_with_the_dpa, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(units_that_will_never_be_there_are_an_error, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_runs_or_waits_ends_with_the_dpa, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(its_event_is_stopped_while_it_waits, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_cannot_be_launched_is_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(rescheduling_one_is_a_fatal_error, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
