/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fixed array of tick counts: nothing is allocated while it fills.
 */
#include <assert.h>
#include <stdint.h>
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

/* the middle between two neighbours of the sorted samples, or the one that there is */
static double middle(const struct samples *samples, size_t below, size_t above)
{
	if (above == samples->count)
		above = below;
	if (below == SIZE_MAX)
		below = above;
	return (samples->ticks[below] + (double)samples->ticks[above]) / 2;
}

/*
 * Many samples are equal, for the clock moves in steps, in some guests of 10 ns. They stand for all
 * times that are nearer to theirs than to the next ones, evenly.
 */
double samples_percentile(struct samples *samples, double percent)
{
	double index = (double)samples->count * percent / 100, begin, end;
	size_t first, last;

	assert(samples->count > 0);
	qsort(samples->ticks, samples->count, sizeof(*samples->ticks), compare_ticks);
	first = index < (double)samples->count ? (size_t)index : samples->count - 1;
	last = first;
	while (first > 0 && samples->ticks[first - 1] == samples->ticks[last])
		first--;
	while (last + 1 < samples->count && samples->ticks[last + 1] == samples->ticks[first])
		last++;
	begin = middle(samples, first - 1, first);
	end = middle(samples, last, last + 1);
	return (begin + (end - begin) * (index - (double)first) / (double)(last + 1 - first)) *
	       clock_ns_per_tick();
}

double samples_mean(const struct samples *samples)
{
	double sum = 0;

	assert(samples->count > 0);
	for (size_t i = 0; i < samples->count; i++)
		sum += samples->ticks[i];
	return sum / (double)samples->count * clock_ns_per_tick();
}
