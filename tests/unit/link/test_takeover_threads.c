/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanging pages under the eyes of other threads, who must notice nothing.
 */
#include "takeovertest.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/time.h>
#include "valgrind.h"

#define PAGES (SIZE / 4096)

struct writer {
	pthread_t thread;
	char *memory;
	_Atomic uint64_t *counter; /* one that is incremented, all over the range */
	_Atomic bool *stop;
	unsigned int offset;
	uint64_t rounds;
	int pipe[2];
};

/* Increments a counter of its own in every page, again and again. */
static void *increment(void *arg)
{
	struct writer *w = arg;

	while (!atomic_load_explicit(w->stop, memory_order_relaxed)) {
		size_t page;

		for (page = 0; page < PAGES; page++) {
			uint64_t *counter = (void *)(w->memory + page * 4096 + w->offset);

			__atomic_store_n(counter, *counter + 1, __ATOMIC_RELAXED);
		}
		atomic_store_explicit(w->counter, ++w->rounds, memory_order_release);
	}
	return NULL;
}

/* Lets the kernel write the number of the round into every page. */
static void *read_into(void *arg)
{
	struct writer *w = arg;

	while (!atomic_load_explicit(w->stop, memory_order_relaxed)) {
		size_t page;

		w->rounds++;
		for (page = 0; page < PAGES; page++) {
			char *counter = w->memory + page * 4096 + w->offset;

			if (write(w->pipe[1], &w->rounds, 8) != 8 ||
			    read(w->pipe[0], counter, 8) != 8)
				abort();
		}
		atomic_store_explicit(w->counter, w->rounds, memory_order_release);
	}
	return NULL;
}

static void start_writer(struct writer *w, void *(*run)(void *))
{
	if (pipe2(w->pipe, O_CLOEXEC) || pthread_create(&w->thread, NULL, run, w))
		abort();
	while (!atomic_load_explicit(w->counter, memory_order_acquire))
		sched_yield();
}

static void await_rounds(struct writer *w, uint64_t count)
{
	uint64_t from = atomic_load_explicit(w->counter, memory_order_acquire);

	while (atomic_load_explicit(w->counter, memory_order_acquire) - from < count)
		sched_yield();
}

static void check_writer(struct writer *w, const char *memory)
{
	size_t page;

	for (page = 0; page < PAGES; page++) {
		uint64_t counter;

		memcpy(&counter, memory + page * 4096 + w->offset, 8);
		assert_int_equal(counter, w->rounds);
	}
}

/* Writers go on all over the range while it goes there and back; nothing of theirs is lost. */
static void no_write_of_another_thread_is_lost(void **state)
{
	struct range range = open_range();
	_Atomic uint64_t counters[3] = {0};
	_Atomic bool stop = false;
	struct writer writers[3];
	unsigned int i, round;

	(void)state;
	for (i = 0; i < 3; i++) {
		writers[i] = (struct writer){.memory = range.user,
					     .counter = &counters[i],
					     .stop = &stop,
					     .offset = i * 512};
		start_writer(&writers[i], i < 2 ? increment : read_into);
	}
	for (round = 0; round < 20; round++) {
		enum takeover taken = takeover_share(range.memfd, 0, range.user, SIZE);

		if (taken == TAKEOVER_THREADS || taken == TAKEOVER_NO_GUARD)
			break; /* and nothing may have changed */
		assert_int_equal(taken, TAKEOVER_DONE);
		await_rounds(&writers[round % 3], 1);
		assert_true(takeover_return(range.memfd, 0, range.user, SIZE, false));
	}
	atomic_store(&stop, true);
	for (i = 0; i < 3; i++)
		pthread_join(writers[i].thread, NULL);
	for (i = 0; i < 3; i++) {
		check_writer(&writers[i], range.user);
		close(writers[i].pipe[0]);
		close(writers[i].pipe[1]);
	}
	close_range_of(&range);
	if (round == 0)
		skip(); /* no userfaultfd here */
}

static uint64_t *counted_there, counted_elsewhere;

static void count(int signal)
{
	(void)signal;
	++*counted_there;
	counted_elsewhere++;
}

static void set_timer(suseconds_t us)
{
	struct itimerval every = {.it_interval.tv_usec = us, .it_value.tv_usec = us};

	assert_int_equal(setitimer(ITIMER_REAL, &every, NULL), 0);
}

struct idle {
	pthread_t thread;
	int pipe[2];
};

static void *idle(void *arg)
{
	struct idle *it = arg;
	char byte;

	return read(it->pipe[0], &byte, 1) == 1 ? NULL : arg;
}

static void start_idle(struct idle *it)
{
	if (pipe2(it->pipe, O_CLOEXEC) || pthread_create(&it->thread, NULL, idle, it))
		abort();
}

static void end_idle(struct idle *it)
{
	if (write(it->pipe[1], "", 1) != 1)
		abort();
	pthread_join(it->thread, NULL);
	close(it->pipe[0]);
	close(it->pipe[1]);
}

