/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that a poll does not take by itself: one that does not go in one go, or may be nonsense,
 * whatever it is; and those that share a line.
 */
#include <assert.h>
#include "base/copy.h"
#include "comch/consumer_take.h"

/* Can that be in a line? */
static bool is_sound(const struct lane_consumer *lane, struct lane_head head)
{
	if (lane_batch_count(head))
		return !head.imm_size && lane_batch_left(lane, head);
	return lane_is_inline(head.inline_size, head.imm_size);
}

/* Begins to take any message: what is in the line. false: it is impossible. */
static bool read_line(struct doca_comch_consumer *consumer, const struct lane_line *line,
		      struct lane_head head, struct doca_comch_consumer_task_post_recv *task)
{
	const struct lane_consumer *lane = &consumer->fast.lane;
	uint32_t inline_size;

	if (head.size > task->room || head.imm_size > consumer->imm_max || !is_sound(lane, head))
		return false;
	inline_size = lane_inline_size(lane, head);
	task->producer_id = head.producer_id;
	task->imm_size = (uint8_t)lane_imm_size(lane, head);
	copy_inline(task->imm, line->data + lane->taken, task->imm_size);
	copy_inline(task->addr, line->data + lane->taken + task->imm_size, inline_size);
	consumer->size = head.size;
	task->plain_below = 0; /* from here on not even if the peer changes the line */
	consumer->collected = task->direct ? head.size : inline_size;
	return true;
}

/* Takes what is missing of a message out of shadow memory, up to the budget; true: all of it */
static bool collect(struct doca_comch_consumer *consumer,
		    const struct doca_comch_consumer_task_post_recv *task, uint32_t *budget)
{
	uint32_t count = consumer->size - consumer->collected;

	assert(consumer->collected <= consumer->size);
	if (count > *budget)
		count = *budget;
	if (count) /* else there may be no buffer */
		window_collect(consumer->window, &consumer->known, task->addr + consumer->collected,
			       count, consumer->size);
	*budget -= count;
	consumer->collected += count;
	if (consumer->collected < consumer->size)
		return false;
	consumer->collected = 0;
	return true;
}

/* Takes what a message brings. AGAIN: not to the end. INVALID_VALUE: it is impossible */
static doca_error_t take_data(struct doca_comch_consumer *consumer, const struct lane_line *line,
			      struct lane_head head,
			      struct doca_comch_consumer_task_post_recv *task, uint32_t *budget)
{
	if (!consumer->collected && !read_line(consumer, line, head, task))
		return DOCA_ERROR_INVALID_VALUE;
	if (!collect(consumer, task, budget))
		return DOCA_ERROR_AGAIN;
	if (task->buf)
		task->buf->data_len += consumer->size;
	return DOCA_SUCCESS;
}

doca_error_t consumer_take(struct doca_comch_consumer *consumer, const struct lane_line *line,
			   struct lane_head head, struct doca_comch_consumer_task_post_recv *task,
			   uint32_t *budget)
{
	doca_error_t err = DOCA_ERROR_IO_FAILED;

	if (!*budget)
		return DOCA_ERROR_AGAIN;
	if (task->base.state != TASK_ABANDONED && !lane_has_failed(head)) {
		if (!task->addr) {
			err = take_data(consumer, line, head, task, budget);
		} else if (mmap_begin_access(consumer->mmap)) {
			err = take_data(consumer, line, head, task, budget);
			mmap_end_access(consumer->mmap);
		}
	}
	if (doca_unlikely(err == DOCA_ERROR_INVALID_VALUE)) {
		consumer_distrust(consumer, "an impossible message");
		return DOCA_ERROR_AGAIN;
	}
	if (err == DOCA_ERROR_IO_FAILED)
		consumer->collected = task->producer_id = task->imm_size = 0;
	return err;
}

/*
 * Several of a line
 */

/* Is it one that our producers make, with a message left? */
static inline bool is_sound_run(const struct doca_comch_consumer *consumer, struct lane_head head)
{
	const uint32_t all = head.imm_size + (uint32_t)head.inline_size;
	const uint64_t each = (uint64_t)head.imm_size + head.size;

	return doca_likely(each && lane_can_share(each) && head.imm_size <= consumer->imm_max &&
			   all <= LANE_INLINE && consumer->fast.lane.taken + each <= all);
}

/* Takes ordinary messages of a run, up to that index; returns the index of the next message. */
static inline __attribute__((always_inline)) uint32_t
take_run(struct doca_comch_consumer *consumer, struct doca_pe *pe, const struct lane_line *line,
	 struct lane_head head, uint8_t imm_size, uint32_t end)
{
	struct lane_consumer *lane = &consumer->fast.lane;
	const char *data = (const char *)line->data;
	const size_t size = head.size, last = head.inline_size - size;
	uint32_t tail = lane->tail;
	size_t at = lane->taken;

