/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The least that a message through shared memory can be: one 64-byte line or several, a sequence
 * number in the first eight bytes of the first one, the message behind it.
 */
#ifndef SOFTFIELD_BENCH_RING_H
#define SOFTFIELD_BENCH_RING_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include "clock.h"

#define RING_LINE  64u
#define RING_LINES 1024u
#define RING_SEQ   sizeof(uint64_t)

struct ring {
	_Alignas(128) _Atomic uint64_t consumed; /* by the reader, now and then */
	_Alignas(128) uint8_t line[RING_LINES][RING_LINE];
};

static inline size_t ring_lines_for(size_t size)
{
	return (size + RING_SEQ + RING_LINE - 1) / RING_LINE;
}

/* number of messages of this many lines that fit */
static inline size_t ring_slots(size_t lines)
{
	return RING_LINES / lines;
}

static inline _Atomic uint64_t *ring_seq(struct ring *ring, size_t index, size_t lines)
{
	return (void *)ring->line[index * lines];
}

static inline uint8_t *ring_data(struct ring *ring, size_t index, size_t lines)
{
	return ring->line[index * lines] + RING_SEQ;
}

static inline void ring_publish(struct ring *ring, size_t index, size_t lines, uint64_t seq)
{
	/* Release: pairs with the acquire in ring_wait(); publishes the message. */
	atomic_store_explicit(ring_seq(ring, index, lines), seq, memory_order_release);
}

static inline void ring_wait(struct ring *ring, size_t index, size_t lines, uint64_t seq)
{
	/* Acquire: pairs with the release in ring_publish(). */
	while (atomic_load_explicit(ring_seq(ring, index, lines), memory_order_acquire) != seq)
		clock_relax();
}

#endif
