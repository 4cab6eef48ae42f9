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
#define SKIPS_LATE    31 /* where answers come, but late */
/*
 * A poll lingers for some times what an answer has taken, but no longer than the short time; where
 * that was hardly anything, for so long. And only while the program has not been awake for longer.
 */
#define PATIENCE_MIN	1000
#define PATIENCE_FACTOR 4
#define LINGERS_TICKS	480000
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

/* Has there been work since it was armed last? */
static bool is_in_use(const struct poll_group *group)
{
	return group->idle_polls < group->round - group->armed_round;
}

/* A thread with several groups waits for an answer in the one that has just had work. */
static bool is_worth_while(struct poll_group *group, bool alone)
{
	struct busy_poll *busy = &group->busy_poll;

	if (!(alone || is_in_use(group)) || !busy->slept_shortly || list_is_empty(&group->hot) ||
	    was_wrong(group))
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
	busy->was_late = false;
}

/*
 * Where both sides sleep, and could be awake, each makes its rows while the other one sleeps: until
 * two of them meet. So they come often there, and not always at the same distance.
 */
static uint32_t vary(uint32_t skips)
{
	return skips - (uint32_t)(clock_ticks() / 8 % (skips / 2));
}

static void end_row(struct busy_poll *busy)
{
	uint32_t max = busy->was_late ? SKIPS_LATE : SKIPS_MAX;

	busy->skips = busy->next_skips < max ? busy->next_skips : vary(max);
	if (busy->next_skips < max)
		busy->next_skips = 2 * busy->next_skips + 1;
	busy->attempts = 0;
	busy->was_late = false;
}

/* After what came last, the next has come within that time. */
static void learn(struct busy_poll *busy, uint64_t delay)
{
	uint32_t *patience = &busy->patience[busy->was_told];
	uint64_t enough = PATIENCE_MIN + PATIENCE_FACTOR * delay;

	if (enough > SHORT_TICKS)
		enough = SHORT_TICKS;
	if (*patience < enough)
		*patience = (uint32_t)enough;
}

enum outcome {
	SOON, /* there is work */
	LATE, /* there is, but not within the short time */
	NEVER,
	PREEMPTED,
};

static enum outcome look(struct poll_group *group, uint64_t ticks)
{
	struct busy_poll *busy = &group->busy_poll;
	uint64_t start = clock_ticks(), now = start, last;

	do {
		clock_relax();
		last = now;
		now = clock_ticks();
		if (now - last > PREEMPTED_TICKS)
			return PREEMPTED;
		if (poll_group_has_pending(group)) {
			if (now - start >= SHORT_TICKS)
				return LATE;
			learn(busy, now - start);
			return SOON;
		}
	} while (now - start < ticks);
	return NEVER;
}

static void note_miss(struct busy_poll *busy, enum outcome outcome)
{
	busy->was_late |= outcome == LATE;
	if (++busy->attempts >= ROW || outcome == PREEMPTED)
		end_row(busy);
}

static bool attempt(struct poll_group *group)
{
	struct busy_poll *busy = &group->busy_poll;
	enum outcome outcome =
		look(group, busy->attempts < LONG_ATTEMPTS ? LONG_TICKS : SHORT_TICKS);

	if (outcome == SOON)
		note_success(busy);
	else
		note_miss(busy, outcome);
	return outcome == SOON || outcome == LATE;
}

/* Nobody else runs while a simulation stands still. */
static bool may_change(void)
{
	return !priv_clock_virtual.on || priv_clock_virtual.step_ns;
}

bool priv_busy_poll(struct poll_group *group, bool has_work)
{
	bool alone = thread_sleeps_on == group;

	thread_sleeps_on = group;
	if (has_work)
		return true;
	if (!is_worth_while(group, alone))
		return false;
	/* What was there before says nothing about a peer that has to be woken. */
	if (poll_group_has_pending(group))
		learn(&group->busy_poll, 0);
	else if (!may_change() || !attempt(group))
		return false;
	busy_poll_stay_awake(&group->busy_poll, clock_ticks());
	group->busy_poll.found = true;
	group->busy_poll.found_in = group->round;
	return true;
}

/*
 * A program that polls until nothing is left has to see its other descriptors, too, and one that
 * sleeps no more is not to be held up.
 */
static bool is_long_awake(const struct busy_poll *busy, uint64_t now)
{
	return now - busy->awake_since >= LINGERS_TICKS;
}

bool busy_poll_lingers(const struct poll_group *group)
{
	const struct busy_poll *busy = &group->busy_poll;

	return (busy->patience[false] | busy->patience[true]) && thread_sleeps_on == group;
}

bool busy_poll_may_linger(const struct poll_group *group)
{
	const struct busy_poll *busy = &group->busy_poll;

	return busy->patience[busy->was_told] && !list_is_empty(&group->hot) && may_change() &&
	       !is_long_awake(busy, clock_ticks());
}

bool busy_poll_look(struct poll_group *group)
{
	const struct busy_poll *busy = &group->busy_poll;

	return look(group, busy->patience[busy->was_told]) == SOON;
}

void busy_poll_note_miss(struct poll_group *group)
{
	struct busy_poll *busy = &group->busy_poll;
	uint32_t *patience = &busy->patience[busy->was_told];

	*patience = *patience > PATIENCE_MIN ? *patience / 2 : 0;
}
