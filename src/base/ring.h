/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Single-producer single-consumer ring of 128-byte lines on memory that both sides map. One line is
 * one record. Up to RING_INLINE bytes travel in the line itself, more in a slot of the arena behind
 * the lines. The line's sequence number is the only thing that is polled: an idle look
 * costs one cached load, a hand-over one cache line (two, when there are more than RING_NARROW
 * bytes, or those of the payload).
 *
 * The receiver owns the memory. Neither side trusts the other: each reads a shared field once,
 * checks it, and calls the ring broken when it is impossible; that costs the connection and nothing
 * else.
 *
 * Free space: the receiver publishes its tail, the sender looks at it when the ring seems full.
 * There is a slot for each line, so whoever has a line has a slot. The sender takes the one that
 * was freed last, and looks at the tail often enough to have few in use: memory that both caches
 * hold.
 *
 * Sleeping: base/sleeper.h. The receiver sleeps for records, the sender for room.
 *
 * A receiver that must know which of several senders was first asks them for stamps: the sender's
 * clock_ticks() when it pushed, in fields of the line that the record leaves unused. It can begin
 * to ask at any time.
 */
#ifndef SOFTFIELD_BASE_RING_H
#define SOFTFIELD_BASE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "base/cache.h"
#include "base/copy.h"
#include "base/debug.h"
#include "base/export.h"
#include "base/read_once.h"
#include "base/sleeper.h"
#include "doca_error.h"

#define RING_INLINE	     COPY_INLINE
#define RING_NARROW	     COPY_NARROW
#define RING_LINE	     128u
#define RING_GRAIN	     64u /* of slots */
#define RING_LINES_MIN	     16u
#define RING_LINES_MAX	     8192u
#define RING_ARENA_MAX	     (1u << 30)
#define RING_LOOK	     16u  /* records that need a slot between two looks at the tail */
#define RING_PAYLOADS_COMING 8u	  /* so many records ahead ring_expect_payload() looks, for */
#define RING_EXPECTED_MAX    512u /* bytes: more come by themselves once they are being read */
#define RING_MAGIC	     0x53465234u /* layout 4 */

/* What is kept of a stamp: 47 bits; RING_STAMPED in `stamp_high` says that there is one. */
#define RING_STAMP_MASK ((UINT64_C(1) << 47) - 1)
#define RING_STAMPED	0x8000u

struct ring_line {
	/* index + 1 of the record that is complete; the sender's last store */
	_Atomic uint32_t seq;
	uint32_t size;	     /* of the payload */
	uint32_t offset;     /* in the arena, when size > RING_INLINE; else low part of a stamp */
	uint16_t type;	     /* what the record means: the user's */
	uint16_t stamp_high; /* the other part; 0: no stamp */
	uint8_t data[RING_INLINE]; /* when size > RING_INLINE: low part of a stamp */
};
static_assert(sizeof(struct ring_line) == RING_LINE, "a record is two neighbouring cache lines");

struct ring_shared {
	uint32_t magic;
	uint32_t line_count; /* a power of two */
	uint32_t slot_size;
	/* Receiver writes, sender reads when it finds the ring full. */
	_Alignas(128) _Atomic uint32_t tail;
	/* The receiver sleeps for records. */
	_Alignas(128) struct sleeper_shared receiver;
	_Atomic uint32_t wants_stamps; /* receiver sets, once */
	/* The sender sleeps for room. */
	_Alignas(128) struct sleeper_shared sender;
	_Alignas(128) struct ring_line lines[];
	/* then the arena */
};

struct ring_sender {
	struct ring_shared *shared;
	struct ring_line *lines;
	uint8_t *arena;
	uint32_t *used; /* by line: its slot, counted from 1; 0: none */
	uint32_t *free; /* a stack of free slots that have been used before */
	uint32_t free_count;
	uint32_t fresh; /* the first slot that has never been used */
	uint32_t slot_size;
	uint32_t mask;
	uint32_t head;
	uint32_t tail;	 /* last seen */
	uint32_t looked; /* slots taken since then */
	bool broken;	 /* the receiver has published nonsense */
};

struct ring_receiver {
	struct ring_shared *shared;
	struct ring_line *lines;
	uint8_t *arena;
	uint32_t mask;
	uint32_t arena_size;
	uint32_t tail;
	uint32_t published;
	struct sleeper sleeper;
	bool wide; /* the record copied last was in the second half of its line, too */
};

/*
 * Bytes of shared memory for a ring of payloads of up to max_size. The number of lines is rounded
 * up to a power of two, within bounds.
 */
PRIV_EXPORT size_t priv_ring_memory_size(uint32_t line_count, uint32_t max_size);
/* How much of it a conversation uses, from its begin on. A backlog uses more. */
PRIV_EXPORT size_t priv_ring_memory_used(uint32_t line_count, uint32_t max_size);
/* the receiver lays the ring out in zeroed memory of that size */
PRIV_EXPORT void priv_ring_receiver_init(struct ring_receiver *receiver, void *memory,
					 uint32_t line_count, uint32_t max_size);
