/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Send tasks: what is refused, what waits, and what consumers then get.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include "both.h"
#include "comch/consumer.h"
#include "comch/producer.h"
#include "core/pe.h"
#include "fastpath.h"

#define MEMORY ((size_t)1 << 20)

static void send_cb(struct doca_comch_producer_task_send *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
}

/*
 * Configuration and allocation
 */

static void configuration_checks_its_arguments(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_producer(fastpath, fastpath->pair.client, MEMORY);
	struct doca_comch_producer *producer = end->producer;
	uint32_t max;

	assert_ok(doca_comch_producer_cap_get_max_num_tasks(doca_dev_as_devinfo(end->side->dev),
							    &max));
	assert_err(doca_comch_producer_task_send_set_conf(NULL, send_cb, send_cb, 1),
		   INVALID_VALUE);
	assert_err(doca_comch_producer_task_send_set_conf(producer, NULL, send_cb, 1),
		   INVALID_VALUE);
	assert_err(doca_comch_producer_task_send_set_conf(producer, send_cb, NULL, 1),
		   INVALID_VALUE);
	assert_err(doca_comch_producer_task_send_set_conf(producer, send_cb, send_cb, 0),
		   INVALID_VALUE);
	assert_err(doca_comch_producer_task_send_set_conf(producer, send_cb, send_cb, max + 1),
		   INVALID_VALUE);
	assert_ok(doca_comch_producer_task_send_set_conf(producer, send_cb, send_cb, max));
	end_run(end);
	assert_err(doca_comch_producer_task_send_set_conf(producer, send_cb, send_cb, 1),
		   BAD_STATE);
}

static void allocation_checks_its_arguments(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_producer(fastpath, fastpath->pair.client, MEMORY);
	struct doca_comch_producer_task_send *tasks[FAST_TASKS + 1];
	struct doca_buf *buf = memory_data(&end->memory, 0, 10);
	uint8_t imm[33] = {0};
	unsigned int i;

	assert_err(doca_comch_producer_task_send_alloc_init(NULL, buf, NULL, 0, 1, tasks),
		   INVALID_VALUE);
	assert_err(doca_comch_producer_task_send_alloc_init(end->producer, buf, NULL, 0, 1, NULL),
		   INVALID_VALUE);
	assert_err(doca_comch_producer_task_send_alloc_init(end->producer, NULL, NULL, 0, 1, tasks),
		   INVALID_VALUE);
	assert_err(doca_comch_producer_task_send_alloc_init(end->producer, buf, NULL, 1, 1, tasks),
		   INVALID_VALUE);
	assert_err(doca_comch_producer_task_send_alloc_init(end->producer, buf, imm, 33, 1, tasks),
		   INVALID_VALUE);
	assert_err(doca_comch_producer_task_send_alloc_init(end->producer, buf, imm, 32, 1, tasks),
		   BAD_STATE);
	end_run(end);
	for (i = 0; i < FAST_TASKS; i++)
		assert_ok(doca_comch_producer_task_send_alloc_init(end->producer, buf, imm, 32, 1,
								   &tasks[i]));
	assert_err(
		doca_comch_producer_task_send_alloc_init(end->producer, buf, NULL, 0, 1, &tasks[i]),
		NO_MEMORY);
	for (i = 0; i < FAST_TASKS; i++)
		doca_task_free(doca_comch_producer_task_send_as_task(tasks[i]));
	doca_buf_dec_refcount(buf, NULL);
}

