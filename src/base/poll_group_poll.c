/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One poll of a group: who is looked at, how often the clock and the kernel are asked, who is
 * cooled, when others get the CPU.
 */
#include "base/poll_group.h"

#include <poll.h>
#include "base/cache.h"
#include "base/clock.h"
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
 * The clock costs as much as the rest of an empty poll: so many polls ask it once. Behind the first
 * empty one, programs that poll until nothing is left go on: it counts as busy. Each one asks for
 * whoever polls so rarely that this takes long.
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
 * So many pollers stay hot without work; more than that is worth the barrier. In a crowd few stay:
 * the next one with work is hardly among them.
 */
#define HOT_IDLE_MAX 16
#define HOT_IDLE_FEW 2
#define CROWD	     32
/* Bounds the time of one sweep. */
#define SWEEP_MAX 128
/* After leaving naps to another group this often, groups conclude that it is gone. */
#define PASSES_MAX 16

/* What a thread has seen in whatever group. */
static __thread struct {
	/* the last one that had work in memory, or looked again for some; only compared */
	const struct poll_group *looks_at;
	/* the last one that had some after a long wait: the next one ends there, too; likewise */
	const struct poll_group *waits_at;
	uint32_t idle_polls; /* in a row */
	uint32_t passes;     /* how often others have left it to that one to nap */
} this_thread __attribute__((tls_model("initial-exec")));

void poll_group_forget(const struct poll_group *group)
{
	if (this_thread.looks_at == group)
		this_thread.looks_at = NULL;
	if (this_thread.waits_at == group)
		this_thread.waits_at = NULL;
}

/*
 * Cooling
 */

/* How many pollers stay hot without work? */
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
	poll_group_cool_all(&idle, false);
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
 * What there is besides pollers
 */

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

/*
 * Polling
 */

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

/*
 * Is it worth while to look again? There was work a moment ago, and little to be looked at. But
 * right after work nobody may wait: programs poll until nothing is left, and then go on. Those that
 * go to sleep then had better look.
 */
