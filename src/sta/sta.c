/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The target object: devices, start and stop of the engine.
 */
#define LOG_MODULE "sta"
#include "sta/sta.h"

#include <stdlib.h>
#include "base/count.h"
#include "base/log.h"

#define SECOND_NS  1000000000ull
#define SETUP_TIME (10 * SECOND_NS)

static const struct sta_engine_up engine_up;

static doca_error_t start_pools(struct doca_sta *sta)
{
	struct task_pool *pools[] = {&sta->rm_ns_pool, &sta->destroy_q_pool};
	doca_error_t err = DOCA_SUCCESS;

	for (size_t i = 0; i < COUNT(pools) && !err; i++)
		if (pools[i]->count)
			err = priv_task_pool_start(pools[i]);
	return err;
}

static doca_error_t start_engine(struct doca_sta *sta)
{
	const struct topo_limits *limits = priv_topo_limits();
	const struct sta_engine_attr attr = {
		.eus = sta->num_eus,
		.max_io_size = (uint32_t)limits->sta_max_io_size,
		.queue_size = (uint32_t)limits->sta_max_io_queue_size,
		.buffers = (uint32_t)limits->sta_max_io_num_per_dev,
		.max_in_app = (uint32_t)limits->sta_max_io_num_per_dev,
		.max_qps = (uint32_t)limits->sta_max_qps,
		.spin_ns = limits->sta_spin * 1000,
		.setup_timeout_ns = SETUP_TIME,
		.be_timeout_ns = limits->sta_be_timeout * SECOND_NS,
		.allocator = sta->allocator,
		.up = &engine_up,
		.control = &sta->inbox,
	};

	return sta_engine_start(&attr, &sta->engine);
}

static doca_error_t start(struct doca_ctx *ctx)
{
	struct doca_sta *sta = sta_of_ctx(ctx);
	doca_error_t err;

	if (sta->engine) {
		LOG_ERR("the target cannot be started: it was running when this process was "
			"forked, and is the parent's");
		return DOCA_ERROR_BAD_STATE;
	}
	err = start_pools(sta);
	if (err)
		return err;
	err = mbox_init(&sta->inbox, &ctx->pe->group);
	if (err)
		return err;
	err = start_engine(sta);
	if (err)
		goto free_inbox;
	err = sta_eu_handles_init(sta);
	if (err)
		goto stop_engine;
	sta_subsystems_attach(sta);
	pthread_mutex_lock(&sta->io_lock);
	sta->takes_ios = true;
	pthread_mutex_unlock(&sta->io_lock);
	return DOCA_SUCCESS;

stop_engine:
	sta_engine_stop(sta->engine);
	sta->engine = NULL;
free_inbox:
	mbox_fini(&sta->inbox);
	return err;
}

/*
 * No more of them, if there is none that uses the engine: a stopped one may be destroyed after the
 * target has stopped. Returns how many do.
 */
static uint32_t end_ios(struct doca_sta *sta)
{
	struct list_node *node;
	uint32_t count = 0;

	pthread_mutex_lock(&sta->io_lock);
	list_for_each (node, &sta->ios) {
		struct doca_sta_io *io = container_of(node, struct doca_sta_io, node);

		count += io->uses_engine || !list_is_empty(&io->qps);
	}
	sta->takes_ios = count || sta->subsystem_count || sta->backend_count;
	pthread_mutex_unlock(&sta->io_lock);
	return count;
}

static doca_error_t stop(struct doca_ctx *ctx)
{
	struct doca_sta *sta = sta_of_ctx(ctx);
	uint32_t busy = end_ios(sta);

	if (sta->takes_ios) {
		LOG_ERR("the target cannot be stopped: it has %u doca_sta_io that run or have "
			"queue pairs, %u subsystems, %u back ends",
			busy, sta->subsystem_count, sta->backend_count);
		return DOCA_ERROR_IN_USE;
	}
	return DOCA_SUCCESS;
}

static void idle(struct doca_ctx *ctx)
{
	struct doca_sta *sta = sta_of_ctx(ctx);

	sta_engine_stop(sta->engine);
	sta->engine = NULL;
	sta_eu_handles_fini(sta);
	mbox_fini(&sta->inbox);
}

/* The child of fork() has neither the threads nor the disks: what is destroyed there is memory. */
static void disown(struct doca_ctx *ctx)
{
	struct doca_sta *sta = sta_of_ctx(ctx);

	pthread_mutex_init(&sta->io_lock, NULL); /* whoever had it is not here */
	sta->takes_ios = false;
	if (sta->engine)
		sta->engine->is_inherited = true;
}

static const struct ctx_ops sta_ctx_ops = {
	.name = "doca_sta",
	.pe_may_go_first = true,
	.start = start,
	.stop = stop,
	.idle = idle,
	.disown = disown,
};

/*
 * Events of the engine, in the control thread
 */

/* NULL: there is no such subsystem any more */
static const struct doca_sta_subs_handle *find_subs(const struct doca_sta *sta,
						    const struct sta_subsys *subsys)
{
	struct list_node *node;

	list_for_each (node, &sta->subsystems) {
		const struct doca_sta_subs_handle *subs =
			container_of(node, struct doca_sta_subs_handle, node);

		if (&subs->subsys == subsys)
			return subs;
	}
	return NULL;
}

