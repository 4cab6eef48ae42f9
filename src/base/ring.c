/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Set-up of rings and the sender's slow path.
 */
#include "base/ring.h"

#include <stdlib.h>

/* Slots a page apart would all be in the same few places of a cache. */
#define ALIASING 4096u
#define SLOT_MAX (RING_ARENA_MAX / RING_LINES_MIN)

static uint32_t slot_size_for(uint32_t max_size)
{
	uint32_t size = max_size < SLOT_MAX - RING_GRAIN ? max_size : SLOT_MAX - RING_GRAIN;

	size = (size + RING_GRAIN - 1) / RING_GRAIN * RING_GRAIN;
	return size % ALIASING ? size : size + RING_GRAIN;
}

static uint32_t line_count_for(uint32_t wanted, uint32_t slot_size)
{
	uint32_t count = RING_LINES_MIN;

	while (count < wanted && count < RING_LINES_MAX &&
	       (uint64_t)count * 2 * slot_size <= RING_ARENA_MAX)
		count *= 2;
	return count;
}

static size_t memory_size(uint32_t line_count, uint32_t slot_size)
{
	return sizeof(struct ring_shared) + (size_t)line_count * (RING_LINE + (size_t)slot_size);
}

size_t priv_ring_memory_size(uint32_t line_count, uint32_t max_size)
{
	uint32_t slot_size = slot_size_for(max_size);

	return memory_size(line_count_for(line_count, slot_size), slot_size);
}

size_t priv_ring_memory_used(uint32_t line_count, uint32_t max_size)
{
	uint32_t slot_size = slot_size_for(max_size);

	return sizeof(struct ring_shared) +
	       line_count_for(line_count, slot_size) * (size_t)RING_LINE +
	       RING_LINES_MIN * (size_t)slot_size;
}

void priv_ring_receiver_init(struct ring_receiver *receiver, void *memory, uint32_t line_count,
			     uint32_t max_size)
{
	struct ring_shared *shared = memory;
	uint32_t slot_size = slot_size_for(max_size);

	line_count = line_count_for(line_count, slot_size);
	shared->magic = RING_MAGIC;
	shared->line_count = line_count;
	shared->slot_size = slot_size;
	*receiver = (struct ring_receiver){
		.shared = shared,
		.lines = shared->lines,
		.arena = (uint8_t *)(shared->lines + line_count),
		.mask = line_count - 1,
		.arena_size = line_count * slot_size,
	};
	sleeper_init(&receiver->sleeper, &shared->receiver);
	sleeper_join(&shared->sender);
}

doca_error_t priv_ring_sender_init(struct ring_sender *sender, void *memory, size_t size)
{
	struct ring_shared *shared = memory;
	uint32_t line_count, slot_size;

	if (size < sizeof(*shared) || shared->magic != RING_MAGIC)
		return DOCA_ERROR_INVALID_VALUE;
	line_count = read_once(shared->line_count);
	slot_size = read_once(shared->slot_size);
	if (!slot_size || slot_size > SLOT_MAX || slot_size % RING_GRAIN ||
	    line_count != line_count_for(line_count, slot_size) ||
	    memory_size(line_count, slot_size) > size)
		return DOCA_ERROR_INVALID_VALUE;
	*sender = (struct ring_sender){
		.shared = shared,
		.lines = shared->lines,
		.arena = (uint8_t *)(shared->lines + line_count),
		.used = calloc(line_count, 2 * sizeof(uint32_t)),
		.slot_size = slot_size,
		.mask = line_count - 1,
	};
	sleeper_join(&shared->receiver);
	sleeper_join(&shared->sender);
	if (!sender->used)
		return DOCA_ERROR_NO_MEMORY;
	sender->free = sender->used + line_count;
	return DOCA_SUCCESS;
}

void priv_ring_sender_fini(struct ring_sender *sender)
{
	free(sender->used);
	sender->used = NULL;
}

/* The lines up to the new tail have been read: their slots are free. */
static void free_slots(struct ring_sender *s, uint32_t tail)
{
	uint32_t i;

	if (s->free_count == s->fresh)
		return;
	for (i = s->tail; i != tail; i++) {
		uint32_t *slot = &s->used[i & s->mask];

		if (!*slot)
			continue;
		s->free[s->free_count++] = *slot - 1;
		*slot = 0;
	}
}

void priv_ring_refresh(struct ring_sender *s)
{
	/*
	 * Acquire: pairs with the release in ring_publish_tail(); the slots may be written again.
	 */
	uint32_t tail = atomic_load_explicit(&s->shared->tail, memory_order_acquire);

	s->looked = 0;
	if (tail == s->tail)
		return;
	if (s->head - tail > s->head - s->tail) { /* beyond what was sent, or backwards */
		s->broken = true;
		return;
	}
	free_slots(s, tail);
	s->tail = tail;
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
