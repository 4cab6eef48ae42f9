/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consumers on a DPA: ordinary ones (consumer.c) but for whom they tell. Their receives are
 * internal tasks, and what comes is copied into the ring of their completion.
 *
 * With the engine's lock held, all of it but checking, attaching and detaching.
 */
#define LOG_MODULE "comch"
#include "base/copy.h"
#include "base/log.h"
#include "comch/consumer_completion.h"
#include "comch/on_dpa.h"

/*
 * Receives
 */

/* The element of the next message is there. */
static void push(struct doca_comch_consumer_completion *completion, uint32_t filled)
{
	/* Release: pairs with the acquire in completion_ring_unread(). */
	atomic_store_explicit(&completion->ring->filled, filled + 1, memory_order_release);
	if (!completion->is_armed)
		return;
	completion->is_armed = false;
	priv_dpa->thread_trigger(completion->thread);
}

static void received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		     union doca_data ctx_data)
{
	struct doca_comch_consumer *consumer = consumer_of(task->base.pool->ctx);
	struct doca_comch_consumer_completion *completion = consumer->on_dpa.completion;
	/* Relaxed: only here it is changed, with the lock held. */
	uint32_t filled = atomic_load_explicit(&completion->ring->filled, memory_order_relaxed);
	struct consumer_element *element = completion_ring_element(completion->ring, filled);

	(void)task_data;
	(void)ctx_data;
	element->producer_id = task->producer_id;
	element->imm_size = task->imm_size;
	copy_inline(element->imm, task->imm, task->imm_size); /* no loop for a few bytes */
	consumer->on_dpa.posted--;
	on_dpa_keep_task(&consumer->on_dpa.common, &consumer->ctx, &task->base);
	push(completion, filled);
}

static void flushed(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	struct doca_comch_consumer *consumer = consumer_of(task->base.pool->ctx);

	(void)task_data;
	(void)ctx_data;
	consumer->on_dpa.posted--;
	consumer->on_dpa.completion->used--;
	on_dpa_keep_task(&consumer->on_dpa.common, &consumer->ctx, &task->base);
}

/* Posts what is owed to a consumer, as far as there is room. */
static void post_owed(struct doca_comch_consumer *consumer)
{
	struct consumer_on_dpa *on_dpa = &consumer->on_dpa;
	struct doca_comch_consumer_completion *completion = on_dpa->completion;
	uint32_t room = completion->max_recv - completion->used;
	uint32_t count = on_dpa->owed < room ? on_dpa->owed : room;

	if (count && consumer->ctx.state == DOCA_CTX_STATE_RUNNING) { /* else it stops */
		consumer_post_bare(consumer, count);
		on_dpa->owed -= count;
		on_dpa->posted += count;
		completion->used += count;
	}
	list_remove(&on_dpa->waiting_node);
	if (on_dpa->owed)
		list_add_tail(&completion->waiting, &on_dpa->waiting_node);
}

void consumer_post_owed(struct doca_comch_consumer_completion *completion)
{
	const struct list_node *last = completion->waiting.prev;
	struct list_node *node;

	if (list_is_empty(&completion->waiting))
		return;
	do {
		node = completion->waiting.next;
		post_owed(container_of(node, struct doca_comch_consumer, on_dpa.waiting_node));
	} while (node != last && completion->used < completion->max_recv);
}

void consumer_add_receives(struct doca_comch_consumer *consumer, uint32_t count)
{
	struct consumer_on_dpa *on_dpa = &consumer->on_dpa;
	uint32_t room = on_dpa->common.depth - on_dpa->posted - on_dpa->owed;

	if (count > room) {
		if (!on_dpa->common.has_warned)
			LOG_WRN("consumer %u: DPA code posts %u receives; there is room for %u",
				consumer->fast.user.id, count, room);
		on_dpa->common.has_warned = true;
		count = room;
	}
	on_dpa->owed += count;
	post_owed(consumer);
}

/*
 * As a context
 */

static doca_error_t set_datapath(struct doca_ctx *ctx, struct doca_dpa *dpa)
{
	return on_dpa_choose(&consumer_of(ctx)->on_dpa.common, ctx->dev, dpa);
}

static doca_error_t check(struct doca_ctx *ctx)
{
	const struct doca_comch_consumer *consumer = consumer_of(ctx);

	return on_dpa_check(&consumer->on_dpa.common, "consumer", consumer->fast.user.id);
}

/* Is the thread that is told of what comes one of the queue's DPA? */
static doca_error_t check_thread(const struct doca_comch_consumer *consumer,
				 const struct doca_comch_consumer_completion *completion)
{
	if (!completion->thread_handle)
		return DOCA_SUCCESS;
	return priv_dpa->check_thread(consumer->on_dpa.common.of_queue, completion->thread_handle);
}

