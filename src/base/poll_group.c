/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The poll group: hot and cold pollers, watched descriptors, timers, sleeping.
 *
 * Long because all of them can end a sleep, and what that takes is to be read in one place.
 */
#define LOG_MODULE "base"
#include "base/poll_group.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "base/barrier.h"
#include "base/cache.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/no_cancel.h"
#include "base/yield.h"

/*
 * In ticks (clock.h). The kernel is asked this often while a thread finds nothing, and while it
 * does.
 */
#define LOOK_IDLE_TICKS 16000
#define LOOK_BUSY_TICKS 200000
/*
 * What has just come through the kernel may be followed by more: where many sources have work by
 * turns, one at a time, each of them is cold when its turn comes. So it is asked again soon, a few
 * times.
 */
#define LOOK_RUNG_TICKS 2000
#define LOOKS_WHEN_RUNG 4
#define SWEEP_TICKS	400000
#define NAP_MS		1
/*
 * The clock costs as much as the rest of an empty poll: so many polls ask it once. Each one does
 * for whoever polls so rarely that this takes long.
 */
#define IDLE_POLLS_PER_TIME 4
#define BUSY_POLLS_PER_TIME 16
#define RARE_TICKS	    LOOK_IDLE_TICKS
/*
 * From then on each empty poll has a pause in it, which leaves the core to its other thread; but a
 * thread that finds work in one of several groups is not held up in the others. Until then a poll
 * that finds nothing looks again at once, if it looks at little, and the thread counts as busy.
 */
#define IDLE_POLLS_BEFORE_PAUSE 64u
#define LOOKS_AGAIN		8
#define LOOKS_AGAIN_BY_TURNS	2 /* where the thread polls other such groups, too */
#define LOOKS_AGAIN_HOT_MAX	2
/*
 * So many pollers stay hot without work; more than that is worth the barrier. Of a crowd, the next
 * one with work is hardly among those: few stay.
 */
#define HOT_IDLE_MAX 16
#define HOT_IDLE_FEW 2
#define CROWD	     32
/* Whoever polls less often than that between two sleeps sleeps often. */
#define OFTEN_ROUNDS 1024
/* Bounds the time of one sweep. */
#define SWEEP_MAX 128

/* What a thread has seen in whatever group. */
static __thread struct {
	/* the last one that had work in memory, or looked again for some; only compared */
	const struct poll_group *looks_at;
	uint32_t idle_polls; /* in a row */
} this_thread __attribute__((tls_model("initial-exec")));

static void self_ready(struct watch *watch, uint32_t events)
{
	(void)watch;
	(void)events; /* only there to end a sleep */
}

