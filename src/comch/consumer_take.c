/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A message that a poll does not take in one go, or that may be nonsense: whatever it is.
 */
#define LOG_MODULE "comch"
#include <assert.h>
#include "base/copy.h"
#include "base/log.h"
#include "comch/consumer.h"

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
