/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doca_comch_producer: the lanes that it uses; life cycle. The poller is registered only while
 * something waits.
 */
#define LOG_MODULE "comch"
#include <stdlib.h>
#include <unistd.h>
#include "base/fd.h"
#include "base/log.h"
#include "base/no_cancel.h"
#include "base/pow2.h"
#include "comch/producer.h"

/*
 * Lanes
 */

static struct lane_producer no_lane = {.leads_to = LANE_NOWHERE};
/* leads to no consumer */
static struct send_queue no_queue = {.lane = &no_lane};

static void post_bell_ready(struct watch *watch, uint32_t events)
{
	struct poller *poller =
		&container_of(watch, struct send_queue, post_bell)->producer->poller;

	(void)events;
	/* Other producers' posts ring it too, and so may a peer that only wants to. */
	if (poller->group)
		priv_poll_group_heat(poller);
}

static struct send_queue **row_of(struct doca_comch_producer *producer, uint32_t consumer_id)
{
	return &producer->rows[consumer_id % PRODUCER_ROWS];
}

static void leave_row(struct send_queue *queue)
{
	struct send_queue **at = row_of(queue->producer, queue->lane->id);

	while (*at != queue)
		at = &(*at)->in_row;
	*at = queue->in_row;
}

static struct send_queue *new_queue(struct doca_comch_producer *producer, uint32_t consumer_id)
{
	struct lane_producer *lane = fast_find(producer->channel, consumer_id);
	struct send_queue **row = row_of(producer, consumer_id);
	struct send_queue *queue;

	if (!lane)
		return NULL;
	queue = calloc(1, sizeof(*queue));
	if (!queue) {
		lane_producer_unref(lane);
		return NULL;
	}
	queue->lane = lane;
	queue->producer = producer;
	queue->waiting_tail = &queue->waiting;
	list_init(&queue->busy_node);
	watch_init(&queue->post_bell, post_bell_ready);
	queue->next = producer->queues;
	producer->queues = queue;
	queue->in_row = *row;
	*row = queue;
	return queue;
}

static void release_queue(struct send_queue *queue)
{
	NO_CANCEL();

	if (queue->post_bell.fd >= 0)
		close(queue->post_bell.fd);
	lane_producer_unref(queue->lane);
	free(queue);
}

static void free_queue(struct send_queue *queue)
{
	assert(!queue->waiting);
	leave_row(queue);
	if (queue->post_bell.fd >= 0)
		priv_poll_group_unwatch(queue->producer->user.group, &queue->post_bell);
	lane_give_up(queue->lane, &queue->producer->key);
	release_queue(queue);
}

/* drops those whose consumer is gone, so that a long-lived producer does not collect them */
static void drop_dead_queues(struct doca_comch_producer *producer)
{
	struct send_queue **at = &producer->queues;

	while (*at) {
		struct send_queue *queue = *at;

		if (queue->waiting || !lane_is_gone(queue->lane)) {
			at = &queue->next;
			continue;
		}
		*at = queue->next;
		free_queue(queue);
	}
	producer->last = &no_queue;
}

struct send_queue *producer_find_queue(struct doca_comch_producer *producer, uint32_t consumer_id)
{
	struct send_queue *queue;

	for (queue = *row_of(producer, consumer_id); queue; queue = queue->in_row)
		if (lane_leads_to(queue->lane, consumer_id))
			break;
	if (!queue) {
		drop_dead_queues(producer);
		queue = new_queue(producer, consumer_id);
	}
	producer->last = queue ? queue : &no_queue;
	return queue;
}

/*
 * Start, stop, poll
 */

static void producer_close(struct doca_comch_producer *producer)
{
	struct fault *fault = producer->fault;

	producer->open = false;
	producer->stopping = false;
	producer->fault = NULL; /* first, for a child that is forked meanwhile */
	priv_fault_destroy(fault);
	priv_poll_group_remove(&producer->poller);
	fast_leave(producer->channel, &producer->user);
	while (producer->queues) {
		struct send_queue *queue = producer->queues;

		producer->queues = queue->next;
		free_queue(queue);
	}
	producer->last = &no_queue;
}

