/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Post receive tasks: what is refused, when they are posted and taken. Which data arrives:
 * test_consumer_message.c. What a peer may write: test_consumer_line.c.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include "both.h"
#include "comch/consumer.h"
#include "comch/producer.h"
#include "core/pe.h"
#include "fastpath.h"
#include "valgrind.h"

#define MEMORY ((size_t)1 << 20)

static void receive_cb(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
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
	struct fast_end *end = add_consumer(fastpath, fastpath->pair.server, MEMORY);
	struct doca_comch_consumer *consumer = end->consumer;
	uint32_t max;

	assert_ok(doca_comch_consumer_cap_get_max_num_tasks(doca_dev_as_devinfo(end->side->dev),
							    &max));
	assert_err(doca_comch_consumer_task_post_recv_set_conf(NULL, receive_cb, receive_cb, 1),
		   INVALID_VALUE);
	assert_err(doca_comch_consumer_task_post_recv_set_conf(consumer, NULL, receive_cb, 1),
		   INVALID_VALUE);
	assert_err(doca_comch_consumer_task_post_recv_set_conf(consumer, receive_cb, NULL, 1),
		   INVALID_VALUE);
	assert_err(doca_comch_consumer_task_post_recv_set_conf(consumer, receive_cb, receive_cb, 0),
		   INVALID_VALUE);
	assert_err(doca_comch_consumer_task_post_recv_set_conf(consumer, receive_cb, receive_cb,
							       max + 1),
		   INVALID_VALUE);
	assert_ok(
		doca_comch_consumer_task_post_recv_set_conf(consumer, receive_cb, receive_cb, max));
	end_run(end);
	assert_err(doca_comch_consumer_task_post_recv_set_conf(consumer, receive_cb, receive_cb, 1),
		   BAD_STATE);
}

static void allocation_checks_its_arguments(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, fastpath->pair.server, MEMORY);
	struct doca_comch_consumer_task_post_recv *tasks[FAST_TASKS + 1];
	unsigned int i;

	assert_err(doca_comch_consumer_task_post_recv_alloc_init(NULL, NULL, tasks), INVALID_VALUE);
	assert_err(doca_comch_consumer_task_post_recv_alloc_init(end->consumer, NULL, NULL),
		   INVALID_VALUE);
	assert_err(doca_comch_consumer_task_post_recv_alloc_init(end->consumer, NULL, tasks),
		   BAD_STATE);
	end_run(end);
	for (i = 0; i < FAST_TASKS; i++)
		assert_ok(doca_comch_consumer_task_post_recv_alloc_init(end->consumer, NULL,
									&tasks[i]));
	assert_err(doca_comch_consumer_task_post_recv_alloc_init(end->consumer, NULL, &tasks[i]),
		   NO_MEMORY);
	for (i = 0; i < FAST_TASKS; i++)
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(tasks[i]));
}

static void task_has_what_it_was_given(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct doca_buf *buf = memory_room(&both.consumer->memory, 0, 64);
	struct doca_buf *other = memory_room(&both.consumer->memory, 64, 64);
	struct doca_comch_consumer_task_post_recv *task;
	struct doca_task *base;

	assert_ok(
		doca_comch_consumer_task_post_recv_alloc_init(both.consumer->consumer, buf, &task));
	base = doca_comch_consumer_task_post_recv_as_task(task);
	assert_ptr_equal(doca_comch_consumer_task_post_recv_get_buf(task), buf);
	assert_ptr_equal(doca_task_get_ctx(base), both.consumer->ctx);
	assert_null(doca_comch_consumer_task_post_recv_get_imm_data(task));
	assert_int_equal(doca_comch_consumer_task_post_recv_get_imm_data_len(task), 0);
	assert_int_equal(doca_comch_consumer_task_post_recv_get_producer_id(task), 0);
	doca_comch_consumer_task_post_recv_set_buf(task, other);
	assert_ptr_equal(doca_comch_consumer_task_post_recv_get_buf(task), other);
	doca_task_free(base);
	doca_buf_dec_refcount(buf, NULL);
	doca_buf_dec_refcount(other, NULL);
}

/*
 * What is refused
 */

static void refuses_buffers_of_other_maps(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);

	assert_err(end_post_buf(both.consumer, memory_room(&both.producer->memory, 0, 64)),
		   INVALID_VALUE);
	assert_int_equal(both.consumer->done + both.consumer->failed, 0);
}

