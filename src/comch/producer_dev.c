/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What DPA code does with producers. It runs in a unit of the DPA, and so do the polls of these
 * producers, in another one: the engine's lock is between them.
 *
 * A message whose consumer has a receive is in its lane when the call returns. Only one that has to
 * wait for a receive, or for others that wait, takes a task, which the polls go on with. When DPA
 * code has all of them in flight, the call waits.
 */
#define LOG_MODULE "comch"
#include "base/clock.h"
#include "base/log.h"
#include "comch/producer_send.h"
#include "core/mmap_dev.h"
#include "doca_dpa_dev_comch_msgq.h"

/* After so long without a task that is done, there is nobody who receives. */
#define FULL_MAX_NS (UINT64_C(5) * 1000 * 1000 * 1000)

enum post_answer {
	POST_DONE,   /* the engine has nothing to do because of it */
	POST_QUEUED, /* the engine has */
	POST_FULL,
	POST_TOO_LONG, /* for the consumer */
	POST_IMPOSSIBLE,
};

#define IMPOSSIBLE "a message has no immediate data, or more than a DPA may send"

/* the consumer's; NULL: there is none */
static struct send_queue *find_queue(struct doca_comch_producer *producer, uint32_t consumer_id)
{
	struct send_queue *queue = producer->last;

	if (lane_leads_to(queue->lane, consumer_id))
		return queue;
	return producer_find_queue(producer, consumer_id);
}

/* It may have stopped before the producer, which is how programs end. */
static void complain(struct doca_comch_producer *producer, uint32_t consumer_id)
{
	if (!producer->on_dpa.common.has_warned)
		LOG_WRN("producer %u: DPA code sends to consumer %u, which does not run",
			producer->user.id, consumer_id);
	producer->on_dpa.common.has_warned = true;
}

/* Only of one that runs: programs stop it, and the maps that it copies to, before the threads. */
static void fail(doca_dpa_dev_comch_producer_t handle, const char *what)
{
	struct doca_comch_producer *producer;
	struct dpa_engine *engine;

	producer = dpa_object_lock_engine(handle, DPA_PRODUCER, &engine);
	if (!producer)
		return;
	if (producer->ctx.state == DOCA_CTX_STATE_RUNNING)
		priv_dpa->fail(producer->on_dpa.common.dpa, what);
	dpa_engine_unlock(engine);
}

/* A DPA of a card sends less than it receives. */
static inline bool is_message(const struct producer_message *message, uint64_t imm_max)
{
	return message->imm && message->imm_size && message->imm_size <= imm_max;
}

static inline enum post_answer post(struct doca_comch_producer *producer,
				    const struct producer_message *message)
{
	enum lane_answer answer = LANE_NO_POST;
	struct send_queue *queue;

	if (doca_unlikely(producer->ctx.state != DOCA_CTX_STATE_RUNNING))
		return POST_DONE;
	if (doca_unlikely(!is_message(message, producer->on_dpa.imm_max)))
		return POST_IMPOSSIBLE;
	queue = find_queue(producer, message->consumer_id);
	if (doca_unlikely(!queue)) {
		complain(producer, message->consumer_id);
		producer_report(producer, message->is_reported, DOCA_ERROR_NOT_FOUND);
		return POST_DONE;
	}
	/* The second is true of every lane: it tells the compiler that all is in the line. */
	if (message->imm_size > queue->lane->imm_max || message->imm_size > LANE_IMM_MAX)
		return POST_TOO_LONG;
	if (!ctx_num_inflight(&producer->ctx))
		answer = send_now(producer, queue->lane, (const char *)message->imm, 0,
				  message->imm, message->imm_size);
	if (doca_likely(answer == LANE_OK))
		lane_wake_consumer(queue->lane);
	if (answer == LANE_NO_POST)
		return producer_submit_on_dpa(producer, message) ? POST_QUEUED : POST_FULL;
	producer_report(producer, message->is_reported, send_error_of(answer));
	return POST_DONE;
}

