/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that poll without work, and others who want their CPU. Long because every promise is a
 * small test of its own.
 */
#include "poll_group_rig.h"

#include <sched.h>
#include <sys/wait.h>
#include "base/bell.h"
#include "base/yield.h"
#include "others.h"

#define LONG_NS	  10000000 /* that others use the CPU */
#define POLL_NS	  1000	   /* between two polls */
#define NAP_NS	  1000000  /* what a nap lasts that nobody ends */
#define WAKE_NS	  50000	   /* one that somebody does */
#define NAPS_MAX  1000
#define LONG_WAIT 64 /* polls, at least */

static unsigned int yields, naps;
static uint64_t others_ns; /* how long others use it when they are let run */
static void (*while_napping)(void);
static uint64_t nap_ns;
static struct source *sleeper;
static bool peer_runs; /* among those others, and gives the sleeper work */
static bool is_alone;  /* there are no others: the peer runs elsewhere */

/* Both are the library's, too. */
int sched_yield(void)
{
	yields++;
	others_have_run += !is_alone;
	priv_clock_virtual.now_ns += others_ns;
	if (peer_runs)
		sleeper->work++;
	return 0;
}

int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	const struct timespec at_once = {0};

	if (timeout_ms) {
		naps++;
		priv_clock_virtual.now_ns += nap_ns;
		if (while_napping)
			while_napping();
	}
	return ppoll(fds, count, &at_once, NULL);
}

/* One round, a moment after the last one. */
static unsigned int poll_soon(struct poll_group *group)
{
	priv_clock_virtual.now_ns += POLL_NS;
	return priv_poll_group_poll(group, 0);
}

/* A group with one poller of which the thread expects work, whose CPU others use as they like. */
static struct source *crowd(struct rig *rig)
{
	struct source *source = &rig->sources[0];

	source->poller.ops = &memory_ops;
	add(rig, 1);
	while_napping = NULL;
	nap_ns = NAP_NS;
	others_ns = 0;
	/* Naps are left over from the last test, maybe; and this wait is a long one. */
	yields = 0;
	for (unsigned int polls = 0; yields < 3 || polls < LONG_WAIT; polls++)
		poll_soon(&rig->group);
	source->work = 1;
	while (source->work)
		poll_soon(&rig->group);
	yields = 0;
	others_ns = LONG_NS;
	while (yields < 2) /* the first time may be chance */
		assert_int_equal(poll_soon(&rig->group), 0);
	naps = 0;
	sleeper = source;
	return source;
}

static void wait_for_nap(struct rig *rig)
{
	unsigned int before = naps;

	for (unsigned int i = 0; naps == before && i < 1000; i++)
		poll_soon(&rig->group);
}

/* Whoever polls two groups has not nothing to do because one of them is idle. */
static void a_thread_without_work_in_any_group_lets_others_run(void **state)
{
	struct rig *rig = *state;
	struct poll_group idle;

	assert_ok(priv_poll_group_init(&idle));
	priv_poll_group_add(&idle, &rig->sources[1].poller);
	add(rig, 1);
	others_ns = 0;
	for (unsigned int i = 0; i < 20; i++)
		poll_later(rig);
	yields = 0;
	for (unsigned int i = 0; i < 1000; i++) {
		rig->sources[0].work = 1;
		assert_int_equal(poll_soon(&rig->group), 1);
		if (i % 16 == 15)
			assert_int_equal(priv_poll_group_poll(&idle, 0), 0);
	}
	assert_int_equal(yields, 0);
	for (unsigned int i = 0; i < 1000; i++) {
		assert_int_equal(poll_soon(&rig->group), 0);
		assert_int_equal(priv_poll_group_poll(&idle, 0), 0);
	}
	assert_true(yields > 0);
	priv_poll_group_remove(&rig->sources[1].poller);
	priv_poll_group_fini(&idle);
}

static void others_run_when_the_ticks_have_gone_back(void **state)
{
	struct rig *rig = *state;

	add(rig, 1);
	others_ns = 0;
	for (unsigned int i = 0; i < 20; i++)
		poll_later(rig);
	yields = 0;
	priv_clock_virtual.now_ns = 1;
	for (unsigned int i = 0; i < 1000; i++)
		poll_soon(&rig->group);
	assert_true(yields > 0);
}

