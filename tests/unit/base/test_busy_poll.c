/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Busy polling before a sleep: when it is tried, and when no more.
 */
#include "poll_group_rig.h"

#include <limits.h>

/* the one hot poller, of the rig's first source */
static struct {
	unsigned int looks;
	unsigned int answers_at; /* the look that finds its answer; 0: none does */
	unsigned int work;	 /* of an answer, for a poll */
} peer;

static bool peer_pending(struct poller *poller)
{
	bool answers;

	peer.looks++;
	answers = peer.answers_at && peer.looks >= peer.answers_at;
	if (answers)
		source_of(poller)->work = peer.work;
	return answers;
}

static const struct poller_ops peer_ops = {
	.poll = source_poll,
	.arm = source_arm,
	.pending = peer_pending,
	.disarm = source_disarm,
	.polls_memory = true,
};

/* a group that has had short sleeps, with a clock that goes on by itself */
static void become_drowsy(struct rig *rig, uint64_t step_ns)
{
	memset(&peer, 0, sizeof(peer));
	rig->sources[0].poller.ops = &peer_ops;
	add(rig, 1);
	priv_clock_virtual.step_ns = step_ns;
	assert_false(priv_busy_poll(&rig->group, false)); /* from now on this thread sleeps there */
	rig->group.busy_poll.slept_shortly = true;
	rig->group.arms = 1;
}

/* returns how often it looked, in vain */
static unsigned int try(struct rig *rig)
{
	peer.looks = peer.answers_at = 0;
	assert_false(priv_busy_poll(&rig->group, false));
	return peer.looks;
}

/* One whose answer is there at that look. It has work in the next poll then. */
static bool find(struct rig *rig, unsigned int at)
{
	bool found;

	peer.looks = peer.work = 0;
	peer.answers_at = at;
	found = priv_busy_poll(&rig->group, false);
	peer.answers_at = 0;
	priv_poll_group_poll(&rig->group, 1);
	return found;
}

static void sleep_for(struct rig *rig, uint64_t ns)
{
	assert_true(priv_poll_group_arm(&rig->group));
	priv_clock_virtual.now_ns += ns;
	priv_poll_group_clear(&rig->group);
}

static void short_sleeps_are_naps(void **state)
{
	struct rig *rig = *state;

	sleep_for(rig, 1000000);
	assert_false(rig->group.busy_poll.slept_shortly);
	sleep_for(rig, 1000);
	assert_true(rig->group.busy_poll.slept_shortly);
	priv_clock_virtual.now_ns += 1000000; /* awake */
	priv_poll_group_clear(&rig->group);
	assert_true(rig->group.busy_poll.slept_shortly);
	assert_true(priv_poll_group_arm(&rig->group));
	poll_later(rig); /* so does a poll end one */
	assert_false(rig->group.busy_poll.slept_shortly);
}

#define STEP_NS	    100
#define LONG_LOOKS  1600 /* at STEP_NS each, and one before */
#define SHORT_LOOKS 160

static void nobody_polls_before_a_long_sleep(void **state)
{
	struct rig *rig = *state;

	become_drowsy(rig, STEP_NS);
	assert_true(try(rig));
	rig->group.busy_poll.slept_shortly = false;
	assert_false(try(rig));
}

static void what_is_there_is_found_at_once(void **state)
{
	struct rig *rig = *state;

	become_drowsy(rig, STEP_NS);
	assert_true(find(rig, 1));
	assert_int_equal(peer.looks, 1);
	assert_in_range(try(rig), LONG_LOOKS, LONG_LOOKS + 1); /* it has taught nothing */
	/* so it is where nobody else runs meanwhile */
	priv_clock_virtual.step_ns = 0;
	assert_true(find(rig, 1));
	assert_int_equal(try(rig), 1);
}

