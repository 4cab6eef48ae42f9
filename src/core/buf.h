/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers from the inside. A buffer is one cache line in an array of its inventory or pool, and
 * goes back there when its count reaches 0.
 *
 * In a list the head counts references for all and knows the last element; an element behind it has
 * tail == NULL, which is how the two are told apart.
 */
#ifndef SOFTFIELD_CORE_BUF_H
#define SOFTFIELD_CORE_BUF_H

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/debug.h"
#include "base/list.h"
#include "core/mmap.h"
#include "doca_buf.h"
#include "softfield_inline.h"

#define BUF_SIZE 64

struct doca_buf {
	alignas(BUF_SIZE) char *head; /* [head, head + len) is fixed */
	size_t len;
	char *data; /* [data, data + data_len) lies in it, if a source's not only in the map */
	size_t data_len;
	struct doca_mmap *mmap;
	struct doca_buf *next; /* in the list; free: in the store's list */
	struct doca_buf *tail; /* of a head: last element, itself if alone */
	uint32_t index;	       /* in its chunk */
	uint16_t refcount;     /* 0: free */
};
static_assert(sizeof(struct doca_buf) == BUF_SIZE, "one cache line");
/* Programs are compiled with it (softfield_inline.h). */
static_assert(offsetof(struct doca_buf, head) == offsetof(struct softfield_buf, head), "ABI");
static_assert(offsetof(struct doca_buf, len) == offsetof(struct softfield_buf, len), "ABI");
static_assert(offsetof(struct doca_buf, data) == offsetof(struct softfield_buf, data), "ABI");
static_assert(offsetof(struct doca_buf, data_len) == offsetof(struct softfield_buf, data_len),
	      "ABI");

struct buf_store;

/*
 * An array of buffers with the line before it. Those from `fresh` on have never been taken, and
 * nobody has touched their memory.
 */
struct buf_chunk {
	alignas(BUF_SIZE) struct buf_store *store;
	struct buf_chunk *next, *next_fresh;
	uint32_t count, fresh;
	struct doca_buf bufs[];
};

/* Where buffers come from and go back to: the common part of inventories and pools. */
struct buf_store {
	struct doca_buf *free; /* those that were taken before, or are about to be */
	struct buf_chunk *chunks;
	struct buf_chunk *fresh; /* that have fresh ones */
	uint32_t count;
	uint32_t free_count; /* also fresh ones */
	bool fixed;	     /* a pool's: its buffers cannot be aimed elsewhere */
};

/* adds count buffers. NO_MEMORY: also for more than 32 bits can count */
doca_error_t buf_store_grow(struct buf_store *store, uint32_t count);
void buf_store_fini(struct buf_store *store);
/* Puts some fresh ones into store->free, which is empty; false: there are none, all are out. */
bool buf_store_refill(struct buf_store *store);

static inline struct buf_chunk *buf_chunk_of(const struct doca_buf *buf)
{
	return container_of(buf - buf->index, struct buf_chunk, bufs);
}

static inline bool buf_store_has_free(struct buf_store *store)
{
	return doca_likely(store->free) || buf_store_refill(store);
}

/* Takes one, which there is: see buf_store_has_free(). */
static inline struct doca_buf *buf_store_pop(struct buf_store *store)
{
	struct doca_buf *buf = store->free;

	debug_assert(buf && store->free_count);
	store->free = buf->next;
	store->free_count--;
	return buf;
}

static inline void buf_store_push(struct buf_store *store, struct doca_buf *buf)
{
	buf->refcount = 0;
	buf->next = store->free;
	store->free = buf;
	store->free_count++;
}

/* A single buffer with one reference, which its map is told of by mmap_ref_buf(). */
static inline void buf_init(struct doca_buf *buf, struct doca_mmap *mmap, void *addr, size_t len)
{
	buf->head = addr;
	buf->len = len;
	buf->data = addr;
	buf->data_len = 0;
	buf->mmap = mmap;
	buf->next = NULL;
	buf->tail = buf;
	buf->refcount = 1;
}

/* Given back: what it says of memory is stale, and what it leads to is in no list of a program. */
static inline bool buf_is_free(const struct doca_buf *buf)
{
	return !buf->refcount;
}

/* BAD_STATE: it is free, and the log says so */
doca_error_t buf_refuse_free(const struct doca_buf *buf);

static inline bool buf_is_head(const struct doca_buf *buf)
{
	return buf->tail != NULL;
}

/* no list, no part of one */
static inline bool buf_is_single(const struct doca_buf *buf)
{
	return buf->tail == buf;
}

/* Bytes that can still be appended; false: the program has set data outside of the buffer. */
static inline bool buf_find_space(const struct doca_buf *buf, size_t *ret_space)
{
	/* more than len, by wrapping around or not, if it begins outside */
	size_t behind = (uintptr_t)buf->head + buf->len - (uintptr_t)buf->data;

	if (behind > buf->len || buf->data_len > behind)
		return false;
	*ret_space = behind - buf->data_len;
	return true;
}

/*
 * The setters of the API check nothing in release builds, so whoever touches the memory asks: is
 * the data inside of the buffer, and the map started?
 */
static inline bool buf_is_sound(const struct doca_buf *buf)
{
	size_t space;

	return mmap_is_started(buf->mmap) && buf_find_space(buf, &space);
}

/*
 * Is the data inside of the map, though perhaps not of the buffer? On a card only address, length
 * and key count, and programs aim the buffers of a source at other memory of its map.
 */
static inline bool buf_data_is_mapped(const struct doca_buf *buf)
{
	return mmap_contains(buf->mmap, buf->data, buf->data_len);
}

#endif