/* Can it run with the completion? With the completion's lock held. */
static doca_error_t check_completion(const struct doca_comch_consumer *consumer,
				     const struct doca_comch_consumer_completion *completion)
{
	uint32_t id = consumer->fast.user.id;

	if (!completion->is_started) {
		LOG_ERR("consumer %u: its consumer completion is not started", id);
		return DOCA_ERROR_BAD_STATE;
	}
	if (consumer->imm_is_set && completion->imm_max < consumer->imm_max) {
		LOG_ERR("consumer %u: immediate data of %u bytes; its completion has room for %u",
			id, consumer->imm_max, completion->imm_max);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (completion->num_running >= completion->max_consumers) {
		LOG_ERR("consumer %u: its completion has %u consumers, which is what it was set to",
			id, completion->num_running);
		return DOCA_ERROR_NO_MEMORY;
	}
	return check_thread(consumer, completion); /* it may have been set since */
}

/* For a consumer whose maximum was not set. */
static uint32_t default_imm_max(const struct doca_comch_consumer_completion *completion)
{
	uint32_t max = (uint32_t)priv_topo_limits()->consumer_max_imm_data_len;

	return completion->imm_max < max ? completion->imm_max : max;
}

/*
 * Consumers of one completion have one engine: its lock is the completion's, too. With the
 * completion's own lock held.
 */
static doca_error_t find_engine(const struct doca_comch_consumer *consumer,
				struct doca_comch_consumer_completion *completion,
				struct dpa_engine **ret_engine)
{
	struct dpa_engine *present = completion->place->engine, *engine;
	doca_error_t err;

	if (completion->thread) {
		*ret_engine = present;
		return DOCA_SUCCESS;
	}
	err = priv_dpa->get_engine(consumer->on_dpa.common.dpa, &engine);
	if (err)
		return err;
	if (present && present != engine && completion->num_running) {
		LOG_ERR("consumer %u: its completion is used on another DPA",
			consumer->fast.user.id);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (present != engine) /* of consumers that have ended */
		completion_leave_engine(completion);
	dpa_place_set_engine(completion->place, engine);
	*ret_engine = engine;
	return DOCA_SUCCESS;
}

static doca_error_t attach_engine(struct doca_ctx *ctx, struct dpa_engine **ret_engine)
{
	struct doca_comch_consumer *consumer = consumer_of(ctx);
	uint64_t handle = consumer->on_dpa.completion_handle;
	struct doca_comch_consumer_completion *completion =
		dpa_object_at(handle, DPA_CONSUMER_COMPLETION);
	doca_error_t err;

	if (!completion) {
		LOG_ERR("consumer %u: on a DPA it needs a consumer completion; %s",
			consumer->fast.user.id,
			handle ? "the one that was set has been destroyed" : "none was set");
		return DOCA_ERROR_BAD_STATE;
	}
	pthread_mutex_lock(&completion->lock);
	err = check_completion(consumer, completion);
	if (!err)
		err = find_engine(consumer, completion, ret_engine);
	completion->num_running += !err;
	if (!err && !consumer->imm_is_set)
		consumer->imm_max = default_imm_max(completion);
	pthread_mutex_unlock(&completion->lock);
	if (!err)
		consumer->on_dpa.completion = completion;
	return err;
}

static void detach_engine(struct doca_ctx *ctx)
{
	struct doca_comch_consumer_completion *completion = consumer_of(ctx)->on_dpa.completion;

	pthread_mutex_lock(&completion->lock);
	completion->num_running--;
	pthread_mutex_unlock(&completion->lock);
}

static doca_error_t start(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = consumer_of(ctx);
	doca_error_t err = consumer_configure_receives(consumer, received, flushed,
						       consumer->on_dpa.common.depth, UINT32_MAX);

	if (!err)
		err = consumer_start(ctx);
	if (err)
		return err;
	consumer->on_dpa.posted = consumer->on_dpa.owed = 0;
	on_dpa_start(&consumer->on_dpa.common, &consumer->pool, ctx->engine);
	return DOCA_SUCCESS;
}

static void idle(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = consumer_of(ctx);
	struct doca_comch_consumer_completion *completion = consumer->on_dpa.completion;

	on_dpa_stop(&consumer->on_dpa.common);
	list_remove(&consumer->on_dpa.waiting_node);
	consumer_idle(ctx);
	consumer_post_owed(completion); /* others' */
}

static const struct ctx_ops consumer_on_dpa_ops = {
	.name = "comch consumer on a DPA",
	.check = check,
	.start = start,
	.stop = consumer_stop,
	.idle = idle,
	.disown = consumer_disown,
	.set_datapath_on_dpa = set_datapath,
	.attach_engine = attach_engine,
	.detach_engine = detach_engine,
};

doca_error_t consumer_put_on_dpa(struct doca_comch_consumer *consumer, struct doca_dpa *dpa)
{
	doca_error_t err = on_dpa_init(&consumer->on_dpa.common, DPA_CONSUMER, consumer, dpa);

	if (err)
		return err;
	consumer->ctx.ops = &consumer_on_dpa_ops;
	list_init(&consumer->on_dpa.waiting_node);
	return DOCA_SUCCESS;
}

doca_error_t consumer_set_completion(struct doca_comch_consumer *consumer,
				     const struct doca_comch_consumer_completion *completion)
{
	doca_error_t err = check_thread(consumer, completion);

	if (!err)
		consumer->on_dpa.completion_handle = dpa_handle_of(completion->place);
	return err;
}
