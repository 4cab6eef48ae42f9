/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends that are put off, and then share lines: when they go, in what order, and what ends a run.
 * Long because every promise is a small test of its own.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include "both.h"
#include "comch/consumer.h"
#include "comch/producer.h"
#include "doca_sync_event.h"
#include "base/yield.h"
#include "fastpath.h"

#define MEMORY ((size_t)1 << 16)
#define ROOM   64u

static void submit_to(struct both *both, uint32_t number, size_t size, uint32_t flags,
		      uint32_t consumer_id)
{
	struct fast_end *end = both->producer;
	size_t offset = (size_t)(number % 512) * ROOM;
	struct doca_comch_producer_task_send *task;
	struct doca_buf *buf = memory_data(&end->memory, offset, size);

	number_data(end->memory.addr + offset, size, number);
	assert_ok(doca_comch_producer_task_send_alloc_init(end->producer, buf, NULL, 0, consumer_id,
							   &task));
	assert_ok(doca_task_submit_ex(doca_comch_producer_task_send_as_task(task), flags));
}

static void submit(struct both *both, uint32_t number, size_t size, uint32_t flags)
{
	submit_to(both, number, size, flags, both->consumer->id);
}

static void put_off(struct both *both, uint32_t number, size_t size)
{
	submit(both, number, size, DOCA_TASK_SUBMIT_FLAG_NONE);
}

/* What has come, in arg. */
struct log {
	struct both both;
	uint32_t next;	  /* number of the next message */
	uint32_t to_send; /* so many more from callbacks */
	size_t (*size_of)(uint32_t number);
};

static size_t eight(uint32_t number)
{
	(void)number;
	return 8;
}

static void check(struct fast_end *end, struct doca_comch_consumer_task_post_recv *task,
		  doca_error_t status)
{
	struct log *log = end->arg;
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);

	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	if (status == DOCA_SUCCESS) {
		assert_int_equal(expect_number_in(buf, log->next), log->size_of(log->next));
		log->next++;
	}
	assert_ok(doca_buf_dec_refcount(buf, NULL));
}

static void post(struct log *log, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		assert_ok(end_post(log->both.consumer, i * ROOM, ROOM));
	fastpath_settle(log->both.fastpath);
}

static void open_log(struct log *log, void **state, unsigned int posts)
{
	*log = (struct log){.both = run_both(*state, 0, MEMORY), .size_of = eight};
	log->both.consumer->on_received = check;
	log->both.consumer->arg = log;
	post(log, posts);
}

static uint32_t lines_of(const struct log *log)
{
	return log->both.consumer->consumer->fast.lane.line;
}

static uint32_t lines_written(const struct log *log)
{
	return log->both.producer->producer->last->lane->line; /* no_queue: 0 */
}

/*
 * When they go
 */

