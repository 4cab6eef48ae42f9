/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The poll group: who is polled when, and what may be removed meanwhile.
 * Long because every promise is a small test of its own.
 */
#include "base/bell.h"
#include "poll_group_rig.h"

/*
 * Pollers
 */

static void every_hot_poller_is_polled(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	add(rig, 3);
	rig->sources[1].work = 2;
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 1);
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 1);
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 0);
	for (i = 0; i < 3; i++)
		assert_int_equal(rig->sources[i].polls, 3);
}

static unsigned int polls_of_one(struct rig *rig)
{
	unsigned int before = rig->sources[0].polls;

	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 0);
	return rig->sources[0].polls - before;
}

/* What has had work is expected to have more. */
static void a_poll_that_finds_nothing_looks_again(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	rig->sources[0].poller.ops = &memory_ops;
	add(rig, 2);
	rig->sources[0].work = 1;
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 1);
	assert_int_equal(rig->sources[0].polls, 1);
	/* Programs poll until there is no more, and do something else. */
	assert_int_equal(polls_of_one(rig), 1);
	assert_true(polls_of_one(rig) > 1);
	for (i = 0; i < 1000; i++)
		priv_poll_group_poll(&rig->group, 0);
	assert_int_equal(polls_of_one(rig), 1);
	rig->sources[0].work = 1;
	priv_poll_group_poll(&rig->group, 0);
	assert_int_equal(polls_of_one(rig), 1);
	assert_true(polls_of_one(rig) > 1);
	/* Elsewhere it may take long. */
	assert_int_equal(rig->sources[1].polls, 1 + 2 + 1000 + 1 + 1 + 2);
}

/* Then looking again takes time that another group of the thread may have a use for. */
static void one_that_is_polled_by_turns_looks_less_often(void **state)
{
	struct rig *rig = *state;
	struct source *other = &rig->sources[1];
	struct poll_group others;
	unsigned int alone;

	rig->sources[0].poller.ops = &memory_ops;
	other->poller.ops = &memory_ops;
	assert_ok(priv_poll_group_init(&others));
	priv_poll_group_add(&others, &other->poller);
	assert_int_equal(priv_poll_group_poll(&others, 0), 0);
	add(rig, 1);
	rig->sources[0].work = 1;
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 1);
	assert_int_equal(polls_of_one(rig), 1);
	alone = polls_of_one(rig);
	assert_int_equal(polls_of_one(rig), alone);
	assert_int_equal(priv_poll_group_poll(&others, 0), 0);
	assert_true(polls_of_one(rig) < alone);
	assert_int_equal(polls_of_one(rig), alone);
	other->work = 1;
	assert_int_equal(priv_poll_group_poll(&others, 0), 1);
	assert_true(polls_of_one(rig) < alone);
	priv_poll_group_remove(&other->poller);
	priv_poll_group_fini(&others);
}

static void bring_work_fourth_time(struct source *source)
{
	source->work = source->polls == 4;
}

static void work_found_by_looking_again_counts(void **state)
{
	struct rig *rig = *state;

	rig->sources[0].poller.ops = &memory_ops;
	add(rig, 1);
	rig->sources[0].on_poll = bring_work_fourth_time;
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 0);
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 1);
	assert_int_equal(rig->sources[0].polls, 4);
}

/* The caller has something to do, or the look would take long. */
static void nobody_looks_again_after_work_or_at_many(void **state)
{
	struct rig *rig = *state;

	rig->sources[0].poller.ops = &memory_ops;
	add(rig, 1);
	assert_int_equal(polls_of_one(rig), 1);
	assert_int_equal(priv_poll_group_poll(&rig->group, 1), 0);
	assert_int_equal(rig->sources[0].polls, 2);
	for (unsigned int i = 1; i < 3; i++)
		priv_poll_group_add(&rig->group, &rig->sources[i].poller);
	assert_int_equal(polls_of_one(rig), 1);
	assert_int_equal(polls_of_one(rig), 1);
}

static void few_idle_pollers_stay_hot(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	add(rig, 3);
	for (i = 0; i < 20; i++)
		poll_later(rig);
	assert_int_equal(rig->sources[2].polls, 20);
	assert_int_equal(rig->sources[2].arms, 0);
}

