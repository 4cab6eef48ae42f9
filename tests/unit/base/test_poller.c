/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The poll group: who is polled when, what ends a sleep, and what may be removed meanwhile.
 *
 * Long because every promise is a small test of its own.
 */
#include "test.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/fd.h"
#include "base/poller.h"
#include "leak.h"

/* A poller with a counter for each of its operations. */
struct source {
	struct poller poller;
	unsigned int work; /* left to do, one a poll */
	unsigned int polls, arms, disarms;
	bool announced;
	bool often;
	bool work_on_arm; /* some arrives between the announcement and the second look */
	void (*on_poll)(struct source *source);
	void *arg;
};

static struct source *source_of(struct poller *poller)
{
	return container_of(poller, struct source, poller);
}

static unsigned int source_poll(struct poller *poller)
{
	struct source *source = source_of(poller);

	source->polls++;
	if (source->on_poll)
		source->on_poll(source);
	if (!source->work)
		return 0;
	source->work--;
	return 1;
}

static bool source_arm(struct poller *poller, bool often)
{
	struct source *source = source_of(poller);

	source->arms++;
	source->often = often;
	source->announced = true;
	source->work += source->work_on_arm;
	return often;
}

static bool source_pending(struct poller *poller)
{
	assert_true(source_of(poller)->announced);
	return source_of(poller)->work != 0;
}

static void source_disarm(struct poller *poller)
{
	source_of(poller)->disarms++;
	source_of(poller)->announced = false;
}

static const struct poller_ops source_ops = {
	.poll = source_poll,
	.arm = source_arm,
	.pending = source_pending,
	.disarm = source_disarm,
};

static const struct poller_ops memory_ops = {
	.poll = source_poll,
	.arm = source_arm,
	.pending = source_pending,
	.disarm = source_disarm,
	.polls_memory = true,
};

/* A descriptor with a counter. */
struct bell {
	struct watch watch;
	unsigned int rings;
	uint32_t events;
	void (*on_ready)(struct bell *bell);
	void *arg;
};

static void bell_ready(struct watch *watch, uint32_t events)
{
	struct bell *bell = container_of(watch, struct bell, watch);

	bell->rings++;
	bell->events = events;
	if (bell->on_ready)
		bell->on_ready(bell);
}

#define SOURCES 40

struct rig {
	struct poll_group group;
	struct source sources[SOURCES];
	struct bell bells[3];
	struct leak before;
};

static int setup(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	unsigned int i;

	rig->before = leak_count();
	priv_clock_virtual.on = true;
	priv_clock_virtual.now_ns = 1000000000;
	assert_ok(priv_poll_group_init(&rig->group));
	for (i = 0; i < SOURCES; i++)
		rig->sources[i].poller.ops = &source_ops;
	for (i = 0; i < ARRAY_SIZE(rig->bells); i++) {
		rig->bells[i].watch.ready = bell_ready;
		assert_ok(priv_eventfd_create(&rig->bells[i].watch.fd));
		assert_ok(priv_poll_group_watch(&rig->group, &rig->bells[i].watch, EPOLLIN));
	}
	*state = rig;
	return 0;
}

static int teardown(void **state)
{
	struct rig *rig = *state;
	struct leak before = rig->before;
	unsigned int i;

	for (i = 0; i < SOURCES; i++)
		priv_poll_group_remove(&rig->sources[i].poller);
	for (i = 0; i < ARRAY_SIZE(rig->bells); i++) {
		priv_poll_group_unwatch(&rig->group, &rig->bells[i].watch);
		close(rig->bells[i].watch.fd);
	}
	priv_poll_group_fini(&rig->group);
	free(rig);
	priv_clock_virtual.on = false;
	return leak_check(&before) ? 0 : -1;
}

static void add(struct rig *rig, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		priv_poll_group_add(&rig->group, &rig->sources[i].poller);
}

/* one round with so much time gone by that the kernel is asked */
static unsigned int poll_later(struct rig *rig)
{
	priv_clock_virtual.now_ns += 1000000;
	return priv_poll_group_poll(&rig->group, 0);
}

static bool is_readable(const struct rig *rig)
{
	struct pollfd pollfd = {.fd = rig->group.epoll_fd, .events = POLLIN};

	return poll(&pollfd, 1, 0) == 1;
}

/* arms and expects that the caller may sleep */
static void fall_asleep(struct rig *rig)
{
	while (poll_later(rig))
		;
	assert_true(priv_poll_group_arm(&rig->group));
	assert_false(is_readable(rig));
}

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

/* What has just had work is expected to have more. */
static void a_poll_that_finds_nothing_looks_again(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	rig->sources[0].poller.ops = &memory_ops;
	add(rig, 2);
	rig->sources[0].work = 1;
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 1);
	assert_int_equal(rig->sources[0].polls, 1);
	assert_true(polls_of_one(rig) > 1);
	for (i = 0; i < 1000; i++)
		priv_poll_group_poll(&rig->group, 0);
	assert_int_equal(polls_of_one(rig), 1);
	rig->sources[0].work = 1;
	priv_poll_group_poll(&rig->group, 0);
	assert_true(polls_of_one(rig) > 1);
	/* Elsewhere it may take long. */
	assert_int_equal(rig->sources[1].polls, 1 + 1 + 1000 + 1 + 1 + 1);
}

