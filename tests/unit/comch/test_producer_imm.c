/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Immediate data on its way: when it waits for others, and with whom it shares a line. What is the
 * same for all that waits: test_producer_run.c.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include "both.h"
#include "comch/consumer.h"
#include "comch/producer.h"

#define MEMORY	((size_t)1 << 16)
#define ROOM	128u
#define IMM_MAX 32u

/* What a message has: immediate data, and data. */
struct parts {
	uint32_t imm_size, size;
};

/* What has come, in arg. */
struct log {
	struct both both;
	uint32_t next;	  /* number of the next message */
	uint32_t to_send; /* so many more from callbacks */
	struct parts (*parts_of)(uint32_t number);
};

static struct parts eight(uint32_t number)
{
	(void)number;
	return (struct parts){.imm_size = 8};
}

static void submit(struct log *log, uint32_t number, uint32_t flags)
{
	struct fast_end *end = log->both.producer;
	struct parts parts = log->parts_of(number);
	size_t offset = (size_t)(number % 256) * ROOM;
	struct doca_comch_producer_task_send *task;
	uint8_t imm[IMM_MAX];

	number_data(imm, parts.imm_size, number);
	number_data(end->memory.addr + offset, parts.size, number);
	assert_ok(doca_comch_producer_task_send_alloc_init(
		end->producer, parts.size ? memory_data(&end->memory, offset, parts.size) : NULL,
		parts.imm_size ? imm : NULL, parts.imm_size, log->both.consumer->id, &task));
	assert_ok(doca_task_submit_ex(doca_comch_producer_task_send_as_task(task), flags));
}

static void put_off(struct log *log, uint32_t number)
{
	submit(log, number, DOCA_TASK_SUBMIT_FLAG_NONE);
}

static void send_all(struct log *log, uint32_t first, uint32_t count)
{
	while (count--)
		put_off(log, first++);
	doca_ctx_flush_tasks(log->both.producer->ctx);
}

static void check(struct fast_end *end, struct doca_comch_consumer_task_post_recv *task,
		  doca_error_t status)
{
	struct log *log = end->arg;
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	struct parts parts = log->parts_of(log->next);

	if (status == DOCA_SUCCESS) {
		const uint8_t *imm = doca_comch_consumer_task_post_recv_get_imm_data(task);

		assert_int_equal(doca_comch_consumer_task_post_recv_get_imm_data_len(task),
				 parts.imm_size);
		expect_number(imm, parts.imm_size, log->next);
		assert_int_equal(buf ? expect_number_in(buf, log->next) : 0, parts.size);
		log->next++;
	}
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	if (buf)
		assert_ok(doca_buf_dec_refcount(buf, NULL));
}

static void post(struct log *log, unsigned int count, size_t room)
{
	for (unsigned int i = 0; i < count; i++)
		assert_ok(end_post(log->both.consumer, i * ROOM, room));
	fastpath_settle(log->both.fastpath);
}

