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

/*
 * Many samples are equal, for the clock moves in steps, in some guests of 10 ns. They stand for all
 * times that are nearer to theirs than to the next ones, evenly.
 */
double samples_percentile(struct samples *samples, double percent)
{
	const double index = (double)samples->count * percent / 100;
	const uint32_t *ticks = samples->ticks;
	double begin, end;
	size_t first, behind;

	assert(samples->count > 0);
	qsort(samples->ticks, samples->count, sizeof(*samples->ticks), compare_ticks);
	first = index < (double)samples->count ? (size_t)index : samples->count - 1;
	behind = first + 1;
	while (first > 0 && ticks[first - 1] == ticks[behind - 1])
		first--;
	while (behind < samples->count && ticks[behind] == ticks[first])
		behind++;
	begin = ((double)ticks[first] + ticks[first > 0 ? first - 1 : first]) / 2;
	end = ((double)ticks[first] + ticks[behind < samples->count ? behind : first]) / 2;
	return (begin + (end - begin) * (index - (double)first) / (double)(behind - first)) *
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
