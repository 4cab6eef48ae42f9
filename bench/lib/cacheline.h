/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The floor of all latencies between two CPUs: a cache line there and another one back.
 */
#ifndef SOFTFIELD_BENCH_CACHELINE_H
#define SOFTFIELD_BENCH_CACHELINE_H

#include <stdint.h>
#include "samples.h"

/* fills samples with round trips between two processes on the two CPUs, for this long */
void cacheline_ping_pong(const int cpu[2], uint64_t duration_ns, struct samples *samples);

#endif
