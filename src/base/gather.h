/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeping a receiver from running right behind its sender.
 *
 * A receiver that is faster than its sender looks at each line just before it is written, and so
 * takes it away from the sender's cache: every message then costs two or three transfers between
 * the CPUs, one after the other, instead of sharing them. So in the midst of a stream of messages
 * the receiver looks, for a while, only at a line further on; when that is there, a bundle of lines
 * has gathered. It gives up after a bounded number of looks, that is, after a microsecond or two,
 * and then waits for fewer the next time: a sender that waits for answers after each so many
 * messages sends no more. Where even a few do not come, the next few hundred messages are left
 * alone. Single messages, with empty polls between them, never meet this. Measured:
 * docs/performance.md.
 *
 * All looks are taken in one poll, which then takes what there is: a poll that says that it did
 * something has delivered it, and one that says that it did not leaves nothing behind.
 */
#ifndef SOFTFIELD_BASE_GATHER_H
#define SOFTFIELD_BASE_GATHER_H

#include <stdbool.h>
#include <stdint.h>

/* to wait for */
#define GATHER_LINES_MIN 4u
#define GATHER_LINES_MAX 64u
/* waits in time before the next one is for twice as many; after one for too many: twice that */
#define GATHER_HITS_MIN 8u
#define GATHER_HITS_MAX 1024u
/* so many records in one poll are part of a stream, and */
#define GATHER_BUNDLE 4u
/* so many with hardly an empty poll between them are one */
#define GATHER_STREAK	16u
#define GATHER_GAP	3u /* looks in vain that do not end a stream */
#define GATHER_LOOKS	100u
#define GATHER_REST_MIN 256u /* records after a wait in vain; twice as many after the next one */
#define GATHER_REST_MAX (1u << 16)

struct gather {
	uint32_t looks; /* left; 0: not waiting */
	uint32_t index; /* of the record that ends the wait */
	uint32_t lines; /* to wait for, if so many can come; 0: no wait yet */
	uint32_t hits;	/* waits in time since `lines` was changed */
	uint32_t hits_needed;
	uint32_t streak;
	uint32_t gap;  /* looks in vain since the last record */
	uint32_t rest; /* records that pass before the next wait */
	uint32_t last_rest;
	bool waited;   /* before the poll that is under way */
	bool in_time;  /* it ended with the record */
	bool is_trial; /* `lines` has just been doubled */
};

/* A wait has ended in time: after some such, the next one is for more. */
static inline void gather_hit(struct gather *gather)
{
	gather->last_rest = 0;
	if (gather->is_trial)
		gather->hits_needed = GATHER_HITS_MIN;
	gather->is_trial =
		++gather->hits >= gather->hits_needed && gather->lines < GATHER_LINES_MAX;
	if (!gather->is_trial)
		return;
	gather->hits = 0;
	gather->lines *= 2;
}

/* A wait was in vain: the next one is for fewer, and where only count came, not soon. */
static inline void gather_miss(struct gather *gather, uint32_t count)
{
	bool is_least = gather->lines == GATHER_LINES_MIN;

	if (gather->is_trial && gather->hits_needed < GATHER_HITS_MAX)
		gather->hits_needed *= 2;
	gather->is_trial = false;
	gather->hits = 0;
	if (!is_least)
		gather->lines /= 2;
	if (!is_least && count >= gather->lines)
		return;
	if (gather->last_rest < GATHER_REST_MAX)
		gather->last_rest = gather->last_rest ? 2 * gather->last_rest : GATHER_REST_MIN;
	gather->rest = gather->last_rest;
	gather->streak = 0;
}

/* In the midst of a stream: the next poll waits. */
static inline void gather_begin(struct gather *gather, uint32_t tail, uint32_t outstanding)
{
	uint32_t lines;

	if (!gather->lines) {
		gather->lines = GATHER_LINES_MAX;
		gather->hits_needed = GATHER_HITS_MIN;
	}
	lines = outstanding / 2 < gather->lines ? outstanding / 2 : gather->lines;
	if (!lines)
		return;
	gather->waited = true;
	gather->looks = GATHER_LOOKS;
	gather->index = tail + lines;
}

/* A poll has looked in vain. */
static inline void gather_note_none(struct gather *gather)
{
	gather->gap++;
}

/*
 * A poll has taken count records and found no more; tail is the next one. At most outstanding
 * records can come before the sender has to wait for us.
 */
static inline void gather_note(struct gather *gather, uint32_t count, uint32_t tail,
			       uint32_t outstanding)
{
	if (__builtin_expect(gather->waited, 0)) {
		if (gather->in_time)
			gather_hit(gather);
		else
			gather_miss(gather, count);
		gather->waited = false;
	}
	gather->streak = count + (gather->gap <= GATHER_GAP ? gather->streak : 0);
	gather->gap = 0;
	if (__builtin_expect(gather->rest != 0, 0))
		gather->rest -= count < gather->rest ? count : gather->rest;
	if (__builtin_expect(gather->streak >= GATHER_STREAK, 0) && !gather->rest)
		gather_begin(gather, tail, outstanding);
}

/* A poll has taken count records. Are they part of a stream? */
static inline bool gather_is_stream(const struct gather *gather, uint32_t count)
{
	return count >= GATHER_BUNDLE ||
	       (count && gather->gap <= GATHER_GAP && gather->streak >= GATHER_STREAK);
}

/* Whoever wants to sleep takes what there is: a wait that had begun counts neither way. */
static inline void gather_stop(struct gather *gather)
{
	gather->looks = 0;
	gather->waited = false;
}

/* one look; has_record: the record at gather->index is there */
static inline bool gather_goes_on(struct gather *gather, bool has_record)
{
	gather->in_time = has_record;
	gather->looks = has_record ? 0 : gather->looks - 1;
	return gather->looks != 0;
}

#endif