static void many_idle_pollers_are_cooled(void **state)
{
	struct rig *rig = *state;
	unsigned int i, polls;

	add(rig, SOURCES);
	for (i = 0; i < 20; i++) {
		rig->sources[0].work = 1;
		poll_later(rig);
	}
	assert_true(rig->group.hot_count <= 2);
	assert_true(rig->sources[0].poller.hot);
	for (i = 0; i < SOURCES; i++)
		assert_true(rig->sources[i].poller.hot != rig->sources[i].announced);
	/* Heat brings one back. */
	for (i = 0; rig->sources[i].poller.hot; i++)
		;
	polls = rig->sources[i].polls;
	priv_poll_group_heat(&rig->sources[i].poller);
	assert_false(rig->sources[i].announced);
	priv_poll_group_poll(&rig->group, 0);
	assert_int_equal(rig->sources[i].polls, polls + 1);
}

static void work_that_comes_while_cooling_stays_hot(void **state)
{
	struct rig *rig = *state;
	unsigned int i, cold = 0;

	add(rig, SOURCES);
	for (i = 0; i < SOURCES; i++)
		rig->sources[i].work_on_arm = true;
	for (i = 0; i < 10; i++)
		poll_later(rig);
	for (i = 0; i < SOURCES; i++)
		cold += !rig->sources[i].poller.hot;
	assert_int_equal(cold, 0);
}

static void remove_next(struct source *source)
{
	priv_poll_group_remove(&(source + 1)->poller);
	priv_poll_group_remove(&(source + 2)->poller);
}

static void a_poll_may_remove_those_behind_it(void **state)
{
	struct rig *rig = *state;

	add(rig, 4);
	rig->sources[0].on_poll = remove_next;
	priv_poll_group_poll(&rig->group, 0);
	assert_int_equal(rig->sources[1].polls, 0);
	assert_int_equal(rig->sources[2].polls, 0);
	assert_int_equal(rig->sources[3].polls, 1);
	assert_int_equal(rig->group.hot_count, 2);
}

static void remove_all(struct source *source)
{
	struct rig *rig = source->arg;
	unsigned int i;

	for (i = 0; i < 4; i++)
		priv_poll_group_remove(&rig->sources[i].poller);
}

static void a_poll_may_remove_everybody(void **state)
{
	struct rig *rig = *state;

	add(rig, 4);
	rig->sources[1].on_poll = remove_all;
	rig->sources[1].arg = rig;
	priv_poll_group_poll(&rig->group, 0);
	assert_int_equal(rig->sources[0].polls, 1);
	assert_int_equal(rig->sources[2].polls, 0);
	assert_int_equal(rig->group.hot_count, 0);
	priv_poll_group_remove(&rig->sources[0].poller); /* twice is harmless */
}

static void add_one(struct source *source)
{
	source->on_poll = NULL;
	priv_poll_group_add(source->poller.group, &(source + 1)->poller);
}

static void a_poll_may_add_another(void **state)
{
	struct rig *rig = *state;

	add(rig, 1);
	rig->sources[0].on_poll = add_one;
	priv_poll_group_poll(&rig->group, 0);
	assert_int_equal(rig->sources[1].polls, 0); /* not before the program has had its turn */
	priv_poll_group_poll(&rig->group, 0);
	assert_int_equal(rig->sources[1].polls, 1);
}

static void arm_from_poll(struct source *source)
{
	source->on_poll = NULL;
	priv_poll_group_arm(source->poller.group);
}

static void a_poll_may_arm_the_group(void **state)
{
	struct rig *rig = *state;

	add(rig, 3);
	rig->sources[0].on_poll = arm_from_poll;
	priv_poll_group_poll(&rig->group, 0);
	/* Cold or hot, nobody is lost. */
	priv_poll_group_heat(&rig->sources[2].poller);
	rig->sources[2].work = 1;
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 1);
}

/*
 * Watches
 */

static void a_ready_descriptor_is_told_once(void **state)
{
	struct rig *rig = *state;

	poll_later(rig);
	priv_eventfd_ring(rig->bells[0].watch.fd);
	assert_int_equal(poll_later(rig), 1);
	assert_int_equal(poll_later(rig), 0);
	assert_int_equal(rig->bells[0].rings, 1);
	assert_int_equal(rig->bells[0].events, EPOLLIN);
	priv_eventfd_ring(rig->bells[0].watch.fd);
	assert_int_equal(poll_later(rig), 1);
	assert_int_equal(rig->bells[0].rings, 2);
}

