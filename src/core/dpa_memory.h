/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that DPA code has addresses in, and may look at however late: arrays, and a head that says
 * what they are like. It is never freed, only taken again for an array of the same kind and size;
 * there is as much of it as there has been at once.
 */
#ifndef SOFTFIELD_CORE_DPA_MEMORY_H
#define SOFTFIELD_CORE_DPA_MEMORY_H

#include <stddef.h>
#include "base/export.h"

#define DPA_MEMORY_HEAD 64 /* bytes; also what it is aligned to */

enum dpa_memory {
	DPA_MEMORY_ELEMENTS, /* of consumer completions */
	DPA_MEMORY_BUFS,     /* of buffer arrays */
	DPA_MEMORY_COUNT
};

/* A head and at least size bytes behind it, with anything in them. NULL: there is none */
PRIV_EXPORT void *priv_dpa_memory_take(enum dpa_memory kind, size_t size);
PRIV_EXPORT void priv_dpa_memory_give(void *head); /* may be NULL */

#endif