static void bring_work_third_time(struct source *source)
{
	source->work = source->polls == 3;
}

static void work_found_by_looking_again_counts(void **state)
{
	struct rig *rig = *state;

	rig->sources[0].poller.ops = &memory_ops;
	add(rig, 1);
	rig->sources[0].on_poll = bring_work_third_time;
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 1);
	assert_int_equal(rig->sources[0].polls, 3);
}

/* The caller has something to do, or the look would take long. */
static void nobody_looks_again_after_work_or_at_many(void **state)
{
	struct rig *rig = *state;

	rig->sources[0].poller.ops = &memory_ops;
	add(rig, 1);
	assert_int_equal(priv_poll_group_poll(&rig->group, 1), 0);
	assert_int_equal(rig->sources[0].polls, 1);
	for (unsigned int i = 1; i < 3; i++)
		priv_poll_group_add(&rig->group, &rig->sources[i].poller);
	rig->sources[0].work = 1;
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 1);
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

	poll_later(rig);
	priv_eventfd_ring(rig->bells[0].watch.fd);
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 0);
	assert_int_equal(rig->bells[0].rings, 0);
	poll_later(rig);
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

struct alarm {
	struct timer timer;
	unsigned int fired;
	struct alarm *remove;
	struct poll_group *again;
};

static void alarm_fire(struct timer *timer)
{
	struct alarm *alarm = container_of(timer, struct alarm, timer);

	alarm->fired++;
	if (alarm->remove)
		priv_poll_group_timer_remove(&alarm->remove->timer);
	if (alarm->again)
		priv_poll_group_timer_add(alarm->again, timer, 0);
}

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

/*
 * Sleeping. Whatever happens between arm and sleep makes the descriptor readable.
 */

/* Most polls do not ask the clock, but those of a program that polls once a second do. */
static void whoever_polls_rarely_misses_nothing(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	add(rig, 1);
	poll_later(rig);
	for (i = 1; i <= 20; i++) {
		rig->sources[0].work = i & 1;
		priv_eventfd_ring(rig->bells[0].watch.fd);
		poll_later(rig);
		assert_int_equal(rig->bells[0].rings, i);
	}
}

static void arm_cools_everybody(void **state)
{
	struct rig *rig = *state;
	unsigned int i, polls;

	add(rig, 3);
	fall_asleep(rig);
	polls = rig->sources[0].polls;
	for (i = 0; i < 3; i++) {
		assert_true(rig->sources[i].announced);
		assert_false(rig->sources[i].poller.hot);
	}
	poll_later(rig);
	assert_int_equal(rig->sources[0].polls, polls);
}

static void whoever_sleeps_often_says_so(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	add(rig, 1);
	fall_asleep(rig);
	priv_poll_group_heat(&rig->sources[0].poller);
	fall_asleep(rig);
	assert_true(rig->sources[0].often);
	priv_poll_group_heat(&rig->sources[0].poller);
	for (i = 0; i < 2000; i++)
		poll_later(rig);
	fall_asleep(rig);
	assert_false(rig->sources[0].often);
}

static void arm_refuses_while_there_is_work(void **state)
{
	struct rig *rig = *state;

	add(rig, 3);
	rig->sources[1].work = 1;
	assert_false(priv_poll_group_arm(&rig->group));
	assert_true(is_readable(rig));
	assert_true(rig->sources[1].poller.hot);
	assert_false(rig->sources[1].announced);
	priv_poll_group_clear(&rig->group);
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 1);
	fall_asleep(rig);
}

static void arm_sees_work_that_came_meanwhile(void **state)
{
	struct rig *rig = *state;

	add(rig, 1);
	rig->sources[0].work_on_arm = true;
	assert_false(priv_poll_group_arm(&rig->group));
	assert_true(is_readable(rig));
}

static void arm_refuses_when_something_is_raised(void **state)
{
	struct rig *rig = *state;

	priv_poll_group_raise(&rig->group, &rig->bells[0].watch, EPOLLIN);
	assert_false(priv_poll_group_arm(&rig->group));
	assert_true(is_readable(rig));
}

static void a_ring_ends_a_sleep(void **state)
{
	struct rig *rig = *state;

	fall_asleep(rig);
	priv_eventfd_ring(rig->bells[2].watch.fd);
	assert_true(is_readable(rig));
	priv_poll_group_clear(&rig->group);
	assert_false(is_readable(rig));
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 1);
	assert_int_equal(rig->bells[2].rings, 1);
	fall_asleep(rig);
}

static void a_poll_without_clear_takes_the_event_in(void **state)
{
	struct rig *rig = *state;

	fall_asleep(rig);
	priv_eventfd_ring(rig->bells[2].watch.fd);
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 1);
	assert_int_equal(rig->bells[2].rings, 1);
	assert_false(is_readable(rig));
}