static void nobody_naps_while_others_give_the_cpu_back_soon(void **state)
{
	struct rig *rig = *state;

	crowd(rig);
	others_ns = 0;
	for (yields = 0; yields < 2;) /* that it was so long is forgotten by then */
		poll_soon(&rig->group);
	naps = 0;
	for (unsigned int i = 0; i < 10000; i++)
		poll_soon(&rig->group);
	assert_int_equal(naps, 0);
	assert_true(yields > 2);
}

/* How many polls in vain does it take until others are let run? */
static unsigned int count_polls(struct poll_group *group)
{
	unsigned int before = yields, polls = 0;

	for (; yields == before && polls < 10000; polls++)
		poll_soon(group);
	return polls;
}

static void a_peer_on_the_same_cpu_is_let_run_sooner_and_sooner(void **state)
{
	struct rig *rig = *state;
	unsigned int first, last = 0;

	crowd(rig);
	others_ns = 0;
	for (unsigned int i = 0; i < 20; i++) /* what there was before is forgotten */
		count_polls(&rig->group);
	peer_runs = true;
	count_polls(&rig->group);
	first = count_polls(&rig->group);
	for (unsigned int i = 0; i < 20; i++)
		last = count_polls(&rig->group);
	assert_true(last < first / 4);
	peer_runs = false;
	for (unsigned int i = 0; i < 20; i++)
		count_polls(&rig->group);
	peer_runs = true;
	count_polls(&rig->group);
	assert_true(count_polls(&rig->group) > 2 * last);
	peer_runs = false;
}

/* It answers as fast without that: a yield would be in its way. */
static void a_peer_on_another_cpu_is_not_let_run_sooner(void **state)
{
	struct rig *rig = *state;

	crowd(rig);
	others_ns = 0;
	peer_runs = true;
	for (unsigned int i = 0; i < 10; i++)
		count_polls(&rig->group);
	assert_true(priv_yield_hurry() > 2);
	is_alone = true; /* from now on, which is seen in time */
	for (unsigned int i = 0; i < 200; i++)
		count_polls(&rig->group);
	assert_int_equal(priv_yield_hurry(), 0);
	for (unsigned int i = 0; i < 200; i++) {
		count_polls(&rig->group);
		assert_int_equal(priv_yield_hurry(), 0);
	}
	is_alone = peer_runs = false;
}

/* One group may be looked at in vain before the one that the work is in. */
static void one_look_in_vain_says_nothing(void **state)
{
	unsigned int hurry = 0;

	(void)state;
	for (unsigned int i = 0; i < 10; i++) {
		priv_yield_to_others();
		yield_note(false);
		assert_true(yield_has_been());
		yield_note(true);
		assert_false(yield_has_been());
		assert_true(priv_yield_hurry() >= hurry);
		hurry = priv_yield_hurry();
	}
	assert_true(hurry > 0);
	/* Nor does it matter how many look between one time and the next. */
	for (; hurry; hurry--) {
		priv_yield_to_others();
		yield_note(false);
		assert_int_equal(priv_yield_hurry(), hurry);
		priv_yield_to_others();
		yield_note(false);
		assert_int_equal(priv_yield_hurry(), hurry - 1);
	}
}

/* There is work after so long, even if the peer has not had this CPU. */
static void others_who_keep_the_cpu_are_not_let_run_sooner(void **state)
{
	struct rig *rig = *state;
	unsigned int hurry;

	crowd(rig);
	others_ns = 0;
	peer_runs = true;
	for (unsigned int i = 0; i < 20; i++)
		count_polls(&rig->group);
	hurry = priv_yield_hurry();
	assert_true(hurry > 0);
	rig->group.is_locked = true; /* which does not nap */
	others_ns = LONG_NS;
	for (; hurry; hurry--) {
		while (!rig->group.wants_yield)
			poll_soon(&rig->group);
		rig->group.wants_yield = false;
		priv_yield_to_others();
		assert_true(poll_soon(&rig->group) > 0);
		assert_int_equal(priv_yield_hurry(), 0); /* as long as they do */
	}
	peer_runs = false;
	others_ns = 0;
	priv_yield_to_others();
	assert_int_equal(priv_yield_hurry(), 0);
}

