/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Batches: messages that were put off, whose data is in the posted buffers, share the line that
 * tells of them.
 *
 * Long because every promise is a small test of its own.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "base/yield.h"
#include "both.h"
#include "comch/consumer.h"
#include "comch/producer.h"
#include "fastpath.h"

#define MEMORY ((size_t)1 << 20)
#define ROOM   4096u
#define SIZE   200u
#define MANY   (2 * LANE_BATCH)

/* What has come, in arg. */
struct log {
	struct both both;
	uint32_t sent, came, failed;
	void (*on_message)(struct log *log);
};

static char *source(const struct log *log, uint32_t number)
{
	return log->both.producer->memory.addr + (size_t)number * ROOM;
}

static void check(struct fast_end *end, struct doca_comch_consumer_task_post_recv *task,
		  doca_error_t status)
{
	struct log *log = end->arg;
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	char *end_of_data;

	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	if (status) {
		log->failed++;
	} else {
		assert_ok(doca_buf_get_data(buf, (void **)&end_of_data));
		end_of_data += expect_number_in(buf, log->came++);
		assert_int_equal(*end_of_data, 0); /* nothing was written behind it */
	}
	assert_ok(doca_buf_dec_refcount(buf, NULL));
	if (log->on_message)
		log->on_message(log);
}

static void post_room(struct log *log, unsigned int number, size_t room)
{
	assert_ok(end_post(log->both.consumer, (size_t)number * ROOM + 5, room));
}

static void post(struct log *log, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		post_room(log, i, ROOM - 5);
	fastpath_settle(log->both.fastpath);
}

static void send(struct log *log, size_t size, uint32_t flags)
{
	struct fast_end *end = log->both.producer;
	struct doca_comch_producer_task_send *task;
	uint32_t number = log->sent++;

	number_data(source(log, number), size, number);
	assert_ok(doca_comch_producer_task_send_alloc_init(
		end->producer, memory_data(&end->memory, (size_t)number * ROOM, size), NULL, 0,
		log->both.consumer->id, &task));
	assert_ok(doca_task_submit_ex(doca_comch_producer_task_send_as_task(task), flags));
}

static void put_off(struct log *log, size_t size, unsigned int count)
{
	while (count--)
		send(log, size, DOCA_TASK_SUBMIT_FLAG_NONE);
}

static void flush(struct log *log)
{
	doca_ctx_flush_tasks(log->both.producer->ctx);
}