static void a_quick_answer_makes_attempts_short(void **state)
{
	struct rig *rig = *state;

	become_drowsy(rig, STEP_NS);
	assert_true(find(rig, SHORT_LOOKS + 10)); /* late: no better than none */
	assert_in_range(try(rig), LONG_LOOKS, LONG_LOOKS + 1);
	assert_in_range(try(rig), SHORT_LOOKS, SHORT_LOOKS + 1);
	assert_in_range(try(rig), SHORT_LOOKS, SHORT_LOOKS + 1);
	assert_in_range(try(rig), LONG_LOOKS, LONG_LOOKS + 1); /* the next row */
	assert_true(find(rig, SHORT_LOOKS - 10));
	assert_in_range(try(rig), SHORT_LOOKS, SHORT_LOOKS + 1);
}

/* a row of attempts in vain; late: the first ones found something, but not soon */
static void have_a_row(struct rig *rig, bool late)
{
	for (unsigned int i = 0; i < 4; i++) {
		if (late && i < 2)
			assert_true(find(rig, SHORT_LOOKS + 10));
		else
			assert_true(try(rig));
	}
}

/* the sleeps that come without an attempt, and the first attempt of the next row */
static unsigned int count_skips(struct rig *rig)
{
	unsigned int skips = 0;

	while (!try(rig))
		skips++;
	return skips;
}

static void rows_in_vain_become_rare(void **state)
{
	struct rig *rig = *state;
	unsigned int skips = 0;

	become_drowsy(rig, STEP_NS);
	for (unsigned int i = 0; i < 10; i++) {
		have_a_row(rig, false);
		for (unsigned int k = 0; k < skips; k++)
			assert_false(try(rig));
		skips = 2 * skips + 1;
	}
	have_a_row(rig, false);
	assert_in_range(count_skips(rig), 512, 1023); /* no rarer */
	assert_true(find(rig, 3));
	for (unsigned int i = 0; i < 6; i++)
		assert_true(try(rig)); /* and often again: two rows */
}

/* The other side sleeps, too: may its rows and these meet. */
static void rows_that_find_something_late_stay_frequent(void **state)
{
	struct rig *rig = *state;
	unsigned int least = UINT_MAX, most = 0;

	become_drowsy(rig, STEP_NS);
	for (unsigned int i = 0; i < 5; i++) {
		have_a_row(rig, true);
		for (unsigned int k = 0; k < (1u << i) - 1; k++)
			assert_false(try(rig));
	}
	for (unsigned int i = 0; i < 20; i++) {
		unsigned int skips;

		priv_clock_virtual.now_ns += 8 * i; /* no two are the same */
		have_a_row(rig, true);
		skips = count_skips(rig);
		rig->group.busy_poll.attempts = 0; /* that attempt was none of the next row */
		least = skips < least ? skips : least;
		most = skips > most ? skips : most;
	}
	assert_in_range(least, 16, 24);
	assert_in_range(most, 24, 31);
	assert_true(least < most);
}

/* What came late once says nothing about rows in which nothing came. */
static void late_finds_of_an_earlier_row_do_not_count(void **state)
{
	struct rig *rig = *state;

	become_drowsy(rig, STEP_NS);
	have_a_row(rig, true);
	for (unsigned int i = 0; i < 10; i++) {
		count_skips(rig);
		rig->group.busy_poll.attempts = 0; /* that attempt was none of the next row */
		have_a_row(rig, false);
	}
	assert_in_range(count_skips(rig), 512, 1023);
}

/* Each look comes so late that somebody else must have had the CPU. */
static void whoever_shares_the_cpu_gives_up(void **state)
{
	struct rig *rig = *state;

	become_drowsy(rig, 6000);
	assert_int_equal(try(rig), 1); /* the one before */
	assert_int_equal(try(rig), 1);
	assert_int_equal(try(rig), 0); /* each attempt was a row */
	assert_false(find(rig, 2));
}

