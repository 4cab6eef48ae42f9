/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ways to copy that are worth comparing: the C library's, and the processor's own string copy,
 * which avoids reading the destination's lines before it writes them.
 */
#ifndef SOFTFIELD_BENCH_COPY_KERNEL_H
#define SOFTFIELD_BENCH_COPY_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

#define CPUID_7_EBX_ERMS (1u << 9) /* enhanced rep movsb/stosb */

static inline bool copy_has_movsb(void)
{
	unsigned int eax, ebx, ecx, edx;

	return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & CPUID_7_EBX_ERMS);
}

static inline void copy_movsb(void *to, const void *from, size_t size)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}
#else
static inline bool copy_has_movsb(void)
{
	return false;
}

static inline void copy_movsb(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
}
#endif

#endif