static bool producer_is_lost(const struct doca_comch_producer *producer)
{
	return atomic_load_explicit(&producer->user.lost, memory_order_relaxed);
}

/* Copies that have begun are brought to their end: the consumer relies on what it counts. */
static bool has_begun_copies(const struct doca_comch_producer *producer)
{
	const struct send_queue *queue;

	for (queue = producer->queues; queue; queue = queue->next)
		if (queue->copying)
			return true;
	return false;
}

static unsigned int producer_poll(struct poller *poller)
{
	struct doca_comch_producer *producer =
		container_of(poller, struct doca_comch_producer, poller);
	unsigned int done = producer_work(producer);

	if (doca_unlikely(producer->fault && priv_fault_strike(producer->fault)))
		fast_break(producer->channel);
	if (doca_unlikely(producer->stopping && !has_begun_copies(producer))) {
		producer_fail_all(producer, DOCA_ERROR_IO_FAILED);
		producer_close(producer);
		priv_ctx_stopped(&producer->ctx);
		return done + 1;
	}
	if (list_is_empty(&producer->busy))
		priv_poll_group_remove(poller);
	return done;
}

/* our own copy of the bell: a group can watch a descriptor once, and another producer may do so */
static void watch_post_bell(struct send_queue *queue)
{
	NO_CANCEL();

	if (priv_fd_copy_all(&queue->lane->post_bell, 1, &queue->post_bell.fd))
		return;
	if (priv_poll_group_watch_bell(queue->producer->user.group, &queue->post_bell)) {
		close(queue->post_bell.fd);
		queue->post_bell.fd = -1;
	}
}

static bool producer_arm(struct poller *poller, bool often)
{
	struct doca_comch_producer *producer =
		container_of(poller, struct doca_comch_producer, poller);
	struct list_node *node;

	(void)often;
	producer->is_deaf = false;
	list_for_each (node, &producer->busy) {
		struct send_queue *queue = container_of(node, struct send_queue, busy_node);

		if (queue->post_bell.fd < 0)
			watch_post_bell(queue);
		producer->is_deaf |= queue->post_bell.fd < 0;
		lane_wait_for_post(queue->lane);
	}
	return list_is_empty(&producer->busy);
}

static bool producer_pending(struct poller *poller)
{
	struct doca_comch_producer *producer =
		container_of(poller, struct doca_comch_producer, poller);
	struct list_node *node;

	if (producer->stopping || producer->is_deaf)
		return true;
	list_for_each (node, &producer->busy) {
		struct send_queue *queue = container_of(node, struct send_queue, busy_node);

		if (queue->copying || lane_has_post(queue->lane) || lane_is_gone(queue->lane))
			return true;
	}
	return false;
}

static void producer_disarm(struct poller *poller)
{
	/* a wake-up too many does no harm */
	container_of(poller, struct doca_comch_producer, poller)->is_deaf = false;
}

static const struct poller_ops producer_poller_ops = {
	.poll = producer_poll,
	.arm = producer_arm,
	.pending = producer_pending,
	.disarm = producer_disarm,
};

/*
 * The connection is gone: all that waits fails, and so does the context. Or a consumer of the peer
 * is gone, which something may wait for.
 */
static void noticed(struct watch *watch, uint32_t events)
{
	struct doca_comch_producer *producer =
		container_of(watch, struct doca_comch_producer, user.notice);

	(void)events;
	if (!producer->open)
		return;
	if (!producer_is_lost(producer)) {
		if (producer->poller.group)
			priv_poll_group_heat(&producer->poller);
		return;
	}
	producer_fail_all(producer, DOCA_ERROR_CONNECTION_RESET);
	producer_close(producer);
	priv_ctx_fail(&producer->ctx);
	priv_ctx_stopped(&producer->ctx);
}

static doca_error_t producer_check(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = producer_of(ctx);

	if (!producer->pool.count) {
		LOG_ERR("producer %u: the send task must be set before start", producer->user.id);
		return DOCA_ERROR_BAD_STATE;
	}
	return DOCA_SUCCESS;
}

