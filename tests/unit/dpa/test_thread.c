/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPA threads: when they run, how an activation ends, states.
 */
#include "test.h"

#include <pthread.h>
#include "rig.h"

/* what the functions below have done */
static _Atomic uint64_t begun, ended, told, in_unit, together;
static _Atomic bool hold;
static doca_dpa_dev_notification_completion_t handles[2];

static void count(uint64_t arg)
{
	atomic_store(&told, arg);
	atomic_fetch_add(&begun, 1);
	doca_dpa_dev_thread_reschedule();
	atomic_fetch_add(&ended, 1); /* never */
}
GLOBAL(counts, count)

static void finish(uint64_t arg)
{
	(void)arg;
	atomic_fetch_add(&begun, 1);
	while (1)
		doca_dpa_dev_thread_finish();
}
GLOBAL(finishes, finish)

static void return_at_once(uint64_t arg)
{
	(void)arg;
	atomic_fetch_add(&begun, 1);
}
GLOBAL(returns, return_at_once)

/* runs as long as the test holds it */
static void stay(uint64_t arg)
{
	(void)arg;
	atomic_fetch_add(&begun, 1);
	while (atomic_load(&hold))
		sched_yield();
	doca_dpa_dev_thread_reschedule();
}
GLOBAL(stays, stay)

static void loop(uint64_t arg)
{
	(void)arg;
	atomic_fetch_add(&begun, 1);
	while (1)
		doca_dpa_dev_yield();
}
GLOBAL(loops, loop)

static void look_at_itself(uint64_t arg)
{
	uint64_t *seen = (uint64_t *)(uintptr_t)doca_dpa_dev_thread_get_local_storage();

	(void)arg;
	seen[0] = doca_dpa_dev_thread_rank();
	seen[1] = doca_dpa_dev_num_threads();
	atomic_fetch_add(&begun, 1);
	doca_dpa_dev_thread_reschedule();
}
GLOBAL(looks, look_at_itself)

/* on one unit they never run at the same time */
static void share(uint64_t arg)
{
	if (atomic_fetch_add(&in_unit, 1))
		atomic_store(&together, 1);
	for (int i = 0; i < 100; i++)
		sched_yield();
	atomic_fetch_sub(&in_unit, 1);
	if (atomic_load(&begun) < 50)
		doca_dpa_dev_thread_notify(handles[!arg]);
	atomic_fetch_add(&begun, 1);
	doca_dpa_dev_thread_reschedule();
}
GLOBAL(shares, share)

static uint64_t notify(uint64_t handle)
{
	doca_dpa_dev_thread_notify(handle);
	return 1;
}
RPC(notifies, notify)

/* Its row says two parameters. */
static void take_two(uint64_t arg)
{
	(void)arg;
}
GLOBAL(takes_two, take_two)

static const struct softfield_dpa_func funcs[] = {
	GLOBAL_ROW(counts),
	GLOBAL_ROW(finishes),
	GLOBAL_ROW(returns),
	GLOBAL_ROW(stays),
	GLOBAL_ROW(loops),
	GLOBAL_ROW(looks),
	GLOBAL_ROW(shares),
	RPC_ROW(notifies),
	{"takes_two", takes_two, 0, 2 * sizeof(uint32_t), 2, pack_one, takes_two_run},
};

static int set_up(void **state)
{
	static struct rig rig;

	rig_init(&rig, funcs, ARRAY_SIZE(funcs));
	atomic_store(&begun, 0);
	atomic_store(&ended, 0);
	atomic_store(&told, 0);
	atomic_store(&hold, false);
	*state = &rig;
	return 0;
}

static int tear_down(void **state)
{
	return rig_fini(*state);
}

struct bell {
	struct doca_dpa_notification_completion *completion;
	doca_dpa_dev_notification_completion_t handle;
};

static struct bell add_bell(struct rig *rig, struct doca_dpa_thread *thread)
{
	struct bell bell;

	assert_ok(doca_dpa_notification_completion_create(rig->dpa, thread, &bell.completion));
	assert_ok(doca_dpa_notification_completion_start(bell.completion));
	assert_ok(doca_dpa_notification_completion_get_dpa_handle(bell.completion, &bell.handle));
	return bell;
}

static void ring(struct rig *rig, const struct bell *bell)
{
	uint64_t value = 0;

	assert_ok(doca_dpa_rpc(rig->dpa, notifies, &value, bell->handle));
	assert_int_equal(value, 1);
}

