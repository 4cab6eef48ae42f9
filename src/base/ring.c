/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Set-up of rings and the sender's slow path.
 */
#include "base/ring.h"

#include <stdlib.h>
#define ARENA_MAX (1u << 30)

static uint32_t round_up(uint32_t value, uint32_t min, uint32_t max)
{
	uint32_t rounded = min;

	while (rounded < value && rounded < max)
		rounded *= 2;
	return rounded;
}

static uint32_t round_up_lines(uint32_t line_count)
{
	return round_up(line_count, RING_LINES_MIN, RING_LINES_MAX);
}

static uint32_t round_up_arena(uint32_t arena_size)
{
	return round_up(arena_size, RING_GRAIN, ARENA_MAX);
}

static size_t memory_size(uint32_t line_count, uint32_t arena_size)
{
	return sizeof(struct ring_shared) + (size_t)line_count * RING_LINE + arena_size;
}

size_t priv_ring_memory_size(uint32_t line_count, uint32_t arena_size)
{
	return memory_size(round_up_lines(line_count), round_up_arena(arena_size));
}

void priv_ring_receiver_init(struct ring_receiver *receiver, void *memory, uint32_t line_count,
			     uint32_t arena_size)
{
	struct ring_shared *shared = memory;

	line_count = round_up_lines(line_count);
	arena_size = round_up_arena(arena_size);
	shared->magic = RING_MAGIC;
	shared->line_count = line_count;
	shared->arena_size = arena_size;
	*receiver = (struct ring_receiver){
		.shared = shared,
		.lines = shared->lines,
		.arena = (const uint8_t *)(shared->lines + line_count),
		.mask = line_count - 1,
		.arena_size = arena_size,
	};
	sleeper_init(&receiver->sleeper, &shared->receiver);
	sleeper_join(&shared->sender);
}

doca_error_t priv_ring_sender_init(struct ring_sender *sender, void *memory, size_t size)
{
	struct ring_shared *shared = memory;
	uint32_t line_count, arena_size;

	if (size < sizeof(*shared) || shared->magic != RING_MAGIC)
		return DOCA_ERROR_INVALID_VALUE;
	line_count = *(volatile uint32_t *)&shared->line_count;
	arena_size = *(volatile uint32_t *)&shared->arena_size;
	if (line_count != round_up_lines(line_count) || arena_size != round_up_arena(arena_size) ||
	    memory_size(line_count, arena_size) > size)
		return DOCA_ERROR_INVALID_VALUE;
	*sender = (struct ring_sender){
		.shared = shared,
		.lines = shared->lines,
		.arena = (uint8_t *)(shared->lines + line_count),
		.arena_mark = calloc(line_count, sizeof(uint32_t)),
		.mask = line_count - 1,
		.arena_size = arena_size,
	};
	sleeper_join(&shared->receiver);
	sleeper_join(&shared->sender);
	return sender->arena_mark ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

void priv_ring_sender_fini(struct ring_sender *sender)
{
	free(sender->arena_mark);
	sender->arena_mark = NULL;
}

void priv_ring_refresh(struct ring_sender *s)
{
	/* Acquire: pairs with the release in ring_publish_tail(); the slots may be written again.
	 */
	uint32_t tail = atomic_load_explicit(&s->shared->tail, memory_order_acquire);

	if (tail == s->tail)
		return;
	if (s->head - tail > s->head - s->tail) { /* beyond what was sent, or backwards */
		s->broken = true;
		return;
	}
	s->tail = tail;
	s->arena_tail = s->arena_mark[(tail - 1) & s->mask];
}

void priv_ring_push_stamped(struct ring_sender *s, uint16_t type, uint64_t stamp, const void *data,
			    uint32_t size)
{
	uint32_t head = s->head;
	uint32_t low = (uint32_t)stamp;
	uint16_t high = (uint16_t)((stamp & RING_STAMP_MASK) >> 32 | RING_STAMPED);
	struct ring_line *line = ring_fill(s, head, type, high, data, size);

	if (size > RING_INLINE)
		memcpy(line->data, &low, sizeof(low));
	else
		line->offset = low;
	ring_publish(s, head, line);
}
