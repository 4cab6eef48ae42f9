/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doca_cc_* is doca_comch_* under the names of releases 2.5 and 2.6. The objects are the very same
 * ones, so every call is one call of its twin; callbacks differ in the names of their types alone.
 */
#ifndef SOFTFIELD_CC_CC_H
#define SOFTFIELD_CC_CC_H

#include "doca_cc.h"
#include "doca_comch.h"

/*
 * Release 2.5 gave numbers of tasks as exponents of two.
 */

/* the largest exponent that does not exceed the number */
static inline uint32_t cc_log_from_count(uint32_t count)
{
	return count ? 31u - (uint32_t)__builtin_clz(count) : 0;
}

/* 0, which nobody accepts, when there is no such number */
static inline uint32_t cc_count_from_log(uint32_t log)
{
	return log < 32 ? 1u << log : 0;
}

#endif