/* nothing is told of a bell before it is rung, and all of others whose time it was to be told */
static void a_bell_is_silent_until_it_rings(void **state)
{
	struct rig *rig = *state;
	struct bell bell = {.watch.ready = bell_ready};

	poll_later(rig);
	priv_eventfd_ring(rig->bells[0].watch.fd);
	priv_eventfd_ring(rig->bells[1].watch.fd);
	assert_ok(priv_bell_create(&bell.watch.fd));
	assert_ok(priv_poll_group_watch_bell(&rig->group, &bell.watch));
	assert_int_equal(poll_later(rig), 2);
	assert_int_equal(rig->bells[0].rings, 1);
	assert_int_equal(rig->bells[1].rings, 1);
	assert_int_equal(bell.rings, 0);
	for (unsigned int rings = 1; rings <= 2; rings++) {
		priv_bell_ring(bell.watch.fd);
		assert_int_equal(poll_later(rig), 1);
		assert_int_equal(bell.rings, rings);
		assert_int_equal(poll_later(rig), 0);
	}
	priv_poll_group_unwatch(&rig->group, &bell.watch);
	close(bell.watch.fd);
}

/* as on kernels where no read can be told not to wait */
static void a_bell_that_is_rung_by_writing_is_heard(void **state)
{
	struct rig *rig = *state;
	struct bell bell = {.watch.ready = bell_ready};
	const uint64_t nothing = 0;

	assert_ok(priv_bell_create(&bell.watch.fd));
	assert_ok(priv_poll_group_watch_bell(&rig->group, &bell.watch));
	assert_int_equal(write(bell.watch.fd, &nothing, sizeof(nothing)), sizeof(nothing));
	assert_int_equal(poll_later(rig), 1);
	assert_int_equal(bell.rings, 1);
	priv_poll_group_unwatch(&rig->group, &bell.watch);
	close(bell.watch.fd);
}

/* without waiting until the group would ask the kernel by itself */
static void looking_asks_at_once(void **state)
{
	struct rig *rig = *state;

	poll_later(rig);
	assert_int_equal(priv_poll_group_look(&rig->group), 0);
	priv_eventfd_ring(rig->bells[0].watch.fd);
	priv_eventfd_ring(rig->bells[2].watch.fd);
	assert_int_equal(priv_poll_group_look(&rig->group), 2);
	assert_int_equal(rig->bells[0].rings, 1);
	assert_int_equal(rig->bells[1].rings, 0);
	assert_int_equal(rig->bells[2].rings, 1);
	priv_poll_group_wake(&rig->group); /* which is no work */
	assert_int_equal(priv_poll_group_look(&rig->group), 0);
}

/* A progress engine of producers alone has no hot pollers. */
static void the_kernel_is_asked_now_and_then_without_pollers_too(void **state)
{
	struct rig *rig = *state;

	for (unsigned int i = 0; i < 100; i++)
		priv_poll_group_poll(&rig->group, 0);
	poll_later(rig);
	priv_eventfd_ring(rig->bells[0].watch.fd);
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 0);
	assert_int_equal(rig->bells[0].rings, 0);
	poll_later(rig);
	assert_int_equal(rig->bells[0].rings, 1);
}

/*
 * A thread whose messages come in another group does not ask the clock for this one each time, nor
 * in the first poll without work: a program that polls until nothing is left goes on behind that.
 */
static void between_messages_the_kernel_is_asked_within_four_polls(void **state)
{
	struct rig *rig = *state;
	unsigned int polls, at_once = 0;

	for (unsigned int i = 1; i < 20; i++) {
		priv_poll_group_poll(&rig->group, 1);
		priv_eventfd_ring(rig->bells[0].watch.fd);
		priv_clock_virtual.now_ns += 300000;
		for (polls = 0; rig->bells[0].rings < i && polls < 4; polls++)
			priv_poll_group_poll(&rig->group, 0);
		assert_int_equal(rig->bells[0].rings, i);
		at_once += polls == 1;
	}
	assert_in_range(at_once, 0, 5);
}

/* Whichever of its polls are counted: a program may do the same for ever. */
static void no_rhythm_of_work_keeps_the_kernel_from_being_asked(void **state)
{
	struct rig *rig = *state;

	for (unsigned int shift = 1; shift <= 4; shift++) {
		priv_poll_group_poll(&rig->group, 1);
		priv_eventfd_ring(rig->bells[0].watch.fd);
		for (unsigned int i = 0; i < 40; i++) {
			priv_clock_virtual.now_ns += 20000;
			priv_poll_group_poll(&rig->group, 1);
			for (unsigned int empty = 0; empty < 3; empty++)
				priv_poll_group_poll(&rig->group, 0);
		}
		assert_int_equal(rig->bells[0].rings, shift);
	}
}

