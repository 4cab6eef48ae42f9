/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Producer send tasks.
 *
 * A send that finds a posted buffer is done inside of the submit, and only its completion is told
 * later. Otherwise, or when it is long, it waits in the queue of its lane, in order, and the polls
 * go on with it. So do those that can share a line and that the program does not want to be sent
 * one by one: submitted without the flush flag, or from the callbacks of tasks, all of which run
 * before the polls. What waits shares lines.
 */
#define LOG_MODULE "comch"
#include "base/copy.h"
#include "base/log.h"
#include "comch/producer.h"

/* Per poll: bytes copied, and a bound for sends that need next to none. */
#define WORK_BYTES (1u << 19)
#define WORK_MAX   64

/* The immediate data of a task that was set to what cannot be: its submit is refused. */
#define IMM_REFUSED UINT8_MAX

static inline uint32_t size_of(const struct doca_comch_producer_task_send *task)
{
	return task->buf ? (uint32_t)task->buf->data_len : 0;
}

/* Nothing waits for the lane yet. */
static __attribute__((noinline)) void begin_queue(struct send_lane *lane)
{
	struct doca_comch_producer *producer = lane->producer;

	lane->waiting_tail = &lane->waiting;
	list_add_tail(&producer->busy, &lane->busy_node);
	if (!producer->poller.group)
		priv_poll_group_add(producer->user.group, &producer->poller);
	else
		priv_poll_group_heat(&producer->poller); /* it waits for other lanes */
}

