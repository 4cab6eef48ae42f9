/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A message queue with a consumer and a producer, both on one progress engine.
 */
#ifndef SOFTFIELD_TEST_MSGQ_RIG_H
#define SOFTFIELD_TEST_MSGQ_RIG_H

#include <string.h>
#include "doca_comch_consumer.h"
#include "doca_comch_msgq.h"
#include "doca_comch_producer.h"
#include "doca_ctx.h"
#include "doca_pe.h"
#include "world.h"

#define DEPTH 4

struct queue {
	struct doca_dev *dev;
	struct doca_comch_msgq *msgq;
	struct doca_pe *pe;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	unsigned int received, flushed, sent, failed;
	uint32_t last; /* received */
	struct leak before;
	doca_ctx_state_changed_callback_t on_state; /* of the consumer's; may be NULL */
};

static inline int set_up(void **state)
{
	static struct queue queue;

	memset(&queue, 0, sizeof(queue));
	queue.before = leak_count();
	queue.dev = open_dev("03:00.0");
	assert_ok(doca_comch_msgq_create(queue.dev, &queue.msgq));
	*state = &queue;
	return 0;
}

static inline int tear_down(void **state)
{
	struct queue *queue = *state;

	assert_ok(doca_comch_msgq_destroy(queue->msgq));
	assert_ok(doca_dev_close(queue->dev));
	return leak_check(&queue->before) ? 0 : -1;
}

static inline void received(struct doca_comch_consumer_task_post_recv *task,
			    union doca_data task_data, union doca_data ctx_data)
{
	struct queue *queue = ctx_data.ptr;

	(void)task_data;
	queue->received++;
	assert_int_equal(doca_comch_consumer_task_post_recv_get_imm_data_len(task), 4);
	assert_int_equal(doca_comch_consumer_task_post_recv_get_producer_id(task), 1);
	memcpy(&queue->last, doca_comch_consumer_task_post_recv_get_imm_data(task), 4);
	assert_ok(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
}

static inline void flushed(struct doca_comch_consumer_task_post_recv *task,
			   union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	((struct queue *)ctx_data.ptr)->flushed++;
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static inline void sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
			union doca_data ctx_data)
{
	(void)task_data;
	((struct queue *)ctx_data.ptr)->sent++;
	doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static inline void failed(struct doca_comch_producer_task_send *task, union doca_data task_data,
			  union doca_data ctx_data)
{
	(void)task_data;
	((struct queue *)ctx_data.ptr)->failed++;
	doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static inline void progress(struct queue *queue)
{
	for (unsigned int i = 0; i < 50; i++)
		doca_pe_progress(queue->pe);
}

static inline enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
	enum doca_ctx_states ctx_state;

	assert_ok(doca_ctx_get_state(ctx, &ctx_state));
	return ctx_state;
}

/* a consumer and a producer that run; each start is done when the call returns */
static inline void run(struct queue *queue)
{
	struct doca_ctx *ctxs[2];

	assert_ok(doca_comch_msgq_start(queue->msgq));
	assert_ok(doca_pe_create(&queue->pe));
	assert_ok(doca_comch_msgq_consumer_create(queue->msgq, &queue->consumer));
	assert_ok(doca_comch_msgq_producer_create(queue->msgq, &queue->producer));
	assert_ok(doca_comch_consumer_set_imm_data_len(queue->consumer, 4));
	assert_ok(doca_comch_consumer_task_post_recv_set_conf(queue->consumer, received, flushed,
							      DEPTH));
	assert_ok(doca_comch_producer_task_send_set_conf(queue->producer, sent, failed, DEPTH));
	ctxs[0] = doca_comch_consumer_as_ctx(queue->consumer);
	ctxs[1] = doca_comch_producer_as_ctx(queue->producer);
	if (queue->on_state)
		assert_ok(doca_ctx_set_state_changed_cb(ctxs[0], queue->on_state));
	for (unsigned int i = 0; i < 2; i++) {
		assert_ok(doca_ctx_set_user_data(ctxs[i], (union doca_data){.ptr = queue}));
		assert_ok(doca_pe_connect_ctx(queue->pe, ctxs[i]));
		assert_ok(doca_ctx_start(ctxs[i]));
		assert_int_equal(state_of(ctxs[i]), DOCA_CTX_STATE_RUNNING);
	}
}

static inline void post(struct queue *queue, unsigned int count)
{
	struct doca_comch_consumer_task_post_recv *task;

	while (count--) {
		assert_ok(doca_comch_consumer_task_post_recv_alloc_init(queue->consumer, NULL,
									&task));
		assert_ok(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	}
}

static inline void send(struct queue *queue, uint32_t value)
{
	struct doca_comch_producer_task_send *task;

	assert_ok(doca_comch_producer_task_send_alloc_init(queue->producer, NULL, (uint8_t *)&value,
							   sizeof(value), 1, &task));
	assert_ok(doca_task_submit(doca_comch_producer_task_send_as_task(task)));
}

static inline void destroy_all(struct queue *queue)
{
	assert_err(doca_comch_msgq_stop(queue->msgq), IN_USE);
	assert_ok(doca_comch_consumer_destroy(queue->consumer));
	assert_ok(doca_comch_producer_destroy(queue->producer));
	assert_ok(doca_comch_msgq_stop(queue->msgq));
}

static inline void end(struct queue *queue)
{
	doca_ctx_stop(doca_comch_producer_as_ctx(queue->producer));
	doca_ctx_stop(doca_comch_consumer_as_ctx(queue->consumer));
	progress(queue);
	destroy_all(queue);
	assert_ok(doca_pe_destroy(queue->pe));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