static void task_has_what_it_was_given(void **state)
{
	struct both both = run_both(*state, 32, MEMORY);
	struct doca_buf *buf = memory_data(&both.producer->memory, 0, 64);
	struct doca_buf *other = memory_data(&both.producer->memory, 64, 64);
	struct doca_comch_producer_task_send *task;
	uint8_t imm[40] = "immediate";

	assert_ok(doca_comch_producer_task_send_alloc_init(both.producer->producer, buf, imm, 9, 12,
							   &task));
	assert_ptr_equal(doca_task_get_ctx(doca_comch_producer_task_send_as_task(task)),
			 both.producer->ctx);
	assert_ptr_equal(doca_comch_producer_task_send_get_buf(task), buf);
	assert_int_equal(doca_comch_producer_task_send_get_consumer_id(task), 12);
	assert_int_equal(doca_comch_producer_task_send_get_imm_data_len(task), 9);
	imm[0] = 'I'; /* it has its own copy */
	assert_memory_equal(doca_comch_producer_task_send_get_imm_data(task), "immediate", 9);
	doca_comch_producer_task_send_set_buf(task, other);
	doca_comch_producer_task_send_set_consumer_id(task, 14);
	doca_comch_producer_task_send_set_imm_data(task, imm, 2);
	assert_ptr_equal(doca_comch_producer_task_send_get_buf(task), other);
	assert_int_equal(doca_comch_producer_task_send_get_consumer_id(task), 14);
	assert_int_equal(doca_comch_producer_task_send_get_imm_data_len(task), 2);
	assert_memory_equal(doca_comch_producer_task_send_get_imm_data(task), "Im", 2);
	doca_comch_producer_task_send_set_imm_data(task, NULL, 0);
	assert_null(doca_comch_producer_task_send_get_imm_data(task));
	doca_task_free(doca_comch_producer_task_send_as_task(task));
	doca_buf_dec_refcount(buf, NULL);
	doca_buf_dec_refcount(other, NULL);
}

/*
 * What is refused
 */

static void refuses_immediate_data_that_cannot_be(void **state)
{
	struct both both = run_both(*state, 32, MEMORY);
	struct doca_buf *buf = memory_data(&both.producer->memory, 0, 64);
	struct doca_comch_producer_task_send *task;
	struct doca_task *base;
	uint8_t imm[40] = "immediate";

	assert_ok(doca_comch_producer_task_send_alloc_init(both.producer->producer, buf, imm, 9,
							   both.consumer->id, &task));
	base = doca_comch_producer_task_send_as_task(task);
	doca_comch_producer_task_send_set_imm_data(task, imm, 33);
	assert_null(doca_comch_producer_task_send_get_imm_data(task));
	assert_int_equal(doca_comch_producer_task_send_get_imm_data_len(task), 0);
	assert_err(doca_task_submit(base), INVALID_VALUE);
	assert_err(doca_task_try_submit(base), INVALID_VALUE);
	doca_comch_producer_task_send_set_imm_data(task, NULL, 1);
	assert_err(doca_task_submit(base), INVALID_VALUE);
	doca_comch_producer_task_send_set_imm_data(task, imm, 32);
	assert_ok(doca_task_submit(base));
	doca_comch_producer_task_send_set_imm_data(task, imm, 33); /* too late */
	assert_ok(end_post(both.consumer, 0, 64));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->imm_size, 32);
	doca_buf_dec_refcount(buf, NULL);
}

static void refuses_consumers_that_are_not_there(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct fast_end *idle = add_consumer(both.fastpath, both.fastpath->pair.server, MEMORY);
	struct fast_end *own;

	/* Those before it have ids that the peer's have, too. */
	do {
		own = add_consumer(both.fastpath, both.fastpath->pair.client, MEMORY);
		end_run(own);
	} while (own->id <= idle->id);
	assert_err(end_send(both.producer, 0, 10, 0), INVALID_VALUE);
	assert_err(end_send(both.producer, 0, 10, 0xffff), INVALID_VALUE);
	assert_err(end_send(both.producer, 0, 10, both.consumer->id | 0x10000), INVALID_VALUE);
	assert_err(end_send(both.producer, 0, 10, idle->id), INVALID_VALUE);
	assert_err(end_send(both.producer, 0, 10, own->id), INVALID_VALUE);
	assert_int_equal(both.producer->done + both.producer->failed, 0);
}

static void refuses_lists_and_unsound_buffers(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct doca_buf *head = memory_data(&both.producer->memory, 0, 64);
	struct doca_buf *unsound = memory_data(&both.producer->memory, 0, 64);

	assert_ok(doca_buf_chain_list(head, memory_data(&both.producer->memory, 64, 64)));
	assert_err(end_send_imm(both.producer, head, NULL, 0, both.consumer->id), INVALID_VALUE);
	assert_ok(doca_buf_set_data(unsound, both.producer->memory.addr + 60, 8));
	assert_err(end_send_imm(both.producer, unsound, NULL, 0, both.consumer->id), INVALID_VALUE);
}

