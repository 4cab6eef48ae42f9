/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Remote procedure calls: values, several callers, what cannot be called.
 */
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
#include "rig.h"

static _Atomic uint64_t running, most;

static uint64_t twice(uint64_t value)
{
	if (atomic_fetch_add(&running, 1))
		atomic_store(&most, 2);
	sched_yield();
	atomic_fetch_sub(&running, 1);
	return 2 * value;
}
RPC(doubles, twice)

static uint64_t ranks(uint64_t value)
{
	return value + doca_dpa_dev_thread_rank() + 10 * doca_dpa_dev_num_threads();
}
RPC(adds_ranks, ranks)

static uint64_t give_up(uint64_t value)
{
	doca_dpa_dev_thread_finish();
	return value;
}
RPC(gives_up, give_up)

static atomic_bool is_called, may_return;

static uint64_t wait_for_host(uint64_t value)
{
	atomic_store(&is_called, true);
	while (!atomic_load(&may_return))
		sched_yield();
	return value;
}
RPC(waits_for_host, wait_for_host)

static void nothing(uint64_t value)
{
	(void)value;
}
GLOBAL(does_nothing, nothing)

static const struct softfield_dpa_func funcs[] = {
	RPC_ROW(doubles),	 RPC_ROW(adds_ranks),	   RPC_ROW(gives_up),
	RPC_ROW(waits_for_host), GLOBAL_ROW(does_nothing),
};

static int set_up(void **state)
{
	static struct rig rig;

	rig_init(&rig, funcs, ARRAY_SIZE(funcs));
	*state = &rig;
	return 0;
}

static int tear_down(void **state)
{
	return rig_fini(*state);
}

static void *call_often(void *arg)
{
	struct rig *rig = arg;
	uint64_t value;

	for (uint64_t i = 0; i < 200; i++) {
		assert_ok(doca_dpa_rpc(rig->dpa, doubles, &value, i));
		assert_int_equal(value, 2 * i);
	}
	return NULL;
}

static void one_runs_at_a_time(void **state)
{
	pthread_t callers[4];

	atomic_store(&most, 0);
	for (size_t i = 0; i < ARRAY_SIZE(callers); i++)
		assert_int_equal(pthread_create(&callers[i], NULL, call_often, *state), 0);
	for (size_t i = 0; i < ARRAY_SIZE(callers); i++)
		pthread_join(callers[i], NULL);
	assert_int_equal(most, 0);
}

static void is_rank_0_of_1(void **state)
{
	struct rig *rig = *state;
	uint64_t value;

	assert_ok(doca_dpa_rpc(rig->dpa, adds_ranks, &value, (uint64_t)5));
	assert_int_equal(value, 15);
}

static void what_cannot_be_called_is_refused(void **state)
{
	struct rig *rig = *state;
	struct doca_dpa *dpa;
	uint64_t value = 3;

	assert_err(doca_dpa_rpc(NULL, doubles, &value, (uint64_t)1), INVALID_VALUE);
	assert_err(doca_dpa_rpc(rig->dpa, NULL, &value, (uint64_t)1), INVALID_VALUE);
	assert_err(doca_dpa_rpc(rig->dpa, doubles, NULL, (uint64_t)1), INVALID_VALUE);
	assert_err(doca_dpa_rpc(rig->dpa, does_nothing, &value, (uint64_t)1), INVALID_VALUE);
	assert_err(doca_dpa_rpc(rig->dpa, (doca_dpa_func_t *)pack_one, &value, (uint64_t)1),
		   INVALID_VALUE);
	assert_ok(doca_dpa_create(rig->dev, &dpa));
	assert_ok(doca_dpa_set_app(dpa, &rig->app));
	assert_err(doca_dpa_rpc(dpa, doubles, &value, (uint64_t)1), BAD_STATE);
	assert_ok(doca_dpa_destroy(dpa));
	assert_int_equal(value, 3);
}

static void finishing_in_one_is_a_fatal_error(void **state)
{
	struct rig *rig = *state;
	uint64_t value = 3;

	assert_ok(doca_dpa_peek_at_last_error(rig->dpa));
	assert_err(doca_dpa_rpc(rig->dpa, gives_up, &value, (uint64_t)1), BAD_STATE);
	assert_int_equal(value, 3);
	assert_err(doca_dpa_peek_at_last_error(rig->dpa), BAD_STATE);
	assert_err(doca_dpa_peek_at_last_error(rig->dpa), BAD_STATE); /* it stays */
}

static uint64_t returned;

static void *call_that_waits(void *arg)
{
	struct rig *rig = arg;

	assert_ok(doca_dpa_rpc(rig->dpa, waits_for_host, &returned, (uint64_t)7));
	for (;;)
		pause();
	return NULL;
}

static void cancelled_ones_end_after_the_call(void **state)
{
	struct rig *rig = *state;
	pthread_t caller;
	uint64_t value;

	assert_int_equal(pthread_create(&caller, NULL, call_that_waits, rig), 0);
	while (!atomic_load(&is_called))
		sched_yield();
	assert_int_equal(pthread_cancel(caller), 0);
	atomic_store(&may_return, true);
	assert_int_equal(pthread_join(caller, NULL), 0);
	assert_int_equal(returned, 7);
	assert_ok(doca_dpa_rpc(rig->dpa, doubles, &value, (uint64_t)2));
	assert_int_equal(value, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_runs_at_a_time, set_up, tear_down),
		cmocka_unit_test_setup_teardown(is_rank_0_of_1, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_cannot_be_called_is_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(finishing_in_one_is_a_fatal_error, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(cancelled_ones_end_after_the_call, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
