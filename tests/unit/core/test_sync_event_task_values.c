/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What tasks of sync events are allocated with, read and changed before they are submitted.
 */
#include "memtest.h"
#include "doca_ctx.h"
#include "doca_pe.h"
#include "doca_sync_event.h"

struct rig {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_sync_event *event;
	struct doca_ctx *ctx;
	unsigned int done;
};

#define CALLBACK(kind)                                                                             \
	static void kind##_done(struct doca_sync_event_task_##kind *task, union doca_data user,    \
				union doca_data ctx)                                               \
	{                                                                                          \
		(void)task, (void)user;                                                            \
		((struct rig *)ctx.ptr)->done++;                                                   \
	}
CALLBACK(get)
CALLBACK(notify_set)
CALLBACK(notify_add)
CALLBACK(wait_gt)
CALLBACK(wait_eq)
CALLBACK(wait_neq)

#define ENABLE(rig, kind)                                                                          \
	assert_ok(doca_sync_event_task_##kind##_set_conf((rig)->event, kind##_done, kind##_done, 1))

static int set_up(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	rig->dev = open_dev("b1:00.0");
	assert_ok(doca_pe_create(&rig->pe));
	assert_ok(doca_sync_event_create(&rig->event));
	assert_ok(doca_sync_event_add_publisher_location_cpu(rig->event, rig->dev));
	assert_ok(doca_sync_event_add_subscriber_location_cpu(rig->event, rig->dev));
	rig->ctx = doca_sync_event_as_ctx(rig->event);
	assert_ok(doca_pe_connect_ctx(rig->pe, rig->ctx));
	assert_ok(doca_ctx_set_user_data(rig->ctx, (union doca_data){.ptr = rig}));
	ENABLE(rig, get);
	ENABLE(rig, notify_set);
	ENABLE(rig, notify_add);
	ENABLE(rig, wait_gt);
	ENABLE(rig, wait_eq);
	ENABLE(rig, wait_neq);
	assert_ok(doca_ctx_start(rig->ctx));
	*state = rig;
	return 0;
}

static int tear_down(void **state)
{
	struct rig *rig = *state;

	assert_ok(doca_ctx_stop(rig->ctx));
	assert_ok(doca_sync_event_destroy(rig->event));
	assert_ok(doca_pe_destroy(rig->pe));
	assert_ok(doca_dev_close(rig->dev));
	free(rig);
	return 0;
}

static void run(struct rig *rig, struct doca_task *task)
{
	rig->done = 0;
	assert_ok(doca_task_submit(task));
	while (doca_pe_progress(rig->pe))
		;
	assert_int_equal(rig->done, 1);
	assert_ok(doca_task_get_status(task));
	doca_task_free(task);
}

static uint64_t counter(struct rig *rig)
{
	uint64_t value = 0xbad;

	assert_ok(doca_sync_event_get(rig->event, &value));
	return value;
}

static void a_get_goes_where_it_is_told(void **state)
{
	struct rig *rig = *state;
	struct doca_sync_event_task_get *task;
	uint64_t first = 99, second = 99;

	assert_ok(doca_sync_event_update_set(rig->event, 4));
	assert_ok(doca_sync_event_task_get_alloc_init(rig->event, &first, (union doca_data){0},
						      &task));
	assert_ptr_equal(doca_sync_event_task_get_get_ret_val_ptr(task), &first);
	doca_sync_event_task_get_set_ret_val_ptr(task, NULL);
	assert_err(doca_task_submit(doca_sync_event_task_get_as_doca_task(task)), INVALID_VALUE);
	doca_sync_event_task_get_set_ret_val_ptr(task, &second);
	assert_ptr_equal(doca_sync_event_task_get_get_ret_val_ptr(task), &second);
	run(rig, doca_sync_event_task_get_as_doca_task(task));
	assert_int_equal(first, 99);
	assert_int_equal(second, 4);
}

static void a_set_sets_what_it_is_told(void **state)
{
	struct rig *rig = *state;
	struct doca_sync_event_task_notify_set *task;

	assert_ok(doca_sync_event_task_notify_set_alloc_init(rig->event, 5, (union doca_data){0},
							     &task));
	assert_int_equal(doca_sync_event_task_notify_set_get_set_val(task), 5);
	doca_sync_event_task_notify_set_set_set_val(task, UINT64_MAX);
	assert_true(doca_sync_event_task_notify_set_get_set_val(task) == UINT64_MAX);
	run(rig, doca_sync_event_task_notify_set_as_doca_task(task));
	assert_true(counter(rig) == UINT64_MAX);
}

static void an_add_adds_what_it_is_told(void **state)
{
	struct rig *rig = *state;
	struct doca_sync_event_task_notify_add *task;
	uint64_t fetched = 99;

	assert_ok(doca_sync_event_update_set(rig->event, 10));
	assert_ok(doca_sync_event_task_notify_add_alloc_init(rig->event, 1, NULL,
							     (union doca_data){0}, &task));
	assert_int_equal(doca_sync_event_task_notify_add_get_inc_val(task), 1);
	assert_null(doca_sync_event_task_notify_add_get_fetched_val_ptr(task));
	doca_sync_event_task_notify_add_set_inc_val(task, 7);
	doca_sync_event_task_notify_add_set_fetched_val_ptr(task, &fetched);
	assert_int_equal(doca_sync_event_task_notify_add_get_inc_val(task), 7);
	assert_ptr_equal(doca_sync_event_task_notify_add_get_fetched_val_ptr(task), &fetched);
	run(rig, doca_sync_event_task_notify_add_as_doca_task(task));
	assert_int_equal(fetched, 10);
	assert_int_equal(counter(rig), 17);
}

/* A wait for something that never is becomes one for what is: the counter's low byte is 0x21. */
#define TEST_OF_WAIT(kind, never, value)                                                           \
	static void a_##kind##_waits_for_what_it_is_told(void **state)                             \
	{                                                                                          \
		struct rig *rig = *state;                                                          \
		struct doca_sync_event_task_##kind *task;                                          \
                                                                                                   \
		assert_ok(doca_sync_event_update_set(rig->event, 0x4321));                         \
		assert_ok(doca_sync_event_task_##kind##_alloc_init(rig->event, never, 0xffff,      \
								   (union doca_data){0}, &task));  \
		assert_int_equal(doca_sync_event_task_##kind##_get_wait_val(task), never);         \
		assert_int_equal(doca_sync_event_task_##kind##_get_mask(task), 0xffff);            \
		doca_sync_event_task_##kind##_set_wait_val(task, value);                           \
		doca_sync_event_task_##kind##_set_mask(task, 0xff);                                \
		assert_int_equal(doca_sync_event_task_##kind##_get_wait_val(task), value);         \
		assert_int_equal(doca_sync_event_task_##kind##_get_mask(task), 0xff);              \
		run(rig, doca_sync_event_task_##kind##_as_doca_task(task));                        \
	}
TEST_OF_WAIT(wait_gt, 0x5000, 0x20)
TEST_OF_WAIT(wait_eq, 0x21, 0x21)
TEST_OF_WAIT(wait_neq, 0x4321, 0x4321)

static void no_task_has_nothing(void **state)
{
	(void)state;
	doca_sync_event_task_get_set_ret_val_ptr(NULL, NULL);
	assert_null(doca_sync_event_task_get_get_ret_val_ptr(NULL));
	doca_sync_event_task_notify_set_set_set_val(NULL, 1);
	assert_int_equal(doca_sync_event_task_notify_set_get_set_val(NULL), 0);
	doca_sync_event_task_notify_add_set_inc_val(NULL, 1);
	assert_int_equal(doca_sync_event_task_notify_add_get_inc_val(NULL), 0);
	doca_sync_event_task_notify_add_set_fetched_val_ptr(NULL, NULL);
	assert_null(doca_sync_event_task_notify_add_get_fetched_val_ptr(NULL));
	doca_sync_event_task_wait_gt_set_wait_val(NULL, 1);
	assert_int_equal(doca_sync_event_task_wait_gt_get_wait_val(NULL), 0);
	doca_sync_event_task_wait_gt_set_mask(NULL, 1);
	assert_int_equal(doca_sync_event_task_wait_gt_get_mask(NULL), 0);
	doca_sync_event_task_wait_eq_set_wait_val(NULL, 1);
	assert_int_equal(doca_sync_event_task_wait_eq_get_wait_val(NULL), 0);
	doca_sync_event_task_wait_eq_set_mask(NULL, 1);
	assert_int_equal(doca_sync_event_task_wait_eq_get_mask(NULL), 0);
	doca_sync_event_task_wait_neq_set_wait_val(NULL, 1);
	assert_int_equal(doca_sync_event_task_wait_neq_get_wait_val(NULL), 0);
	doca_sync_event_task_wait_neq_set_mask(NULL, 1);
	assert_int_equal(doca_sync_event_task_wait_neq_get_mask(NULL), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_get_goes_where_it_is_told),
		TEST(a_set_sets_what_it_is_told),
		TEST(an_add_adds_what_it_is_told),
		TEST(a_wait_gt_waits_for_what_it_is_told),
		TEST(a_wait_eq_waits_for_what_it_is_told),
		TEST(a_wait_neq_waits_for_what_it_is_told),
		cmocka_unit_test(no_task_has_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
