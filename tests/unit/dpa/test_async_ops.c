/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asynchronous operations of DPA code: copies, waits, their order and their reports.
 */
#include "test.h"

#include "doca_dpa_dev_buf.h"
#include "doca_dpa_dev_sync_event.h"
#include "doca_mmap.h"
#include "doca_sync_event.h"
#include "dpa/dpa.h"
#include "rig.h"

#define SIZE	  4096
#define USER_DATA 0xabcdefu

struct place {
	char memory[SIZE];
	struct doca_mmap *mmap;
	doca_dpa_dev_mmap_t handle;
};

struct ops {
	struct rig rig;
	struct place src, dst;
	struct doca_dpa_completion *completion;
	struct doca_dpa_async_ops *ops;
	struct doca_sync_event *event;
	doca_dpa_dev_completion_t reports;
	doca_dpa_dev_async_ops_t handle;
	doca_dpa_dev_sync_event_t event_handle;
};

static void side_init(struct ops *ops, struct place *side)
{
	assert_ok(doca_mmap_create(&side->mmap));
	assert_ok(doca_mmap_add_dev(side->mmap, ops->rig.dev));
	assert_ok(doca_mmap_set_memrange(side->mmap, side->memory, SIZE));
	assert_ok(doca_mmap_set_permissions(side->mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
	assert_ok(doca_mmap_start(side->mmap));
	assert_ok(doca_mmap_dev_get_dpa_handle(side->mmap, ops->rig.dev, &side->handle));
}

static void event_init(struct ops *ops)
{
	assert_ok(doca_sync_event_create(&ops->event));
	assert_ok(doca_sync_event_add_publisher_location_cpu(ops->event, ops->rig.dev));
	assert_ok(doca_sync_event_add_subscriber_location_dpa(ops->event, ops->rig.dpa));
	assert_ok(doca_sync_event_start(ops->event));
	assert_ok(doca_sync_event_get_dpa_handle(ops->event, ops->rig.dpa, &ops->event_handle));
}

static int set_up(void **state)
{
	static struct ops ops;

	memset(&ops, 0, sizeof(ops));
	rig_init(&ops.rig, NULL, 0);
	side_init(&ops, &ops.src);
	side_init(&ops, &ops.dst);
	event_init(&ops);
	assert_ok(doca_dpa_completion_create(ops.rig.dpa, 64, &ops.completion));
	assert_ok(doca_dpa_completion_start(ops.completion));
	assert_ok(doca_dpa_completion_get_dpa_handle(ops.completion, &ops.reports));
	assert_ok(doca_dpa_async_ops_create(ops.rig.dpa, 8, USER_DATA, &ops.ops));
	assert_ok(doca_dpa_async_ops_attach(ops.ops, ops.completion));
	assert_ok(doca_dpa_async_ops_start(ops.ops));
	assert_ok(doca_dpa_async_ops_get_dpa_handle(ops.ops, &ops.handle));
	for (int i = 0; i < SIZE; i++)
		ops.src.memory[i] = (char)(i * 7);
	*state = &ops;
	return 0;
}

static int tear_down(void **state)
{
	struct ops *ops = *state;

	assert_ok(doca_dpa_async_ops_stop(ops->ops));
	assert_ok(doca_dpa_async_ops_destroy(ops->ops));
	assert_ok(doca_dpa_completion_stop(ops->completion));
	assert_ok(doca_dpa_completion_destroy(ops->completion));
	assert_ok(doca_sync_event_destroy(ops->event));
	assert_ok(doca_mmap_destroy(ops->src.mmap));
	assert_ok(doca_mmap_destroy(ops->dst.mmap));
	return rig_fini(&ops->rig);
}

static void copy(struct ops *ops, size_t offset, size_t size, uint32_t flags)
{
	doca_dpa_dev_post_memcpy(ops->handle, ops->dst.handle, (uintptr_t)ops->dst.memory + offset,
				 ops->src.handle, (uintptr_t)ops->src.memory + offset, size, flags);
}

/* the next report; waits for it */
static doca_dpa_dev_completion_type_t report(struct ops *ops)
{
	doca_dpa_dev_completion_element_t element;

	while (!doca_dpa_dev_get_completion(ops->reports, &element))
		sched_yield();
	assert_int_equal(doca_dpa_dev_get_completion_user_data(element), USER_DATA);
	return doca_dpa_dev_get_completion_type(element);
}

static void assert_no_report(struct ops *ops)
{
	doca_dpa_dev_completion_element_t element;

	assert_int_equal(doca_dpa_dev_get_completion(ops->reports, &element), 0);
}

static void copies_what_is_asked_for(void **state)
{
	struct ops *ops = *state;

	copy(ops, 5, 1000, DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
	assert_int_equal(report(ops), DOCA_DPA_DEV_COMP_SEND);
	assert_memory_equal(ops->dst.memory + 5, ops->src.memory + 5, 1000);
	for (int i = 0; i < SIZE; i++)
		if (i < 5 || i >= 1005)
			assert_int_equal(ops->dst.memory[i], 0);
}

static void reports_only_what_is_wanted(void **state)
{
	struct ops *ops = *state;

	copy(ops, 0, 1, DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS);
	assert_no_report(ops);
	copy(ops, 0, 1, DOCA_DPA_DEV_SUBMIT_FLAG_NONE);
	assert_int_equal(report(ops), DOCA_DPA_DEV_COMP_SEND);
	assert_no_report(ops);
}

static void a_range_outside_fails_and_is_told(void **state)
{
	struct ops *ops = *state;

	copy(ops, SIZE - 1, 2, DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS);
	assert_int_equal(report(ops), DOCA_DPA_DEV_COMP_SEND_ERR);
	assert_int_equal(ops->dst.memory[SIZE - 1], 0);
	doca_dpa_dev_post_memcpy(ops->handle, 0, (uintptr_t)ops->dst.memory, ops->src.handle,
				 (uintptr_t)ops->src.memory, 1, 0);
	assert_int_equal(report(ops), DOCA_DPA_DEV_COMP_SEND_ERR);
}

static void what_comes_after_a_wait_waits(void **state)
{
	struct ops *ops = *state;

	doca_dpa_dev_sync_event_post_wait_gt(ops->handle, ops->event_handle, 4);
	copy(ops, 0, SIZE, 0);
	assert_no_report(ops);
	assert_ok(doca_sync_event_update_set(ops->event, 4));
	assert_no_report(ops);
	assert_int_equal(ops->dst.memory[1], 0);
	assert_ok(doca_sync_event_update_set(ops->event, 5));
	assert_int_equal(report(ops), DOCA_DPA_DEV_COMP_SEND); /* of the wait */
	assert_int_equal(report(ops), DOCA_DPA_DEV_COMP_SEND);
	assert_memory_equal(ops->dst.memory, ops->src.memory, SIZE);
	doca_dpa_dev_sync_event_post_wait_ne(ops->handle, ops->event_handle, 5);
	assert_no_report(ops);
	assert_ok(doca_sync_event_update_set(ops->event, 1));
	assert_int_equal(report(ops), DOCA_DPA_DEV_COMP_SEND);
}

static void a_wait_for_no_event_fails_and_is_told(void **state)
{
	struct ops *ops = *state;

	doca_dpa_dev_sync_event_post_wait_gt(ops->handle, 0, 4);
	assert_int_equal(report(ops), DOCA_DPA_DEV_COMP_SEND_ERR);
}

static void stopping_gives_waits_up(void **state)
{
	struct ops *ops = *state;

	doca_dpa_dev_sync_event_post_wait_gt(ops->handle, ops->event_handle, 4);
	copy(ops, 0, 2, 0);
	assert_ok(doca_dpa_async_ops_stop(ops->ops));
	assert_no_report(ops);
	assert_int_equal(ops->dst.memory[1], 0); /* not before its time */
	assert_ok(doca_dpa_async_ops_start(ops->ops));
	copy(ops, 0, 1, 0);
	assert_int_equal(report(ops), DOCA_DPA_DEV_COMP_SEND);
}

static void what_comes_after_a_failed_wait_fails(void **state)
{
	struct ops *ops = *state;

	doca_dpa_dev_sync_event_post_wait_gt(ops->handle, ops->event_handle, 4);
	copy(ops, 0, 2, DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS);
	assert_ok(doca_sync_event_stop(ops->event));
	assert_int_equal(report(ops), DOCA_DPA_DEV_COMP_SEND_ERR); /* of the wait */
	assert_int_equal(report(ops), DOCA_DPA_DEV_COMP_SEND_ERR);
	assert_int_equal(ops->dst.memory[1], 0);
}

static void a_wait_without_a_unit_keeps_nobody(void **state)
{
	struct ops *ops = *state;
	uint32_t num_units = ops->rig.dpa->num_units;

	ops->rig.dpa->num_units = UINT32_MAX;
	doca_dpa_dev_sync_event_post_wait_gt(ops->handle, ops->event_handle, 4);
	assert_err(doca_dpa_peek_at_last_error(ops->rig.dpa), BAD_STATE);
	ops->rig.dpa->num_units = num_units;
	copy(ops, 0, 2, 0); /* nothing is queued any more */
	assert_int_equal(report(ops), DOCA_DPA_DEV_COMP_SEND);
}

static _Atomic uint64_t posted;
static atomic_bool over;

static void *post_waits(void *arg)
{
	const struct ops *ops = arg;

	while (!atomic_load(&over)) {
		doca_dpa_dev_sync_event_post_wait_gt(ops->handle, ops->event_handle, 4);
		atomic_fetch_add(&posted, 1);
	}
	return NULL;
}

/* Stopping waits for what is posted at the same time, whether it gets a unit or not. */
static void waits_are_posted_while_it_stops(void **state)
{
	struct ops *ops = *state;
	uint32_t num_units = ops->rig.dpa->num_units;
	pthread_t poster;

	for (int i = 0; i < 2; i++) {
		atomic_store(&over, false);
		atomic_store(&posted, 0);
		ops->rig.dpa->num_units = i ? num_units : UINT32_MAX;
		pthread_create(&poster, NULL, post_waits, ops);
		wait_until(&posted, 1);
		for (int n = 0; n < 1000; n++) {
			assert_ok(doca_dpa_async_ops_stop(ops->ops));
			assert_ok(doca_dpa_async_ops_start(ops->ops));
		}
		atomic_store(&over, true);
		assert_ok(doca_dpa_async_ops_stop(ops->ops)); /* also one who waits for room */
		pthread_join(poster, NULL);
		assert_ok(doca_dpa_async_ops_start(ops->ops));
	}
}

static void states_are_checked(void **state)
{
	struct ops *ops = *state;
	struct doca_dpa_async_ops *other;
	doca_dpa_dev_async_ops_t handle;
	uint64_t user_data;
	unsigned int size;

	assert_err(doca_dpa_async_ops_create(NULL, 1, 0, &other), INVALID_VALUE);
	assert_err(doca_dpa_async_ops_create(ops->rig.dpa, 0, 0, &other), INVALID_VALUE);
	assert_err(doca_dpa_async_ops_create(ops->rig.dpa, 1, 1 << 24, &other), INVALID_VALUE);
	assert_err(doca_dpa_async_ops_create(ops->rig.dpa, 1, 0, NULL), INVALID_VALUE);
	assert_err(doca_dpa_async_ops_start(ops->ops), BAD_STATE);
	assert_err(doca_dpa_async_ops_attach(ops->ops, ops->completion), BAD_STATE);
	assert_err(doca_dpa_completion_stop(ops->completion), IN_USE);
	assert_ok(doca_dpa_async_ops_get_queue_size(ops->ops, &size));
	assert_int_equal(size, 8);
	assert_ok(doca_dpa_async_ops_get_user_data(ops->ops, &user_data));
	assert_int_equal(user_data, USER_DATA);

	assert_ok(doca_dpa_async_ops_create(ops->rig.dpa, 5, (1 << 24) - 1, &other));
	assert_err(doca_dpa_async_ops_start(other), BAD_STATE); /* no completion */
	assert_err(doca_dpa_async_ops_stop(other), BAD_STATE);
	assert_err(doca_dpa_async_ops_get_dpa_handle(other, &handle), BAD_STATE);
	assert_ok(doca_dpa_async_ops_destroy(other));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(copies_what_is_asked_for, set_up, tear_down),
		cmocka_unit_test_setup_teardown(reports_only_what_is_wanted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_range_outside_fails_and_is_told, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_comes_after_a_wait_waits, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_wait_for_no_event_fails_and_is_told, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(stopping_gives_waits_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_comes_after_a_failed_wait_fails, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_wait_without_a_unit_keeps_nobody, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(waits_are_posted_while_it_stops, set_up, tear_down),
		cmocka_unit_test_setup_teardown(states_are_checked, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
