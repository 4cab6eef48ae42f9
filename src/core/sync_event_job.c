/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs of sync events, of releases up to 2.2: tasks whose end becomes an event of the work queue.
 */
#include "core/sync_event.h"

#include "base/count.h"
#include "core/workq.h"
#include "doca_pe.h"
#include "softfield_sync_event_2_2.h"
#include "topo/topo.h"

#define FIRST DOCA_SYNC_EVENT_JOB_WAIT_GT

/* of the types of jobs, from the first on */
static const enum event_task_kind kinds[] = {EVENT_TASK_GT, EVENT_TASK_GET, EVENT_TASK_SET,
					     EVENT_TASK_ADD};
#define TYPES ((int)COUNT(kinds))

static void job_done(struct doca_task *task, union doca_data task_data, union doca_data ctx_data)
{
	const struct doca_sync_event *event = event_of(task);
	int i = 0;

	(void)task_data;
	(void)ctx_data;
	while (&event->pools[kinds[i]] != task->pool)
		i++;
	priv_workq_job_done(task, FIRST + i);
}

static struct doca_sync_event *event_of_ctx(struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_sync_event, ctx);
}

/* A queue may be deeper than an event has tasks of a kind: then they are what there is less of. */
static doca_error_t job_enable(struct doca_ctx *ctx, uint32_t depth)
{
	uint64_t max = priv_topo_limits()->sync_event_max_num_tasks;
	uint32_t count = depth < max ? depth : (uint32_t)max;
	doca_error_t err = DOCA_SUCCESS;
	int i;

	for (i = 0; !err && i < TYPES; i++)
		err = event_task_configure(event_of_ctx(ctx), kinds[i], (void (*)(void))job_done,
					   (void (*)(void))job_done, count);
	return err;
}

static void read_job(const struct doca_job *base, struct event_condition *condition,
		     uint64_t **ret_result)
{
	const struct doca_sync_event_job_wait *wait = (const void *)base;
	const struct doca_sync_event_job_get *get = (const void *)base;
	const struct doca_sync_event_job_update_set *set = (const void *)base;
	const struct doca_sync_event_job_update_add *add = (const void *)base;

	switch (base->type) {
	case DOCA_SYNC_EVENT_JOB_WAIT_GT:
		*condition = (struct event_condition){EVENT_GT, wait->value, wait->mask};
		break;
	case DOCA_SYNC_EVENT_JOB_GET:
		*ret_result = get->fetched;
		break;
	case DOCA_SYNC_EVENT_JOB_UPDATE_SET:
		condition->value = set->value;
		break;
	default:
		condition->value = add->value;
		*ret_result = add->fetched;
		break;
	}
}

static bool is_known(int type)
{
	return type >= FIRST && type < FIRST + TYPES;
}

static doca_error_t job_submit(struct doca_ctx *ctx, const struct doca_job *job)
{
	struct event_condition condition = {0};
	struct event_task *task;
	uint64_t *result = NULL;
	doca_error_t err;

	if (!is_known(job->type))
		return DOCA_ERROR_NOT_SUPPORTED;
	read_job(job, &condition, &result);
	err = event_task_alloc(event_of_ctx(ctx), kinds[job->type - FIRST], condition,
			       job->user_data, &task);
	if (err)
		return err;
	task->result = result;
	err = doca_task_submit(&task->task);
	if (err)
		doca_task_free(&task->task);
	return err;
}

const struct job_ops event_job_ops = {.enable = job_enable, .submit = job_submit};

doca_error_t softfield_sync_event_job_get_supported(const struct doca_devinfo *devinfo,
						    enum doca_sync_event_job_types type)
{
	if (!devinfo)
		return DOCA_ERROR_INVALID_VALUE;
	return is_known((int)type) ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}