/* What looks like work and is none must not keep the program awake. */
static void a_find_without_work_is_not_repeated(void **state)
{
	struct rig *rig = *state;

	become_drowsy(rig, STEP_NS);
	for (unsigned int i = 0; i < 3; i++) {
		peer.answers_at = 1;
		assert_true(priv_busy_poll(&rig->group, false));
		assert_false(priv_busy_poll(&rig->group, false)); /* without any poll */
		assert_true(priv_busy_poll(&rig->group, false));
		priv_poll_group_poll(&rig->group, 0);
		priv_poll_group_poll(&rig->group, 0);
		assert_false(priv_busy_poll(&rig->group, false));
		assert_true(find(rig, 1));
		priv_poll_group_poll(&rig->group, 0);
	}
}

/* Others of the thread may have work: only the one that is in use waits for more. */
static void of_several_groups_the_one_in_use_waits(void **state)
{
	struct rig *rig = *state;
	struct poll_group other;

	assert_ok(priv_poll_group_init(&other));
	become_drowsy(rig, STEP_NS);
	sleep_for(rig, 1000);
	priv_poll_group_heat(&rig->sources[0].poller); /* somebody has rung */
	assert_true(try(rig));
	assert_false(priv_busy_poll(&other, false));
	assert_false(try(rig));
	assert_true(try(rig)); /* twice, and none in between */
	assert_false(priv_busy_poll(&other, false));
	sleep_for(rig, 1000);
	priv_poll_group_heat(&rig->sources[0].poller);
	priv_poll_group_poll(&rig->group, 1);
	priv_poll_group_poll(&rig->group, 0);
	assert_true(try(rig));
	priv_poll_group_fini(&other);
}

static void what_comes_from_elsewhere_is_found(void **state)
{
	struct rig *rig = *state;

	become_drowsy(rig, STEP_NS);
	priv_poll_group_post(&rig->group, &rig->bells[0].watch);
	assert_true(priv_busy_poll(&rig->group, false));
	assert_int_equal(poll_later(rig), 1);
	priv_poll_group_raise(&rig->group, &rig->bells[1].watch, 0);
	assert_true(priv_busy_poll(&rig->group, false));
	assert_int_equal(poll_later(rig), 1);
}

/* Nothing that is watched in memory: the kernel will tell. */
static void nobody_polls_without_hot_pollers(void **state)
{
	struct rig *rig = *state;
	uint64_t before;

	become_drowsy(rig, STEP_NS);
	priv_poll_group_remove(&rig->sources[0].poller);
	before = priv_clock_virtual.now_ns;
	assert_false(priv_busy_poll(&rig->group, false));
	assert_int_equal(priv_clock_virtual.now_ns, before);
}

/*
 * Lingering
 */

#define TICKS_PER_LOOK STEP_NS
#define PATIENCE_MIN   1000

/* a group of which a request has found an answer at that look, after a task was done */
static void converse(struct rig *rig, unsigned int at)
{
	become_drowsy(rig, STEP_NS);
	assert_true(find(rig, at));
}

/* a poll that finds nothing at first, and the answer at that look; 0: never; returns what it finds
 */
static unsigned int poll_until(struct rig *rig, unsigned int at)
{
	peer.looks = 0;
	peer.answers_at = at;
	peer.work = 1;
	return priv_poll_group_poll(&rig->group, 0);
}

/* Nobody lingers in this poll. */
static void poll_in_passing(struct rig *rig)
{
	assert_int_equal(poll_until(rig, 1), 0);
	assert_int_equal(peer.looks, 0);
}

/* one in vain, for so many ticks */
static void linger_for(struct rig *rig, unsigned int ticks)
{
	assert_int_equal(poll_until(rig, 0), 0);
	assert_in_range(peer.looks, ticks / TICKS_PER_LOOK - 1, ticks / TICKS_PER_LOOK + 1);
}

static void finish_task(struct rig *rig)
{
	assert_int_equal(priv_poll_group_poll(&rig->group, 1), 0);
}

