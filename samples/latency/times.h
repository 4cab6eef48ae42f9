/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many short times: collected, then sorted.
 */
#ifndef SAMPLES_TIMES_H
#define SAMPLES_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct times {
	float *ns;
	size_t count, capacity;
};

bool times_init(struct times *times, size_t capacity);
void times_fini(struct times *times);
static inline void times_add(struct times *times, float ns)
{
	if (times->count < times->capacity)
		times->ns[times->count++] = ns;
}
void times_sort(struct times *times);
/* of sorted times, of which there is one at least; share 0..1 */
float times_at(const struct times *times, double share);

static inline uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* what one call of clock_ns() adds to what it measures */
uint64_t clock_cost_ns(void);

#endif
