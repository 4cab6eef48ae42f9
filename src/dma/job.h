/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs: what releases up to 2.2 had in place of tasks (core/workq.h).
 */
#ifndef SOFTFIELD_DMA_JOB_H
#define SOFTFIELD_DMA_JOB_H

#include "core/workq.h"
#include "softfield_dma_2_2.h"
#undef doca_dma_create /* a macro of the public header; in this folder the function is meant */

extern const struct job_ops dma_job_ops;

#endif
