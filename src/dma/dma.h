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

struct doca_dma {
	struct doca_ctx ctx;
	struct task_pool memcpy_pool;
	struct poller poller;
	struct doca_task *first; /* submitted, not yet done */
	struct doca_task **last;
	char *bounce;	 /* from the first start on */
	uint8_t ordered; /* what the program has set; completions are in order anyway */
	struct pe_garbage garbage;
};

/* Where in a list of buffers a copy has got to. */
struct cursor {
	const struct doca_buf *buf;
	size_t offset; /* in its data, or in its space */
};

struct doca_dma_task_memcpy {
	struct doca_task task;
	const struct doca_buf *src;
	struct doca_buf *dst;
	struct doca_buf source; /* src of a job that says how much it copies: with so much data */
	/* while it is first in the queue */
	bool begun;
	bool is_backwards;
	struct cursor from, to;
	size_t left; /* bytes */
	size_t total;
	size_t room; /* of the whole destination, when a poll has left it unfinished */
};

static inline struct doca_dma_task_memcpy *memcpy_of(struct doca_task *task)
{
	return container_of(task, struct doca_dma_task_memcpy, task);
}

/* dma.c: puts it at the end of the queue */
doca_error_t dma_submit(struct doca_task *task, uint32_t flags);

/*
 * task_memcpy.c: goes on with the first of the queue, or begins it; takes what it copies off the
 * budget. On success all has been copied unless copy->left says otherwise. Errors are those of the
 * task.
 */
doca_error_t memcpy_work(struct doca_dma *dma, struct doca_dma_task_memcpy *copy, size_t *budget);
/* it is complete: the lengths of the destination grow all at once */
void memcpy_commit(struct doca_dma_task_memcpy *copy);

#endif