/* A submit that finds room is work, too: polls hear of it from their caller. */
static void what_the_caller_could_do_afterwards_was_worth_while(void **state)
{
	struct rig *rig = *state;
	unsigned int first = 0, last = 0;

	crowd(rig);
	others_ns = 0;
	for (unsigned int i = 0; i < 40; i++)
		count_polls(&rig->group);
	for (unsigned int i = 0; i < 20; i++) {
		priv_poll_group_poll(&rig->group, 1);
		last = count_polls(&rig->group);
		first = first ? first : last;
	}
	assert_true(last < first / 4);
}

static void expect_announced(void)
{
	assert_true(sleeper->announced);
	assert_false(sleeper->poller.hot);
}

static void whoever_shares_the_cpu_naps(void **state)
{
	struct rig *rig = *state;
	struct source *source = crowd(rig);

	while_napping = expect_announced;
	wait_for_nap(rig);
	assert_int_equal(naps, 1);
	assert_false(source->announced);
	assert_true(source->poller.hot);
}

/* How many polls in vain does it take until the next nap? */
static unsigned int count_polls_awake(struct poll_group *group)
{
	unsigned int before = naps, polls = 0;

	for (; naps == before && polls < 10000; polls++)
		poll_soon(group);
	return polls;
}

static void wake_sleeper(void)
{
	sleeper->work++;
}

/* A peer that wakes the sleeper soon: each time because he sleeps, or by chance? */
static void talk(struct rig *rig, unsigned int exchanges, bool answers)
{
	while_napping = wake_sleeper;
	nap_ns = WAKE_NS;
	for (unsigned int i = 0; i < exchanges; i++) {
		wait_for_nap(rig);
		for (unsigned int j = 0; answers && j < 100; j++) {
			sleeper->work += j % 3 == 0;
			poll_soon(&rig->group);
		}
	}
}

static unsigned int count_naps(struct rig *rig)
{
	unsigned int before = yields;

	naps = 0;
	while (naps < NAPS_MAX && yields == before)
		poll_soon(&rig->group);
	return naps;
}

static void it_is_seen_again_how_long_others_take(void **state)
{
	crowd(*state);
	assert_in_range(count_naps(*state), 2, NAPS_MAX - 1);
}

/* A free CPU may be gone for a moment, too: its owner had better poll. */
static void once_is_not_a_crowd(void **state)
{
	struct rig *rig = *state;
	unsigned int many, few;

	crowd(rig);
	while_napping = wake_sleeper;
	nap_ns = WAKE_NS;
	many = count_naps(rig);
	others_ns = 0;
	count_naps(rig); /* it was the last time */
	others_ns = LONG_NS;
	for (yields = 0; !yields;)
		poll_soon(&rig->group);
	few = count_naps(rig);
	assert_true(few > 0);
	assert_true(few < many / 8);
}

static void naps_that_are_worth_while_go_on_longer(void **state)
{
	struct rig *rig = *state;
	unsigned int in_vain;

	crowd(rig);
	in_vain = count_naps(rig);
	while_napping = wake_sleeper;
	nap_ns = WAKE_NS;
	assert_true(count_naps(rig) > 8 * in_vain);
}

/* It waits for this very CPU: staying awake only keeps it from it. */
static void who_is_woken_only_when_he_sleeps_does_so_sooner(void **state)
{
	struct rig *rig = *state;
	unsigned int first, last;

	crowd(rig);
	talk(rig, NAPS_MAX, true);
	wait_for_nap(rig);
	first = count_polls_awake(&rig->group);
	talk(rig, 8, false);
	last = count_polls_awake(&rig->group);
	assert_true(last < first / 4);
	while (naps < NAPS_MAX) /* but tries again now and then */
		talk(rig, 1, false);
	for (unsigned int i = 0; i < NAPS_MAX && last < first / 4; i++)
		last = count_polls_awake(&rig->group);
	assert_true(last >= first / 4);
}

/* It runs on another CPU, and a nap costs it a wake-up for each message. */
static void who_is_answered_while_awake_stays_so(void **state)
{
	struct rig *rig = *state;
	unsigned int first;

	crowd(rig);
	talk(rig, NAPS_MAX, true); /* what there was before is forgotten */
	wait_for_nap(rig);
	first = count_polls_awake(&rig->group);
	for (unsigned int i = 0; i < 100; i++) {
		talk(rig, 1, true);
		assert_true(count_polls_awake(&rig->group) > first / 2);
	}
}

