/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Busy polling before a sleep that would be short: a quick peer's answer is there before one has
 * fallen asleep. What was learned from the sleeps and attempts of one poll group.
 */
#ifndef SOFTFIELD_BASE_BUSY_POLL_H
#define SOFTFIELD_BASE_BUSY_POLL_H

#include <stdbool.h>
#include <stdint.h>
#include "base/export.h"

/* In ticks (clock.h): a sleep that is not longer is but a nap. */
#define BUSY_POLL_NAP_TICKS 320000

struct poll_group;

struct busy_poll {
	uint64_t asleep_since; /* ticks; 0: awake */
	bool slept_shortly;    /* the last sleep was short */
	bool found;	       /* the last call has, in this round */
	uint32_t found_in;
	uint32_t attempts;   /* of a row */
	bool was_late;	     /* one of them has found work, but not soon */
	uint32_t skips;	     /* so many sleeps come without an attempt */
	uint32_t next_skips; /* after the next row that was in vain */
	/*
	 * Ticks that a poll lingers. A program that has sent something expects an answer, one
	 * that has been told something often does not: learned apart.
	 */
	uint32_t patience[2];
	bool was_told;	      /* by the last poll that had work, and not only that tasks are done */
	uint64_t awake_since; /* ticks: since it woke up, or did not fall asleep */
};

static inline void busy_poll_fall_asleep(struct busy_poll *busy, uint64_t now)
{
	busy->asleep_since = now;
}

/* It was about to fall asleep, and there is work. */
static inline void busy_poll_stay_awake(struct busy_poll *busy, uint64_t now)
{
	busy->awake_since = now;
}

static inline void busy_poll_wake_up(struct busy_poll *busy, uint64_t now)
{
	if (!busy->asleep_since)
		return;
	busy->slept_shortly = now - busy->asleep_since < BUSY_POLL_NAP_TICKS;
	busy->asleep_since = 0;
	busy->awake_since = now;
}

/*
 * For whoever is about to arm the group. True: there is work, and no need to. It takes time only
 * where sleeps have been short, and no longer than being woken may take. has_work: the caller knows
 * of some.
 */
PRIV_EXPORT bool priv_busy_poll(struct poll_group *group, bool has_work);

/*
 * A poll that finds nothing, after one that had work, of a thread that sleeps on this group alone:
 * it lingers where more has come soon, so that the program neither asks for a notification nor
 * waits for one. Do polls of the group, and may this one?
 */
bool busy_poll_lingers(const struct poll_group *group);
bool busy_poll_may_linger(const struct poll_group *group);
/* Then, when its first looks were in vain. True: there seems to be work. */
bool busy_poll_look(struct poll_group *group);
void busy_poll_note_miss(struct poll_group *group);

#endif
