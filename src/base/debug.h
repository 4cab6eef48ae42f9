/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Assertions on the fast path: gone in release builds. Everywhere else plain assert() is used, and
 * stays.
 */
#ifndef SOFTFIELD_BASE_DEBUG_H
#define SOFTFIELD_BASE_DEBUG_H

#include <assert.h>

#ifdef SOFTFIELD_RELEASE
#define debug_assert(condition) ((void)0)
#else
#define debug_assert(condition) assert(condition)
#endif

#endif