static void refuses_more_immediate_data_than_agreed(void **state)
{
	struct both both = run_both(*state, 8, MEMORY);

	assert_ok(end_post(both.consumer, 0, 0));
	assert_err(end_send_imm(both.producer, NULL, "123456789", 9, both.consumer->id),
		   INVALID_VALUE);
	assert_ok(end_send_imm(both.producer, NULL, "12345678", 8, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 1);
}

static void refuses_nothing_at_all(void **state)
{
	struct both both = run_both(*state, 8, MEMORY);
	struct doca_comch_producer_task_send *task;
	struct doca_task *base;

	assert_ok(doca_comch_producer_task_send_alloc_init(
		both.producer->producer, NULL, (uint8_t *)"x", 1, both.consumer->id, &task));
	base = doca_comch_producer_task_send_as_task(task);
	doca_comch_producer_task_send_set_imm_data(task, NULL, 0);
	assert_err(doca_task_try_submit(base), INVALID_VALUE);
	assert_err(doca_task_submit(base), INVALID_VALUE);
	doca_task_free(base);
}

static void an_empty_buffer_is_a_message(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct doca_buf *empty = memory_data(&both.producer->memory, 0, 10);

	assert_ok(doca_buf_reset_data_len(empty));
	assert_ok(end_post(both.consumer, 0, 100));
	assert_ok(end_send_imm(both.producer, empty, NULL, 0, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 1);
	assert_int_equal(both.consumer->size, 0);
}

/*
 * Waiting
 */

static void waits_for_a_post(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	unsigned int i;

	for (i = 0; i < FAST_TASKS; i++) {
		both.producer->memory.addr[64 * i] = (char)i;
		assert_ok(end_send(both.producer, 64 * i, 1 + i % 64, both.consumer->id));
	}
	fastpath_settle(both.fastpath);
	assert_int_equal(both.producer->done + both.producer->failed, 0);
	for (i = 0; i < FAST_TASKS; i++) {
		assert_ok(end_post(both.consumer, 64 * i, 64));
		fastpath_settle(both.fastpath);
		assert_int_equal(both.consumer->done, i + 1);
		assert_int_equal(both.producer->done, i + 1);
		assert_int_equal(both.consumer->size, 1 + i % 64);
		assert_int_equal(both.consumer->memory.addr[64 * i], i);
	}
}

static void one_that_waits_does_not_hold_up_other_consumers(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct fast_end *other = add_consumer(both.fastpath, both.fastpath->pair.server, MEMORY);

	end_run(other);
	assert_ok(end_send(both.producer, 0, 100, both.consumer->id));
	assert_ok(end_post(other, 0, 100));
	assert_ok(end_send(both.producer, 0, 100, other->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(other->done, 1);
	assert_int_equal(both.consumer->done, 0);
	assert_ok(end_post(both.consumer, 0, 100));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 1);
}

static void one_too_big_does_not_hold_up_those_behind_it(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);

	assert_ok(end_send(both.producer, 0, 200, both.consumer->id));
	assert_ok(end_send(both.producer, 0, 300000, both.consumer->id));
	assert_ok(end_send(both.producer, 0, 10, both.consumer->id));
	assert_ok(end_post(both.consumer, 0, 100));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.producer->failed, 2);
	assert_ok(both.producer->status);
	assert_int_equal(both.producer->done, 1);
	assert_int_equal(both.consumer->size, 10);
}

/* What a task says when it is submitted counts, not what becomes of its buffer. */
static void buffers_may_change_after_submission(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct doca_buf *buf = memory_data(&both.producer->memory, 0, 400000);

	both.producer->memory.addr[399999] = 'e';
	assert_ok(doca_buf_inc_refcount(buf, NULL));
	assert_ok(end_send_imm(both.producer, buf, NULL, 0, both.consumer->id));
	assert_ok(doca_buf_set_data(buf, both.producer->memory.addr, 5));
	assert_ok(end_post(both.consumer, 0, 400000));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->size, 400000);
	assert_int_equal(both.consumer->memory.addr[399999], 'e');
	doca_buf_dec_refcount(buf, NULL);
}

