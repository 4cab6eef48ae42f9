/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When to busy-poll before a sleep, and how long.
 */
#include "base/busy_poll.h"

#include "base/clock.h"
#include "base/poll_group.h"

/*
 * A peer that is awake answers within the short time, one that must be woken first within the long
 * one: a row of attempts begins with long ones, until one has found the peer awake. After a row
 * without such a success it is slow, or waits for this very CPU.
 */
#define SHORT_TICKS   16000
#define LONG_TICKS    160000
#define LONG_ATTEMPTS 2
#define ROW	      4
#define SKIPS_MAX     1023
/* Between two looks: somebody else had the CPU. */
#define PREEMPTED_TICKS 5000

/* the last one of this thread that was about to be armed; only compared */
static __thread const struct poll_group *thread_sleeps_on
	__attribute__((tls_model("initial-exec")));

/* Has no poll since it found work found any? Then let it be armed, which is the final word. */
static bool was_wrong(struct poll_group *group)
{
	struct busy_poll *busy = &group->busy_poll;
	bool found = busy->found;

	busy->found = false;
	return found && group->idle_polls >= group->round - busy->found_in;
}

/* A thread with several groups has other things to do. */
static bool is_worth_while(struct poll_group *group)
{
	struct busy_poll *busy = &group->busy_poll;
	bool alone = thread_sleeps_on == group;

	thread_sleeps_on = group;
	if (!alone || !busy->slept_shortly || list_is_empty(&group->hot) || was_wrong(group))
		return false;
	if (!busy->skips)
		return true;
	busy->skips--;
	return false;
}

static void note_success(struct busy_poll *busy)
{
	busy->attempts = LONG_ATTEMPTS;
	busy->next_skips = 0;
}

static void note_miss(struct busy_poll *busy)
{
	if (++busy->attempts < ROW)
		return;
	busy->attempts = 0;
	busy->skips = busy->next_skips;
	if (busy->next_skips < SKIPS_MAX)
		busy->next_skips = 2 * busy->next_skips + 1;
}

static bool attempt(struct poll_group *group)
{
	struct busy_poll *busy = &group->busy_poll;
	uint64_t ticks = busy->attempts < LONG_ATTEMPTS ? LONG_TICKS : SHORT_TICKS;
	uint64_t start = clock_ticks(), now = start, last;

	do {
		clock_relax();
		last = now;
		now = clock_ticks();
		if (now - last > PREEMPTED_TICKS) {
			busy->attempts = ROW;
			break;
		}
		if (poll_group_has_pending(group)) {
			if (now - start < SHORT_TICKS)
				note_success(busy);
			else
				note_miss(busy);
			return true;
		}
	} while (now - start < ticks);
	note_miss(busy);
	return false;
}

/* Nobody else runs while a simulation stands still. */
static bool may_change(void)
{
	return !priv_clock_virtual.on || priv_clock_virtual.step_ns;
}

bool priv_busy_poll(struct poll_group *group)
{
	if (!is_worth_while(group))
		return false;
	/* What was there before says nothing about the peer. */
	if (!poll_group_has_pending(group) && !(may_change() && attempt(group)))
		return false;
	group->busy_poll.found = true;
	group->busy_poll.found_in = group->round;
	return true;
}
