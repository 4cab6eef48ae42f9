/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copying payload. What is fastest, and how slow the C library can be: docs/decisions/0009.
 */
#ifndef SOFTFIELD_BASE_COPY_H
#define SOFTFIELD_BASE_COPY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "base/export.h"

#define COPY_SHORT 2048u /* below, the C library copies by vectors */
#define COPY_LONG  (128u << 10)

/* Of a line of a ring, which is two cache lines: bytes of data in the first, and in both. */
#define COPY_NARROW 48u
#define COPY_INLINE 112u

/* From COPY_SHORT on. */
PRIV_EXPORT void priv_copy_long(void *dst, const void *src, size_t size);
/*
 * Copies size bytes that are a part of total ones. When these are more than caches hold, the part
 * goes past them, which saves reading what it overwrites.
 */
PRIV_EXPORT void priv_copy_part(void *dst, const void *src, size_t size, size_t total);

/* Copies up to 64 bytes: no call, few branches, nothing overrun. */
static inline void copy_short(char *to, const char *from, size_t size)
{
	/*
	 * The last piece may overlap the one before. First what comes in streams: a message of a
	 * few bytes costs little more than the jumps on its way.
	 */
	if (__builtin_expect(size >= 8 && size <= 16, 1)) {
		memcpy(to, from, 8);
		memcpy(to + (size - 8), from + (size - 8), 8);
	} else if (size > 32) {
		memcpy(to, from, 32);
		memcpy(to + (size - 32), from + (size - 32), 32);
	} else if (size > 16) {
		memcpy(to, from, 16);
		memcpy(to + (size - 16), from + (size - 16), 16);
	} else if (size >= 4) {
		memcpy(to, from, 4);
		memcpy(to + (size - 4), from + (size - 4), 4);
	} else {
		if (size & 2)
			memcpy(to + (size & 1), from + (size & 1), 2);
		if (size & 1)
			*to = *from;
	}
}

/*
 * Copies up to COPY_INLINE bytes from or to the line of a ring. The second cache line comes first:
 * as long as its store waits, the first one, which is looked at, stays as it was.
 */
static inline void copy_inline(void *dst, const void *src, size_t size)
{
	char *to = dst;
	const char *from = src;

	if (__builtin_expect(size > COPY_NARROW, 0)) {
		copy_short(to + COPY_NARROW, from + COPY_NARROW, size - COPY_NARROW);
		/* The compiler, and so this CPU, leaves that first. */
		atomic_signal_fence(memory_order_seq_cst);
		size = COPY_NARROW;
	}
	copy_short(to, from, size);
}

static inline void copy_bytes(void *dst, const void *src, size_t size)
{
	if (size < COPY_SHORT)
		memcpy(dst, src, size);
	else
		priv_copy_long(dst, src, size);
}

/* priv_copy_part(), and no call of ours for little. */
static inline void copy_some(void *dst, const void *src, size_t size, size_t total)
{
	if (__builtin_expect(size < COPY_SHORT, 1))
		memcpy(dst, src, size);
	else
		priv_copy_part(dst, src, size, total);
}

/* copy_some() for what may overlap. */
static inline void copy_move(void *dst, const void *src, size_t size, size_t total)
{
	uintptr_t to = (uintptr_t)dst, from = (uintptr_t)src;

	if (to - from < size || from - to < size)
		memmove(dst, src, size);
	else
		copy_some(dst, src, size, total);
}

#endif
