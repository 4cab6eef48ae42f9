/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doca_comch_producer: copies buffers straight into those that a consumer of the peer has posted.
 *
 * A send that finds a posted buffer is done inside of the submit, and only its completion is told
 * later. Otherwise, or when it is long, it waits in the queue of its lane, in order, and the polls
 * go on with it. The poller is registered only while something waits.
 */
#define LOG_MODULE "producer"
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/copy.h"
#include "base/log.h"
#include "chan/fast.h"
#include "comch/comch.h"
#include "core/buf.h"
#include "core/mmap.h"
#include "doca_comch_producer.h"

/* Longer sends are copied in the polls, a piece in each: no call blocks for long. */
#define SUBMIT_COPY_MAX (256u << 10)
#define PIECE		(2u << 20)

struct send_lane;

struct doca_comch_producer_task_send {
	struct doca_task base;
	const struct doca_buf *buf;
	uint32_t consumer_id;
	uint8_t imm_size;
	uint8_t imm[LANE_IMM_MAX];
};

/* What this producer has to do with one consumer of the peer. */
struct send_lane {
	struct lane_producer *lane;
	struct doca_comch_producer *producer;
	struct send_lane *next;	    /* in producer->lanes */
	struct list_node busy_node; /* in producer->busy while something waits */
	struct doca_comch_producer_task_send *waiting, **waiting_tail;
	struct watch post_bell; /* of our own copy of lane->post_bell; watched when first needed */
	bool copying; /* the first one that waits has claimed, and has been copied up to `copied` */
	uint32_t copied;
	struct lane_claim claim;
};

struct doca_comch_producer {
	struct doca_ctx ctx;
	struct pe_garbage garbage;
	struct poller poller;
	struct fast_user user;
	struct fast *channel;
	struct task_pool pool;
	struct send_lane *last; /* the lane used last */
	struct send_lane *lanes;
	struct list_node busy;
	bool open;
	bool stopping;
};

static struct doca_comch_producer *producer_of(struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_comch_producer, ctx);
}

static uint32_t size_of(const struct doca_comch_producer_task_send *task)
{
	return task->buf ? (uint32_t)task->buf->data_len : 0;
}

static bool is_inline(const struct doca_comch_producer_task_send *task, uint32_t size)
{
	return size + task->imm_size <= LANE_INLINE;
}

/*
 * Lanes
 */

static void post_bell_ready(struct watch *watch, uint32_t events)
{
	(void)events;
	priv_poll_group_heat(&container_of(watch, struct send_lane, post_bell)->producer->poller);
}

static struct send_lane *new_lane(struct doca_comch_producer *producer, uint32_t consumer_id)
{
	struct lane_producer *lane = fast_find(producer->channel, consumer_id);
	struct send_lane *send_lane;

	if (!lane)
		return NULL;
	send_lane = calloc(1, sizeof(*send_lane));
	if (!send_lane) {
		lane_producer_unref(lane);
		return NULL;
	}
	send_lane->lane = lane;
	send_lane->producer = producer;
	list_init(&send_lane->busy_node);
	watch_init(&send_lane->post_bell, post_bell_ready);
	send_lane->next = producer->lanes;
	producer->lanes = send_lane;
	return send_lane;
}

static void free_lane(struct send_lane *lane)
{
	assert(!lane->waiting);
	if (lane->post_bell.fd >= 0) {
		priv_poll_group_unwatch(lane->producer->user.group, &lane->post_bell);
		close(lane->post_bell.fd);
	}
	lane_producer_unref(lane->lane);
	free(lane);
}

/* drops those whose consumer is gone, so that a long-lived producer does not collect them */
static void drop_dead_lanes(struct doca_comch_producer *producer)
{
	struct send_lane **at = &producer->lanes;

	while (*at) {
		struct send_lane *lane = *at;

		if (lane->waiting || !atomic_load(&lane->lane->gone)) {
			at = &lane->next;
			continue;
		}
		*at = lane->next;
		free_lane(lane);
	}
	producer->last = NULL;
}