/* The lane is looked up for the first send; it goes at once. */
static void open_log(struct log *log, void **state, unsigned int posts)
{
	*log = (struct log){.both = run_both(*state, 0, MEMORY)};
	log->both.consumer->on_received = check;
	log->both.consumer->arg = log;
	post_room(log, posts, SIZE);
	post(log, posts);
	send(log, SIZE, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	fastpath_settle(log->both.fastpath);
	assert_int_equal(log->came, 1);
}

static uint32_t lines(const struct log *log)
{
	return log->both.producer->producer->last->lane->line - 1; /* that of the first one */
}

/* All that were sent come, except for some. */
static void expect_all_but(struct log *log, unsigned int refused)
{
	fastpath_settle(log->both.fastpath);
	assert_int_equal(log->came, log->sent - refused);
	assert_int_equal(log->failed, 0);
	assert_int_equal(log->both.producer->done, log->sent - refused);
	assert_int_equal(log->both.producer->failed, refused);
}

/*
 * What goes together
 */

static void share_a_line(void **state)
{
	struct log log;

	open_log(&log, state, MANY);
	put_off(&log, SIZE, MANY);
	assert_int_equal(lines(&log), 0);
	flush(&log);
	assert_int_equal(lines(&log), 2);
	expect_all_but(&log, 0);
}

static void so_does_the_one_with_the_flush_flag(void **state)
{
	struct log log;

	open_log(&log, state, MANY);
	put_off(&log, SIZE, 3);
	send(&log, SIZE, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	assert_int_equal(lines(&log), 1);
	expect_all_but(&log, 0);
}

static void one_is_sent_as_if_it_had_not_waited(void **state)
{
	struct lane_head head;
	struct log log;

	open_log(&log, state, MANY);
	put_off(&log, SIZE, 1);
	flush(&log);
	head = lane_unpack_head(log.both.consumer->consumer->fast.lane.lines[1].word);
	assert_int_equal(head.size, SIZE);
	assert_in_range(head.inline_size, LANE_INLINE - 63, LANE_INLINE);
	expect_all_but(&log, 0);
}

static void only_what_has_the_same_size(void **state)
{
	struct log log;

	open_log(&log, state, MANY);
	put_off(&log, SIZE, 3);
	put_off(&log, SIZE + 1, 3);
	put_off(&log, 8, 3);
	put_off(&log, SIZE + 1, 3);
	flush(&log);
	assert_int_equal(lines(&log), 4);
	expect_all_but(&log, 0);
}

static void from_what_a_line_has_not_to_the_longest(void **state)
{
	static const struct {
		size_t size;
		unsigned int lines; /* of four */
	} sizes[] = {{LANE_INLINE, 4},
		     {LANE_INLINE + 1, 1},
		     {LANE_BATCH_MAX, 1},
		     {LANE_BATCH_MAX + 1, 4}};
	struct log log;
	uint32_t before;

	open_log(&log, state, MANY);
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		before = lines(&log);
		put_off(&log, sizes[i].size, 4);
		flush(&log);
		assert_int_equal(lines(&log) - before, sizes[i].lines);
	}
	expect_all_but(&log, 0);
}

static void what_was_freed_is_not_sent(void **state)
{
	struct doca_comch_producer_task_send *task;
	struct log log;

	open_log(&log, state, 4);
	put_off(&log, SIZE, 1);
	put_off(&log, SIZE, 1);
	log.sent--; /* the next one has its number */
	put_off(&log, SIZE, 2);
	task = (struct doca_comch_producer_task_send *)
		       log.both.producer->producer->last->waiting->base.next;
	assert_ok(doca_buf_dec_refcount((struct doca_buf *)task->buf, NULL));
	doca_task_free(&task->base);
	flush(&log);
	expect_all_but(&log, 0);
}

/*
 * A poll copies no more than it does of one long message, and a row of what is short. The call that
 * has finished something in it polls twice.
 */
static void a_poll_sends_a_part(void **state)
{
	static const uint32_t count = 1024;
	struct both both = {.fastpath = *state};
	struct doca_comch_producer_task_send *task;
	struct doca_buf_inventory *bufs;
	struct doca_buf *from, *to[1024];

	both.consumer = add_consumer(both.fastpath, both.fastpath->pair.server, MEMORY);
	both.producer = add_producer(both.fastpath, both.fastpath->pair.client, MEMORY);
	end_set_tasks(both.consumer, count);
	end_set_tasks(both.producer, count);
	end_run(both.consumer);
	end_run(both.producer);
	assert_ok(doca_buf_inventory_create(count, &bufs));
	assert_ok(doca_buf_inventory_start(bufs));
	from = memory_data(&both.producer->memory, 0, LANE_BATCH_MAX);
	for (uint32_t i = 0; i < count; i++) {
		assert_ok(doca_comch_producer_task_send_alloc_init(
			both.producer->producer, from, NULL, 0, both.consumer->id, &task));
		assert_ok(doca_buf_inc_refcount(from, NULL));
		assert_ok(doca_task_submit(&task->base));
	}
	for (uint32_t i = 0; i < count; i++) {
		assert_ok(doca_buf_inventory_buf_get_by_addr(bufs, both.consumer->memory.mmap,
							     both.consumer->memory.addr,
							     LANE_BATCH_MAX, &to[i]));
		assert_ok(end_post_buf(both.consumer, to[i]));
	}
	end_progress(both.producer);
	assert_in_range(both.producer->producer->last->lane->claimed,
			((512u << 10) / LANE_BATCH_MAX), ((1280u << 10) / LANE_BATCH_MAX));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, count);
	assert_ok(doca_buf_dec_refcount(from, NULL));
	assert_ok(doca_buf_inventory_destroy(bufs));
}