static void remove_bell(struct bell *bell)
{
	assert_ok(doca_dpa_notification_completion_stop(bell->completion));
	assert_ok(doca_dpa_notification_completion_destroy(bell->completion));
}

static void remove_thread(struct doca_dpa_thread *thread)
{
	assert_ok(doca_dpa_thread_stop(thread));
	assert_ok(doca_dpa_thread_destroy(thread));
}

static void runs_once_for_each_trigger(void **state)
{
	struct rig *rig = *state;
	struct doca_dpa_thread *thread = add_thread(rig, counts, 7);
	struct bell bell = add_bell(rig, thread);

	assert_ok(doca_dpa_thread_run(thread));
	for (uint64_t i = 1; i <= 100; i++) {
		ring(rig, &bell);
		wait_until(&begun, i);
	}
	assert_int_equal(begun, 100);
	assert_int_equal(ended, 0);
	assert_int_equal(told, 7);
	remove_bell(&bell);
	remove_thread(thread);
}

static void a_trigger_before_run_is_remembered(void **state)
{
	struct rig *rig = *state;
	struct doca_dpa_thread *thread = add_thread(rig, counts, 0);
	struct bell bell = add_bell(rig, thread);

	ring(rig, &bell);
	ring(rig, &bell);
	assert_int_equal(begun, 0);
	assert_ok(doca_dpa_thread_run(thread));
	wait_until(&begun, 1);
	remove_bell(&bell);
	remove_thread(thread);
	assert_int_equal(begun, 1);
}

static void a_trigger_while_it_runs_is_remembered(void **state)
{
	struct rig *rig = *state;
	struct doca_dpa_thread *thread = add_thread(rig, stays, 0);
	struct bell bell = add_bell(rig, thread);

	atomic_store(&hold, true);
	assert_ok(doca_dpa_thread_run(thread));
	ring(rig, &bell);
	wait_until(&begun, 1);
	ring(rig, &bell);
	ring(rig, &bell);
	atomic_store(&hold, false);
	wait_until(&begun, 2);
	remove_bell(&bell);
	remove_thread(thread);
	assert_int_equal(begun, 2);
}

static void is_over_after_finish_and_after_return(void **state)
{
	struct rig *rig = *state;
	void (*const bodies[])(void) = {finishes, returns};

	for (size_t i = 0; i < ARRAY_SIZE(bodies); i++) {
		struct doca_dpa_thread *thread = add_thread(rig, bodies[i], 0);
		struct bell bell = add_bell(rig, thread);

		atomic_store(&begun, 0);
		assert_ok(doca_dpa_thread_run(thread));
		ring(rig, &bell);
		wait_until(&begun, 1);
		for (int n = 0; n < 20; n++)
			ring(rig, &bell);
		remove_bell(&bell);
		remove_thread(thread);
		assert_int_equal(begun, 1);
	}
}

static void stopping_ends_one_that_loops(void **state)
{
	struct rig *rig = *state;
	struct doca_dpa_thread *thread = add_thread(rig, loops, 0);
	struct bell bell = add_bell(rig, thread);

	assert_ok(doca_dpa_thread_run(thread));
	ring(rig, &bell);
	wait_until(&begun, 1);
	remove_bell(&bell);
	remove_thread(thread);
}

struct ending {
	struct doca_dpa *dpa;
	struct doca_dpa_thread *thread;
	bool is_over;
};

/* Each waits for something. */
static void *end_when_cancelled(void *arg)
{
	struct ending *ending = arg;

	pthread_cancel(pthread_self());
	must(!doca_dpa_thread_stop(ending->thread));
	must(!doca_dpa_thread_destroy(ending->thread));
	must(!doca_dpa_stop(ending->dpa));
	ending->is_over = true;
	pthread_testcancel();
	return NULL;
}

