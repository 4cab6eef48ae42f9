/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a peer may write into a consumer's lane, also while a message is being taken out of it. The
 * lane is that of an honest producer, whose memory is written behind its back.
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

/*
 * A message out of the shadow, of which a part has been taken, and a short post behind it. Whatever
 * is behind them is the program's alone.
 */
#define PART_SIZE  ((size_t)600 << 10)
#define PART_OTHER 1000u

static struct both take_a_part(struct fastpath *fastpath)
{
	struct both both;

	setenv("SOFTFIELD_REGION", "copy", 1);
	both = run_both(fastpath, 0, 3 * PART_SIZE);
	assert_ok(end_post(both.consumer, 0, PART_SIZE));
	assert_ok(end_post(both.consumer, PART_SIZE, PART_OTHER));
	fastpath_settle(fastpath);
	memset(both.producer->memory.addr, 0x44, PART_SIZE);
	assert_ok(end_send(both.producer, 0, PART_SIZE, both.consumer->id));
	while (!both.producer->done)
		end_progress(both.producer);
	end_progress(both.consumer);
	assert_int_equal(both.consumer->done, 0);
	assert_int_not_equal(both.consumer->consumer->collected, 0);
	unsetenv("SOFTFIELD_REGION");
	return both;
}

static void check_the_other(struct both *both)
{
	assert_ok(end_send(both->producer, 0, PART_OTHER, both->consumer->id));
	memset(both->producer->producer->last->lane->window, 0x55, 3 * PART_SIZE);
	fastpath_settle(both->fastpath);
	assert_int_equal(both->consumer->size, PART_OTHER);
	for (size_t i = PART_SIZE + PART_OTHER; i < 3 * PART_SIZE; i++)
		assert_int_equal(both->consumer->memory.addr[i], 0);
}

static void check_both(struct both *both)
{
	while (!both->consumer->done)
		assert_true(end_progress(both->consumer));
	assert_int_equal(both->consumer->size, PART_SIZE);
	check_the_other(both);
	assert_int_equal(both->consumer->done, 2);
}

static void a_word_that_changes_midway_changes_nothing(void **state)
{
	struct both both = take_a_part(*state);

	both.consumer->consumer->fast.lane.lines[0].word =
		lane_pack_head((struct lane_head){.size = 10});
	check_both(&both);
}

static void a_line_that_is_taken_back_midway_changes_nothing(void **state)
{
	struct both both = take_a_part(*state);

	both.consumer->consumer->fast.lane.lines[0].seq = 0;
	check_both(&both);
}

static void a_task_may_be_freed_midway(void **state)
{
	struct both both = take_a_part(*state);
	struct doca_comch_consumer_task_post_recv *task;
	struct doca_buf *buf;

	task = both.consumer->consumer->tasks[0];
	buf = task->buf;
	doca_task_free(&task->base);
	assert_ok(doca_buf_dec_refcount(buf, NULL));
	check_the_other(&both);
	assert_int_equal(both.consumer->done, 1);
}

/*
 * Lines that cannot be
 */

static struct lane_line *next_line(struct fast_end *consumer)
{
	struct lane_consumer *lane = &consumer->consumer->fast.lane;

	return (struct lane_line *)lane_incoming(lane, lane->line);
}

static void forge(struct fast_end *consumer, struct lane_head head)
{
	struct lane_line *line = next_line(consumer);

	line->word = lane_pack_head(head);
	atomic_store(&line->seq, consumer->consumer->fast.lane.line + 1);
}

static void impossible_lines_end(struct fastpath *fastpath)
{
	static const struct lane_head heads[] = {
		{.size = 201},			   /* more than there is room */
		{.size = UINT32_MAX},		   /* likewise */
		{.size = 30, .imm_size = 8},	   /* possible */
		{.imm_size = 9},		   /* more than was agreed */
		{.imm_size = 254},		   /* likewise */
		{.size = 41, .imm_size = 254},	   /* likewise, and together too much for a line */
		{.size = 201, .inline_size = 113}, /* a batch: more than there is room */
		{.size = 8, .imm_size = 8, .inline_size = 113},	  /* with immediate data */
		{.size = 200, .inline_size = 105, .imm_size = 8}, /* more than a line holds */
		{.size = 8, .inline_size = 8, .imm_size = LANE_FAILED},
		{.imm_size = 9, .inline_size = 9}, /* runs: more than was agreed */
		{.size = 4, .imm_size = 9, .inline_size = 17},
		{.imm_size = 8, .inline_size = 105}, /* more than a line holds */
		{.imm_size = 8, .inline_size = UINT8_MAX},
	};
	unsigned int i, ended = 0;

	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		struct fast_end *end = add_consumer(fastpath, fastpath->pair.server, MEMORY);

		assert_ok(doca_comch_consumer_set_imm_data_len(end->consumer, 8));
		end_run(end);
		assert_ok(end_post(end, 0, 200));
		assert_ok(end_post(end, 200, 200));
		fastpath_settle(fastpath);
		forge(end, heads[i]);
		fastpath_settle(fastpath);
		if (i == 2) {
			assert_int_equal(end->done, 1);
			continue;
		}
		assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
		assert_int_equal(end->failed, 2);
		assert_err(end->status, IO_FAILED);
		/* The peer, which believes that it is there, is told. */
		assert_int_equal(fastpath->client_heard.expired, ++ended);
	}
	/* It costs the connection nothing. */
	assert_int_equal(side_state(fastpath->pair.server), DOCA_CTX_STATE_RUNNING);
}