static void first_one(struct log *log)
{
	/* The lane is looked up for the first send; it goes at once. */
	submit(&log->both, 0, 8, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	assert_int_equal(lines_written(log), 1);
}

static void go_with_the_next_flush(void **state)
{
	struct log log;

	open_log(&log, state, 10);
	first_one(&log);
	put_off(&log.both, 1, 8);
	put_off(&log.both, 2, 8);
	assert_int_equal(lines_written(&log), 1);
	submit(&log.both, 3, 8, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	assert_int_equal(lines_written(&log), 2);
	end_progress(log.both.consumer);
	assert_int_equal(log.next, 4);
	assert_int_equal(lines_of(&log), 2);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.both.producer->done, 4);
}

/* also when it is for another consumer */
static void go_with_any_flush(void **state)
{
	struct fast_end *other;
	struct log log;

	open_log(&log, state, 10);
	other = add_consumer(log.both.fastpath, log.both.fastpath->pair.server, MEMORY);
	end_run(other);
	assert_ok(end_post(other, 0, ROOM));
	fastpath_settle(log.both.fastpath);
	assert_ok(end_send(log.both.producer, 0, 8, other->id));
	first_one(&log);
	put_off(&log.both, 1, 8);
	assert_ok(end_send(log.both.producer, 0, 8, other->id));
	end_progress(log.both.consumer);
	assert_int_equal(log.next, 2);
}

/* A queue for each consumer: what goes to two by turns shares lines all the same. */
static void also_those_for_two_consumers_by_turns(void **state)
{
	struct fast_end *other;
	struct log log;

	open_log(&log, state, 10);
	other = add_consumer(log.both.fastpath, log.both.fastpath->pair.server, MEMORY);
	end_run(other);
	for (unsigned int i = 0; i < 6; i++)
		assert_ok(end_post(other, i * ROOM, ROOM));
	fastpath_settle(log.both.fastpath);
	assert_ok(end_send(log.both.producer, 0, 8, other->id));
	first_one(&log);
	for (uint32_t number = 1; number <= 5; number++) {
		put_off(&log.both, number, 8);
		submit_to(&log.both, 99, 8, DOCA_TASK_SUBMIT_FLAG_NONE, other->id);
	}
	doca_ctx_flush_tasks(log.both.producer->ctx);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.next, 6);
	assert_int_equal(other->done, 6);
	assert_int_equal(lines_of(&log), 2);
	assert_int_equal(other->consumer->fast.lane.line, 2);
}

/* FAST_TASKS messages of 8 bytes, behind a first one */
static void put_off_many(struct log *log, void **state)
{
	open_log(log, state, FAST_TASKS);
	first_one(log);
	fastpath_settle(log->both.fastpath);
	post(log, 1);
	for (uint32_t number = 1; number <= FAST_TASKS; number++)
		put_off(&log->both, number, 8);
}

/* No more than a poll sends. */
static void go_when_there_are_many(void **state)
{
	struct log log;

	put_off_many(&log, state);
	/* one more where the known posts end */
	assert_in_range(lines_written(&log), 1 + (FAST_TASKS + 5) / 6, 2 + (FAST_TASKS + 5) / 6);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.next, FAST_TASKS + 1);
}

/* Every third message is too long to share a line. */
static size_t some_too_long(uint32_t number)
{
	static const size_t sizes[] = {8, 25, 48, 49, ROOM};

	return number % 3 ? 24 : sizes[number / 3];
}

/* and take what waits before them along */
static void those_that_share_no_line_go_at_once(void **state)
{
	struct log log;

	open_log(&log, state, 20);
	log.size_of = some_too_long;
	first_one(&log);
	for (uint32_t number = 1; number <= 12; number++) {
		put_off(&log.both, number, some_too_long(number));
		assert_int_equal(lines_written(&log), 1 + number / 3 * 2);
	}
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.next, 13);
}

static void go_when_the_context_is_flushed(void **state)
{
	struct log log;

	open_log(&log, state, 10);
	first_one(&log);
	put_off(&log.both, 1, 8);
	doca_ctx_flush_tasks(log.both.producer->ctx);
	assert_int_equal(lines_written(&log), 2);
}

static void go_with_the_next_poll(void **state)
{
	struct log log;

	open_log(&log, state, 10);
	first_one(&log);
	put_off(&log.both, 1, 8);
	end_progress(log.both.producer);
	assert_int_equal(lines_written(&log), 2);
}

static void go_before_a_stop(void **state)
{
	struct log log;

	open_log(&log, state, 10);
	first_one(&log);
	put_off(&log.both, 1, 8);
	put_off(&log.both, 2, 8);
	assert_err(doca_ctx_stop(log.both.producer->ctx), IN_PROGRESS);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.next, 3);
	assert_int_equal(log.both.producer->done, 3);
	assert_int_equal(end_state(log.both.producer), DOCA_CTX_STATE_IDLE);
}