/* the sender checks what the receiver has laid out. INVALID_VALUE: nonsense. NO_MEMORY */
PRIV_EXPORT doca_error_t priv_ring_sender_init(struct ring_sender *sender, void *memory,
					       size_t memory_size);
PRIV_EXPORT void priv_ring_sender_fini(struct ring_sender *sender);
/* reads the receiver's tail again; called when the ring seems full */
PRIV_EXPORT void priv_ring_refresh(struct ring_sender *sender);

/*
 * Sender
 */

static inline bool ring_has_room(struct ring_sender *s)
{
	if (__builtin_expect(s->head - s->tail <= s->mask, 1))
		return true;
	priv_ring_refresh(s);
	return !s->broken && s->head - s->tail <= s->mask;
}

/* a slot for the record that is being written; returns its place in the arena */
static inline uint32_t ring_take_slot(struct ring_sender *s)
{
	uint32_t slot;

	if (s->looked++ >= RING_LOOK)
		priv_ring_refresh(s);
	slot = s->free_count ? s->free[--s->free_count] : s->fresh++;
	s->used[s->head & s->mask] = slot + 1;
	return slot * s->slot_size;
}

/* asks for the line of a later record of about this size */
static inline void ring_prefetch(const struct ring_sender *s, uint32_t head, uint32_t size)
{
	bool is_wide = size > RING_NARROW && size <= RING_INLINE;
	uint32_t ahead = size <= RING_INLINE ? CACHE_LINES_AHEAD : 2 * CACHE_LINES_AHEAD;
	const struct ring_line *line = &s->lines[(head + ahead) & s->mask];

	cache_prefetch_write(line);
	if (is_wide)
		cache_prefetch_write(&line->data[RING_NARROW]);
}

/* Writes the next record, number `head`, which ring_publish() makes visible. */
static inline struct ring_line *ring_fill(struct ring_sender *s, uint32_t head, uint16_t type,
					  uint16_t stamp_high, const void *data, uint32_t size)
{
	struct ring_line *line = &s->lines[head & s->mask];
	uint32_t offset;

	debug_assert(s->head - s->tail <= s->mask);
	debug_assert(size <= RING_INLINE || size <= s->slot_size);
	ring_prefetch(s, head, size);
	if (size <= RING_INLINE) {
		copy_inline(line->data, data, size);
	} else {
		offset = ring_take_slot(s); /* not read back: the receiver can write, too */
		line->offset = offset;
		copy_bytes(s->arena + offset, data, size);
	}
	line->size = size;
	line->type = type;
	line->stamp_high = stamp_high;
	return line;
}

static inline void ring_publish(struct ring_sender *s, uint32_t head, struct ring_line *line)
{
	/* Release: pairs with the acquire in ring_is_written(); publishes the record. */
	atomic_store_explicit(&line->seq, head + 1, memory_order_release);
	s->head = head + 1;
}

/* Writes and publishes a record. Call only after ring_has_room() said yes. */
static inline void ring_push(struct ring_sender *s, uint16_t type, const void *data, uint32_t size)
{
	uint32_t head = s->head;

	ring_publish(s, head, ring_fill(s, head, type, 0, data, size));
}

/* Does the receiver want stamps? */
static inline bool ring_wants_stamps(const struct ring_sender *s)
{
	/*
	 * Relaxed: who was told by another sender of the receiver's that it has sent something was
	 * told of this, too.
	 */
	return atomic_load_explicit(&s->shared->wants_stamps, memory_order_relaxed);
}

/* The same as ring_push(), with a stamp. */
PRIV_EXPORT void priv_ring_push_stamped(struct ring_sender *s, uint16_t type, uint64_t stamp,
					const void *data, uint32_t size);

/* Does the receiver want to be woken after what was published before this call? Says so once. */
static inline bool ring_wants_wake(struct ring_sender *s)
{
	return sleeper_wants_wake(&s->shared->receiver);
}

/* asks for a wake-up when there is room again; follow it with a heavy barrier and another look */
static inline void ring_wait_for_room(struct ring_sender *s)
{
	sleeper_mark(&s->shared->sender);
}

/*
 * Receiver
 */

/* Is it the record with that index? */
static inline bool ring_is_written(const struct ring_line *line, uint32_t index)
{
	/* Acquire: pairs with the release in ring_publish(). */
	return atomic_load_explicit(&line->seq, memory_order_acquire) == index + 1;
}

static inline bool ring_has_record(const struct ring_receiver *r, uint32_t index)
{
	return ring_is_written(&r->lines[index & r->mask], index);
}

/* the next record, or NULL. What is in it is the sender's word: check before use, read once. */
static inline const struct ring_line *ring_peek(const struct ring_receiver *r)
{
	const uint32_t tail = r->tail;
	const struct ring_line *line = &r->lines[tail & r->mask];

	return ring_is_written(line, tail) ? line : NULL;
}

/* Where a payload of size bytes lies in the arena, as the sender says; NULL: not in the arena. */
static inline uint8_t *ring_in_arena(const struct ring_receiver *r, const struct ring_line *line,
				     uint32_t size)
{
	uint32_t offset = read_once(line->offset);

	if (offset > r->arena_size || size > r->arena_size - offset)
		return NULL;
	return r->arena + offset;
}