/* for comparisons: one more than size, or than what is allowed at all; 0: no size is */
static size_t count_below(const struct doca_comch_producer *producer, size_t size)
{
	if (producer->fault) /* which is for what waits */
		return 0;
	return (producer->max_size < size ? producer->max_size : size) + 1;
}

doca_error_t producer_start(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = producer_of(ctx);
	doca_error_t err;

	err = priv_task_pool_start(&producer->pool);
	if (err)
		return err;
	if (!producer->channel->is_local) /* it has no connection to break */
		err = priv_fault_create(&producer->poller, 0, &producer->fault);
	if (err)
		return err;
	err = fast_join(producer->channel, &producer->user, &ctx->pe->group, noticed);
	if (err) {
		priv_fault_destroy(producer->fault);
		producer->fault = NULL;
		return err;
	}
	producer->max_size = priv_topo_limits()->producer_max_buf_size;
	producer->submit_below = count_below(producer, PRODUCER_SUBMIT_MAX);
	producer->line_below = count_below(producer, LANE_INLINE);
	producer->share_below = count_below(producer, LANE_SHARE);
	producer->batch_below = count_below(producer, LANE_BATCH_MAX);
	producer->may_defer = PRODUCER_DEFERRED_MAX;
	producer->open = true;
	atomic_fetch_add(&producer->channel->active, 1);
	return DOCA_SUCCESS;
}

doca_error_t producer_stop(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = producer_of(ctx);

	producer_flush(producer);
	if (list_is_empty(&producer->busy)) {
		producer_close(producer);
		return DOCA_SUCCESS;
	}
	producer->stopping = true;
	priv_poll_group_heat(&producer->poller);
	return DOCA_ERROR_IN_PROGRESS;
}

void producer_idle(struct doca_ctx *ctx)
{
	atomic_fetch_sub(&producer_of(ctx)->channel->active, 1);
}

static void producer_flush_sends(struct doca_ctx *ctx)
{
	producer_flush(producer_of(ctx));
}

void producer_disown(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = producer_of(ctx);

	fast_disown(producer->channel); /* whose connection may have ended before */
	atomic_store(&producer->user.lost, true);
	if (producer->fault)
		priv_poll_group_timer_remove(&producer->fault->timer);
}

static const struct ctx_ops producer_ctx_ops = {
	.name = "comch producer",
	.check = producer_check,
	.start = producer_start,
	.stop = producer_stop,
	.idle = producer_idle,
	.disown = producer_disown,
	.flush = producer_flush_sends,
};

doca_error_t producer_create(struct fast *channel, struct doca_dev *dev,
			     struct doca_comch_producer **ret_producer)
{
	struct doca_comch_producer *producer = calloc(1, sizeof(*producer));
	doca_error_t err;

	if (!producer)
		return DOCA_ERROR_NO_MEMORY;
	err = fast_user_init(channel, &producer->user, false);
	if (err) {
		free(producer);
		return err;
	}
	priv_ctx_init(&producer->ctx, &producer_ctx_ops, dev);
	list_init(&producer->poller.node);
	list_init(&producer->busy);
	producer->last = &no_queue;
	producer->poller.ops = &producer_poller_ops;
	fast_ref(channel);
	producer->channel = channel;
	producer->imm_max = fast_imm_max(channel);
	*ret_producer = producer;
	return DOCA_SUCCESS;
}

/*
 * Public
 */

doca_error_t doca_comch_producer_create(struct doca_comch_connection *comch_connection,
					struct doca_comch_producer **producer)
{
	struct fast *fast;
	doca_error_t err;

	if (!comch_connection || !producer)
		return DOCA_ERROR_INVALID_VALUE;
	fast = chan_ref_fast(&comch_connection->chan);
	if (!fast)
		return comch_connection_refuse();
	err = producer_create(fast, comch_connection->ep->ctx.dev, producer);
	fast_unref(fast);
	return err;
}

