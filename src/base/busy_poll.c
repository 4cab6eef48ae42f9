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
/* Lingers follow each other for so long at most. */
#define LINGERS_TICKS 480000
/* Between two looks: somebody else had the CPU. */
#define PREEMPTED_TICKS 5000

#define SKIPS_MAX 1023

static bool backoff_skips(struct backoff *backoff)
{
	if (!backoff->skips)
		return false;
	backoff->skips--;
	return true;
}

static void backoff_miss(struct backoff *backoff)
{
	backoff->skips = backoff->next;
	if (backoff->next < SKIPS_MAX)
		backoff->next = 2 * backoff->next + 1;
}

static void backoff_reset(struct backoff *backoff)
{
	backoff->next = 0;
}

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

/* Has there been work since it was armed last? */
static bool is_in_use(const struct poll_group *group)
{
	return group->idle_polls < group->round - group->armed_round;
}

/* A thread with several groups waits for an answer in the one that has just had work. */
static bool is_worth_while(struct poll_group *group)
{
	struct busy_poll *busy = &group->busy_poll;
	bool alone = thread_sleeps_on == group;

	thread_sleeps_on = group;
	if (!(alone || is_in_use(group)) || !busy->slept_shortly || list_is_empty(&group->hot) ||
	    was_wrong(group))
		return false;
	return !backoff_skips(&busy->sleeps);
}

static void note_success(struct busy_poll *busy)
{
	busy->attempts = LONG_ATTEMPTS;
	backoff_reset(&busy->sleeps);
}

static void note_miss(struct busy_poll *busy)
{
	if (++busy->attempts < ROW)
		return;
	busy->attempts = 0;
	backoff_miss(&busy->sleeps);
}

enum outcome {
	SOON, /* there is work */
	LATE, /* there is, but not within the short time */
	NEVER,
	PREEMPTED,
};

static enum outcome look(struct poll_group *group, uint64_t ticks)
{
	uint64_t start = clock_ticks(), now = start, last;

	do {
		clock_relax();
		last = now;
		now = clock_ticks();
		if (now - last > PREEMPTED_TICKS)
			return PREEMPTED;
		if (poll_group_has_pending(group))
			return now - start < SHORT_TICKS ? SOON : LATE;
	} while (now - start < ticks);
	return NEVER;
}

static bool attempt(struct poll_group *group)
{
	struct busy_poll *busy = &group->busy_poll;
	enum outcome outcome =
		look(group, busy->attempts < LONG_ATTEMPTS ? LONG_TICKS : SHORT_TICKS);

	busy->talks = outcome == SOON;
	if (outcome == SOON) {
		note_success(busy);
	} else {
		if (outcome == PREEMPTED)
			busy->attempts = ROW;
		note_miss(busy);
	}
	return outcome == SOON || outcome == LATE;
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

/* So that a program that polls until nothing is left sees its other descriptors, too. */
static bool is_long_enough(struct busy_poll *busy, uint64_t now)
{
	if (!busy->lingers_since)
		busy->lingers_since = now;
	return now - busy->lingers_since >= LINGERS_TICKS;
}

bool busy_poll_may_linger(struct poll_group *group)
{
	struct busy_poll *busy = &group->busy_poll;

	if (group->idle_polls || thread_sleeps_on != group || list_is_empty(&group->hot) ||
	    !may_change() || backoff_skips(&busy->lingers[busy->was_told]))
		return false;
	if (!is_long_enough(busy, clock_ticks()))
		return true;
	busy->lingers_since = 0;
	return false;
}

bool busy_poll_look(struct poll_group *group)
{
	return look(group, SHORT_TICKS) == SOON;
}

void busy_poll_note_linger(struct poll_group *group, bool found)
{
	struct busy_poll *busy = &group->busy_poll;

	struct backoff *lingers = &busy->lingers[busy->was_told];

	busy->talks = found;
	if (found) {
		backoff_reset(lingers);
	} else {
		backoff_miss(lingers);
		busy->lingers_since = 0;
	}
}
