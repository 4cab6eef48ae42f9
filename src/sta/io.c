/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread's part of a target: a context whose progress engine brings commands, finished tasks
 * and errors.
 */
#define LOG_MODULE "sta"
#include "sta/sta.h"

#include <stdlib.h>
#include "base/count.h"
#include "base/log.h"

static struct doca_sta_io *io_of(struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_sta_io, ctx);
}

static doca_error_t check(struct doca_ctx *ctx)
{
	const struct doca_sta_io *io = io_of(ctx);
	const char *missing = NULL;

	if (!io->disconnect_pool.count)
		missing = "doca_sta_io_task_disconnect_set_conf";
	else if (!io->non_offload_cb)
		missing = "doca_sta_io_non_offload_register_cb";
	else if (!io->respond_pool.count)
		missing = "doca_sta_io_task_non_offload_set_rdma_write_send_conf";
	else if (!io->read_pool.count)
		missing = "doca_sta_io_task_non_offload_set_rdma_read_conf";
	if (missing) {
		LOG_ERR("doca_sta_io cannot start before %s()", missing);
		return DOCA_ERROR_BAD_CONFIG;
	}
	return DOCA_SUCCESS;
}

/* The control thread does not stop the engine from now on. false: it has, or has not started it. */
static bool begin_use(struct doca_sta_io *io)
{
	bool is_there;

	pthread_mutex_lock(&io->sta->io_lock);
	is_there = io->uses_engine = io->sta->takes_ios;
	pthread_mutex_unlock(&io->sta->io_lock);
	return is_there;
}

static void end_use(struct doca_sta_io *io)
{
	pthread_mutex_lock(&io->sta->io_lock);
	io->uses_engine = false;
	pthread_mutex_unlock(&io->sta->io_lock);
}

static doca_error_t start_parts(struct doca_sta_io *io)
{
	struct task_pool *pools[] = {&io->disconnect_pool, &io->read_pool, &io->respond_pool};
	doca_error_t err;
	size_t i;

	for (i = 0; i < COUNT(pools); i++) {
		err = priv_task_pool_start(pools[i]);
		if (err)
			return err;
	}
	return mbox_init(&io->inbox, &io->ctx.pe->group);
}

static doca_error_t start(struct doca_ctx *ctx)
{
	struct doca_sta_io *io = io_of(ctx);
	doca_error_t err;

	if (!begin_use(io))
		return DOCA_ERROR_BAD_STATE;
	err = start_parts(io);
	if (err)
		end_use(io);
	return err;
}

/*
 * Stopping: queue pairs that still carry something are disconnected; the context is idle when that
 * has happened and every task has been freed. Their handles stay until they are destroyed.
 */

static bool is_disconnecting(const struct doca_sta_io *io)
{
	struct list_node *node;

	list_for_each (node, &io->qps)
		if (container_of(node, struct doca_sta_qp_handle, node)->state ==
		    HANDLE_DISCONNECTING)
			return true;
	return false;
}

static void check_stopped(struct doca_sta_io *io)
{
	if (io->ctx.state == DOCA_CTX_STATE_STOPPING && !is_disconnecting(io))
		priv_ctx_stopped(&io->ctx);
}

static void stopped(struct sta_op *op)
{
	struct doca_sta_qp_handle *qp = container_of(op, struct doca_sta_qp_handle, stop);

	sta_qp_handle_disconnected(qp);
	check_stopped(qp->io);
}

static doca_error_t stop(struct doca_ctx *ctx)
{
	struct doca_sta_io *io = io_of(ctx);
	struct list_node *node;

	list_for_each (node, &io->qps) {
		struct doca_sta_qp_handle *qp = container_of(node, struct doca_sta_qp_handle, node);

		if (qp->state != HANDLE_STARTED)
			continue;
		qp->state = HANDLE_DISCONNECTING;
		qp->stop = (struct sta_op){.reply = &io->inbox, .done = stopped};
		sta_qp_disconnect(qp->qp, &qp->stop);
	}
	return is_disconnecting(io) ? DOCA_ERROR_IN_PROGRESS : DOCA_SUCCESS;
}

static void idle(struct doca_ctx *ctx)
{
	struct doca_sta_io *io = io_of(ctx);

	/* An EU looks at the mailbox for a moment after the message has been taken out of it. */
	sta_engine_settle(io->sta->engine);
	mbox_fini(&io->inbox);
	end_use(io); /* the control thread may stop the engine now */
}

static void disown(struct doca_ctx *ctx)
{
	struct doca_sta_io *io = io_of(ctx);
	struct list_node *node;

	list_for_each (node, &io->qps)
		sta_qp_handle_disconnected(container_of(node, struct doca_sta_qp_handle, node));
	io->uses_engine = false;
}

static const struct ctx_ops io_ctx_ops = {
	.name = "doca_sta_io",
	.pe_may_go_first = true,
	.check = check,
	.start = start,
	.stop = stop,
	.idle = idle,
	.disown = disown,
};

/* takes a place among those of the target */
static doca_error_t enlist(struct doca_sta *sta, struct doca_sta_io *io)
{
	doca_error_t err = DOCA_SUCCESS;

	pthread_mutex_lock(&sta->io_lock);
	if (sta->io_count >= sta->max_io) {
		err = DOCA_ERROR_FULL;
	} else {
		list_add_tail(&sta->ios, &io->node);
		sta->io_count++;
	}
	pthread_mutex_unlock(&sta->io_lock);
	return err;
}