static inline void enqueue(struct send_lane *lane, struct doca_comch_producer_task_send *task,
			   uint32_t size)
{
	task->data = task->buf ? task->buf->data : NULL;
	task->size = size;
	task->base.next = NULL;
	if (!lane->waiting)
		begin_queue(lane);
	*lane->waiting_tail = task;
	lane->waiting_tail = (struct doca_comch_producer_task_send **)&task->base.next;
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

static inline struct lane_head head_of(const struct doca_comch_producer *producer, uint32_t size,
				       uint32_t imm_size, uint32_t inline_size)
{
	return (struct lane_head){.size = size,
				  .producer_id = (uint16_t)producer->user.id,
				  .imm_size = (uint8_t)imm_size,
				  .inline_size = (uint8_t)inline_size};
}

/* Sends what fits into a line, or is short enough to be copied at once. */
static inline __attribute__((always_inline)) enum lane_answer
send_now(struct doca_comch_producer *producer, struct lane_producer *lane,
	 const struct doca_comch_producer_task_send *task, const char *from, uint32_t size)
{
	uint32_t imm_size = task->imm_size, inline_size = size;
	struct lane_claim claim;
	enum lane_answer answer;

	answer = lane_claim(lane, &producer->key, size, lane_is_inline(size, imm_size), &claim);
	if (doca_unlikely(answer != LANE_OK))
		return answer;
	/* The line last: the consumer looks at it all the time. */
	if (!lane_is_inline(size, imm_size)) {
		inline_size = lane_begin_size(claim.target, imm_size);
		copy_bytes(claim.target + inline_size, from + inline_size, size - inline_size);
	}
	if (doca_unlikely(imm_size))
		copy_inline(claim.line->data, task->imm, imm_size);
	copy_inline(claim.line->data + imm_size, from, inline_size);
	lane_publish(lane, &claim, head_of(producer, size, imm_size, inline_size));
	return LANE_OK;
}

/*
 * The same for data that is alone in a line, with no calls in it; the consumer is not woken. false:
 * something stands in the way, which send_now() deals with.
 */
static inline bool send_line(struct doca_comch_producer *producer, struct lane_producer *lane,
			     const char *from, uint32_t size)
{
	uint32_t index;
	struct lane_line *line = lane_claim_line(lane, &producer->key, size, &index);

	if (doca_unlikely(!line))
		return false;
	copy_inline(line->data, from, size);
	lane_write(line, index, head_of(producer, size, 0, size));
	return true;
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
		return task->imm_size;
	return buf_is_sendable(buf) && buf->data_len <= producer->max_size;
}

static doca_error_t send_check(const struct doca_task *base)
{
	return is_sendable(producer_of(base->pool->ctx),
			   (const struct doca_comch_producer_task_send *)base)
		       ? DOCA_SUCCESS
		       : DOCA_ERROR_INVALID_VALUE;
}

static __attribute__((noinline)) void
submit_now(struct send_lane *lane, struct doca_comch_producer_task_send *task, uint32_t size)
{
	const char *from = size ? task->buf->data : NULL;
	enum lane_answer answer = send_now(lane->producer, lane->lane, task, from, size);

	if (doca_unlikely(answer == LANE_NO_POST))
		enqueue(lane, task, size);
	else
		task_complete(&task->base, error_of(answer));
}

/* Everything that keeps send_submit() from sending. */
static __attribute__((noinline)) doca_error_t submit_any(struct doca_task *base, uint32_t flags)
{
	struct doca_comch_producer_task_send *task = (struct doca_comch_producer_task_send *)base;
	struct doca_comch_producer *producer = producer_of(base->pool->ctx);
	struct send_lane *lane = producer->last;
	uint32_t size = size_of(task);

	if (doca_unlikely(!is_sendable(producer, task)))
		return DOCA_ERROR_INVALID_VALUE;
	if (doca_unlikely(!lane || !lane_leads_to(lane->lane, task->consumer_id))) {
		lane = producer_find_lane(producer, task->consumer_id);
		if (!lane)
			return DOCA_ERROR_INVALID_VALUE;
	}
	if (doca_unlikely(task->imm_size > lane->lane->imm_max))
		return DOCA_ERROR_INVALID_VALUE;
	task_accept(base);
	/* What cannot share a line with what was put off does not wait for the polls behind it. */
	if (doca_unlikely(lane->waiting) && (task->imm_size || !lane_can_share(size)))
		producer_flush(producer);
	if (doca_unlikely(lane->waiting || size >= producer->submit_below))
		enqueue(lane, task, size);
	else
		submit_now(lane, task, size);
	if ((flags & DOCA_TASK_SUBMIT_FLAG_FLUSH) && !producer->ctx.pe->polls_next)
		producer_flush(producer);
	return DOCA_SUCCESS;
}

/* After messages were sent and their tasks are done: nobody who sleeps for one of these may go on.
 */
static __attribute__((noinline)) void end_sleeps(struct lane_producer *lane, struct doca_pe *pe)
{
	lane_wake_consumer(lane);
	poll_group_end_sleep(&pe->group);
}

/* Is it short data without immediate data, for the consumer of the last one? */
static inline bool goes_in_line(const struct doca_comch_producer *producer,
				const struct doca_comch_producer_task_send *task,
				const struct send_lane *lane)
{
	const struct doca_buf *buf = task->buf;

	return doca_likely(buf != NULL) && doca_likely(buf->data_len < producer->line_below) &&
	       doca_likely(!task->imm_size) && doca_likely(buf_is_sendable(buf)) &&
	       doca_likely(lane != NULL) &&
	       doca_likely(lane_leads_to(lane->lane, task->consumer_id));
}

/* What can share a line and need not go at once: up to WORK_MAX of them wait. */
static __attribute__((noinline)) doca_error_t
put_off(struct send_lane *lane, struct doca_comch_producer_task_send *task, uint32_t size)
{
	struct doca_comch_producer *producer = lane->producer;

	task_accept(&task->base);
	enqueue(lane, task, size);
	if (doca_unlikely(++producer->deferred == WORK_MAX))
		producer_send_deferred(producer);
	return DOCA_SUCCESS;
}

/*
 * Straight code without calls: what goes in a line, to a consumer of which a receive is known.
 */
static __attribute__((noinline)) doca_error_t
send_alone(struct send_lane *lane, struct doca_comch_producer_task_send *task, uint32_t size)
{
	struct doca_comch_producer *producer = lane->producer;
	struct doca_pe *pe = producer->ctx.pe;

	if (doca_unlikely(!list_is_empty(&producer->busy)) ||
	    doca_unlikely(!send_line(producer, lane->lane, task->buf->data, size)))
		return submit_any(&task->base, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	task_accept(&task->base);
	task_done(pe, &task->base, DOCA_SUCCESS);
	if (doca_unlikely(pe->group.armed) || lane_may_want_wake(lane->lane))
		end_sleeps(lane->lane, pe);
	return DOCA_SUCCESS;
}

static doca_error_t send_submit(struct doca_task *base, uint32_t flags)
{
	struct doca_comch_producer_task_send *task = (struct doca_comch_producer_task_send *)base;
	struct doca_comch_producer *producer = producer_of(base->pool->ctx);
	bool now = (flags & DOCA_TASK_SUBMIT_FLAG_FLUSH) && !producer->ctx.pe->polls_next;
	struct send_lane *lane = producer->last;
	uint32_t size;

	if (doca_unlikely(!goes_in_line(producer, task, lane)))
		return submit_any(base, flags);
	size = (uint32_t)task->buf->data_len;
	return now || !lane_can_share(size) ? send_alone(lane, task, size)
					    : put_off(lane, task, size);
}

static const struct task_type send_type = {
	.name = "comch producer send",
	.check = send_check,
	.submit = send_submit,
};

/*
 * What waits
 */

/* Copies the next piece of the first task of the lane, up to the budget. */
static enum lane_answer send_piece(struct send_lane *lane, uint32_t *budget, bool *ret_finished)
{
	struct doca_comch_producer_task_send *task = lane->waiting;
	struct lane_producer *to = lane->lane;
	uint32_t piece;

	if (!lane->copying) {
		enum lane_answer answer =
			lane_claim(to, &lane->producer->key, task->size, false, &lane->claim);

		if (answer != LANE_OK)
			return answer;
		lane->copying = true;
		lane->copied = 0;
	}
	piece = task->size - lane->copied < *budget ? task->size - lane->copied : *budget;
	lane_touch(to, lane->claim.target + lane->copied, piece);
	priv_copy_part(lane->claim.target + lane->copied, task->data + lane->copied, piece,
		       task->size);
	lane->copied += piece;
	*budget -= piece;
	*ret_finished = lane->copied == task->size;
	if (!*ret_finished)
		return LANE_OK;
	lane->copying = false;
	if (task->imm_size)
		copy_inline(lane->claim.line->data, task->imm, task->imm_size);
	lane_publish(to, &lane->claim, head_of(lane->producer, task->size, task->imm_size, 0));
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

/*
 * Goes on with the first task of the lane. A copy that has begun is brought to its end: the
 * consumer counts on its claim also when it is stopping. What was freed before it began is not
 * sent.
 */
static enum lane_answer send_first(struct send_lane *lane, uint32_t *budget, bool *ret_finished)
{
	const struct doca_comch_producer_task_send *task = lane->waiting;

	*ret_finished = true;
	if (!lane->copying) {
		if (lane_is_gone(lane->lane) || task->base.state == TASK_ABANDONED)
			return LANE_GONE;
		if (task->size <= PRODUCER_SUBMIT_MAX) {
			*budget -= task->size < *budget ? task->size : *budget;
			return send_now(lane->producer, lane->lane, task, task->data, task->size);
		}
	}
	return send_piece(lane, budget, ret_finished);
}

/* Does a fault on purpose keep the first task of the lane from being sent now? */
static bool is_held_up(const struct send_lane *lane)
{
	return !lane->copying && lane_has_post(lane->lane) &&
	       !priv_fault_lets_send(lane->producer->fault);
}

/* Has it nothing but data, and is it still to be sent? */
static inline bool is_plain(const struct doca_comch_producer_task_send *task)
{
	return !task->imm_size && task->base.state == TASK_SUBMITTED;
}

/* May the task go by itself in a line, as send_submit() would have sent it? */
static inline bool waits_for_line(const struct doca_comch_producer *producer,
				  const struct doca_comch_producer_task_send *task)
{
	return task->size < producer->line_below && is_plain(task);
}

/*
 * Copies the first tasks that wait, up to max, into the line, as far as they can share it. Returns
 * how many; the last one is *ret_last.
 */
static inline uint32_t fill_run(const struct send_lane *lane, struct lane_line *line, uint32_t max,
				struct doca_task **ret_last)
{
	struct doca_comch_producer_task_send *task = lane->waiting;
	uint32_t size = task->size, count = 0;

	max = lane_limit_run(lane->lane, size, max);
	do {
		copy_inline(line->data + count * size, task->data, size);
		task->base.status = DOCA_SUCCESS;
		*ret_last = &task->base;
		task = (struct doca_comch_producer_task_send *)task->base.next;
	} while (++count < max && task && task->size == size && is_plain(task) &&
		 lane_has_room(lane->lane, count, size));
	return count;
}

/* Sends the first tasks that wait, in one line, and adds their number to *done. */
static inline enum lane_answer send_run(struct send_lane *lane, uint32_t max, unsigned int *done)
{
	struct doca_comch_producer *producer = lane->producer;
	struct doca_task *first = &lane->waiting->base, *last;
	uint32_t size = lane->waiting->size, index = 0, count = 0;
	struct lane_producer *to = lane->lane;
	struct lane_line *line;
	enum lane_answer answer = lane_begin_run(to, &producer->key, size, &line);

	if (doca_likely(answer == LANE_OK)) {
		index = to->line;
		count = fill_run(lane, line, max, &last);
		if (doca_unlikely(!lane_take(to, count, size)))
			answer = LANE_GONE;
	}
	lane_end(&producer->key);
	if (doca_unlikely(answer != LANE_OK))
		return answer;
	lane_write(line, index, head_of(producer, size, 0, count * size));
	lane->waiting = (struct doca_comch_producer_task_send *)last->next;
	tasks_done(producer->ctx.pe, first, last);
	*done += count;
	return LANE_OK;
}

/* Short messages that wait in a row, up to max; the consumer is woken once. */
static enum lane_answer send_waiting_lines(struct send_lane *lane, unsigned int max,
					   unsigned int *ret_sent)
{
	struct doca_comch_producer *producer = lane->producer;
	enum lane_answer answer = LANE_OK;

	*ret_sent = 0;
	if (producer->stopping || lane_is_gone(lane->lane))
		return LANE_GONE;
	while (answer == LANE_OK && *ret_sent < max && lane->waiting &&
	       waits_for_line(producer, lane->waiting))
		answer = send_run(lane, max - *ret_sent, ret_sent);
	if (!*ret_sent)
		return answer;
	if (!lane->waiting)
		list_remove(&lane->busy_node);
	end_sleeps(lane->lane, producer->ctx.pe);
	return answer;
}

static unsigned int work_on_lane(struct send_lane *lane, uint32_t *budget)
{
	unsigned int done = 0;

	while (lane->waiting && *budget && done < WORK_MAX) {
		unsigned int sent;
		enum lane_answer answer = send_waiting_lines(lane, WORK_MAX - done, &sent);
		bool finished;

		done += sent;
		if (answer == LANE_NO_POST)
			break;
		if (sent)
			continue;
		if (lane->producer->stopping && !lane->copying)
			break;
		if (doca_unlikely(lane->producer->fault != NULL) && is_held_up(lane))
			break;
		answer = send_first(lane, budget, &finished);
		if (answer == LANE_NO_POST)
			break;
		done++;
		if (!finished)
			break;
		finish_first(lane, error_of(answer));
	}
	return done;
}

unsigned int producer_work(struct doca_comch_producer *producer)
{
	const struct list_node *last = producer->busy.prev;
	uint32_t budget = WORK_BYTES;
	unsigned int done = 0;
	struct list_node *node;

	producer->deferred = 0;
	if (list_is_empty(&producer->busy))
		return 0;
	/* Each lane once; where the budget ends, the next poll begins. */
	do {
		node = list_pop(&producer->busy);
		list_add_tail(&producer->busy, node);
		done += work_on_lane(container_of(node, struct send_lane, busy_node), &budget);
	} while (node != last && budget);
	return done;
}

/* Unlike a poll: a long copy to one consumer holds up nothing that was put off for another. */
void producer_send_deferred(struct doca_comch_producer *producer)
{
	struct list_node *node, *tmp;

	producer->deferred = 0;
	list_for_each_safe (node, tmp, &producer->busy) {
		struct send_lane *lane = container_of(node, struct send_lane, busy_node);
		uint32_t budget = WORK_BYTES;

		if (!lane->copying)
			work_on_lane(lane, &budget);
	}
}

void producer_fail_all(struct doca_comch_producer *producer, doca_error_t status)
{
	struct send_lane *lane;

	for (lane = producer->lanes; lane; lane = lane->next) {
		lane->copying = false;
		while (lane->waiting)
			finish_first(lane, status);
	}
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
	return priv_task_pool_configure(&producer->pool, &producer->ctx, &send_type,
					sizeof(struct doca_comch_producer_task_send),
					(doca_task_completion_cb_t)task_completion_cb,
					(doca_task_completion_cb_t)task_error_cb, num_send_tasks,
					(uint32_t)priv_topo_limits()->producer_max_num_tasks);
}

static bool is_imm(const uint8_t *imm, uint32_t size)
{
	return size <= LANE_IMM_MAX && (imm || !size);
}

static void set_imm(struct doca_comch_producer_task_send *task, const uint8_t *imm, uint32_t size)
{
	if (size)
		memcpy(task->imm, imm, size);
	task->imm_size = (uint8_t)size;
}

doca_error_t doca_comch_producer_task_send_alloc_init(struct doca_comch_producer *producer,
						      const struct doca_buf *buf, uint8_t *imm_data,
						      uint32_t imm_data_len, uint32_t consumer_id,
						      struct doca_comch_producer_task_send **task)
{
	struct doca_task *base;
	doca_error_t err;

	if (doca_unlikely(!producer || !task || !is_imm(imm_data, imm_data_len) ||
			  (!buf && !imm_data_len)))
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
	return task->imm_size && task->imm_size != IMM_REFUSED ? (uint8_t *)task->imm : NULL;
}

uint32_t
doca_comch_producer_task_send_get_imm_data_len(const struct doca_comch_producer_task_send *task)
{
	return task->imm_size == IMM_REFUSED ? 0 : task->imm_size;
}

void doca_comch_producer_task_send_set_imm_data(struct doca_comch_producer_task_send *task,
						uint8_t *imm_data, uint32_t imm_data_len)
{
	if (is_imm(imm_data, imm_data_len)) {
		set_imm(task, imm_data, imm_data_len);
		return;
	}
	LOG_ERR("immediate data of %u bytes at %p; at most %u", imm_data_len, (void *)imm_data,
		LANE_IMM_MAX);
	/* else it is not the caller's */
	if (task->base.state == TASK_IDLE || task->base.state == TASK_HELD)
		task->imm_size = IMM_REFUSED;
}

struct doca_task *doca_comch_producer_task_send_as_task(struct doca_comch_producer_task_send *task)
{
	return &task->base;
}