doca_error_t priv_poll_group_init(struct poll_group *group)
{
	doca_error_t err;

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
		group->epoll_fd = priv_fd_lift(epoll_create1(EPOLL_CLOEXEC));
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

	for (i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

void priv_poll_group_fini(struct poll_group *group)
{
	assert(list_is_empty(&group->hot) && list_is_empty(&group->cold));
	assert(list_is_empty(&group->timers));
	close_all(group);
	pthread_mutex_destroy(&group->posted_lock);
}

/* takes the fresh one */
static void renew(int fd, int fresh)
{
	if (fresh < 0)
		return;
	dup3(fresh, fd, O_CLOEXEC);
	close(fresh);
}

void priv_poll_group_renew(struct poll_group *group)
{
	int fresh = group->is_shown ? -1 : epoll_create1(EPOLL_CLOEXEC);

	if (fresh < 0)
		return;
	renew(group->epoll_fd, fresh);
	renew(group->self.fd, eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	priv_poll_group_watch(group, &group->self, EPOLLIN);
	if (group->timer.fd >= 0) {
		renew(group->timer.fd, timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
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

/*
 * Arms the given pollers, all hot, and cools those that have no work. Returns how many stay hot
 * because they have.
 */
static unsigned int cool_all(struct list_node *pollers, bool often)
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

/* so many pollers stay hot without work */
static unsigned int max_idle(const struct poll_group *group)
{
	return group->hot_count + group->cold_count > CROWD ? HOT_IDLE_FEW : HOT_IDLE_MAX;
}

/* Cools pollers that did nothing since the last sweep, if there are many hot ones. */
static void sweep(struct poll_group *group)
{
	struct list_node idle;
	struct list_node *node, *tmp;
	unsigned int stay = max_idle(group), taken = 0;

	list_init(&idle);
	if (group->hot_count <= stay)
		return;
	list_for_each_safe (node, tmp, &group->hot) {
		struct poller *poller = container_of(node, struct poller, node);

		if (!poller->active && taken < SWEEP_MAX && group->hot_count - taken > stay) {
			list_remove(node);
			list_add_tail(&idle, node);
			taken++;
		}
		poller->active = false;
	}
	cool_all(&idle, false);
	/* What is left has work. */
	while ((node = list_pop(&idle)))
		list_add_tail(&group->hot, node);
}

void priv_poll_group_warm(struct poll_group *group)
{
	const unsigned int max = max_idle(group);

	if (group->hot_count)
		return;
	while (group->cold_count && group->hot_count < max)
		priv_poll_group_heat(container_of(group->cold.prev, struct poller, node));
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

/* what other threads have raised becomes raised */
static __attribute__((noinline)) void take_posted(struct poll_group *group)
{
	struct list_node *node;

	pthread_mutex_lock(&group->posted_lock);
	atomic_store_explicit(&group->has_posted, false, memory_order_relaxed);
	while ((node = list_pop(&group->posted))) {
		struct watch *watch = container_of(node, struct watch, posted_node);

		if (!list_is_linked(&watch->raised_node))
			list_add_tail(&group->raised, &watch->raised_node);
	}
	pthread_mutex_unlock(&group->posted_lock);
}

static __attribute__((noinline)) unsigned int handle_raised(struct poll_group *group)
{
	unsigned int done = 0;
	struct list_node batch;
	struct list_node *node;
	NO_CANCEL();

	/* What is raised from now on belongs to the next round. */
	list_init(&batch);
	while ((node = list_pop(&group->raised)))
		list_add_tail(&batch, node);
	while ((node = list_pop(&batch))) {
		struct watch *watch = container_of(node, struct watch, raised_node);
		uint32_t events = watch->raised_events;

		if (group->is_disowned)
			continue;
		watch->raised_events = 0;
		watch->ready(watch, events);
		done += watch != &group->self && watch != &group->timer;
	}
	return done;
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

static unsigned int fire_timers(struct poll_group *group)
{
	struct list_node due;
	struct list_node *node, *tmp;
	uint64_t now = clock_now_ns();
	unsigned int fired = 0;

	list_init(&due);
	list_for_each_safe (node, tmp, &group->timers) {
		if (container_of(node, struct timer, node)->deadline_ns <= now) {
			list_remove(node);
			list_add_tail(&due, node);
		}
	}
	while ((node = list_pop(&due))) {
		struct timer *timer = container_of(node, struct timer, node);

		if (group->is_disowned)
			continue;
		timer->fire(timer);
		fired++;
	}
	return fired;
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
		group->timer.fd =
			priv_fd_lift(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
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

/* Lets the earliest timer end a sleep. false: the caller may not sleep */
static bool arm_timers(struct poll_group *group)
{
	uint64_t earliest = priv_poll_group_next_deadline(group);
	struct itimerspec when = {.it_value = {.tv_sec = (time_t)(earliest / 1000000000u),
					       .tv_nsec = (long)(earliest % 1000000000u)}};

	if (earliest <= clock_now_ns())
		return false;
	if (priv_clock_virtual.on)
		return true; /* whoever moves that clock looks at the deadlines */
	if (priv_poll_group_timer_prepare(group))
		return false;
	return !timerfd_settime(group->timer.fd, TFD_TIMER_ABSTIME, &when, NULL);
}

/*
 * Polling
 */

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
	group->event_count = 0;
	return done;
}

/* again: only those where looking twice is cheap */
static inline __attribute__((always_inline)) unsigned int poll_hot(struct poll_group *group,
								   bool again)
{
	unsigned int total = 0;
	struct list_node *node;

	for (node = group->hot.next; node != &group->hot; node = group->next) {
		struct poller *poller = container_of(node, struct poller, node);
		unsigned int done;

		group->next = node->next;
		/* A program that has just been told of it comes first. */
		if (__builtin_expect(poller->added == group->round, 0))
			continue;
		if (again && !poller->ops->polls_memory)
			continue;
		done = poller->ops->poll(poller);
		if (done) {
			poller->active = true;
			total += done;
		}
	}
	return total;
}

/* Is it worth while to look again? There was work a moment ago, and little to be looked at. */
static inline bool expects_work(const struct poll_group *group)
{
	return group->idle_polls < IDLE_POLLS_BEFORE_PAUSE && group->hot_in_memory &&
	       group->hot_count <= LOOKS_AGAIN_HOT_MAX;
}

/* The caller comes back anyway, but that takes longer than a look. */
static unsigned int poll_hot_again(struct poll_group *group)
{
	unsigned int looks = this_thread.looks_at == group ? LOOKS_AGAIN : LOOKS_AGAIN_BY_TURNS;
	unsigned int done = 0, i;

	this_thread.looks_at = group;
	for (i = 0; i < looks && !done; i++) {
		cache_look_again();
		done = poll_hot(group, true);
	}
	return done;
}

/* The kernel has been asked, and knew of something or not. */
static void note_look(struct poll_group *group, bool has_rung)
{
	if (has_rung)
		group->looks_soon = group->cold_count ? LOOKS_WHEN_RUNG : 0;
	else if (group->looks_soon)
		group->looks_soon--;
}

static uint64_t next_look(const struct poll_group *group, uint64_t now)
{
	return now + (group->looks_soon ? LOOK_RUNG_TICKS : LOOK_IDLE_TICKS);
}

/* The part of a poll that costs a system call; how often: see the constants above. */
static unsigned int poll_slowly(struct poll_group *group, uint64_t now)
{
	unsigned int done;
	NO_CANCEL();

	done = priv_poll_group_look(group);
	note_look(group, done);
	group->next_busy_look = now + LOOK_BUSY_TICKS;
	group->next_look = next_look(group, now);
	if (!list_is_empty(&group->timers))
		done += fire_timers(group);
	if (now >= group->next_sweep) {
		sweep(group);
		group->next_sweep = now + SWEEP_TICKS;
	}
	return done;
}

/* Is this poll one that asks the clock? */
static inline bool is_timed(const struct poll_group *group, unsigned int done)
{
	if (__builtin_expect(group->all_timed, 0))
		return true;
	return done ? group->round % BUSY_POLLS_PER_TIME == 0
		    : group->idle_polls % IDLE_POLLS_PER_TIME == 0;
}

/*
 * Does only the kernel know of work? Of a group that is armed, or was and has been cleared since,
 * everything is cold until something rings.
 */
static inline bool must_look(const struct poll_group *group)
{
	return group->must_look || group->armed || (!group->hot_count && group->cold_count);
}

/*
 * Is each poll one that asks the clock, because work is hardly found in memory alone? A thread that
 * has work in another group does not wait for the kernel here.
 */
static bool are_all_timed(const struct poll_group *group)
{
	bool is_idle = this_thread.idle_polls >= IDLE_POLLS_BEFORE_PAUSE;

	return group->rare || must_look(group) || (is_idle && list_is_empty(&group->hot)) ||
	       !list_is_empty(&group->timers) || yield_has_been();
}

/*
 * Is there work, or was there a moment ago, in whatever group? In the midst of a conversation
 * nobody wants to wait for the kernel: an answer may come at any time.
 */
static inline bool is_busy(const struct poll_group *group, unsigned int done)
{
	return done || (this_thread.idle_polls < IDLE_POLLS_BEFORE_PAUSE >> priv_yield_hurry() &&
			!group->rare && !group->looks_soon);
}

/* Without hot pollers a timer is what the caller waits for, and it is punctual. */
static inline bool is_look_due(const struct poll_group *group, uint64_t now, bool busy)
{
	return must_look(group) || now >= (busy ? group->next_busy_look : group->next_look) ||
	       (list_is_empty(&group->hot) && !list_is_empty(&group->timers));
}

/*
 * Would a nap be in the way of somebody else? Of the program, if it sleeps by itself or expects
 * work in another group; of a timer; of those who need no wake-up because they are cold.
 */
static inline bool may_nap(const struct poll_group *group)
{
	return this_thread.looks_at == group && !group->armed && !group->held &&
	       list_is_empty(&group->timers) && !list_is_empty(&group->hot);
}

/* Sleeps for a moment unless there is work; whoever is hot before is so afterwards. */
static void nap(struct poll_group *group)
{
	const unsigned int hot_count = group->hot_count;
	struct pollfd pollfd = {.fd = group->epoll_fd, .events = POLLIN};
	NO_CANCEL();

	if (!cool_all(&group->hot, false) && list_is_empty(&group->raised) &&
	    !atomic_load(&group->has_posted))
		poll(&pollfd, 1, NAP_MS);
	/* Those that were cooled are the last ones. A signal's handler may have forked. */
	while (group->hot_count < hot_count && !group->is_disowned)
		priv_poll_group_heat(container_of(group->cold.prev, struct poller, node));
	group->must_look = true;
}

/* The thread has had nothing to do for long. */
static void give_way(struct poll_group *group, uint64_t now)
{
	if (group->is_locked) {
		group->wants_yield = true;
	} else if (may_nap(group) && yield_wants_nap()) {
		nap(group);
		yield_note_nap(clock_ticks());
	} else {
		yield_to_others(now);
	}
}

void priv_poll_group_let_others_run(void)
{
	yield_to_others(clock_ticks());
}

/* What a poll does by the clock; returns how much there was to do. */
static __attribute__((noinline)) unsigned int poll_timed(struct poll_group *group,
							 unsigned int done, bool found)
{
	const unsigned int before = done;
	uint64_t now = clock_ticks();
	bool busy;

	group->rare =
		now - group->timed >= RARE_TICKS * (uint64_t)(group->round - group->timed_round);
	group->timed = now;
	group->timed_round = group->round;
	busy_poll_wake_up(&group->busy_poll, now);
	if (found)
		group->looks_soon = 0;
	busy = is_busy(group, done);
	if (is_look_due(group, now, busy))
		done += poll_slowly(group, now);
	if (done && !before)
		done += poll_hot(group, false); /* who was only made hot works in this poll */
	found |= done != before;
	if (yield_has_been() && (found || this_thread.looks_at == group))
		yield_note(found);
	if (busy || done) {
		group->next_look = next_look(group, now);
		yield_put_off(now);
	} else if (yield_is_due(now)) {
		give_way(group, now);
	}
	group->all_timed = are_all_timed(group);
	return done - before;
}

unsigned int priv_poll_group_poll(struct poll_group *group, unsigned int done)
{
	const unsigned int before = done;

	group->round++;
	if (__builtin_expect(atomic_load_explicit(&group->has_posted, memory_order_relaxed), 0))
		take_posted(group);
	if (!list_is_empty(&group->raised))
		done += handle_raised(group);
	done += poll_hot(group, false);
	if (!done && expects_work(group))
		done = poll_hot_again(group);
	if (is_timed(group, done))
		done += poll_timed(group, done, done != before);
	if (done) {
		if (group->hot_in_memory)
			this_thread.looks_at = group;
		group->idle_polls = this_thread.idle_polls = 0;
		return done - before;
	}
	group->idle_polls++;
	if (this_thread.idle_polls++ >= IDLE_POLLS_BEFORE_PAUSE)
		clock_relax(); /* but a peer that is about to answer does not find us in a pause */
	return 0;
}

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
	busy = cool_all(&group->hot, group->round - group->armed_round < OFTEN_ROUNDS);
	group->armed = group->must_look = group->all_timed = true;
	group->arms++;
	group->armed_round = group->round;
	if (!list_is_empty(&group->timers) && !arm_timers(group))
		busy++;
	if (busy || !list_is_empty(&group->raised) || atomic_load(&group->has_posted)) {
		group->armed = false;
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