static bool lane_is_for(const struct send_lane *lane, uint32_t consumer_id)
{
	return lane->lane->id == consumer_id &&
	       /* Relaxed: a flag; whoever sees it late finds the lane closed. */
	       !atomic_load_explicit(&lane->lane->gone, memory_order_relaxed);
}

/* NULL: the peer has no such consumer */
static struct send_lane *find_lane(struct doca_comch_producer *producer, uint32_t consumer_id)
{
	struct send_lane *lane = producer->last;

	if (doca_likely(lane && lane_is_for(lane, consumer_id)))
		return lane;
	for (lane = producer->lanes; lane; lane = lane->next)
		if (lane_is_for(lane, consumer_id))
			break;
	if (!lane) {
		drop_dead_lanes(producer);
		lane = new_lane(producer, consumer_id);
	}
	producer->last = lane;
	return lane;
}

/*
 * Sending
 */

static void enqueue(struct send_lane *lane, struct doca_comch_producer_task_send *task)
{
	struct doca_comch_producer *producer = lane->producer;

	task->base.next = NULL;
	if (!lane->waiting)
		lane->waiting_tail = &lane->waiting;
	*lane->waiting_tail = task;
	lane->waiting_tail = (struct doca_comch_producer_task_send **)&task->base.next;
	if (list_is_linked(&lane->busy_node))
		return;
	list_add_tail(&producer->busy, &lane->busy_node);
	if (!producer->poller.group)
		priv_poll_group_add(producer->user.group, &producer->poller);
}

static doca_error_t error_of(enum lane_answer answer)
{
	switch (answer) {
	case LANE_OK:
		return DOCA_SUCCESS;
	case LANE_TOO_BIG:
		return DOCA_ERROR_INVALID_VALUE;
	default:
		return DOCA_ERROR_CONNECTION_RESET;
	}
}

/* Sends a task that fits into a line, or is short enough to be copied at once. */
static enum lane_answer send_now(struct send_lane *send_lane,
				 const struct doca_comch_producer_task_send *task, uint32_t size)
{
	struct lane_producer *lane = send_lane->lane;
	bool in_line = is_inline(task, size);
	struct lane_claim claim;
	enum lane_answer answer;

	answer = lane_claim(lane, send_lane->producer, size, in_line, &claim);
	if (doca_unlikely(answer != LANE_OK))
		return answer;
	if (!in_line)
		copy_bytes(claim.target, task->buf->data, size);
	lane_publish(lane, &claim, (uint16_t)send_lane->producer->user.id, task->imm,
		     task->imm_size, in_line && size ? task->buf->data : NULL, size);
	return LANE_OK;
}

static bool buf_is_usable(const struct doca_buf *buf)
{
	return buf_is_head(buf) && !buf->next && buf_is_sound(buf) && !buf->mmap->remote &&
	       buf->data_len <= priv_topo_limits()->producer_max_buf_size;
}

static doca_error_t send_check(const struct doca_task *base)
{
	const struct doca_comch_producer_task_send *task =
		(const struct doca_comch_producer_task_send *)base;

	if (task->buf ? !buf_is_usable(task->buf) : !task->imm_size)
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_SUCCESS;
}

static doca_error_t send_submit(struct doca_task *base, uint32_t flags)
{
	struct doca_comch_producer_task_send *task = (struct doca_comch_producer_task_send *)base;
	struct doca_comch_producer *producer = producer_of(base->pool->ctx);
	enum lane_answer answer = LANE_NO_POST;
	struct send_lane *lane;
	uint32_t size;

	(void)flags; /* a message is published by itself, there is nothing to flush */
	if (doca_unlikely(send_check(base)))
		return DOCA_ERROR_INVALID_VALUE;
	lane = find_lane(producer, task->consumer_id);
	if (doca_unlikely(!lane || task->imm_size > lane->lane->imm_max))
		return DOCA_ERROR_INVALID_VALUE;
	size = size_of(task);
	if (doca_likely(!lane->waiting && size <= SUBMIT_COPY_MAX))
		answer = send_now(lane, task, size);
	if (doca_unlikely(answer == LANE_NO_POST))
		enqueue(lane, task);
	else
		task_complete(base, error_of(answer));
	return DOCA_SUCCESS;
}

