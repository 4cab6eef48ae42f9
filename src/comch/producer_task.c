/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Producer send tasks.
 *
 * A send that finds a posted buffer is done inside of the submit, and only its completion is told
 * later. Otherwise, or when it is long, it waits in a queue (producer_queue.c). So do those that
 * can share a line and that the program does not want to be sent one by one: submitted without the
 * flush flag, or from the callbacks of tasks, but for the last one before the polls.
 */
#define LOG_MODULE "comch"
#include "base/log.h"
#include "comch/producer_send.h"

/* The immediate data of a task that was set to what cannot be: its submit is refused. */
#define IMM_REFUSED UINT8_MAX

static inline uint32_t size_of(const struct doca_comch_producer_task_send *task)
{
	return task->buf ? (uint32_t)task->buf->data_len : 0;
}

static inline bool buf_is_sendable(const struct doca_buf *buf)
{
	return buf_is_single(buf) && buf_is_sound(buf) && !buf->mmap->remote;
}

static inline bool is_sendable(const struct doca_comch_producer *producer,
			       const struct doca_comch_producer_task_send *task)
{
	const struct doca_buf *buf = task->buf;

	if (doca_unlikely(!buf))
		return send_imm_size(task);
	return buf_is_sendable(buf) && buf->data_len <= producer->max_size;
}

static doca_error_t send_check(const struct doca_task *base)
{
	const struct doca_comch_producer_task_send *task =
		(const struct doca_comch_producer_task_send *)base;

	if (task->buf && buf_is_free(task->buf))
		return DOCA_ERROR_INVALID_VALUE; /* a submit does not ask: that is the fast path */
	return is_sendable(producer_of(base->pool->ctx), task) ? DOCA_SUCCESS
							       : DOCA_ERROR_INVALID_VALUE;
}

static __attribute__((noinline)) void submit_now(struct send_queue *queue,
						 struct doca_comch_producer_task_send *task)
{
	doca_error_t err = send_task(queue, task, task->buf ? task->buf->data : NULL);

	if (doca_unlikely(err == DOCA_ERROR_AGAIN))
		producer_enqueue(queue, task);
	else
		task_complete(&task->base, err);
}

/* Does the program not want it to be sent at once? */
static inline bool may_wait(const struct doca_comch_producer *producer, uint32_t flags)
{
	return !(flags & DOCA_TASK_SUBMIT_FLAG_FLUSH) || producer->ctx.pe->round == PE_ROUND_MORE;
}

/* Why a task is refused; not logged as an error: programs try again and again. */

static __attribute__((cold)) doca_error_t
refuse_buffer(const struct doca_comch_producer *producer,
	      const struct doca_comch_producer_task_send *task)
{
	LOG_DBG("producer %u: %s", producer->user.id,
		task->buf ? "the buffer of the task is a list, has data outside of itself or of a "
			    "map that is imported or not started, or more than it can send"
			  : "a task without a buffer and without immediate data");
	return DOCA_ERROR_INVALID_VALUE;
}

static __attribute__((cold)) doca_error_t
refuse_consumer(const struct doca_comch_producer *producer,
		const struct doca_comch_producer_task_send *task)
{
	LOG_DBG("producer %u: there is no consumer %u", producer->user.id, send_consumer(task));
	return DOCA_ERROR_INVALID_VALUE;
}

static __attribute__((cold)) doca_error_t
refuse_imm(const struct doca_comch_producer *producer,
	   const struct doca_comch_producer_task_send *task, uint32_t max)
{
	LOG_DBG("producer %u: immediate data of %u bytes; consumer %u takes %u", producer->user.id,
		send_imm_size(task), send_consumer(task), max);
	return DOCA_ERROR_INVALID_VALUE;
}

static inline uint64_t plain_size_of(const struct doca_comch_producer_task_send *task)
{
	uint32_t size = size_of(task);
	uint64_t plain_size = send_pack_size(size, send_imm_size(task));

	return size && task->buf->mmap->thread_safe ? plain_size | SEND_IS_GUARDED : plain_size;
}

/* Is it one of those that share lines? */
static inline bool goes_with_others(const struct doca_comch_producer *producer,
				    const struct doca_comch_producer_task_send *task)
{
	uint64_t size = task->plain_size;

	return send_line_size(task) < producer->share_below ||
	       (size >= producer->line_below && size < producer->batch_below);
}

