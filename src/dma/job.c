/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A memcpy job is a memcpy task whose end becomes an event of the work queue.
 */
#include "dma/job.h"
#include "dma/dma.h"

#include "doca_pe.h"

static void job_done(struct doca_dma_task_memcpy *copy, union doca_data task_data,
		     union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	priv_workq_job_done(doca_dma_task_memcpy_as_task(copy), DOCA_DMA_JOB_MEMCPY);
}

static doca_error_t job_enable(struct doca_ctx *ctx, uint32_t count)
{
	return doca_dma_task_memcpy_set_conf(dma_of(ctx), job_done, job_done, count);
}

/* A job of 1.4, which says how much it copies: inside of here that is a type. */
#define JOB_MEMCPY_1_4 (DOCA_DMA_JOB_MEMCPY + 0x4000)

static const struct doca_dma_job_memcpy *memcpy_job_of(const struct doca_job *job)
{
	return (const struct doca_dma_job_memcpy *)job;
}

/* num_bytes_to_copy is there in a job of 1.4 only: bindings have structures without it. */
static doca_error_t submit_copy(struct doca_ctx *ctx, const struct doca_job *job)
{
	const struct doca_dma_job_memcpy *memcpy_job = memcpy_job_of(job);
	struct doca_dma_task_memcpy *copy;
	struct doca_task *task;
	doca_error_t err;

	err = doca_dma_task_memcpy_alloc_init(dma_of(ctx), memcpy_job->src_buff,
					      memcpy_job->dst_buff, job->user_data, &copy);
	if (err)
		return err;
	copy->is_job = job->type == DOCA_DMA_JOB_MEMCPY;
	if (job->type == JOB_MEMCPY_1_4)
		dma_task_set_size(copy, memcpy_job->num_bytes_to_copy);
	task = doca_dma_task_memcpy_as_task(copy);
	err = doca_task_try_submit(task);
	if (err)
		doca_task_free(task);
	return err;
}

static doca_error_t job_submit(struct doca_ctx *ctx, const struct doca_job *job)
{
	struct doca_buf *dst;
	doca_error_t err;
	size_t data_len;

	if (job->type != DOCA_DMA_JOB_MEMCPY && job->type != JOB_MEMCPY_1_4)
		return DOCA_ERROR_NOT_SUPPORTED;
	dst = memcpy_job_of(job)->dst_buff; /* another job may be shorter */
	if (!dma_replaces(memcpy_job_of(job)->src_buff, dst))
		return submit_copy(ctx, job);
	data_len = dst->data_len;
	dst->data_len = 0;
	err = submit_copy(ctx, job);
	if (err)
		dst->data_len = data_len; /* a refused job leaves no trace */
	return err;
}

doca_error_t softfield_dma_submit_1_4(struct doca_workq *workq, const struct doca_job *job)
{
	const struct doca_dma_job_memcpy *memcpy_job = memcpy_job_of(job);
	struct doca_dma_job_memcpy today;

	if (!job)
		return DOCA_ERROR_INVALID_VALUE;
	if (job->type != DOCA_DMA_JOB_MEMCPY) /* and may be shorter */
		return softfield_workq_submit(workq, job);
	if (!memcpy_job->src_buff || !memcpy_job->dst_buff || !memcpy_job->num_bytes_to_copy)
		return DOCA_ERROR_INVALID_VALUE;
	today = *memcpy_job;
	today.base.type = JOB_MEMCPY_1_4;
	return softfield_workq_submit(workq, &today.base);
}

/* Later than 1.4 there would be nothing to copy. */
static bool is_of_1_4(const struct doca_dma_job_memcpy *job)
{
	return job->src_buff && job->dst_buff && buf_is_single(job->src_buff) &&
	       !job->src_buff->data_len && job->num_bytes_to_copy;
}

doca_error_t softfield_dma_submit(struct doca_workq *workq, const struct doca_job *job)
{
	if (job && job->type == DOCA_DMA_JOB_MEMCPY && is_of_1_4(memcpy_job_of(job)))
		return softfield_dma_submit_1_4(workq, job);
	return softfield_workq_submit(workq, job);
}

doca_error_t softfield_dma_devinfo_caps_get(const struct doca_devinfo *devinfo, uint32_t *caps)
{
	if (!devinfo || !caps)
		return DOCA_ERROR_INVALID_VALUE;
	*caps = doca_dma_cap_task_memcpy_is_supported(devinfo) ? DOCA_DMA_CAP_NONE
							       : DOCA_DMA_CAP_HW_OFFLOAD;
	return DOCA_SUCCESS;
}

doca_error_t softfield_dma_job_get_supported(const struct doca_devinfo *devinfo,
					     enum doca_dma_job_types type)
{
	if (type != DOCA_DMA_JOB_MEMCPY)
		return DOCA_ERROR_NOT_SUPPORTED;
	return doca_dma_cap_task_memcpy_is_supported(devinfo);
}

doca_error_t softfield_dma_get_max_buf_size(const struct doca_devinfo *devinfo, uint64_t *buf_size)
{
	return doca_dma_cap_task_memcpy_get_max_buf_size(devinfo, buf_size);
}

static doca_error_t twin_create(struct doca_dev *dev, struct doca_ctx **ret_ctx)
{
	struct doca_dma *dma;
	doca_error_t err = doca_dma_create(dev, &dma);

	if (!err)
		*ret_ctx = doca_dma_as_ctx(dma);
	return err;
}

static void twin_destroy(struct doca_ctx *ctx)
{
	doca_dma_destroy(dma_of(ctx));
}

const struct job_ops dma_job_ops = {.create_twin = twin_create,
				    .destroy_twin = twin_destroy,
				    .enable = job_enable,
				    .submit = job_submit};
