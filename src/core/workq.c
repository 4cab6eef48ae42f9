/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work queues of releases up to 2.2: a progress engine whose completions are kept until the program
 * asks for them. A context starts when it has been told to and is in a queue, in any order. In each
 * queue but one a twin of it works, which is a context of its own.
 */
#define LOG_MODULE "core"
#include "core/workq.h"

#include <pthread.h>
#include <stdlib.h>
#include "base/log.h"
#include "core/dev.h"
#include "core/log.h"
#include "core/task.h"

/* The least jobs a queue holds: programs submit more than they asked for, and a card takes them. */
#define LEAST_DEPTH 1024

struct doca_workq {
	struct doca_pe *pe;
	uint32_t depth;
	uint32_t asked_depth;	  /* by the program */
	uint8_t is_event_driven;  /* what the program has set; it may poll and wait anyway */
	uint32_t used;		  /* jobs from their submission until their event is retrieved */
	uint32_t head, tail;	  /* of events that wait, free-running */
	uint32_t mask;		  /* of events: a power of two of them, at least depth */
	struct doca_ctx *members; /* contexts and twins that are in it; queued.next */
	struct doca_event events[];
};

/*
 * Which contexts are in which queues. Threads put one context into queues of their own; what a
 * queue has is then its thread's.
 */
static pthread_mutex_t membership = PTHREAD_MUTEX_INITIALIZER;

static uint32_t count_members(const struct doca_workq *workq)
{
	const struct doca_ctx *member;
	uint32_t count = 0;

	for (member = workq->members; member; member = member->queued.next)
		count++;
	return count;
}

doca_error_t softfield_workq_create(uint32_t depth, struct doca_workq **workq)
{
	const uint32_t most = (uint32_t)priv_topo_limits()->dma_max_num_tasks;
	const uint32_t least = most < LEAST_DEPTH ? most : LEAST_DEPTH;
	const uint32_t asked_depth = depth;
	struct doca_workq *new_workq;
	size_t places = 1;

	if (!depth || !workq)
		return DOCA_ERROR_INVALID_VALUE;
	priv_log_backend_add_default();
	if (depth < least)
		depth = least;
	while (places < depth)
		places *= 2;
	new_workq = calloc(1, sizeof(*new_workq) + places * sizeof(struct doca_event));
	if (!new_workq)
		return DOCA_ERROR_NO_MEMORY;
	if (doca_pe_create(&new_workq->pe)) {
		free(new_workq);
		return DOCA_ERROR_NO_MEMORY;
	}
	new_workq->depth = depth;
	new_workq->mask = (uint32_t)(places - 1);
	new_workq->asked_depth = asked_depth;
	*workq = new_workq;
	return DOCA_SUCCESS;
}

doca_error_t softfield_workq_destroy(struct doca_workq *workq)
{
	if (!workq)
		return DOCA_ERROR_INVALID_VALUE;
	if (workq->members) {
		LOG_ERR("work queue cannot be destroyed: %u contexts are in it",
			count_members(workq));
		return DOCA_ERROR_IN_USE;
	}
	doca_pe_destroy(workq->pe);
	free(workq);
	return DOCA_SUCCESS;
}

doca_error_t softfield_workq_get_depth(const struct doca_workq *workq, uint32_t *depth)
{
	if (!workq || !depth)
		return DOCA_ERROR_INVALID_VALUE;
	*depth = workq->asked_depth;
	return DOCA_SUCCESS;
}

doca_error_t softfield_workq_set_event_driven_enable(struct doca_workq *workq, uint8_t enabled)
{
	if (!workq)
		return DOCA_ERROR_INVALID_VALUE;
	workq->is_event_driven = enabled;
	return DOCA_SUCCESS;
}

doca_error_t softfield_workq_get_event_driven_enable(struct doca_workq *workq, uint8_t *enabled)
{
	if (!workq || !enabled)
		return DOCA_ERROR_INVALID_VALUE;
	*enabled = workq->is_event_driven;
	return DOCA_SUCCESS;
}

/*
 * Contexts
 */

static doca_error_t start_if_wanted(struct doca_ctx *ctx)
{
	if (!ctx->queued.workq || !ctx->queued.is_wanted || ctx->state != DOCA_CTX_STATE_IDLE)
		return DOCA_SUCCESS;
	return ctx_start(ctx);
}

doca_error_t workq_start_ctx(struct doca_ctx *ctx)
{
	doca_error_t err;

	if (ctx->pe && !ctx->queued.workq)
		return ctx_start(ctx);
	if (ctx->queued.is_wanted) {
		LOG_ERR("%s cannot start: it has been started", ctx->ops->name);
		return DOCA_ERROR_BAD_STATE;
	}
	if (!ctx->dev && ctx->ops->jobs->create_twin) {
		LOG_ERR("%s cannot start without a device", ctx->ops->name);
		return DOCA_ERROR_BAD_STATE;
	}
	for (struct doca_ctx *member = ctx; member; member = member->queued.twin) {
		member->queued.is_wanted = true;
		err = start_if_wanted(member);
		if (err) {
			workq_stop_ctx(ctx);
			return err;
		}
	}
	return DOCA_SUCCESS;
}

