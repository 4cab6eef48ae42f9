/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends that wait: for posts, for their turn behind long ones, or for company in a line. There is a
 * queue for each consumer, and the polls go on with it. What waits shares lines.
 */
#include "comch/producer_send.h"

/*
 * Per poll: bytes copied, and a bound for sends that need next to none. That is as many as wait,
 * mostly: while something is left behind, what is submitted goes behind it, by the longer way.
 */
#define WORK_BYTES (1u << 19)
#define WORK_MAX   (WORK_BYTES / 64)

/* After this many messages a sleeping consumer is woken, and takes them while the rest is sent. */
#define WAKE_EVERY 64u

/* The first task waits in the queue. */
static void begin_queue(struct send_queue *queue)
{
	struct doca_comch_producer *producer = queue->producer;

	list_add_tail(&producer->busy, &queue->busy_node);
	if (!producer->poller.group)
		priv_poll_group_add(producer->user.group, &producer->poller);
	else
		priv_poll_group_heat(&producer->poller); /* it works for other queues */
}

/* Nothing waits in the queue any more. */
static inline void end_queue(struct send_queue *queue)
{
	queue->waiting_tail = &queue->waiting;
	list_remove(&queue->busy_node);
}

void producer_enqueue(struct send_queue *queue, struct doca_comch_producer_task_send *task)
{
	queue_append(queue, task, task->buf ? task->buf->data : NULL, task->plain_size);
	if (queue->waiting == task)
		begin_queue(queue);
}

doca_error_t producer_note_deferred(struct send_queue *queue,
				    const struct doca_comch_producer_task_send *task)
{
	if (queue->waiting == task)
		begin_queue(queue);
	if (!queue->producer->may_defer)
		producer_send_deferred(queue->producer);
	return DOCA_SUCCESS;
}

void producer_end_sleeps(struct lane_producer *lane, struct doca_pe *pe)
{
	lane_wake_consumer(lane);
	poll_group_end_sleep(&pe->group);
}

/*
 * Long sends
 */

/* Claims a post for the first task of the queue. IO_FAILED: its map is gone already */
static doca_error_t begin_copy(struct send_queue *queue)
{
	struct doca_comch_producer_task_send *task = queue->waiting;
	enum lane_answer answer;

	if (!mmap_is_started(task->buf->mmap))
		return DOCA_ERROR_IO_FAILED;
	answer = lane_claim(queue->lane, &queue->producer->key, send_size(task), false,
			    &queue->claim);
	if (answer != LANE_OK)
		return send_error_of(answer);
	queue->copying = true;
	queue->copied = 0;
	queue->source = task->buf->mmap;
	priv_mmap_hold(queue->source);
	return DOCA_SUCCESS;
}

static void end_copy(struct send_queue *queue)
{
	queue->copying = false;
	priv_mmap_release(queue->source);
}

/* Copies up to so many bytes. IO_FAILED: the map is gone, and the memory may be */
static doca_error_t copy_piece(struct send_queue *queue, uint32_t size)
{
	const struct doca_comch_producer_task_send *task = queue->waiting;
	char *target = queue->claim.target + queue->copied;

	if (!mmap_begin_access(queue->source))
		return DOCA_ERROR_IO_FAILED;
	lane_touch(queue->lane, target, size);
	priv_copy_part(target, task->data + queue->copied, size, send_size(task));
	mmap_end_access(queue->source);
	queue->copied += size;
	return DOCA_SUCCESS;
}

/*
 * Copies the next piece of the first task of the queue, up to the budget. AGAIN: there is no post
 */
static doca_error_t send_piece(struct send_queue *queue, uint32_t *budget, bool *ret_finished)
{
	const struct doca_comch_producer_task_send *task = queue->waiting;
	uint32_t size = send_size(task);
	uint8_t imm_size = send_imm_size(task);
	doca_error_t err = queue->copying ? DOCA_SUCCESS : begin_copy(queue);
	uint32_t piece;

	if (err)
		return err;
	piece = size - queue->copied < *budget ? size - queue->copied : *budget;
	err = copy_piece(queue, piece);
	*budget -= piece;
	*ret_finished = err || queue->copied == size;
	if (!*ret_finished)
		return DOCA_SUCCESS;
	end_copy(queue);
	/* The consumer counts on the claim. */
	if (err)
		imm_size = LANE_FAILED;
	else if (imm_size)
		copy_inline(queue->claim.line->data, task->imm, imm_size);
	lane_publish(queue->lane, &queue->claim, send_head_of(queue->producer, size, imm_size, 0));
	return err;
}