/* With so many receives, and a first message behind which others may wait: it finds the lane. */
static void open_log_of(struct log *log, struct both both, unsigned int posts, size_t room)
{
	*log = (struct log){.both = both, .parts_of = eight};
	log->both.consumer->on_received = check;
	log->both.consumer->arg = log;
	post(log, posts, room);
	submit(log, 0, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

static void open_log(struct log *log, void **state, unsigned int posts, size_t room)
{
	open_log_of(log, run_both(*state, IMM_MAX, MEMORY), posts, room);
}

static uint32_t lines_written(const struct log *log)
{
	return log->both.producer->producer->last->lane->line;
}

static bool owns_lane(const struct log *log)
{
	return lane_is_owned_by(log->both.producer->producer->last->lane,
				&log->both.producer->producer->key);
}

/* Without membarrier() nobody owns a lane, and nothing shares lines. */
static void check_lines(const struct log *log, uint32_t count)
{
	if (owns_lane(log))
		assert_int_equal(lines_written(log), count);
}

/*
 * When it goes
 */

static void goes_at_once(void **state)
{
	struct log log;

	open_log(&log, state, 10, 0);
	for (uint32_t number = 1; number < 4; number++) {
		submit(&log, number, DOCA_TASK_SUBMIT_FLAG_FLUSH);
		assert_int_equal(lines_written(&log), number + 1);
	}
	end_progress(log.both.consumer);
	assert_int_equal(log.next, 4);
}

static void waits_for_the_flush(void **state)
{
	struct log log;

	open_log(&log, state, 10, 0);
	put_off(&log, 1);
	put_off(&log, 2);
	assert_int_equal(lines_written(&log), 1);
	submit(&log, 3, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	check_lines(&log, 2);
	end_progress(log.both.consumer);
	assert_int_equal(log.next, 4);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.both.producer->done, 4);
}

static void send_more(struct fast_end *end, struct doca_comch_producer_task_send *task,
		      doca_error_t status)
{
	struct log *log = end->arg;

	assert_ok(status);
	doca_task_free(doca_comch_producer_task_send_as_task(task));
	if (log->to_send)
		submit(log, 20 - log->to_send--, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

static void from_callbacks_goes_together(void **state)
{
	struct log log;

	open_log(&log, state, 20, 0);
	log.to_send = 14; /* behind the first six */
	log.both.producer->on_sent = send_more;
	log.both.producer->arg = &log;
	for (uint32_t number = 1; number < 6; number++)
		submit(&log, number, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	end_progress(log.both.producer);
	check_lines(&log, 7);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.next, 20);
	check_lines(&log, 6 + 3);
}

static struct parts too_long(uint32_t number)
{
	return (struct parts){.imm_size = number == 2 ? 25 : 24};
}

static void takes_what_waits_along_if_it_cannot(void **state)
{
	struct log log;

	open_log(&log, state, 10, 0);
	fastpath_settle(log.both.fastpath);
	log.parts_of = too_long;
	put_off(&log, 1);
	put_off(&log, 2);
	assert_int_equal(lines_written(&log), 3);
	end_progress(log.both.consumer);
	assert_int_equal(log.next, 3);
}

/*
 * With whom
 */

static void six_of_eight_bytes_share_a_line(void **state)
{
	struct log log;

	open_log(&log, state, 20, 0);
	send_all(&log, 1, 13);
	check_lines(&log, 1 + 3);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.next, 14);
}

static struct parts with_data(uint32_t number)
{
	return (struct parts){.imm_size = number ? 4 : 8, .size = number ? 8 : 0};
}

static void so_does_data_with_it(void **state)
{
	struct log log;

	open_log(&log, state, 20, ROOM);
	log.parts_of = with_data;
	send_all(&log, 1, 9);
	check_lines(&log, 1 + 3); /* of four, four, and one */
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.next, 10);
}

/* Each two differ in one part, and in none of them if that is all that is looked at. */
static struct parts alike(uint32_t number)
{
	static const struct parts parts[] = {{8, 0}, {8, 0}, {8, 4}, {4, 8}, {0, 12}, {12, 0}};

	return parts[number];
}

static void others_do_not(void **state)
{
	struct log log;

	open_log(&log, state, 20, ROOM);
	log.parts_of = alike;
	send_all(&log, 1, 5);
	assert_int_equal(lines_written(&log), 1 + 5);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.next, 6);
}

/*
 * Whatever is on the way
 */

static void what_was_freed_is_not_sent(void **state)
{
	struct doca_comch_producer_task_send *task;
	struct log log;

	open_log(&log, state, 10, 0);
	put_off(&log, 1);
	put_off(&log, 2);
	put_off(&log, 2);
	task = (struct doca_comch_producer_task_send *)
		       log.both.producer->producer->last->waiting->base.next;
	doca_task_free(&task->base);
	doca_ctx_flush_tasks(log.both.producer->ctx);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.next, 3);
	assert_int_equal(log.both.producer->done, 3);
}

