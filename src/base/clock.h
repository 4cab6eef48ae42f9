/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time. A simulation replaces it for the whole process with a virtual clock that it moves itself.
 * A virtual deadline ends nobody's sleep in the kernel: the simulation polls whoever is due.
 */
#ifndef SOFTFIELD_BASE_CLOCK_H
#define SOFTFIELD_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "base/export.h"

struct clock_virtual {
	bool on;
	uint64_t now_ns;
	uint64_t step_ns; /* so much goes by from one look at it to the next */
};

extern PRIV_EXPORT struct clock_virtual priv_clock_virtual;

static inline uint64_t clock_now_ns(void)
{
	struct timespec ts;

	if (__builtin_expect(priv_clock_virtual.on, 0))
		return priv_clock_virtual.now_ns += priv_clock_virtual.step_ns;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/*
 * A cheap counter for "about a microsecond ago": 1 to 5 ticks a nanosecond on x86, nanoseconds
 * elsewhere. Never for anything that must be right.
 */
static inline uint64_t clock_ticks(void)
{
#if defined(__x86_64__)
	if (__builtin_expect(!priv_clock_virtual.on, 1))
		return __builtin_ia32_rdtsc();
#endif
	return clock_now_ns();
}

/*
 * Have the ticks come to `at`, which is never more than `most` away? If it is, they have gone back:
 * a machine or a process that has slept may begin anew, or another one goes on with it.
 */
static inline bool clock_has_come_to(uint64_t now, uint64_t at, uint64_t most)
{
	return at - now - 1 >= most;
}

/* tells the CPU that this is a polling loop */
static inline void clock_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory");
#endif
}

#endif
