/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copying payload. From some size on the processor's own string move is faster than the C library's
 * vector loops, where it has been made fast (ERMS): see docs/performance.md.
 */
#ifndef SOFTFIELD_BASE_COPY_H
#define SOFTFIELD_BASE_COPY_H

#include <stddef.h>
#include <string.h>
#include "base/export.h"

#define COPY_LONG (128u << 10)

PRIV_EXPORT void priv_copy_long(void *dst, const void *src, size_t size);

static inline void copy_bytes(void *dst, const void *src, size_t size)
{
	if (size < COPY_LONG)
		memcpy(dst, src, size);
	else
		priv_copy_long(dst, src, size);
}

#endif