/* The task, which could be sent at once, waits for others to share a line with. */
static inline doca_error_t wait_for_others(struct doca_comch_producer *producer,
					   struct send_queue *queue,
					   struct doca_comch_producer_task_send *task,
					   const char *data, uint64_t plain_size)
{
	queue_append(queue, task, data, plain_size);
	if (doca_unlikely(!--producer->may_defer) || doca_unlikely(queue->waiting == task))
		return producer_note_deferred(queue, task);
	return DOCA_SUCCESS;
}

/* Sends whatever it is: also what the short ways of producer_submit() do not take. */
static __attribute__((noinline)) doca_error_t producer_submit_any(struct doca_task *base,
								  uint32_t flags)
{
	struct doca_comch_producer_task_send *task = (struct doca_comch_producer_task_send *)base;
	struct doca_comch_producer *producer = producer_of(base->pool->ctx);
	struct send_queue *queue = producer->last;
	uint8_t imm_size = send_imm_size(task);

	if (doca_unlikely(!is_sendable(producer, task)))
		return refuse_buffer(producer, task);
	if (doca_unlikely(!lane_leads_to(queue->lane, send_consumer(task)))) {
		queue = producer_find_queue(producer, send_consumer(task));
		if (!queue)
			return refuse_consumer(producer, task);
	}
	if (doca_unlikely(imm_size > queue->lane->imm_max))
		return refuse_imm(producer, task, queue->lane->imm_max);
	task->plain_size = plain_size_of(task);
	task_accept(base);
	if (may_wait(producer, flags) && goes_with_others(producer, task))
		return wait_for_others(producer, queue, task, task->buf ? task->buf->data : NULL,
				       task->plain_size);
	/* What shares no line with what was put off does not wait for the polls behind it. */
	if (doca_unlikely(queue->waiting) && !goes_with_others(producer, task))
		producer_flush(producer);
	if (doca_unlikely(queue->waiting || send_size(task) >= producer->submit_below))
		producer_enqueue(queue, task);
	else
		submit_now(queue, task);
	if (!may_wait(producer, flags))
		producer_flush(producer);
	return DOCA_SUCCESS;
}

/* Is it data of an ordinary map? */
static inline bool is_ordinary_buf(const struct doca_buf *buf)
{
	size_t space;

	return doca_likely(buf_is_single(buf)) && doca_likely(buf_find_space(buf, &space)) &&
	       doca_likely(mmap_is_ordinary(buf->mmap));
}

/* Is it such data, without immediate data, for the consumer of the last one? */
static inline bool is_ordinary(const struct doca_comch_producer_task_send *task,
			       const struct send_queue *queue)
{
	return doca_likely(task->buf != NULL) && is_ordinary_buf(task->buf) &&
	       doca_likely(lane_leads_to(queue->lane, task->target));
}

static inline doca_error_t put_off(struct doca_comch_producer *producer, struct send_queue *queue,
				   struct doca_comch_producer_task_send *task, const char *data,
				   uint64_t plain_size)
{
	task_take(&producer->ctx, &task->base);
	return wait_for_others(producer, queue, task, data, plain_size);
}

/* A message was sent inside of its submit. */
static inline void finish_now(struct doca_comch_producer *producer, struct send_queue *queue,
			      struct doca_comch_producer_task_send *task)
{
	struct doca_pe *pe = producer->ctx.pe;

	task_take(&producer->ctx, &task->base);
	task_done(pe, &task->base, DOCA_SUCCESS);
	if (doca_unlikely(pe->group.armed) || lane_may_want_wake(queue->lane))
		producer_end_sleeps(queue->lane, pe);
}

/*
 * Straight code without calls: what goes in a line, to a consumer of which a receive is known.
 */
static __attribute__((noinline)) doca_error_t send_alone(struct doca_comch_producer_task_send *task,
							 size_t size, struct send_queue *queue,
							 struct doca_comch_producer *producer)
{
	if (doca_unlikely(!list_is_empty(&producer->busy)) ||
	    doca_unlikely(
		    !send_line(producer, queue->lane, task->buf->data, (uint32_t)size, NULL, 0)))
		return producer_submit_any(&task->base, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	finish_now(producer, queue, task);
	return DOCA_SUCCESS;
}

/* The same for immediate data, and data. */
static __attribute__((noinline)) doca_error_t
send_imm_alone(struct doca_comch_producer_task_send *task, size_t size, struct send_queue *queue,
	       struct doca_comch_producer *producer)
{
	const char *data = size ? task->buf->data : NULL;

