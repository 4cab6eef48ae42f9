/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts: states, transitions and who is told. The state changes in set_state() and nowhere else
 * (but in a child of fork(): ctx_disown()).
 */
#define LOG_MODULE "core"
#include "core/ctx.h"

#include <assert.h>
#include <string.h>
#include "base/log.h"
#include "base/no_cancel.h"
#include "core/dev.h"
#include "core/pe.h"
#include "core/task.h"
#include "core/workq.h"

#define TO(state) (1u << (state))
static const unsigned int ctx_next[] = {
	[DOCA_CTX_STATE_IDLE] = TO(DOCA_CTX_STATE_STARTING) | TO(DOCA_CTX_STATE_RUNNING),
	[DOCA_CTX_STATE_STARTING] =
		TO(DOCA_CTX_STATE_RUNNING) | TO(DOCA_CTX_STATE_STOPPING) | TO(DOCA_CTX_STATE_IDLE),
	[DOCA_CTX_STATE_RUNNING] = TO(DOCA_CTX_STATE_STOPPING) | TO(DOCA_CTX_STATE_IDLE),
	[DOCA_CTX_STATE_STOPPING] = TO(DOCA_CTX_STATE_IDLE),
};

static const char *const state_names[] = {
	[DOCA_CTX_STATE_IDLE] = "IDLE",
	[DOCA_CTX_STATE_STARTING] = "STARTING",
	[DOCA_CTX_STATE_RUNNING] = "RUNNING",
	[DOCA_CTX_STATE_STOPPING] = "STOPPING",
};

/* The callback may do anything, also restart or destroy: nothing is touched after it. */
static void set_state(struct doca_ctx *ctx, enum doca_ctx_states next)
{
	enum doca_ctx_states prev = ctx->state;

	assert(ctx_next[prev] & TO(next));
	LOG_DBG("%s %p: %s to %s", ctx->ops->name, (void *)ctx, state_names[prev],
		state_names[next]);
	ctx->state = next;
	if (ctx->pe)
		ctx->pe->has_told = true;
	task_pools_follow(ctx);
	ctx->library_stopped = false;
	if (next == DOCA_CTX_STATE_IDLE) {
		list_remove(&ctx->todo_node);
		if (ctx->ops->idle)
			ctx->ops->idle(ctx);
	}
	if (ctx->state_changed_cb && !ctx->is_on_dpa) /* ctx_dpa.c tells, without the lock */
		ctx->state_changed_cb(ctx->user_data, ctx, prev, next);
}

void ctx_disown(struct doca_ctx *ctx)
{
	if (ctx->ops->disown && ctx->state != DOCA_CTX_STATE_IDLE)
		ctx->ops->disown(ctx);
	ctx->state = DOCA_CTX_STATE_IDLE;
	task_pools_follow(ctx);
	list_remove(&ctx->todo_node); /* also from a batch that is being worked on */
}

void priv_ctx_init(struct doca_ctx *ctx, const struct ctx_ops *ops, struct doca_dev *dev)
{
	memset(ctx, 0, sizeof(*ctx));
	ctx->ops = ops;
	ctx->dev = dev;
	ctx->state = DOCA_CTX_STATE_IDLE;
	list_init(&ctx->pe_node);
	list_init(&ctx->todo_node);
	if (dev)
		priv_dev_use(dev);
}

static enum doca_ctx_states ctx_state(const struct doca_ctx *ctx)
{
	return doca_unlikely(ctx->is_on_dpa) ? ctx_state_on_dpa(ctx) : ctx->state;
}

doca_error_t priv_ctx_check_destroy(const struct doca_ctx *ctx)
{
	if (ctx->queued.workq || ctx->queued.twin) {
		LOG_ERR("%s cannot be destroyed: it is in a work queue", ctx->ops->name);
		return DOCA_ERROR_IN_USE;
	}
	if (ctx_state(ctx) == DOCA_CTX_STATE_IDLE && !ctx->queued.is_wanted)
		return DOCA_SUCCESS;
	if (ctx_state(ctx) == DOCA_CTX_STATE_STOPPING)
		LOG_ERR("%s cannot be destroyed: its context is stopping, and idle when "
			"doca_pe_progress() has been called often enough and each task is freed: "
			"%zu are not",
			ctx->ops->name, ctx->num_held);
	else
		LOG_ERR("%s cannot be destroyed: its context is not idle, stop it first",
			ctx->ops->name);
	return DOCA_ERROR_IN_USE;
}