static void be_told(struct rig *rig)
{
	rig->sources[0].work = 1;
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 1);
}

static void polls_linger_where_more_came_soon(void **state)
{
	struct rig *rig = *state;

	become_drowsy(rig, STEP_NS);
	finish_task(rig);
	poll_in_passing(rig); /* nothing has come so far, */
	assert_true(find(rig, SHORT_LOOKS + 10));
	poll_in_passing(rig); /* or not soon */
	assert_true(find(rig, 10));
	for (unsigned int i = 1; i < 6; i++) {
		assert_int_equal(poll_until(rig, i * 5), 1);
		assert_int_equal(peer.looks, i * 5);
		finish_task(rig);
	}
}

static void a_poll_lingers_only_after_work(void **state)
{
	struct rig *rig = *state;

	converse(rig, 10);
	rig->group.idle_polls = 1;
	poll_in_passing(rig);
	rig->group.idle_polls = 0;
	assert_int_equal(poll_until(rig, 5), 1);
}

static void a_linger_lasts_some_times_what_answers_take(void **state)
{
	struct rig *rig = *state;

	converse(rig, 1); /* it was there before */
	linger_for(rig, PATIENCE_MIN);
	assert_true(find(rig, 11)); /* ten steps after the first look */
	linger_for(rig, PATIENCE_MIN + 4 * 10 * TICKS_PER_LOOK);
	assert_true(find(rig, 21));
	assert_true(find(rig, 11)); /* not always */
	linger_for(rig, PATIENCE_MIN + 4 * 20 * TICKS_PER_LOOK);
	assert_true(find(rig, 100));
	linger_for(rig, SHORT_LOOKS * TICKS_PER_LOOK); /* and no longer */
}

/* As of a program that has other things to do now. */
static void lingers_in_vain_become_short(void **state)
{
	struct rig *rig = *state;

	converse(rig, 100);
	for (unsigned int ticks = SHORT_LOOKS * TICKS_PER_LOOK; ticks > PATIENCE_MIN / 2;
	     ticks /= 2) {
		linger_for(rig, ticks);
		finish_task(rig);
	}
	poll_in_passing(rig); /* and then there is none */
	finish_task(rig);
	poll_in_passing(rig);
	assert_true(find(rig, 11));
	linger_for(rig, PATIENCE_MIN + 4 * 10 * TICKS_PER_LOOK);
}

/*
 * As of one that asks, and gets one answer: when a task is done more comes, when it has been told
 * something, nothing does.
 */
static void what_came_last_tells_whether_more_does(void **state)
{
	struct rig *rig = *state;

	converse(rig, 5);
	for (unsigned int i = 0; i < 16; i++) {
		assert_int_equal(poll_until(rig, 5), 1);
		poll_in_passing(rig);
		finish_task(rig);
	}
	be_told(rig);
	peer.work = 0;
	peer.looks = 0;
	peer.answers_at = 11;
	assert_true(priv_busy_poll(&rig->group, false));
	linger_for(rig, PATIENCE_MIN + 4 * 10 * TICKS_PER_LOOK);
}

/* so many polls that linger until one returns 0, at once */
static unsigned int poll_on(struct rig *rig)
{
	unsigned int polls = 0;

	while (poll_until(rig, 50)) {
		polls++;
		finish_task(rig);
	}
	assert_int_equal(peer.looks, 0);
	return polls;
}

/* A poll that returns 0 lets the program see to the rest of the world. */
static void a_conversation_is_interrupted_now_and_then(void **state)
{
	struct rig *rig = *state;

	converse(rig, 100);
	for (unsigned int i = 0; i < 3; i++) {
		uint64_t begin = priv_clock_virtual.now_ns;

		assert_in_range(poll_on(rig), 50, 100);
		assert_in_range(priv_clock_virtual.now_ns - begin, 480000, 490000);
		assert_true(find(rig, 10));
	}
}

