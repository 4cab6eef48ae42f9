/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the two halves of the program agree on. Included by both, so no header of either side.
 */
#ifndef MSGQ_H
#define MSGQ_H

#include <stdint.h>

#define DEPTH	    16 /* messages that one side may have before it takes them */
#define CONSUMER_ID 1  /* a queue counts from 1 */
#define MAX_VALUES  6

struct question {
	uint32_t number;
	uint32_t count; /* of values; only these are sent */
	uint32_t values[MAX_VALUES];
};
_Static_assert(sizeof(struct question) == 32, "what a message may have in either direction");

struct answer {
	uint32_t number; /* the question's */
	uint32_t sum;
};

/* Handles of what DPA code uses: 64 bits each. The struct lies in the DPA's memory. */
struct dpa_handles {
	uint64_t dpa;
	uint64_t arrivals; /* the consumer completion */
	uint64_t consumer; /* of questions */
	uint64_t producer; /* of answers */
};

#endif
