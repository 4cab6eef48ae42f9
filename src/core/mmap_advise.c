/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Advice on memory. The caches of one machine are coherent, so there is nothing to invalidate: a
 * task is checked as a card would check it, and done.
 */
#define LOG_MODULE "core"
#include "doca_mmap_advise.h"

#include <stdlib.h>
#include "base/log.h"
#include "core/buf.h"
#include "core/ctx.h"
#include "core/dev.h"
#include "core/pe.h"
#include "core/task.h"

struct doca_mmap_advise {
	struct doca_ctx ctx;
	struct task_pool pool;
	struct pe_garbage garbage;
};

struct doca_mmap_advise_task_invalidate_cache {
	struct doca_task task;
	struct doca_buf *buf;
};

/*
 * Task
 */

static uint64_t max_buf_size(void)
{
	return priv_topo_limits()->mmap_advise_max_buf_size;
}

static doca_error_t advise_check_task(const struct doca_task *task)
{
	const struct doca_buf *buf =
		container_of(task, struct doca_mmap_advise_task_invalidate_cache, task)->buf;

	if (!buf || buf_is_free(buf))
		return DOCA_ERROR_INVALID_VALUE;
	for (; buf; buf = buf->next)
		if (!buf_is_sound(buf) || !buf->data_len || buf->data_len > max_buf_size())
			return DOCA_ERROR_INVALID_VALUE;
	return DOCA_SUCCESS;
}

static doca_error_t advise_submit_task(struct doca_task *task, uint32_t flags)
{
	(void)flags;
	task_accept(task);
	task_complete(task, advise_check_task(task));
	return DOCA_SUCCESS;
}

static const struct task_type advise_task_type = {
	.name = "invalidate_cache",
	.check = advise_check_task,
	.submit = advise_submit_task,
};

/*
 * Context
 */

static doca_error_t advise_check(struct doca_ctx *ctx)
{
	const struct doca_mmap_advise *advise = container_of(ctx, struct doca_mmap_advise, ctx);

	if (!advise->pool.count) {
		LOG_ERR("mmap advise cannot start: its task was not enabled");
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (!doca_mmap_advise_cap_task_cache_invalidate_is_supported(doca_dev_as_devinfo(ctx->dev)))
		return DOCA_SUCCESS;
	LOG_ERR("mmap advise cannot start: it needs a device of the DPU");
	return DOCA_ERROR_NOT_SUPPORTED;
}

static doca_error_t advise_start(struct doca_ctx *ctx)
{
	return priv_task_pool_start(&container_of(ctx, struct doca_mmap_advise, ctx)->pool);
}

static doca_error_t advise_stop(struct doca_ctx *ctx)
{
	(void)ctx; /* what was submitted is done */
	return DOCA_SUCCESS;
}

static const struct ctx_ops advise_ctx_ops = {
	.name = "mmap advise",
	.check = advise_check,
	.start = advise_start,
	.stop = advise_stop,
};

doca_error_t doca_mmap_advise_create(struct doca_dev *dev, struct doca_mmap_advise **mmap_advise)
{
	struct doca_mmap_advise *advise;

	if (!dev || !mmap_advise)
		return DOCA_ERROR_INVALID_VALUE;
	advise = calloc(1, sizeof(*advise));
	if (!advise)
		return DOCA_ERROR_NO_MEMORY;
	priv_ctx_init(&advise->ctx, &advise_ctx_ops, dev);
	*mmap_advise = advise;
	return DOCA_SUCCESS;
}

static void release(struct pe_garbage *garbage)
{
	struct doca_mmap_advise *advise = container_of(garbage, struct doca_mmap_advise, garbage);

	priv_task_pool_fini(&advise->pool);
	free(advise);
}

doca_error_t doca_mmap_advise_destroy(struct doca_mmap_advise *mmap_advise)
{
	struct doca_pe *pe;
	doca_error_t err;

	if (!mmap_advise)
		return DOCA_ERROR_INVALID_VALUE;
	err = priv_ctx_check_destroy(&mmap_advise->ctx);
	if (err)
		return err;
	pe = mmap_advise->ctx.pe;
	priv_ctx_fini(&mmap_advise->ctx);
	priv_pe_discard(pe, &mmap_advise->garbage, release);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_mmap_advise_as_ctx(struct doca_mmap_advise *mmap_advise)
{
	return mmap_advise ? &mmap_advise->ctx : NULL;
}

/*
 * Capabilities and configuration
 */

doca_error_t
doca_mmap_advise_cap_task_cache_invalidate_is_supported(const struct doca_devinfo *devinfo)
{
	if (!devinfo)
		return DOCA_ERROR_INVALID_VALUE;
	return priv_devinfo_function(devinfo)->side == TOPO_DPU ? DOCA_SUCCESS
								: DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t
doca_mmap_advise_task_cache_invalidate_get_max_buf_size(const struct doca_devinfo *devinfo,
							uint64_t *buf_size)
{
	if (!devinfo || !buf_size)
		return DOCA_ERROR_INVALID_VALUE;
	*buf_size = max_buf_size();
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_advise_task_invalidate_cache_set_conf(
	struct doca_mmap_advise *mmap_advise,
	doca_mmap_advise_task_invalidate_cache_completion_cb_t completion_cb,
	doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb, uint32_t num_tasks)
{
	doca_error_t err;

	if (!mmap_advise)
		return DOCA_ERROR_INVALID_VALUE;
	err = priv_task_pool_configure(
		&mmap_advise->pool, &mmap_advise->ctx,
		&(struct task_pool_config){
			.type = &advise_task_type,
			.task_size = sizeof(struct doca_mmap_advise_task_invalidate_cache),
			.completion_cb = (doca_task_completion_cb_t)(void (*)(void))completion_cb,
			.error_cb = (doca_task_completion_cb_t)(void (*)(void))error_cb,
			.count = num_tasks,
			.max = (uint32_t)priv_topo_limits()->mmap_advise_max_num_tasks,
		});
	return err == DOCA_ERROR_BAD_STATE ? DOCA_ERROR_NOT_PERMITTED : err;
}

doca_error_t doca_mmap_advise_task_invalidate_cache_alloc_init(
	struct doca_mmap_advise *mmap_advise, struct doca_buf *buf, union doca_data user_data,
	struct doca_mmap_advise_task_invalidate_cache **task)
{
	struct doca_task *base;
	doca_error_t err;

	if (!mmap_advise || !buf || !task)
		return DOCA_ERROR_INVALID_VALUE;
	err = task_alloc(&mmap_advise->pool, &base);
	if (err)
		return err;
	base->user_data = user_data;
	*task = container_of(base, struct doca_mmap_advise_task_invalidate_cache, task);
	(*task)->buf = buf;
	return DOCA_SUCCESS;
}

struct doca_task *doca_mmap_advise_task_invalidate_cache_as_doca_task(
	struct doca_mmap_advise_task_invalidate_cache *task)
{
	return &task->task;
}

void doca_mmap_advise_task_invalidate_cache_set_buf(
	struct doca_mmap_advise_task_invalidate_cache *task, struct doca_buf *buf)
{
	if (task)
		task->buf = buf;
}

struct doca_buf *doca_mmap_advise_task_invalidate_cache_get_buf(
	const struct doca_mmap_advise_task_invalidate_cache *task)
{
	return task ? task->buf : NULL;
}
