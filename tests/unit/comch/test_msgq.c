/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message queues, both ends on the CPU: states, numbers, messages. No DPA can be set.
 */
#include "test.h"

#include "core/dpa_hook.h"
#include "fastpath.h"
#include "msgq_rig.h"

/* never looked into */
static struct doca_dpa *const dpa = (void *)(uintptr_t)0x1000;

static void calls_check_their_arguments(void **state)
{
	struct queue *queue = *state;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;

	priv_dpa = NULL; /* as in programs that link no library of it */
	assert_err(doca_comch_msgq_create(NULL, &queue->msgq), INVALID_VALUE);
	assert_err(doca_comch_msgq_create(queue->dev, NULL), INVALID_VALUE);
	assert_err(doca_comch_msgq_start(NULL), INVALID_VALUE);
	assert_err(doca_comch_msgq_stop(NULL), INVALID_VALUE);
	assert_err(doca_comch_msgq_destroy(NULL), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_dpa_consumer(NULL, dpa), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_dpa_consumer(queue->msgq, NULL), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_dpa_consumer(queue->msgq, dpa), NOT_SUPPORTED);
	assert_err(doca_comch_msgq_set_dpa_producer(NULL, dpa), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_dpa_producer(queue->msgq, NULL), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_dpa_producer(queue->msgq, dpa), NOT_SUPPORTED);
	assert_err(doca_comch_msgq_set_max_num_consumers(NULL, 1), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_max_num_consumers(queue->msgq, 0), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_max_num_consumers(queue->msgq, UINT32_MAX), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_max_num_producers(NULL, 1), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_max_num_producers(queue->msgq, 0), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_max_num_producers(queue->msgq, UINT32_MAX), INVALID_VALUE);
	assert_err(doca_comch_msgq_consumer_create(NULL, &consumer), INVALID_VALUE);
	assert_err(doca_comch_msgq_consumer_create(queue->msgq, NULL), INVALID_VALUE);
	assert_err(doca_comch_msgq_producer_create(NULL, &producer), INVALID_VALUE);
	assert_err(doca_comch_msgq_producer_create(queue->msgq, NULL), INVALID_VALUE);
}

static void states_are_checked(void **state)
{
	struct queue *queue = *state;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;

	assert_err(doca_comch_msgq_stop(queue->msgq), BAD_STATE);
	assert_err(doca_comch_msgq_consumer_create(queue->msgq, &consumer), BAD_STATE);
	assert_err(doca_comch_msgq_producer_create(queue->msgq, &producer), BAD_STATE);
	assert_ok(doca_comch_msgq_start(queue->msgq));
	assert_err(doca_comch_msgq_start(queue->msgq), BAD_STATE);
	assert_err(doca_comch_msgq_destroy(queue->msgq), BAD_STATE);
	assert_err(doca_comch_msgq_set_max_num_consumers(queue->msgq, 2), BAD_STATE);
	assert_err(doca_comch_msgq_set_max_num_producers(queue->msgq, 2), BAD_STATE);
	assert_err(doca_comch_msgq_set_dpa_consumer(queue->msgq, dpa), BAD_STATE);
	assert_err(doca_comch_msgq_set_dpa_producer(queue->msgq, dpa), BAD_STATE);
	assert_ok(doca_comch_msgq_stop(queue->msgq));
	assert_ok(doca_comch_msgq_start(queue->msgq));
	assert_ok(doca_comch_msgq_stop(queue->msgq));
}

static void consumers_take_immediate_data_unless_set(void **state)
{
	struct queue *queue = *state;
	struct doca_comch_consumer *consumer;
	uint32_t max, len;

	assert_ok(doca_comch_consumer_cap_get_max_imm_data_len(doca_dev_as_devinfo(queue->dev),
							       &max));
	assert_ok(doca_comch_msgq_start(queue->msgq));
	assert_ok(doca_comch_msgq_consumer_create(queue->msgq, &consumer));
	assert_ok(doca_comch_consumer_get_imm_data_len(consumer, &len));
	assert_int_equal(len, max);
	assert_ok(doca_comch_consumer_set_imm_data_len(consumer, 0));
	assert_ok(doca_comch_consumer_get_imm_data_len(consumer, &len));
	assert_int_equal(len, 0);
	assert_ok(doca_comch_consumer_destroy(consumer));
	assert_ok(doca_comch_msgq_stop(queue->msgq));
}

