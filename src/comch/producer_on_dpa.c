/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Producers on a DPA: ordinary ones (producer.c) whose send tasks are internal. Most messages take
 * none: see producer_dev.c.
 *
 * With the engine's lock held, all of it but checking, attaching and detaching.
 */
#include <stdlib.h>
#include "comch/on_dpa.h"
#include "comch/producer.h"

/* A task that has waited is done, or given up. */
static void done(struct doca_comch_producer_task_send *task, union doca_data task_data,
		 union doca_data ctx_data)
{
	struct doca_comch_producer *producer = producer_of(task->base.pool->ctx);
	doca_error_t status = task->base.status;

	(void)ctx_data;
	on_dpa_keep_task(&producer->on_dpa.common, &producer->ctx, &task->base);
	producer_report(producer, task_data.u64, status);
}

bool producer_submit_on_dpa(struct doca_comch_producer *producer,
			    const struct producer_message *message)
{
	struct doca_task *base = on_dpa_next_task(&producer->on_dpa.common);
	struct doca_comch_producer_task_send *task = (struct doca_comch_producer_task_send *)base;

	if (!base)
		return false;
	task->buf = NULL;
	send_set_target(task, message->consumer_id, (uint8_t)message->imm_size);
	memcpy(task->imm, message->imm, message->imm_size);
	base->user_data.u64 = message->is_reported;
	if (priv_task_submit(base)) { /* the consumer has just gone */
		on_dpa_return_task(&producer->on_dpa.common, base);
		producer_report(producer, message->is_reported, DOCA_ERROR_NOT_FOUND);
	}
	return true;
}

/*
 * As a context
 */

static doca_error_t set_datapath(struct doca_ctx *ctx, struct doca_dpa *dpa)
{
	return on_dpa_choose(&producer_of(ctx)->on_dpa.common, ctx->dev, dpa);
}

static doca_error_t check(struct doca_ctx *ctx)
{
	const struct doca_comch_producer *producer = producer_of(ctx);

	return on_dpa_check(&producer->on_dpa.common, "producer", producer->user.id);
}

/* No thread is told of anything by it: what waits goes out whether one runs or not. */
static doca_error_t attach_engine(struct doca_ctx *ctx, struct dpa_engine **ret_engine)
{
	struct producer_on_dpa *on_dpa = &producer_of(ctx)->on_dpa;
	doca_error_t err = priv_dpa->get_engine(on_dpa->common.dpa, ret_engine);

	if (!err && on_dpa->completion_handle)
		err = priv_dpa->completion_attach(on_dpa->completion_handle, &on_dpa->completion);
	return err;
}

static void detach_engine(struct doca_ctx *ctx)
{
	struct producer_on_dpa *on_dpa = &producer_of(ctx)->on_dpa;

	if (on_dpa->completion)
		priv_dpa->completion_detach(on_dpa->completion);
	on_dpa->completion = NULL;
}

static doca_error_t start(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = producer_of(ctx);
	doca_error_t err = producer_configure_sends(producer, done, done,
						    producer->on_dpa.common.depth, UINT32_MAX);

	if (!err)
		err = producer_start(ctx);
	if (err)
		return err;
	producer->on_dpa.imm_max = priv_topo_limits()->consumer_max_imm_data_len;
	on_dpa_start(&producer->on_dpa.common, &producer->pool, ctx->engine);
	return DOCA_SUCCESS;
}

static void idle(struct doca_ctx *ctx)
{
	on_dpa_stop(&producer_of(ctx)->on_dpa.common);
	producer_idle(ctx);
}

static const struct ctx_ops producer_on_dpa_ops = {
	.name = "comch producer on a DPA",
	.check = check,
	.start = start,
	.stop = producer_stop,
	.idle = idle,
	.disown = producer_disown,
	.set_datapath_on_dpa = set_datapath,
	.attach_engine = attach_engine,
	.detach_engine = detach_engine,
};

doca_error_t producer_put_on_dpa(struct doca_comch_producer *producer, struct doca_dpa *dpa)
{
	doca_error_t err = on_dpa_init(&producer->on_dpa.common, DPA_PRODUCER, producer, dpa);

	if (!err)
		producer->ctx.ops = &producer_on_dpa_ops;
	return err;
}