doca_error_t priv_ctx_refuse_state(const struct doca_ctx *ctx)
{
	LOG_ERR("%s %p: its context is %s, and has to be IDLE to be configured, connected or "
		"started",
		ctx->ops->name, (const void *)ctx, state_names[ctx->state]);
	return DOCA_ERROR_BAD_STATE;
}

void priv_ctx_fini(struct doca_ctx *ctx)
{
	assert(ctx->state == DOCA_CTX_STATE_IDLE);
	if (ctx->is_on_dpa)
		ctx_fini_on_dpa(ctx);
	pe_forget(ctx);
	list_remove(&ctx->todo_node);
	if (ctx->dev)
		priv_dev_release(ctx->dev);
	ctx->dev = NULL;
}

/*
 * Start
 */

/* What the system has refused is one thing to programs; the log says which. */
doca_error_t ctx_start_error(doca_error_t err)
{
	switch (err) {
	case DOCA_ERROR_FULL:
	case DOCA_ERROR_NOT_FOUND:
	case DOCA_ERROR_NOT_PERMITTED:
	case DOCA_ERROR_OPERATING_SYSTEM:
		return DOCA_ERROR_INITIALIZATION;
	default:
		return err;
	}
}

doca_error_t ctx_start_now(struct doca_ctx *ctx)
{
	doca_error_t err = ctx->ops->start(ctx);

	if (err == DOCA_SUCCESS)
		set_state(ctx, DOCA_CTX_STATE_RUNNING);
	else if (err == DOCA_ERROR_IN_PROGRESS)
		set_state(ctx, DOCA_CTX_STATE_STARTING);
	return ctx_start_error(err);
}

doca_error_t ctx_start(struct doca_ctx *ctx)
{
	doca_error_t err;

	if (ctx_check_idle(ctx))
		return DOCA_ERROR_BAD_STATE;
	/* Without an engine because nobody has said which DPA's it is? That comes first. */
	if (!ctx->pe && ctx->ops->set_datapath_on_dpa) {
		err = ctx_check(ctx);
		if (err)
			return err;
	}
	if (!ctx->pe) {
		LOG_ERR("%s: cannot start without a progress engine", ctx->ops->name);
		return DOCA_ERROR_NOT_CONNECTED;
	}
	if (ctx->pe->is_inherited) {
		LOG_ERR("%s: its progress engine belongs to the process that has forked this one",
			ctx->ops->name);
		return DOCA_ERROR_NOT_CONNECTED;
	}
	pe_check_thread(ctx->pe);
	err = ctx_check(ctx);
	return err ? err : ctx_start_now(ctx);
}

doca_error_t doca_ctx_start(struct doca_ctx *ctx)
{
	NO_CANCEL();

	if (!ctx)
		return DOCA_ERROR_INVALID_VALUE;
	if (doca_unlikely(ctx->is_on_dpa))
		return ctx_start_on_dpa(ctx);
	return doca_unlikely(ctx->queued.does_jobs) ? workq_start_ctx(ctx) : ctx_start(ctx);
}

void priv_ctx_started(struct doca_ctx *ctx, doca_error_t result)
{
	if (ctx->state != DOCA_CTX_STATE_STARTING)
		return;
	set_state(ctx, result ? DOCA_CTX_STATE_IDLE : DOCA_CTX_STATE_RUNNING);
}

/*
 * Stop
 */

doca_error_t ctx_stop_now(struct doca_ctx *ctx)
{
	doca_error_t err = ctx->ops->stop(ctx);

	if (err && err != DOCA_ERROR_IN_PROGRESS)
		return err;
	if (!err && !ctx->num_held) {
		set_state(ctx, DOCA_CTX_STATE_IDLE);
		return DOCA_SUCCESS;
	}
	set_state(ctx, DOCA_CTX_STATE_STOPPING);
	if (!err)
		priv_ctx_stopped(ctx); /* looks again: the callback may have freed the last task */
	return DOCA_ERROR_IN_PROGRESS;
}

doca_error_t ctx_stop(struct doca_ctx *ctx)
{
	if (ctx->state == DOCA_CTX_STATE_IDLE)
		return DOCA_SUCCESS;
	if (ctx->pe)
		pe_check_thread(ctx->pe);
	if (ctx->state == DOCA_CTX_STATE_STOPPING)
		return DOCA_ERROR_IN_PROGRESS;
	return ctx_stop_now(ctx);
}

doca_error_t doca_ctx_stop(struct doca_ctx *ctx)
{
	NO_CANCEL();

	if (!ctx)
		return DOCA_ERROR_INVALID_VALUE;
	if (doca_unlikely(ctx->is_on_dpa))
		return ctx_stop_on_dpa(ctx);
	return doca_unlikely(ctx->queued.does_jobs) ? workq_stop_ctx(ctx) : ctx_stop(ctx);
}

