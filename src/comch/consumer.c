/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doca_comch_consumer: takes messages out of its lane; life cycle.
 */
#define LOG_MODULE "consumer"
#include <stdlib.h>
#include <unistd.h>
#include "base/copy.h"
#include "base/log.h"
#include "comch/consumer.h"

/* Messages handled per poll: bounded, so that one busy lane cannot starve the others. */
#define POLL_MAX 64

/*
 * Receiving
 */

/* Reads a line once and checks it; false: it is impossible. */
static inline bool read_line(const struct lane_line *line,
			     struct doca_comch_consumer_task_post_recv *task, uint32_t imm_max)
{
	uint64_t word = *(const volatile uint64_t *)&line->head;
	struct lane_head head;

	memcpy(&head, &word, sizeof(head));
	if (doca_unlikely(head.size > task->room || head.imm_size > imm_max ||
			  (head.is_inline && head.size + head.imm_size > LANE_INLINE)))
		return false;
	task->producer_id = head.producer_id;
	task->imm_size = head.imm_size;
	if (doca_unlikely(head.imm_size))
		copy_inline(task->imm, line->data, head.imm_size);
	if (head.is_inline)
		copy_inline(task->addr, line->data + head.imm_size, head.size);
	task->size = head.is_inline ? 0 : head.size; /* what is still to be collected */
	if (doca_likely(task->buf != NULL))
		task->buf->data_len += head.size;
	return true;
}

/* The peer has broken the rules, or is gone: no message will come any more. */
static void lose(struct doca_comch_consumer *consumer)
{
	atomic_store(&consumer->fast.user.lost, true);
}

static bool consumer_is_lost(const struct doca_comch_consumer *consumer)
{
	/* Relaxed: a flag; what was in the lane before is looked at first. */
	return atomic_load_explicit(&consumer->fast.user.lost, memory_order_relaxed);
}

static unsigned int receive(struct doca_comch_consumer *consumer)
{
	struct lane_consumer *lane = &consumer->fast.lane;
	const struct lane_line *line;
	unsigned int count = 0;

	if (lane->gather.looks &&
	    gather_goes_on(&lane->gather, lane_has_line(lane, lane->gather.index)))
		return 0;
	consumer->receiving = true;
	while (count < POLL_MAX && consumer->open && (line = lane_peek(lane))) {
		struct doca_comch_consumer_task_post_recv *task;

		if (doca_unlikely(lane->tail == lane->published)) {
			LOG_WRN("consumer %u: a message without a posted receive",
				consumer->fast.user.id);
			lose(consumer);
			break;
		}
		task = *consumer_slot(consumer, lane->tail);
		if (doca_unlikely(!read_line(line, task, consumer->imm_max))) {
			LOG_WRN("consumer %u: an impossible message, there is room for %u bytes",
				consumer->fast.user.id, task->room);
			lose(consumer);
			break;
		}
		if (doca_unlikely(!task->direct))
			priv_window_collect(consumer->window, task->addr, task->size);
		lane->tail++;
		count++;
		task_report(&task->base, DOCA_SUCCESS);
	}
	consumer->receiving = false;
	if (!count || !consumer->open)
		return count;
	if (lane->published != lane->filled)
		consumer_publish(consumer);
	if (count < POLL_MAX)
		gather_begin(&lane->gather, count, lane->tail, lane->published - lane->tail);
	return count;
}

/* Fails what is still posted; the peer does not write any more. */
static unsigned int flush(struct doca_comch_consumer *consumer)
{
	struct lane_consumer *lane = &consumer->fast.lane;
	unsigned int count = 0;

	while (lane->tail != consumer->submitted) {
		struct doca_comch_consumer_task_post_recv *task =
			*consumer_slot(consumer, lane->tail);

		lane->tail++;
		count++;
		task_report(&task->base, DOCA_ERROR_IO_FAILED);
	}
	return count;
}