static void refuses_lists(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct doca_buf *head = memory_room(&both.consumer->memory, 0, 64);

	assert_ok(doca_buf_chain_list(head, memory_room(&both.consumer->memory, 64, 64)));
	assert_err(end_post_buf(both.consumer, head), INVALID_VALUE);
}

static void refuses_buffers_whose_data_is_outside(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct doca_buf *buf = memory_room(&both.consumer->memory, 0, 64);

	assert_ok(doca_buf_set_data(buf, both.consumer->memory.addr + 60, 8));
	assert_err(end_post_buf(both.consumer, buf), INVALID_VALUE);
}

/* When it is asked to look: submit is the fast path. */
static void try_submit_refuses_buffers_that_were_given_back(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct doca_buf *buf = memory_room(&both.consumer->memory, 0, 64);
	struct doca_comch_consumer_task_post_recv *receive;
	struct doca_comch_producer_task_send *send;

	assert_ok(doca_buf_dec_refcount(buf, NULL));
	assert_ok(doca_comch_consumer_task_post_recv_alloc_init(both.consumer->consumer, buf,
								&receive));
	assert_err(doca_task_try_submit(doca_comch_consumer_task_post_recv_as_task(receive)),
		   INVALID_VALUE);
	buf = memory_data(&both.producer->memory, 0, 64);
	assert_ok(doca_buf_dec_refcount(buf, NULL));
	assert_ok(doca_comch_producer_task_send_alloc_init(both.producer->producer, buf, NULL, 0,
							   both.consumer->id, &send));
	assert_err(doca_task_try_submit(doca_comch_producer_task_send_as_task(send)),
		   INVALID_VALUE);
}

/* by the room that is left */
static void refuses_buffers_that_are_too_large(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct fast_end *consumer = both.consumer;

	consumer->consumer->max_size = 4096;
	assert_err(end_post_buf(consumer, memory_room(&consumer->memory, 0, 4097)), INVALID_VALUE);
	assert_ok(end_post_buf(consumer, memory_room(&consumer->memory, 0, 4096)));
	assert_int_equal(consumer->failed, 0);
}

/* Receives once, so that the memory is known to be in place. */
static void receive_once(struct both *both)
{
	assert_ok(end_post(both->consumer, 8192, 4096));
	assert_ok(end_send(both->producer, 0, 4096, both->consumer->id));
	fastpath_settle(both->fastpath);
	assert_int_equal(both->consumer->done, 1);
}

static void refuses_maps_that_are_stopped(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct memory *memory = &both.consumer->memory;
	struct doca_comch_consumer_task_post_recv *task;
	struct doca_task *base;
	struct doca_buf *buf;

	receive_once(&both);
	assert_ok(doca_comch_consumer_task_post_recv_alloc_init(both.consumer->consumer, NULL,
								&task));
	base = doca_comch_consumer_task_post_recv_as_task(task);
	assert_ok(doca_mmap_stop(memory->mmap));
	assert_ok(doca_mmap_start(memory->mmap));
	buf = memory_room(memory, 8192, 64);
	doca_comch_consumer_task_post_recv_set_buf(task, buf);
	assert_ok(doca_task_try_submit(base));
}

static void add_thread_safety(struct doca_mmap *mmap)
{
	assert_ok(doca_mmap_stop(mmap));
	assert_ok(doca_mmap_enable_thread_safety(mmap));
	assert_ok(doca_mmap_start(mmap));
}

/* Such a map may be destroyed before its buffers, and the program frees its memory then. */
static void refuses_maps_that_are_destroyed(void **state)
{
	struct fastpath *fastpath = *state;
	struct both both = {.fastpath = fastpath,
			    .consumer = add_consumer(fastpath, fastpath->pair.server, MEMORY),
			    .producer = add_producer(fastpath, fastpath->pair.client, MEMORY)};
	struct memory *memory = &both.consumer->memory;
	struct doca_buf *buf;

	if (runs_under_valgrind()) /* which cannot move pages: a mapping of the file is left */
		skip();
	add_thread_safety(memory->mmap);
	end_run(both.consumer);
	end_run(both.producer);
	receive_once(&both);
	buf = memory_room(memory, 8192, 64);
	assert_ok(doca_mmap_destroy(memory->mmap));
	memory->mmap = NULL;
	assert_err(end_post_buf(both.consumer, buf), INVALID_VALUE);
	assert_ok(doca_buf_inventory_destroy(memory->inventory));
}

