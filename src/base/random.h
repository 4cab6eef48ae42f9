/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers that look random and come again with the same seed (splitmix64). For simulation and fault
 * injection; nothing here is a secret.
 */
#ifndef SOFTFIELD_BASE_RANDOM_H
#define SOFTFIELD_BASE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
	uint64_t state; /* the seed; any value will do */
};

static inline uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* 0 .. bound - 1; 0 when bound is 0 */
static inline uint64_t random_below(struct random *random, uint64_t bound)
{
	return bound ? random_next(random) % bound : 0;
}

static inline bool random_percent(struct random *random, unsigned int percent)
{
	return random_below(random, 100) < percent;
}

#endif