static const struct task_type send_type = {
	.name = "comch producer send",
	.check = send_check,
	.submit = send_submit,
};

/* Goes on with the first task of the lane. NO_POST: not now. OK: done, or a piece of it */
static enum lane_answer send_piece(struct send_lane *lane, bool *ret_done)
{
	struct doca_comch_producer_task_send *task = lane->waiting;
	uint32_t size = size_of(task);
	uint32_t piece;

	*ret_done = true;
	if (size <= SUBMIT_COPY_MAX)
		return send_now(lane, task, size);
	if (!lane->copying) {
		enum lane_answer answer =
			lane_claim(lane->lane, lane->producer, size, false, &lane->claim);

		if (answer != LANE_OK)
			return answer;
		lane->copying = true;
		lane->copied = 0;
	}
	piece = size - lane->copied < PIECE ? size - lane->copied : PIECE;
	copy_bytes(lane->claim.target + lane->copied, task->buf->data + lane->copied, piece);
	lane->copied += piece;
	if (lane->copied < size) {
		*ret_done = false;
		return LANE_OK;
	}
	lane->copying = false;
	lane_publish(lane->lane, &lane->claim, (uint16_t)lane->producer->user.id, task->imm,
		     task->imm_size, NULL, size);
	return LANE_OK;
}

/* The first task of the lane is finished; the next one, if any, is the first now. */
static void finish_first(struct send_lane *lane, doca_error_t status)
{
	struct doca_comch_producer_task_send *task = lane->waiting;

	lane->waiting = (struct doca_comch_producer_task_send *)task->base.next;
	if (!lane->waiting)
		list_remove(&lane->busy_node);
	task_complete(&task->base, status);
}

static unsigned int work_on_lane(struct send_lane *lane)
{
	unsigned int done = 0;

	while (lane->waiting && done < 32) {
		enum lane_answer answer;
		bool finished;

		answer = atomic_load_explicit(&lane->lane->gone, memory_order_relaxed)
				 ? LANE_GONE
				 : send_piece(lane, &finished);
		if (answer == LANE_NO_POST)
			break;
		done++;
		if (answer == LANE_OK && !finished)
			break; /* one piece per poll */
		lane->copying = false;
		finish_first(lane, error_of(answer));
	}
	return done;
}

static void fail_all(struct doca_comch_producer *producer, doca_error_t status)
{
	struct send_lane *lane;

	for (lane = producer->lanes; lane; lane = lane->next) {
		lane->copying = false;
		while (lane->waiting)
			finish_first(lane, status);
	}
}

/*
 * Start, stop, poll
 */

static void producer_close(struct doca_comch_producer *producer)
{
	producer->open = false;
	producer->stopping = false;
	priv_poll_group_remove(&producer->poller);
	fast_leave(producer->channel, &producer->user);
	while (producer->lanes) {
		struct send_lane *lane = producer->lanes;

		producer->lanes = lane->next;
		free_lane(lane);
	}
	producer->last = NULL;
}

static bool producer_is_lost(const struct doca_comch_producer *producer)
{
	return atomic_load_explicit(&producer->user.lost, memory_order_relaxed);
}

/* Copies that have begun are brought to their end, so that the consumer can rely on what it counts.
 */
static bool has_begun_copies(const struct doca_comch_producer *producer)
{
	const struct send_lane *lane;

	for (lane = producer->lanes; lane; lane = lane->next)
		if (lane->copying)
			return true;
	return false;
}

static unsigned int producer_poll(struct poller *poller)
{
	struct doca_comch_producer *producer =
		container_of(poller, struct doca_comch_producer, poller);
	struct list_node *node, *tmp;
	unsigned int done = 0;

	list_for_each_safe (node, tmp, &producer->busy) {
		struct send_lane *lane = container_of(node, struct send_lane, busy_node);

		if (!producer->stopping || lane->copying)
			done += work_on_lane(lane);
	}
	if (doca_unlikely(producer->stopping && !has_begun_copies(producer))) {
		fail_all(producer, DOCA_ERROR_IO_FAILED);
		producer_close(producer);
		priv_ctx_stopped(&producer->ctx);
		return done + 1;
	}
	if (list_is_empty(&producer->busy))
		priv_poll_group_remove(poller);
	return done;
}