static void ids_begin_at_1_and_numbers_are_limited(void **state)
{
	struct queue *queue = *state;
	struct doca_comch_consumer *consumers[3];
	struct doca_comch_producer *producers[2];
	uint32_t id;

	assert_ok(doca_comch_msgq_set_max_num_consumers(queue->msgq, 2));
	assert_ok(doca_comch_msgq_start(queue->msgq));
	for (uint32_t i = 0; i < 2; i++) {
		assert_ok(doca_comch_msgq_consumer_create(queue->msgq, &consumers[i]));
		assert_ok(doca_comch_consumer_get_id(consumers[i], &id));
		assert_int_equal(id, i + 1);
	}
	assert_err(doca_comch_msgq_consumer_create(queue->msgq, &consumers[2]), NO_MEMORY);
	assert_ok(doca_comch_msgq_producer_create(queue->msgq, &producers[0]));
	assert_ok(doca_comch_producer_get_id(producers[0], &id));
	assert_int_equal(id, 1);
	assert_err(doca_comch_msgq_producer_create(queue->msgq, &producers[1]), NO_MEMORY);
	assert_ok(doca_comch_consumer_destroy(consumers[0]));
	assert_ok(doca_comch_msgq_consumer_create(queue->msgq, &consumers[0]));
	assert_ok(doca_comch_consumer_get_id(consumers[0], &id));
	assert_int_equal(id, 1);
	assert_err(doca_comch_msgq_stop(queue->msgq), IN_USE);
	assert_ok(doca_comch_consumer_destroy(consumers[0]));
	assert_ok(doca_comch_consumer_destroy(consumers[1]));
	assert_err(doca_comch_msgq_stop(queue->msgq), IN_USE);
	assert_ok(doca_comch_producer_destroy(producers[0]));
	assert_ok(doca_comch_msgq_stop(queue->msgq));
}

static void messages_arrive_in_order(void **state)
{
	struct queue *queue = *state;

	run(queue);
	post(queue, DEPTH);
	for (uint32_t i = 0; i < 1000; i++) {
		send(queue, i);
		progress(queue);
		assert_int_equal(queue->received, i + 1);
		assert_int_equal(queue->last, i);
	}
	assert_int_equal(queue->sent, 1000);
	end(queue);
	assert_int_equal(queue->flushed, DEPTH);
	assert_int_equal(queue->failed, 0);
}

static void a_send_waits_for_a_receive(void **state)
{
	struct queue *queue = *state;

	run(queue);
	for (uint32_t i = 0; i < DEPTH; i++)
		send(queue, i);
	progress(queue);
	assert_int_equal(queue->sent + queue->failed, 0);
	post(queue, 1); /* and again in each callback */
	progress(queue);
	assert_int_equal(queue->received, DEPTH);
	assert_int_equal(queue->sent, DEPTH);
	assert_int_equal(queue->last, DEPTH - 1);
	end(queue);
}

static void what_cannot_be_sent_is_refused(void **state)
{
	struct queue *queue = *state;
	struct doca_comch_producer_task_send *task;
	uint8_t imm[5] = {0};

	run(queue);
	post(queue, 1);
	/* more than the consumer has said */
	assert_ok(
		doca_comch_producer_task_send_alloc_init(queue->producer, NULL, imm, 5, 1, &task));
	assert_err(doca_task_submit(doca_comch_producer_task_send_as_task(task)), INVALID_VALUE);
	/* nobody has that number */
	doca_comch_producer_task_send_set_imm_data(task, imm, 4);
	doca_comch_producer_task_send_set_consumer_id(task, 2);
	assert_err(doca_task_submit(doca_comch_producer_task_send_as_task(task)), INVALID_VALUE);
	doca_task_free(doca_comch_producer_task_send_as_task(task));
	end(queue);
}

