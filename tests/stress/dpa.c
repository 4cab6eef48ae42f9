/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The DPA under load: many threads that trigger each other, kernels in chains, calls from many
 * threads of the program, and objects that go while DPA code uses them.
 */
#include "test.h"

#include <malloc.h>
#include <pthread.h>
#include "../unit/dpa/rig.h"
#include "child.h"
#include "doca_dpa_dev_sync_event.h"
#include "doca_sync_event.h"
#include "other_malloc.h"

#define THREADS	    200
#define LAPS	    20
#define RANKS	    128
#define KERNELS	    20
#define CALLERS	    16
#define CALLS	    300
#define RINGERS	    3
#define YIELD_EVERY 64
#define GENERATIONS 500
#define ENDS	    200
#define FORKS	    100
#define MEMORIES    64
#define MEMORY_SIZE (512u << 10) /* of the freed ones many are kept, and each child frees them */

/*
 * DPA code
 */

static doca_dpa_dev_notification_completion_t bells[THREADS];
static _Atomic uint64_t passes, current_bell, sum;
static atomic_bool over;

static void pass_on(uint64_t place)
{
	if (atomic_fetch_add(&passes, 1) < THREADS * LAPS)
		doca_dpa_dev_thread_notify(bells[(place + 1) % THREADS]);
	doca_dpa_dev_thread_reschedule();
}
GLOBAL(passes_on, pass_on)

static void nothing(uint64_t arg)
{
	(void)arg;
	doca_dpa_dev_thread_reschedule();
}
GLOBAL(does_nothing, nothing)

/*
 * The bell is another one again and again, and may have been destroyed. Whoever destroys it gets a
 * CPU soon, where there are fewer than threads.
 */
static void ring_for_ever(uint64_t arg)
{
	(void)arg;
	for (unsigned int i = 1; !atomic_load(&over); i++) {
		uint64_t bell = atomic_load(&current_bell);

		if (bell)
			doca_dpa_dev_thread_notify(bell);
		if (i % YIELD_EVERY == 0)
			doca_dpa_dev_yield();
	}
}
GLOBAL(rings_for_ever, ring_for_ever)

static _Atomic uint64_t current_event, current_table, uses;

/* the same of an event and a table; a destroyed one answers, or does nothing */
static void use_for_ever(uint64_t arg)
{
	uint64_t value;

	(void)arg;
	while (!atomic_load(&over)) {
		doca_dpa_dev_sync_event_get(atomic_load(&current_event), &value);
		doca_dpa_dev_hash_table_add(atomic_load(&current_table), 1, 2);
		atomic_fetch_add(&uses, 1);
		doca_dpa_dev_yield();
	}
}
GLOBAL(uses_for_ever, use_for_ever)

/* The program has destroyed what is used, and made another one, and destroyed that, too. */
static struct {
	_Atomic uint64_t reports, ops, bell, table, event;
} current;

static void use_current(void)
{
	doca_dpa_dev_completion_element_t element;
	uint64_t reports = atomic_load(&current.reports), table = atomic_load(&current.table);
	uint64_t event = atomic_load(&current.event), value;

	while (doca_dpa_dev_get_completion(reports, &element))
		;
	doca_dpa_dev_completion_ack(reports, 1);
	doca_dpa_dev_completion_request_notification(reports);
	doca_dpa_dev_sync_event_post_wait_gt(atomic_load(&current.ops), event, 0);
	doca_dpa_dev_thread_notify(atomic_load(&current.bell));
	doca_dpa_dev_hash_table_add(table, 1, 2);
	doca_dpa_dev_hash_table_find(table, 1, &value);
	doca_dpa_dev_hash_table_remove(table, 1);
	doca_dpa_dev_sync_event_update_add(event, 1);
	doca_dpa_dev_sync_event_get(event, &value);
}

static void use_whatever_is_there(uint64_t arg)
{
	(void)arg;
	while (!atomic_load(&over)) {
		use_current();
		atomic_fetch_add(&uses, 1);
	}
}
GLOBAL(uses_whatever_is_there, use_whatever_is_there)

static void count(uint64_t arg)
{
	atomic_fetch_add(&sum, arg);
}
GLOBAL(counts, count)

static uint64_t add_one(uint64_t value)
{
	return value + 1;
}
RPC(adds_one, add_one)

static uint64_t ring_bell(uint64_t bell)
{
	doca_dpa_dev_thread_notify(bell);
	return 0;
}
RPC(rings_bell, ring_bell)

static const struct softfield_dpa_func funcs[] = {
	GLOBAL_ROW(passes_on),	    GLOBAL_ROW(does_nothing),
	GLOBAL_ROW(rings_for_ever), GLOBAL_ROW(counts),
	RPC_ROW(adds_one),	    RPC_ROW(rings_bell),
	GLOBAL_ROW(uses_for_ever),  GLOBAL_ROW(uses_whatever_is_there),
};