static void a_wake_ends_a_sleep(void **state)
{
	struct rig *rig = *state;

	fall_asleep(rig);
	priv_poll_group_wake(&rig->group);
	assert_true(is_readable(rig));
	assert_int_equal(poll_later(rig), 0); /* that is not work */
	fall_asleep(rig);
}

static void a_raise_ends_a_sleep(void **state)
{
	struct rig *rig = *state;

	fall_asleep(rig);
	priv_poll_group_raise(&rig->group, &rig->bells[0].watch, EPOLLIN);
	assert_true(is_readable(rig));
}

static void heat_ends_a_sleep(void **state)
{
	struct rig *rig = *state;

	add(rig, 1);
	fall_asleep(rig);
	rig->sources[0].work = 1;
	priv_poll_group_heat(&rig->sources[0].poller);
	assert_true(is_readable(rig));
}

static void a_new_poller_ends_a_sleep(void **state)
{
	struct rig *rig = *state;

	fall_asleep(rig);
	add(rig, 1);
	assert_true(is_readable(rig));
}

static void a_new_timer_ends_a_sleep(void **state)
{
	struct rig *rig = *state;
	struct alarm alarm = {.timer.fire = alarm_fire};

	fall_asleep(rig);
	priv_poll_group_timer_add(&rig->group, &alarm.timer, 0);
	assert_true(is_readable(rig));
	poll_later(rig);
	assert_int_equal(alarm.fired, 1);
}

static void a_timer_that_is_due_forbids_to_sleep(void **state)
{
	struct rig *rig = *state;
	struct alarm alarm = {.timer.fire = alarm_fire};

	priv_poll_group_timer_add(&rig->group, &alarm.timer, 1000);
	assert_true(priv_poll_group_arm(&rig->group));
	assert_false(is_readable(rig));
	priv_clock_virtual.now_ns += 1000;
	assert_false(priv_poll_group_arm(&rig->group));
	assert_true(is_readable(rig));
	poll_later(rig);
	assert_int_equal(alarm.fired, 1);
}

static void a_timer_ends_a_sleep(void **state)
{
	struct rig *rig = *state;
	struct pollfd pollfd = {.fd = rig->group.epoll_fd, .events = POLLIN};
	struct alarm alarm = {.timer.fire = alarm_fire};

	priv_clock_virtual.on = false; /* a real sleep, of a microsecond */
	priv_poll_group_timer_add(&rig->group, &alarm.timer, 1000);
	priv_poll_group_arm(&rig->group);
	assert_int_equal(poll(&pollfd, 1, -1), 1);
	priv_poll_group_clear(&rig->group);
	while (!alarm.fired)
		priv_poll_group_poll(&rig->group, 0);
	assert_true(list_is_empty(&rig->group.timers));
}

static void more_events_than_fit_are_all_taken_in(void **state)
{
	struct rig *rig = *state;
	const unsigned int count = 2 * POLL_GROUP_EVENTS + 5;
	struct bell *bells = calloc(count, sizeof(*bells));
	unsigned int i;

	for (i = 0; i < count; i++) {
		bells[i].watch.ready = bell_ready;
		assert_ok(priv_eventfd_create(&bells[i].watch.fd));
		assert_ok(priv_poll_group_watch(&rig->group, &bells[i].watch, EPOLLIN));
		priv_eventfd_ring(bells[i].watch.fd);
	}
	priv_poll_group_clear(&rig->group);
	assert_false(is_readable(rig));
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), count);
	for (i = 0; i < count; i++) {
		assert_int_equal(bells[i].rings, 1);
		priv_poll_group_unwatch(&rig->group, &bells[i].watch);
		close(bells[i].watch.fd);
	}
	free(bells);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_hot_poller_is_polled),
		TEST(a_poll_that_finds_nothing_looks_again),
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
		TEST(looking_asks_at_once),
		TEST(the_kernel_is_asked_now_and_then_without_pollers_too),
		TEST(other_events_may_be_asked_for),
		TEST(a_raised_watch_is_told_in_the_next_poll),
		TEST(what_is_raised_while_handling_waits_for_the_next_round),
		TEST(a_handler_may_remove_every_watch),
		TEST(a_handler_may_remove_every_raised_watch),
		TEST(timers_fire_once_when_due),
		TEST(a_timer_may_remove_another_that_is_due),
		TEST(a_timer_that_starts_itself_again_fires_once_a_poll),
		TEST(whoever_polls_rarely_misses_nothing),
		TEST(arm_cools_everybody),
		TEST(whoever_sleeps_often_says_so),
		TEST(arm_refuses_while_there_is_work),
		TEST(arm_sees_work_that_came_meanwhile),
		TEST(arm_refuses_when_something_is_raised),
		TEST(a_ring_ends_a_sleep),
		TEST(a_poll_without_clear_takes_the_event_in),
		TEST(a_wake_ends_a_sleep),
		TEST(a_raise_ends_a_sleep),
		TEST(heat_ends_a_sleep),
		TEST(a_new_poller_ends_a_sleep),
		TEST(a_new_timer_ends_a_sleep),
		TEST(a_timer_that_is_due_forbids_to_sleep),
		TEST(a_timer_ends_a_sleep),
		TEST(more_events_than_fit_are_all_taken_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
