/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Round-trip times of one measurement, and what is said about them.
 */
#ifndef SOFTFIELD_BENCH_SAMPLES_H
#define SOFTFIELD_BENCH_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct samples {
	uint32_t *ticks;
	size_t count, capacity;
};

void samples_init(struct samples *samples);
void samples_fini(struct samples *samples);

static inline bool samples_full(const struct samples *samples)
{
	return samples->count == samples->capacity;
}

static inline void samples_add(struct samples *samples, uint64_t ticks)
{
	samples->ticks[samples->count++] = ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks;
}

/* drops the first tenth: caches, page tables and branch predictors were cold */
void samples_drop_warmup(struct samples *samples);

/* in nanoseconds; sorts, so the order of arrival is lost */
double samples_percentile(struct samples *samples, double percent);
double samples_mean(const struct samples *samples);

#endif