/* The last callback of a round sends at once: its own, and what the others have put off. */
static void send_again(struct fast_end *end, struct doca_comch_producer_task_send *task,
		       doca_error_t status)
{
	struct log *log = end->arg;

	assert_ok(status);
	assert_ok(doca_buf_dec_refcount((struct doca_buf *)task->buf, NULL));
	doca_task_free(&task->base);
	if (log->sent < 9)
		send(log, SIZE, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

static void what_callbacks_send_is_one_batch(void **state)
{
	struct log log;

	open_log(&log, state, MANY);
	log.both.producer->on_sent = send_again;
	log.both.producer->arg = &log;
	for (unsigned int i = 0; i < 4; i++)
		send(&log, SIZE, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	assert_int_equal(lines(&log), 4);
	end_progress(log.both.producer);
	assert_int_equal(lines(&log), 4 + 1);
	expect_all_but(&log, 0);
}

/* A lane of several producers takes them as well. */
static void so_do_those_of_several_producers(void **state)
{
	struct fast_end *other;
	struct log log;
	uint32_t before;

	open_log(&log, state, MANY);
	other = add_producer(log.both.fastpath, log.both.fastpath->pair.client, MEMORY);
	end_run(other);
	memset(other->memory.addr, 1, 1); /* message 1 */
	assert_ok(end_send(other, 0, 1, log.both.consumer->id));
	fastpath_settle(log.both.fastpath);
	log.sent++;
	before = lines(&log);
	put_off(&log, SIZE, LANE_BATCH);
	put_off(&log, 8, 6);
	flush(&log);
	assert_int_equal(lines(&log) - before, 2);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.came, log.sent);
	assert_int_equal(log.both.producer->done, log.sent - 1);
}

static void nothing_with_immediate_data(void **state)
{
	struct both both = run_both(*state, 8, MEMORY);

	for (unsigned int i = 0; i < 4; i++)
		assert_ok(end_post(both.consumer, i * ROOM, ROOM));
	fastpath_settle(both.fastpath);
	for (unsigned int i = 0; i < 4; i++)
		assert_ok(end_send_imm(both.producer, memory_data(&both.producer->memory, 0, SIZE),
				       "imm", 3, both.consumer->id));
	assert_int_equal(both.producer->producer->last->lane->line, 4);
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 4);
	assert_int_equal(both.consumer->imm_size, 3);
}

/* neither when it waits among others of that size */
static void nothing_that_waits_with_immediate_data(void **state)
{
	struct both both = run_both(*state, 8, MEMORY);

	for (unsigned int i = 0; i < 4; i++)
		assert_ok(end_send_imm(both.producer, memory_data(&both.producer->memory, 0, SIZE),
				       "imm", 3 * (i % 2), both.consumer->id));
	for (unsigned int i = 0; i < 4; i++)
		assert_ok(end_post(both.consumer, i * ROOM, ROOM));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.producer->producer->last->lane->line, 4);
	assert_int_equal(both.consumer->done, 4);
	assert_int_equal(both.consumer->imm_size, 3);
}

/*
 * Receives
 */

static void what_has_no_receive_waits_on(void **state)
{
	struct log log;

	open_log(&log, state, 5);
	put_off(&log, SIZE, 8);
	flush(&log);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.came, 1 + 5);
	post(&log, 5);
	expect_all_but(&log, 0);
}

/* What the producer reads behind them was posted long ago. */
static void nothing_goes_without_a_receive(void **state)
{
	struct log log;
	uint32_t before;

	open_log(&log, state, 0);
	while (log.sent <= 2 * FAST_TASKS) {
		post(&log, MANY);
		put_off(&log, SIZE, MANY);
		fastpath_settle(log.both.fastpath);
	}
	before = log.came;
	post(&log, 2);
	put_off(&log, SIZE, 4);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.came, before + 2);
	post(&log, 2);
	expect_all_but(&log, 0);
}

static void one_that_does_not_fit_fails_alone(void **state)
{
	struct log log;

	open_log(&log, state, 3);
	post_room(&log, 10, SIZE - 1);
	fastpath_settle(log.both.fastpath);
	put_off(&log, SIZE, 4);
	flush(&log);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.both.producer->failed, 1);
	assert_err(log.both.producer->status, INVALID_VALUE);
	/* The receive is still there. */
	log.sent--;
	put_off(&log, SIZE - 1, 1);
	flush(&log);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.came, log.sent);
}

/* The producer knows of its post, and of the one behind it, when it fills the line. */
static void one_that_does_not_fit_ends_the_batch(void **state)
{
	struct log log;

	open_log(&log, state, 0);
	post(&log, 2);
	post_room(&log, 10, SIZE - 1);
	post_room(&log, 11, SIZE);
	fastpath_settle(log.both.fastpath);
	put_off(&log, SIZE, 3);
	flush(&log);
	assert_int_equal(lines(&log), 1);
	expect_all_but(&log, 1);
	assert_err(log.both.producer->status, INVALID_VALUE);
	assert_int_equal(end_state(log.both.consumer), DOCA_CTX_STATE_RUNNING);
}

