/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs: what releases up to 2.2 had in place of tasks (core/workq.h).
 */
#ifndef SOFTFIELD_DMA_JOB_H
#define SOFTFIELD_DMA_JOB_H

#include <stdbool.h>
#include "core/buf.h"
#include "core/workq.h"
#include "softfield_dma_2_2.h"

extern const struct job_ops dma_job_ops;

/*
 * The task copies so much, however much data its source has: programs use one for many sizes at a
 * time. Before it is submitted.
 */
void dma_task_set_size(struct doca_dma_task_memcpy *copy, size_t size);

/*
 * Does a copy begin at the destination's data, as up to release 1.5? Those programs submit a job
 * again as it is.
 */
static inline bool dma_replaces(const struct doca_buf *src, const struct doca_buf *dst)
{
	return src && dst && (src->mmap->populated || dst->mmap->populated);
}

#endif
