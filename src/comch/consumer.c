/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doca_comch_consumer: takes messages out of its lane; life cycle.
 */
#define LOG_MODULE "comch"
#include <stdlib.h>
#include <unistd.h>
#include "base/copy.h"
#include "base/log.h"
#include "comch/consumer.h"

/* Messages handled per poll: bounded, so that one busy lane cannot starve the others. */
#define POLL_MAX 64
#define POLL_MIN 8 /* this many in any case */

/* Bytes copied out of shadow memory per poll: no call blocks for long. */
#define COLLECT_MAX (1u << 19)

/*
 * Receiving
 */

/* Reads a line once and checks it; false: it is impossible. */
static inline bool read_line(const struct lane_line *line,
			     struct doca_comch_consumer_task_post_recv *task, uint32_t imm_max)
{
	struct lane_head head = lane_unpack_head(*(const volatile uint64_t *)&line->word);

	if (doca_unlikely(head.size > task->room || head.imm_size > imm_max))
		return false;
	task->producer_id = head.producer_id;
	task->imm_size = (uint8_t)head.imm_size;
	if (doca_unlikely(head.imm_size))
		copy_inline(task->imm, line->data, head.imm_size);
	task->size = 0; /* what is still to be collected */
	if (lane_is_inline(head.size, head.imm_size))
		copy_inline(task->addr, line->data + head.imm_size, head.size);
	else
		task->size = head.size;
	if (doca_likely(task->buf != NULL))
		task->buf->data_len += head.size;
	return true;
}

/* The peer has broken the rules: no message of it will be read any more. */
static void lose(struct doca_comch_consumer *consumer, const char *what)
{
	LOG_WRN("consumer %u: the peer has written %s", consumer->fast.user.id, what);
	consumer->broken = true;
	atomic_store(&consumer->fast.user.lost, true);
}

static bool consumer_is_lost(const struct doca_comch_consumer *consumer)
{
	/* Relaxed: a flag; what was in the lane before is looked at first. */
	return atomic_load_explicit(&consumer->fast.user.lost, memory_order_relaxed);
}

/* Takes the data of a message out of shadow memory, up to the budget; true: all of it */
static bool collect(struct doca_comch_consumer *consumer,
		    const struct doca_comch_consumer_task_post_recv *task, uint32_t *budget)
{
	uint32_t count = task->size - consumer->collected;

	if (count > *budget)
		count = *budget;
	priv_window_collect(consumer->window, task->addr + consumer->collected, count, task->size);
	*budget -= count;
	consumer->collected += count;
	if (consumer->collected < task->size)
		return false;
	consumer->collected = 0;
	return true;
}

/*
 * Takes a message that is not simply in its buffer. false: not to the end, or it is impossible. A
 * task that was freed while it was posted is done with, and so may its memory be.
 */
static bool take_slowly(struct doca_comch_consumer *consumer, const struct lane_line *line,
			struct doca_comch_consumer_task_post_recv *task, uint32_t *budget)
{
	if (task->base.state == TASK_ABANDONED)
		return true;
	if (!*budget)
		return false;
	if (!consumer->collected && !read_line(line, task, consumer->imm_max)) {
		lose(consumer, "an impossible message");
		return false;
	}
	return task->direct || collect(consumer, task, budget);
}

static bool has_line(const void *lane, uint32_t index)
{
	return lane_has_line(lane, index);
}

/*
 * How many messages may be taken in this poll? Half of what is posted, so that the producer fills
 * the rest while the receives of this poll are on their way back to it.
 */
static inline unsigned int poll_max(const struct doca_comch_consumer *consumer)
{
	const struct lane_consumer *lane = &consumer->fast.lane;
	uint32_t half = (lane->published - lane->tail) / 2;
	uint32_t max = half < POLL_MIN ? POLL_MIN : half < POLL_MAX ? half : POLL_MAX;

	if (doca_likely(!consumer->fault))
		return max;
	return priv_fault_count_due(consumer->fault, lane, lane->tail, has_line, max);
}

/* Messages that were taken are counted, and what is due then happens. */
static void suffer_faults(struct doca_comch_consumer *consumer, uint32_t count)
{
	while (count--)
		priv_fault_count(consumer->fault);
	if (priv_fault_strike(consumer->fault))
		fast_break(consumer->channel);
}

