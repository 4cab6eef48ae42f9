/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The poll group: sleeping. Whatever happens between arm and sleep makes the descriptor readable.
 */
#include "base/bell.h"
#include "poll_group_rig.h"

#include <sys/syscall.h>
#include <sys/timerfd.h>

static time_t ahead_of_kernel_s;

/* a clock of the program's own, as libfaketime makes them */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	int failed = (int)syscall(SYS_clock_gettime, clock, now);

	now->tv_sec += ahead_of_kernel_s;
	return failed;
}

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

/* Else each poll would ask the kernel. */
static void as_many_as_stay_hot_are_warmed(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	add(rig, SOURCES);
	fall_asleep(rig);
	priv_poll_group_warm(&rig->group);
	assert_int_equal(rig->group.hot_count, 2); /* of a crowd */
	assert_true(is_readable(rig->group.epoll_fd));
	priv_poll_group_warm(&rig->group);
	assert_int_equal(rig->group.hot_count, 2);
	for (i = 0; i < SOURCES; i++)
		assert_true(rig->sources[i].poller.hot != rig->sources[i].announced);
}

/* A program that only sends: what it does is never found by a poll. */
static void whoever_goes_on_after_a_sleep_is_warmed(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	add(rig, 2);
	fall_asleep(rig);
	for (i = 0; i < 100; i++)
		priv_poll_group_poll(&rig->group, 1); /* it may sleep in spite of that */
	assert_int_equal(rig->group.hot_count, 0);
	priv_poll_group_clear(&rig->group);
	for (i = 0; i < 100; i++)
		priv_poll_group_poll(&rig->group, 1);
	assert_int_equal(rig->group.hot_count, 2);
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 0);
	/* After a few polls it sleeps again, and need not be disturbed. */
	fall_asleep(rig);
	priv_poll_group_clear(&rig->group);
	for (i = 0; i < 4; i++)
		priv_poll_group_poll(&rig->group, 1);
	for (i = 0; i < 100; i++)
		assert_int_equal(priv_poll_group_poll(&rig->group, 0), 0);
	assert_int_equal(rig->group.hot_count, 0);
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
	assert_false(rig->group.armed);
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
	assert_false(rig->group.armed);
}

static void arm_refuses_when_something_is_raised(void **state)
{
	struct rig *rig = *state;

	priv_poll_group_raise(&rig->group, &rig->bells[0].watch, EPOLLIN);
	assert_false(priv_poll_group_arm(&rig->group));
	assert_false(rig->group.armed);
}

static void a_ring_ends_a_sleep(void **state)
{
	struct rig *rig = *state;

	fall_asleep(rig);
	priv_eventfd_ring(rig->bells[2].watch.fd);
	assert_true(is_readable(rig->group.epoll_fd));
	priv_poll_group_clear(&rig->group);
	assert_false(is_readable(rig->group.epoll_fd));
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
	assert_false(is_readable(rig->group.epoll_fd));
}

static void a_wake_ends_a_sleep(void **state)
{
	struct rig *rig = *state;

	fall_asleep(rig);
	priv_poll_group_wake(&rig->group);
	assert_true(is_readable(rig->group.epoll_fd));
	assert_int_equal(poll_later(rig), 0); /* that is not work */
	fall_asleep(rig);
}

static void a_raise_ends_a_sleep(void **state)
{
	struct rig *rig = *state;

	fall_asleep(rig);
	priv_poll_group_raise(&rig->group, &rig->bells[0].watch, EPOLLIN);
	assert_true(is_readable(rig->group.epoll_fd));
}

static void heat_ends_a_sleep(void **state)
{
	struct rig *rig = *state;

	add(rig, 1);
	fall_asleep(rig);
	rig->sources[0].work = 1;
	priv_poll_group_heat(&rig->sources[0].poller);
	assert_true(is_readable(rig->group.epoll_fd));
}

static void a_new_poller_ends_a_sleep(void **state)
{
	struct rig *rig = *state;

	fall_asleep(rig);
	add(rig, 1);
	assert_true(is_readable(rig->group.epoll_fd));
}

static void a_new_timer_ends_a_sleep(void **state)
{
	struct rig *rig = *state;
	struct alarm alarm = {.timer.fire = alarm_fire};

	fall_asleep(rig);
	priv_poll_group_timer_add(&rig->group, &alarm.timer, 0);
	assert_true(is_readable(rig->group.epoll_fd));
	poll_later(rig);
	assert_int_equal(alarm.fired, 1);
}