void priv_ctx_fail(struct doca_ctx *ctx)
{
	if (ctx->state == DOCA_CTX_STATE_RUNNING || ctx->state == DOCA_CTX_STATE_STARTING)
		set_state(ctx, DOCA_CTX_STATE_STOPPING);
}

void priv_ctx_todo(struct doca_ctx *ctx)
{
	struct doca_pe *pe = ctx->pe;

	if (!pe || list_is_linked(&ctx->todo_node))
		return;
	list_add_tail(&pe->todo, &ctx->todo_node);
	poll_group_end_sleep(&pe->group);
}

void priv_ctx_stopped(struct doca_ctx *ctx)
{
	/* A callback may have forked: in the child it is idle. */
	if (ctx->state != DOCA_CTX_STATE_STOPPING)
		return;
	ctx->library_stopped = true;
	priv_ctx_todo(ctx);
}

/* A callback was left by an exception: the rest is for the next call. */
static void put_back(struct list_node *batch)
{
	struct list_node *node;

	while ((node = list_pop(batch)))
		priv_ctx_todo(container_of(node, struct doca_ctx, todo_node));
}

unsigned int ctx_advance_all(struct doca_pe *pe)
{
	__attribute__((cleanup(put_back))) struct list_node batch;
	struct list_node *node;
	unsigned int changed = 0;
	NO_CANCEL();

	list_init(&batch);
	while ((node = list_pop(&pe->todo)))
		list_add_tail(&batch, node);
	while ((node = list_pop(&batch))) {
		struct doca_ctx *ctx = container_of(node, struct doca_ctx, todo_node);

		if (ctx->state != DOCA_CTX_STATE_STOPPING || !ctx->library_stopped || ctx->num_held)
			continue; /* priv_task_release() asks again */
		set_state(ctx, DOCA_CTX_STATE_IDLE);
		changed++;
	}
	return changed;
}

/*
 * Attributes
 */

doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx, size_t *num_inflight_tasks)
{
	if (!ctx || !num_inflight_tasks)
		return DOCA_ERROR_INVALID_VALUE;
	*num_inflight_tasks = ctx_num_inflight(ctx);
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data)
{
	if (!ctx)
		return DOCA_ERROR_INVALID_VALUE;
	ctx->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data)
{
	if (!ctx || !user_data)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = ctx->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx,
					   doca_ctx_state_changed_callback_t cb)
{
	if (!ctx || !cb)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx_check_idle(ctx))
		return DOCA_ERROR_BAD_STATE;
	ctx->state_changed_cb = cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state)
{
	if (!ctx || !state)
		return DOCA_ERROR_INVALID_VALUE;
	*state = ctx_state(ctx);
	return DOCA_SUCCESS;
}

void doca_ctx_flush_tasks(struct doca_ctx *ctx)
{
	if (!ctx)
		return;
	if (doca_unlikely(ctx->is_on_dpa))
		ctx_flush_on_dpa(ctx);
	else if (ctx->ops->flush && ctx->state == DOCA_CTX_STATE_RUNNING)
		ctx->ops->flush(ctx);
}

/*
 * Other data paths. There is no GPU here.
 */

doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu_dev)
{
	if (!ctx || !gpu_dev)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx_check_idle(ctx))
		return DOCA_ERROR_BAD_STATE;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa_dev)
{
	doca_error_t err;

	if (!ctx || !dpa_dev)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx_check_idle(ctx))
		return DOCA_ERROR_BAD_STATE;
	if (!ctx->ops->set_datapath_on_dpa) {
		LOG_ERR("%s: cannot be used from a DPA", ctx->ops->name);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	err = ctx->ops->set_datapath_on_dpa(ctx, dpa_dev);
	if (err)
		return err;
	if (!ctx->is_on_dpa)
		pe_forget(ctx); /* an engine of the DPA takes its place */
	ctx->is_on_dpa = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx, uint32_t comp_vector)
{
	if (!ctx || comp_vector > 0)
		return DOCA_ERROR_INVALID_VALUE;
	return ctx_check_idle(ctx);
}

doca_error_t doca_ctx_cap_get_num_completion_vectors(const struct doca_devinfo *devinfo,
						     uint32_t *num_comp_vectors)
{
	if (!devinfo || !num_comp_vectors)
		return DOCA_ERROR_INVALID_VALUE;
	*num_comp_vectors = (uint32_t)priv_topo_limits()->ctx_num_completion_vectors;
	return DOCA_SUCCESS;
}