/* our own copy of the bell: a group can watch a descriptor once, and another producer may do so */
static void watch_post_bell(struct send_lane *lane)
{
	lane->post_bell.fd = fcntl(lane->lane->post_bell, F_DUPFD_CLOEXEC, 0);
	if (lane->post_bell.fd >= 0 &&
	    priv_poll_group_watch(lane->producer->user.group, &lane->post_bell, EPOLLIN)) {
		close(lane->post_bell.fd);
		lane->post_bell.fd = -1;
	}
}

static void producer_arm(struct poller *poller)
{
	struct doca_comch_producer *producer =
		container_of(poller, struct doca_comch_producer, poller);
	struct list_node *node;

	list_for_each (node, &producer->busy) {
		struct send_lane *lane = container_of(node, struct send_lane, busy_node);

		if (lane->post_bell.fd < 0)
			watch_post_bell(lane);
		lane_wait_for_post(lane->lane);
	}
}

static bool producer_pending(struct poller *poller)
{
	struct doca_comch_producer *producer =
		container_of(poller, struct doca_comch_producer, poller);
	struct list_node *node;

	if (producer->stopping)
		return true;
	list_for_each (node, &producer->busy) {
		struct send_lane *lane = container_of(node, struct send_lane, busy_node);

		if (lane->copying || lane->post_bell.fd < 0 || lane_has_post(lane->lane) ||
		    atomic_load(&lane->lane->gone))
			return true;
	}
	return false;
}

static void producer_disarm(struct poller *poller)
{
	(void)poller; /* a wake-up too many does no harm */
}

static const struct poller_ops producer_poller_ops = {
	.poll = producer_poll,
	.arm = producer_arm,
	.pending = producer_pending,
	.disarm = producer_disarm,
};

