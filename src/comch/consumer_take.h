/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How messages are taken that a poll (consumer_poll.c) does not take by itself: whatever they are,
 * or several that share a line.
 */
#ifndef SOFTFIELD_COMCH_CONSUMER_TAKE_H
#define SOFTFIELD_COMCH_CONSUMER_TAKE_H

#include "comch/consumer.h"

/* So much is copied out of shadow memory without being counted against the budget of a poll. */
#define TAKE_SHORT_MAX 8192u

/*
 * Takes any message, or goes on with one that has been taken in part: `collected` is not 0 then,
 * and its line is not looked at again. The data is left where it is when the task was freed while
 * it was posted, or the map was destroyed: the memory may be gone. AGAIN: not to the end, or it is
 * impossible. IO_FAILED: to the end, but the data is not there
 */
doca_error_t consumer_take(struct doca_comch_consumer *consumer, const struct lane_line *line,
			   struct lane_head head, struct doca_comch_consumer_task_post_recv *task,
			   uint32_t *budget);

/*
 * Takes up to max ordinary messages of the lines that come next, as long as several share each;
 * returns how many.
 */
uint32_t consumer_take_several(struct doca_comch_consumer *consumer, struct doca_pe *pe,
			       uint32_t max);

/* Does its task take a message with that word in one go? Of one with immediate data: its size. */
static inline bool take_is_whole(uint64_t word,
				 const struct doca_comch_consumer_task_post_recv *task)
{
	return doca_likely(lane_plain_size(word) < task->plain_below) &&
	       doca_likely(task->base.state == TASK_SUBMITTED);
}

/* The data of such a message is in its buffer: the rest of it. */
static inline void take_rest(struct doca_comch_consumer_task_post_recv *task, struct lane_head head)
{
	task->producer_id = head.producer_id;
	if (doca_likely(task->buf != NULL))
		task->buf->data_len += head.size;
}

/* The next message has been taken. */
static inline void take_tell(struct doca_comch_consumer *consumer, struct doca_pe *pe,
			     struct doca_comch_consumer_task_post_recv *task)
{
	task_tell(&consumer->ctx, &consumer->pool, &task->base, DOCA_SUCCESS);
	pe_tell_done(pe);
}

#endif