/*
 * What waits
 */

/* The first task of the queue is finished; the next one, if any, is the first now. */
static void finish_first(struct send_queue *queue, doca_error_t status)
{
	struct doca_comch_producer_task_send *task = queue->waiting;

	queue->waiting = send_next(task);
	if (!queue->waiting)
		end_queue(queue);
	task_complete(&task->base, status);
}

/*
 * Goes on with the first task of the queue. A copy that has begun is brought to its end: the
 * consumer counts on its claim also when it is stopping. What was freed before it began is not
 * sent. AGAIN: there is no post
 */
static doca_error_t send_first(struct send_queue *queue, uint32_t *budget, bool *ret_finished)
{
	struct doca_comch_producer_task_send *task = queue->waiting;
	uint32_t size = send_size(task);

	*ret_finished = true;
	if (!queue->copying) {
		if (lane_is_gone(queue->lane) || task->base.state == TASK_ABANDONED)
			return DOCA_ERROR_CONNECTION_RESET;
		if (size <= PRODUCER_SUBMIT_MAX) {
			*budget -= size < *budget ? size : *budget;
			return send_task(queue, task, task->data);
		}
	}
	return send_piece(queue, budget, ret_finished);
}

/* Does a fault on purpose keep the first task of the queue from being sent now? */
static bool is_held_up(const struct send_queue *queue)
{
	return !queue->copying && lane_has_post(queue->lane) &&
	       !priv_fault_lets_send(queue->producer->fault);
}

/* Has nobody freed it since it was submitted? */
static inline bool is_wanted(const struct doca_comch_producer_task_send *task)
{
	return doca_likely(task->base.state == TASK_SUBMITTED);
}

/*
 * May the task, with immediate data or without, go as producer_submit() would have sent it: by
 * itself in a line, or in a batch?
 */
static inline bool waits_for_line(const struct doca_comch_producer *producer,
				  const struct doca_comch_producer_task_send *task, bool has_imm)
{
	uint64_t size = task->plain_size, below = producer->batch_below;

	if (has_imm) {
		size = send_packed_imm_size(task) ? send_line_size(task) : UINT64_MAX;
		below = producer->line_below;
	}
	return size < below && is_wanted(task);
}

/* What a line was filled with: so many tasks, up to that one. */
struct run {
	struct doca_comch_producer_task_send *last;
	uint32_t count;
	enum lane_answer answer; /* or why with nothing */
};

/*
 * Copies what a task has, immediate data and data, and those of that size that wait behind it, up
 * to max, into the line.
 */
static inline __attribute__((always_inline)) struct run
fill_run(const struct lane_producer *lane, struct lane_line *line,
	 struct doca_comch_producer_task_send *task, uint32_t imm_size, uint32_t size, uint32_t max)
{
	const uint64_t plain_size = send_pack_size(size, (uint8_t)imm_size);
	struct doca_comch_producer_task_send *last;
	struct lane_posts posts = lane_next_posts(lane);
	const uint32_t end = posts.index + max;
	char *to = (char *)line->data;

	do {
		if (imm_size)
			copy_short(to, (const char *)task->imm, imm_size);
		if (!imm_size || size)
			copy_short(to + imm_size, task->data, size);
		task->base.status = DOCA_SUCCESS;
		to += imm_size + size;
		last = task;
		task = send_next(task);
		posts.index++;
	} while (posts.index != end && task && task->plain_size == plain_size && is_wanted(task) &&
		 lane_posts_have_room(&posts, size));
	return (struct run){last, posts.index - lane->claimed, LANE_OK};
}

/* One that shares a line with nobody. */
static inline struct run fill_line(struct lane_line *line,
				   struct doca_comch_producer_task_send *task, uint32_t imm_size,
				   uint32_t size)
{
	if (imm_size)
		copy_inline(line->data, task->imm, imm_size);
	copy_inline(line->data + imm_size, task->data, size);
	task->base.status = DOCA_SUCCESS;
	return (struct run){task, 1, LANE_OK};
}