static inline bool expects_work(const struct poll_group *group)
{
	return group->idle_polls < IDLE_POLLS_BEFORE_PAUSE && (group->idle_polls | group->arms) &&
	       group->hot_in_memory && group->hot_count <= LOOKS_AGAIN_HOT_MAX;
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

/* The caller would go to sleep, and that takes longer than an answer. */
static unsigned int linger(struct poll_group *group)
{
	unsigned int done;

	if (!busy_poll_may_linger(group))
		return 0;
	done = poll_hot_again(group);
	if (!done && busy_poll_look(group))
		done = poll_hot(group, false);
	if (!done)
		busy_poll_note_miss(group);
	return done;
}

/* Has the thread had work in another group since? That one is not to wait. */
static bool has_others(const struct poll_group *group)
{
	return this_thread.looks_at && this_thread.looks_at != group;
}

/* What a poll that has found nothing does before it says so. */
static unsigned int poll_on(struct poll_group *group)
{
	if (!group->idle_polls && group->arms && busy_poll_lingers(group) && !has_others(group))
		return linger(group);
	return expects_work(group) ? poll_hot_again(group) : 0;
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
	if (clock_has_come_to(now, group->next_sweep, SWEEP_TICKS)) {
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
	/* Whatever it finds: work may come in a rhythm that the idle polls below always miss. */
	if (group->round % BUSY_POLLS_PER_TIME == 0)
		return true;
	return !done && group->idle_polls && (group->idle_polls + 1) % IDLE_POLLS_PER_TIME == 0;
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
 * has work in another group does not wait for the kernel here. Or is it to be known where a long
 * wait ends?
 */
static bool are_all_timed(const struct poll_group *group)
{
	bool is_idle = this_thread.idle_polls >= IDLE_POLLS_BEFORE_PAUSE;

	return group->rare || must_look(group) ||
	       (is_idle && (list_is_empty(&group->hot) || yield_has_naps())) ||
	       !list_is_empty(&group->timers) || yield_has_been() || group->wants_yield;
}

static inline bool is_in_conversation(void)
{
	return this_thread.idle_polls < IDLE_POLLS_BEFORE_PAUSE >> priv_yield_hurry();
}

/*
 * Is there work, or was there a moment ago, in whatever group? In the midst of a conversation
 * nobody wants to wait for the kernel: an answer may come at any time.
 */
static inline bool is_busy(const struct poll_group *group, unsigned int done)
{
	return done || (is_in_conversation() && !group->rare && !group->looks_soon);
}

/* Without hot pollers a timer is what the caller waits for, and it is punctual. */
static inline bool is_look_due(const struct poll_group *group, uint64_t now, bool busy)
{
	uint64_t next = busy ? group->next_busy_look : group->next_look;

	return must_look(group) || clock_has_come_to(now, next, LOOK_BUSY_TICKS) ||
	       (list_is_empty(&group->hot) && !list_is_empty(&group->timers));
}

static inline bool is_waited_at(const struct poll_group *group)
{
	return (this_thread.waits_at ? this_thread.waits_at : this_thread.looks_at) == group;
}

/*
 * Would a nap be in the way of somebody else? Of the program, if it sleeps by itself or expects
 * work in another group; of a timer; of those who need no wake-up because they are cold.
 */
static inline bool may_nap(const struct poll_group *group)
{
	return is_waited_at(group) && !group->armed && !group->held &&
	       list_is_empty(&group->timers) && !list_is_empty(&group->hot);
}

bool priv_poll_group_begin_nap(struct poll_group *group, struct nap *nap)
{
	if (!may_nap(group) || !yield_wants_nap())
		return false;
	*nap = (struct nap){
		.begin = clock_ticks(), .epoll_fd = group->epoll_fd, .hot_count = group->hot_count};
	nap->has_work = poll_group_cool_all(&group->hot, false) || !list_is_empty(&group->raised) ||
			atomic_load(&group->has_posted);
	return true;
}

void priv_poll_group_nap(const struct nap *nap)
{
	struct pollfd pollfd = {.fd = nap->epoll_fd, .events = POLLIN};
	NO_CANCEL();

	if (!nap->has_work)
		poll(&pollfd, 1, NAP_MS);
}

void priv_poll_group_end_nap(struct poll_group *group, const struct nap *nap)
{
	/*
	 * Those that were cooled are the last ones. Without the lock another thread may have armed
	 * the group, and sleep. A signal's handler may have forked.
	 */
	while (group->hot_count < nap->hot_count && group->cold_count && !group->armed &&
	       !group->is_disowned)
		priv_poll_group_heat(container_of(group->cold.prev, struct poller, node));
	group->must_look = true;
	yield_note_nap(nap->begin, clock_ticks());
}

/*
 * Does a nap come soon enough by itself? A program that sleeps by itself polls a few times and does
 * something else. And the engine that naps is polled soon, unless it is no more.
 */
static bool may_wait(const struct poll_group *group)
{
	return is_in_conversation() || (!is_waited_at(group) && this_thread.passes++ < PASSES_MAX);
}

/* The thread has had nothing to do for long. */
static void give_way(struct poll_group *group)
{
	struct nap nap;

	if (yield_has_naps() && may_wait(group))
		return;
	this_thread.passes = 0;
	if (group->is_locked) {
		group->wants_yield = true;
	} else if (priv_poll_group_begin_nap(group, &nap)) {
		priv_poll_group_nap(&nap);
		priv_poll_group_end_nap(group, &nap);
	} else {
		priv_yield_to_others();
	}
}

/* There is work, after polls that found none. */
static void note_answer(const struct poll_group *group)
{
	yield_note_answer();
	if (this_thread.idle_polls >= IDLE_POLLS_BEFORE_PAUSE)
		this_thread.waits_at = group;
}

/*
 * Does the program go on for long without a sleep? If everything were cold, each of its polls would
 * ask the kernel.
 */
static bool is_polled_on(const struct poll_group *group)
{
	return !group->armed && group->round - group->armed_round >= BUSY_POLLS_PER_TIME;
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
	if (done && is_polled_on(group))
		priv_poll_group_warm(group);
	if (done && this_thread.idle_polls)
		note_answer(group);
	if (yield_has_been() && (done || this_thread.looks_at == group))
		yield_note(done);
	if (busy || done) {
		group->next_look = next_look(group, now);
		yield_put_off(now);
	} else if (yield_is_due(now)) {
		give_way(group);
	}
	group->all_timed = are_all_timed(group);
	return done - before;
}

static inline void note_work(struct poll_group *group, bool was_told)
{
	if (group->hot_in_memory)
		this_thread.looks_at = group;
	group->busy_poll.was_told = was_told;
	group->idle_polls = this_thread.idle_polls = 0;
}

void priv_poll_group_note_work(struct poll_group *group)
{
	note_work(group, true);
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
	if (!done)
		done = poll_on(group);
	if (is_timed(group, done))
		done += poll_timed(group, done, done != before);
	if (done) {
		note_work(group, done != before);
		return done - before;
	}
	group->idle_polls++;
	if (this_thread.idle_polls++ >= IDLE_POLLS_BEFORE_PAUSE)
		clock_relax(); /* but a peer that is about to answer does not find us in a pause */
	return 0;
}