static inline enum post_answer try_post(doca_dpa_dev_comch_producer_t handle,
					const struct producer_message *message)
{
	struct doca_comch_producer *producer;
	enum post_answer answer;
	struct dpa_engine *engine;

	producer = dpa_object_lock_engine(handle, DPA_PRODUCER, &engine);
	if (doca_unlikely(!producer))
		return POST_DONE;
	answer = post(producer, message);
	if (doca_likely(answer == POST_DONE)) {
		/* Its unit may sleep on. */
		pthread_mutex_unlock(&engine->lock);
		return answer;
	}
	if (answer == POST_FULL)
		priv_pe_work(engine->pe);
	dpa_engine_unlock_to_unit(engine);
	return answer;
}

/* What a first try has not done. */
static __attribute__((noinline)) void go_on(doca_dpa_dev_comch_producer_t producer,
					    const struct producer_message *message,
					    enum post_answer answer)
{
	uint64_t end = answer == POST_FULL ? clock_now_ns() + FULL_MAX_NS : 0;

	while (answer == POST_FULL && clock_now_ns() < end) {
		answer = try_post(producer, message);
		if (answer == POST_FULL)
			priv_dpa->pause(); /* does not return when the thread is being stopped */
	}
	if (answer == POST_FULL)
		fail(producer, "a message queue is full, and its consumer receives nothing");
	else if (answer == POST_TOO_LONG)
		fail(producer, "a message is longer than its consumer has room for");
	else if (answer == POST_IMPOSSIBLE)
		fail(producer, IMPOSSIBLE);
}

static inline void post_message(doca_dpa_dev_comch_producer_t producer,
				const struct producer_message *message)
{
	enum post_answer answer = try_post(producer, message);

	if (doca_unlikely(answer != POST_DONE))
		go_on(producer, message, answer);
}

static inline struct producer_message make_message(uint32_t consumer_id, const uint8_t *imm,
						   uint32_t imm_size, uint32_t flags)
{
	return (struct producer_message){
		.consumer_id = consumer_id,
		.imm = imm,
		.imm_size = imm_size,
		.is_reported = !(flags & DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS),
	};
}

void doca_dpa_dev_comch_producer_post_send_imm_only(doca_dpa_dev_comch_producer_t producer,
						    uint32_t consumer_id, const uint8_t *imm,
						    uint32_t imm_length, uint32_t flags)
{
	const struct producer_message message = make_message(consumer_id, imm, imm_length, flags);

	priv_dpa->check();
	post_message(producer, &message);
}

void doca_dpa_dev_comch_producer_dma_copy(doca_dpa_dev_comch_producer_t producer,
					  uint32_t consumer_id, doca_dpa_dev_mmap_t dst_mmap,
					  uint64_t dst_addr, doca_dpa_dev_mmap_t src_mmap,
					  uint64_t src_addr, size_t length, const uint8_t *imm,
					  uint32_t imm_length, uint32_t flags)
{
	const struct producer_message message = make_message(consumer_id, imm, imm_length, flags);
	const struct mmap_dev_copy copy = {dst_mmap, src_mmap, dst_addr, src_addr, length};

	priv_dpa->check();
	if (!is_message(&message, priv_topo_limits()->consumer_max_imm_data_len)) {
		fail(producer, IMPOSSIBLE);
		return;
	}
	if (length && priv_mmap_dev_copy(&copy)) {
		fail(producer, "a copy with a message is impossible");
		return;
	}
	/* What is written before a message is seen by who has received it. */
	post_message(producer, &message);
}

/* With the lock held. */
static bool has_no_receive(struct doca_comch_producer *producer, uint32_t consumer_id)
{
	const struct send_queue *queue;

	if (producer->ctx.state != DOCA_CTX_STATE_RUNNING)
		return true;
	queue = find_queue(producer, consumer_id);
	return !queue || queue->waiting || lane_is_gone(queue->lane) || !lane_has_post(queue->lane);
}

int doca_dpa_dev_comch_producer_is_consumer_empty(doca_dpa_dev_comch_producer_t producer,
						  uint32_t consumer_id)
{
	struct doca_comch_producer *object;
	struct dpa_engine *engine;
	bool is_empty = true;

	object = dpa_object_lock_engine(producer, DPA_PRODUCER, &engine);
	if (object) {
		is_empty = has_no_receive(object, consumer_id);
		/* What waits is sent by the unit. */
		pthread_mutex_unlock(&engine->lock);
	}
	if (is_empty)
		priv_dpa->pause();
	else
		priv_dpa->check();
	return is_empty;
}
