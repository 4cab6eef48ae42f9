/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread with a consumer: receives, and believes nothing.
 */
#include "mover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <doca_comch_consumer.h>

#define GUARD 23 /* canaries around each buffer */

struct taker {
	struct mover_thread *thread;
	struct doca_comch_consumer *consumer;
	uint32_t id;
	size_t room;
	uint32_t left; /* until it begins again */
	/* by producer id: the last message of it, for the order */
	struct {
		uint32_t giver, number;
	} last[0x10000];
};

static void check_guards(const struct taker *taker, const char *data)
{
	size_t i;

	for (i = 1; i <= GUARD; i++)
		mover_check(data[-(ptrdiff_t)i] == (char)MOVER_CANARY);
	for (i = 0; i < GUARD; i++)
		mover_check(data[taker->room + i] == (char)MOVER_CANARY);
}

/* The order of one producer's messages, and no message twice. */
static void check_order(struct taker *taker, uint32_t producer, const struct mover_head *head)
{
	mover_check(producer && producer < 0xffff);
	if (taker->last[producer].giver == head->giver)
		mover_check(head->number > taker->last[producer].number);
	taker->last[producer].giver = head->giver;
	taker->last[producer].number = head->number;
}

static void check_message(struct taker *taker, struct doca_comch_consumer_task_post_recv *task)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	const uint8_t *imm = doca_comch_consumer_task_post_recv_get_imm_data(task);
	uint32_t imm_size = doca_comch_consumer_task_post_recv_get_imm_data_len(task);
	struct mover_head head;
	size_t size, skip = 0;
	char *data;

	mover_check(!doca_buf_get_data(buf, (void **)&data));
	mover_check(!doca_buf_get_data_len(buf, &size));
	if (imm) {
		mover_check(imm_size == sizeof(head));
		memcpy(&head, imm, sizeof(head));
	} else {
		mover_check(size >= sizeof(head));
		memcpy(&head, data, sizeof(head));
		skip = sizeof(head);
	}
	mover_check(head.size == size && head.consumer == taker->id);
	mover_check(mover_matches(data + skip, size - skip, head.seed));
	check_order(taker, doca_comch_consumer_task_post_recv_get_producer_id(task), &head);
	check_guards(taker, data);
}

static void release(struct mover_thread *thread, struct doca_comch_consumer_task_post_recv *task)
{
	mover_check(!doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL));
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	thread->out--;
}

static void report(const struct mover *mover, uint64_t count)
{
	if (!mover->config.report || count % mover->config.report)
		return;
	printf("received %llu\n", (unsigned long long)count);
	fflush(stdout);
}

static void received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		     union doca_data ctx_data)
{
	struct taker *taker = task_data.ptr;
	struct mover_thread *thread = ctx_data.ptr;
	uint64_t before = mover_now_ns();

	check_message(taker, task);
	thread->own_ns += mover_now_ns() - before;
	report(thread->mover, atomic_fetch_add(&thread->mover->received, 1) + 1);
	mover_check(!doca_buf_reset_data_len(doca_comch_consumer_task_post_recv_get_buf(task)));
	if (taker->left)
		taker->left--;
	if (doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)))
		release(thread, task); /* it is stopping */
}

static void failed(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		   union doca_data ctx_data)
{
	struct taker *taker = task_data.ptr;
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	size_t size;
	char *data;

	/* nothing is half there */
	mover_check(!doca_buf_get_data(buf, (void **)&data));
	mover_check(!doca_buf_get_data_len(buf, &size) && !size);
	check_guards(taker, data);
	release(ctx_data.ptr, task);
}

static void post_all(struct taker *taker)
{
	struct mover_thread *thread = taker->thread;
	unsigned int i;

	for (i = 0; i < thread->mover->config.window; i++) {
		char *data = thread->memory + 32 + GUARD + i * (taker->room + 2 * GUARD);
		struct doca_comch_consumer_task_post_recv *task;
		struct doca_buf *buf;
		struct doca_task *base;

		mover_check(!doca_buf_inventory_buf_get_by_addr(thread->inventory, thread->mmap,
								data, taker->room, &buf));
		mover_check(!doca_comch_consumer_task_post_recv_alloc_init(taker->consumer, buf,
									   &task));
		base = doca_comch_consumer_task_post_recv_as_task(task);
		doca_task_set_user_data(base, (union doca_data){.ptr = taker});
		mover_check(!doca_task_submit(base));
		thread->out++;
	}
}

static bool is_through(struct mover_thread *thread)
{
	return atomic_load(&thread->mover->takers_may_end) || mover_is_over(thread->mover);
}

/* the life of a consumer; false: the thread is through */
static bool live(struct taker *taker)
{
	struct mover_thread *thread = taker->thread;
	uint32_t restart = thread->mover->config.restart;

	taker->left = restart ? 1 + mover_random(thread, 2 * restart) : UINT32_MAX;
	if (doca_ctx_start(thread->ctx) != DOCA_ERROR_IN_PROGRESS)
		return false; /* the connection is lost */
	while (mover_state(thread->ctx) == DOCA_CTX_STATE_STARTING)
		mover_work(thread);
	if (mover_state(thread->ctx) == DOCA_CTX_STATE_RUNNING)
		post_all(taker);
	while (mover_state(thread->ctx) == DOCA_CTX_STATE_RUNNING) {
		if (!taker->left || is_through(thread))
			doca_ctx_stop(thread->ctx);
		else if (!mover_progress(thread))
			mover_rest(thread);
	}
	while (mover_state(thread->ctx) != DOCA_CTX_STATE_IDLE)
		mover_work(thread);
	mover_check(!thread->out);
	return !is_through(thread);
}

void *mover_take(void *arg)
{
	struct mover_thread *thread = arg;
	const struct mover_config *config = &thread->mover->config;
	struct taker *taker = calloc(1, sizeof(*taker));

	taker->thread = thread;
	taker->room = config->size_max;
	mover_thread_init(thread, config->window * (taker->room + 2 * GUARD),
			  DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	if (!doca_comch_consumer_create(thread->mover->connection, thread->mmap,
					&taker->consumer)) {
		mover_connect(thread, doca_comch_consumer_as_ctx(taker->consumer));
		mover_check(!doca_comch_consumer_get_id(taker->consumer, &taker->id));
		mover_check(!doca_comch_consumer_set_imm_data_len(taker->consumer, MOVER_IMM));
		mover_check(!doca_comch_consumer_task_post_recv_set_conf(taker->consumer, received,
									 failed, config->window));
		while (live(taker))
			;
		mover_check(!doca_comch_consumer_destroy(taker->consumer));
	}
	mover_thread_fini(thread);
	free(taker);
	atomic_fetch_sub(&thread->mover->takers_left, 1);
	mover_ring_main(thread);
	return NULL;
}