/*
 * Start and stop
 */

static void close_lane(struct doca_comch_consumer *consumer)
{
	consumer->open = false;
	consumer->stopping = false;
	priv_poll_group_remove(&consumer->poller);
	priv_poll_group_unwatch(&consumer->ctx.pe->group, &consumer->bell);
	fast_leave(consumer->channel, &consumer->fast.user);
	close(consumer->bell.fd);
	if (consumer->fast.post_bell >= 0)
		close(consumer->fast.post_bell);
	lane_consumer_fini(&consumer->fast.lane);
	priv_window_unref(consumer->window);
	free(consumer->tasks);
}

/* Nobody writes any more: fails what is posted and closes. */
static unsigned int finish(struct doca_comch_consumer *consumer)
{
	unsigned int done = flush(consumer);

	close_lane(consumer);
	priv_ctx_stopped(&consumer->ctx);
	return done + 1;
}

static unsigned int consumer_poll(struct poller *poller)
{
	struct doca_comch_consumer *consumer =
		container_of(poller, struct doca_comch_consumer, poller);
	unsigned int done = receive(consumer);

	if (doca_unlikely(!consumer->open))
		return done;
	if (doca_unlikely(!done && !consumer->stopping && consumer_is_lost(consumer))) {
		consumer->stopping = true;
		priv_ctx_fail(&consumer->ctx);
		return 1;
	}
	if (doca_unlikely(consumer->stopping)) {
		if (!done && (lane_is_quiet(&consumer->fast.lane) || consumer_is_lost(consumer)))
			done = finish(consumer);
		return done;
	}
	if (doca_unlikely(consumer_has_unposted(consumer)))
		consumer_post_more(consumer);
	return done;
}

static void consumer_arm(struct poller *poller)
{
	lane_sleep(&container_of(poller, struct doca_comch_consumer, poller)->fast.lane);
}

static bool consumer_pending(struct poller *poller)
{
	struct doca_comch_consumer *consumer =
		container_of(poller, struct doca_comch_consumer, poller);

	return lane_peek(&consumer->fast.lane) || consumer->stopping ||
	       consumer_has_unposted(consumer) || consumer_is_lost(consumer);
}

static void consumer_disarm(struct poller *poller)
{
	lane_wake(&container_of(poller, struct doca_comch_consumer, poller)->fast.lane);
}

static const struct poller_ops consumer_poller_ops = {
	.poll = consumer_poll,
	.arm = consumer_arm,
	.pending = consumer_pending,
	.disarm = consumer_disarm,
};

static void bell_ready(struct watch *watch, uint32_t events)
{
	(void)events;
	priv_poll_group_heat(&container_of(watch, struct doca_comch_consumer, bell)->poller);
}

/* The connection has something to tell: the peer knows us now, or it is gone. */
static void noticed(struct watch *watch, uint32_t events)
{
	struct doca_comch_consumer *consumer =
		container_of(watch, struct doca_comch_consumer, fast.user.notice);

	(void)events;
	if (consumer->ctx.state != DOCA_CTX_STATE_STARTING) {
		priv_poll_group_heat(&consumer->poller);
		return;
	}
	if (consumer_is_lost(consumer)) {
		close_lane(consumer);
		priv_ctx_started(&consumer->ctx, DOCA_ERROR_CONNECTION_RESET);
	} else if (atomic_load(&consumer->fast.user.acked)) {
		priv_poll_group_add(&consumer->ctx.pe->group, &consumer->poller);
		priv_ctx_started(&consumer->ctx, DOCA_SUCCESS);
	}
}