/* Copies a record's payload; false: it does not fit into capacity or into the arena. */
static inline bool ring_copy(struct ring_receiver *r, const struct ring_line *line, void *buf,
			     uint32_t capacity, uint32_t *ret_size)
{
	uint32_t size = read_once(line->size);
	const uint8_t *from;

	if (size > capacity)
		return false;
	*ret_size = size;
	r->wide = size > RING_NARROW && size <= RING_INLINE;
	if (size <= RING_INLINE) {
		copy_inline(buf, line->data, size);
		return true;
	}
	from = ring_in_arena(r, line, size);
	if (!from)
		return false;
	copy_bytes(buf, from, size);
	return true;
}

/*
 * A payload of more than RING_INLINE bytes where it is, until the tail is published; its sender can
 * change it all the time. NULL: it is in the line, does not fit into capacity, or is impossible.
 */
static inline uint8_t *ring_view(struct ring_receiver *r, const struct ring_line *line,
				 uint32_t capacity, uint32_t *ret_size)
{
	uint32_t size = read_once(line->size);

	if (size <= RING_INLINE || size > capacity)
		return NULL;
	*ret_size = size;
	r->wide = false;
	return ring_in_arena(r, line, size);
}

static inline void ring_ask_for_stamps(struct ring_receiver *r)
{
	atomic_store_explicit(&r->shared->wants_stamps, 1, memory_order_relaxed);
}

/* The stamp of a record, as the sender says; false: it has none. */
static inline bool ring_get_stamp(const struct ring_line *line, uint64_t *ret_stamp)
{
	uint16_t high = read_once(line->stamp_high);
	uint32_t low = read_once(line->offset);

	if (!(high & RING_STAMPED))
		return false;
	if (read_once(line->size) > RING_INLINE)
		memcpy(&low, line->data, sizeof(low));
	*ret_stamp = (uint64_t)(high & ~RING_STAMPED) << 32 | low;
	return true;
}

static inline void ring_pop(struct ring_receiver *r)
{
	r->tail++;
}

/*
 * The next record is like the last one: if that was in both halves of its line, asks for the second
 * one, which then comes together with the first.
 */
static inline void ring_expect_second(const struct ring_receiver *r)
{
	if (r->wide)
		cache_prefetch_read(&r->lines[r->tail & r->mask].data[RING_NARROW]);
}

/*
 * In a stream: asks for a line before it is looked at; for writing, as ring_release_lines() does.
 * Not behind records in the arena: before the next one is copied there, its line would only be
 * taken away from the sender.
 */
static inline void ring_expect(const struct ring_receiver *r, const struct ring_line *last)
{
	uint32_t coming = r->wide ? 2 * CACHE_LINES_COMING : CACHE_LINES_COMING;
	const struct ring_line *line = &r->lines[(r->tail + coming) & r->mask];

	if (read_once(last->size) > RING_INLINE)
		return;
	cache_prefetch_write(line);
	if (r->wide)
		cache_prefetch_write(&line->data[RING_NARROW]);
}

/*
 * In a stream, for who copies each record out in a call of its own, with a lock, before which no
 * load of the next call begins: asks for the payload of a record that comes later, where the last
 * one was in the arena, too.
 */
static inline void ring_expect_payload(const struct ring_receiver *r, const struct ring_line *last)
{
	uint32_t index = r->tail + RING_PAYLOADS_COMING;
	uint32_t size = read_once(last->size);
	const struct ring_line *line = &r->lines[index & r->mask];
	const uint8_t *payload;

	if (size <= RING_INLINE || size > RING_EXPECTED_MAX)
		return;
	cache_prefetch_read(&r->lines[(index + RING_PAYLOADS_COMING) & r->mask]);
	if (!ring_is_written(line, index))
		return;
	payload = ring_in_arena(r, line, size);
	for (uint32_t i = 0; payload && i < size; i += RING_GRAIN)
		cache_prefetch_read(payload + i);
}

/*
 * In a stream, before the room is given back: takes the lines of all popped records out of the
 * sender's cache (see cache.h).
 */
static inline void ring_release_lines(struct ring_receiver *r)
{
	uint32_t i;

	for (i = r->published; i != r->tail; i++) {
		struct ring_line *line = &r->lines[i & r->mask];

		line->size = 0;
		if (r->wide)
			line->data[RING_NARROW] = 0;
	}
}

/*
 * Gives the room of all popped records back. True, once, when the sender waits for room and must be
 * woken.
 */
static inline bool ring_publish_tail(struct ring_receiver *r)
{
	if (r->tail == r->published)
		return false;
	r->published = r->tail;
	/* Release: pairs with the acquire in priv_ring_refresh(); the records have been read. */
	atomic_store_explicit(&r->shared->tail, r->tail, memory_order_release);
	sleeper_note_work(&r->sleeper);
	return sleeper_wants_wake(&r->shared->sender);
}

#endif