/*
 * Polls, and posting again
 */

static void post_again(struct fast_end *end, struct doca_comch_consumer_task_post_recv *task,
		       doca_error_t status)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);

	if (status) {
		doca_buf_dec_refcount(buf, NULL);
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
		return;
	}
	(void)end;
	assert_ok(doca_buf_reset_data_len(buf));
	assert_ok(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
}

/* More messages than there are lines: everything comes round. */
static void a_task_can_be_posted_again_from_its_callback(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	unsigned int i, round;

	both.consumer->on_received = post_again;
	for (i = 0; i < 5; i++)
		assert_ok(end_post(both.consumer, 1000 * i, 100));
	for (round = 0; round < 200; round++) {
		memset(both.producer->memory.addr, (int)round, 60);
		for (i = 0; i < 5; i++)
			assert_ok(end_send(both.producer, 0, 60, both.consumer->id));
		fastpath_settle(both.fastpath);
		for (i = 0; i < 5; i++)
			assert_memory_equal(both.consumer->memory.addr + 1000 * i,
					    both.producer->memory.addr, 60);
	}
	assert_int_equal(both.consumer->done, 1000);
	assert_int_equal(both.producer->done, 1000);
	both.consumer->on_received = NULL;
}

struct refill {
	struct fast_end *producer;
	size_t size;
};

/* The receive goes back to the producer at once, and the next message may take the same line. */
static void flush_and_send(struct fast_end *end, struct doca_comch_consumer_task_post_recv *task,
			   doca_error_t status)
{
	const struct refill *refill = end->arg;

	post_again(end, task, status);
	doca_ctx_flush_tasks(end->ctx);
	assert_int_equal(end->size, refill->size);
	if (refill->producer->done < 400)
		assert_ok(end_send(refill->producer, 0, refill->size, end->id));
}

static void check_flushes_in_callbacks(struct fastpath *fastpath, size_t size, unsigned int depth)
{
	struct both both = run_both(fastpath, 0, MEMORY);
	struct refill refill = {both.producer, size};
	unsigned int i;

	both.consumer->arg = &refill;
	both.consumer->on_received = flush_and_send;
	for (i = 0; i < depth; i++)
		assert_ok(end_post(both.consumer, i * 128, 128));
	fastpath_settle(fastpath);
	for (i = 0; i < depth; i++)
		assert_ok(end_send(both.producer, 0, size, both.consumer->id));
	for (i = 0; i < 10; i++)
		end_progress(both.producer);
	fastpath_settle(fastpath);
	assert_int_equal(both.producer->failed, 0);
	assert_int_equal(both.consumer->done, both.producer->done);
	assert_true(both.consumer->done >= 400);
	both.consumer->on_received = NULL;
}

static void posts_may_be_flushed_in_callbacks(void **state)
{
	static const unsigned int depths[] = {1, 15, 16, 17, FAST_TASKS};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(depths); i++)
		check_flushes_in_callbacks(*state, i % 2 ? 100 : 8, depths[i]);
}

/* The callback waits for the next message, which has to find the receive that it has posted. */
static void await_next(struct fast_end *end, struct doca_comch_consumer_task_post_recv *task,
		       doca_error_t status)
{
	struct fast_end *producer = end->arg;
	unsigned int done = producer->done;

	post_again(end, task, status);
	if (status)
		return;
	assert_ok(end_send(producer, 0, 60, end->id));
	for (unsigned int i = 0; i < 10 && producer->done < done + 2; i++)
		end_progress(producer);
	assert_int_equal(producer->done, done + 2);
	end->on_received = post_again;
}

static void producers_know_of_a_receive_while_a_callback_runs(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);

	both.consumer->arg = both.producer;
	both.consumer->on_received = await_next;
	assert_ok(end_post(both.consumer, 0, 100));
	fastpath_settle(both.fastpath);
	assert_ok(end_send(both.producer, 0, 60, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.producer->done, 2);
	assert_int_equal(both.consumer->done, 2);
	both.consumer->on_received = NULL;
}