/* false: it cannot be exchanged here, and nothing may have changed */
static bool exchange_while_counting(struct range *range)
{
	unsigned int round;

	for (round = 0; round < 50; round++) {
		enum takeover taken = takeover_share(range->memfd, 0, range->user, SIZE);

		if (taken == TAKEOVER_THREADS || taken == TAKEOVER_NO_GUARD)
			break;
		assert_int_equal(taken, TAKEOVER_DONE);
		assert_true(takeover_return(range->memfd, 0, range->user, SIZE, false));
	}
	return round;
}

/* The handler runs in the thread that exchanges the pages. false: as above */
static bool count_in_range(void)
{
	struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART}, before;
	struct range range = open_range();
	bool exchanged;

	counted_there = (uint64_t *)(void *)(range.user + SIZE / 2);
	*counted_there = counted_elsewhere = 0;
	assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
	set_timer(50);
	exchanged = exchange_while_counting(&range);
	set_timer(0);
	assert_int_equal(*counted_there, counted_elsewhere);
	assert_true(!exchanged || counted_elsewhere > 0);
	sigaction(SIGALRM, &before, NULL);
	close_range_of(&range);
	return exchanged;
}

static void no_write_of_a_signal_handler_is_lost(void **state)
{
	(void)state;
	if (!count_in_range())
		skip(); /* no userfaultfd here */
}

/* Its writer would wait for a guard that only this thread takes away. */
static void nor_is_this_thread_held_up(void **state)
{
	sigset_t alarm, before;
	struct idle other;
	bool exchanged;

	(void)state;
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, &before);
	start_idle(&other);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	exchanged = count_in_range();
	end_idle(&other);
	if (!exchanged)
		skip(); /* no userfaultfd here */
}

/* exit status: 0 as it should be, SKIP, or which step was not */
static void threads_without_rights(struct child *parent, void *arg)
{
	struct range *range = arg;
	_Atomic uint64_t counter = 0;
	_Atomic bool stop = false;
	struct writer writer = {.memory = range->user, .counter = &counter, .stop = &stop};
	enum takeover taken;
	size_t page;

	(void)parent;
	become_nobody();
	/* While there is one thread it works; to give it back needs another way later. */
	taken = takeover_share(range->memfd, 0, range->user, SIZE);
	if (taken == TAKEOVER_NO_GUARD)
		_exit(SKIP);
	if (taken)
		_exit(taken == TAKEOVER_THREADS ? SKIP : 1); /* a sanitizer has one of its own */
	start_writer(&writer, increment);
	taken = takeover_share(range->memfd, 0, range->peer, SIZE);
	if (taken != TAKEOVER_SHARED)
		_exit(2);
	if (!takeover_return(range->memfd, 0, range->user, SIZE, false))
		_exit(3);
	await_rounds(&writer, 2);
	atomic_store(&stop, true);
	pthread_join(writer.thread, NULL);
	for (page = 0; page < PAGES; page++)
		if (*(uint64_t *)(void *)(range->user + page * 4096) != writer.rounds)
			_exit(4);
	memset(range->peer, 0xee, SIZE);
	for (page = 0; page < PAGES; page++)
		if (*(uint64_t *)(void *)(range->user + page * 4096) != writer.rounds)
			_exit(5);
}

static void threads_that_came_later_lose_nothing(void **state)
{
	struct range range = open_range();
	struct child child;
	int status;

	(void)state;
	child = child_start(threads_without_rights, &range);
	status = child_join(&child);
	close_range_of(&range);
	if (status == SKIP)
		skip();
	assert_int_equal(status, 0);
}

static void refused_without_rights(struct child *parent, void *arg)
{
	struct range *range = arg;
	struct idle other;
	enum takeover taken;

	(void)parent;
	become_nobody();
	start_idle(&other);
	taken = takeover_share(range->memfd, 0, range->user, SIZE);
	end_idle(&other);
	if (taken == TAKEOVER_DONE || taken == TAKEOVER_NO_GUARD)
		_exit(SKIP); /* this machine gives userfaultfd to everybody */
	_exit(taken == TAKEOVER_THREADS && is_filled(range->user, SIZE) ? 0 : 1);
}

static void several_threads_need_a_guard(void **state)
{
	struct range range = open_range();
	struct child child;
	int status;

	(void)state;
	fill(range.user, SIZE);
	child = child_start(refused_without_rights, &range);
	status = child_join(&child);
	close_range_of(&range);
	if (status == SKIP)
		skip();
	assert_int_equal(status, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, leak_setup, leak_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_write_of_another_thread_is_lost),
		TEST(no_write_of_a_signal_handler_is_lost),
		TEST(nor_is_this_thread_held_up),
		TEST(threads_that_came_later_lose_nothing),
		TEST(several_threads_need_a_guard),
	};

	if (runs_under_valgrind()) {
		printf("valgrind does not know userfaultfd()\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
