/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines of memory that travel between two CPUs: the sender writes them, the receiver reads them.
 *
 * A store waits, in the order of the program, until its line belongs to this CPU alone, and only
 * few stores can wait at a time. So a sender asks for its next lines early. That works, on some
 * processors, only for lines that it does not have: a line that it wrote and the receiver read is
 * still in both caches, and asking for it does nothing. So in a stream a receiver, done with a
 * bundle of lines, writes a word into each, one right after the other, and thereby takes them out
 * of the sender's cache. While it takes them it asks for those behind. Otherwise it does neither: a
 * line that has not been written yet would be taken away from the sender. Measured:
 * docs/performance.md.
 */
#ifndef SOFTFIELD_BASE_CACHE_H
#define SOFTFIELD_BASE_CACHE_H

/* How many lines ahead a sender asks for: more hold up everything else. */
#define CACHE_LINES_AHEAD 8u
/*
 * How many lines ahead a receiver asks for, while more are coming; of two cache lines each: twice
 * as many. Of more, some are not written yet, and are taken away from the sender.
 */
#define CACHE_LINES_COMING 2u

/*
 * The statement behind the builtins: GCC takes a function with nothing else in it for one without
 * effect, and drops its calls.
 */

/*
 * Between two looks at a line that somebody else is about to write. A CPU that is not held up reads
 * it many times over, ahead of the program, and then takes it back from its writer before that one
 * is done; which costs both a transfer. So does one that looks again at once: four of these last
 * some 20 ns.
 */
static inline void cache_look_again(void)
{
#if defined(__x86_64__)
	__asm__ volatile("lfence; lfence; lfence; lfence" ::: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory");
#endif
}

/* asks for a line that will be written soon */
static inline void cache_prefetch_write(const void *line)
{
#ifdef __x86_64__
	/* The builtin asks to write only where the compiler is told of a newer processor. */
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
	__builtin_prefetch(line, 1);
	__asm__ volatile("");
#endif
}

/* asks for a line that will be read soon */
static inline void cache_prefetch_read(const void *line)
{
	__builtin_prefetch(line);
	__asm__ volatile("");
}

#endif