doca_error_t workq_stop_ctx(struct doca_ctx *ctx)
{
	doca_error_t err = DOCA_SUCCESS, err_of_one;

	for (struct doca_ctx *member = ctx; member; member = member->queued.twin) {
		member->queued.is_wanted = false;
		err_of_one = ctx_stop(member);
		if (err_of_one)
			err = err_of_one;
	}
	return err;
}

/* Undoes doca_pe_connect_ctx(), which nothing else has to. */
static void leave_queue(struct doca_ctx *ctx)
{
	struct doca_ctx **link = &ctx->queued.workq->members;

	pe_forget(ctx);
	while (*link != ctx)
		link = &(*link)->queued.next;
	*link = ctx->queued.next;
	ctx->queued.workq = NULL;
}

/* The one of a context and its twins that is in the queue; NULL: none. */
static struct doca_ctx *find_in(const struct doca_ctx *ctx, const struct doca_workq *workq)
{
	struct doca_ctx *member = workq->members;

	while (member && member->queued.original != ctx)
		member = member->queued.next;
	return member;
}

static doca_error_t enter_queue(struct doca_ctx *ctx, struct doca_ctx *original,
				struct doca_workq *workq)
{
	doca_error_t err = ctx->ops->jobs->enable(ctx, workq->depth);

	if (!err)
		err = doca_pe_connect_ctx(workq->pe, ctx);
	if (err)
		return err;
	ctx->queued.does_jobs = true;
	ctx->queued.workq = workq;
	ctx->queued.original = original;
	ctx->queued.next = workq->members;
	workq->members = ctx;
	return DOCA_SUCCESS;
}

/* one that nobody knows any more */
static void destroy_twin(struct doca_ctx *twin)
{
	twin->queued.twin = NULL;
	twin->queued.is_wanted = false;
	twin->ops->jobs->destroy_twin(twin);
}

static doca_error_t add_twin(struct doca_ctx *ctx, struct doca_workq *workq)
{
	struct doca_ctx *twin;
	doca_error_t err;

	if (!ctx->ops->jobs->create_twin)
		return DOCA_ERROR_NOT_SUPPORTED;
	if (!ctx->dev) {
		LOG_ERR("%s cannot be in a second work queue without a device", ctx->ops->name);
		return DOCA_ERROR_BAD_STATE;
	}
	err = ctx->ops->jobs->create_twin(ctx->dev, &twin);
	if (err)
		return err;
	err = enter_queue(twin, ctx, workq);
	if (err) {
		destroy_twin(twin);
		return err;
	}
	twin->queued.is_wanted = ctx->queued.is_wanted;
	twin->queued.twin = ctx->queued.twin;
	ctx->queued.twin = twin;
	return DOCA_SUCCESS;
}

static doca_error_t add_member(struct doca_ctx *ctx, struct doca_workq *workq)
{
	doca_error_t err;

	pthread_mutex_lock(&membership);
	if ((ctx->pe && !ctx->queued.workq) || find_in(ctx, workq))
		err = DOCA_ERROR_IN_USE;
	else
		err = ctx->queued.workq ? add_twin(ctx, workq) : enter_queue(ctx, ctx, workq);
	pthread_mutex_unlock(&membership);
	return err;
}

static void remove_member(struct doca_ctx *member)
{
	struct doca_ctx *ctx = member->queued.original;

	pthread_mutex_lock(&membership);
	leave_queue(member);
	if (member != ctx) {
		while (ctx->queued.twin != member)
			ctx = ctx->queued.twin;
		ctx->queued.twin = member->queued.twin;
		destroy_twin(member);
	}
	pthread_mutex_unlock(&membership);
}

doca_error_t softfield_ctx_workq_add(struct doca_ctx *ctx, struct doca_workq *workq)
{
	struct doca_ctx *member;
	doca_error_t err;

	if (!ctx || !workq)
		return DOCA_ERROR_INVALID_VALUE;
	if (!ctx->ops->jobs)
		return DOCA_ERROR_NOT_SUPPORTED;
	err = add_member(ctx, workq);
	if (err)
		return err;
	member = find_in(ctx, workq);
	err = start_if_wanted(member);
	if (err)
		remove_member(member);
	return err;
}

doca_error_t softfield_ctx_workq_rm(struct doca_ctx *ctx, struct doca_workq *workq)
{
	struct doca_ctx *member;

	if (!ctx || !workq)
		return DOCA_ERROR_INVALID_VALUE;
	member = find_in(ctx, workq);
	if (!member)
		return DOCA_ERROR_NOT_FOUND;
	if (ctx_num_inflight(member)) {
		LOG_ERR("%s cannot leave its work queue: it has %zu jobs to do", ctx->ops->name,
			ctx_num_inflight(member));
		return DOCA_ERROR_IN_USE;
	}
	ctx_stop(member);
	while (member->state != DOCA_CTX_STATE_IDLE)
		doca_pe_progress(workq->pe);
	remove_member(member);
	return DOCA_SUCCESS;
}