/* The next one goes on with it. */
static void a_poll_may_take_a_part(void **state)
{
	struct log log;

	open_log(&log, state, MANY);
	put_off(&log, SIZE, LANE_BATCH);
	flush(&log);
	end_progress(log.both.consumer);
	assert_in_range(log.came, 2, LANE_BATCH);
	assert_int_equal(log.both.consumer->consumer->fast.lane.taken, log.came - 1);
	expect_all_but(&log, 0);
}

static void comes_to_shadow_memory(void **state)
{
	setenv("SOFTFIELD_REGION", "copy", 1);
	from_what_a_line_has_not_to_the_longest(state);
	unsetenv("SOFTFIELD_REGION");
}

/* Twenty were sent to a thread-safe map, and none has been taken. */
static void send_to_guarded_map(struct log *log, struct fastpath *fastpath)
{
	struct doca_mmap *mmap;

	*log = (struct log){.both.fastpath = fastpath};
	log->both.consumer = add_consumer(fastpath, fastpath->pair.server, MEMORY);
	log->both.producer = add_producer(fastpath, fastpath->pair.client, MEMORY);
	mmap = log->both.consumer->memory.mmap;
	assert_ok(doca_mmap_stop(mmap));
	assert_ok(doca_mmap_enable_thread_safety(mmap));
	assert_ok(doca_mmap_start(mmap));
	log->both.consumer->on_received = check;
	log->both.consumer->arg = log;
	end_run(log->both.consumer);
	end_run(log->both.producer);
	post(log, 20);
	put_off(log, SIZE, 20);
	flush(log);
}

static void comes_to_maps_that_several_threads_may_use(void **state)
{
	struct log log;

	send_to_guarded_map(&log, *state);
	expect_all_but(&log, 0);
}

/* Its memory may be gone, too. */
static void comes_to_no_map_that_is_destroyed(void **state)
{
	struct memory *memory;
	struct log log;

	send_to_guarded_map(&log, *state);
	memory = &log.both.consumer->memory;
	assert_ok(doca_mmap_destroy(memory->mmap));
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.came, 0);
	assert_int_equal(log.failed, 20);
	assert_ok(doca_ctx_stop(log.both.consumer->ctx));
	assert_ok(doca_buf_inventory_destroy(memory->inventory));
	munmap(memory->addr, memory->size);
	memory->mmap = NULL;
}

static void comes_to_no_shadow_of_one_that_is_destroyed(void **state)
{
	setenv("SOFTFIELD_REGION", "copy", 1);
	comes_to_no_map_that_is_destroyed(state);
	unsetenv("SOFTFIELD_REGION");
}

/* The task of the third of them is freed while it is posted: its message alone goes nowhere. */
static void free_a_receive(struct log *log, void **state)
{
	struct doca_comch_consumer_task_post_recv *task;

	open_log(log, state, 0);
	post(log, 3);
	task = log->both.consumer->consumer->tasks[1 + 2];
	assert_ok(doca_buf_dec_refcount(task->buf, NULL));
	doca_task_free(&task->base);
	put_off(log, SIZE, 3);
	flush(log);
	fastpath_settle(log->both.fastpath);
	assert_int_equal(log->came, 1 + 2);
	assert_int_equal(end_state(log->both.consumer), DOCA_CTX_STATE_RUNNING);
}

static void a_receive_may_be_freed(void **state)
{
	struct log log;

	free_a_receive(&log, state);
}

/* and nothing is copied there any more */
static void one_of_shadow_memory_may_be_freed(void **state)
{
	struct log log;

	setenv("SOFTFIELD_REGION", "copy", 1);
	free_a_receive(&log, state);
	unsetenv("SOFTFIELD_REGION");
	for (unsigned int i = 0; i < SIZE; i++)
		assert_int_equal(log.both.consumer->memory.addr[2 * ROOM + 5 + i], 0);
}

static void stop_consumer(struct log *log)
{
	log->on_message = NULL;
	assert_err(doca_ctx_stop(log->both.consumer->ctx), IN_PROGRESS);
}

static void a_callback_may_stop_the_consumer(void **state)
{
	struct log log;

	open_log(&log, state, MANY);
	put_off(&log, SIZE, LANE_BATCH);
	flush(&log);
	log.on_message = stop_consumer;
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.came, log.sent); /* what was sent before comes before the end */
	assert_int_equal(log.failed, MANY - LANE_BATCH + 1 - 1);
	assert_int_equal(end_state(log.both.consumer), DOCA_CTX_STATE_IDLE);
}