/* lane, bell and window; undone by the caller on failure */
static doca_error_t make_lane(struct doca_comch_consumer *consumer)
{
	struct lane_consumer *lane = &consumer->fast.lane;
	doca_error_t err;

	err = lane_consumer_init(lane, consumer->pool.count, consumer->window->span,
				 consumer->imm_max);
	if (err)
		return err;
	consumer->tasks = calloc(lane->mask + 1, sizeof(*consumer->tasks));
	if (!consumer->tasks)
		return DOCA_ERROR_NO_MEMORY;
	err = priv_eventfd_create(&consumer->bell.fd);
	if (err)
		return err;
	consumer->fast.bell = consumer->bell.fd;
	consumer->bell.ready = bell_ready;
	consumer->fast.window_fd = consumer->window->fd;
	return priv_poll_group_watch(&consumer->ctx.pe->group, &consumer->bell, EPOLLIN);
}

static doca_error_t consumer_check(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = consumer_of(ctx);

	if (!consumer->pool.count) {
		LOG_ERR("consumer %u: the post receive task must be set before start",
			consumer->fast.user.id);
		return DOCA_ERROR_BAD_STATE;
	}
	return DOCA_SUCCESS;
}

static doca_error_t consumer_start(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = consumer_of(ctx);
	doca_error_t err;

	err = priv_task_pool_start(&consumer->pool);
	if (err)
		return err;
	err = priv_mmap_window(consumer->mmap, &consumer->window);
	if (err) {
		LOG_ERR("consumer %u: its memory map is not started, or imported",
			consumer->fast.user.id);
		return DOCA_ERROR_INVALID_VALUE;
	}
	consumer->ready = consumer->submitted = 0;
	consumer->direct = consumer->direct_end = NULL;
	consumer->bell.fd = consumer->fast.post_bell = -1;
	err = fast_join(consumer->channel, &consumer->fast.user, &ctx->pe->group, noticed);
	if (err) {
		priv_window_unref(consumer->window);
		return err;
	}
	err = make_lane(consumer);
	if (!err)
		err = fast_announce(consumer->channel, &consumer->fast);
	if (err) {
		close_lane(consumer);
		return err;
	}
	consumer->open = true;
	atomic_fetch_add(&consumer->channel->active, 1);
	return DOCA_ERROR_IN_PROGRESS;
}

static doca_error_t consumer_stop(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = consumer_of(ctx);
	struct lane_consumer *lane = &consumer->fast.lane;

	fast_retire(consumer->channel, &consumer->fast);
	lane_consumer_close(lane);
	if (lane_is_quiet(lane) && lane->tail == consumer->submitted) {
		close_lane(consumer);
		return DOCA_SUCCESS;
	}
	consumer->stopping = true;
	priv_poll_group_heat(&consumer->poller);
	return DOCA_ERROR_IN_PROGRESS;
}

static void consumer_idle(struct doca_ctx *ctx)
{
	atomic_fetch_sub(&consumer_of(ctx)->channel->active, 1);
}

static void consumer_flush_posts(struct doca_ctx *ctx)
{
	consumer_publish(consumer_of(ctx));
}

static const struct ctx_ops consumer_ctx_ops = {
	.name = "comch consumer",
	.check = consumer_check,
	.start = consumer_start,
	.stop = consumer_stop,
	.idle = consumer_idle,
	.flush = consumer_flush_posts,
};

/*
 * Public
 */

doca_error_t doca_comch_consumer_create(struct doca_comch_connection *comch_connection,
					struct doca_mmap *buf_mmap,
					struct doca_comch_consumer **consumer)
{
	struct doca_comch_consumer *new_consumer;

	if (!comch_connection || !buf_mmap || !consumer)
		return DOCA_ERROR_INVALID_VALUE;
	if (!comch_connection_is_open(comch_connection))
		return DOCA_ERROR_BAD_STATE;
	new_consumer = calloc(1, sizeof(*new_consumer));
	if (!new_consumer)
		return DOCA_ERROR_NO_MEMORY;
	priv_ctx_init(&new_consumer->ctx, &consumer_ctx_ops, comch_connection->ep->ctx.dev);
	list_init(&new_consumer->fast.user.node);
	list_init(&new_consumer->poller.node);
	new_consumer->poller.ops = &consumer_poller_ops;
	new_consumer->mmap = buf_mmap;
	new_consumer->channel = comch_connection->chan.fast;
	fast_ref(new_consumer->channel);
	new_consumer->fast.user.is_consumer = true;
	new_consumer->fast.user.id = fast_new_consumer_id(new_consumer->channel);
	*consumer = new_consumer;
	return DOCA_SUCCESS;
}

