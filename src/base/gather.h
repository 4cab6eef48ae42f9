/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeping a receiver from running right behind its sender.
 *
 * A receiver that is faster than its sender looks at each line just before it is written, and so
 * takes it away from the sender's cache: every message then costs two or three transfers between
 * the CPUs, one after the other, instead of sharing them. So when a burst has run dry the receiver
 * looks, for a while, only at a line further on; when that is there, a bundle of lines has
 * gathered. It gives up after a bounded number of looks, that is, after some two microseconds.
 * Single messages never meet this. Measured: docs/performance.md.
 */
#ifndef SOFTFIELD_BASE_GATHER_H
#define SOFTFIELD_BASE_GATHER_H

#include <stdbool.h>
#include <stdint.h>

#define GATHER_LINES 32u /* to wait for, at most */
#define GATHER_BURST 8u	 /* so many in one poll are a burst */
#define GATHER_LOOKS 40u

struct gather {
	uint32_t looks; /* left; 0: not waiting */
	uint32_t index; /* of the record that ends the wait */
};

/*
 * A poll has taken count records and found no more; tail is the next one. At most outstanding
 * records can come before the sender has to wait for us.
 */
static inline void gather_begin(struct gather *gather, uint32_t count, uint32_t tail,
				uint32_t outstanding)
{
	uint32_t lines = outstanding / 4 < GATHER_LINES ? outstanding / 4 : GATHER_LINES;

	if (count < GATHER_BURST || !lines)
		return;
	gather->looks = GATHER_LOOKS;
	gather->index = tail + lines;
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