/* What comes from the peer comes through memory, and would have to wait for the system call. */
static void without_hot_pollers_no_poll_leaves_it_to_the_next(void **state)
{
	struct rig *rig = *state;

	add(rig, 1);
	poll_later(rig);
	rig->sources[0].work = 1;
	priv_poll_group_poll(&rig->group, 0);
	priv_poll_group_poll(&rig->group, 0);
	priv_poll_group_poll(&rig->group, 0);
	priv_poll_group_remove(&rig->sources[0].poller);
	priv_eventfd_ring(rig->bells[0].watch.fd);
	assert_int_equal(poll_later(rig), 1);
	assert_int_equal(rig->bells[0].rings, 1);
}

static void between_two_messages_the_kernel_is_asked_seldom(void **state)
{
	struct rig *rig = *state;
	struct source *source = &rig->sources[0];

	add(rig, 1);
	poll_later(rig);
	priv_eventfd_ring(rig->bells[0].watch.fd);
	for (unsigned int i = 0; i < 20; i++) {
		source->work = 1;
		assert_int_equal(priv_poll_group_poll(&rig->group, 0), 1);
		priv_clock_virtual.now_ns += 3000;
		assert_int_equal(priv_poll_group_poll(&rig->group, 0), 0);
		priv_clock_virtual.now_ns += 3000;
	}
	assert_int_equal(rig->bells[0].rings, 0);
	for (unsigned int i = 0; i < 200; i++) {
		priv_clock_virtual.now_ns += 300;
		priv_poll_group_poll(&rig->group, 0);
	}
	assert_int_equal(rig->bells[0].rings, 1);
}

/* As on a machine that was suspended: else nobody would be heard for as long as it has run. */
static void the_kernel_is_asked_when_the_ticks_have_gone_back(void **state)
{
	struct rig *rig = *state;

	add(rig, 1);
	for (unsigned int i = 0; i < 10; i++)
		poll_later(rig);
	priv_eventfd_ring(rig->bells[0].watch.fd);
	priv_clock_virtual.now_ns = 1;
	for (unsigned int i = 0; i < 200; i++) {
		priv_clock_virtual.now_ns += 300;
		priv_poll_group_poll(&rig->group, 0);
	}
	assert_int_equal(rig->bells[0].rings, 1);
}

static void other_events_may_be_asked_for(void **state)
{
	struct rig *rig = *state;
	struct bell *bell = &rig->bells[0];

	poll_later(rig);
	priv_poll_group_rewatch(&rig->group, &bell->watch, EPOLLIN | EPOLLOUT);
	assert_int_equal(priv_poll_group_look(&rig->group), 1);
	assert_int_equal(bell->events, EPOLLOUT); /* an eventfd takes a number at any time */
	priv_poll_group_rewatch(&rig->group, &bell->watch, EPOLLIN);
	assert_int_equal(priv_poll_group_look(&rig->group), 0);
	priv_eventfd_ring(bell->watch.fd);
	assert_int_equal(priv_poll_group_look(&rig->group), 1);
	assert_int_equal(bell->events, EPOLLIN);
}

static void a_raised_watch_is_told_in_the_next_poll(void **state)
{
	struct rig *rig = *state;

	priv_poll_group_raise(&rig->group, &rig->bells[1].watch, EPOLLIN);
	priv_poll_group_raise(&rig->group, &rig->bells[1].watch, EPOLLHUP);
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 1);
	assert_int_equal(rig->bells[1].rings, 1);
	assert_int_equal(rig->bells[1].events, EPOLLIN | EPOLLHUP);
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 0);
}

static void raise_again(struct bell *bell)
{
	priv_poll_group_raise(bell->arg, &bell->watch, EPOLLIN);
}

static void what_is_raised_while_handling_waits_for_the_next_round(void **state)
{
	struct rig *rig = *state;

	rig->bells[0].on_ready = raise_again;
	rig->bells[0].arg = &rig->group;
	raise_again(&rig->bells[0]);
	priv_poll_group_poll(&rig->group, 0);
	assert_int_equal(rig->bells[0].rings, 1);
	priv_poll_group_poll(&rig->group, 0);
	assert_int_equal(rig->bells[0].rings, 2);
}

static void unwatch_others(struct bell *bell)
{
	struct rig *rig = bell->arg;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rig->bells); i++)
		priv_poll_group_unwatch(&rig->group, &rig->bells[i].watch);
}