static void impossible_lines_end_the_consumer(void **state)
{
	impossible_lines_end(*state);
}

static void impossible_lines_end_one_with_copied_memory(void **state)
{
	setenv("SOFTFIELD_REGION", "copy", 1);
	impossible_lines_end(*state);
	unsetenv("SOFTFIELD_REGION");
}

/* Posts of less room than a line has data, and what is behind them in the program's memory. */
static void lines_longer_than_short_receives_end(struct fastpath *fastpath)
{
	static const struct lane_head heads[] = {
		{.size = 11, .inline_size = 11},
		{.size = LANE_INLINE, .inline_size = LANE_INLINE},
		{.size = 11, .inline_size = 11, .imm_size = 8},
		{.size = 11, .inline_size = 22},		/* a run */
		{.size = 11, .imm_size = 8, .inline_size = 30}, /* likewise */
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		struct fast_end *end = add_consumer(fastpath, fastpath->pair.server, MEMORY);

		assert_ok(doca_comch_consumer_set_imm_data_len(end->consumer, 8));
		end_run(end);
		assert_ok(end_post(end, 0, 10));
		fastpath_settle(fastpath);
		memset(next_line(end)->data, 0x66, LANE_INLINE);
		forge(end, heads[i]);
		fastpath_settle(fastpath);
		assert_int_equal(end->done, 0);
		assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
		for (j = 10; j < 200; j++)
			assert_int_equal(end->memory.addr[j], 0);
	}
}

static void lines_longer_than_short_receives_end_the_consumer(void **state)
{
	lines_longer_than_short_receives_end(*state);
	setenv("SOFTFIELD_REGION", "copy", 1);
	lines_longer_than_short_receives_end(*state);
	unsetenv("SOFTFIELD_REGION");
}

static void lines_for_receives_without_a_buffer(void **state)
{
	static const struct lane_head heads[] = {
		{.imm_size = 8},
		{.imm_size = 8, .inline_size = 5}, /* as good */
		{.size = 1, .inline_size = 1},
		{.size = 1, .inline_size = 2}, /* a run */
		{.size = 1, .imm_size = 8, .inline_size = 10},
	};
	struct fastpath *fastpath = *state;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		struct fast_end *end = add_consumer(fastpath, fastpath->pair.server, MEMORY);
		bool is_possible = !heads[i].size;

		assert_ok(doca_comch_consumer_set_imm_data_len(end->consumer, 8));
		end_run(end);
		assert_ok(end_post_buf(end, NULL));
		fastpath_settle(fastpath);
		forge(end, heads[i]);
		fastpath_settle(fastpath);
		assert_int_equal(end->done, is_possible);
		assert_int_equal(end_state(end),
				 is_possible ? DOCA_CTX_STATE_RUNNING : DOCA_CTX_STATE_IDLE);
	}
}

/* However long they would have been: their receives fail, and the next ones do not. */
static void lines_that_have_failed_end_nothing(void **state)
{
	static const struct lane_head heads[] = {
		{.size = 100000, .imm_size = LANE_FAILED},
		{.size = UINT32_MAX, .imm_size = LANE_FAILED},
		{.imm_size = LANE_FAILED},
	};
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, fastpath->pair.server, MEMORY);
	unsigned int i;

	end_run(end);
	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		assert_ok(end_post(end, 0, 200));
		fastpath_settle(fastpath);
		forge(end, heads[i]);
		fastpath_settle(fastpath);
		assert_int_equal(end->failed, i + 1);
		assert_err(end->status, IO_FAILED);
	}
	assert_ok(end_post(end, 0, 200));
	fastpath_settle(fastpath);
	forge(end, (struct lane_head){.size = 8, .inline_size = 8});
	fastpath_settle(fastpath);
	assert_int_equal(end->done, 1);
	for (i = 0; i < 200; i++)
		assert_true(i < 8 || !end->memory.addr[i]);
}

