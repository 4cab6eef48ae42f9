/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages that are there before somebody needs them.
 */
#include "link/populate.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include "link/page.h"

bool advice_is_known(int advice)
{
	return !madvise(NULL, 0, advice) || errno != EINVAL;
}

/* Other threads may write to what this touches. */
__attribute__((no_sanitize("address", "thread"))) static void touch(char *byte)
{
	/* Relaxed: nothing changes. */
	atomic_fetch_or_explicit((_Atomic char *)byte, 0, memory_order_relaxed);
}

bool populate_for_write(char *begin, size_t size)
{
	const uintptr_t step = page_size();
	size_t at;

	if (!madvise(begin, size, MADV_POPULATE_WRITE))
		return true;
	if (advice_is_known(MADV_POPULATE_WRITE))
		return false;
	for (at = 0; at < size; at += step)
		touch(begin + at);
	return true;
}
