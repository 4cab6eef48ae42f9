/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeping a receiver from running right behind its sender.
 *
 * A receiver that is faster than its sender looks at each line just before it is written, and so
 * takes it away from the sender's cache: every message then costs two or three transfers between
 * the CPUs, one after the other, instead of sharing them. So in the midst of a stream of messages
 * the receiver looks, for a while, only at a line further on; when that is there, a bundle of lines
 * has gathered. It gives up after a bounded number of looks, that is, after a few microseconds, and
 * when little was gained it leaves the next few hundred messages alone. Single messages, with empty
 * polls between them, never meet this. Measured: docs/performance.md.
 *
 * All looks are taken in one poll, which then takes what there is: a poll that says that it did
 * something has delivered it, and one that says that it did not leaves nothing behind.
 */
#ifndef SOFTFIELD_BASE_GATHER_H
#define SOFTFIELD_BASE_GATHER_H

#include <stdbool.h>
#include <stdint.h>

#define GATHER_LINES 64u /* to wait for, at most */
/* so many records in one poll are part of a stream, and */
#define GATHER_BUNDLE 4u
/* so many with hardly an empty poll between them are one */
#define GATHER_STREAK	16u
#define GATHER_GAP	1u /* empty polls that do not end a stream */
#define GATHER_LOOKS	100u
#define GATHER_GAIN	4u   /* fewer than that were not worth the wait */
#define GATHER_REST_MIN 256u /* records after such a wait; twice as many after the next one */
#define GATHER_REST_MAX (1u << 16)

struct gather {
	uint32_t looks; /* left; 0: not waiting */
	uint32_t index; /* of the record that ends the wait */
	uint32_t streak;
	uint32_t gap;  /* empty polls since the last record */
	uint32_t rest; /* records that pass before the next wait */
	uint32_t last_rest;
	bool waited; /* before the poll that is under way */
};

/* Was the wait before these records worth it? */
static inline void gather_judge(struct gather *gather, uint32_t count)
{
	if (count >= GATHER_GAIN) {
		gather->last_rest = GATHER_REST_MIN / 2;
		return;
	}
	if (gather->last_rest < GATHER_REST_MAX)
		gather->last_rest = gather->last_rest ? 2 * gather->last_rest : GATHER_REST_MIN;
	gather->rest = gather->last_rest;
	gather->streak = 0;
}

/*
 * A poll has taken count records and found no more; tail is the next one. At most outstanding
 * records can come before the sender has to wait for us.
 */
static inline void gather_note(struct gather *gather, uint32_t count, uint32_t tail,
			       uint32_t outstanding)
{
	uint32_t lines = outstanding / 2 < GATHER_LINES ? outstanding / 2 : GATHER_LINES;

	if (!count) {
		gather->gap++;
		return;
	}
	if (gather->waited)
		gather_judge(gather, count);
	gather->waited = false;
	gather->streak = gather->gap <= GATHER_GAP ? gather->streak + count : count;
	gather->gap = 0;
	gather->rest = gather->rest > count ? gather->rest - count : 0;
	if (gather->rest || gather->streak < GATHER_STREAK || !lines)
		return;
	gather->waited = true;
	gather->looks = GATHER_LOOKS;
	gather->index = tail + lines;
}

/* A poll has taken count records. Are they part of a stream? */
static inline bool gather_is_stream(const struct gather *gather, uint32_t count)
{
	return count >= GATHER_BUNDLE ||
	       (count && gather->gap <= GATHER_GAP && gather->streak >= GATHER_STREAK);
}

/* one look; has_record: the record at gather->index is there */
static inline bool gather_goes_on(struct gather *gather, bool has_record)
{
	if (has_record)
		gather->looks = 0;
	else
		gather->looks--;
	return gather->looks != 0;
}

#endif
