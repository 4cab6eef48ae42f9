/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread with a producer: sends to whatever consumer of the peer there is.
 */
#include "mover.h"

#include <stdlib.h>
#include <string.h>
#include <doca_comch_producer.h>

struct giver {
	struct mover_thread *thread;
	struct doca_comch_producer *producer;
	unsigned int life;
	uint32_t number;   /* of the next message */
	uint32_t accepted; /* that have been sent */
	uint64_t free_slots;
	uint32_t size; /* of the last message */
};

/* the slot that a task uses travels in its user data */
static void done(struct doca_comch_producer_task_send *task, union doca_data task_data,
		 union doca_data ctx_data)
{
	struct doca_task *base = doca_comch_producer_task_send_as_task(task);
	const struct doca_buf *buf = doca_comch_producer_task_send_get_buf(task);
	struct mover_thread *thread = ctx_data.ptr;
	struct giver *giver = (struct giver *)(uintptr_t)(task_data.u64 & ~(uint64_t)63);
	size_t size = 0;

	if (buf)
		mover_check(!doca_buf_get_data_len(buf, &size));
	if (!doca_task_get_status(base)) {
		giver->accepted++;
		atomic_fetch_add(&thread->mover->sent, 1);
		atomic_fetch_add(&thread->mover->sent_bytes, size);
	}
	giver->free_slots |= (uint64_t)1 << (task_data.u64 & 63);
	thread->out--;
	if (buf)
		mover_check(!doca_buf_dec_refcount((struct doca_buf *)buf, NULL));
	doca_task_free(base);
}

/* small sizes as often as large ones, and those around the borders of the engine */
static uint32_t choose_size(struct mover_thread *thread)
{
	static const uint32_t borders[] = {1,	16,   17,     48,     49,    112,
					   113, 4096, 131072, 262144, 262145};
	const struct mover_config *config = &thread->mover->config;
	uint32_t size = config->size_min, bits = 0;

	while (bits < 30 && config->size_min + ((uint64_t)2 << bits) <= config->size_max)
		bits++;
	if (mover_random(thread, 4))
		size += mover_random(thread,
				     (uint32_t)((uint64_t)2 << mover_random(thread, bits + 1)));
	else
		size = borders[mover_random(thread, sizeof(borders) / sizeof(borders[0]))];
	if (size < config->size_min)
		return config->size_min;
	return size < config->size_max ? size : config->size_max;
}

/* Messages that wait share lines if they have one size. */
static uint32_t next_size(struct giver *giver)
{
	if (!giver->size || mover_random(giver->thread, 2))
		giver->size = choose_size(giver->thread);
	return giver->size;
}

/* 0: there is none */
static uint32_t choose_consumer(struct mover_thread *thread)
{
	struct mover *mover = thread->mover;
	uint32_t id = 0;

	pthread_mutex_lock(&mover->lock);
	if (mover->remote_count)
		id = mover->remote[mover_random(thread, mover->remote_count)];
	pthread_mutex_unlock(&mover->lock);
	return id;
}

static struct doca_buf *make_data(struct giver *giver, unsigned int slot, struct mover_head *head,
				  bool in_front)
{
	struct mover_thread *thread = giver->thread;
	size_t room = thread->memory_size / thread->mover->config.window;
	char *data = thread->memory + 32 + slot * room;
	struct doca_buf *buf;

	if (in_front) {
		memcpy(data, head, sizeof(*head));
		mover_fill(data + sizeof(*head), head->size - sizeof(*head), head->seed);
	} else {
		mover_fill(data, head->size, head->seed);
	}
	mover_check(!doca_buf_inventory_buf_get_by_data(thread->inventory, thread->mmap, data,
							head->size, &buf));
	return buf;
}

static void send_one(struct giver *giver, uint32_t consumer)
{
	struct mover_thread *thread = giver->thread;
	unsigned int slot = (unsigned int)__builtin_ctzll(giver->free_slots);
	struct mover_head head = {.giver = thread->index << 16 | giver->life,
				  .number = giver->number++,
				  .size = next_size(giver),
				  .consumer = consumer,
				  .seed = thread->random | 1};
	bool in_front = head.size >= sizeof(head) && mover_random(thread, 2);
	struct doca_comch_producer_task_send *task;
	struct doca_buf *buf = make_data(giver, slot, &head, in_front);
	uint32_t flags =
		mover_random(thread, 2) ? DOCA_TASK_SUBMIT_FLAG_FLUSH : DOCA_TASK_SUBMIT_FLAG_NONE;
	struct doca_task *base;

	mover_check(!doca_comch_producer_task_send_alloc_init(
		giver->producer, buf, in_front ? NULL : (uint8_t *)&head,
		in_front ? 0 : sizeof(head), consumer, &task));
	base = doca_comch_producer_task_send_as_task(task);
	doca_task_set_user_data(base, (union doca_data){.u64 = (uintptr_t)giver | slot});
	if (doca_task_submit_ex(base, flags)) { /* the consumer has gone meanwhile */
		doca_task_free(base);
		mover_check(!doca_buf_dec_refcount(buf, NULL));
		return;
	}
	giver->free_slots &= ~((uint64_t)1 << slot);
	thread->out++;
}

static bool has_more(const struct giver *giver)
{
	const struct mover_config *config = &giver->thread->mover->config;

	return !config->messages || giver->accepted + giver->thread->out < config->messages;
}

/* the life of a producer; false: the thread is through */
static bool live(struct giver *giver)
{
	struct mover_thread *thread = giver->thread;
	struct mover *mover = thread->mover;
	uint32_t restart = mover->config.restart;
	uint32_t left = restart ? 1 + mover_random(thread, 2 * restart) : UINT32_MAX;

	giver->life++;
	if (doca_ctx_start(thread->ctx))
		return false; /* the connection is lost */
	while (mover_state(thread->ctx) == DOCA_CTX_STATE_RUNNING) {
		uint32_t consumer =
			giver->free_slots && has_more(giver) ? choose_consumer(thread) : 0;

		if (consumer && left) {
			send_one(giver, consumer);
			left--;
			continue;
		}
		if (!left || (!thread->out && !has_more(giver)))
			doca_ctx_stop(thread->ctx);
		else if (!mover_progress(thread))
			mover_rest(thread);
	}
	while (mover_state(thread->ctx) != DOCA_CTX_STATE_IDLE)
		mover_work(thread);
	mover_check(!thread->out);
	return has_more(giver) && !mover_is_over(mover);
}

void *mover_give(void *arg)
{
	struct mover_thread *thread = arg;
	const struct mover_config *config = &thread->mover->config;
	struct giver *giver = aligned_alloc(64, (sizeof(*giver) + 63) & ~(size_t)63);
	size_t memory_size = (size_t)config->window * (config->size_max + 41);

	*giver = (struct giver){.thread = thread,
				.free_slots = config->window < 64
						      ? ((uint64_t)1 << config->window) - 1
						      : UINT64_MAX};
	mover_thread_init(thread, memory_size, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	if (!doca_comch_producer_create(thread->mover->connection, &giver->producer)) {
		mover_connect(thread, doca_comch_producer_as_ctx(giver->producer));
		mover_check(!doca_comch_producer_task_send_set_conf(giver->producer, done, done,
								    config->window));
		while (live(giver))
			;
		mover_check(!doca_comch_producer_destroy(giver->producer));
	}
	mover_thread_fini(thread);
	free(giver);
	atomic_fetch_sub(&thread->mover->givers_left, 1);
	mover_ring_main(thread);
	return NULL;
}