static void consumer_release(struct pe_garbage *garbage)
{
	struct doca_comch_consumer *consumer =
		container_of(garbage, struct doca_comch_consumer, garbage);

	fast_unref(consumer->channel);
	free(consumer);
}

doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer)
{
	struct doca_pe *pe;
	doca_error_t err;

	if (!consumer)
		return DOCA_ERROR_INVALID_VALUE;
	err = priv_ctx_check_destroy(&consumer->ctx);
	if (err)
		return err;
	pe = consumer->ctx.pe;
	priv_task_pool_fini(&consumer->pool);
	priv_ctx_fini(&consumer->ctx);
	priv_pe_discard(pe, &consumer->garbage, consumer_release);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_comch_consumer_as_ctx(struct doca_comch_consumer *consumer)
{
	return consumer ? &consumer->ctx : NULL;
}

doca_error_t doca_comch_consumer_get_id(const struct doca_comch_consumer *consumer, uint32_t *id)
{
	if (!consumer || !id)
		return DOCA_ERROR_INVALID_VALUE;
	*id = consumer->fast.user.id;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_get_imm_data_len(const struct doca_comch_consumer *consumer,
						  uint32_t *imm_data_len)
{
	if (!consumer || !imm_data_len)
		return DOCA_ERROR_INVALID_VALUE;
	*imm_data_len = consumer->imm_max;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_set_imm_data_len(struct doca_comch_consumer *consumer,
						  uint32_t imm_data_len)
{
	uint64_t limit = priv_topo_limits()->consumer_max_imm_data_len;

	if (!consumer)
		return DOCA_ERROR_INVALID_VALUE;
	if (imm_data_len > limit) {
		LOG_ERR("consumer %u: immediate data of %u bytes; at most %llu",
			consumer->fast.user.id, imm_data_len, (unsigned long long)limit);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (ctx_check_idle(&consumer->ctx))
		return DOCA_ERROR_BAD_STATE;
	consumer->imm_max = imm_data_len;
	return DOCA_SUCCESS;
}

/*
 * For DPA code, which is what none of these consumers is for
 */

doca_error_t
doca_comch_consumer_set_completion(struct doca_comch_consumer *consumer,
				   struct doca_comch_consumer_completion *consumer_comp,
				   uint32_t user_data)
{
	(void)user_data;
	if (!consumer || !consumer_comp)
		return DOCA_ERROR_INVALID_VALUE;
	return ctx_check_idle(&consumer->ctx) ? DOCA_ERROR_BAD_STATE : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_comch_consumer_set_dev_max_num_recv(struct doca_comch_consumer *consumer,
						      uint32_t dev_num_recv)
{
	if (!consumer || !dev_num_recv)
		return DOCA_ERROR_INVALID_VALUE;
	return ctx_check_idle(&consumer->ctx) ? DOCA_ERROR_BAD_STATE : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_comch_consumer_set_dev_num_recv(struct doca_comch_consumer *consumer,
						  uint32_t dev_num_recv)
{
	return doca_comch_consumer_set_dev_max_num_recv(consumer, dev_num_recv);
}

doca_error_t doca_comch_consumer_get_dpa_handle(struct doca_comch_consumer *consumer,
						doca_dpa_dev_comch_consumer_t *dpa_consumer)
{
	return consumer && dpa_consumer ? DOCA_ERROR_BAD_STATE : DOCA_ERROR_INVALID_VALUE;
}