/*
 * Where in the window the data of a task belongs, and of those with as much that wait behind it, up
 * to max.
 */
static inline struct run find_targets(const struct lane_producer *lane,
				      struct doca_comch_producer_task_send *task, uint32_t size,
				      uint32_t max, char **targets)
{
	struct doca_comch_producer_task_send *last = NULL;
	struct lane_posts posts = lane_next_posts(lane);
	uint32_t count = 0;

	do {
		targets[count] = lane_posts_target(lane, &posts, size);
		if (doca_unlikely(!targets[count]))
			break;
		cache_prefetch_write(targets[count]);
		count++;
		posts.index++;
		last = task;
		task = send_next(task);
	} while (count != max && task && task->plain_size == size && is_wanted(task));
	return (struct run){last, count, count ? LANE_OK : LANE_NONSENSE};
}

/* Sends a task, and maybe others, up to max, whose data goes into the window: a batch. */
static __attribute__((noinline)) struct run send_batch(struct doca_comch_producer *producer,
						       struct lane_producer *to,
						       struct doca_comch_producer_task_send *task,
						       uint32_t max)
{
	const uint32_t size = send_size(task), index = to->line;
	struct lane_line *line = lane_line_at(to, index);
	char *targets[LANE_BATCH];
	struct run run =
		find_targets(to, task, size, lane_limit_several(to, LANE_BATCH, max), targets);
	uint32_t inline_size = run.count == 1 ? lane_begin_size(targets[0], 0) : 0;

	if (doca_unlikely(run.answer != LANE_OK))
		return run;
	if (doca_unlikely(!lane_take(to, run.count, inline_size)))
		return (struct run){.answer = LANE_GONE};
	if (inline_size)
		copy_inline(line->data, task->data, inline_size);
	for (uint32_t i = 0; i < run.count; i++, task = send_next(task)) {
		copy_bytes(targets[i] + inline_size, task->data + inline_size, size - inline_size);
		task->base.status = DOCA_SUCCESS;
	}
	if (run.count > 1)
		inline_size = LANE_INLINE + run.count;
	lane_write(line, index, send_head_of(producer, size, 0, inline_size));
	return run;
}

/* Sends a task, which has so much immediate data, and maybe others, up to max, in one line. */
static inline __attribute__((always_inline)) struct run
send_run(struct doca_comch_producer *producer, struct lane_producer *to,
	 struct doca_comch_producer_task_send *task, uint32_t imm_size, uint32_t max)
{
	uint32_t size = send_size(task), each = imm_size + size, index = to->line;
	bool is_batch = !imm_size && size > LANE_INLINE;
	enum lane_answer answer = lane_find_post(to, size, is_batch ? 0 : each);
	struct lane_line *line = lane_line_at(to, index);
	struct run run;

	if (doca_unlikely(answer != LANE_OK))
		return (struct run){.answer = answer};
	if (is_batch)
		return send_batch(producer, to, task, max);
	run = each && lane_can_share(each)
		      ? fill_run(to, line, task, imm_size, size,
				 lane_limit_several(to, LANE_NARROW / each, max))
		      : fill_line(line, task, imm_size, size);
	if (doca_unlikely(!lane_take(to, run.count, each)))
		return (struct run){.answer = LANE_GONE};
	lane_write(line, index,
		   send_head_of(producer, size, imm_size, run.count * each - imm_size));
	return run;
}

/*
 * The first tasks that wait, up to WAKE_EVERY, with immediate data or without, go in lines one
 * behind the other.
 */
static inline __attribute__((always_inline)) enum lane_answer
send_runs(struct send_queue *queue, bool has_imm, uint32_t *budget, unsigned int *ret_sent)
{
	struct doca_comch_producer *producer = queue->producer;
	struct doca_comch_producer_task_send *first = queue->waiting, *next = first, *last;
	struct run run = {.answer = LANE_OK};
	uint32_t sent = 0, bytes = 0;

	while (sent < WAKE_EVERY && next && waits_for_line(producer, next, has_imm)) {
		run = send_run(producer, queue->lane, next,
			       has_imm ? send_packed_imm_size(next) : 0, WAKE_EVERY - sent);
		if (doca_unlikely(run.answer != LANE_OK))
			break;
		sent += run.count;
		bytes += run.count * send_size(next);
		last = run.last;
		next = send_next(last);
	}
	if (doca_likely(sent))
		tasks_done(producer->ctx.pe, &first->base, &last->base);
	queue->waiting = next;
	*budget -= bytes < *budget ? bytes : *budget;
	*ret_sent = sent;
	return run.answer;
}