/* The producer has not heard of it yet. */
static void nothing_is_written_after_a_stop(void **state)
{
	struct log log;
	struct fast_end *consumer;

	open_log(&log, state, 3);
	consumer = log.both.consumer;
	put_off(&log, SIZE, 3);
	assert_err(doca_ctx_stop(consumer->ctx), IN_PROGRESS);
	flush(&log);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.both.producer->failed, 3);
	assert_err(log.both.producer->status, CONNECTION_RESET);
	assert_int_equal(log.came, 1);
	assert_int_equal(log.failed, 3);
	assert_int_equal(end_state(consumer), DOCA_CTX_STATE_IDLE);
	for (size_t i = 0; i < 3 * ROOM; i++)
		assert_int_equal(consumer->memory.addr[i], 0);
}

/*
 * What a peer may write
 */

/* A poll has taken a part of a batch when the line becomes another one: the peer is not trusted. */
static void becomes(void **state, struct lane_head head)
{
	struct lane_consumer *lane;
	struct log log;
	uint32_t came;

	open_log(&log, state, MANY);
	put_off(&log, SIZE, LANE_BATCH);
	flush(&log);
	end_progress(log.both.consumer);
	came = log.came;
	lane = &log.both.consumer->consumer->fast.lane;
	assert_in_range(lane->taken, 1, LANE_BATCH - 1);
	lane->lines[1].word = lane_pack_head(head);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.came, came);
	assert_int_equal(log.failed, MANY + 1 - came);
	assert_int_equal(end_state(log.both.consumer), DOCA_CTX_STATE_IDLE);
}

static void a_batch_that_becomes_shorter(void **state)
{
	becomes(state, (struct lane_head){.size = SIZE, .inline_size = LANE_INLINE + 1});
}

static void a_batch_that_becomes_longer_than_receives_have_room(void **state)
{
	becomes(state, (struct lane_head){.size = UINT32_MAX, .inline_size = UINT8_MAX});
}

static void a_batch_that_comes_to_have_immediate_data(void **state)
{
	becomes(state, (struct lane_head){.size = SIZE,
					  .imm_size = 8,
					  .inline_size = LANE_INLINE + LANE_BATCH});
}

/* No post of the batch is read after the claim, and none is believed. */
static void a_receive_outside_of_the_window(void **state)
{
	struct lane_consumer *lane;
	struct log log;

	open_log(&log, state, 3);
	lane = &log.both.consumer->consumer->fast.lane;
	lane->posts[3].offset = MEMORY - SIZE + 1;
	put_off(&log, SIZE, 3);
	flush(&log);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.both.producer->done, 1 + 2);
	assert_int_equal(log.both.producer->failed, 1);
	assert_err(log.both.producer->status, CONNECTION_RESET);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fastpath_setup, fastpath_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(share_a_line),
		TEST(so_does_the_one_with_the_flush_flag),
		TEST(one_is_sent_as_if_it_had_not_waited),
		TEST(only_what_has_the_same_size),
		TEST(from_what_a_line_has_not_to_the_longest),
		TEST(what_was_freed_is_not_sent),
		TEST(a_poll_sends_a_part),
		TEST(what_callbacks_send_is_one_batch),
		TEST(so_do_those_of_several_producers),
		TEST(nothing_with_immediate_data),
		TEST(nothing_that_waits_with_immediate_data),
		TEST(what_has_no_receive_waits_on),
		TEST(nothing_goes_without_a_receive),
		TEST(one_that_does_not_fit_fails_alone),
		TEST(one_that_does_not_fit_ends_the_batch),
		TEST(a_poll_may_take_a_part),
		TEST(comes_to_shadow_memory),
		TEST(comes_to_maps_that_several_threads_may_use),
		TEST(comes_to_no_map_that_is_destroyed),
		TEST(comes_to_no_shadow_of_one_that_is_destroyed),
		TEST(a_receive_may_be_freed),
		TEST(one_of_shadow_memory_may_be_freed),
		TEST(a_callback_may_stop_the_consumer),
		TEST(nothing_is_written_after_a_stop),
		TEST(a_batch_that_becomes_shorter),
		TEST(a_batch_that_becomes_longer_than_receives_have_room),
		TEST(a_batch_that_comes_to_have_immediate_data),
		TEST(a_receive_outside_of_the_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