static void what_is_freed_while_it_waits_is_not_sent(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct doca_buf *buf = memory_data(&both.producer->memory, 0, 100);
	struct doca_comch_producer_task_send *task;

	assert_ok(doca_comch_producer_task_send_alloc_init(both.producer->producer, buf, NULL, 0,
							   both.consumer->id, &task));
	assert_ok(doca_task_submit(doca_comch_producer_task_send_as_task(task)));
	doca_task_free(doca_comch_producer_task_send_as_task(task));
	doca_buf_dec_refcount(buf, NULL);
	assert_ok(end_send(both.producer, 0, 50, both.consumer->id));
	assert_ok(end_post(both.consumer, 0, 100));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.producer->done + both.producer->failed, 1);
	assert_int_equal(both.consumer->done, 1);
	assert_int_equal(both.consumer->size, 50);
	assert_ok(doca_ctx_stop(both.producer->ctx)); /* nothing is still out */
}

/*
 * Long ones
 */

static void long_sends_are_copied_in_pieces(void **state)
{
	const size_t size = (size_t)20 << 20;
	struct both both = run_both(*state, 8, size);
	unsigned int rounds = 0;

	memset(both.producer->memory.addr, 0x42, size);
	assert_ok(end_post(both.consumer, 0, size));
	fastpath_settle(both.fastpath);
	assert_ok(end_send_imm(both.producer, memory_data(&both.producer->memory, 0, size), "imm",
			       3, both.consumer->id));
	while (!both.producer->done) {
		assert_true(end_progress(both.producer));
		rounds++;
	}
	assert_true(rounds >= 20);
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->size, size);
	assert_int_equal(both.consumer->imm_size, 3);
	assert_memory_equal(both.consumer->memory.addr, both.producer->memory.addr, size);
}

/* One poll works on all lanes for so long, not on each. */
static void lanes_share_the_time_of_a_poll(void **state)
{
	const size_t size = (size_t)4 << 20;
	struct both both = run_both(*state, 0, size);
	struct fast_end *others[3];
	unsigned int i, rounds = 0;

	assert_ok(end_post(both.consumer, 0, size));
	for (i = 0; i < 3; i++) {
		others[i] = add_consumer(both.fastpath, both.fastpath->pair.server, size);
		end_run(others[i]);
		assert_ok(end_post(others[i], 0, size));
	}
	fastpath_settle(both.fastpath);
	memset(both.producer->memory.addr, 0x21, size);
	assert_ok(end_send(both.producer, 0, size, both.consumer->id));
	for (i = 0; i < 3; i++)
		assert_ok(end_send(both.producer, 0, size, others[i]->id));
	while (both.producer->done < 4) {
		assert_true(end_progress(both.producer));
		/* They go on together: nobody is through while another one has not begun. */
		rounds++;
		if (rounds == 12)
			assert_int_equal(both.producer->done, 0);
	}
	assert_true(rounds >= 16);
	fastpath_settle(both.fastpath);
	for (i = 0; i < 3; i++)
		assert_int_equal(others[i]->memory.addr[size - 1], 0x21);
}

