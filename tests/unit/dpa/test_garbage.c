/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Destroyed objects stay as long as DPA code can run that may have their handles.
 */
#include "test.h"

#include "dpa/dpa.h"
#include "rig.h"

static unsigned int released;

static void release(struct dpa_garbage *garbage)
{
	(void)garbage;
	released++;
}

static void it_goes_when_the_last_one_lets_go(void **state)
{
	struct dpa_garbage garbage[4];

	(void)state;
	released = 0;
	for (unsigned int i = 0; i < ARRAY_SIZE(garbage); i++)
		garbage[i].release = release;
	garbage_discard(&garbage[0]);
	assert_int_equal(released, 1);
	garbage_hold();
	garbage_discard(&garbage[1]);
	garbage_hold();
	garbage_discard(&garbage[2]);
	garbage_let_go();
	assert_int_equal(released, 1);
	garbage_let_go();
	assert_int_equal(released, 3);
	garbage_discard(&garbage[3]);
	assert_int_equal(released, 4);
}

static _Atomic uint64_t runs, may_end;

static void nothing(uint64_t arg)
{
	(void)arg;
}

static void run_until_told(uint64_t arg)
{
	(void)arg;
	runs = 1;
	while (!may_end)
		doca_dpa_dev_yield();
}

GLOBAL(nothing_stub, nothing)
GLOBAL(run_until_told_stub, run_until_told)

static const struct softfield_dpa_func funcs[] = {
	GLOBAL_ROW(nothing_stub),
	GLOBAL_ROW(run_until_told_stub),
};

static void threads_and_kernels_hold_it(void **state)
{
	struct dpa_garbage of_thread = {.release = release}, of_kernel = {.release = release};
	struct doca_dpa_thread *thread;
	struct rig rig;

	(void)state;
	rig_init(&rig, funcs, ARRAY_SIZE(funcs));
	thread = add_thread(&rig, nothing_stub, 0);
	released = 0;
	garbage_discard(&of_thread);
	assert_int_equal(released, 0);
	assert_ok(doca_dpa_thread_stop(thread));
	assert_int_equal(released, 1);
	assert_ok(doca_dpa_thread_destroy(thread));
	assert_ok(doca_dpa_kernel_launch_update_set(rig.dpa, NULL, 0, NULL, 0, 1,
						    run_until_told_stub, UINT64_C(0)));
	wait_until(&runs, 1);
	garbage_discard(&of_kernel);
	assert_int_equal(released, 1);
	may_end = 1;
	assert_int_equal(rig_fini(&rig), 0); /* waits for it */
	assert_int_equal(released, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_goes_when_the_last_one_lets_go),
		cmocka_unit_test(threads_and_kernels_hold_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
