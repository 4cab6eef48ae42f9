/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The free callback of a map whose memory nobody may touch any more: whoever does ends there.
 */
#ifndef SOFTFIELD_TESTS_FORBID_H
#define SOFTFIELD_TESTS_FORBID_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

/* calls: an atomic_uint that counts them; NULL: nobody counts */
static inline void forbid(void *addr, size_t len, void *calls)
{
	if (mmap(addr, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != addr)
		abort();
	if (calls)
		atomic_fetch_add((atomic_uint *)calls, 1);
}

#endif