/*
 * Runs
 */

static void write_run(struct fast_end *consumer, uint32_t size, uint32_t inline_size)
{
	struct lane_line *line = next_line(consumer);

	for (unsigned int i = 0; i < LANE_INLINE; i++)
		line->data[i] = (uint8_t)i;
	forge(consumer, (struct lane_head){.size = size, .inline_size = (uint8_t)inline_size});
}

/* What has come of a run of eight bytes each. */
static void check_run(struct fast_end *consumer, unsigned int count)
{
	const char *memory = consumer->memory.addr;

	for (unsigned int i = 0; i < count; i++)
		for (unsigned int j = 0; j < 200; j++)
			assert_int_equal(memory[i * 200 + j], j < 8 ? (int)(8 * i + j) : 0);
}

/* The run comes to so many receives of 200 bytes. */
static struct both take_run(void **state, unsigned int posts, uint32_t size, uint32_t inline_size)
{
	struct both both = run_both(*state, 0, MEMORY);
	unsigned int i;

	for (i = 0; i < posts; i++)
		assert_ok(end_post(both.consumer, i * 200, 200));
	fastpath_settle(both.fastpath);
	write_run(both.consumer, size, inline_size);
	fastpath_settle(both.fastpath);
	return both;
}

static void a_run_goes_to_buffers_in_their_order(void **state)
{
	struct both both = take_run(state, 14, 8, LANE_INLINE); /* longer than ours are */

	assert_int_equal(both.consumer->done, 14);
	check_run(both.consumer, 14);
}

static void imm_of_run(struct fast_end *end, struct doca_comch_consumer_task_post_recv *task,
		       doca_error_t status)
{
	const uint8_t *imm = doca_comch_consumer_task_post_recv_get_imm_data(task);
	uint32_t size = doca_comch_consumer_task_post_recv_get_imm_data_len(task);
	uint8_t first = (uint8_t)((end->done - 1) * *(unsigned int *)end->arg);
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);

	assert_ok(status);
	assert_int_equal(size, 8);
	for (unsigned int i = 0; i < size; i++)
		assert_int_equal(imm[i], first + i);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	if (buf)
		assert_ok(doca_buf_dec_refcount(buf, NULL));
}

static struct fast_end *take_imm_run(struct fastpath *fastpath, unsigned int posts, size_t room,
				     uint32_t size, uint32_t inline_size)
{
	struct fast_end *end = add_consumer(fastpath, fastpath->pair.server, MEMORY);
	unsigned int each = 8 + size, i;
	struct lane_line *line;

	assert_ok(doca_comch_consumer_set_imm_data_len(end->consumer, 8));
	end->on_received = imm_of_run;
	end->arg = &each;
	end_run(end);
	for (i = 0; i < posts; i++)
		assert_ok(
			end_post_buf(end, room ? memory_room(&end->memory, i * 200, room) : NULL));
	fastpath_settle(fastpath);
	line = next_line(end);
	for (i = 0; i < LANE_INLINE; i++)
		line->data[i] = (uint8_t)i;
	forge(end,
	      (struct lane_head){.size = size, .imm_size = 8, .inline_size = (uint8_t)inline_size});
	fastpath_settle(fastpath);
	end->on_received = NULL;
	return end;
}

static void a_run_of_immediate_data_goes_to_receives_in_their_order(void **state)
{
	struct fast_end *end = take_imm_run(*state, 14, 0, 0, 104);

	assert_int_equal(end->done, 14);
	assert_int_equal(end->consumer->fast.lane.line, 1);
}

static void a_run_may_have_both(void **state)
{
	struct fast_end *end = take_imm_run(*state, 3, 200, 4, 28);
	const char *memory = end->memory.addr;

	assert_int_equal(end->done, 3);
	for (unsigned int i = 0; i < 3; i++)
		for (unsigned int j = 0; j < 200; j++)
			assert_int_equal(memory[i * 200 + j], j < 4 ? (int)(12 * i + 8 + j) : 0);
}

static void more_of_both_than_there_are_posts_ends_the_consumer(void **state)
{
	struct fast_end *end = take_imm_run(*state, 2, 0, 0, 16);

	assert_int_equal(end->done, 2);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
}

static void a_run_of_nothing_is_one_message(void **state)
{
	struct both both = take_run(state, 2, 0, 3);

	assert_int_equal(both.consumer->done, 1);
	assert_int_equal(both.consumer->size, 0);
}

