/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages as a post receive task gets them: every size at every place, immediate data, order.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include "both.h"
#include "comch/consumer.h"

#define MEMORY ((size_t)1 << 20)

static void sizes_and_places(struct both *both)
{
	static const size_t sizes[] = {1,    7,	   8,	  15,	 16,	 17,	 32,	 47,
				       48,   49,   63,	  64,	 65,	 500,	 4095,	 4096,
				       4097, 8192, 65535, 65536, 131072, 262144, 262145, 500000};
	char *from = both->producer->memory.addr, *to = both->consumer->memory.addr;
	unsigned int i;
	size_t j;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t offset = (i * 677) % 5000, size = sizes[i];

		for (j = 0; j < size; j++)
			from[offset + j] = (char)(j * 7 + i);
		memset(to, 0x11, MEMORY);
		assert_ok(end_post(both->consumer, offset + 3, size + i % 3));
		assert_ok(end_send(both->producer, offset, size, both->consumer->id));
		fastpath_settle(both->fastpath);
		assert_int_equal(both->consumer->done, i + 1);
		assert_int_equal(both->consumer->size, size);
		assert_int_equal(both->consumer->producer_id, both->producer->id);
		assert_memory_equal(to + offset + 3, from + offset, size);
		for (j = 0; j < offset + 3; j++)
			assert_int_equal(to[j], 0x11);
		for (j = offset + 3 + size; j < MEMORY; j++)
			assert_int_equal(to[j], 0x11);
	}
	assert_int_equal(both->producer->done, i);
}

/* Around what is in a line, and begins there: every size, at every distance from a cache line. */
static void short_sizes_and_all_places(struct both *both)
{
	char *from = both->producer->memory.addr, *to = both->consumer->memory.addr;
	unsigned int i, done = both->consumer->done;

	for (i = 0; i < 300; i++)
		from[i] = (char)(i * 7 + 1);
	for (i = 1; i <= 300; i++) {
		uint32_t imm_size = i % 5 ? 0 : i % 33;
		size_t at = 4096 + (i * 29) % 64;

		memset(to + 4000, 0x11, 1000);
		assert_ok(end_post(both->consumer, at, i));
		assert_ok(end_send_imm(both->producer, memory_data(&both->producer->memory, 0, i),
				       from, imm_size, both->consumer->id));
		fastpath_settle(both->fastpath);
		assert_int_equal(both->consumer->done, done + i);
		assert_int_equal(both->consumer->size, i);
		assert_memory_equal(both->consumer->imm, from, imm_size);
		assert_memory_equal(to + at, from, i);
		assert_int_equal(to[at - 1], 0x11);
		assert_int_equal(to[at + i], 0x11);
	}
}

static void all_sizes_arrive_and_nothing_else_changes(void **state)
{
	struct both both = run_both(*state, 32, MEMORY);

	sizes_and_places(&both);
	short_sizes_and_all_places(&both);
}

static void all_sizes_arrive_in_copied_memory(void **state)
{
	struct both both;

	setenv("SOFTFIELD_REGION", "copy", 1);
	both = run_both(*state, 32, MEMORY);
	sizes_and_places(&both);
	short_sizes_and_all_places(&both);
	unsetenv("SOFTFIELD_REGION");
}

/* The last page of the map is copied, those before it are in place: lengths and places around. */
static void all_sizes_reach_a_page_that_is_not_whole(void **state)
{
	const size_t memory = 3 * 4096 + 2000;
	struct both both = run_both(*state, 0, memory);
	char *from = both.producer->memory.addr, *to = both.consumer->memory.addr;
	unsigned int i;

	for (size_t j = 0; j < memory; j++)
		from[j] = (char)(j * 7 + 1);
	for (i = 0; i < 400; i++) {
		size_t size = 1 + i * 53 % 6000, at = memory - size - i % 3 * 1000;

		memset(to, 0x11, memory);
		assert_ok(end_post(both.consumer, at, size));
		assert_ok(end_send(both.producer, i, size, both.consumer->id));
		fastpath_settle(both.fastpath);
		assert_int_equal(both.consumer->done, i + 1);
		assert_int_equal(both.consumer->size, size);
		assert_memory_equal(to + at, from + i, size);
		assert_int_equal(to[at - 1], 0x11);
		assert_true(at + size == memory || to[at + size] == 0x11);
	}
}