/* Nobody is made to sleep over them. */
static void keep_an_engine_awake(void **state)
{
	struct log log;

	open_log(&log, state, 10);
	first_one(&log);
	fastpath_settle(log.both.fastpath);
	put_off(&log.both, 1, 8);
	assert_ok(doca_pe_request_notification(log.both.producer->pe));
	assert_true(log.both.producer->pe->group.held);
}

static void send_more(struct fast_end *end, struct doca_comch_producer_task_send *task,
		      doca_error_t status)
{
	struct log *log = end->arg;
	const struct doca_buf *buf = doca_comch_producer_task_send_get_buf(task);

	assert_ok(status);
	doca_task_free(doca_comch_producer_task_send_as_task(task));
	assert_ok(doca_buf_dec_refcount((struct doca_buf *)buf, NULL));
	if (log->to_send) {
		uint32_t number = 20 - log->to_send--;

		submit(&log->both, number, 8, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	}
}

static void from_callbacks_go_together(void **state)
{
	struct log log;

	open_log(&log, state, 20);
	log.to_send = 14; /* behind the first six */
	log.both.producer->on_sent = send_more;
	log.both.producer->arg = &log;
	for (uint32_t number = 0; number < 6; number++)
		submit(&log.both, number, 8, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	assert_int_equal(lines_written(&log), 6);
	/* One round calls back for these six, and sends the six that come from there. */
	end_progress(log.both.producer);
	assert_int_equal(lines_written(&log), 7);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.next, 20);
	assert_int_equal(lines_of(&log), 6 + 3);
}

/*
 * The wait, or the program's loop, is for something that only who gets the message does; here, it
 * is over at once.
 */
static void send_and_wait_for(struct fast_end *end, struct doca_comch_producer_task_send *task,
			      doca_error_t status, bool loops)
{
	struct log *log = end->arg;
	struct doca_sync_event *event;
	bool is_first = log->to_send;
	uint64_t value;

	send_more(end, task, status);
	if (!is_first)
		return;
	assert_int_equal(lines_written(log), 2);
	assert_ok(doca_sync_event_create(&event));
	assert_ok(doca_sync_event_add_publisher_location_cpu(event, end->side->dev));
	assert_ok(doca_sync_event_add_subscriber_location_cpu(event, end->side->dev));
	assert_ok(doca_sync_event_start(event));
	assert_ok(loops ? doca_sync_event_get(event, &value)
			: doca_sync_event_wait_eq(event, 0, UINT64_MAX));
	assert_int_equal(lines_written(log), 3);
	assert_ok(doca_sync_event_stop(event));
	assert_ok(doca_sync_event_destroy(event));
}

static void send_and_wait(struct fast_end *end, struct doca_comch_producer_task_send *task,
			  doca_error_t status)
{
	send_and_wait_for(end, task, status, false);
}

static void send_and_loop(struct fast_end *end, struct doca_comch_producer_task_send *task,
			  doca_error_t status)
{
	send_and_wait_for(end, task, status, true);
}

static void go_before(void **state, void (*on_sent)(struct fast_end *end,
						    struct doca_comch_producer_task_send *task,
						    doca_error_t status))
{
	struct log log;

	open_log(&log, state, 10);
	log.to_send = 1;
	log.both.producer->on_sent = on_sent;
	log.both.producer->arg = &log;
	submit(&log.both, 17, 8, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	submit(&log.both, 18, 8, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	log.next = 17;
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.both.producer->done, 3);
}

static void go_before_a_callback_waits(void **state)
{
	go_before(state, send_and_wait);
}

static void go_before_a_callback_looks_at_an_event(void **state)
{
	go_before(state, send_and_loop);
}

/* Nobody comes behind it to share a line with, and it may wait for the answer in its own way. */
static void send_alone(struct fast_end *end, struct doca_comch_producer_task_send *task,
		       doca_error_t status)
{
	struct log *log = end->arg;
	uint32_t before = lines_written(log);
	bool is_last = log->to_send == 1;

	send_more(end, task, status);
	assert_int_equal(lines_written(log), before + is_last);
}

static void from_the_last_callback_go_at_once(void **state)
{
	struct log log;

	open_log(&log, state, 10);
	log.to_send = 3; /* the third one takes the two before it along */
	log.both.producer->on_sent = send_alone;
	log.both.producer->arg = &log;
	for (uint32_t number = 14; number < 17; number++)
		submit(&log.both, number, 8, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	log.next = 14;
	end_progress(log.both.producer);
	assert_int_equal(log.to_send, 0);
	assert_int_equal(lines_written(&log), 3 + 1);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.next, 20);
}

/* The first callback sends, the second one, which is the last one, waits. */
static void wait_for_the_first(struct fast_end *end, struct doca_comch_producer_task_send *task,
			       doca_error_t status)
{
	struct log *log = end->arg;
	bool is_first = log->to_send;

	send_more(end, task, status);
	if (is_first)
		return;
	end->on_sent = NULL;
	for (unsigned int i = 0; i < 100 && log->next < 20; i++)
		end_progress(log->both.consumer);
	assert_int_equal(log->next, 20);
}

static void go_before_the_last_callback_waits(void **state)
{
	go_before(state, wait_for_the_first);
}

/*
 * What a flush, or a stop, promises also beside what takes many polls
 */

#define LONG ((size_t)64 << 10)

static void long_ones_do_not_wait_behind_them(void **state)
{
	struct both both = run_both(*state, 0, 64 * LONG);
	unsigned int i;

	for (i = 0; i < FAST_TASKS; i++)
		assert_ok(end_post(both.consumer, i * LONG, LONG));
	fastpath_settle(both.fastpath);
	submit(&both, 0, 8, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	put_off(&both, 1, 8);
	for (i = 0; i < 20; i++)
		submit(&both, 2 + i, LONG, i == 19);
	for (i = 0; i < 20; i++) /* the producer's engine does nothing */
		end_progress(both.consumer);
	assert_int_equal(both.consumer->done, 2 + 20);
}

/* So much of the message that is being copied to a consumer is there. */
static uint32_t copied(const struct fast_end *end)
{
	const struct send_queue *queue = end->producer->queues;

	while (!queue->copying)
		queue = queue->next;
	return queue->copied;
}

/* And what does not wait goes on with no copy: it is not to take long. */
static void a_long_copy_holds_up_nobody_else(void **state, bool stops)
{
	struct both both = run_both(*state, 0, 64 * LONG);
	struct fast_end *other = add_consumer(both.fastpath, both.fastpath->pair.server, 64 * LONG);
	uint32_t before;

	end_run(other);
	assert_ok(end_post(other, 0, 64 * LONG));
	assert_ok(end_post(both.consumer, 0, ROOM));
	assert_ok(end_post(both.consumer, ROOM, ROOM));
	fastpath_settle(both.fastpath);
	assert_ok(end_send(both.producer, 0, 64 * LONG, other->id));
	submit(&both, 0, 8, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	end_progress(both.producer);
	put_off(&both, 1, 8);
	before = copied(both.producer);
	if (stops)
		assert_err(doca_ctx_stop(both.producer->ctx), IN_PROGRESS);
	else
		doca_ctx_flush_tasks(both.producer->ctx);
	assert_int_equal(copied(both.producer), before);
	end_progress(both.consumer);
	assert_int_equal(both.consumer->done, 2);
	fastpath_settle(both.fastpath);
	assert_int_equal(both.producer->failed, 0);
}

static void a_flush_beside_a_long_copy(void **state)
{
	a_long_copy_holds_up_nobody_else(state, false);
}

static void a_stop_beside_a_long_copy(void **state)
{
	a_long_copy_holds_up_nobody_else(state, true);
}

/* A callback may drive another engine until it has its answer. */
static void wait_for_answer(struct fast_end *end, struct doca_comch_producer_task_send *task,
			    doca_error_t status)
{
	struct both *both = end->arg;
	const struct doca_buf *buf = doca_comch_producer_task_send_get_buf(task);

	assert_ok(status);
	doca_task_free(doca_comch_producer_task_send_as_task(task));
	assert_ok(doca_buf_dec_refcount((struct doca_buf *)buf, NULL));
	end->on_sent = NULL;
	submit(both, 2, 8, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	for (unsigned int i = 0; i < 100 && both->consumer->done < 3; i++)
		end_progress(both->consumer);
	assert_int_equal(both->consumer->done, 3);
}

static void a_callback_that_waits(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);

	for (unsigned int i = 0; i < 3; i++)
		assert_ok(end_post(both.consumer, i * ROOM, ROOM));
	fastpath_settle(both.fastpath);
	both.producer->on_sent = wait_for_answer;
	both.producer->arg = &both;
	submit(&both, 0, 8, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	submit(&both, 1, 8, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	fastpath_settle(both.fastpath);
	assert_null(both.producer->on_sent);
}

/*
 * What ends a run
 */

static void send_all(struct log *log, uint32_t count)
{
	for (uint32_t number = 1; number <= count; number++)
		put_off(&log->both, number, log->size_of(number));
	doca_ctx_flush_tasks(log->both.producer->ctx);
}

static void a_full_line(void **state)
{
	struct log log;

	open_log(&log, state, 20);
	first_one(&log);
	send_all(&log, 13);
	assert_int_equal(lines_written(&log), 1 + 3);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.next, 14);
	assert_int_equal(lines_of(&log), 4);
}

static size_t changing(uint32_t number)
{
	return number < 3 ? 8 : 12;
}

static void another_size(void **state)
{
	struct log log;

	open_log(&log, state, 20);
	log.size_of = changing;
	first_one(&log);
	send_all(&log, 4);
	assert_int_equal(lines_written(&log), 1 + 2);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.next, 5);
}

static void too_few_posts(void **state)
{
	struct log log;

	open_log(&log, state, 4);
	first_one(&log);
	send_all(&log, 5);
	assert_int_equal(lines_written(&log), 2);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.next, 4);
	post(&log, 4);
	assert_int_equal(log.next, 6);
	assert_int_equal(lines_of(&log), 3);
}

static void a_post_that_is_too_small(void **state)
{
	struct log log;

	open_log(&log, state, 3);
	assert_ok(end_post(log.both.consumer, 0, 4));
	fastpath_settle(log.both.fastpath);
	first_one(&log);
	send_all(&log, 3);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.next, 3);
	assert_int_equal(log.both.producer->failed, 1);
	assert_err(log.both.producer->status, INVALID_VALUE);
}

/* Six messages behind the first one, of which the third one is refused: its post is too small. */
static void put_off_one_too_long(struct log *log, void **state)
{
	open_log(log, state, 3);
	assert_ok(end_post(log->both.consumer, 0, 8));
	post(log, 3);
	first_one(log);
	for (uint32_t number = 1; number < 6; number++) {
		if (number == 3)
			put_off(&log->both, 99, 24);
		put_off(&log->both, number, 8);
	}
}

static void all_but_that_one_go(struct log *log)
{
	end_progress(log->both.consumer);
	assert_int_equal(log->next, 6);
	fastpath_settle(log->both.fastpath);
	assert_int_equal(log->both.producer->done, 6);
	assert_int_equal(log->both.producer->failed, 1);
}

static void a_flush_goes_on_behind_a_refused_one(void **state)
{
	struct log log;

	put_off_one_too_long(&log, state);
	doca_ctx_flush_tasks(log.both.producer->ctx);
	all_but_that_one_go(&log);
}

static void a_stop_goes_on_behind_a_refused_one(void **state)
{
	struct log log;

	put_off_one_too_long(&log, state);
	assert_err(doca_ctx_stop(log.both.producer->ctx), IN_PROGRESS);
	all_but_that_one_go(&log);
}

static void a_task_that_is_freed(void **state)
{
	struct doca_comch_producer_task_send *task;
	struct log log;

	open_log(&log, state, 10);
	first_one(&log);
	put_off(&log.both, 1, 8);
	put_off(&log.both, 2, 8);
	put_off(&log.both, 2, 8);
	task = (struct doca_comch_producer_task_send *)
		       log.both.producer->producer->last->waiting->base.next;
	assert_ok(doca_buf_dec_refcount(
		(struct doca_buf *)doca_comch_producer_task_send_get_buf(task), NULL));
	doca_task_free(&task->base);
	doca_ctx_flush_tasks(log.both.producer->ctx);
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.next, 3);
	assert_int_equal(log.both.producer->done, 3);
}

/*
 * Only a quarter where messages come in lines of their own, for a consumer that sleeps often, and
 * for a thread that lets others run, as this one may have learned to do on a busy machine.
 */
static void expect_part(void **state, bool sleeps_often)
{
	uint32_t part = sleeps_often || priv_yield_hurry() ? 4 : 2;
	struct log log;

	put_off_many(&log, state);
	end_progress(log.both.consumer);
	assert_int_equal(log.next, 1 + FAST_TASKS / 4);
	log.both.consumer->consumer->fast.lane.sleeper.asked = sleeps_often;
	end_progress(log.both.consumer);
	assert_int_equal(log.next, 1 + FAST_TASKS / 4 + (FAST_TASKS - FAST_TASKS / 4) / part);
}

static void a_poll_takes_half_of_them(void **state)
{
	expect_part(state, false);
}

static void one_that_is_between_sleeps_takes_a_quarter(void **state)
{
	expect_part(state, true);
}

/* Of every size, in an order that is not regular; the consumer has few receives at a time. */
static size_t mixed(uint32_t number)
{
	uint32_t hash = number / 5 * 2654435761u;

	return 1 + (hash >> 16) % ROOM;
}

static void nothing_but_the_order_of_messages(void **state)
{
	struct log log;
	uint32_t number = 0;

	open_log(&log, state, 0);
	log.size_of = mixed;
	while (number < 3000) {
		for (unsigned int i = 0; i < 20; i++, number++)
			submit(&log.both, number, mixed(number), number % 7 == 0);
		while (log.next < number)
			post(&log, 1 + number % 13);
	}
	fastpath_settle(log.both.fastpath);
	assert_int_equal(log.next, number);
	assert_int_equal(log.both.producer->done, number);
	assert_true(lines_of(&log) < number);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fastpath_setup, fastpath_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(go_with_the_next_flush),
		TEST(go_with_any_flush),
		TEST(also_those_for_two_consumers_by_turns),
		TEST(go_when_there_are_many),
		TEST(those_that_share_no_line_go_at_once),
		TEST(go_when_the_context_is_flushed),
		TEST(go_with_the_next_poll),
		TEST(go_before_a_stop),
		TEST(keep_an_engine_awake),
		TEST(from_callbacks_go_together),
		TEST(go_before_a_callback_waits),
		TEST(go_before_a_callback_looks_at_an_event),
		TEST(from_the_last_callback_go_at_once),
		TEST(go_before_the_last_callback_waits),
		TEST(long_ones_do_not_wait_behind_them),
		TEST(a_flush_beside_a_long_copy),
		TEST(a_stop_beside_a_long_copy),
		TEST(a_callback_that_waits),
		TEST(a_full_line),
		TEST(another_size),
		TEST(too_few_posts),
		TEST(a_post_that_is_too_small),
		TEST(a_flush_goes_on_behind_a_refused_one),
		TEST(a_stop_goes_on_behind_a_refused_one),
		TEST(a_task_that_is_freed),
		TEST(a_poll_takes_half_of_them),
		TEST(one_that_is_between_sleeps_takes_a_quarter),
		TEST(nothing_but_the_order_of_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