doca_error_t doca_sta_io_create(struct doca_sta *sta, struct doca_sta_io **sta_io)
{
	struct doca_sta_io *io;
	doca_error_t err;

	if (!sta || !sta_io)
		return DOCA_ERROR_INVALID_VALUE;
	if (!sta_is_running(sta))
		return DOCA_ERROR_BAD_STATE;
	io = calloc(1, sizeof(*io));
	if (!io)
		return DOCA_ERROR_NO_MEMORY;
	io->sta = sta;
	list_init(&io->qps);
	err = enlist(sta, io); /* from now on the control thread looks at it */
	if (err) {
		free(io);
		return err;
	}
	priv_ctx_init(&io->ctx, &io_ctx_ops, sta->ctx.dev);
	*sta_io = io;
	return DOCA_SUCCESS;
}

static void release_io(struct pe_garbage *garbage)
{
	free(container_of(garbage, struct doca_sta_io, garbage));
}

doca_error_t doca_sta_io_destroy(struct doca_sta_io *sta_io)
{
	struct doca_pe *pe;
	doca_error_t err;

	if (!sta_io)
		return DOCA_ERROR_INVALID_VALUE;
	err = priv_ctx_check_destroy(&sta_io->ctx);
	if (err)
		return err;
	if (!list_is_empty(&sta_io->qps)) {
		LOG_ERR("doca_sta_io cannot be destroyed: it has queue pairs, destroy them first");
		return DOCA_ERROR_IN_USE;
	}
	pthread_mutex_lock(&sta_io->sta->io_lock);
	list_remove(&sta_io->node);
	sta_io->sta->io_count--;
	pthread_mutex_unlock(&sta_io->sta->io_lock);
	pe = sta_io->ctx.pe;
	priv_ctx_fini(&sta_io->ctx);
	priv_task_pool_fini(&sta_io->disconnect_pool);
	priv_task_pool_fini(&sta_io->read_pool);
	priv_task_pool_fini(&sta_io->respond_pool);
	priv_pe_discard(pe, &sta_io->garbage, release_io);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_sta_io_as_ctx(struct doca_sta_io *sta_io)
{
	return sta_io ? &sta_io->ctx : NULL;
}

struct doca_ctx *doca_sta_io_as_doca_ctx(struct doca_sta_io *sta_io)
{
	return doca_sta_io_as_ctx(sta_io);
}

doca_error_t doca_sta_io_event_transport_err_register_cb(struct doca_sta_io *sta_io,
							 doca_sta_event_transport_err_cb_t event_cb,
							 union doca_data user_data)
{
	if (!sta_io || !event_cb)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx_check_idle(&sta_io->ctx))
		return DOCA_ERROR_BAD_STATE;
	sta_io->transport_err_cb = event_cb;
	sta_io->transport_err_data = user_data;
	return DOCA_SUCCESS;
}

/*
 * Disconnecting
 */

static void disconnected(struct sta_op *op)
{
	struct doca_sta_producer_task_send *task =
		container_of(op, struct doca_sta_producer_task_send, op);

	struct doca_sta_io *io = task->qp->io;

	sta_qp_handle_disconnected(task->qp);
	task_report(&task->base, DOCA_SUCCESS);
	check_stopped(io);
}

static doca_error_t submit_disconnect(struct doca_task *base, uint32_t flags)
{
	struct doca_sta_producer_task_send *task = sta_task_of(base);
	struct doca_sta_qp_handle *qp = task->qp;

	(void)flags;
	if (!qp || qp->state != HANDLE_STARTED)
		return DOCA_ERROR_BAD_STATE;
	task_accept(base);
	qp->state = HANDLE_DISCONNECTING;
	task->op.reply = &qp->io->inbox;
	task->op.done = disconnected;
	sta_qp_disconnect(qp->qp, &task->op);
	return DOCA_SUCCESS;
}

static const struct task_type disconnect_type = {.name = "disconnect", .submit = submit_disconnect};

doca_error_t doca_sta_io_task_disconnect_set_conf(struct doca_sta_io *sta_io,
						  doca_sta_task_completion_cb_t task_completion_cb,
						  doca_sta_task_completion_cb_t task_error_cb)
{
	if (!sta_io)
		return DOCA_ERROR_INVALID_VALUE;
	return sta_task_set_conf(&sta_io->disconnect_pool, &sta_io->ctx, &disconnect_type,
				 (struct sta_task_conf){task_completion_cb, task_error_cb},
				 (uint32_t)priv_topo_limits()->sta_max_qps,
				 &sta_io->disconnect_conf);
}

doca_error_t doca_sta_io_task_disconnect_alloc_init(struct doca_sta_io *sta_io,
						    union doca_data user_data,
						    struct doca_sta_qp_handle *qp_handle,
						    struct doca_sta_producer_task_send **task)
{
	doca_error_t err;

	if (!sta_io || !qp_handle || !task || qp_handle->io != sta_io)
		return DOCA_ERROR_INVALID_VALUE;
	err = sta_task_alloc(&sta_io->disconnect_pool, &sta_io->disconnect_conf, user_data,
			     &qp_handle->tasks, task);
	if (err)
		return err;
	(*task)->qp = qp_handle;
	return DOCA_SUCCESS;
}