/* What waits for a consumer fails when that stops, and the next run of it is another one. */
static void a_consumer_that_stops_fails_what_waits(void **state)
{
	struct queue *queue = *state;
	struct doca_ctx *ctx;

	run(queue);
	ctx = doca_comch_consumer_as_ctx(queue->consumer);
	send(queue, 1);
	assert_ok(doca_ctx_stop(ctx));
	progress(queue);
	assert_int_equal(queue->failed, 1);
	assert_ok(doca_ctx_start(ctx));
	post(queue, 1);
	send(queue, 2);
	progress(queue);
	assert_int_equal(queue->received, 1);
	assert_int_equal(queue->last, 2);
	end(queue);
}

/* There is no memory map that its buffers could be in. */
static void only_immediate_data_is_received(void **state)
{
	struct queue *queue = *state;
	struct doca_comch_consumer_task_post_recv *task;
	struct doca_comch_producer_task_send *send_task;
	struct doca_buf *buf;
	struct memory memory;

	run(queue);
	memory_init(&memory, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	buf = memory_room(&memory, 0, 100);
	assert_ok(doca_comch_consumer_task_post_recv_alloc_init(queue->consumer, buf, &task));
	assert_err(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)),
		   INVALID_VALUE);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	doca_buf_dec_refcount(buf, NULL);
	post(queue, 1);
	buf = memory_data(&memory, 0, 100);
	assert_ok(doca_comch_producer_task_send_alloc_init(queue->producer, buf, NULL, 0, 1,
							   &send_task));
	assert_ok(doca_task_submit(doca_comch_producer_task_send_as_task(send_task)));
	progress(queue);
	assert_int_equal(queue->failed, 1);
	send(queue, 7); /* the receive is still posted */
	progress(queue);
	assert_int_equal(queue->last, 7);
	doca_buf_dec_refcount(buf, NULL);
	memory_fini(&memory);
	end(queue);
}

static void what_is_idle_stops_at_once(void **state)
{
	struct queue *queue = *state;

	run(queue);
	assert_ok(doca_ctx_stop(doca_comch_producer_as_ctx(queue->producer)));
	assert_ok(doca_ctx_stop(doca_comch_consumer_as_ctx(queue->consumer)));
	assert_int_equal(state_of(doca_comch_consumer_as_ctx(queue->consumer)),
			 DOCA_CTX_STATE_IDLE);
	end(queue);
}

static void destroy_at_idle(const union doca_data user_data, struct doca_ctx *ctx,
			    enum doca_ctx_states prev, enum doca_ctx_states next)
{
	struct queue *queue = user_data.ptr;

	(void)ctx;
	(void)prev;
	if (next != DOCA_CTX_STATE_IDLE)
		return;
	destroy_all(queue);
	assert_ok(doca_comch_msgq_destroy(queue->msgq));
	assert_ok(doca_comch_msgq_create(queue->dev, &queue->msgq)); /* for tear_down() */
}

/* The engine that calls still holds what has been destroyed. */
static void all_may_be_destroyed_in_a_callback(void **state)
{
	struct queue *queue = *state;

	queue->on_state = destroy_at_idle;
	run(queue);
	post(queue, DEPTH);
	assert_ok(doca_ctx_stop(doca_comch_producer_as_ctx(queue->producer)));
	assert_err(doca_ctx_stop(doca_comch_consumer_as_ctx(queue->consumer)), IN_PROGRESS);
	progress(queue);
	assert_int_equal(queue->flushed, DEPTH);
	assert_ok(doca_pe_destroy(queue->pe));
}

static void a_queue_keeps_its_device_open(void **state)
{
	struct queue *queue = *state;

	assert_err(doca_dev_close(queue->dev), IN_USE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(calls_check_their_arguments),
		TEST(states_are_checked),
		TEST(consumers_take_immediate_data_unless_set),
		TEST(ids_begin_at_1_and_numbers_are_limited),
		TEST(messages_arrive_in_order),
		TEST(a_send_waits_for_a_receive),
		TEST(what_cannot_be_sent_is_refused),
		TEST(a_consumer_that_stops_fails_what_waits),
		TEST(only_immediate_data_is_received),
		TEST(what_is_idle_stops_at_once),
		TEST(all_may_be_destroyed_in_a_callback),
		TEST(a_queue_keeps_its_device_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