static void producer_release(struct pe_garbage *garbage)
{
	struct doca_comch_producer *producer =
		container_of(garbage, struct doca_comch_producer, garbage);

	/* What is still there belongs to the parent, whose producer was running: a child. */
	priv_fault_destroy(producer->fault);
	while (producer->queues) {
		struct send_queue *queue = producer->queues;

		producer->queues = queue->next;
		if (queue->copying)
			priv_mmap_release(queue->source);
		release_queue(queue);
	}
	fast_unref(producer->channel);
	free(producer);
}

doca_error_t doca_comch_producer_destroy(struct doca_comch_producer *producer)
{
	struct doca_pe *pe;
	doca_error_t err;

	if (!producer)
		return DOCA_ERROR_INVALID_VALUE;
	err = priv_ctx_check_destroy(&producer->ctx);
	if (err)
		return err;
	pe = ctx_callback_pe(&producer->ctx);
	fast_user_fini(producer->channel, &producer->user);
	priv_task_pool_fini(&producer->pool);
	priv_ctx_fini(&producer->ctx);
	on_dpa_fini(&producer->on_dpa.common);
	priv_pe_discard(pe, &producer->garbage, producer_release);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_comch_producer_as_ctx(struct doca_comch_producer *producer)
{
	return producer ? &producer->ctx : NULL;
}

doca_error_t doca_comch_producer_get_id(const struct doca_comch_producer *producer, uint32_t *id)
{
	if (!producer || !id)
		return DOCA_ERROR_INVALID_VALUE;
	*id = producer->user.id;
	return DOCA_SUCCESS;
}

/*
 * For DPA code
 */

/* for setters: BAD_STATE: it is not IDLE. NOT_SUPPORTED: it is for the CPU */
static doca_error_t check_for_dpa(const struct doca_comch_producer *producer)
{
	if (ctx_check_idle(&producer->ctx))
		return DOCA_ERROR_BAD_STATE;
	if (producer->on_dpa.common.is_wanted)
		return DOCA_SUCCESS;
	LOG_ERR("producer %u: only for a queue with doca_comch_msgq_set_dpa_producer()",
		producer->user.id);
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_comch_producer_set_dev_max_num_send(struct doca_comch_producer *producer,
						      uint32_t dev_num_send)
{
	uint64_t limit = priv_topo_limits()->producer_max_num_tasks;
	doca_error_t err;

	if (!producer)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dev_num_send || dev_num_send > limit) {
		LOG_ERR("producer %u: %u sends of DPA code; 1 to %llu are possible",
			producer->user.id, dev_num_send, (unsigned long long)limit);
		return DOCA_ERROR_INVALID_VALUE;
	}
	err = check_for_dpa(producer);
	if (!err)
		producer->on_dpa.common.depth = round_up_pow2(dev_num_send);
	return err;
}

doca_error_t doca_comch_producer_set_dev_num_send(struct doca_comch_producer *producer,
						  uint32_t dev_num_send)
{
	return doca_comch_producer_set_dev_max_num_send(producer, dev_num_send);
}

doca_error_t doca_comch_producer_dpa_completion_attach(struct doca_comch_producer *producer,
						       struct doca_dpa_completion *dpa_comp)
{
	doca_error_t err;

	if (!producer || !dpa_comp)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_for_dpa(producer);
	if (!err)
		err = priv_dpa->check_completion(producer->on_dpa.common.of_queue, dpa_comp);
	if (!err)
		producer->on_dpa.completion_handle = priv_dpa->completion_handle(dpa_comp);
	return err;
}

doca_error_t doca_comch_producer_get_dpa_handle(struct doca_comch_producer *producer,
						doca_dpa_dev_comch_producer_t *dpa_producer)
{
	doca_error_t err;

	if (!producer || !dpa_producer)
		return DOCA_ERROR_INVALID_VALUE;
	err = on_dpa_check_handle(&producer->on_dpa.common, &producer->ctx, "producer",
				  producer->user.id);
	if (!err)
		*dpa_producer = dpa_handle_of(producer->on_dpa.common.place);
	return err;
}