/* The connection is gone: all that waits fails, and so does the context. */
static void noticed(struct watch *watch, uint32_t events)
{
	struct doca_comch_producer *producer =
		container_of(watch, struct doca_comch_producer, user.notice);

	(void)events;
	if (!producer_is_lost(producer) || !producer->open)
		return;
	fail_all(producer, DOCA_ERROR_CONNECTION_RESET);
	producer_close(producer);
	priv_ctx_fail(&producer->ctx);
	if (producer->ctx.state == DOCA_CTX_STATE_STOPPING)
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

static doca_error_t producer_start(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = producer_of(ctx);
	doca_error_t err;

	err = priv_task_pool_start(&producer->pool);
	if (err)
		return err;
	err = fast_join(producer->channel, &producer->user, &ctx->pe->group, noticed);
	if (err)
		return err;
	producer->open = true;
	atomic_fetch_add(&producer->channel->active, 1);
	return DOCA_SUCCESS;
}

static doca_error_t producer_stop(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = producer_of(ctx);

	if (list_is_empty(&producer->busy)) {
		producer_close(producer);
		return DOCA_SUCCESS;
	}
	producer->stopping = true;
	priv_poll_group_heat(&producer->poller);
	return DOCA_ERROR_IN_PROGRESS;
}

static void producer_idle(struct doca_ctx *ctx)
{
	atomic_fetch_sub(&producer_of(ctx)->channel->active, 1);
}

static const struct ctx_ops producer_ctx_ops = {
	.name = "comch producer",
	.check = producer_check,
	.start = producer_start,
	.stop = producer_stop,
	.idle = producer_idle,
};

/*
 * Public
 */

doca_error_t doca_comch_producer_create(struct doca_comch_connection *comch_connection,
					struct doca_comch_producer **producer)
{
	struct doca_comch_producer *new_producer;

	if (!comch_connection || !producer)
		return DOCA_ERROR_INVALID_VALUE;
	if (!comch_connection_is_open(comch_connection))
		return DOCA_ERROR_BAD_STATE;
	new_producer = calloc(1, sizeof(*new_producer));
	if (!new_producer)
		return DOCA_ERROR_NO_MEMORY;
	priv_ctx_init(&new_producer->ctx, &producer_ctx_ops, comch_connection->ep->ctx.dev);
	list_init(&new_producer->user.node);
	list_init(&new_producer->poller.node);
	list_init(&new_producer->busy);
	new_producer->poller.ops = &producer_poller_ops;
	new_producer->channel = comch_connection->chan.fast;
	fast_ref(new_producer->channel);
	new_producer->user.id = fast_new_producer_id(new_producer->channel);
	*producer = new_producer;
	return DOCA_SUCCESS;
}

static void producer_release(struct pe_garbage *garbage)
{
	struct doca_comch_producer *producer =
		container_of(garbage, struct doca_comch_producer, garbage);

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
	pe = producer->ctx.pe;
	priv_task_pool_fini(&producer->pool);
	priv_ctx_fini(&producer->ctx);
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

doca_error_t doca_comch_producer_task_send_set_conf(
	struct doca_comch_producer *producer,
	doca_comch_producer_task_send_completion_cb_t task_completion_cb,
	doca_comch_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks)
{
	if (!producer)
		return DOCA_ERROR_INVALID_VALUE;
	return priv_task_pool_configure(&producer->pool, &producer->ctx, &send_type,
					sizeof(struct doca_comch_producer_task_send),
					(doca_task_completion_cb_t)task_completion_cb,
					(doca_task_completion_cb_t)task_error_cb, num_send_tasks,
					(uint32_t)priv_topo_limits()->producer_max_num_tasks);
}

/* false: too long */
static bool set_imm(struct doca_comch_producer_task_send *task, const uint8_t *imm, uint32_t size)
{
	if (size > LANE_IMM_MAX || (size && !imm))
		return false;
	memcpy(task->imm, imm, size);
	task->imm_size = (uint8_t)size;
	return true;
}

doca_error_t doca_comch_producer_task_send_alloc_init(struct doca_comch_producer *producer,
						      const struct doca_buf *buf, uint8_t *imm_data,
						      uint32_t imm_data_len, uint32_t consumer_id,
						      struct doca_comch_producer_task_send **task)
{
	struct doca_task *base;
	doca_error_t err;

	if (doca_unlikely(!producer || !task || imm_data_len > LANE_IMM_MAX ||
			  (imm_data_len && !imm_data) || (!buf && !imm_data_len)))
		return DOCA_ERROR_INVALID_VALUE;
	err = task_alloc(&producer->pool, &base);
	if (doca_unlikely(err))
		return err;
	*task = (struct doca_comch_producer_task_send *)base;
	(*task)->buf = buf;
	(*task)->consumer_id = consumer_id;
	(*task)->imm_size = 0;
	if (imm_data_len)
		set_imm(*task, imm_data, imm_data_len);
	return DOCA_SUCCESS;
}

const struct doca_buf *
doca_comch_producer_task_send_get_buf(const struct doca_comch_producer_task_send *task)
{
	return task->buf;
}

void doca_comch_producer_task_send_set_buf(struct doca_comch_producer_task_send *task,
					   const struct doca_buf *buf)
{
	task->buf = buf;
}

uint32_t
doca_comch_producer_task_send_get_consumer_id(const struct doca_comch_producer_task_send *task)
{
	return task->consumer_id;
}

void doca_comch_producer_task_send_set_consumer_id(struct doca_comch_producer_task_send *task,
						   const uint32_t consumer_id)
{
	task->consumer_id = consumer_id;
}

uint8_t *
doca_comch_producer_task_send_get_imm_data(const struct doca_comch_producer_task_send *task)
{
	return task->imm_size ? (uint8_t *)task->imm : NULL;
}

uint32_t
doca_comch_producer_task_send_get_imm_data_len(const struct doca_comch_producer_task_send *task)
{
	return task->imm_size;
}

void doca_comch_producer_task_send_set_imm_data(struct doca_comch_producer_task_send *task,
						uint8_t *imm_data, uint32_t imm_data_len)
{
	if (!set_imm(task, imm_data, imm_data_len))
		LOG_ERR("immediate data of %u bytes; at most %u", imm_data_len, LANE_IMM_MAX);
}

struct doca_task *doca_comch_producer_task_send_as_task(struct doca_comch_producer_task_send *task)
{
	return &task->base;
}
