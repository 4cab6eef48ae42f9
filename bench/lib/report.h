/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One JSON object per line and result on standard output. run.py adds what the program cannot know:
 * round, placement class, load by others, commit, machine.
 */
#ifndef SOFTFIELD_BENCH_REPORT_H
#define SOFTFIELD_BENCH_REPORT_H

#include <stddef.h>
#include "samples.h"

/* peer: what was measured ("limit_cacheline", "pipe", "softfield_control"); size: its parameter */
void report_row(const char *peer, const char *metric, size_t size, double value, const char *unit);

/* one-way latency of round trips: latency_p50, latency_p99, latency_mean in ns */
void report_latency(const char *peer, size_t size, struct samples *round_trips);
void report_rate(const char *peer, size_t size, double messages, double elapsed_ns);
void report_bandwidth(const char *peer, size_t size, double messages, double elapsed_ns);

#endif
