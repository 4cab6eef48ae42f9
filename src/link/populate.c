/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages that are there before somebody needs them.
 */
#include "link/populate.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include "base/kernel.h"
#include "base/page.h"

#define NO_ADVICE 9999

/* QEMU's user mode takes any advice, and follows little of it. */
static bool takes_any_advice(void)
{
	return !madvise(NULL, 0, NO_ADVICE);
}

bool populate_knows(int advice)
{
	return (!madvise(NULL, 0, advice) || errno != EINVAL) && !takes_any_advice();
}

/* Other threads may write to what this touches. */
__attribute__((no_sanitize("address", "thread"))) static void touch(char *byte)
{
	char nothing = 0;

	/* Not to be seen by the compiler, which may do a load instead. */
	__asm__ volatile("" : "+r"(nothing));
	/* Relaxed: nothing changes. */
	atomic_fetch_or_explicit((_Atomic char *)byte, nothing, memory_order_relaxed);
}

bool populate_for_write(char *begin, size_t size)
{
	const uintptr_t step = page_size();
	size_t at;

	if (populate_knows(MADV_POPULATE_WRITE))
		return !madvise(begin, size, MADV_POPULATE_WRITE);
	for (at = 0; at < size; at += step)
		touch(begin + at);
	return true;
}