static void a_timer_that_is_due_forbids_to_sleep(void **state)
{
	struct rig *rig = *state;
	struct alarm alarm = {.timer.fire = alarm_fire};

	priv_poll_group_timer_add(&rig->group, &alarm.timer, 1000);
	assert_true(priv_poll_group_arm(&rig->group));
	assert_false(is_readable(rig->group.epoll_fd));
	priv_clock_virtual.now_ns += 1000;
	assert_false(priv_poll_group_arm(&rig->group));
	assert_false(rig->group.armed);
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
	if (priv_poll_group_arm(&rig->group)) /* else it is due already */
		assert_int_equal(poll(&pollfd, 1, -1), 1);
	priv_poll_group_clear(&rig->group);
	while (!alarm.fired)
		priv_poll_group_poll(&rig->group, 0);
	assert_true(list_is_empty(&rig->group.timers));
}

static void a_timer_is_as_long_by_another_clock(void **state)
{
	struct rig *rig = *state;
	struct alarm alarm = {.timer.fire = alarm_fire};
	struct itimerspec left;

	priv_clock_virtual.on = false;
	ahead_of_kernel_s = 86400;
	priv_poll_group_timer_add(&rig->group, &alarm.timer, 3600000000000u);
	assert_true(priv_poll_group_arm(&rig->group));
	priv_poll_group_timer_remove(&alarm.timer);
	ahead_of_kernel_s = 0;
	assert_int_equal(timerfd_gettime(rig->group.timer.fd, &left), 0);
	assert_in_range(left.it_value.tv_sec, 0, 3600);
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
	assert_false(is_readable(rig->group.epoll_fd));
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), count);
	for (i = 0; i < count; i++) {
		assert_int_equal(bells[i].rings, 1);
		priv_poll_group_unwatch(&rig->group, &bells[i].watch);
		close(bells[i].watch.fd);
	}
	free(bells);
}

static void arm_from_bell(struct bell *bell)
{
	priv_poll_group_arm(bell->arg);
}

static void a_watch_may_arm(void **state)
{
	struct rig *rig = *state;
	struct alarm alarm = {.timer.fire = alarm_fire};

	rig->bells[0].on_ready = arm_from_bell;
	rig->bells[0].arg = &rig->group;
	priv_eventfd_ring(rig->bells[0].watch.fd);
	assert_int_equal(poll_later(rig), 1);
	assert_true(rig->group.armed);
	/* So what comes up now ends the sleep that follows. */
	assert_false(is_readable(rig->group.epoll_fd));
	priv_poll_group_timer_add(&rig->group, &alarm.timer, 1000000);
	assert_true(is_readable(rig->group.epoll_fd));
	priv_poll_group_timer_remove(&alarm.timer);
}

static void heat_from_bell(struct bell *bell)
{
	struct source *source = bell->arg;

	priv_poll_group_heat(&source->poller);
}

static void who_is_woken_by_a_descriptor_rings_no_more(void **state)
{
	struct rig *rig = *state;

	add(rig, 1);
	rig->bells[0].on_ready = heat_from_bell;
	rig->bells[0].arg = &rig->sources[0];
	fall_asleep(rig);
	priv_eventfd_ring(rig->bells[0].watch.fd);
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 1);
	assert_true(rig->sources[0].poller.hot);
	assert_false(rig->group.armed || rig->group.held);
	assert_false(is_readable(rig->group.epoll_fd));
}

static void post_in_a_poll(struct source *source)
{
	struct bell *bell = source->arg;

	source->on_poll = NULL;
	priv_poll_group_post(source->poller.group, &bell->watch);
}

static void a_post_in_the_middle_of_a_poll_is_not_lost(void **state)
{
	struct rig *rig = *state;

	add(rig, 1);
	rig->sources[0].on_poll = post_in_a_poll;
	rig->sources[0].arg = &rig->bells[0];
	assert_int_equal(poll_later(rig), 0); /* asks the kernel, which knows only that it rang */
	assert_int_equal(rig->bells[0].rings, 0);
	assert_true(is_readable(rig->group.epoll_fd));
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 1);
	assert_int_equal(rig->bells[0].rings, 1);
}

static void watch_a_bell(struct rig *rig, struct bell *bell)
{
	*bell = (struct bell){.watch.ready = bell_ready};
	assert_ok(priv_bell_create(&bell->watch.fd));
	assert_ok(priv_poll_group_watch_bell(&rig->group, &bell->watch));
}

