/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many short times.
 */
#include "times.h"

#include <stdlib.h>
#include <string.h>

bool times_init(struct times *times, size_t capacity)
{
	*times = (struct times){.ns = malloc(capacity * sizeof(float)), .capacity = capacity};
	if (times->ns == NULL)
		return false;
	/* Touched now, so that no page fault falls into a measurement. */
	memset(times->ns, 0, capacity * sizeof(float));
	return true;
}

void times_fini(struct times *times)
{
	free(times->ns);
}

static int compare(const void *left, const void *right)
{
	float a = *(const float *)left, b = *(const float *)right;

	return (a > b) - (a < b);
}

void times_sort(struct times *times)
{
	qsort(times->ns, times->count, sizeof(float), compare);
}

float times_at(const struct times *times, double share)
{
	size_t index = (size_t)((double)times->count * share);

	return times->ns[index < times->count ? index : times->count - 1];
}

uint64_t clock_cost_ns(void)
{
	uint64_t least = UINT64_MAX, before = clock_ns();
	int i;

	for (i = 0; i < 1000; i++) {
		uint64_t now = clock_ns();

		if (now - before < least)
			least = now - before;
		before = now;
	}
	return least;
}
