/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The poll group: what is in it, hot and cold pollers, watched descriptors, timers; and sleeping,
 * which all of them can end. What happens in a poll: poll_group_poll.c.
 */
#define LOG_MODULE "base"
#include "base/poll_group.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "base/barrier.h"
#include "base/bell.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/no_cancel.h"

/* Whoever polls less often than that between two sleeps sleeps often. */
#define OFTEN_ROUNDS 1024

static void self_ready(struct watch *watch, uint32_t events)
{
	(void)watch;
	(void)events; /* only there to end a sleep */
}

static int create_epoll(void)
{
	return priv_fd_lift(epoll_create1(EPOLL_CLOEXEC));
}

static int create_bell(void)
{
	return priv_fd_lift(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

static int create_timer(void)
{
	return priv_fd_lift(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
}

doca_error_t priv_poll_group_init(struct poll_group *group)
{
	doca_error_t err;
	NO_CANCEL();

	memset(group, 0, sizeof(*group));
	list_init(&group->hot);
	list_init(&group->cold);
	list_init(&group->raised);
	list_init(&group->posted);
	pthread_mutex_init(&group->posted_lock, NULL);
	list_init(&group->timers);
	watch_init(&group->self, self_ready);
	watch_init(&group->timer, self_ready);
	do
		group->epoll_fd = create_epoll();
	while (group->epoll_fd < 0 && priv_fd_made_room());
	if (group->epoll_fd < 0)
		return priv_err_from_call("epoll_create1");
	err = priv_eventfd_create(&group->self.fd);
	if (err)
		goto close_epoll;
	group->all_timed = true;
	err = priv_poll_group_watch(group, &group->self, EPOLLIN);
	if (err)
		goto close_self;
	priv_barrier_register();
	return DOCA_SUCCESS;

close_self:
	close(group->self.fd);
close_epoll:
	close(group->epoll_fd);
	return err;
}

static void close_all(struct poll_group *group)
{
	int *fds[] = {&group->timer.fd, &group->self.fd, &group->epoll_fd};
	unsigned int i;

	for (i = 0; i < COUNT(fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

void priv_poll_group_fini(struct poll_group *group)
{
	NO_CANCEL();

	assert(list_is_empty(&group->hot) && list_is_empty(&group->cold));
	assert(list_is_empty(&group->timers));
	poll_group_forget(group);
	close_all(group);
	pthread_mutex_destroy(&group->posted_lock);
}

/* The parent's is closed first: there may be no room for one more. */
static void renew(int *fd, int (*create)(void))
{
	close(*fd);
	*fd = create();
}

void priv_poll_group_renew(struct poll_group *group)
{
	if (group->is_shown)
		return;
	renew(&group->epoll_fd, create_epoll);
	renew(&group->self.fd, create_bell);
	priv_poll_group_watch(group, &group->self, EPOLLIN);
	if (group->timer.fd >= 0) {
		renew(&group->timer.fd, create_timer);
		priv_poll_group_watch(group, &group->timer, EPOLLIN);
	}
	if (group->armed || group->held)
		priv_poll_group_hold(group);
}

void priv_poll_group_disown(struct poll_group *group)
{
	list_init(&group->hot);
	list_init(&group->cold);
	list_init(&group->raised);
	list_init(&group->timers);
	group->hot_count = group->hot_in_memory = group->cold_count = 0;
	group->all_timed = true;
	group->next = &group->hot; /* of the poll that the fork was in, if it was in one */
	group->event_count = 0;
	group->is_disowned = true; /* what a batch still has is dropped from it */
	close_all(group);	   /* the epoll instance is the parent's, too */
}

/*
 * Pollers
 */

void priv_poll_group_add(struct poll_group *group, struct poller *poller)
{
	poller->group = group;
	poller->hot = true;
	poller->active = true;
	poller->added = group->round;
	list_add_tail(&group->hot, &poller->node);
	group->hot_count++;
	group->hot_in_memory += poller->ops->polls_memory;
	poll_group_end_sleep(group);
}

static void leave_list(struct poller *poller)
{
	struct poll_group *group = poller->group;

	if (group->next == &poller->node)
		group->next = poller->node.next;
	if (poller->hot) {
		group->hot_count--;
		group->hot_in_memory -= poller->ops->polls_memory;
	} else {
		group->cold_count--;
	}
	list_remove(&poller->node);
	group->all_timed |= list_is_empty(&group->hot);
}

void priv_poll_group_remove(struct poller *poller)
{
	if (!poller->group)
		return;
	leave_list(poller);
	poller->group = NULL;
}

static bool arm(struct poller *poller, bool often)
{
	return !poller->ops->arm || poller->ops->arm(poller, often);
}

static void disarm(struct poller *poller)
{
	if (poller->ops->disarm)
		poller->ops->disarm(poller);
}

void priv_poll_group_heat(struct poller *poller)
{
	struct poll_group *group = poller->group;

	if (poller->hot)
		return;
	leave_list(poller);
	disarm(poller);
	priv_poll_group_add(group, poller);
	poller->added = group->round - 1; /* it is not new */
}

static void cool(struct poller *poller)
{
	struct poll_group *group = poller->group;

	leave_list(poller);
	poller->hot = false;
	group->cold_count++;
	list_add_tail(&group->cold, &poller->node);
}

unsigned int poll_group_cool_all(struct list_node *pollers, bool often)
{
	struct list_node *node, *tmp;
	unsigned int busy = 0;
	bool fence_will_do = true;

	if (list_is_empty(pollers))
		return 0;
	list_for_each (node, pollers) {
		struct poller *poller = container_of(node, struct poller, node);

		if (!arm(poller, often))
			fence_will_do = false;
	}
	if (fence_will_do)
		atomic_thread_fence(memory_order_seq_cst);
	else
		priv_barrier_heavy();
	list_for_each_safe (node, tmp, pollers) {
		struct poller *poller = container_of(node, struct poller, node);

		if (poller->ops->pending(poller)) {
			disarm(poller);
			busy++;
		} else {
			cool(poller);
		}
	}
	return busy;
}

/*
 * Watches
 */

doca_error_t priv_poll_group_watch(struct poll_group *group, struct watch *watch, uint32_t events)
{
	struct epoll_event event = {.events = events | EPOLLET, .data.ptr = watch};

	list_init(&watch->raised_node);
	list_init(&watch->posted_node);
	watch->raised_events = 0;
	if (epoll_ctl(group->epoll_fd, EPOLL_CTL_ADD, watch->fd, &event))
		return priv_err_from_errno(errno);
	return DOCA_SUCCESS;
}

/*
 * The kernel has been asked. What rang may have been a post that came after it was looked for some,
 * and what is held stays readable.
 */
static void ring_again(struct poll_group *group)
{
	if (group->held || atomic_load_explicit(&group->has_posted, memory_order_relaxed))
		priv_poll_group_wake(group);
}

/*
 * Its counter goes down when it is rung (EPOLLOUT), or stays (EPOLLIN). It is never 0, which is an
 * event when it is watched for the first time.
 */
doca_error_t priv_poll_group_watch_bell(struct poll_group *group, struct watch *watch)
{
	doca_error_t err = priv_poll_group_watch(group, watch, EPOLLIN | EPOLLOUT);
	struct epoll_event event;

	if (err)
		return err;
	while (epoll_wait(group->epoll_fd, &event, 1, 0) > 0 && event.data.ptr != watch)
		priv_poll_group_raise(group, event.data.ptr, event.events);
	ring_again(group);
	return DOCA_SUCCESS;
}

void priv_poll_group_rewatch(struct poll_group *group, struct watch *watch, uint32_t events)
{
	struct epoll_event event = {.events = events | EPOLLET, .data.ptr = watch};

	epoll_ctl(group->epoll_fd, EPOLL_CTL_MOD, watch->fd, &event);
}

void priv_poll_group_unwatch(struct poll_group *group, struct watch *watch)
{
	int i;

	if (watch->fd >= 0)
		epoll_ctl(group->epoll_fd, EPOLL_CTL_DEL, watch->fd, NULL);
	list_remove(&watch->raised_node);
	for (i = 0; i < group->event_count; i++)
		if (group->events[i].data.ptr == watch)
			group->events[i].data.ptr = NULL;
}

/* Once. A child of fork() that could not have one of its own has none. */
static void tell_of_closed(int epoll_fd)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;

	if (epoll_fd < 0 || (errno != EBADF && errno != EINVAL) || atomic_flag_test_and_set(&told))
		return;
	LOG_ERR("an engine hears of nothing any more: the program has closed descriptor %d, which "
		"is not its own (closefrom() or close_range() of a daemon?)",
		epoll_fd);
}

unsigned int priv_poll_group_look(struct poll_group *group)
{
	unsigned int done = 0;
	int i;

	group->must_look = false;
	group->event_count = epoll_wait(group->epoll_fd, group->events, POLL_GROUP_EVENTS, 0);
	for (i = 0; i < group->event_count; i++) {
		struct watch *watch = group->events[i].data.ptr;

		if (!watch)
			continue;
		/* This ends the sleep; a callback may begin the next one. */
		if (watch != &group->self && watch != &group->timer && !done++)
			group->armed = false;
		watch->ready(watch, group->events[i].events);
	}
	if (group->event_count > 0)
		ring_again(group);
	else if (group->event_count < 0)
		tell_of_closed(group->epoll_fd);
	group->event_count = 0;
	return done;
}

void priv_poll_group_raise(struct poll_group *group, struct watch *watch, uint32_t events)
{
	watch->raised_events |= events;
	if (!list_is_linked(&watch->raised_node))
		list_add_tail(&group->raised, &watch->raised_node);
	poll_group_end_sleep(group);
}

void priv_poll_group_post(struct poll_group *group, struct watch *watch)
{
	bool is_new;

	pthread_mutex_lock(&group->posted_lock);
	is_new = !list_is_linked(&watch->posted_node);
	if (is_new)
		list_add_tail(&group->posted, &watch->posted_node);
	/* Relaxed: the lock orders the list; the eventfd ends a sleep. */
	atomic_store_explicit(&group->has_posted, true, memory_order_relaxed);
	pthread_mutex_unlock(&group->posted_lock);
	if (is_new) /* else whoever posted it first wakes */
		priv_poll_group_wake(group);
}

void priv_poll_group_retract(struct poll_group *group, struct watch *watch)
{
	pthread_mutex_lock(&group->posted_lock);
	list_remove(&watch->posted_node);
	pthread_mutex_unlock(&group->posted_lock);
	list_remove(&watch->raised_node);
}

/*
 * Timers
 */

void priv_poll_group_timer_add(struct poll_group *group, struct timer *timer, uint64_t delay_ns)
{
	timer->deadline_ns = clock_now_ns() + delay_ns;
	list_add_tail(&group->timers, &timer->node);
	group->all_timed = true;
	poll_group_end_sleep(group);
}

void priv_poll_group_timer_remove(struct timer *timer)
{
	list_remove(&timer->node);
}

uint64_t priv_poll_group_next_deadline(const struct poll_group *group)
{
	uint64_t earliest = UINT64_MAX;
	const struct list_node *node;

	list_for_each (node, &group->timers) {
		uint64_t deadline = container_of(node, struct timer, node)->deadline_ns;

		if (deadline < earliest)
			earliest = deadline;
	}
	return earliest;
}

doca_error_t priv_poll_group_timer_prepare(struct poll_group *group)
{
	doca_error_t err;

	if (group->timer.fd >= 0)
		return DOCA_SUCCESS;
	do
		group->timer.fd = create_timer();
	while (group->timer.fd < 0 && priv_fd_made_room());
	if (group->timer.fd < 0)
		return priv_err_from_call("timerfd_create");
	err = priv_poll_group_watch(group, &group->timer, EPOLLIN);
	if (err) {
		close(group->timer.fd);
		group->timer.fd = -1;
	}
	return err;
}

/*
 * Lets the earliest timer end a sleep. The kernel is told how long that is, not when: the program's
 * clock may be another one than the kernel's. false: the caller may not sleep
 */
static bool arm_timers(struct poll_group *group)
{
	uint64_t earliest = priv_poll_group_next_deadline(group);
	uint64_t now = clock_now_ns();
	struct itimerspec in = {.it_value = {.tv_sec = (time_t)((earliest - now) / 1000000000u),
					     .tv_nsec = (long)((earliest - now) % 1000000000u)}};

	if (earliest <= now)
		return false;
	if (priv_clock_virtual.on)
		return true; /* whoever moves that clock looks at the deadlines */
	if (priv_poll_group_timer_prepare(group))
		return false;
	return !timerfd_settime(group->timer.fd, 0, &in, NULL);
}

/*
 * Sleeping
 */

bool poll_group_has_pending(const struct poll_group *group)
{
	const struct list_node *node;

	list_for_each (node, &group->hot) {
		struct poller *poller = container_of(node, struct poller, node);

		if (poller->ops->pending(poller))
			return true;
	}
	/* Relaxed: who posts rings, too. */
	return atomic_load_explicit(&group->has_posted, memory_order_relaxed) ||
	       !list_is_empty(&group->raised);
}

bool priv_poll_group_arm(struct poll_group *group)
{
	unsigned int busy;

	if (group->held)
		priv_poll_group_clear(group);
	busy = poll_group_cool_all(&group->hot, group->round - group->armed_round < OFTEN_ROUNDS);
	group->armed = group->must_look = group->all_timed = true;
	group->arms++;
	group->armed_round = group->round;
	if (!list_is_empty(&group->timers) && !arm_timers(group))
		busy++;
	if (busy || !list_is_empty(&group->raised) || atomic_load(&group->has_posted)) {
		group->armed = false;
		busy_poll_stay_awake(&group->busy_poll, clock_ticks());
		return false;
	}
	busy_poll_fall_asleep(&group->busy_poll, clock_ticks());
	return true;
}

void priv_poll_group_clear(struct poll_group *group)
{
	struct epoll_event events[POLL_GROUP_EVENTS];
	int count;
	int i;
	NO_CANCEL();

	busy_poll_wake_up(&group->busy_poll, clock_ticks());
	group->armed = group->must_look = group->held = false;
	do {
		count = epoll_wait(group->epoll_fd, events, POLL_GROUP_EVENTS, 0);
		for (i = 0; i < count; i++)
			if (events[i].data.ptr != &group->self)
				priv_poll_group_raise(group, events[i].data.ptr, events[i].events);
	} while (count == POLL_GROUP_EVENTS);
}

void priv_poll_group_hold(struct poll_group *group)
{
	group->armed = false;
	group->held = true;
	priv_poll_group_wake(group);
}

void priv_poll_group_wake(struct poll_group *group)
{
	priv_eventfd_ring(group->self.fd);
}
