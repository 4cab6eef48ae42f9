/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs of sync events, of releases up to 2.2: tasks whose end becomes an event of the work queue.
 */
#include "core/sync_event.h"

#include "core/workq.h"
#include "doca_pe.h"
#include "softfield_sync_event_2_2.h"
#include "topo/topo.h"

#define DONE(kind, job_type)                                                                       \
	static void kind##_done(struct doca_sync_event_task_##kind *task,                          \
				union doca_data task_data, union doca_data ctx_data)               \
	{                                                                                          \
		(void)task_data;                                                                   \
		(void)ctx_data;                                                                    \
		priv_workq_job_done(doca_sync_event_task_##kind##_as_doca_task(task), job_type);   \
	}

DONE(get, DOCA_SYNC_EVENT_JOB_GET)
DONE(notify_set, DOCA_SYNC_EVENT_JOB_UPDATE_SET)
DONE(notify_add, DOCA_SYNC_EVENT_JOB_UPDATE_ADD)
DONE(wait_gt, DOCA_SYNC_EVENT_JOB_WAIT_GT)

static struct doca_sync_event *event_of_ctx(struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_sync_event, ctx);
}

/* A queue may be deeper than an event has tasks of a kind: then they are what there is less of. */
static doca_error_t job_enable(struct doca_ctx *ctx, uint32_t depth)
{
	struct doca_sync_event *event = event_of_ctx(ctx);
	uint64_t max = priv_topo_limits()->sync_event_max_num_tasks;
	uint32_t count = depth < max ? depth : (uint32_t)max;
	doca_error_t err =
		doca_sync_event_task_wait_gt_set_conf(event, wait_gt_done, wait_gt_done, count);

	if (!err)
		err = doca_sync_event_task_get_set_conf(event, get_done, get_done, count);
	if (!err)
		err = doca_sync_event_task_notify_set_set_conf(event, notify_set_done,
							       notify_set_done, count);
	if (!err)
		err = doca_sync_event_task_notify_add_set_conf(event, notify_add_done,
							       notify_add_done, count);
	return err;
}

static doca_error_t alloc_wait(struct doca_sync_event *event, const struct doca_job *base,
			       struct doca_task **ret_task)
{
	const struct doca_sync_event_job_wait *job = (const struct doca_sync_event_job_wait *)base;
	struct doca_sync_event_task_wait_gt *task;
	doca_error_t err = doca_sync_event_task_wait_gt_alloc_init(event, job->value, job->mask,
								   base->user_data, &task);

	if (!err)
		*ret_task = doca_sync_event_task_wait_gt_as_doca_task(task);
	return err;
}

static doca_error_t alloc_get(struct doca_sync_event *event, const struct doca_job *base,
			      struct doca_task **ret_task)
{
	const struct doca_sync_event_job_get *job = (const struct doca_sync_event_job_get *)base;
	struct doca_sync_event_task_get *task;
	doca_error_t err =
		doca_sync_event_task_get_alloc_init(event, job->fetched, base->user_data, &task);

	if (!err)
		*ret_task = doca_sync_event_task_get_as_doca_task(task);
	return err;
}

static doca_error_t alloc_set(struct doca_sync_event *event, const struct doca_job *base,
			      struct doca_task **ret_task)
{
	const struct doca_sync_event_job_update_set *job =
		(const struct doca_sync_event_job_update_set *)base;
	struct doca_sync_event_task_notify_set *task;
	doca_error_t err = doca_sync_event_task_notify_set_alloc_init(event, job->value,
								      base->user_data, &task);

	if (!err)
		*ret_task = doca_sync_event_task_notify_set_as_doca_task(task);
	return err;
}

static doca_error_t alloc_add(struct doca_sync_event *event, const struct doca_job *base,
			      struct doca_task **ret_task)
{
	const struct doca_sync_event_job_update_add *job =
		(const struct doca_sync_event_job_update_add *)base;
	struct doca_sync_event_task_notify_add *task;
	doca_error_t err = doca_sync_event_task_notify_add_alloc_init(
		event, job->value, job->fetched, base->user_data, &task);

	if (!err)
		*ret_task = doca_sync_event_task_notify_add_as_doca_task(task);
	return err;
}

static doca_error_t alloc_task(struct doca_sync_event *event, const struct doca_job *job,
			       struct doca_task **ret_task)
{
	switch (job->type) {
	case DOCA_SYNC_EVENT_JOB_WAIT_GT:
		return alloc_wait(event, job, ret_task);
	case DOCA_SYNC_EVENT_JOB_GET:
		return alloc_get(event, job, ret_task);
	case DOCA_SYNC_EVENT_JOB_UPDATE_SET:
		return alloc_set(event, job, ret_task);
	case DOCA_SYNC_EVENT_JOB_UPDATE_ADD:
		return alloc_add(event, job, ret_task);
	default:
		return DOCA_ERROR_NOT_SUPPORTED;
	}
}

static doca_error_t job_submit(struct doca_ctx *ctx, const struct doca_job *job)
{
	struct doca_task *task;
	doca_error_t err = alloc_task(event_of_ctx(ctx), job, &task);

	if (err)
		return err;
	err = doca_task_submit(task);
	if (err)
		doca_task_free(task);
	return err;
}

const struct job_ops event_job_ops = {.enable = job_enable, .submit = job_submit};

doca_error_t softfield_sync_event_job_get_supported(const struct doca_devinfo *devinfo,
						    enum doca_sync_event_job_types type)
{
	if (!devinfo)
		return DOCA_ERROR_INVALID_VALUE;
	return type >= DOCA_SYNC_EVENT_JOB_WAIT_GT && type <= DOCA_SYNC_EVENT_JOB_UPDATE_ADD
		       ? DOCA_SUCCESS
		       : DOCA_ERROR_NOT_SUPPORTED;
}