/* What was posted before is all in place. */
static void a_page_that_is_not_whole_may_come_second(void **state)
{
	const size_t memory = 3 * 4096 + 2000;
	struct both both = run_both(*state, 0, memory);
	char *from = both.producer->memory.addr, *to = both.consumer->memory.addr;

	memset(from, 'x', 1500);
	assert_ok(end_post(both.consumer, 0, 1000));
	assert_ok(end_post(both.consumer, memory - 1500, 1500));
	assert_ok(end_send(both.producer, 0, 1000, both.consumer->id));
	assert_ok(end_send(both.producer, 0, 1500, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 2);
	assert_memory_equal(to, from, 1000);
	assert_memory_equal(to + memory - 1500, from, 1500);
}

static void data_goes_behind_what_is_there(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	char *to = both.consumer->memory.addr;
	struct doca_buf *buf = memory_room(&both.consumer->memory, 0, 100);

	memcpy(to + 10, "before", 6);
	assert_ok(doca_buf_set_data(buf, to + 10, 6));
	assert_ok(end_post_buf(both.consumer, buf));
	memcpy(both.producer->memory.addr, "after", 5);
	assert_ok(end_send(both.producer, 0, 5, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->size, 11);
	assert_memory_equal(to + 10, "beforeafter", 11);
}

static void room_is_what_is_left_in_the_buffer(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct doca_buf *buf = memory_room(&both.consumer->memory, 0, 100);

	assert_ok(doca_buf_set_data(buf, both.consumer->memory.addr, 60));
	assert_ok(end_post_buf(both.consumer, buf));
	assert_ok(end_send(both.producer, 0, 41, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.producer->failed, 1);
	assert_err(both.producer->status, INVALID_VALUE);
	/* The buffer stays posted. */
	assert_ok(end_send(both.producer, 0, 40, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 1);
	assert_int_equal(both.consumer->size, 100);
}

static void check_imm(struct both *both, const void *imm, uint32_t imm_size)
{
	assert_int_equal(both->consumer->imm_size, imm_size);
	assert_memory_equal(both->consumer->imm, imm, imm_size);
}

static void immediate_data_arrives(void **state)
{
	static const uint8_t imm[32] = "0123456789abcdefghijklmnopqrstu";
	struct both both = run_both(*state, 32, MEMORY);
	uint32_t size;

	for (size = 1; size <= 32; size++) {
		size_t data = size * 7 % 190; /* in the line with it, and not */

		memset(both.producer->memory.addr, (int)size, data);
		assert_ok(end_post(both.consumer, 0, 200));
		assert_ok(end_send_imm(both.producer, memory_data(&both.producer->memory, 0, data),
				       imm, size, both.consumer->id));
		fastpath_settle(both.fastpath);
		assert_int_equal(both.consumer->done, size);
		assert_int_equal(both.consumer->size, data);
		check_imm(&both, imm, size);
		assert_memory_equal(both.consumer->memory.addr, both.producer->memory.addr, data);
	}
}

static void immediate_data_alone_changes_no_buffer(void **state)
{
	struct both both = run_both(*state, 8, MEMORY);

	memset(both.consumer->memory.addr, 0x11, 64);
	assert_ok(end_post(both.consumer, 0, 64));
	assert_ok(end_send_imm(both.producer, NULL, "imm", 3, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 1);
	assert_int_equal(both.consumer->size, 0);
	assert_int_equal(both.consumer->memory.addr[0], 0x11);
	check_imm(&both, "imm", 3);
	/* A message without any forgets that of the one before. */
	assert_ok(end_post(both.consumer, 0, 64));
	assert_ok(end_send(both.producer, 0, 5, both.consumer->id));
	fastpath_settle(both.fastpath);
	check_imm(&both, "", 0);
}

static void a_post_without_buffer_takes_immediate_data_alone(void **state)
{
	struct both both = run_both(*state, 8, MEMORY);

	assert_ok(end_post(both.consumer, 0, 0));
	assert_ok(end_send(both.producer, 0, 1, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_err(both.producer->status, INVALID_VALUE);
	assert_int_equal(both.consumer->done, 0);
	assert_ok(end_send_imm(both.producer, NULL, "12345678", 8, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 1);
	check_imm(&both, "12345678", 8);
}

static void note_place(struct fast_end *end, struct doca_comch_consumer_task_post_recv *task,
		       doca_error_t status)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	unsigned int *place = end->arg;
	void *data;

	assert_ok(status);
	assert_ok(doca_buf_get_data(buf, &data));
	assert_ptr_equal(data, end->memory.addr + 64 * (size_t)*place);
	assert_int_equal(*(unsigned char *)data, *place);
	++*place;
	doca_buf_dec_refcount(buf, NULL);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

/* Buffers are used in the order of their posting, messages come in the order of their sending. */
static void order_is_kept(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	unsigned int place = 0, i;

	both.consumer->arg = &place;
	both.consumer->on_received = note_place;
	for (i = 0; i < FAST_TASKS; i++)
		assert_ok(end_post(both.consumer, 64 * i, 64));
	for (i = 0; i < FAST_TASKS; i++) {
		both.producer->memory.addr[64 * i] = (char)i;
		assert_ok(end_send(both.producer, 64 * i, i % 2 ? 64 : 1, both.consumer->id));
	}
	fastpath_settle(both.fastpath);
	assert_int_equal(place, FAST_TASKS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fastpath_setup, fastpath_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_sizes_arrive_and_nothing_else_changes),
		TEST(all_sizes_arrive_in_copied_memory),
		TEST(all_sizes_reach_a_page_that_is_not_whole),
		TEST(a_page_that_is_not_whole_may_come_second),
		TEST(data_goes_behind_what_is_there),
		TEST(room_is_what_is_left_in_the_buffer),
		TEST(immediate_data_arrives),
		TEST(immediate_data_alone_changes_no_buffer),
		TEST(a_post_without_buffer_takes_immediate_data_alone),
		TEST(order_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