/* Short messages that wait in a row; the consumer is woken once. */
static inline __attribute__((always_inline)) enum lane_answer
send_waiting(struct send_queue *queue, bool has_imm, uint32_t *budget, unsigned int *ret_sent)
{
	struct doca_comch_producer *producer = queue->producer;
	struct lane_producer *lane = queue->lane;
	enum lane_answer answer;
	bool owns;

	*ret_sent = 0;
	if (producer->stopping || lane_is_gone(lane))
		return LANE_GONE;
	owns = lane_begin(lane, &producer->key);
	if (doca_unlikely(!owns)) {
		lane_end(&producer->key);
		lane_lock(lane, &producer->key);
	}
	answer = send_runs(queue, has_imm, budget, ret_sent);
	if (doca_unlikely(!owns))
		lane_unlock(lane);
	else
		lane_end(&producer->key);
	if (!*ret_sent)
		return answer;
	if (!queue->waiting)
		end_queue(queue);
	producer_end_sleeps(lane, producer->ctx.pe);
	return answer;
}

static __attribute__((noinline)) enum lane_answer
send_waiting_data(struct send_queue *queue, uint32_t *budget, unsigned int *ret_sent)
{
	return send_waiting(queue, false, budget, ret_sent);
}

static __attribute__((noinline)) enum lane_answer
send_waiting_imm(struct send_queue *queue, uint32_t *budget, unsigned int *ret_sent)
{
	return send_waiting(queue, true, budget, ret_sent);
}

static unsigned int work_on_queue(struct send_queue *queue, uint32_t *budget)
{
	unsigned int done = 0;

	while (queue->waiting && *budget && done < WORK_MAX) {
		unsigned int sent;
		enum lane_answer answer = doca_likely(!send_packed_imm_size(queue->waiting))
						  ? send_waiting_data(queue, budget, &sent)
						  : send_waiting_imm(queue, budget, &sent);
		doca_error_t err;
		bool finished;

		done += sent;
		if (answer == LANE_NO_POST)
			break;
		if (sent)
			continue;
		if (queue->producer->stopping && !queue->copying)
			break;
		if (doca_unlikely(queue->producer->fault != NULL) && is_held_up(queue))
			break;
		err = send_first(queue, budget, &finished);
		if (err == DOCA_ERROR_AGAIN)
			break;
		done++;
		if (!finished)
			break;
		finish_first(queue, err);
	}
	return done;
}

unsigned int producer_work(struct doca_comch_producer *producer)
{
	const struct list_node *last = producer->busy.prev;
	uint32_t budget = WORK_BYTES;
	unsigned int done = 0;
	struct list_node *node;

	producer->may_defer = PRODUCER_DEFERRED_MAX;
	if (list_is_empty(&producer->busy))
		return 0;
	/* Each queue once; where the budget ends, the next poll begins. */
	do {
		node = list_pop(&producer->busy);
		list_add_tail(&producer->busy, node);
		done += work_on_queue(container_of(node, struct send_queue, busy_node), &budget);
	} while (node != last && budget);
	return done;
}

/* Unlike a poll: a long copy to one consumer holds up nothing that was put off for another. */
void producer_send_deferred(struct doca_comch_producer *producer)
{
	struct list_node *node, *tmp;

	producer->may_defer = PRODUCER_DEFERRED_MAX;
	list_for_each_safe (node, tmp, &producer->busy) {
		struct send_queue *queue = container_of(node, struct send_queue, busy_node);
		uint32_t budget = WORK_BYTES;

		if (!queue->copying)
			work_on_queue(queue, &budget);
	}
}

void producer_fail_all(struct doca_comch_producer *producer, doca_error_t status)
{
	struct send_queue *queue;

	for (queue = producer->queues; queue; queue = queue->next) {
		if (queue->copying)
			end_copy(queue);
		while (queue->waiting)
			finish_first(queue, status);
	}
}
