/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Event cells: the counter, sleepers and who wakes them, owners that go away.
 * Long because every promise is a small test of its own.
 */
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/yield.h"
#include "child.h"
#include "core/event_cell.h"
#include "leak.h"
#include "others.h"
#include "readable.h"
#include "valgrind.h"

static struct event_cell new_cell(bool shared)
{
	struct event_cell cell;

	assert_ok(event_cell_create(shared, &cell));
	return cell;
}

/* Sockets of sleepers have names that anybody can read: somebody sends faster than we receive. */
static atomic_bool is_flooded;

ssize_t recv(int sock, void *data, size_t size, int flags)
{
	return atomic_load(&is_flooded) ? 0 : recvfrom(sock, data, size, flags, NULL, NULL);
}

/* One of those who run when somebody lets others run sets that cell. */
static struct event_cell *set_by_others;
static unsigned int yields;

/* The library's, too. */
int sched_yield(void)
{
	if (!set_by_others)
		return (int)syscall(SYS_sched_yield);
	yields++;
	others_have_run++;
	event_cell_add(set_by_others, 1);
	return 0;
}

static void blob_survives_the_wire(void **state)
{
	const struct anchor_ref ref = {.pid = 42, .fd = 5, .id = {7}};
	uint8_t blob[EVENT_BLOB_SIZE];
	struct anchor_ref copy;

	(void)state;
	event_blob_encode(&ref, blob);
	assert_memory_equal(blob, "SFEV\x01\x00\x28\x00\x2a\x00\x00\x00", 12);
	assert_ok(event_blob_decode(blob, sizeof(blob), &copy));
	assert_memory_equal(&copy, &ref, sizeof(ref));
	for (size_t size = 0; size < sizeof(blob); size++)
		assert_int_equal(event_blob_decode(blob, size, &copy), DOCA_ERROR_INVALID_VALUE);
	for (size_t bit = 0; bit < 8 * sizeof(blob); bit++) {
		blob[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(event_blob_decode(blob, sizeof(blob), &copy),
				 DOCA_ERROR_INVALID_VALUE);
		blob[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}

static void the_counter_starts_at_0_and_wraps(void **state)
{
	struct event_cell cell = new_cell(false);

	(void)state;
	assert_int_equal(event_cell_get(&cell), 0);
	assert_int_equal(event_cell_add(&cell, 5), 0);
	assert_int_equal(event_cell_add(&cell, UINT64_MAX), 5);
	assert_int_equal(event_cell_get(&cell), 4);
	event_cell_set(&cell, UINT64_MAX);
	assert_true(event_cell_get(&cell) == UINT64_MAX);
	assert_false(event_cell_is_lost(&cell));
	event_cell_close(&cell);
}

static void conditions_see_the_mask_only(void **state)
{
	static const struct {
		struct event_condition condition;
		uint64_t counter;
		bool holds;
	} cases[] = {
		{{EVENT_GT, 5, UINT64_MAX}, 5, false},
		{{EVENT_GT, 5, UINT64_MAX}, 6, true},
		{{EVENT_GT, 5, 7}, 0xf0 + 5, false},
		{{EVENT_GT, UINT64_MAX, UINT64_MAX}, UINT64_MAX, false},
		{{EVENT_EQ, 5, UINT64_MAX}, 5, true},
		{{EVENT_EQ, 5, 7}, 0xf0 + 5, true},
		{{EVENT_EQ, 0xf5, 7}, 0xf5, false},
		{{EVENT_EQ, 0, 0}, 123, true},
		{{EVENT_NEQ, 5, UINT64_MAX}, 5, false},
		{{EVENT_NEQ, 5, UINT64_MAX}, 4, true},
		{{EVENT_NEQ, 5, 7}, 0xf0 + 5, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(event_condition_holds(&cases[i].condition, cases[i].counter),
				 cases[i].holds);
}

static void imports_share_the_counter(void **state)
{
	struct event_cell cell = new_cell(true);
	struct event_cell import;

	(void)state;
	assert_ok(event_cell_open(&cell.anchor.ref, &import));
	event_cell_add(&import, 3);
	assert_int_equal(event_cell_get(&cell), 3);
	event_cell_set(&cell, 9);
	assert_int_equal(event_cell_get(&import), 9);
	assert_false(event_cell_is_lost(&import));
	event_cell_close(&cell);
	assert_true(event_cell_is_lost(&import));
	event_cell_close(&import);
}

static void only_armed_sleepers_are_woken(void **state)
{
	struct event_cell cell = new_cell(true);
	struct event_sleeper sleeper;

	(void)state;
	assert_ok(event_sleeper_open(&sleeper));
	event_cell_set(&cell, 1);
	assert_false(is_readable(sleeper.sock));
	assert_true(event_sleeper_arm(&sleeper, &cell));
	assert_false(is_readable(sleeper.sock));
	event_cell_set(&cell, 2);
	assert_true(is_readable(sleeper.sock));
	event_sleeper_drain(&sleeper);
	assert_false(is_readable(sleeper.sock));
	for (int i = 0; i < 1000; i++) /* more than its queue takes: nobody is held up */
		event_cell_add(&cell, 1);
	assert_true(is_readable(sleeper.sock));
	event_sleeper_drain(&sleeper);
	event_sleeper_disarm(&sleeper, &cell);
	event_sleeper_disarm(&sleeper, &cell);
	event_cell_set(&cell, 3);
	assert_false(is_readable(sleeper.sock));
	event_sleeper_close(&sleeper);
	event_cell_close(&cell);
}

/* An updater that cannot have one descriptor more. */
static void update_without_descriptors(struct child *parent, void *arg)
{
	const struct rlimit none = {0, 0};

	(void)parent;
	if (setrlimit(RLIMIT_NOFILE, &none))
		_exit(97);
	event_cell_add(arg, 1);
}

static void waking_takes_no_descriptor(void **state)
{
	struct event_sleeper sleeper;
	struct event_cell cell;
	struct child child;

	(void)state;
	if (runs_under_valgrind()) /* which cannot live without a descriptor */
		skip();
	cell = new_cell(true);
	assert_ok(event_sleeper_open(&sleeper));
	assert_true(event_sleeper_arm(&sleeper, &cell));
	child = child_start(update_without_descriptors, &cell);
	assert_int_equal(child_join(&child), 0);
	assert_int_equal(event_cell_get(&cell), 1);
	assert_true(is_readable(sleeper.sock));
	event_sleeper_disarm(&sleeper, &cell);
	event_sleeper_close(&sleeper);
	event_cell_close(&cell);
}

static void a_crowded_cell_says_so(void **state)
{
	struct event_cell cell = new_cell(false);
	struct event_sleeper sleepers[EVENT_SLEEPERS + 1];

	(void)state;
	for (int i = 0; i <= EVENT_SLEEPERS; i++) {
		assert_ok(event_sleeper_open(&sleepers[i]));
		assert_int_equal(event_sleeper_arm(&sleepers[i], &cell), i < EVENT_SLEEPERS);
	}
	event_cell_set(&cell, 1);
	for (int i = 0; i < EVENT_SLEEPERS; i++)
		assert_true(is_readable(sleepers[i].sock));
	event_sleeper_disarm(&sleepers[4], &cell);
	assert_true(event_sleeper_arm(&sleepers[EVENT_SLEEPERS], &cell));
	for (int i = 0; i <= EVENT_SLEEPERS; i++) {
		event_sleeper_disarm(&sleepers[i], &cell);
		event_sleeper_close(&sleepers[i]);
	}
	event_cell_close(&cell);
}

static void dead_sleepers_make_room(void **state)
{
	struct event_cell cell = new_cell(false);
	struct event_sleeper sleeper;

	(void)state;
	assert_ok(event_sleeper_open(&sleeper));
	assert_true(event_sleeper_arm(&sleeper, &cell));
	close(sleeper.sock); /* as the kernel does for a process that dies */
	assert_true(atomic_load(&cell.page->sleepers[0]));
	event_cell_set(&cell, 1);
	assert_false(atomic_load(&cell.page->sleepers[0]));
	event_cell_close(&cell);
}

/* Nobody updates the cell meanwhile. */
static void so_they_do_for_a_sleeper_that_finds_none(void **state)
{
	struct event_cell cell = new_cell(false);
	struct event_sleeper dead, sleeper;

	(void)state;
	for (int i = 0; i < EVENT_SLEEPERS; i++) {
		assert_ok(event_sleeper_open(&dead));
		assert_true(event_sleeper_arm(&dead, &cell));
		close(dead.sock);
	}
	assert_ok(event_sleeper_open(&sleeper));
	assert_true(event_sleeper_arm(&sleeper, &cell));
	event_sleeper_disarm(&sleeper, &cell);
	event_sleeper_close(&sleeper);
	event_cell_close(&cell);
}

/* Another process may write anything into the cell. */
static void garbage_in_the_cell_does_no_harm(void **state)
{
	struct event_cell cell = new_cell(true);

	(void)state;
	for (int i = 0; i < EVENT_SLEEPERS; i++)
		atomic_store(&cell.page->sleepers[i], 0x0123456789abcdef * (uint64_t)(i + 1));
	event_cell_set(&cell, 5);
	for (int i = 0; i < EVENT_SLEEPERS; i++)
		assert_false(atomic_load(&cell.page->sleepers[i]));
	event_cell_close(&cell);
}

struct waiter {
	struct event_cell *cell;
	struct event_condition condition;
	const struct event_patience *patience;
	doca_error_t result;
};

static void *wait_for(void *arg)
{
	struct waiter *waiter = arg;

	waiter->result = event_cell_wait(waiter->cell, &waiter->condition, 0, waiter->patience);
	return NULL;
}

/* Returns when the thread has entered its name, that is, cannot miss a change any more. */
static pthread_t start_waiting(struct waiter *waiter)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, wait_for, waiter), 0);
	while (!atomic_load(&waiter->cell->page->sleepers[0]))
		sched_yield();
	return thread;
}

static void waiting_ends_when_the_condition_holds(void **state)
{
	struct event_cell cell = new_cell(false);
	struct waiter waiter = {.cell = &cell, .condition = {EVENT_EQ, 3, UINT64_MAX}, .result = 1};
	pthread_t thread;

	(void)state;
	thread = start_waiting(&waiter);
	event_cell_add(&cell, 1); /* wakes it up for nothing */
	event_cell_add(&cell, 2);
	pthread_join(thread, NULL);
	assert_ok(waiter.result);
	assert_false(atomic_load(&cell.page->sleepers[0]));
	assert_ok(event_cell_wait(&cell, &waiter.condition, 1000, NULL)); /* holds already */
	event_cell_close(&cell);
}

/* returns the name that the thread sleeps under */
static uint64_t sleep_once(struct event_cell *cell)
{
	struct waiter waiter = {.cell = cell,
				.condition = {EVENT_NEQ, event_cell_get(cell), UINT64_MAX}};
	const pthread_t thread = start_waiting(&waiter);
	const uint64_t name = atomic_load(&cell->page->sleepers[0]);

	event_cell_add(cell, 1);
	pthread_join(thread, NULL);
	assert_ok(waiter.result);
	return name;
}

static void sleep_elsewhere(struct child *parent, void *cell)
{
	uint64_t name = sleep_once(cell);

	child_send(parent, &name, sizeof(name));
}

/* To open a socket for each sleep would take longer than the sleep. */
static void who_sleeps_again_has_the_same_name(void **state)
{
	struct event_cell cell = new_cell(false);
	const uint64_t name = sleep_once(&cell);
	struct child child;
	uint64_t in_child;

	(void)state;
	assert_true(sleep_once(&cell) == name);
	child = child_start(sleep_elsewhere, &cell);
	child_receive(&child, &in_child, sizeof(in_child));
	assert_true(in_child && in_child != name); /* else it would take its parent's wake-ups */
	assert_true(sleep_once(&cell) == name);
	child_kill(&child);
	event_cell_close(&cell);
}

/* On a machine with one CPU it is all that the other side needs; nobody sleeps. */
static void others_run_before_somebody_sleeps(void **state)
{
	struct event_cell cell = new_cell(false);
	struct event_condition condition = {EVENT_EQ, 0, UINT64_MAX};

	(void)state;
	set_by_others = &cell;
	for (yields = 0; condition.value < 8; condition.value++) {
		assert_ok(event_cell_wait(&cell, &condition, 1000, NULL));
		assert_int_equal(yields, condition.value);
	}
	assert_true(priv_yield_hurry() > 0); /* so they do sooner */
	set_by_others = NULL;
	event_cell_close(&cell);
}

static void a_flood_holds_up_nobody(void **state)
{
	struct event_cell cell = new_cell(false);
	struct waiter waiter = {.cell = &cell, .condition = {EVENT_EQ, 3, UINT64_MAX}, .result = 1};
	struct event_sleeper sleeper;
	pthread_t thread;

	(void)state;
	atomic_store(&is_flooded, true);
	thread = start_waiting(&waiter);
	event_cell_set(&cell, 1); /* wakes it up for nothing, into the flood */
	event_cell_set(&cell, 3);
	pthread_join(thread, NULL);
	assert_ok(waiter.result);
	assert_ok(event_sleeper_open(&sleeper));
	assert_false(event_sleeper_drain(&sleeper));
	atomic_store(&is_flooded, false);
	assert_true(event_sleeper_drain(&sleeper));
	event_sleeper_close(&sleeper);
	event_cell_close(&cell);
}

/* Whoever changes the counter may be killed before it wakes those who sleep. */
static void waiting_ends_without_a_wake_up(void **state)
{
	struct event_cell cell = new_cell(true);
	struct waiter waiter = {.cell = &cell, .condition = {EVENT_EQ, 3, UINT64_MAX}, .result = 1};
	pthread_t thread;

	(void)state;
	thread = start_waiting(&waiter);
	usleep(10000);
	atomic_store(cell.value, 3);
	pthread_join(thread, NULL);
	assert_ok(waiter.result);
	event_cell_close(&cell);
}

static void those_without_a_place_know_how_many_they_are(void **state)
{
	enum { PLACELESS = 3 };
	struct event_cell cell = new_cell(false);
	struct waiter waiters[EVENT_SLEEPERS + PLACELESS];
	pthread_t threads[EVENT_SLEEPERS + PLACELESS];

	(void)state;
	for (int i = 0; i < EVENT_SLEEPERS + PLACELESS; i++) {
		waiters[i] = (struct waiter){.cell = &cell, .condition = {EVENT_EQ, 3, UINT64_MAX}};
		assert_int_equal(pthread_create(&threads[i], NULL, wait_for, &waiters[i]), 0);
	}
	while (atomic_load(&cell.crowd) < PLACELESS)
		sched_yield();
	assert_int_equal(atomic_load(&cell.crowd), PLACELESS);
	event_cell_set(&cell, 3);
	for (int i = 0; i < EVENT_SLEEPERS + PLACELESS; i++) {
		pthread_join(threads[i], NULL);
		assert_ok(waiters[i].result);
	}
	assert_int_equal(atomic_load(&cell.crowd), 0);
	event_cell_close(&cell);
}

static bool is_over(void *arg)
{
	return atomic_load((atomic_bool *)arg);
}

static void waiting_can_be_given_up(void **state)
{
	atomic_bool over = false;
	const struct event_patience patience = {is_over, &over};
	struct event_cell cell = new_cell(false);
	struct waiter waiter = {
		.cell = &cell, .condition = {EVENT_EQ, 3, UINT64_MAX}, .patience = &patience};
	pthread_t thread;

	(void)state;
	thread = start_waiting(&waiter);
	atomic_store(&over, true); /* nobody wakes it up */
	pthread_join(thread, NULL);
	assert_int_equal(waiter.result, DOCA_ERROR_AGAIN);
	assert_false(atomic_load(&cell.page->sleepers[0]));
	event_cell_set(&cell, 3);
	assert_ok(event_cell_wait(&cell, &waiter.condition, 0, &patience)); /* holds already */
	event_cell_close(&cell);
}

static bool is_over_for_the_cancelled(void *arg)
{
	(void)arg;
	pthread_cancel(pthread_self());
	return true;
}

/* Between its sleep and its end: what it slept with is not left behind. */
static void whoever_is_cancelled_awake_leaves_nothing(void **state)
{
	const struct event_patience patience = {is_over_for_the_cancelled, NULL};
	struct event_cell cell = new_cell(false);
	struct waiter waiter = {
		.cell = &cell, .condition = {EVENT_EQ, 3, UINT64_MAX}, .patience = &patience};
	const struct leak before = leak_count();
	pthread_t thread;

	(void)state;
	if (!CANCELS_ARE_SEEN) {
		event_cell_close(&cell);
		skip();
	}
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pthread_create(&thread, NULL, wait_for, &waiter), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
		assert_int_equal(leak_count().fds, before.fds + 1); /* the cell's own sleeper */
	}
	assert_false(atomic_load(&cell.page->sleepers[0]));
	event_cell_close(&cell);
}

static void *wait_cancelled(void *arg)
{
	pthread_cancel(pthread_self());
	return wait_for(arg);
}

/* A descriptor of 0 to 2 is changed for another one, and closed. */
static void so_does_one_who_looks_for_the_dead_without_a_standard_input(void **state)
{
	struct event_cell cell = new_cell(false);
	struct waiter waiter = {.cell = &cell, .condition = {EVENT_EQ, 3, UINT64_MAX}};
	const int input = dup(STDIN_FILENO);
	struct event_sleeper others[EVENT_SLEEPERS];
	struct leak before;
	unsigned int after;
	pthread_t thread;

	(void)state;
	if (!CANCELS_ARE_SEEN) {
		close(input);
		event_cell_close(&cell);
		skip();
	}
	for (int i = 0; i < EVENT_SLEEPERS; i++) {
		assert_ok(event_sleeper_open(&others[i]));
		assert_true(event_sleeper_arm(&others[i], &cell));
	}
	close(STDIN_FILENO);
	before = leak_count();
	assert_int_equal(pthread_create(&thread, NULL, wait_cancelled, &waiter), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	after = leak_count().fds;
	close(STDIN_FILENO);
	assert_int_equal(dup2(input, STDIN_FILENO), STDIN_FILENO);
	close(input);
	assert_int_equal(after, before.fds + 1); /* the cell's own sleeper */
	for (int i = 0; i < EVENT_SLEEPERS; i++) {
		event_sleeper_disarm(&others[i], &cell);
		event_sleeper_close(&others[i]);
	}
	event_cell_close(&cell);
}

static void one_who_is_out_of_patience_can_be_woken(void **state)
{
	atomic_bool over = false;
	const struct event_patience patience = {is_over, &over};
	struct event_cell cell = new_cell(false);
	struct waiter waiter = {
		.cell = &cell, .condition = {EVENT_EQ, 3, UINT64_MAX}, .patience = &patience};
	pthread_t thread;

	(void)state;
	thread = start_waiting(&waiter);
	event_cell_wake(&cell); /* for nothing */
	atomic_store(&over, true);
	event_cell_wake(&cell);
	pthread_join(thread, NULL);
	assert_int_equal(waiter.result, DOCA_ERROR_AGAIN);
	event_cell_close(&cell);
}

static void waiting_ends_when_the_owner_stops(void **state)
{
	struct event_cell cell = new_cell(true);
	struct event_cell import;
	struct waiter waiter = {.cell = &import, .condition = {EVENT_EQ, 3, UINT64_MAX}};
	pthread_t thread;

	(void)state;
	assert_ok(event_cell_open(&cell.anchor.ref, &import));
	thread = start_waiting(&waiter);
	event_cell_close(&cell);
	pthread_join(thread, NULL);
	assert_int_equal(waiter.result, DOCA_ERROR_IO_FAILED);
	event_cell_close(&import);
}

/* Owns a cell, tells its reference, and from then on adds 1 whenever it is told to. */
static void own(struct child *parent, void *arg)
{
	struct event_cell cell;

	(void)arg;
	if (event_cell_create(true, &cell))
		_exit(1);
	child_send(parent, &cell.anchor.ref, sizeof(cell.anchor.ref));
	for (;;) {
		child_await(parent);
		event_cell_add(&cell, 1);
	}
}

static struct child owner(struct event_cell *ret_import)
{
	struct child child = child_start(own, NULL);
	struct anchor_ref ref;

	child_receive(&child, &ref, sizeof(ref));
	assert_ok(event_cell_open(&ref, ret_import));
	return child;
}

static void waiting_works_across_processes(void **state)
{
	struct event_cell import;
	struct child child = owner(&import);
	struct waiter waiter = {.cell = &import, .condition = {EVENT_GT, 1, UINT64_MAX}};
	pthread_t thread;

	(void)state;
	thread = start_waiting(&waiter);
	child_tell(&child);
	child_tell(&child);
	pthread_join(thread, NULL);
	assert_ok(waiter.result);
	child_kill(&child);
	event_cell_close(&import);
}

static void waiting_ends_when_the_owner_dies(void **state)
{
	struct event_cell import, late;
	struct child child = owner(&import);
	struct waiter waiter = {.cell = &import, .condition = {EVENT_GT, 1, UINT64_MAX}};
	pthread_t thread;

	(void)state;
	if (import.owner_pidfd < 0) {
		child_kill(&child);
		event_cell_close(&import);
		skip(); /* valgrind, for one, does not know pidfd_open() */
	}
	thread = start_waiting(&waiter);
	child_kill(&child);
	pthread_join(thread, NULL);
	assert_int_equal(waiter.result, DOCA_ERROR_IO_FAILED);
	assert_true(event_cell_is_lost(&import));
	assert_int_equal(event_cell_open(&import.anchor.ref, &late), DOCA_ERROR_NOT_FOUND);
	event_cell_close(&import);
}

/* A program may ask for the counter of an import in a loop. */
static void the_owner_is_not_looked_at_each_time(void **state)
{
	struct event_cell import;
	struct child child = owner(&import);
	const int pidfd = import.owner_pidfd, ended = eventfd(1, EFD_CLOEXEC);
	unsigned int tries = 0;
	bool is_lost;

	(void)state;
	do { /* until nothing holds it up between the two */
		import.owner_pidfd = pidfd;
		assert_false(event_cell_is_lost(&import));
		import.owner_pidfd = ended;
		is_lost = event_cell_is_lost(&import);
	} while (is_lost && ++tries < 1000);
	assert_false(is_lost);
	while (!event_cell_is_lost(&import)) /* but it is, a moment later */
		;
	assert_true(event_cell_is_lost(&import)); /* for good */
	close(ended);
	import.owner_pidfd = pidfd;
	child_kill(&child);
	event_cell_close(&import);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blob_survives_the_wire),
		cmocka_unit_test(the_counter_starts_at_0_and_wraps),
		cmocka_unit_test(conditions_see_the_mask_only),
		cmocka_unit_test(imports_share_the_counter),
		cmocka_unit_test(only_armed_sleepers_are_woken),
		cmocka_unit_test(waking_takes_no_descriptor),
		cmocka_unit_test(a_crowded_cell_says_so),
		cmocka_unit_test(dead_sleepers_make_room),
		cmocka_unit_test(so_they_do_for_a_sleeper_that_finds_none),
		cmocka_unit_test(garbage_in_the_cell_does_no_harm),
		cmocka_unit_test(waiting_ends_when_the_condition_holds),
		cmocka_unit_test(who_sleeps_again_has_the_same_name),
		cmocka_unit_test(others_run_before_somebody_sleeps),
		cmocka_unit_test(a_flood_holds_up_nobody),
		cmocka_unit_test(waiting_ends_without_a_wake_up),
		cmocka_unit_test(those_without_a_place_know_how_many_they_are),
		cmocka_unit_test(waiting_can_be_given_up),
		cmocka_unit_test(whoever_is_cancelled_awake_leaves_nothing),
		cmocka_unit_test(so_does_one_who_looks_for_the_dead_without_a_standard_input),
		cmocka_unit_test(one_who_is_out_of_patience_can_be_woken),
		cmocka_unit_test(waiting_ends_when_the_owner_stops),
		cmocka_unit_test(waiting_works_across_processes),
		cmocka_unit_test(waiting_ends_when_the_owner_dies),
		cmocka_unit_test(the_owner_is_not_looked_at_each_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