/*
 * The CPU
 */

struct member {
	struct doca_dpa_thread *thread;
	struct doca_dpa_notification_completion *completion;
	doca_dpa_dev_notification_completion_t bell;
};

static void member_init(struct member *member, struct rig *rig, void (*func)(void), uint64_t arg,
			const struct doca_dpa_eu_affinity *affinity)
{
	assert_ok(doca_dpa_thread_create(rig->dpa, &member->thread));
	assert_ok(doca_dpa_thread_set_func_arg(member->thread, func, arg));
	if (affinity)
		assert_ok(doca_dpa_thread_set_affinity(member->thread, affinity));
	assert_ok(doca_dpa_thread_start(member->thread));
	assert_ok(doca_dpa_notification_completion_create(rig->dpa, member->thread,
							  &member->completion));
	assert_ok(doca_dpa_notification_completion_start(member->completion));
	assert_ok(
		doca_dpa_notification_completion_get_dpa_handle(member->completion, &member->bell));
}

static void member_fini(struct member *member)
{
	assert_ok(doca_dpa_notification_completion_stop(member->completion));
	assert_ok(doca_dpa_notification_completion_destroy(member->completion));
	assert_ok(doca_dpa_thread_stop(member->thread));
	assert_ok(doca_dpa_thread_destroy(member->thread));
}

static void call(struct rig *rig, void (*func)(void), uint64_t arg, uint64_t expected)
{
	uint64_t value = UINT64_MAX;

	assert_ok(doca_dpa_rpc(rig->dpa, func, &value, arg));
	assert_int_equal(value, expected);
}

static void many_threads_trigger_each_other(void **state)
{
	struct member *members = calloc(THREADS, sizeof(*members));
	struct rig rig;

	(void)state;
	rig_init(&rig, funcs, ARRAY_SIZE(funcs));
	atomic_store(&passes, 0);
	for (uint64_t i = 0; i < THREADS; i++) {
		member_init(&members[i], &rig, passes_on, i, NULL);
		assert_ok(doca_dpa_thread_run(members[i].thread));
		bells[i] = members[i].bell;
	}
	for (int i = 0; i < 4; i++) /* several are on their way, and may catch up */
		call(&rig, rings_bell, bells[i * 50], 0);
	wait_until(&passes, THREADS * LAPS);
	for (int i = 0; i < THREADS; i++)
		member_fini(&members[i]);
	free(members);
	assert_int_equal(rig_fini(&rig), 0);
}

/* It never runs: triggers are enough. */
static void a_thread_may_go_while_it_is_triggered(void **state)
{
	struct member ringers[RINGERS], member;
	struct rig rig;

	(void)state;
	rig_init(&rig, funcs, ARRAY_SIZE(funcs));
	atomic_store(&current_bell, 0);
	atomic_store(&over, false);
	for (int i = 0; i < RINGERS; i++) {
		member_init(&ringers[i], &rig, rings_for_ever, 0, NULL);
		assert_ok(doca_dpa_thread_run(ringers[i].thread));
		call(&rig, rings_bell, ringers[i].bell, 0);
	}
	for (int i = 0; i < GENERATIONS; i++) {
		member_init(&member, &rig, does_nothing, 0, NULL);
		atomic_store(&current_bell, member.bell);
		for (int n = 0; n < i % 8; n++)
			sched_yield();
		member_fini(&member);
	}
	atomic_store(&over, true);
	for (int i = 0; i < RINGERS; i++)
		member_fini(&ringers[i]);
	assert_int_equal(rig_fini(&rig), 0);
}

static struct doca_sync_event *add_event(struct rig *rig)
{
	struct doca_sync_event *event;

	assert_ok(doca_sync_event_create(&event));
	assert_ok(doca_sync_event_add_publisher_location_cpu(event, rig->dev));
	assert_ok(doca_sync_event_add_publisher_location_dpa(event, rig->dpa));
	assert_ok(doca_sync_event_add_subscriber_location_cpu(event, rig->dev));
	assert_ok(doca_sync_event_add_subscriber_location_dpa(event, rig->dpa));
	assert_ok(doca_sync_event_start(event));
	return event;
}

