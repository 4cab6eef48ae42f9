/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the two halves of the program scenes share: structs in memory of the DPA, and messages.
 * Included by both, so handles are plain numbers.
 */
#ifndef SCENES_CODE_H
#define SCENES_CODE_H

#include <stdint.h>

/* kernels.c */

struct small {
	uint8_t a;
	uint32_t b;
	uint16_t c;
};

struct large {
	uint64_t values[12];
	char letter;
};

/* threads.c */

#define RELAY_RANKS 5

/* Threads of a group that trigger each other in turn. */
struct relay {
	uint64_t hops_left;
	uint64_t hops[RELAY_RANKS];
	uint64_t next[RELAY_RANKS]; /* the notification completion of each rank */
	uint64_t done;		    /* a sync event */
};

/* A thread that copies memory, piece by piece, each triggered by the report of the one before; then
 * waits for the CPU, and says that it is done. */
struct copier {
	uint64_t reports, ops;	   /* completion, asynchronous operations */
	uint64_t go_on, done;	   /* sync events */
	uint64_t src_map, dst_map; /* memory maps */
	uint64_t src, dst, size, piece;
	uint64_t copied, failures, waits;
};

/* Triggers a thread for as long as the CPU lets it. */
struct pest {
	uint64_t victim; /* a notification completion */
	uint64_t stop;	 /* the CPU writes it */
	uint64_t triggered;
};

/* rings.c */

#define RING_SLOTS 66u /* with what is behind them, some bytes more than a page */

struct slot {
	uint64_t value;
	uint8_t rest[48];
	uint64_t sequence; /* counts from 1: there is something new */
};

/* As DPA code finds it: one more slot, which starts with how many have been taken. */
struct ring {
	struct slot slots[RING_SLOTS];
	uint64_t consumed;
	uint8_t rest[56];
};

/* traffic.c */

#define MAX_ENDS 4u  /* of a kind */
#define DEPTH	 16u /* receives of a consumer */

/* What one worker on the DPA has: it answers what its consumer gets. */
struct worker {
	uint64_t arrivals, consumer, producer;
	uint64_t stop;	  /* the CPU writes it: for kernels, which are not triggered */
	uint64_t handled; /* messages */
	uint64_t wrong;	  /* messages that came from elsewhere */
	uint32_t index;	  /* of the worker */
};

struct note {
	uint32_t from;	 /* producer of the CPU's */
	uint32_t to;	 /* worker */
	uint64_t number; /* counts from 0, for each of both */
	uint8_t rest[16];
};

#endif