/* It polls by itself from now on, and has other things to do. */
static void who_sleeps_no_more_is_not_held_up(void **state)
{
	struct rig *rig = *state;

	converse(rig, 100);
	poll_on(rig);
	for (unsigned int i = 0; i < 3; i++) {
		finish_task(rig);
		poll_in_passing(rig);
	}
	peer.answers_at = 0;
	sleep_for(rig, 1000000);
	priv_poll_group_heat(&rig->sources[0].poller);
	finish_task(rig);
	assert_int_equal(poll_until(rig, 50), 1);
	poll_on(rig);
	peer.looks = 0;
	peer.answers_at = 1;
	assert_false(priv_poll_group_arm(&rig->group)); /* it would have slept */
	assert_int_equal(priv_poll_group_poll(&rig->group, 1), 1);
	finish_task(rig);
	assert_int_equal(poll_until(rig, 50), 1);
}

static void nobody_lingers_in_one_of_several_groups(void **state)
{
	struct rig *rig = *state;
	struct poll_group other;

	assert_ok(priv_poll_group_init(&other));
	converse(rig, 10);
	assert_false(priv_busy_poll(&other, false));
	poll_in_passing(rig);
	assert_true(find(rig, 10));
	assert_true(priv_busy_poll(&other, true)); /* not asked for, as there is work in it */
	poll_in_passing(rig);
	priv_poll_group_fini(&other);
}

/* The thread sleeps on one, and polls the other as well, which has work. */
static void nobody_lingers_while_another_group_has_work(void **state)
{
	struct source source = {.poller.ops = &memory_ops};
	struct rig *rig = *state;
	struct poll_group other;

	assert_ok(priv_poll_group_init(&other));
	priv_poll_group_add(&other, &source.poller);
	converse(rig, 10);
	finish_task(rig);
	assert_int_equal(poll_until(rig, 5), 1);
	finish_task(rig);
	priv_poll_group_poll(&other, 0); /* without work */
	assert_int_equal(poll_until(rig, 5), 1);
	finish_task(rig);
	source.work = 1;
	assert_int_equal(priv_poll_group_poll(&other, 0), 1);
	poll_in_passing(rig);
	finish_task(rig);
	assert_int_equal(poll_until(rig, 5), 1);
	priv_poll_group_remove(&source.poller);
	priv_poll_group_fini(&other);
}

/* Somebody else had the CPU while a poll lingered: that is no answer. */
static void whoever_shares_the_cpu_does_not_linger_on(void **state)
{
	struct rig *rig = *state;

	converse(rig, 100);
	priv_clock_virtual.step_ns = 6000;
	assert_int_equal(poll_until(rig, 1), 0);
	assert_int_equal(peer.looks, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(short_sleeps_are_naps),
		TEST(nobody_polls_before_a_long_sleep),
		TEST(what_is_there_is_found_at_once),
		TEST(a_quick_answer_makes_attempts_short),
		TEST(rows_in_vain_become_rare),
		TEST(rows_that_find_something_late_stay_frequent),
		TEST(late_finds_of_an_earlier_row_do_not_count),
		TEST(whoever_shares_the_cpu_gives_up),
		TEST(a_find_without_work_is_not_repeated),
		TEST(of_several_groups_the_one_in_use_waits),
		TEST(what_comes_from_elsewhere_is_found),
		TEST(nobody_polls_without_hot_pollers),
		TEST(polls_linger_where_more_came_soon),
		TEST(a_poll_lingers_only_after_work),
		TEST(a_linger_lasts_some_times_what_answers_take),
		TEST(lingers_in_vain_become_short),
		TEST(what_came_last_tells_whether_more_does),
		TEST(a_conversation_is_interrupted_now_and_then),
		TEST(who_sleeps_no_more_is_not_held_up),
		TEST(nobody_lingers_in_one_of_several_groups),
		TEST(nobody_lingers_while_another_group_has_work),
		TEST(whoever_shares_the_cpu_does_not_linger_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
