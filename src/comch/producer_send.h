/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One message on its way into a lane: what is done inside of a submit, and for what has waited.
 */
#ifndef SOFTFIELD_COMCH_PRODUCER_SEND_H
#define SOFTFIELD_COMCH_PRODUCER_SEND_H

#include "base/copy.h"
#include "comch/producer.h"

static inline struct lane_head send_head_of(const struct doca_comch_producer *producer,
					    uint32_t size, uint32_t imm_size, uint32_t inline_size)
{
	return (struct lane_head){.size = size,
				  .producer_id = (uint16_t)producer->user.id,
				  .imm_size = (uint8_t)imm_size,
				  .inline_size = (uint8_t)inline_size};
}

/* Sends what fits into a line, or is short enough to be copied at once. Nobody is woken. */
static inline __attribute__((always_inline)) enum lane_answer
send_now(struct doca_comch_producer *producer, struct lane_producer *lane, const char *from,
	 uint32_t size, const uint8_t *imm, uint32_t imm_size)
{
	uint32_t inline_size = size;
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
		copy_inline(claim.line->data, imm, imm_size);
	copy_inline(claim.line->data + imm_size, from, inline_size);
	lane_write(claim.line, claim.index, send_head_of(producer, size, imm_size, inline_size));
	return LANE_OK;
}

/*
 * The same for what is alone in a line, with no calls in it. false: something stands in the way,
 * which send_now() deals with.
 */
static inline __attribute__((always_inline)) bool send_line(struct doca_comch_producer *producer,
							    struct lane_producer *lane,
							    const char *from, uint32_t size,
							    const uint8_t *imm, uint32_t imm_size)
{
	struct lane_line *line;
	uint32_t index;

	if (doca_unlikely(!lane_claim_line(lane, &producer->key, size, &index)))
		return false;
	line = lane_line_at(lane, index);
	if (imm_size)
		copy_inline(line->data, imm, imm_size);
	if (!imm_size || size)
		copy_inline(line->data + imm_size, from, size);
	lane_write(line, index, send_head_of(producer, size, imm_size, size));
	return true;
}

/* The task that waits behind it; NULL: none */
static inline struct doca_comch_producer_task_send *
send_next(const struct doca_comch_producer_task_send *task)
{
	return (struct doca_comch_producer_task_send *)task->base.next;
}

/* The task waits, as the last one of its queue. */
static inline void queue_append(struct send_queue *queue,
				struct doca_comch_producer_task_send *task, const char *data,
				uint64_t plain_size)
{
	task->data = data;
	task->plain_size = plain_size;
	task->base.next = NULL;
	*queue->waiting_tail = task;
	queue->waiting_tail = (struct doca_comch_producer_task_send **)&task->base.next;
}

/* AGAIN: there is no post */
static inline doca_error_t send_error_of(enum lane_answer answer)
{
	switch (answer) {
	case LANE_OK:
		return DOCA_SUCCESS;
	case LANE_NO_POST:
		return DOCA_ERROR_AGAIN;
	case LANE_TOO_BIG:
		return DOCA_ERROR_INVALID_VALUE;
	default:
		return DOCA_ERROR_CONNECTION_RESET;
	}
}

/*
 * send_now() for a task, whose data is there. AGAIN: there is no post. IO_FAILED: its map is gone
 */
static inline doca_error_t send_task(const struct send_queue *queue,
				     struct doca_comch_producer_task_send *task, const char *from)
{
	struct doca_mmap *guard = task->plain_size & SEND_IS_GUARDED ? task->buf->mmap : NULL;
	doca_error_t err;

	if (doca_unlikely(guard != NULL) && !mmap_begin_access(guard))
		return DOCA_ERROR_IO_FAILED;
	err = send_error_of(send_now(queue->producer, queue->lane, from, send_size(task), task->imm,
				     send_imm_size(task)));
	if (!err)
		lane_wake_consumer(queue->lane);
	if (doca_unlikely(guard != NULL))
		mmap_end_access(guard);
	return err;
}

#endif
