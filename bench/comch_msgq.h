/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the two halves of comch_msgq share.
 */
#ifndef SOFTFIELD_BENCH_COMCH_MSGQ_H
#define SOFTFIELD_BENCH_COMCH_MSGQ_H

#include <stdint.h>

#define MSGQ_MAX_SIZE	 32
#define MSGQ_DEPTH	 64 /* receives of either side */
#define MSGQ_CONSUMER_ID 1

/* The first byte tells DPA code what to do with a message. */
enum { SINK, ECHO };

/* In memory of the DPA: what its code uses, as plain numbers. */
struct msgq_handles {
	uint64_t arrivals, consumer, producer;
	uint64_t stop;		  /* the CPU writes it, for the kernel */
	int32_t from_cpu, to_cpu; /* descriptors: see comch_msgq_lockstep.c */
};

#endif