static void a_poll_that_did_something_has_delivered_it(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	unsigned int i;

	for (i = 0; i < 16; i++)
		assert_ok(end_post(both.consumer, 0, 8));
	fastpath_settle(both.fastpath);
	for (i = 1; i <= 100; i++) {
		assert_ok(end_post(both.consumer, 0, 8));
		assert_ok(end_send(both.producer, 0, 8, both.consumer->id));
		while (!end_progress(both.consumer))
			;
		assert_int_equal(both.consumer->done, i);
		assert_true(end_progress(both.producer));
	}
}

static void submitting_without_flush_can_wait(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct doca_comch_consumer_task_post_recv *task;

	assert_ok(doca_comch_consumer_task_post_recv_alloc_init(
		both.consumer->consumer, memory_room(&both.consumer->memory, 0, 64), &task));
	assert_ok(doca_task_submit_ex(doca_comch_consumer_task_post_recv_as_task(task),
				      DOCA_TASK_SUBMIT_FLAG_NONE));
	doca_ctx_flush_tasks(both.consumer->ctx);
	assert_ok(end_send(both.producer, 0, 64, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 1);
}

/* Nothing has to be done for memory that is known, but the producers have to be told. */
/* Behind one whose memory is still to be put in place those wait whose memory is. */
static void posts_keep_their_order(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct doca_comch_consumer_task_post_recv *task;
	const char *to = both.consumer->memory.addr;
	char *from = both.producer->memory.addr;

	receive_once(&both);
	assert_ok(doca_comch_consumer_task_post_recv_alloc_init(
		both.consumer->consumer, memory_room(&both.consumer->memory, MEMORY / 2, 4096),
		&task));
	assert_ok(doca_task_submit_ex(doca_comch_consumer_task_post_recv_as_task(task),
				      DOCA_TASK_SUBMIT_FLAG_NONE));
	assert_ok(end_post(both.consumer, 8192, 4096));
	memset(from, 1, 4096);
	memset(from + 4096, 2, 4096);
	assert_ok(end_send(both.producer, 0, 4096, both.consumer->id));
	assert_ok(end_send(both.producer, 4096, 4096, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 3);
	assert_memory_equal(to + MEMORY / 2, from, 4096);
	assert_memory_equal(to + 8192, from + 4096, 4096);
}

static void a_poll_that_publishes_posts_has_worked(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct doca_comch_consumer_task_post_recv *task;

	receive_once(&both);
	assert_ok(doca_comch_consumer_task_post_recv_alloc_init(
		both.consumer->consumer, memory_room(&both.consumer->memory, 8192, 64), &task));
	assert_ok(doca_task_submit_ex(doca_comch_consumer_task_post_recv_as_task(task),
				      DOCA_TASK_SUBMIT_FLAG_NONE));
	assert_int_equal(priv_pe_work(both.consumer->pe), 1);
	assert_int_equal(both.consumer->consumer->fast.lane.published, 2);
	assert_int_equal(priv_pe_work(both.consumer->pe), 0);
}

static void large_buffers_are_prepared_in_the_polls(void **state)
{
	const size_t size = (size_t)9 << 20;
	struct both both = run_both(*state, 0, 2 * size);

	assert_ok(end_post(both.consumer, 77, size));
	assert_ok(end_post(both.consumer, size + 100, 100)); /* behind it, in its turn */
	memset(both.producer->memory.addr, 0x33, size);
	assert_ok(end_send(both.producer, 0, size, both.consumer->id));
	assert_ok(end_send(both.producer, 0, 7, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 2);
	assert_int_equal(both.consumer->size, 7);
	assert_memory_equal(both.consumer->memory.addr + 77, both.producer->memory.addr, size);
}

/* A long message out of the shadow takes many polls, and its task says so only at the end. */
static void long_copies_are_taken_in_pieces(void **state)
{
	const size_t size = (size_t)8 << 20;
	struct both both;
	unsigned int rounds = 0;

	setenv("SOFTFIELD_REGION", "copy", 1);
	both = run_both(*state, 0, size);
	assert_ok(end_post(both.consumer, 0, size));
	fastpath_settle(both.fastpath);
	memset(both.producer->memory.addr, 0x44, size);
	assert_ok(end_send(both.producer, 0, size, both.consumer->id));
	while (!both.producer->done)
		end_progress(both.producer);
	assert_int_equal(both.consumer->done, 0);
	while (!both.consumer->done) {
		assert_true(end_progress(both.consumer));
		rounds++;
	}
	assert_int_equal(both.consumer->size, size);
	assert_true(rounds >= 8);
	assert_memory_equal(both.consumer->memory.addr, both.producer->memory.addr, size);
	unsetenv("SOFTFIELD_REGION");
}

static void a_map_can_be_stopped_between_messages(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	unsigned int round;

	for (round = 0; round < 3; round++) {
		memset(both.producer->memory.addr, (int)round + 1, 4096);
		assert_ok(end_post(both.consumer, 8192, 4096));
		assert_ok(end_send(both.producer, 0, 4096, both.consumer->id));
		fastpath_settle(both.fastpath);
		assert_int_equal(both.consumer->done, round + 1);
		assert_memory_equal(both.consumer->memory.addr + 8192, both.producer->memory.addr,
				    4096);
		assert_ok(doca_mmap_stop(both.consumer->memory.mmap));
		memset(both.consumer->memory.addr, 0, MEMORY);
		assert_ok(doca_mmap_start(both.consumer->memory.mmap));
	}
}

/* Making memory reachable takes several polls, and nobody else ends the consumer's sleep for it. */
static void what_is_posted_after_arm_is_posted(void **state)
{
	const size_t size = 3 * MEMORY;
	struct both both = run_both(*state, 0, size);

	assert_ok(doca_pe_request_notification(both.consumer->pe));
	assert_ok(end_post(both.consumer, 0, size));
	fastpath_settle(both.fastpath);
	assert_ok(end_send(both.producer, 0, size, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 1);
}

static void so_is_what_is_posted_without_a_flush(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct doca_buf *buf = memory_room(&both.consumer->memory, 0, 100);
	struct doca_comch_consumer_task_post_recv *task;

	assert_ok(
		doca_comch_consumer_task_post_recv_alloc_init(both.consumer->consumer, buf, &task));
	assert_ok(doca_pe_request_notification(both.consumer->pe));
	assert_ok(doca_task_submit_ex(doca_comch_consumer_task_post_recv_as_task(task),
				      DOCA_TASK_SUBMIT_FLAG_NONE));
	assert_ok(end_send(both.producer, 0, 100, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 1);
}

/*
 * Tasks that are freed while they are posted
 */

static void freed_tasks_leave_memory_alone(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct doca_buf *buf = memory_room(&both.consumer->memory, 0, 100);
	struct doca_comch_consumer_task_post_recv *task;
	size_t data_len;

	assert_ok(
		doca_comch_consumer_task_post_recv_alloc_init(both.consumer->consumer, buf, &task));
	assert_ok(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	assert_ok(end_post(both.consumer, 200, 100));
	memset(both.consumer->memory.addr, 0x11, 400);
	memset(both.producer->memory.addr, 0x22, 20);
	assert_ok(end_send(both.producer, 0, 20, both.consumer->id));
	assert_ok(end_send(both.producer, 0, 20, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 1);
	assert_int_equal(both.consumer->memory.addr[0], 0x11);
	assert_int_equal(both.consumer->memory.addr[200], 0x22);
	assert_ok(doca_buf_get_data_len(buf, &data_len));
	assert_int_equal(data_len, 0);
	doca_buf_dec_refcount(buf, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fastpath_setup, fastpath_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(configuration_checks_its_arguments),
		TEST(allocation_checks_its_arguments),
		TEST(task_has_what_it_was_given),
		TEST(refuses_buffers_of_other_maps),
		TEST(refuses_lists),
		TEST(refuses_buffers_whose_data_is_outside),
		TEST(try_submit_refuses_buffers_that_were_given_back),
		TEST(refuses_buffers_that_are_too_large),
		TEST(refuses_maps_that_are_stopped),
		TEST(refuses_maps_that_are_destroyed),
		TEST(a_task_can_be_posted_again_from_its_callback),
		TEST(posts_may_be_flushed_in_callbacks),
		TEST(producers_know_of_a_receive_while_a_callback_runs),
		TEST(a_poll_that_did_something_has_delivered_it),
		TEST(submitting_without_flush_can_wait),
		TEST(posts_keep_their_order),
		TEST(a_poll_that_publishes_posts_has_worked),
		TEST(large_buffers_are_prepared_in_the_polls),
		TEST(long_copies_are_taken_in_pieces),
		TEST(a_map_can_be_stopped_between_messages),
		TEST(what_is_posted_after_arm_is_posted),
		TEST(so_is_what_is_posted_without_a_flush),
		TEST(freed_tasks_leave_memory_alone),
	};

	priv_pe_work_on_ticks = 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