static void notify(struct mbox_msg *msg)
{
	struct sta_notify *slot = container_of(msg, struct sta_notify, msg);
	struct doca_sta *sta = container_of(slot->eu->engine->attr.control, struct doca_sta, inbox);
	const struct sta_notify n = *slot; /* a callback may stop the target, whose the slot is */
	struct doca_sta_event_cqe_notify event = {.notify = &n, .subs = find_subs(sta, n.subsys)};

	/* Release: pairs with the acquire in eu_notify(). */
	atomic_store_explicit(&slot->taken, false, memory_order_release);
	if (sta_qp_handle_exists(sta, n.qp_user, n.qp_id))
		event.qp = n.qp_user;
	if (!sta->cqe_notify_cb)
		return;
	sta->ctx.pe->has_told = true;
	sta->cqe_notify_cb(&event, sta->cqe_notify_data);
}

static void late(struct mbox_msg *msg)
{
	struct sta_beq *beq = container_of(msg, struct sta_beq, late_msg);
	struct doca_sta *sta = container_of(beq->be->engine->attr.control, struct doca_sta, inbox);
	struct doca_sta_event_be_timeout event = {.be_q = beq->user};

	/* Release: pairs with the acquire in report_late(). */
	atomic_store_explicit(&beq->late_queued, false, memory_order_release);
	LOG_WRN("a back end has not answered for %lu s",
		(unsigned long)(beq->be->engine->attr.be_timeout_ns / SECOND_NS));
	if (!sta->be_timeout_cb)
		return;
	sta->ctx.pe->has_told = true;
	sta->be_timeout_cb(&event, sta->be_timeout_data);
}

static const struct sta_engine_up engine_up = {.notify = notify, .late = late};

/*
 * The object
 */

doca_error_t doca_sta_create(struct doca_dev *dev, struct doca_sta **sta)
{
	const struct topo_limits *limits = priv_topo_limits();
	struct doca_sta *new_sta;
	doca_error_t err;

	if (!dev || !sta)
		return DOCA_ERROR_INVALID_VALUE;
	if (doca_sta_cap_is_supported(doca_dev_as_devinfo(dev)))
		return DOCA_ERROR_NOT_SUPPORTED;
	new_sta = calloc(1, sizeof(*new_sta));
	if (!new_sta)
		return DOCA_ERROR_NO_MEMORY;
	err = doca_dev_open(doca_dev_as_devinfo(dev), &new_sta->manager);
	if (err) {
		free(new_sta);
		return err;
	}
	priv_ctx_init(&new_sta->ctx, &sta_ctx_ops, dev);
	new_sta->max_io = (uint16_t)limits->sta_max_io_threads;
	new_sta->num_eus = (uint16_t)limits->sta_eus;
	list_init(&new_sta->subsystems);
	list_init(&new_sta->backends);
	list_init(&new_sta->ios);
	list_init(&new_sta->disks);
	pthread_mutex_init(&new_sta->io_lock, NULL);
	*sta = new_sta;
	return DOCA_SUCCESS;
}

static void release(struct pe_garbage *garbage)
{
	free(container_of(garbage, struct doca_sta, garbage));
}

doca_error_t doca_sta_destroy(struct doca_sta *sta)
{
	struct doca_pe *pe;
	doca_error_t err;
	uint32_t i;

	if (!sta)
		return DOCA_ERROR_INVALID_VALUE;
	err = priv_ctx_check_destroy(&sta->ctx);
	if (err)
		return err;
	if (sta->io_count || sta->subsystem_count || sta->backend_count ||
	    !list_is_empty(&sta->disks))
		return DOCA_ERROR_IN_USE;
	pe = sta->ctx.pe;
	priv_ctx_fini(&sta->ctx);
	for (i = 0; i < sta->dev_count; i++)
		doca_dev_close(sta->devs[i]);
	doca_dev_close(sta->manager);
	priv_task_pool_fini(&sta->rm_ns_pool);
	priv_task_pool_fini(&sta->destroy_q_pool);
	pthread_mutex_destroy(&sta->io_lock);
	priv_pe_discard(pe, &sta->garbage, release);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_sta_as_ctx(struct doca_sta *sta)
{
	return sta ? &sta->ctx : NULL;
}

struct doca_ctx *doca_sta_as_doca_ctx(struct doca_sta *sta)
{
	return doca_sta_as_ctx(sta);
}

int sta_dev_index(const struct doca_sta *sta, const struct doca_dev *dev)
{
	uint32_t i;

	for (i = 0; i < sta->dev_count; i++)
		if (sta->devs[i] == dev)
			return (int)i;
	return -1;
}

doca_error_t doca_sta_add_dev(struct doca_sta *sta, struct doca_dev *dev)
{
	doca_error_t err;

	if (!sta || !dev)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx_check_idle(&sta->ctx))
		return DOCA_ERROR_BAD_STATE;
	if (sta_dev_index(sta, dev) >= 0)
		return DOCA_ERROR_ALREADY_EXIST;
	if (sta->dev_count >= priv_topo_limits()->sta_max_devs)
		return DOCA_ERROR_FULL;
	err = doca_dev_open(doca_dev_as_devinfo(dev), &sta->devs[sta->dev_count]);
	if (!err)
		sta->dev_count++;
	return err;
}

doca_error_t doca_sta_set_max_sta_io(struct doca_sta *sta, uint16_t max_io_num)
{
	if (!sta || !max_io_num || max_io_num > priv_topo_limits()->sta_max_io_threads)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx_check_idle(&sta->ctx))
		return DOCA_ERROR_BAD_STATE;
	sta->max_io = max_io_num;
	return DOCA_SUCCESS;
}

doca_error_t softfield_sta_set_num_eus(struct doca_sta *sta, uint16_t count)
{
	if (!sta || !count || count > STA_EUS_MAX)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx_check_idle(&sta->ctx))
		return DOCA_ERROR_BAD_STATE;
	sta->num_eus = count;
	return DOCA_SUCCESS;
}
