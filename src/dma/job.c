/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A memcpy job is a memcpy task whose end becomes an event of the work queue.
 */
#include "dma/job.h"

#include "doca_pe.h"

static void job_done(struct doca_dma_task_memcpy *copy, union doca_data task_data,
		     union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	priv_workq_job_done(doca_dma_task_memcpy_as_task(copy), DOCA_DMA_JOB_MEMCPY);
}

static struct doca_dma *dma_of(struct doca_ctx *ctx)
{
	return (struct doca_dma *)ctx; /* its first member */
}

static doca_error_t job_enable(struct doca_ctx *ctx, uint32_t count)
{
	return doca_dma_task_memcpy_set_conf(dma_of(ctx), job_done, job_done, count);
}

static doca_error_t job_submit(struct doca_ctx *ctx, const struct doca_job *job)
{
	const struct doca_dma_job_memcpy *memcpy_job = (const struct doca_dma_job_memcpy *)job;
	struct doca_dma_task_memcpy *copy;
	struct doca_task *task;
	doca_error_t err;

	if (job->type != DOCA_DMA_JOB_MEMCPY)
		return DOCA_ERROR_NOT_SUPPORTED;
	err = doca_dma_task_memcpy_alloc_init(dma_of(ctx), memcpy_job->src_buff,
					      memcpy_job->dst_buff, job->user_data, &copy);
	if (err)
		return err;
	task = doca_dma_task_memcpy_as_task(copy);
	err = doca_task_try_submit(task);
	if (err)
		doca_task_free(task);
	return err;
}

const struct job_ops dma_job_ops = {.enable = job_enable, .submit = job_submit};
