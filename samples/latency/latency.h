/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long a message takes, and how long it must take on this machine.
 */
#ifndef SAMPLES_LATENCY_H
#define SAMPLES_LATENCY_H

#include <stdint.h>
#include "side.h"

#define PING_SIZE 64

/* What the host sends and the DPU sends back. */
struct ping {
	uint64_t number;
	uint32_t dozes; /* the DPU is to sleep while it waits for the next one */
	uint8_t fill[PING_SIZE - 12];
};

struct latency_options {
	struct side_options side; /* first: the options of all samples */
	int32_t count;		  /* ping-pongs */
};

/* latency_host.c measures, latency_dpu.c answers */
doca_error_t latency_run(const struct latency_options *options);

/*
 * The CPUs that this program may use: the host takes the first, the DPU the last.
 */
struct cpus {
	int host, dpu;
};
struct cpus cpus_find(void);
void cpus_pin(int cpu);
static inline int cpus_are_two(const struct cpus *cpus)
{
	return cpus->host != cpus->dpu;
}

#endif