	do {
		struct doca_comch_consumer_task_post_recv *task = *consumer_slot(consumer, tail);

		if (doca_unlikely(!take_is_whole(size, task)))
			break;
		if (imm_size) {
			copy_short((char *)task->imm, data + at, imm_size);
			task->imm_size = imm_size;
		}
		if (!imm_size || size)
			copy_short(task->addr, data + at + imm_size, size);
		at += imm_size + size;
		lane->tail = ++tail;
		if (at > last) { /* it is the last one of its line */
			at = 0;
			lane->line++;
			end = tail;
		}
		lane->taken = (uint32_t)at;
		take_rest(task, head);
		take_tell(consumer, pe, task);
	} while (tail != end && doca_likely(consumer->receiving));
	return tail;
}

static __attribute__((noinline)) uint32_t take_imm_run(struct doca_comch_consumer *consumer,
						       struct doca_pe *pe,
						       const struct lane_line *line, uint64_t word,
						       uint32_t end)
{
	struct lane_head head = lane_unpack_head(word);

	return take_run(consumer, pe, line, head, head.imm_size, end);
}

/* A batch has come for that task: asks for what is looked at first. */
static inline void expect_data(const struct doca_comch_consumer *consumer,
			       const struct doca_comch_consumer_task_post_recv *task)
{
	cache_prefetch_read(doca_likely(task->direct)
				    ? task->addr
				    : window_shadow(consumer->window, task->addr));
}

/* Has a task's buffer so much data, of a batch? What is in shadow memory is copied out of it. */
static inline bool has_data(const struct doca_comch_consumer *consumer,
			    const struct doca_comch_consumer_task_post_recv *task, uint32_t size)
{
	if (doca_likely(task->direct))
		return take_is_whole(size, task);
	if (!task->plain_below || size > task->room || size > TAKE_SHORT_MAX ||
	    task->base.state != TASK_SUBMITTED)
		return false;
	window_collect(consumer->window, &consumer->known, task->addr, size, size);
	return true;
}

/* Takes messages of a batch, up to that index; returns the index of the next message. */
static __attribute__((noinline)) uint32_t take_batch(struct doca_comch_consumer *consumer,
						     struct doca_pe *pe, struct lane_head head,
						     uint32_t end)
{
	struct lane_consumer *lane = &consumer->fast.lane;
	uint32_t tail = lane->tail, last = tail + lane_batch_left(lane, head);

	if (doca_unlikely(head.imm_size) || doca_unlikely(last == tail))
		return tail;
	if ((int32_t)(end - last) > 0)
		end = last;
	for (uint32_t i = tail; i != end; i++)
		expect_data(consumer, *consumer_slot(consumer, i));
	do {
		struct doca_comch_consumer_task_post_recv *task = *consumer_slot(consumer, tail);

		if (doca_unlikely(!has_data(consumer, task, head.size)))
			break;
		lane->tail = ++tail;
		lane->taken++;
		if (tail == last) {
			lane->taken = 0;
			lane->line++;
		}
		take_rest(task, head);
		take_tell(consumer, pe, task);
	} while (tail != end && doca_likely(consumer->receiving));
	return tail;
}

/* Takes ordinary messages of a run or a batch, up to that index; the index of the next message. */
static inline uint32_t take_from_line(struct doca_comch_consumer *consumer, struct doca_pe *pe,
				      const struct lane_line *line, uint64_t word, uint32_t end)
{
	struct lane_head head = lane_unpack_head(word);

	if (lane_batch_count(head))
		return take_batch(consumer, pe, head, end);
	if (doca_unlikely(!is_sound_run(consumer, head)))
		return consumer->fast.lane.tail;
	return head.imm_size ? take_imm_run(consumer, pe, line, word, end)
			     : take_run(consumer, pe, line, head, 0, end);
}

uint32_t consumer_take_several(struct doca_comch_consumer *consumer, struct doca_pe *pe,
			       uint32_t max)
{
	struct lane_consumer *lane = &consumer->fast.lane;
	const struct lane_line *line = lane_incoming(lane, lane->line);
	const uint32_t first = lane->tail, end = first + max;
	uint32_t next = first, before;

	do {
		uint64_t word = lane_read_word(line);

		if (next != first) /* else take_messages() knows */
			lane_expect(lane, lane->line + CACHE_LINES_COMING);
		before = next;
		next = take_from_line(consumer, pe, line, word, end);
	} while (next != end && next != before && doca_likely(consumer->receiving) &&
		 (line = lane_next(lane)));
	return next - first;
}