static void short_ones_behind_a_long_one_keep_their_order(void **state)
{
	const size_t size = (size_t)3 << 20;
	struct both both = run_both(*state, 0, size);

	assert_ok(end_post(both.consumer, 0, size));
	assert_ok(end_post(both.consumer, 0, 100));
	fastpath_settle(both.fastpath);
	assert_ok(end_send(both.producer, 0, size, both.consumer->id));
	assert_ok(end_send(both.producer, 0, 8, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 2);
	assert_int_equal(both.consumer->size, 8); /* the last one */
}

/* One lane has put the poller to sleep until its consumer posts; another one has work. */
static void one_that_sleeps_does_not_hold_up_other_lanes(void **state)
{
	const size_t size = (size_t)3 << 20;
	struct both both = run_both(*state, 0, size);
	struct fast_end *other = add_consumer(both.fastpath, both.fastpath->pair.server, size);

	end_run(other);
	assert_ok(end_post(other, 0, size));
	fastpath_settle(both.fastpath);
	assert_ok(end_send(both.producer, 0, 10, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_ok(doca_pe_request_notification(both.producer->pe));
	assert_ok(end_send(both.producer, 0, size, other->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(other->done, 1);
	assert_int_equal(both.consumer->done, 0);
	assert_ok(end_post(both.consumer, 0, 100));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 1);
}

/*
 * Several of them
 */

static void producers_share_a_consumer(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct fast_end *producers[3] = {both.producer};
	unsigned int i, j;

	for (i = 1; i < 3; i++) {
		producers[i] = add_producer(both.fastpath, both.fastpath->pair.client, MEMORY);
		end_run(producers[i]);
	}
	for (j = 0; j < 50; j++) {
		struct fast_end *end = producers[j % 3];

		memset(end->memory.addr, (int)j, 64);
		assert_ok(end_post(both.consumer, 0, 64));
		assert_ok(end_send(end, 0, 64, both.consumer->id));
		fastpath_settle(both.fastpath);
		assert_int_equal(both.consumer->producer_id, end->id);
		assert_int_equal(both.consumer->memory.addr[63], j);
	}
	/* Each goes, and comes again, without the others noticing. */
	for (i = 0; i < 3; i++) {
		assert_ok(doca_ctx_stop(producers[i]->ctx));
		end_run(producers[i]);
		assert_ok(end_post(both.consumer, 0, 64));
		assert_ok(end_send(producers[i], 0, 64, both.consumer->id));
		fastpath_settle(both.fastpath);
		assert_int_equal(both.consumer->producer_id, producers[i]->id);
	}
}

/*
 * Consumers that post what cannot be
 */

static void impossible_posts_fail_the_send(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct lane_consumer *lane = &both.consumer->consumer->fast.lane;

	assert_ok(end_post(both.consumer, 0, 1000));
	fastpath_settle(both.fastpath);
	lane->posts[0].offset = MEMORY - 999; /* beyond the window */
	assert_ok(end_send(both.producer, 0, 1000, both.consumer->id));
	lane->posts[0].offset = UINT64_MAX - 10;
	assert_ok(end_send(both.producer, 0, 1000, both.consumer->id));
	lane->posts[0].room = UINT32_MAX;
	lane->posts[0].offset = 0;
	atomic_store(&lane->shared->posted, 5000); /* more than there are places */
	fastpath_settle(both.fastpath);
	assert_int_equal(both.producer->failed, 2);
	assert_err(both.producer->status, CONNECTION_RESET);
	assert_int_equal(end_state(both.producer), DOCA_CTX_STATE_RUNNING);
	/* What is in the line needs no place in the window. */
	lane->posts[0].offset = UINT64_MAX;
	assert_ok(end_send(both.producer, 0, 10, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 1);
	assert_ok(end_send(both.producer, 0, 10, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.producer->failed, 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fastpath_setup, fastpath_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(configuration_checks_its_arguments),
		TEST(allocation_checks_its_arguments),
		TEST(task_has_what_it_was_given),
		TEST(refuses_immediate_data_that_cannot_be),
		TEST(refuses_consumers_that_are_not_there),
		TEST(refuses_lists_and_unsound_buffers),
		TEST(refuses_more_immediate_data_than_agreed),
		TEST(refuses_nothing_at_all),
		TEST(an_empty_buffer_is_a_message),
		TEST(waits_for_a_post),
		TEST(one_that_waits_does_not_hold_up_other_consumers),
		TEST(one_too_big_does_not_hold_up_those_behind_it),
		TEST(buffers_may_change_after_submission),
		TEST(what_is_freed_while_it_waits_is_not_sent),
		TEST(long_sends_are_copied_in_pieces),
		TEST(lanes_share_the_time_of_a_poll),
		TEST(short_ones_behind_a_long_one_keep_their_order),
		TEST(one_that_sleeps_does_not_hold_up_other_lanes),
		TEST(producers_share_a_consumer),
		TEST(impossible_posts_fail_the_send),
	};

	priv_pe_work_on_ticks = 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
