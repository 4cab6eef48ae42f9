/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of queues may be longer than immediate data of a connection.
 */
#include "test.h"

#include "fastpath.h"
#include "msgq_rig.h"

#define IMM_MAX 64

struct long_queue {
	struct queue queue;
	uint8_t imm[IMM_MAX];
	uint32_t size;
};

static void take(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		 union doca_data ctx_data)
{
	struct long_queue *queue = ctx_data.ptr;

	(void)task_data;
	queue->size = doca_comch_consumer_task_post_recv_get_imm_data_len(task);
	memcpy(queue->imm, doca_comch_consumer_task_post_recv_get_imm_data(task), queue->size);
	assert_ok(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
}

static void start(struct long_queue *long_queue)
{
	struct queue *queue = &long_queue->queue;
	struct doca_ctx *ctxs[2];

	assert_ok(doca_comch_msgq_start(queue->msgq));
	assert_ok(doca_pe_create(&queue->pe));
	assert_ok(doca_comch_msgq_consumer_create(queue->msgq, &queue->consumer));
	assert_ok(doca_comch_msgq_producer_create(queue->msgq, &queue->producer));
	assert_err(doca_comch_consumer_set_imm_data_len(queue->consumer, IMM_MAX + 1),
		   INVALID_VALUE);
	assert_ok(doca_comch_consumer_set_imm_data_len(queue->consumer, IMM_MAX));
	assert_ok(
		doca_comch_consumer_task_post_recv_set_conf(queue->consumer, take, flushed, DEPTH));
	assert_ok(doca_comch_producer_task_send_set_conf(queue->producer, sent, failed, DEPTH));
	ctxs[0] = doca_comch_consumer_as_ctx(queue->consumer);
	ctxs[1] = doca_comch_producer_as_ctx(queue->producer);
	for (unsigned int i = 0; i < 2; i++) {
		assert_ok(doca_ctx_set_user_data(ctxs[i], (union doca_data){.ptr = long_queue}));
		assert_ok(doca_pe_connect_ctx(queue->pe, ctxs[i]));
		assert_ok(doca_ctx_start(ctxs[i]));
	}
}

static void try(struct long_queue *queue, uint8_t *imm, uint32_t size)
{
	struct doca_comch_producer_task_send *task;

	assert_ok(doca_comch_producer_task_send_alloc_init(queue->queue.producer, NULL, imm, size,
							   1, &task));
	assert_ok(doca_task_submit(doca_comch_producer_task_send_as_task(task)));
	progress(&queue->queue);
	assert_int_equal(queue->size, size);
	assert_memory_equal(queue->imm, imm, size);
}

static void every_size_arrives(void **state)
{
	struct long_queue queue = {.queue = *(struct queue *)*state};
	struct doca_comch_producer_task_send *task;
	uint8_t imm[IMM_MAX + 1];

	for (size_t i = 0; i < sizeof(imm); i++)
		imm[i] = (uint8_t)(i + 1);
	start(&queue);
	post(&queue.queue, DEPTH);
	for (uint32_t size = 1; size <= IMM_MAX; size++)
		try(&queue, imm + IMM_MAX - size, size);
	assert_err(doca_comch_producer_task_send_alloc_init(queue.queue.producer, NULL, imm,
							    IMM_MAX + 1, 1, &task),
		   INVALID_VALUE);
	end(&queue.queue);
	assert_int_equal(queue.queue.failed, 0);
	assert_int_equal(queue.queue.flushed, DEPTH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(every_size_arrives)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