static void a_run_longer_than_there_are_posts_ends_the_consumer(void **state)
{
	struct both both = take_run(state, 2, 8, 24);

	assert_int_equal(both.consumer->done, 2);
	check_run(both.consumer, 2);
	assert_int_equal(end_state(both.consumer), DOCA_CTX_STATE_IDLE);
}

static void so_does_such_a_batch(void **state)
{
	struct both both = take_run(state, 2, 8, UINT8_MAX);

	assert_int_equal(both.consumer->done, 2);
	assert_int_equal(end_state(both.consumer), DOCA_CTX_STATE_IDLE);
}

/* In a buffer of so much room, for a run whose first message is taken. */
static void forge_in_callback(struct fast_end *end, struct doca_comch_consumer_task_post_recv *task,
			      doca_error_t status)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);

	(void)status;
	if (end->done == 1)
		next_line(end)->word = *(uint64_t *)end->arg;
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	assert_ok(doca_buf_dec_refcount(buf, NULL));
}

static void a_run_may_become_anything_midway(void **state)
{
	static const struct lane_head heads[] = {
		{.size = 150, .inline_size = 8},
		{.size = 200, .inline_size = LANE_INLINE},
		{.size = 0, .inline_size = 3},
		{.size = 50, .inline_size = UINT8_MAX},
		{.size = 3, .inline_size = 4, .imm_size = 30},
		{.size = UINT32_MAX, .inline_size = LANE_INLINE},
		{.imm_size = 30, .inline_size = 80},
		{.imm_size = 4, .inline_size = 6},
		{.imm_size = 4, .inline_size = LANE_INLINE},
		{.size = 4, .imm_size = 24, .inline_size = LANE_INLINE - 24},
		{.imm_size = LANE_INLINE},
		{.imm_size = UINT8_MAX, .inline_size = UINT8_MAX},
	};
	struct fastpath *fastpath = *state;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		struct fast_end *end = add_consumer(fastpath, fastpath->pair.server, MEMORY);
		uint64_t word = lane_pack_head(heads[i]);

		end->on_received = forge_in_callback;
		end->arg = &word;
		assert_ok(doca_comch_consumer_set_imm_data_len(end->consumer, i % 2 ? 32 : 8));
		end_run(end);
		assert_ok(end_post(end, 0, 200));
		assert_ok(end_post(end, 200, 200));
		fastpath_settle(fastpath);
		write_run(end, 8, 16);
		fastpath_settle(fastpath);
		assert_true(end->done >= 1);
		assert_true(end->imm_size <= 32);
		/* No byte of it is anywhere else. */
		for (j = 400; j < 1000; j++)
			assert_int_equal(end->memory.addr[j], 0);
		doca_ctx_stop(end->ctx);
		fastpath_settle(fastpath);
		assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	}
}

static void messages_without_a_post_end_the_consumer(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, fastpath->pair.server, MEMORY);

	end_run(end);
	forge(end, (struct lane_head){.size = 0});
	fastpath_settle(fastpath);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
}

static void sizes_up_to_the_room_are_taken(void **state)
{
	static const uint32_t sizes[] = {0, 1, LANE_INLINE, LANE_INLINE + 1, 199, 200};
	struct both both = run_both(*state, 0, MEMORY);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		assert_ok(end_post(both.consumer, 0, 200));
		fastpath_settle(both.fastpath);
		forge(both.consumer, (struct lane_head){.size = sizes[i]});
		fastpath_settle(both.fastpath);
		assert_int_equal(both.consumer->done, i + 1);
		assert_int_equal(both.consumer->size, sizes[i]);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fastpath_setup, fastpath_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_word_that_changes_midway_changes_nothing),
		TEST(a_line_that_is_taken_back_midway_changes_nothing),
		TEST(a_task_may_be_freed_midway),
		TEST(impossible_lines_end_the_consumer),
		TEST(impossible_lines_end_one_with_copied_memory),
		TEST(lines_longer_than_short_receives_end_the_consumer),
		TEST(lines_for_receives_without_a_buffer),
		TEST(lines_that_have_failed_end_nothing),
		TEST(a_run_goes_to_buffers_in_their_order),
		TEST(a_run_of_immediate_data_goes_to_receives_in_their_order),
		TEST(a_run_may_have_both),
		TEST(more_of_both_than_there_are_posts_ends_the_consumer),
		TEST(a_run_of_nothing_is_one_message),
		TEST(a_run_longer_than_there_are_posts_ends_the_consumer),
		TEST(so_does_such_a_batch),
		TEST(a_run_may_become_anything_midway),
		TEST(messages_without_a_post_end_the_consumer),
		TEST(sizes_up_to_the_room_are_taken),
	};

	priv_pe_work_on_ticks = 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