/* It has something else to do, be it to sleep. */
static void a_program_that_polls_rarely_does_not_nap(void **state)
{
	struct rig *rig = *state;
	struct source *source = crowd(rig);

	wait_for_nap(rig);
	naps = yields = 0;
	for (unsigned int i = 0; i < 100; i++) {
		source->work = 1;
		poll_soon(&rig->group);
		priv_clock_virtual.now_ns += LONG_NS;
		assert_int_equal(poll_soon(&rig->group), 0);
	}
	assert_int_equal(naps + yields, 0);
}

/* Whoever gets the answers, not who has just sent something. */
static void the_engine_naps_that_is_waited_at(void **state)
{
	struct rig *rig = *state;
	struct source *sender = &rig->sources[1];
	struct poll_group other;
	struct source *source;

	assert_ok(priv_poll_group_init(&other));
	sender->poller.ops = &memory_ops;
	source = crowd(rig);
	priv_poll_group_add(&other, &sender->poller);
	for (unsigned int i = 0; i < 20; i++) { /* after a long wait there is work in the group, */
		for (unsigned int j = 0; j < 200; j++)
			poll_soon(&rig->group);
		source->work = 1;
		poll_soon(&rig->group);
		sender->work = 1; /* and in the other one soon after that */
		poll_soon(&other);
	}
	for (yields = 0; !yields;)
		poll_soon(&rig->group);
	yields = naps = 0;
	while_napping = expect_announced;
	while (naps < 14) {
		for (unsigned int i = 0; i < 4; i++)
			poll_soon(&other);
		poll_soon(&rig->group);
		assert_int_equal(yields, 0);
	}
	while (!yields) { /* unless nobody polls it any more */
		assert_int_equal(poll_soon(&other), 0);
		assert_int_equal(naps, 14);
	}
	priv_poll_group_remove(&sender->poller);
	priv_poll_group_fini(&other);
}

static void work_that_comes_at_the_last_moment_prevents_a_nap(void **state)
{
	struct rig *rig = *state;
	struct source *source = crowd(rig);
	unsigned int done = 0;

	source->work_on_arm = true;
	for (unsigned int i = 0; !done && i < 1000; i++)
		done = poll_soon(&rig->group);
	assert_int_equal(done, 1);
	assert_int_equal(naps, 0);
	assert_true(source->poller.hot);
}

static struct rig *napping;

static void ring_bell(void)
{
	priv_eventfd_ring(napping->bells[0].watch.fd);
}

static void what_ends_a_nap_is_told_in_the_next_poll(void **state)
{
	struct rig *rig = *state;

	crowd(rig);
	poll_later(rig); /* takes in what the bells have had to say */
	napping = rig;
	while_napping = ring_bell;
	wait_for_nap(rig);
	while_napping = NULL;
	rig->bells[0].rings = 0;
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 1);
	assert_int_equal(rig->bells[0].rings, 1);
}

static void fork_in_a_handler(void)
{
	priv_poll_group_disown(&napping->group); /* as in the child */
}

