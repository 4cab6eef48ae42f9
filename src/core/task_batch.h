/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Batches: several tasks of one type and one context that are submitted together and whose user is
 * told once. No library here makes any yet; one that does embeds this and fills it in.
 */
#ifndef SOFTFIELD_CORE_TASK_BATCH_H
#define SOFTFIELD_CORE_TASK_BATCH_H

#include "core/task.h"

struct doca_task_batch {
	struct doca_ctx *ctx;
	union doca_data user_data;
	doca_error_t status; /* of the batch: the first error of its tasks */
	uint16_t count;
	struct doca_task **tasks;
};

#endif