static unsigned int receive(struct doca_comch_consumer *consumer)
{
	struct lane_consumer *lane = &consumer->fast.lane;
	struct doca_pe *pe = consumer->ctx.pe;
	const struct lane_line *line;
	uint32_t budget = COLLECT_MAX, first;
	unsigned int count = 0, max;

	if (lane->gather.looks)
		while (gather_goes_on(&lane->gather, lane_has_line(lane, lane->gather.index)))
			clock_relax();
	max = poll_max(consumer);
	first = lane->tail;
	consumer->receiving = true;
	while (count < max && consumer->open && (line = lane_peek(lane))) {
		struct doca_comch_consumer_task_post_recv *task;

		if (doca_unlikely(lane->tail == lane->published)) {
			lose(consumer, "a message without a posted receive");
			break;
		}
		task = *consumer_slot(consumer, lane->tail);
		count++;
		if (doca_unlikely(!task->direct || task->base.state == TASK_ABANDONED ||
				  !read_line(line, task, consumer->imm_max)) &&
		    !take_slowly(consumer, line, task, &budget))
			break;
		lane->tail++;
		task_report(&task->base, DOCA_SUCCESS);
		pe_tell_done(pe);
	}
	consumer->receiving = false;
	if (!consumer->open)
		return count;
	if (doca_unlikely(consumer->fault != NULL))
		suffer_faults(consumer, lane->tail - first);
	consumer_post_more(consumer);
	if (count)
		sleeper_note_work(&lane->sleeper);
	if (count < max)
		gather_note(&lane->gather, count, lane->tail, lane->published - lane->tail);
	return count;
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

/* undoes what consumer_start() has done so far */
static void close_lane(struct doca_comch_consumer *consumer)
{
	consumer->open = false;
	consumer->stopping = false;
	priv_fault_destroy(consumer->fault);
	consumer->fault = NULL;
	priv_poll_group_remove(&consumer->poller);
	priv_poll_group_unwatch(&consumer->ctx.pe->group, &consumer->bell);
	fast_leave(consumer->channel, &consumer->fast.user);
	if (consumer->bell.fd >= 0)
		close(consumer->bell.fd);
	if (consumer->fast.post_bell >= 0)
		close(consumer->fast.post_bell);
	lane_consumer_fini(&consumer->fast.lane);
	priv_window_unref(consumer->window);
	free(consumer->tasks);
	consumer->tasks = NULL;
}

/* Tells the peer that there will be no more posts. */
static void retire(struct doca_comch_consumer *consumer)
{
	fast_retire(consumer->channel, &consumer->fast);
	if (lane_consumer_close(&consumer->fast.lane) && consumer->fast.post_bell >= 0)
		priv_eventfd_ring(consumer->fast.post_bell);
}

/* Does the peer write no more? */
static bool is_quiet(struct doca_comch_consumer *consumer)
{
	struct lane_consumer *lane = &consumer->fast.lane;
	uint32_t claims = lane_count_claims(lane);

	if (claims > lane->published - lane->tail && !consumer->broken)
		lose(consumer, "more claims than there are posted receives");
	return !claims || consumer_is_lost(consumer);
}

/* Stops, one step a poll: tells the program, waits for the peer, fails what is still posted. */
static unsigned int end(struct doca_comch_consumer *consumer)
{
	unsigned int done;

	if (!consumer->stopping) {
		consumer->stopping = true;
		retire(consumer);
		priv_ctx_fail(&consumer->ctx);
		return 1;
	}
	if (!is_quiet(consumer))
		return 0;
	done = flush(consumer);
	if (!consumer->open)
		return done; /* in a child of a callback */
	close_lane(consumer);
	priv_ctx_stopped(&consumer->ctx);
	return done + 1;
}

/* Messages that are there come first. */
static bool has_message(const struct doca_comch_consumer *consumer)
{
	return !consumer->broken && lane_peek(&consumer->fast.lane) &&
	       (doca_likely(!consumer->fault) || !consumer->fault->spent);
}

static unsigned int consumer_poll(struct poller *poller)
{
	struct doca_comch_consumer *consumer =
		container_of(poller, struct doca_comch_consumer, poller);
	unsigned int done = doca_unlikely(consumer->broken) ? 0 : receive(consumer);

	if (doca_unlikely(!consumer->open))
		return done;
	if (doca_unlikely(consumer->stopping || consumer_is_lost(consumer)))
		return done || has_message(consumer) ? done : end(consumer);
	if (doca_unlikely(consumer_has_unposted(consumer)))
		done += consumer_post_more(consumer);
	return done;
}

static bool consumer_arm(struct poller *poller, bool often)
{
	struct lane_consumer *lane =
		&container_of(poller, struct doca_comch_consumer, poller)->fast.lane;

	lane->gather.looks = 0; /* whoever wants to sleep takes what there is */
	return sleeper_announce(&lane->sleeper, often);
}

static bool consumer_pending(struct poller *poller)
{
	struct doca_comch_consumer *consumer =
		container_of(poller, struct doca_comch_consumer, poller);

	/* What is held back on purpose heats the poller when it is due. */
	if (has_message(consumer) && poll_max(consumer))
		return true;
	if (consumer_is_lost(consumer))
		return !has_message(consumer);
	return consumer->stopping ? is_quiet(consumer) : consumer_has_unposted(consumer);
}

static void consumer_disarm(struct poller *poller)
{
	struct doca_comch_consumer *consumer =
		container_of(poller, struct doca_comch_consumer, poller);

	sleeper_revoke(&consumer->fast.lane.sleeper);
}

static const struct poller_ops consumer_poller_ops = {
	.poll = consumer_poll,
	.arm = consumer_arm,
	.pending = consumer_pending,
	.disarm = consumer_disarm,
};

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
	consumer->tasks = calloc(lane->mask + 1, sizeof(*consumer->tasks));
	if (!consumer->tasks)
		return DOCA_ERROR_NO_MEMORY;
	err = priv_eventfd_create(&consumer->bell.fd);
	if (err)
		return err;
	err = priv_fault_create(&consumer->poller, lane->mask + 1, &consumer->fault);
	if (err)
		return err;
	consumer->fast.bell = consumer->bell.fd;
	consumer->fast.window = consumer->window;
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
	if (err == DOCA_ERROR_NOT_PERMITTED) {
		LOG_ERR("consumer %u: its memory map is not started, or imported",
			consumer->fast.user.id);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (err)
		return err;
	consumer->submitted = consumer->collected = 0;
	consumer->direct = consumer->direct_end = NULL;
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
	atomic_fetch_add(&consumer->channel->active, 1);
	return DOCA_ERROR_IN_PROGRESS;
}

static doca_error_t consumer_stop(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = consumer_of(ctx);

	retire(consumer);
	/* Nothing was ever posted while it was starting. */
	if (ctx->state == DOCA_CTX_STATE_STARTING ||
	    (consumer->fast.lane.tail == consumer->submitted && is_quiet(consumer))) {
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
	consumer_post_more(consumer_of(ctx));
}

static void consumer_disown(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = consumer_of(ctx);

	atomic_store(&consumer->fast.user.lost, true);
	consumer->open = false; /* also for the poll that the fork was in */
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

/*
 * Public
 */

doca_error_t doca_comch_consumer_create(struct doca_comch_connection *comch_connection,
					struct doca_mmap *buf_mmap,
					struct doca_comch_consumer **consumer)
{
	struct doca_comch_consumer *new_consumer;
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
		return DOCA_ERROR_BAD_STATE;
	new_consumer = calloc(1, sizeof(*new_consumer));
	err = new_consumer ? fast_user_init(fast, &new_consumer->fast.user, true)
			   : DOCA_ERROR_NO_MEMORY;
	if (err) {
		free(new_consumer);
		fast_unref(fast);
		return err;
	}
	priv_ctx_init(&new_consumer->ctx, &consumer_ctx_ops, comch_connection->ep->ctx.dev);
	list_init(&new_consumer->poller.node);
	new_consumer->poller.ops = &consumer_poller_ops;
	new_consumer->mmap = buf_mmap;
	priv_mmap_hold(buf_mmap);
	new_consumer->channel = fast;
	*consumer = new_consumer;
	return DOCA_SUCCESS;
}

static void consumer_release(struct pe_garbage *garbage)
{
	struct doca_comch_consumer *consumer =
		container_of(garbage, struct doca_comch_consumer, garbage);

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
	pe = consumer->ctx.pe;
	fast_user_fini(consumer->channel, &consumer->fast.user);
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