static void stops_of_a_cancelled_thread_are_whole(void **state)
{
	struct rig *rig = *state;
	struct ending ending = {.dpa = rig->dpa, .thread = add_thread(rig, loops, 0)};
	struct bell bell = add_bell(rig, ending.thread);
	pthread_t thread;

	ring(rig, &bell);
	assert_ok(doca_dpa_thread_run(ending.thread));
	wait_until(&begun, 1);
	remove_bell(&bell);
	assert_int_equal(pthread_create(&thread, NULL, end_when_cancelled, &ending), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(ending.is_over);
}

static void the_dpa_ends_with_its_threads(void **state)
{
	struct rig *rig = *state;
	struct doca_dpa_thread *thread = add_thread(rig, loops, 0);
	struct bell bell = add_bell(rig, thread);

	assert_ok(doca_dpa_thread_run(thread));
	ring(rig, &bell);
	wait_until(&begun, 1);
	assert_err(doca_dpa_destroy(rig->dpa), IN_USE);
	assert_err(doca_dpa_stop(rig->dpa), IN_USE);
	remove_bell(&bell);
	assert_ok(doca_dpa_thread_destroy(thread)); /* stops it */
}

static void knows_its_storage_and_rank(void **state)
{
	struct rig *rig = *state;
	uint64_t seen[2] = {9, 9};
	doca_dpa_dev_uintptr_t storage;
	struct doca_dpa_thread *thread;
	struct bell bell;

	assert_ok(doca_dpa_thread_create(rig->dpa, &thread));
	assert_ok(doca_dpa_thread_set_func_arg(thread, looks, 0));
	assert_ok(doca_dpa_thread_set_local_storage(thread, (uintptr_t)seen));
	assert_ok(doca_dpa_thread_get_local_storage(thread, &storage));
	assert_int_equal(storage, (uintptr_t)seen);
	assert_ok(doca_dpa_thread_start(thread));
	bell = add_bell(rig, thread);
	assert_ok(doca_dpa_thread_run(thread));
	ring(rig, &bell);
	wait_until(&begun, 1);
	remove_bell(&bell);
	remove_thread(thread);
	assert_int_equal(seen[0], 0);
	assert_int_equal(seen[1], 1);
}

/* one that runs, if its bell rings, on unit 3 */
static struct doca_dpa_thread *add_to_unit(struct rig *rig, doca_dpa_func_t *func, uint64_t arg,
					   struct bell *ret_bell)
{
	struct doca_dpa_eu_affinity *affinity;
	struct doca_dpa_thread *thread;

	assert_ok(doca_dpa_eu_affinity_create(rig->dpa, &affinity));
	assert_ok(doca_dpa_eu_affinity_set(affinity, 3));
	assert_ok(doca_dpa_thread_create(rig->dpa, &thread));
	assert_ok(doca_dpa_thread_set_func_arg(thread, func, arg));
	assert_ok(doca_dpa_thread_set_affinity(thread, affinity));
	assert_ok(doca_dpa_eu_affinity_destroy(affinity)); /* the thread holds it */
	assert_ok(doca_dpa_thread_start(thread));
	*ret_bell = add_bell(rig, thread);
	assert_ok(doca_dpa_thread_run(thread));
	return thread;
}

static void all_of_one_unit_run_that_were_triggered_meanwhile(void **state)
{
	struct rig *rig = *state;
	struct doca_dpa_thread *threads[3];
	struct bell bells[3];

	atomic_store(&hold, true);
	for (int i = 0; i < 3; i++)
		threads[i] = add_to_unit(rig, stays, 0, &bells[i]);
	ring(rig, &bells[0]);
	wait_until(&begun, 1);
	ring(rig, &bells[1]);
	ring(rig, &bells[2]);
	atomic_store(&hold, false);
	wait_until(&begun, 3);
	for (int i = 0; i < 3; i++) {
		remove_bell(&bells[i]);
		remove_thread(threads[i]);
	}
	assert_int_equal(begun, 3);
}

static void those_of_one_unit_take_turns(void **state)
{
	struct rig *rig = *state;
	struct doca_dpa_thread *threads[2];
	struct bell bells[2];

	atomic_store(&in_unit, 0);
	atomic_store(&together, 0);
	for (uint64_t i = 0; i < 2; i++) {
		threads[i] = add_to_unit(rig, shares, i, &bells[i]);
		handles[i] = bells[i].handle;
	}
	ring(rig, &bells[0]);
	ring(rig, &bells[1]);
	wait_until(&begun, 51); /* nobody notifies any more */
	for (int i = 0; i < 2; i++)
		remove_bell(&bells[i]);
	for (int i = 0; i < 2; i++)
		remove_thread(threads[i]);
	assert_int_equal(together, 0);
}

static void states_are_checked(void **state)
{
	struct rig *rig = *state;
	struct doca_dpa_notification_completion *completion;
	struct doca_dpa_thread *thread;
	struct bell bell;

	assert_ok(doca_dpa_thread_create(rig->dpa, &thread));
	assert_err(doca_dpa_thread_start(thread), BAD_STATE); /* no function */
	assert_err(doca_dpa_thread_run(thread), BAD_STATE);
	assert_err(doca_dpa_thread_stop(thread), BAD_STATE);
	assert_err(doca_dpa_thread_set_func_arg(thread, notifies, 0), INVALID_VALUE);
	assert_err(doca_dpa_thread_set_func_arg(thread, takes_two, 0), INVALID_VALUE);
	assert_err(doca_dpa_thread_set_func_arg(thread, funcs[0].stub == counts ? NULL : counts, 0),
		   INVALID_VALUE);
	assert_ok(doca_dpa_thread_set_func_arg(thread, counts, 0));
	assert_err(doca_dpa_notification_completion_create(rig->dpa, thread, &completion),
		   BAD_STATE); /* not started */
	assert_ok(doca_dpa_thread_start(thread));
	assert_err(doca_dpa_thread_start(thread), BAD_STATE);
	assert_err(doca_dpa_thread_set_func_arg(thread, counts, 0), BAD_STATE);
	assert_err(doca_dpa_thread_set_local_storage(thread, 1), BAD_STATE);
	bell = add_bell(rig, thread);
	assert_err(doca_dpa_notification_completion_start(bell.completion), BAD_STATE);
	assert_err(doca_dpa_thread_stop(thread), IN_USE);
	assert_err(doca_dpa_thread_destroy(thread), IN_USE);
	assert_ok(doca_dpa_notification_completion_stop(bell.completion));
	assert_err(doca_dpa_notification_completion_stop(bell.completion), BAD_STATE);
	assert_err(doca_dpa_notification_completion_get_dpa_handle(bell.completion, &bell.handle),
		   BAD_STATE);
	assert_ok(doca_dpa_thread_stop(thread));
	assert_err(doca_dpa_notification_completion_start(bell.completion), BAD_STATE);
	assert_ok(doca_dpa_thread_destroy(thread));
	assert_ok(doca_dpa_notification_completion_destroy(bell.completion));
}

static void null_is_refused(void **state)
{
	struct rig *rig = *state;
	struct doca_dpa_thread *thread;
	doca_dpa_func_t *func;
	uint64_t arg;
	uint32_t id;

	assert_err(doca_dpa_thread_create(NULL, &thread), INVALID_VALUE);
	assert_err(doca_dpa_thread_create(rig->dpa, NULL), INVALID_VALUE);
	assert_err(doca_dpa_thread_destroy(NULL), INVALID_VALUE);
	assert_err(doca_dpa_thread_start(NULL), INVALID_VALUE);
	assert_err(doca_dpa_thread_stop(NULL), INVALID_VALUE);
	assert_err(doca_dpa_thread_run(NULL), INVALID_VALUE);
	assert_err(doca_dpa_thread_get_id(NULL, &id), INVALID_VALUE);
	assert_ok(doca_dpa_thread_create(rig->dpa, &thread));
	assert_err(doca_dpa_thread_set_func_arg(thread, NULL, 0), INVALID_VALUE);
	assert_err(doca_dpa_thread_get_func_arg(thread, NULL, &arg), INVALID_VALUE);
	assert_ok(doca_dpa_thread_set_func_arg(thread, counts, 5));
	assert_ok(doca_dpa_thread_get_func_arg(thread, &func, &arg));
	assert_ptr_equal(func, counts);
	assert_int_equal(arg, 5);
	assert_ok(doca_dpa_thread_destroy(thread));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(runs_once_for_each_trigger, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_trigger_before_run_is_remembered, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_trigger_while_it_runs_is_remembered, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(is_over_after_finish_and_after_return, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(stopping_ends_one_that_loops, set_up, tear_down),
		cmocka_unit_test_setup_teardown(stops_of_a_cancelled_thread_are_whole, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_dpa_ends_with_its_threads, set_up, tear_down),
		cmocka_unit_test_setup_teardown(knows_its_storage_and_rank, set_up, tear_down),
		cmocka_unit_test_setup_teardown(all_of_one_unit_run_that_were_triggered_meanwhile,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(those_of_one_unit_take_turns, set_up, tear_down),
		cmocka_unit_test_setup_teardown(states_are_checked, set_up, tear_down),
		cmocka_unit_test_setup_teardown(null_is_refused, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
