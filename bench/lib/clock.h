/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time for benches: ticks for short spans (the time-stamp counter where there is one), nanoseconds
 * for the rest, and the pause of an empty polling round.
 */
#ifndef SOFTFIELD_BENCH_CLOCK_H
#define SOFTFIELD_BENCH_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#if defined(__x86_64__)
static inline uint64_t clock_ticks(void)
{
	return __builtin_ia32_rdtsc();
}

static inline void clock_relax(void)
{
	__builtin_ia32_pause();
}
#else
static inline uint64_t clock_ticks(void)
{
	return clock_ns();
}

static inline void clock_relax(void)
{
	__asm__ volatile("yield" ::: "memory");
}
#endif

/* between exchanges of those that are to fall asleep meanwhile */
#define CLOCK_PAUSE_NS 300000

static inline void clock_pause(void)
{
	uint64_t end_ns = clock_ns() + CLOCK_PAUSE_NS;

	while (clock_ns() < end_ns)
		;
}

/* nanoseconds of one tick; the first call measures for 20 ms */
double clock_ns_per_tick(void);

#endif