doca_error_t softfield_ctx_dev_add(struct doca_ctx *ctx, struct doca_dev *dev)
{
	if (!ctx || !dev)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->ops->jobs && !ctx->ops->jobs->create_twin)
		return DOCA_ERROR_NOT_SUPPORTED;
	if (ctx->dev)
		return DOCA_ERROR_IN_USE;
	priv_dev_use(dev);
	ctx->dev = dev;
	return DOCA_SUCCESS;
}

doca_error_t softfield_ctx_dev_rm(struct doca_ctx *ctx, struct doca_dev *dev)
{
	if (!ctx || !dev)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->dev != dev)
		return DOCA_ERROR_NOT_FOUND;
	if (ctx->queued.is_wanted || ctx->state != DOCA_CTX_STATE_IDLE) {
		LOG_ERR("%s keeps its device: it is started", ctx->ops->name);
		return DOCA_ERROR_BAD_STATE;
	}
	ctx->dev = NULL;
	priv_dev_release(dev);
	return DOCA_SUCCESS;
}

doca_error_t softfield_ctx_start_2_2(struct doca_ctx *ctx)
{
	if (ctx && ctx->ops->jobs && !ctx->pe)
		ctx->queued.does_jobs = true;
	return doca_ctx_start(ctx);
}

doca_error_t softfield_ctx_get_event_driven_supported(const struct doca_ctx *ctx,
						      uint8_t *supported)
{
	if (!ctx || !supported)
		return DOCA_ERROR_INVALID_VALUE;
	*supported = 1;
	return DOCA_SUCCESS;
}

doca_error_t softfield_ctx_get_max_num_ctx(uint32_t *max_num_ctx)
{
	if (!max_num_ctx)
		return DOCA_ERROR_INVALID_VALUE;
	*max_num_ctx = 65536;
	return DOCA_SUCCESS;
}

/*
 * Jobs
 */

/* A job that fails stops its context today; in those releases the next one was done. */
static doca_error_t revive(struct doca_ctx *ctx)
{
	/* Its tasks end in there, and it is idle. */
	while (ctx->state == DOCA_CTX_STATE_STOPPING && ctx->queued.is_wanted)
		doca_pe_progress(ctx->queued.workq->pe);
	return start_if_wanted(ctx);
}

doca_error_t softfield_workq_submit(struct doca_workq *workq, const struct doca_job *job)
{
	struct doca_ctx *ctx;
	doca_error_t err;

	if (!workq || !job || !job->ctx)
		return DOCA_ERROR_INVALID_VALUE;
	ctx = find_in(job->ctx, workq);
	if (!ctx)
		return DOCA_ERROR_NOT_FOUND;
	if (workq->used == workq->depth)
		return DOCA_ERROR_NO_MEMORY;
	err = revive(ctx);
	if (err)
		return err;
	err = ctx->ops->jobs->submit(ctx, job);
	if (!err)
		workq->used++;
	return err;
}

void priv_workq_job_done(struct doca_task *task, int type)
{
	struct doca_workq *workq = task->pool->ctx->queued.workq;
	struct doca_event *event = &workq->events[workq->tail++ & workq->mask];

	*event = (struct doca_event){
		.type = type,
		.user_data = task->user_data,
		.result.u64 = (uint64_t)task->status,
	};
	doca_task_free(task);
}

doca_error_t softfield_workq_progress_retrieve(struct doca_workq *workq, struct doca_event *event,
					       int flags)
{
	if (!workq || !event || flags != DOCA_WORKQ_RETRIEVE_FLAGS_NONE)
		return DOCA_ERROR_INVALID_VALUE;
	if (workq->head == workq->tail)
		doca_pe_progress(workq->pe);
	if (workq->head == workq->tail)
		return DOCA_ERROR_AGAIN;
	*event = workq->events[workq->head++ & workq->mask];
	workq->used--;
	return event->result.u64 ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS;
}

/*
 * Waiting
 */

doca_error_t softfield_workq_get_event_handle(const struct doca_workq *workq,
					      doca_event_handle_t *handle)
{
	if (!workq || !handle)
		return DOCA_ERROR_INVALID_VALUE;
	return doca_pe_get_notification_handle(workq->pe, handle);
}

doca_error_t softfield_workq_event_handle_arm(struct doca_workq *workq)
{
	if (!workq)
		return DOCA_ERROR_INVALID_VALUE;
	if (workq->head == workq->tail)
		return doca_pe_request_notification(workq->pe);
	priv_poll_group_hold(&workq->pe->group);
	return DOCA_SUCCESS;
}

doca_error_t softfield_workq_event_handle_clear(struct doca_workq *workq)
{
	return workq ? doca_pe_clear_notification(workq->pe, 0) : DOCA_ERROR_INVALID_VALUE;
}
