/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work queues of releases up to 2.2, over progress engine and tasks. A context that can do jobs
 * says so in its ctx_ops.
 */
#ifndef SOFTFIELD_CORE_WORKQ_H
#define SOFTFIELD_CORE_WORKQ_H

#include "base/export.h"
#include "core/ctx.h"
#include "softfield_core_2_2.h"

struct doca_dev;
struct doca_task;

struct job_ops {
	/*
	 * Enables tasks for so many jobs at a time; the context is IDLE. The task's callbacks call
	 * priv_workq_job_done().
	 */
	doca_error_t (*enable)(struct doca_ctx *ctx, uint32_t count);
	/*
	 * One more context of the kind, on a device, and its end when it is idle. NO_MEMORY. NULL:
	 * there is one, in one queue, and it has no device.
	 */
	doca_error_t (*create_twin)(struct doca_dev *dev, struct doca_ctx **ret_ctx);
	void (*destroy_twin)(struct doca_ctx *ctx);
	/* begins a job, which is copied. INVALID_VALUE, NOT_SUPPORTED: a wrong job */
	doca_error_t (*submit)(struct doca_ctx *ctx, const struct doca_job *job);
};

/*
 * doca_ctx_start() and doca_ctx_stop() of a context that does jobs: it starts as soon as it is in a
 * queue, in each one that it is in.
 */
doca_error_t workq_start_ctx(struct doca_ctx *ctx);
doca_error_t workq_stop_ctx(struct doca_ctx *ctx);

/* A job has ended, by its task: its event can be retrieved, and the task is freed. */
PRIV_EXPORT void priv_workq_job_done(struct doca_task *task, int type);

#endif
