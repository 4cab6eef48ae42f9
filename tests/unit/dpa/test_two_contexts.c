/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects of two DPAs, which cannot be connected, and of one that extends another, which can.
 */
#include "test.h"

#include "rig.h"

static void do_nothing(uint64_t arg)
{
	(void)arg;
}
GLOBAL(nothing, do_nothing)

static const struct softfield_dpa_func funcs[] = {GLOBAL_ROW(nothing)};

/* a thread and a completion of one context; an object of each kind of another */
struct two {
	struct rig rig;
	struct doca_dpa *other;
	struct doca_dpa_thread *thread, *other_thread;
	struct doca_dpa_completion *completion, *other_completion;
	struct doca_dpa_async_ops *other_ops;
	struct doca_dpa_eu_affinity *affinity;
	struct doca_dpa_tg *other_group;
};

static void add_objects(struct two *two)
{
	two->thread = add_thread(&two->rig, nothing, 0);
	assert_ok(doca_dpa_completion_create(two->rig.dpa, 4, &two->completion));
	assert_ok(doca_dpa_eu_affinity_create(two->rig.dpa, &two->affinity));
	assert_ok(doca_dpa_thread_create(two->other, &two->other_thread));
	assert_ok(doca_dpa_completion_create(two->other, 4, &two->other_completion));
	assert_ok(doca_dpa_async_ops_create(two->other, 4, 0, &two->other_ops));
	assert_ok(doca_dpa_thread_group_create(two->other, 1, &two->other_group));
}

static void tear_down(struct two *two)
{
	assert_ok(doca_dpa_thread_group_destroy(two->other_group));
	assert_ok(doca_dpa_async_ops_destroy(two->other_ops));
	assert_ok(doca_dpa_completion_destroy(two->other_completion));
	assert_ok(doca_dpa_thread_destroy(two->other_thread));
	assert_ok(doca_dpa_eu_affinity_destroy(two->affinity));
	assert_ok(doca_dpa_completion_destroy(two->completion));
	assert_ok(doca_dpa_thread_destroy(two->thread));
	assert_ok(doca_dpa_destroy(two->other));
	assert_int_equal(rig_fini(&two->rig), 0);
}

/* expected: what every call that connects them answers */
static void connect_all(const struct two *two, doca_error_t expected)
{
	struct doca_dpa_notification_completion *notification = NULL;

	assert_int_equal(doca_dpa_completion_set_thread(two->other_completion, two->thread),
			 expected);
	assert_int_equal(doca_dpa_async_ops_attach(two->other_ops, two->completion), expected);
	assert_int_equal(doca_dpa_thread_set_affinity(two->other_thread, two->affinity), expected);
	assert_int_equal(doca_dpa_thread_group_set_thread(two->other_group, two->thread, 0),
			 expected);
	assert_int_equal(
		doca_dpa_notification_completion_create(two->other, two->thread, &notification),
		expected);
	if (notification)
		assert_ok(doca_dpa_notification_completion_destroy(notification));
}

static void objects_of_two_are_not_connected(void **state)
{
	struct doca_dpa_thread *thread;
	struct two two;

	(void)state;
	rig_init(&two.rig, funcs, 1);
	assert_ok(doca_dpa_create(two.rig.dev, &two.other));
	assert_ok(doca_dpa_set_app(two.other, &two.rig.app));
	assert_ok(doca_dpa_start(two.other));
	add_objects(&two);
	connect_all(&two, DOCA_ERROR_INVALID_VALUE);
	assert_ok(doca_dpa_completion_get_thread(two.other_completion, &thread));
	assert_null(thread);
	assert_err(doca_dpa_async_ops_start(two.other_ops), BAD_STATE);
	tear_down(&two);
}

static void objects_of_one_that_extends_are(void **state)
{
	struct doca_dev *dev = open_dev("03:00.1");
	struct two two;

	(void)state;
	rig_init(&two.rig, funcs, 1);
	assert_ok(doca_dpa_device_extend(two.rig.dpa, dev, &two.other));
	add_objects(&two);
	connect_all(&two, DOCA_SUCCESS);
	tear_down(&two);
	assert_ok(doca_dev_close(dev));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_of_two_are_not_connected),
		cmocka_unit_test(objects_of_one_that_extends_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