static void check_only_one_rang(struct rig *rig)
{
	unsigned int i, rings = 0;

	for (i = 0; i < ARRAY_SIZE(rig->bells); i++)
		rings += rig->bells[i].rings;
	assert_int_equal(rings, 1);
}

static void a_handler_may_remove_every_watch(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rig->bells); i++) {
		rig->bells[i].on_ready = unwatch_others;
		rig->bells[i].arg = rig;
		priv_eventfd_ring(rig->bells[i].watch.fd);
	}
	poll_later(rig);
	check_only_one_rang(rig);
}

static void a_handler_may_remove_every_raised_watch(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rig->bells); i++) {
		rig->bells[i].on_ready = unwatch_others;
		rig->bells[i].arg = rig;
		priv_poll_group_raise(&rig->group, &rig->bells[i].watch, EPOLLIN);
	}
	priv_poll_group_poll(&rig->group, 0);
	check_only_one_rang(rig);
}

/*
 * Timers
 */

static void timers_fire_once_when_due(void **state)
{
	struct rig *rig = *state;
	struct alarm alarm = {.timer.fire = alarm_fire};

	priv_poll_group_timer_add(&rig->group, &alarm.timer, 5000);
	priv_poll_group_poll(&rig->group, 0);
	priv_clock_virtual.now_ns += 4999;
	priv_poll_group_poll(&rig->group, 0);
	assert_int_equal(alarm.fired, 0);
	priv_clock_virtual.now_ns += 1;
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 1);
	poll_later(rig);
	assert_int_equal(alarm.fired, 1);
}

static void a_timer_may_remove_another_that_is_due(void **state)
{
	struct rig *rig = *state;
	struct alarm first = {.timer.fire = alarm_fire}, second = first;

	first.remove = &second;
	second.remove = &first;
	priv_poll_group_timer_add(&rig->group, &first.timer, 1);
	priv_poll_group_timer_add(&rig->group, &second.timer, 1);
	poll_later(rig);
	poll_later(rig);
	assert_int_equal(first.fired + second.fired, 1);
}

static void a_timer_that_starts_itself_again_fires_once_a_poll(void **state)
{
	struct rig *rig = *state;
	struct alarm alarm = {.timer.fire = alarm_fire, .again = &rig->group};

	priv_poll_group_timer_add(&rig->group, &alarm.timer, 0);
	poll_later(rig);
	assert_int_equal(alarm.fired, 1);
	poll_later(rig);
	assert_int_equal(alarm.fired, 2);
	priv_poll_group_timer_remove(&alarm.timer);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_hot_poller_is_polled),
		TEST(a_poll_that_finds_nothing_looks_again),
		TEST(one_that_is_polled_by_turns_looks_less_often),
		TEST(work_found_by_looking_again_counts),
		TEST(nobody_looks_again_after_work_or_at_many),
		TEST(few_idle_pollers_stay_hot),
		TEST(many_idle_pollers_are_cooled),
		TEST(work_that_comes_while_cooling_stays_hot),
		TEST(a_poll_may_remove_those_behind_it),
		TEST(a_poll_may_remove_everybody),
		TEST(a_poll_may_add_another),
		TEST(a_poll_may_arm_the_group),
		TEST(a_ready_descriptor_is_told_once),
		TEST(a_bell_is_silent_until_it_rings),
		TEST(a_bell_that_is_rung_by_writing_is_heard),
		TEST(looking_asks_at_once),
		TEST(the_kernel_is_asked_now_and_then_without_pollers_too),
		TEST(between_messages_the_kernel_is_asked_within_four_polls),
		TEST(no_rhythm_of_work_keeps_the_kernel_from_being_asked),
		TEST(without_hot_pollers_no_poll_leaves_it_to_the_next),
		TEST(between_two_messages_the_kernel_is_asked_seldom),
		TEST(the_kernel_is_asked_when_the_ticks_have_gone_back),
		TEST(other_events_may_be_asked_for),
		TEST(a_raised_watch_is_told_in_the_next_poll),
		TEST(what_is_raised_while_handling_waits_for_the_next_round),
		TEST(a_handler_may_remove_every_watch),
		TEST(a_handler_may_remove_every_raised_watch),
		TEST(timers_fire_once_when_due),
		TEST(a_timer_may_remove_another_that_is_due),
		TEST(a_timer_that_starts_itself_again_fires_once_a_poll),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