	if (doca_unlikely(!list_is_empty(&producer->busy)) ||
	    doca_unlikely(!send_line(producer, queue->lane, data, (uint32_t)size, task->imm,
				     send_imm_size(task))))
		return producer_submit_any(&task->base, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	finish_now(producer, queue, task);
	return DOCA_SUCCESS;
}

/* What is not ordinary: mostly immediate data, alone or with data, and it fits into a line. */
static __attribute__((noinline)) doca_error_t submit_imm(struct doca_task *base, uint32_t flags)
{
	struct doca_comch_producer_task_send *task = (struct doca_comch_producer_task_send *)base;
	struct doca_comch_producer *producer = producer_of(base->pool->ctx);
	struct send_queue *queue = producer->last;
	const struct doca_buf *buf = task->buf;
	const char *data = buf ? buf->data : NULL;
	size_t size = buf ? buf->data_len : 0;
	uint8_t imm_size = send_imm_size(task);

	if (doca_unlikely(!imm_size) || doca_unlikely(buf && !is_ordinary_buf(buf)) ||
	    doca_unlikely(!lane_leads_to(queue->lane, send_consumer(task))) ||
	    doca_unlikely(imm_size > queue->lane->imm_max) ||
	    doca_unlikely(size + imm_size >= producer->line_below))
		return producer_submit_any(base, flags);
	if (size + imm_size < producer->share_below && may_wait(producer, flags))
		return put_off(producer, queue, task, data,
			       send_pack_size((uint32_t)size, imm_size));
	return send_imm_alone(task, size, queue, producer);
}

/* The same for what goes into the buffer of a receive, for no line has all of it. */
static __attribute__((noinline)) doca_error_t send_copy(struct doca_comch_producer_task_send *task,
							size_t size, struct send_queue *queue,
							struct doca_comch_producer *producer)
{
	if (size <= LANE_INLINE)
		__builtin_unreachable(); /* tells the compiler */
	if (doca_unlikely(!list_is_empty(&producer->busy)) ||
	    doca_unlikely(send_now(producer, queue->lane, task->buf->data, (uint32_t)size, NULL,
				   0) != LANE_OK))
		return producer_submit_any(&task->base, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	finish_now(producer, queue, task);
	return DOCA_SUCCESS;
}

static doca_error_t producer_submit(struct doca_task *base, uint32_t flags)
{
	struct doca_comch_producer_task_send *task = (struct doca_comch_producer_task_send *)base;
	struct doca_comch_producer *producer = producer_of(base->pool->ctx);
	struct send_queue *queue = producer->last;
	size_t size;

	if (doca_unlikely(!is_ordinary(task, queue)))
		return submit_imm(base, flags);
	size = task->buf->data_len;
	if (size < producer->share_below && may_wait(producer, flags))
		return put_off(producer, queue, task, task->buf->data, size);
	if (doca_likely(size < producer->line_below))
		return send_alone(task, size, queue, producer);
	if (size < producer->batch_below && may_wait(producer, flags))
		return put_off(producer, queue, task, task->buf->data, size);
	return size < producer->submit_below ? send_copy(task, size, queue, producer)
					     : producer_submit_any(base, flags);
}

static const struct task_type send_type = {
	.name = "comch producer send",
	.check = send_check,
	.submit = producer_submit,
};

doca_error_t producer_configure_sends(struct doca_comch_producer *producer,
				      doca_comch_producer_task_send_completion_cb_t completion_cb,
				      doca_comch_producer_task_send_completion_cb_t error_cb,
				      uint32_t count, uint32_t max)
{
	return priv_task_pool_configure(
		&producer->pool, &producer->ctx,
		&(struct task_pool_config){
			.type = &send_type,
			.task_size = offsetof(struct doca_comch_producer_task_send, imm) +
				     fast_imm_max(producer->channel),
			.completion_cb = (doca_task_completion_cb_t)completion_cb,
			.error_cb = (doca_task_completion_cb_t)error_cb,
			.count = count,
			.max = max,
		});
}

/*
 * Public
 */

doca_error_t doca_comch_producer_task_send_set_conf(
	struct doca_comch_producer *producer,
	doca_comch_producer_task_send_completion_cb_t task_completion_cb,
	doca_comch_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks)
{
	if (!producer)
		return DOCA_ERROR_INVALID_VALUE;
	if (producer->on_dpa.common.is_wanted) {
		LOG_ERR("producer %u: on a DPA it has no tasks", producer->user.id);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	return producer_configure_sends(producer, task_completion_cb, task_error_cb, num_send_tasks,
					(uint32_t)priv_topo_limits()->producer_max_num_tasks);
}

static bool is_imm(const struct doca_comch_producer *producer, const uint8_t *imm, uint32_t size)
{
	return size <= producer->imm_max && (imm || !size);
}

static void set_imm(struct doca_comch_producer_task_send *task, const uint8_t *imm, uint32_t size)
{
	send_set_target(task, send_consumer(task), (uint8_t)size);
	if (size)
		memcpy(task->imm, imm, size);
}

doca_error_t doca_comch_producer_task_send_alloc_init(struct doca_comch_producer *producer,
						      const struct doca_buf *buf, uint8_t *imm_data,
						      uint32_t imm_data_len, uint32_t consumer_id,
						      struct doca_comch_producer_task_send **task)
{
	struct doca_task *base;
	doca_error_t err;

	if (doca_unlikely(!producer || !task) ||
	    doca_unlikely(imm_data_len ? !is_imm(producer, imm_data, imm_data_len) : !buf))
		return DOCA_ERROR_INVALID_VALUE;
	err = task_alloc(&producer->pool, &base);
	if (doca_unlikely(err))
		return producer->on_dpa.common.is_wanted
			       ? on_dpa_refuse_task("producer", producer->user.id)
			       : err;
	*task = (struct doca_comch_producer_task_send *)base;
	(*task)->buf = buf;
	send_set_target(*task, consumer_id, 0);
	if (doca_unlikely(imm_data_len != 0))
		set_imm(*task, imm_data, imm_data_len);
	return DOCA_SUCCESS;
}

const struct doca_buf *
doca_comch_producer_task_send_get_buf(const struct doca_comch_producer_task_send *task)
{
	return task ? task->buf : NULL;
}

void doca_comch_producer_task_send_set_buf(struct doca_comch_producer_task_send *task,
					   const struct doca_buf *buf)
{
	if (task)
		task->buf = buf;
}

uint32_t
doca_comch_producer_task_send_get_consumer_id(const struct doca_comch_producer_task_send *task)
{
	return task ? send_consumer(task) : 0;
}

void doca_comch_producer_task_send_set_consumer_id(struct doca_comch_producer_task_send *task,
						   const uint32_t consumer_id)
{
	if (task)
		send_set_target(task, consumer_id, send_imm_size(task));
}

uint8_t *
doca_comch_producer_task_send_get_imm_data(const struct doca_comch_producer_task_send *task)
{
	return doca_comch_producer_task_send_get_imm_data_len(task) ? (uint8_t *)task->imm : NULL;
}

uint32_t
doca_comch_producer_task_send_get_imm_data_len(const struct doca_comch_producer_task_send *task)
{
	return !task || send_imm_size(task) == IMM_REFUSED ? 0 : send_imm_size(task);
}

void doca_comch_producer_task_send_set_imm_data(struct doca_comch_producer_task_send *task,
						uint8_t *imm_data, uint32_t imm_data_len)
{
	const struct doca_comch_producer *producer;

	if (!task)
		return;
	producer = producer_of(task->base.pool->ctx);
	if (is_imm(producer, imm_data, imm_data_len)) {
		set_imm(task, imm_data, imm_data_len);
		return;
	}
	LOG_ERR("immediate data of %u bytes at %p; at most %u", imm_data_len, (void *)imm_data,
		producer->imm_max);
	/* else it is not the caller's */
	if (task->base.state == TASK_IDLE || task->base.state == TASK_HELD)
		send_set_target(task, send_consumer(task), IMM_REFUSED);
}

struct doca_task *doca_comch_producer_task_send_as_task(struct doca_comch_producer_task_send *task)
{
	return &task->base;
}