/* what a thread uses goes before the thread, as in many programs */
static void what_is_used_may_go(void **state)
{
	struct doca_dpa_hash_table *table;
	struct doca_sync_event *event;
	struct member user;
	struct rig rig;
	uint64_t handle;

	(void)state;
	rig_init(&rig, funcs, ARRAY_SIZE(funcs));
	event = add_event(&rig);
	assert_ok(doca_sync_event_get_dpa_handle(event, rig.dpa, &handle));
	atomic_store(&current_event, handle);
	assert_ok(doca_dpa_hash_table_create(rig.dpa, 8, &table));
	assert_ok(doca_dpa_hash_table_get_dpa_handle(table, &handle));
	atomic_store(&current_table, handle);
	atomic_store(&over, false);
	member_init(&user, &rig, uses_for_ever, 0, NULL);
	assert_ok(doca_dpa_thread_run(user.thread));
	call(&rig, rings_bell, user.bell, 0);
	wait_until(&uses, 1);
	assert_ok(doca_sync_event_destroy(event));
	assert_ok(doca_dpa_hash_table_destroy(table));
	wait_until(&uses, atomic_load(&uses) + 10);
	member_fini(&user);
	assert_int_equal(rig_fini(&rig), 0);
}

/* One of each kind comes and goes. */
static void pass_generation(struct rig *rig, unsigned int delay)
{
	struct doca_dpa_completion *reports;
	struct doca_dpa_async_ops *ops;
	struct doca_dpa_hash_table *table;
	struct doca_sync_event *event = add_event(rig);
	struct member member;
	uint64_t handle;

	member_init(&member, rig, does_nothing, 0, NULL);
	assert_ok(doca_dpa_thread_run(member.thread));
	atomic_store(&current.bell, member.bell);
	assert_ok(doca_sync_event_get_dpa_handle(event, rig->dpa, &handle));
	atomic_store(&current.event, handle);
	assert_ok(doca_dpa_completion_create(rig->dpa, 8, &reports));
	assert_ok(doca_dpa_completion_set_thread(reports, member.thread));
	assert_ok(doca_dpa_completion_start(reports));
	assert_ok(doca_dpa_completion_get_dpa_handle(reports, &handle));
	atomic_store(&current.reports, handle);
	assert_ok(doca_dpa_async_ops_create(rig->dpa, 8, 1, &ops));
	assert_ok(doca_dpa_async_ops_attach(ops, reports));
	assert_ok(doca_dpa_async_ops_start(ops));
	assert_ok(doca_dpa_async_ops_get_dpa_handle(ops, &handle));
	atomic_store(&current.ops, handle);
	assert_ok(doca_dpa_hash_table_create(rig->dpa, 8, &table));
	assert_ok(doca_dpa_hash_table_get_dpa_handle(table, &handle));
	atomic_store(&current.table, handle);
	while (delay--)
		sched_yield();
	assert_ok(doca_dpa_async_ops_destroy(ops));
	assert_ok(doca_dpa_hash_table_destroy(table));
	assert_ok(doca_sync_event_destroy(event));
	assert_ok(doca_dpa_completion_destroy(reports));
	member_fini(&member);
}

static void generations_pass_while_they_are_used(void **state)
{
	struct member user;
	struct rig rig;

	(void)state;
	rig_init(&rig, funcs, ARRAY_SIZE(funcs));
	memset(&current, 0, sizeof(current));
	atomic_store(&over, false);
	atomic_store(&uses, 0);
	member_init(&user, &rig, uses_whatever_is_there, 0, NULL);
	assert_ok(doca_dpa_thread_run(user.thread));
	call(&rig, rings_bell, user.bell, 0);
	wait_until(&uses, 1);
	for (unsigned int i = 0; i < GENERATIONS; i++)
		pass_generation(&rig, i % 8);
	/* What is gone does not keep anybody. */
	wait_until(&uses, atomic_load(&uses) + 10);
	atomic_store(&over, true);
	member_fini(&user);
	assert_ok(doca_dpa_peek_at_last_error(rig.dpa));
	assert_int_equal(rig_fini(&rig), 0);
}

static void kernels_run_in_chains(void **state)
{
	struct doca_sync_event *event;
	struct rig rig;

	(void)state;
	rig_init(&rig, funcs, ARRAY_SIZE(funcs));
	event = add_event(&rig);
	atomic_store(&sum, 0);
	for (uint64_t i = 1; i <= KERNELS; i++)
		assert_ok(doca_dpa_kernel_launch_update_set(rig.dpa, event, i, event, i + 1, RANKS,
							    counts, (uint64_t)1));
	assert_int_equal(sum, 0);
	assert_ok(doca_sync_event_update_set(event, 1));
	assert_ok(doca_sync_event_wait_gt(event, KERNELS, UINT64_MAX));
	assert_int_equal(sum, KERNELS * RANKS);
	assert_ok(doca_sync_event_destroy(event));
	assert_int_equal(rig_fini(&rig), 0);
}