static void forget_bell(struct rig *rig, struct bell *bell)
{
	priv_poll_group_unwatch(&rig->group, &bell->watch);
	close(bell->watch.fd);
}

/* The kernel is asked for that, and what it has told is not told again by it. */
static void watching_a_bell_takes_no_wake_up_away(void **state)
{
	struct rig *rig = *state;
	struct bell bell;

	fall_asleep(rig);
	watch_a_bell(rig, &bell);
	assert_false(is_readable(rig->group.epoll_fd));
	forget_bell(rig, &bell);
	priv_eventfd_ring(rig->bells[0].watch.fd);
	watch_a_bell(rig, &bell);
	assert_true(is_readable(rig->group.epoll_fd));
	forget_bell(rig, &bell);
	poll_later(rig);
	assert_int_equal(rig->bells[0].rings, 1);

	priv_poll_group_post(&rig->group, &rig->bells[1].watch); /* nobody is asleep */
	watch_a_bell(rig, &bell);
	assert_true(is_readable(rig->group.epoll_fd));
	forget_bell(rig, &bell);
	poll_later(rig);
	assert_int_equal(rig->bells[1].rings, 1);

	priv_poll_group_hold(&rig->group);
	watch_a_bell(rig, &bell);
	assert_true(is_readable(rig->group.epoll_fd));
	forget_bell(rig, &bell);
	priv_poll_group_clear(&rig->group);
}

/*
 * Crowds
 */

static struct source *first_of(const struct list_node *pollers)
{
	return source_of(container_of(pollers->next, struct poller, node));
}

static void hear(struct bell *bell)
{
	struct source *source = bell->arg;

	source->work = 1;
	priv_poll_group_heat(&source->poller);
}

/* so many polls, or until it is heard; returns how many there were */
static unsigned int poll_for(struct rig *rig, const struct bell *bell, unsigned int max)
{
	unsigned int polls, rings = bell->rings;

	for (polls = 0; polls < max && bell->rings == rings; polls++) {
		priv_clock_virtual.now_ns += 300;
		priv_poll_group_poll(&rig->group, 0);
	}
	return polls;
}

/*
 * Where one cold poller after the other has work, the thread does not wait long for each of them.
 * Behind work that is found in memory nothing is expected of the kernel.
 */
static void what_has_just_rung_is_followed_by_more(void **state)
{
	struct rig *rig = *state;

	add(rig, SOURCES);
	while (rig->group.hot_count > 2)
		poll_later(rig);
	for (unsigned int i = 0; i < 3; i++) {
		rig->bells[i].on_ready = hear;
		rig->bells[i].arg = first_of(&rig->group.cold);
		priv_eventfd_ring(rig->bells[i].watch.fd);
		assert_true(poll_for(rig, &rig->bells[i], 1000) < (i ? 16 : 1000));
	}
	for (unsigned int i = 0; i < 16; i++) {
		first_of(&rig->group.hot)->work = 1;
		priv_poll_group_poll(&rig->group, 0);
	}
	priv_eventfd_ring(rig->bells[0].watch.fd);
	assert_int_equal(poll_for(rig, &rig->bells[0], 30), 30);
}

/* Sleeping costs more than a look. */
static void who_sleeps_looks_again_after_work(void **state)
{
	struct rig *rig = *state;
	unsigned int before;

	rig->sources[0].poller.ops = &memory_ops;
	add(rig, 1);
	assert_true(priv_poll_group_arm(&rig->group));
	priv_poll_group_clear(&rig->group);
	priv_poll_group_heat(&rig->sources[0].poller);
	rig->sources[0].work = 1;
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 1);
	before = rig->sources[0].polls;
	assert_int_equal(priv_poll_group_poll(&rig->group, 0), 0);
	assert_true(rig->sources[0].polls - before > 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(who_sleeps_looks_again_after_work),
		TEST(whoever_polls_rarely_misses_nothing),
		TEST(watching_a_bell_takes_no_wake_up_away),
		TEST(arm_cools_everybody),
		TEST(as_many_as_stay_hot_are_warmed),
		TEST(whoever_goes_on_after_a_sleep_is_warmed),
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
		TEST(a_timer_is_as_long_by_another_clock),
		TEST(more_events_than_fit_are_all_taken_in),
		TEST(a_watch_may_arm),
		TEST(who_is_woken_by_a_descriptor_rings_no_more),
		TEST(a_post_in_the_middle_of_a_poll_is_not_lost),
		TEST(what_has_just_rung_is_followed_by_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