static void a_child_may_be_born_in_a_nap(void **state)
{
	struct rig *rig = *state;
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		crowd(rig);
		napping = rig;
		while_napping = fork_in_a_handler;
		wait_for_nap(rig);
		_exit(!rig->group.is_disowned);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static struct nap unlocked;

/* Another thread, which has the lock meanwhile, takes the only poller away. */
static void remove_sleeper(void)
{
	priv_poll_group_remove(&sleeper->poller);
}

static void a_nap_without_the_lock_ends_whatever_has_happened(void **state)
{
	struct rig *rig = *state;
	struct source *source = crowd(rig);

	rig->group.is_locked = true;
	while (!rig->group.wants_yield)
		poll_soon(&rig->group);
	rig->group.wants_yield = false;
	while_napping = expect_announced;
	assert_true(priv_poll_group_begin_nap(&rig->group, &unlocked));
	priv_poll_group_nap(&unlocked);
	priv_poll_group_end_nap(&rig->group, &unlocked);
	assert_true(source->poller.hot);
	while (!rig->group.wants_yield)
		poll_soon(&rig->group);
	while_napping = remove_sleeper;
	assert_true(priv_poll_group_begin_nap(&rig->group, &unlocked));
	priv_poll_group_nap(&unlocked);
	priv_poll_group_end_nap(&rig->group, &unlocked);
	assert_int_equal(rig->group.hot_count + rig->group.cold_count, 0);
	assert_false(priv_poll_group_begin_nap(&rig->group, &unlocked)); /* there is nobody */
	priv_poll_group_add(&rig->group, &source->poller);
}

/* Another thread, which has the lock meanwhile, goes to sleep itself. */
static void arm_group(void)
{
	assert_true(priv_poll_group_arm(sleeper->poller.group));
}

static void the_end_of_a_nap_without_the_lock_wakes_nobody(void **state)
{
	struct rig *rig = *state;

	crowd(rig);
	while_napping = arm_group;
	assert_true(priv_poll_group_begin_nap(&rig->group, &unlocked));
	priv_poll_group_nap(&unlocked);
	priv_poll_group_end_nap(&rig->group, &unlocked);
	assert_true(rig->group.armed);
	assert_false(rig->group.held);
	expect_announced();
}

/* Others may wait for that lock. */
static void whoever_holds_a_lock_lets_others_run_afterwards(void **state)
{
	struct rig *rig = *state;

	crowd(rig);
	rig->group.is_locked = true;
	yields = 0;
	for (unsigned int i = 0; i < 10000 && !rig->group.wants_yield; i++)
		poll_soon(&rig->group);
	assert_true(rig->group.wants_yield);
	for (unsigned int i = 0; i < 1000; i++)
		poll_soon(&rig->group);
	assert_int_equal(naps + yields, 0);
	priv_yield_to_others();
	assert_int_equal(yields, 1);
}

static void fire(struct timer *timer)
{
	(void)timer;
}

static void nobody_naps_who_is_armed_or_has_a_timer(void **state)
{
	struct rig *rig = *state;
	struct source *source = crowd(rig);
	struct timer timer = {.fire = fire};

	priv_poll_group_timer_add(&rig->group, &timer, INT64_MAX);
	for (unsigned int i = 0; i < 1000; i++)
		poll_soon(&rig->group);
	priv_poll_group_timer_remove(&timer);
	assert_int_equal(naps, 0);
	fall_asleep(rig);
	priv_poll_group_heat(&source->poller);
	naps = 0;
	for (unsigned int i = 0; i < 1000; i++)
		poll_soon(&rig->group);
	assert_int_equal(naps, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_thread_without_work_in_any_group_lets_others_run),
		TEST(others_run_when_the_ticks_have_gone_back),
		TEST(nobody_naps_while_others_give_the_cpu_back_soon),
		TEST(a_peer_on_the_same_cpu_is_let_run_sooner_and_sooner),
		TEST(a_peer_on_another_cpu_is_not_let_run_sooner),
		TEST(one_look_in_vain_says_nothing),
		TEST(others_who_keep_the_cpu_are_not_let_run_sooner),
		TEST(what_the_caller_could_do_afterwards_was_worth_while),
		TEST(whoever_shares_the_cpu_naps),
		TEST(it_is_seen_again_how_long_others_take),
		TEST(once_is_not_a_crowd),
		TEST(naps_that_are_worth_while_go_on_longer),
		TEST(who_is_woken_only_when_he_sleeps_does_so_sooner),
		TEST(who_is_answered_while_awake_stays_so),
		TEST(a_program_that_polls_rarely_does_not_nap),
		TEST(the_engine_naps_that_is_waited_at),
		TEST(work_that_comes_at_the_last_moment_prevents_a_nap),
		TEST(what_ends_a_nap_is_told_in_the_next_poll),
		TEST(a_child_may_be_born_in_a_nap),
		TEST(a_nap_without_the_lock_ends_whatever_has_happened),
		TEST(the_end_of_a_nap_without_the_lock_wakes_nobody),
		TEST(whoever_holds_a_lock_lets_others_run_afterwards),
		TEST(nobody_naps_who_is_armed_or_has_a_timer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