/* Their event comes at the very moment. */
static void the_dpa_ends_while_kernels_begin(void **state)
{
	struct rig rig;

	(void)state;
	for (int i = 0; i < ENDS; i++) {
		struct doca_sync_event *event;

		rig_init(&rig, funcs, ARRAY_SIZE(funcs));
		event = add_event(&rig);
		for (int n = 0; n < 8; n++)
			assert_ok(doca_dpa_kernel_launch_update_set(rig.dpa, event, 1, NULL, 0, 4,
								    counts, (uint64_t)1));
		assert_ok(doca_sync_event_update_set(event, 1));
		for (int n = 0; n < i % 20; n++)
			sched_yield();
		assert_ok(doca_dpa_stop(rig.dpa));
		assert_ok(doca_sync_event_destroy(event));
		assert_int_equal(rig_fini(&rig), 0);
	}
}

/*
 * Many threads of the program
 */

static void *call_often(void *arg)
{
	struct rig *rig = arg;

	for (uint64_t i = 0; i < CALLS; i++)
		call(rig, adds_one, i, i + 1);
	return NULL;
}

static void many_threads_call(void **state)
{
	pthread_t callers[CALLERS];
	struct rig rigs[2];

	(void)state;
	rig_init(&rigs[0], funcs, ARRAY_SIZE(funcs));
	rig_init(&rigs[1], funcs, ARRAY_SIZE(funcs));
	for (int i = 0; i < CALLERS; i++)
		pthread_create(&callers[i], NULL, call_often, &rigs[i % 2]);
	for (int i = 0; i < CALLERS; i++)
		pthread_join(callers[i], NULL);
	assert_int_equal(rig_fini(&rigs[1]), 0);
	assert_int_equal(rig_fini(&rigs[0]), 0);
}

struct placing {
	struct rig *rig;
	const struct doca_dpa_eu_affinity *affinity;
};

static void *come_and_go(void *arg)
{
	const struct placing *placing = arg;
	struct member member;

	for (int i = 0; i < GENERATIONS; i++) {
		member_init(&member, placing->rig, does_nothing, 0, placing->affinity);
		member_fini(&member);
	}
	return NULL;
}

/* A unit that two of them give up is lent once. */
static void threads_of_one_unit_come_and_go(void **state)
{
	struct doca_dpa_eu_affinity *affinity;
	struct placing placing;
	pthread_t threads[4];
	struct rig rig;

	(void)state;
	rig_init(&rig, funcs, ARRAY_SIZE(funcs));
	assert_ok(doca_dpa_eu_affinity_create(rig.dpa, &affinity));
	assert_ok(doca_dpa_eu_affinity_set(affinity, 5));
	placing = (struct placing){&rig, affinity};
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, come_and_go, &placing);
	for (int i = 2; i < 4; i++)
		pthread_create(&threads[i], NULL, call_often, &rig);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_ok(doca_dpa_eu_affinity_destroy(affinity));
	assert_int_equal(rig_fini(&rig), 0);
}

static void *use_memory(void *arg)
{
	doca_dpa_dev_uintptr_t memories[MEMORIES] = {0};
	struct rig *rig = arg;

	for (unsigned int i = 0; !atomic_load(&over); i = (i * 5 + 1) % MEMORIES) {
		if (memories[i])
			assert_ok(doca_dpa_mem_free(rig->dpa, memories[i]));
		assert_ok(doca_dpa_mem_alloc(rig->dpa, MEMORY_SIZE, &memories[i]));
	}
	return NULL; /* the DPA frees them */
}

static void destroy(struct child *parent, void *arg)
{
	(void)parent;
	doca_dpa_destroy(((struct rig *)arg)->dpa);
}

/* What other threads do at that moment has not begun, or is done. */
static void a_fork_finds_memory_in_order(void **state)
{
	pthread_t threads[2];
	struct rig rig;

	(void)state;
	if (has_other_malloc()) /* which the child would wait for */
		skip();
	mallopt(M_PERTURB, 0); /* MALLOC_PERTURB_ touches all there is */
	rig_init(&rig, NULL, 0);
	atomic_store(&over, false);
	for (unsigned int i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, use_memory, &rig), 0);
	for (unsigned int i = 0; i < FORKS; i++) {
		struct child child = child_start(destroy, &rig);

		assert_int_equal(child_join(&child), 0);
	}
	atomic_store(&over, true);
	for (unsigned int i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(rig_fini(&rig), 0);
}

/* one test, if it is named */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_threads_trigger_each_other),
		cmocka_unit_test(a_thread_may_go_while_it_is_triggered),
		cmocka_unit_test(what_is_used_may_go),
		cmocka_unit_test(generations_pass_while_they_are_used),
		cmocka_unit_test(kernels_run_in_chains),
		cmocka_unit_test(the_dpa_ends_while_kernels_begin),
		cmocka_unit_test(many_threads_call),
		cmocka_unit_test(threads_of_one_unit_come_and_go),
		cmocka_unit_test(a_fork_finds_memory_in_order),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
