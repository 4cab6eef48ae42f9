/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The context with its queue of tasks (dma.c), and what one task does (task_memcpy.c).
 */
#ifndef SOFTFIELD_DMA_DMA_H
#define SOFTFIELD_DMA_DMA_H

#include "core/buf.h"
#include "core/ctx.h"
#include "core/pe.h"
#include "core/task.h"
#include "dma/job.h"

/* Copies between two regions of other processes go through this many bytes of our own. */
#define BOUNCE_SIZE (64 * 1024)

struct piece_list;

struct doca_dma {
	struct doca_ctx ctx;
	struct task_pool memcpy_pool;
	struct poller poller;
	struct doca_task *first; /* submitted, not yet done */
	struct doca_task **last;
	bool lags;	      /* not all of them has been copied */
	size_t submit_budget; /* bytes that may be copied in submits before the next poll */
	char *bounce;	      /* from the first start on */
	struct piece_list *spare_lists; /* that no task has */
	uint8_t ordered; /* what the program has set; completions are in order anyway */
	struct pe_garbage garbage;
};

/* A stretch of memory to read, or to write. */
struct piece {
	struct doca_mmap *mmap;
	char *addr;
	size_t size;
};

/*
 * What a list of buffers was when its task was submitted: a program may use the buffers for the
 * next task at once, as on a card.
 */
struct pieces {
	struct piece *list;
	uint32_t count;
	struct piece one; /* list, if it is one */
};

/* Where in the pieces a copy has got to. */
struct cursor {
	const struct piece *piece;
	size_t offset;
};

struct doca_dma_task_memcpy {
	struct doca_task task;
	const struct doca_buf *src;
	struct doca_buf *dst;
	struct doca_buf source; /* src of a job that says how much it copies: with so much data */
	bool is_job; /* of 1.5 or later: its buffers may be aimed anywhere in their maps */
	/* while it is in the queue */
	doca_error_t refused; /* SUCCESS, and what follows is there; or what it will fail with */
	bool is_backwards;
	struct pieces src_pieces, dst_pieces;
	struct cursor from, to;
	size_t left; /* bytes */
	size_t total;
};

static inline struct doca_dma *dma_of(struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_dma, ctx);
}

static inline struct doca_dma_task_memcpy *memcpy_of(struct doca_task *task)
{
	return container_of(task, struct doca_dma_task_memcpy, task);
}

/* dma.c: puts it at the end of the queue */
doca_error_t dma_submit(struct doca_task *task, uint32_t flags);

/* task_memcpy.c: notes what the buffers are, or why they are refused; memcpy_end() follows. */
void memcpy_begin(struct doca_dma_task_memcpy *copy);
/*
 * Goes on with the first of the queue; takes what it copies off the budget. On success all has been
 * copied unless copy->left says otherwise. Errors are those of the task.
 */
doca_error_t memcpy_work(struct doca_dma *dma, struct doca_dma_task_memcpy *copy, size_t *budget);
/* it is complete: the lengths of the destination grow all at once */
void memcpy_commit(struct doca_dma_task_memcpy *copy);
/* whatever has become of it */
void memcpy_end(struct doca_dma_task_memcpy *copy);
/* the memory for lists of buffers that tasks have had */
void memcpy_free_lists(struct doca_dma *dma);

#endif
