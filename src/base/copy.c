/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Long copies.
 */
#include "base/copy.h"

/* The thread sanitizer sees what the C library copies, and not what an instruction does. */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#include <cpuid.h>
#include <immintrin.h>
#include <stdatomic.h>
#include <stdbool.h>

#define LINE  64u
#define PAGE  4096u
#define BLOCK (4 * PAGE)
/* for functions that only CPUs which have it call */
#define AVX __attribute__((target("avx")))
/*
 * More than a core has of the last cache. Asked for its size, the C library answers with the sum of
 * all caches of the package, also where a core reaches only one of them.
 */
#define STREAM_FROM ((size_t)32 << 20)

#define VECTOR 32u /* bytes */
#define ROUND  (4 * VECTOR)

enum {
	CPU_IS_KNOWN = 1,
	CPU_HAS_ERMS = 2, /* `rep movsb` is fast */
	CPU_IS_AMD = 4,
	CPU_HAS_AVX = 8,
};

static int ask_cpu(void)
{
	unsigned int a, b = 0, c, d;
	int what = CPU_IS_KNOWN;

	if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & (1u << 9)))
		what |= CPU_HAS_ERMS;
	if (__get_cpuid(0, &a, &b, &c, &d) && b == signature_AMD_ebx && c == signature_AMD_ecx &&
	    d == signature_AMD_edx)
		what |= CPU_IS_AMD;
	if (__builtin_cpu_supports("avx")) /* and the kernel keeps its registers */
		what |= CPU_HAS_AVX;
	return what;
}

static int cpu(void)
{
	static atomic_int known;
	/* Relaxed: asking twice gives the same answer. */
	int what = atomic_load_explicit(&known, memory_order_relaxed);

	if (!what) {
		what = ask_cpu();
		atomic_store_explicit(&known, what, memory_order_relaxed);
	}
	return what;
}

AVX static inline void copy_round(char *dst, const char *src)
{
	const __m256i *from = (const void *)src;
	__m256i *to = (void *)dst;
	__m256i a = _mm256_loadu_si256(from), b = _mm256_loadu_si256(from + 1);
	__m256i c = _mm256_loadu_si256(from + 2), d = _mm256_loadu_si256(from + 3);

	_mm256_storeu_si256(to, a);
	_mm256_storeu_si256(to + 1, b);
	_mm256_storeu_si256(to + 2, c);
	_mm256_storeu_si256(to + 3, d);
}

/* Whole vectors of dst; both ends overlap them. */
AVX static void copy_by_vectors(char *dst, const char *src, size_t size)
{
	size_t at;

	memcpy(dst, src, VECTOR);
	for (at = -(uintptr_t)dst % VECTOR; at + ROUND < size; at += ROUND)
		copy_round(dst + at, src + at);
	copy_round(dst + size - ROUND, src + size - ROUND);
}

/*
 * Where the destination begins a few bytes behind the source, as offsets in a page go, `rep movsb`
 * all but stands still on AMD. Up to release 2.38 the C library takes it from some 2 KiB on.
 */
static bool string_move_stalls(const void *dst, const void *src)
{
	const size_t behind = ((uintptr_t)dst - (uintptr_t)src) % PAGE;
	const int avoidable = CPU_IS_AMD | CPU_HAS_AVX;

	return behind - 1 < LINE - 1 && (cpu() & avoidable) == avoidable;
}

void priv_copy_long(void *dst, const void *src, size_t size)
{
	if (string_move_stalls(dst, src))
		copy_by_vectors(dst, src, size);
	else if (size < COPY_LONG || !(cpu() & CPU_HAS_ERMS))
		memcpy(dst, src, size);
	else
		__asm__ volatile("rep movsb" : "+D"(dst), "+S"(src), "+c"(size) : : "memory");
}

/* One line, in halves: in quarters a Zen 5 moves a sixth less. dst is at the begin of one. */
AVX static inline void stream_line(char *dst, const char *src)
{
	const __m256i *from = (const void *)src;
	__m256i *to = (void *)dst;
	__m256i a = _mm256_loadu_si256(from), b = _mm256_loadu_si256(from + 1);

	_mm256_stream_si256(to, a);
	_mm256_stream_si256(to + 1, b);
}

/*
 * As much as several pages, two lines of each by turns: memory is fetched ahead within a page only,
 * and banks of it work side by side. On Intel a quarter faster than one line after the other; on
 * AMD a quarter slower.
 */
AVX static void stream_block(char *dst, const char *src)
{
	size_t page, at;

	for (at = 0; at < PAGE; at += 2 * LINE) {
		for (page = 0; page < BLOCK; page += PAGE) {
			stream_line(dst + page + at, src + page + at);
			stream_line(dst + page + at + LINE, src + page + at + LINE);
		}
	}
}

/* whole lines */
AVX static void stream_lines(char *dst, const char *src, size_t count)
{
	const size_t block = BLOCK / LINE;
	const bool by_turns = !(cpu() & CPU_IS_AMD);

	for (; by_turns && count >= block; count -= block, dst += BLOCK, src += BLOCK)
		stream_block(dst, src);
	for (; count; count--, dst += LINE, src += LINE)
		stream_line(dst, src);
	/* Such stores are ordered by nothing else: the data is there before what tells of it. */
	_mm_sfence();
}

static void stream(void *dst, const void *src, size_t size)
{
	const size_t head = -(uintptr_t)dst % LINE;
	const size_t lines = (size - head) / LINE, done = head + lines * LINE;

	memcpy(dst, src, head);
	stream_lines((char *)dst + head, (const char *)src + head, lines);
	memcpy((char *)dst + done, (const char *)src + done, size - done);
}

void priv_copy_part(void *dst, const void *src, size_t size, size_t total)
{
	if (total < STREAM_FROM || size < LINE || !(cpu() & CPU_HAS_AVX))
		copy_bytes(dst, src, size);
	else
		stream(dst, src, size);
}
#else
void priv_copy_part(void *dst, const void *src, size_t size, size_t total)
{
	(void)total;
	memcpy(dst, src, size);
}

void priv_copy_long(void *dst, const void *src, size_t size)
{
	memcpy(dst, src, size);
}
#endif
