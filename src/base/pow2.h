/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Powers of two, which rings have as their sizes.
 */
#ifndef SOFTFIELD_BASE_POW2_H
#define SOFTFIELD_BASE_POW2_H

#include <stdbool.h>
#include <stdint.h>

static inline bool is_pow2(uint64_t number)
{
	return number && !(number & (number - 1));
}

/* the next one from count on; count: 1 to 2^31 */
static inline uint32_t round_up_pow2(uint32_t count)
{
	return count == 1 ? 1 : 1u << (32 - __builtin_clz(count - 1));
}

#endif
