/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doca_comch_consumer: life cycle.
 */
#define LOG_MODULE "comch"
#include <stdlib.h>
#include <unistd.h>
#include "base/bell.h"
#include "base/log.h"
#include "base/no_cancel.h"
#include "base/pow2.h"
#include "comch/consumer.h"

void consumer_distrust(struct doca_comch_consumer *consumer, const char *what)
{
	LOG_WRN("consumer %u: the peer has written %s", consumer->fast.user.id, what);
	consumer->broken = true;
	atomic_store(&consumer->fast.user.lost, true);
}

/* Fails what is still posted; the peer does not write any more. */
static unsigned int flush(struct doca_comch_consumer *consumer)
{
	struct lane_consumer *lane = &consumer->fast.lane;
	unsigned int count = 0;

	while (lane->tail != consumer->submitted && consumer->open) {
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

/* what consumer_start() has taken for it; nobody else knows it any more */
static void release_lane(struct doca_comch_consumer *consumer)
{
	struct doca_comch_consumer_task_post_recv **tasks = consumer->tasks;
	struct fault *fault = consumer->fault;
	NO_CANCEL();

	/* First: a child that is forked meanwhile leaves the rest alone. */
	consumer->tasks = NULL;
	consumer->fault = NULL;
	priv_fault_destroy(fault);
	if (consumer->bell.fd >= 0)
		close(consumer->bell.fd);
	if (consumer->fast.post_bell >= 0)
		close(consumer->fast.post_bell);
	lane_consumer_fini(&consumer->fast.lane);
	priv_window_unref(consumer->window);
	free(tasks);
}

/* undoes what consumer_start() has done so far */
static void close_lane(struct doca_comch_consumer *consumer)
{
	consumer->open = consumer->receiving = false;
	consumer->stopping = consumer->flushing = false;
	priv_poll_group_remove(&consumer->poller);
	priv_poll_group_unwatch(&consumer->ctx.pe->group, &consumer->bell);
	fast_leave(consumer->channel, &consumer->fast.user);
	release_lane(consumer);
}

/* Tells the peer that there will be no more posts. */
static void retire(struct doca_comch_consumer *consumer)
{
	fast_retire(consumer->channel, &consumer->fast);
	/* Until it is acked nobody listens to a bell, and another thread may be setting it. */
	if (lane_consumer_close(&consumer->fast.lane) && atomic_load(&consumer->fast.user.acked))
		priv_bell_ring(consumer->fast.post_bell);
}

bool consumer_is_quiet(struct doca_comch_consumer *consumer)
{
	struct lane_consumer *lane = &consumer->fast.lane;
	uint32_t claims;

	if (consumer->flushing)
		return true; /* it was, and what is failed since counts as taken */
	claims = lane_count_claims(lane);
	if (claims > lane->published - lane->tail && !consumer->broken)
		consumer_distrust(consumer, "more claims than there are posted receives");
	return !claims || consumer_is_lost(consumer);
}

/* Does it keep the connection from being closed? */
static void count(struct doca_comch_consumer *consumer, bool counted)
{
	if (consumer->counted == counted)
		return;
	consumer->counted = counted;
	atomic_fetch_add(&consumer->channel->active, counted ? 1 : -1);
}

unsigned int consumer_end(struct doca_comch_consumer *consumer)
{
	unsigned int done;

	if (!consumer->stopping) {
		consumer->stopping = true;
		retire(consumer);
		priv_ctx_fail(&consumer->ctx);
		return 1;
	}
	if (!consumer_is_quiet(consumer)) {
		/* A peer that lives and does nothing: closing the connection is what is left. */
		count(consumer, false);
		return 0;
	}
	consumer->flushing = true; /* a callback may be left by an exception */
	done = flush(consumer);
	if (!consumer->open)
		return done; /* in a child of a callback */
	close_lane(consumer);
	priv_ctx_stopped(&consumer->ctx);
	return done + 1;
}

static void bell_ready(struct watch *watch, uint32_t events)
{
	struct doca_comch_consumer *consumer =
		container_of(watch, struct doca_comch_consumer, bell);

	(void)events;
	/* A peer can ring it before there is anything to tell. */
	if (consumer->poller.group)
		priv_poll_group_heat(&consumer->poller);
}

/* The connection has something to tell: the peer knows us now, or it is gone. */
static void noticed(struct watch *watch, uint32_t events)
{
	struct doca_comch_consumer *consumer =
		container_of(watch, struct doca_comch_consumer, fast.user.notice);

	(void)events;
	if (consumer->ctx.state != DOCA_CTX_STATE_STARTING) {
		if (consumer->poller.group)
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

	err = lane_consumer_init(lane, consumer->pool.count, consumer->imm_max);
	if (err)
		return err;
	consumer->tasks = calloc(lane->post_mask + 1, sizeof(*consumer->tasks));
	if (!consumer->tasks)
		return DOCA_ERROR_NO_MEMORY;
	err = priv_bell_create(&consumer->bell.fd);
	if (err)
		return err;
	if (!consumer->channel->is_local) /* it has no connection to break */
		err = priv_fault_create(&consumer->poller, lane->mask + 1, &consumer->fault);
	if (err)
		return err;
	consumer->fast.bell = consumer->bell.fd;
	consumer->fast.window = consumer->window;
	return priv_poll_group_watch_bell(&consumer->ctx.pe->group, &consumer->bell);
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

doca_error_t consumer_start(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = consumer_of(ctx);
	doca_error_t err;

	err = priv_task_pool_start(&consumer->pool);
	if (err)
		return err;
	err = priv_mmap_window(consumer->mmap, &consumer->window);
	if (err == DOCA_ERROR_NOT_PERMITTED) {
		LOG_ERR("consumer %u: its memory map is not started, or imported",
			consumer->fast.user.id);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (err)
		return err;
	consumer->max_size = priv_topo_limits()->consumer_max_buf_size;
	consumer->submitted = consumer->collected = 0;
	consumer->arrivals = (struct lane_arrivals){0};
	consumer->known = WINDOW_UNKNOWN;
	consumer->broken = false;
	watch_init(&consumer->bell, bell_ready);
	consumer->fast.post_bell = -1;
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
	count(consumer, true);
	if (!consumer->channel->is_local)
		return DOCA_ERROR_IN_PROGRESS;
	priv_poll_group_add(&ctx->pe->group, &consumer->poller);
	return DOCA_SUCCESS;
}

doca_error_t consumer_stop(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = consumer_of(ctx);

	retire(consumer);
	/* Nothing was ever posted while it was starting. */
	if (ctx->state == DOCA_CTX_STATE_STARTING ||
	    (consumer->fast.lane.tail == consumer->submitted && consumer_is_quiet(consumer))) {
		close_lane(consumer);
		return DOCA_SUCCESS;
	}
	consumer->stopping = true;
	priv_poll_group_heat(&consumer->poller);
	return DOCA_ERROR_IN_PROGRESS;
}

void consumer_idle(struct doca_ctx *ctx)
{
	count(consumer_of(ctx), false);
}

static void consumer_flush_posts(struct doca_ctx *ctx)
{
	consumer_post(consumer_of(ctx), SUBMIT_PIECES);
}

void consumer_disown(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = consumer_of(ctx);

	fast_disown(consumer->channel); /* whose connection may have ended before */
	atomic_store(&consumer->fast.user.lost, true);
	consumer->open = consumer->receiving = false; /* also for the poll that the fork was in */
	if (consumer->fault)
		priv_poll_group_timer_remove(&consumer->fault->timer);
}

static const struct ctx_ops consumer_ctx_ops = {
	.name = "comch consumer",
	.check = consumer_check,
	.start = consumer_start,
	.stop = consumer_stop,
	.idle = consumer_idle,
	.disown = consumer_disown,
	.flush = consumer_flush_posts,
};

doca_error_t consumer_create(struct fast *channel, struct doca_dev *dev, struct doca_mmap *mmap,
			     struct doca_comch_consumer **ret_consumer)
{
	struct doca_comch_consumer *consumer = calloc(1, sizeof(*consumer));
	doca_error_t err;

	if (!consumer)
		return DOCA_ERROR_NO_MEMORY;
	err = fast_user_init(channel, &consumer->fast.user, true);
	if (err) {
		free(consumer);
		return err;
	}
	priv_ctx_init(&consumer->ctx, &consumer_ctx_ops, dev);
	list_init(&consumer->poller.node);
	consumer->poller.ops = &consumer_poller_ops;
	consumer->mmap = mmap;
	priv_mmap_hold(mmap);
	fast_ref(channel);
	consumer->channel = channel;
	if (channel->is_local) /* programs send immediate data to one that was not set */
		consumer->imm_max = (uint32_t)priv_topo_limits()->consumer_max_imm_data_len;
	*ret_consumer = consumer;
	return DOCA_SUCCESS;
}

/*
 * Public
 */

doca_error_t doca_comch_consumer_create(struct doca_comch_connection *comch_connection,
					struct doca_mmap *buf_mmap,
					struct doca_comch_consumer **consumer)
{
	struct fast *fast;
	doca_error_t err;

	if (!comch_connection || !buf_mmap || !consumer)
		return DOCA_ERROR_INVALID_VALUE;
	if (!(buf_mmap->permissions & DOCA_ACCESS_FLAG_PCI_READ_WRITE)) {
		LOG_ERR("a consumer's memory map needs DOCA_ACCESS_FLAG_PCI_READ_WRITE");
		return DOCA_ERROR_NOT_PERMITTED;
	}
	fast = chan_ref_fast(&comch_connection->chan);
	if (!fast)
		return comch_connection_refuse();
	err = consumer_create(fast, comch_connection->ep->ctx.dev, buf_mmap, consumer);
	fast_unref(fast);
	return err;
}

static void consumer_release(struct pe_garbage *garbage)
{
	struct doca_comch_consumer *consumer =
		container_of(garbage, struct doca_comch_consumer, garbage);

	if (consumer->tasks)
		release_lane(consumer); /* in a child of fork(): the parent's was running */
	priv_mmap_release(consumer->mmap);
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
	pe = ctx_callback_pe(&consumer->ctx);
	fast_user_fini(consumer->channel, &consumer->fast.user);
	priv_task_pool_fini(&consumer->pool);
	priv_ctx_fini(&consumer->ctx);
	on_dpa_fini(&consumer->on_dpa.common);
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
	uint32_t limit;

	if (!consumer)
		return DOCA_ERROR_INVALID_VALUE;
	limit = fast_imm_max(consumer->channel);
	if (imm_data_len > limit) {
		LOG_ERR("consumer %u: immediate data of %u bytes; the limit "
			"%s_max_imm_data_len is %u",
			consumer->fast.user.id, imm_data_len,
			consumer->channel->is_local ? "msgq" : "consumer", limit);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (ctx_check_idle(&consumer->ctx))
		return DOCA_ERROR_BAD_STATE;
	consumer->imm_max = imm_data_len;
	consumer->imm_is_set = true;
	return DOCA_SUCCESS;
}

/*
 * For DPA code
 */

/* for setters: BAD_STATE: it is not IDLE. NOT_SUPPORTED: it is for the CPU */
static doca_error_t check_for_dpa(const struct doca_comch_consumer *consumer)
{
	if (ctx_check_idle(&consumer->ctx))
		return DOCA_ERROR_BAD_STATE;
	if (consumer->on_dpa.common.is_wanted)
		return DOCA_SUCCESS;
	LOG_ERR("consumer %u: only for a queue with doca_comch_msgq_set_dpa_consumer()",
		consumer->fast.user.id);
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t
doca_comch_consumer_set_completion(struct doca_comch_consumer *consumer,
				   struct doca_comch_consumer_completion *consumer_comp,
				   uint32_t user_data)
{
	doca_error_t err;

	(void)user_data; /* which no call of DPA code asks for */
	if (!consumer || !consumer_comp)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_for_dpa(consumer);
	return err ? err : consumer_set_completion(consumer, consumer_comp);
}

doca_error_t doca_comch_consumer_set_dev_max_num_recv(struct doca_comch_consumer *consumer,
						      uint32_t dev_num_recv)
{
	uint64_t limit = priv_topo_limits()->consumer_max_num_tasks;
	doca_error_t err;

	if (!consumer)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dev_num_recv || dev_num_recv > limit) {
		LOG_ERR("consumer %u: %u receives of DPA code; 1 to %llu are possible",
			consumer->fast.user.id, dev_num_recv, (unsigned long long)limit);
		return DOCA_ERROR_INVALID_VALUE;
	}
	err = check_for_dpa(consumer);
	if (!err)
		consumer->on_dpa.common.depth = round_up_pow2(dev_num_recv);
	return err;
}

doca_error_t doca_comch_consumer_set_dev_num_recv(struct doca_comch_consumer *consumer,
						  uint32_t dev_num_recv)
{
	return doca_comch_consumer_set_dev_max_num_recv(consumer, dev_num_recv);
}

doca_error_t doca_comch_consumer_get_dpa_handle(struct doca_comch_consumer *consumer,
						doca_dpa_dev_comch_consumer_t *dpa_consumer)
{
	doca_error_t err;

	if (!consumer || !dpa_consumer)
		return DOCA_ERROR_INVALID_VALUE;
	err = on_dpa_check_handle(&consumer->on_dpa.common, &consumer->ctx, "consumer",
				  consumer->fast.user.id);
	if (!err)
		*dpa_consumer = dpa_handle_of(consumer->on_dpa.common.place);
	return err;
}
