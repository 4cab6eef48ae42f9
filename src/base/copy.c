/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Long copies.
 */
#include "base/copy.h"

/* The thread sanitizer sees what the C library copies, and not what an instruction does. */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#include <cpuid.h>
#include <stdatomic.h>
#include <stdbool.h>

static bool cpu_has_erms(void)
{
	static atomic_int known; /* 0: not asked, 1: yes, -1: no */
	/* Relaxed: asking twice gives the same answer. */
	int state = atomic_load_explicit(&known, memory_order_relaxed);

	if (!state) {
		unsigned int a, b = 0, c, d;

		state = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & (1u << 9)) ? 1 : -1;
		atomic_store_explicit(&known, state, memory_order_relaxed);
	}
	return state > 0;
}

void priv_copy_long(void *dst, const void *src, size_t size)
{
	if (!cpu_has_erms()) {
		memcpy(dst, src, size);
		return;
	}
	__asm__ volatile("rep movsb" : "+D"(dst), "+S"(src), "+c"(size) : : "memory");
}
#else
void priv_copy_long(void *dst, const void *src, size_t size)
{
	memcpy(dst, src, size);
}
#endif
