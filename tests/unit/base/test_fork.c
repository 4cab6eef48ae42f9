/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#include "base/fork.h"
#include "child.h"

struct watched {
	struct fork_watch watch;
	unsigned int calls;
};

static void count(struct fork_watch *watch)
{
	container_of(watch, struct watched, watch)->calls++;
}

static void exit_with_calls(struct child *parent, void *arg)
{
	const struct watched *watched = arg;

	(void)parent;
	_exit((int)(watched[0].calls + 10 * watched[1].calls));
}

static void a_child_is_told_and_its_parent_is_not(void **state)
{
	struct watched watched[2] = {{.calls = 0}};
	struct child child;

	(void)state;
	priv_fork_watch(&watched[0].watch, count);
	priv_fork_watch(&watched[1].watch, count);
	child = child_start(exit_with_calls, watched);
	assert_int_equal(child_join(&child), 11);
	assert_int_equal(watched[0].calls + watched[1].calls, 0);
	priv_fork_unwatch(&watched[0].watch);
	child = child_start(exit_with_calls, watched);
	assert_int_equal(child_join(&child), 10);
	priv_fork_unwatch(&watched[1].watch);
	child = child_start(exit_with_calls, watched);
	assert_int_equal(child_join(&child), 0);
}

/* exit status: how often a grandchild was told */
static void beget(struct child *parent, void *arg)
{
	struct child child;

	(void)parent;
	child = child_start(exit_with_calls, arg);
	_exit(child_join(&child));
}

static void a_grandchild_is_told_again(void **state)
{
	struct watched watched[2] = {{.calls = 0}};
	struct child child;

	(void)state;
	priv_fork_watch(&watched[0].watch, count);
	child = child_start(beget, watched);
	assert_int_equal(child_join(&child), 2);
	priv_fork_unwatch(&watched[0].watch);
}

static void watch_in_child(struct child *parent, void *arg)
{
	struct watched own = {.calls = 0};

	(void)arg;
	priv_fork_watch(&own.watch, count); /* not stuck on the parent's lock */
	priv_fork_unwatch(&own.watch);
	child_tell(parent);
}

static void a_child_may_watch_itself(void **state)
{
	struct child child = child_start(watch_in_child, NULL);

	(void)state;
	child_await(&child);
	assert_int_equal(child_join(&child), 0);
}

/*
 * A handler of a signal that forks while nobody may would wait for itself.
 */

static volatile sig_atomic_t handled, raises;

static void note_signal(int signal)
{
	(void)signal;
	handled++;
}

static void catch_signal(void)
{
	const struct sigaction action = {.sa_handler = note_signal};

	handled = 0;
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
}

static void a_signal_waits_while_nobody_may_fork(void **state)
{
	int early;

	(void)state;
	catch_signal();
	priv_fork_hold();
	raise(SIGUSR1);
	early = handled;
	priv_fork_release();
	assert_int_equal(early, 0);
	assert_int_equal(handled, 1);
}

/* Registered first, and so called when the library's handlers have been. */
static void raise_before_fork(void)
{
	if (!raises)
		return;
	raise(SIGUSR1);
	raises = handled ? -1 : 0;
}

static void a_signal_waits_until_the_fork_is_over(void **state)
{
	struct watched watched = {.calls = 0};
	struct child child;

	(void)state;
	catch_signal();
	priv_fork_watch(&watched.watch, count);
	raises = 1;
	child = child_start(exit_with_calls, (struct watched[2]){{.calls = 0}});
	assert_int_equal(raises, 0);
	assert_int_equal(handled, 1);
	assert_int_equal(child_join(&child), 0);
	priv_fork_unwatch(&watched.watch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_is_told_and_its_parent_is_not),
		cmocka_unit_test(a_grandchild_is_told_again),
		cmocka_unit_test(a_child_may_watch_itself),
		cmocka_unit_test(a_signal_waits_while_nobody_may_fork),
		cmocka_unit_test(a_signal_waits_until_the_fork_is_over),
	};

	pthread_atfork(raise_before_fork, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
