/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data buffers of commands: in the application's memory or our own, each as a disk wants to see it,
 * and the pool of them that each EU has.
 */
#ifndef SOFTFIELD_STA_MEM_H
#define SOFTFIELD_STA_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "doca_error.h"
#include "nvme/spec.h"

struct sta_allocator {
	void *(*zmalloc)(size_t size, size_t align, uint64_t *phys);
	void (*free)(void *buf);
	uint64_t (*vtophys)(const void *buf, uint32_t size);
};

/* Data of one command, and how a disk sees it. */
struct sta_buf {
	struct sta_buf *next; /* in pool->free */
	uint8_t *data;
	uint32_t capacity;
	uint64_t bus0, bus1; /* first and second page */
	uint64_t list;	     /* bus address of the list of all pages but the first */
	void *list_memory;
	bool is_part; /* of memory that is somebody else's */
};

/*
 * Buffers of an EU: those made at the start, and one for each queue pair that it has had at once.
 * Made by whoever creates queue pairs; all else is the EU's.
 */
struct sta_pool {
	const struct sta_allocator *allocator;
	struct sta_buf *bufs;
	struct sta_buf *free; /* most recently used first */
	void *memory;	      /* those made at the start are parts of it; NULL: each has its own */
	uint32_t capacity, count, free_count;
	uint32_t added; /* those of queue pairs */
	/* as many are kept for queue pairs that hold none, and for new ones that bring none */
	uint32_t owed;
};

extern const struct sta_allocator sta_own_allocator;

doca_error_t sta_buf_init(struct sta_buf *buf, const struct sta_allocator *allocator,
			  uint32_t capacity);
void sta_buf_fini(struct sta_buf *buf, const struct sta_allocator *allocator);
/* in memory of the allocator's that stays the caller's; as large as buffers without a list are */
doca_error_t sta_buf_init_part(struct sta_buf *buf, const struct sta_allocator *allocator,
			       void *memory, uint32_t capacity);
doca_error_t sta_pool_init(struct sta_pool *pool, const struct sta_allocator *allocator,
			   uint32_t count, uint32_t room, uint32_t size);
/* one more, out of the room there is; it is not free until sta_pool_give() */
doca_error_t sta_pool_add(struct sta_pool *pool, struct sta_buf **ret_buf);
void sta_pool_fini(struct sta_pool *pool);
struct sta_buf *sta_pool_take(struct sta_pool *pool); /* NULL: all are out */
void sta_pool_give(struct sta_pool *pool, struct sta_buf *buf);
void sta_buf_set_prps(const struct sta_buf *buf, struct nvme_cmd *cmd, uint32_t size);

#endif
