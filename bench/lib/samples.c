/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fixed array of tick counts: nothing is allocated while it fills.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "pair.h"
#include "samples.h"

#define SAMPLES_CAPACITY (1u << 20)

void samples_init(struct samples *samples)
{
	samples->ticks = malloc(SAMPLES_CAPACITY * sizeof(*samples->ticks));
	if (!samples->ticks)
		bench_fail("no memory for %u samples", SAMPLES_CAPACITY);
	/* touched now, so that no page fault falls into a measurement */
	memset(samples->ticks, 0, SAMPLES_CAPACITY * sizeof(*samples->ticks));
	samples->capacity = SAMPLES_CAPACITY;
	samples->count = 0;
}

void samples_fini(struct samples *samples)
{
	free(samples->ticks);
}

void samples_drop_warmup(struct samples *samples)
{
	size_t cold = samples->count / 10;

	samples->count -= cold;
	memmove(samples->ticks, samples->ticks + cold, samples->count * sizeof(*samples->ticks));
}

static int compare_ticks(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

double samples_percentile(struct samples *samples, double percent)
{
	size_t index = (size_t)((double)samples->count * percent / 100);

	assert(samples->count > 0);
	qsort(samples->ticks, samples->count, sizeof(*samples->ticks), compare_ticks);
	if (index >= samples->count)
		index = samples->count - 1;
	return samples->ticks[index] * clock_ns_per_tick();
}

double samples_mean(const struct samples *samples)
{
	double sum = 0;

	assert(samples->count > 0);
	for (size_t i = 0; i < samples->count; i++)
		sum += samples->ticks[i];
	return sum / (double)samples->count * clock_ns_per_tick();
}