static void data_too_long_for_its_post_is_refused(void **state)
{
	struct log log;

	open_log(&log, state, 4, 4);
	post(&log, 4, ROOM);
	log.parts_of = with_data;
	send_all(&log, 1, 3); /* with 8 bytes */
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.both.producer->failed, 3);
	assert_err(log.both.producer->status, INVALID_VALUE);
	assert_int_equal(log.next, 1);
}

static void more_than_the_consumer_takes_is_refused(void **state)
{
	struct both both = run_both(*state, 8, MEMORY);
	uint8_t imm[9] = {0};

	assert_ok(end_post(both.consumer, 0, 0));
	assert_ok(end_post(both.consumer, 0, 0));
	fastpath_settle(both.fastpath);
	assert_ok(end_send_imm(both.producer, NULL, imm, 8, both.consumer->id));
	assert_err(end_send_imm(both.producer, NULL, imm, 9, both.consumer->id), INVALID_VALUE);
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 1);
	assert_int_equal(end_state(both.consumer), DOCA_CTX_STATE_RUNNING);
}

/* Of all kinds, a few in a row alike; the consumer has few receives at a time. */
static struct parts mixed(uint32_t number)
{
	uint32_t hash = number ? (number + 3) / 4 * 2654435761u : 0;
	struct parts parts = {.imm_size = (hash >> 8) % 3 ? (hash >> 16) % (IMM_MAX + 1) : 0,
			      .size = (hash >> 12) % 3 ? (hash >> 24) % ROOM : 0};

	if (!parts.imm_size && !parts.size)
		parts.imm_size = 8;
	return parts;
}

static void nothing_but_the_order(struct log *log)
{
	uint32_t number = 1;

	log->parts_of = mixed;
	while (number < 3000) {
		for (unsigned int i = 0; i < 20; i++, number++)
			submit(log, number, number % 7 == 0);
		while (log->next < number)
			post(log, 1 + number % 13, ROOM);
	}
	fastpath_settle(log->both.fastpath);
	assert_int_equal(log->next, number);
	assert_int_equal(log->both.producer->done, number);
	if (owns_lane(log))
		assert_true(lines_written(log) < number);
}

static void nothing_but_the_order_of_messages(void **state)
{
	struct log log;

	open_log(&log, state, 1, 0);
	nothing_but_the_order(&log);
}

static void also_where_memory_is_copied(void **state)
{
	struct log log;

	setenv("SOFTFIELD_REGION", "copy", 1);
	open_log(&log, state, 1, 0);
	nothing_but_the_order(&log);
	unsetenv("SOFTFIELD_REGION");
}

static void make_thread_safe(struct memory *memory)
{
	assert_ok(doca_mmap_stop(memory->mmap));
	assert_ok(doca_mmap_enable_thread_safety(memory->mmap));
	assert_ok(doca_mmap_start(memory->mmap));
}

/* The consumer takes each message by the long way, as nothing in its map is ordinary. */
static void also_to_a_map_for_several_threads(void **state)
{
	struct fastpath *fastpath = *state;
	struct both both = {.fastpath = fastpath,
			    .consumer = add_consumer(fastpath, fastpath->pair.server, MEMORY),
			    .producer = add_producer(fastpath, fastpath->pair.client, MEMORY)};
	struct log log;

	make_thread_safe(&both.consumer->memory);
	assert_ok(doca_comch_consumer_set_imm_data_len(both.consumer->consumer, IMM_MAX));
	end_run(both.consumer);
	end_run(both.producer);
	open_log_of(&log, both, 1, 0);
	nothing_but_the_order(&log);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fastpath_setup, fastpath_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(goes_at_once),
		TEST(waits_for_the_flush),
		TEST(from_callbacks_goes_together),
		TEST(takes_what_waits_along_if_it_cannot),
		TEST(six_of_eight_bytes_share_a_line),
		TEST(so_does_data_with_it),
		TEST(others_do_not),
		TEST(what_was_freed_is_not_sent),
		TEST(data_too_long_for_its_post_is_refused),
		TEST(more_than_the_consumer_takes_is_refused),
		TEST(nothing_but_the_order_of_messages),
		TEST(also_where_memory_is_copied),
		TEST(also_to_a_map_for_several_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
