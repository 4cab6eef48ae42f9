/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What programs do in place of calls (softfield_inline.h) is what the libraries do.
 */
#undef DOCA_EXPORTS
#include "test.h"

#include "both.h"
#include "doca_comch.h"
#include "doca_pe.h"

#define MEMORY ((size_t)1 << 16)

/* The compiler does not know which function that is, and calls it. */
#define CALL(function) (*(__typeof__(function) *volatile *)&(__typeof__(&function)){function})

static void headers_define_them_in_optimized_programs(void **state)
{
	(void)state;
#if defined(__OPTIMIZE__) && !defined(__clang__)
#ifndef SOFTFIELD_INLINE
	fail();
#endif
#else
	skip();
#endif
}

static void check_buf(const struct doca_buf *buf, void *head, size_t len, void *data, size_t size)
{
	void *pointer;
	size_t number;

	assert_ok(doca_buf_get_head(buf, &pointer));
	assert_ptr_equal(pointer, head);
	assert_ok(CALL(doca_buf_get_head)(buf, &pointer));
	assert_ptr_equal(pointer, head);
	assert_ok(doca_buf_get_len(buf, &number));
	assert_int_equal(number, len);
	assert_ok(CALL(doca_buf_get_len)(buf, &number));
	assert_int_equal(number, len);
	assert_ok(doca_buf_get_data(buf, &pointer));
	assert_ptr_equal(pointer, data);
	assert_ok(CALL(doca_buf_get_data)(buf, &pointer));
	assert_ptr_equal(pointer, data);
	assert_ok(doca_buf_get_data_len(buf, &number));
	assert_int_equal(number, size);
	assert_ok(CALL(doca_buf_get_data_len)(buf, &number));
	assert_int_equal(number, size);
}

static void buffers(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct memory *memory = &both.consumer->memory;
	struct doca_buf *buf = memory_data(memory, 100, 60);
	char *head = memory->addr + 100;

	check_buf(buf, head, 60, head, 60);
	assert_ok(doca_buf_set_data(buf, head + 7, 50));
	check_buf(buf, head, 60, head + 7, 50);
	assert_ok(doca_buf_set_data_len(buf, 40));
	check_buf(buf, head, 60, head + 7, 40);
	assert_ok(doca_buf_reset_data_len(buf));
	check_buf(buf, head, 60, head + 7, 0);
	assert_ok(CALL(doca_buf_set_data)(buf, head + 1, 9));
	check_buf(buf, head, 60, head + 1, 9);
	assert_ok(CALL(doca_buf_set_data_len)(buf, 8));
	check_buf(buf, head, 60, head + 1, 8);
	assert_ok(CALL(doca_buf_reset_data_len)(buf));
	check_buf(buf, head, 60, head + 1, 0);
	assert_ok(doca_buf_dec_refcount(buf, NULL));
}

/* What a program keeps addresses and sizes in that it does not use as such. */
struct kept {
	uint64_t head, data;
	unsigned long long len, data_len;
};

static volatile unsigned int two = 2; /* of which the compiler knows nothing */

/* In loops, for there a compiler looks for what stays the same. */
__attribute__((noinline)) static uint64_t sum_heads(struct kept *kept, struct doca_buf **bufs,
						    unsigned int count)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < count; i++) {
		doca_buf_get_head(bufs[i], (void **)&kept->head);
		sum += kept->head;
	}
	return sum;
}

__attribute__((noinline)) static uint64_t sum_data(struct kept *kept, struct doca_buf **bufs,
						   unsigned int count)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < count; i++) {
		doca_buf_get_data(bufs[i], (void **)&kept->data);
		sum += kept->data;
	}
	return sum;
}

__attribute__((noinline)) static uint64_t sum_sizes(struct kept *kept, struct doca_buf **bufs,
						    unsigned int count)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < count; i++) {
		doca_buf_get_len(bufs[i], (size_t *)&kept->len);
		doca_buf_get_data_len(bufs[i], (size_t *)&kept->data_len);
		sum += 1000 * kept->len + kept->data_len;
	}
	return sum;
}

static void answers_go_anywhere(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct memory *memory = &both.consumer->memory;
	struct doca_buf *bufs[2] = {memory_data(memory, 100, 60), memory_data(memory, 200, 30)};
	uint64_t addr = (uintptr_t)memory->addr;
	struct kept kept = {0};

	assert_ok(doca_buf_set_data(bufs[1], memory->addr + 205, 20));
	assert_int_equal(sum_heads(&kept, bufs, two), 2 * addr + 300);
	assert_int_equal(sum_data(&kept, bufs, two), 2 * addr + 305);
	assert_int_equal(sum_sizes(&kept, bufs, two), 90 * 1000 + 80);
	assert_ok(doca_buf_dec_refcount(bufs[0], NULL));
	assert_ok(doca_buf_dec_refcount(bufs[1], NULL));
}

static void check_task(struct doca_task *task)
{
	union doca_data first = {.u64 = 1}, second = {.u64 = 2};

	doca_task_set_user_data(task, first);
	assert_int_equal(CALL(doca_task_get_user_data)(task).u64, 1);
	CALL(doca_task_set_user_data)(task, second);
	assert_int_equal(doca_task_get_user_data(task).u64, 2);
	assert_int_equal(doca_task_get_status(task), CALL(doca_task_get_status)(task));
	doca_task_free(task);
}

static void tasks(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	struct doca_buf *buf = memory_room(&both.consumer->memory, 0, 60);
	struct doca_buf *other = memory_room(&both.consumer->memory, 60, 60);
	struct doca_comch_consumer_task_post_recv *receive;
	struct doca_comch_producer_task_send *send;

	assert_ok(doca_comch_consumer_task_post_recv_alloc_init(both.consumer->consumer, buf,
								&receive));
	assert_ptr_equal(doca_comch_consumer_task_post_recv_get_buf(receive), buf);
	doca_comch_consumer_task_post_recv_set_buf(receive, other);
	assert_ptr_equal(CALL(doca_comch_consumer_task_post_recv_get_buf)(receive), other);
	CALL(doca_comch_consumer_task_post_recv_set_buf)(receive, NULL);
	assert_null(doca_comch_consumer_task_post_recv_get_buf(receive));
	assert_ptr_equal(doca_comch_consumer_task_post_recv_as_task(receive),
			 CALL(doca_comch_consumer_task_post_recv_as_task)(receive));
	check_task(doca_comch_consumer_task_post_recv_as_task(receive));

	assert_ok(doca_comch_producer_task_send_alloc_init(both.producer->producer, buf, NULL, 0, 1,
							   &send));
	assert_ptr_equal(doca_comch_producer_task_send_get_buf(send), buf);
	doca_comch_producer_task_send_set_buf(send, other);
	assert_ptr_equal(CALL(doca_comch_producer_task_send_get_buf)(send), other);
	CALL(doca_comch_producer_task_send_set_buf)(send, buf);
	assert_ptr_equal(doca_comch_producer_task_send_get_buf(send), buf);
	assert_ptr_equal(doca_comch_producer_task_send_as_task(send),
			 CALL(doca_comch_producer_task_send_as_task)(send));
	check_task(doca_comch_producer_task_send_as_task(send));
	assert_ok(doca_buf_dec_refcount(buf, NULL));
	assert_ok(doca_buf_dec_refcount(other, NULL));
}

static void no_receive_has_nothing(void **state)
{
	struct doca_comch_consumer_task_post_recv *none = NULL;

	(void)state;
	doca_comch_consumer_task_post_recv_set_buf(none, NULL);
	CALL(doca_comch_consumer_task_post_recv_set_buf)(none, NULL);
	assert_null(doca_comch_consumer_task_post_recv_get_buf(none));
	assert_null(CALL(doca_comch_consumer_task_post_recv_get_buf)(none));
	assert_null(doca_comch_consumer_task_post_recv_get_imm_data(none));
	assert_int_equal(doca_comch_consumer_task_post_recv_get_imm_data_len(none), 0);
	assert_int_equal(doca_comch_consumer_task_post_recv_get_producer_id(none), 0);
}

static void no_send_has_nothing(void **state)
{
	struct doca_comch_producer_task_send *none = NULL;
	uint8_t imm[8] = {0};

	(void)state;
	doca_comch_producer_task_send_set_buf(none, NULL);
	CALL(doca_comch_producer_task_send_set_buf)(none, NULL);
	doca_comch_producer_task_send_set_imm_data(none, imm, sizeof(imm));
	doca_comch_producer_task_send_set_consumer_id(none, 1);
	assert_null(doca_comch_producer_task_send_get_buf(none));
	assert_null(CALL(doca_comch_producer_task_send_get_buf)(none));
	assert_null(doca_comch_producer_task_send_get_imm_data(none));
	assert_int_equal(doca_comch_producer_task_send_get_imm_data_len(none), 0);
	assert_int_equal(doca_comch_producer_task_send_get_consumer_id(none), 0);
}

static void tasks_of_connections(void **state)
{
	struct fastpath *fastpath = *state;
	struct side *client = fastpath->pair.client;
	struct doca_comch_task_send *task;

	assert_ok(doca_comch_client_task_send_alloc_init(client->client, side_connection(client),
							 "x", 1, &task));
	assert_ptr_equal(doca_comch_task_send_as_task(task),
			 CALL(doca_comch_task_send_as_task)(task));
	check_task(doca_comch_task_send_as_task(task));
}

static void see_what_has_become_of_it(struct fast_end *end,
				      struct doca_comch_consumer_task_post_recv *task,
				      doca_error_t status)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	struct doca_task *base = doca_comch_consumer_task_post_recv_as_task(task);
	size_t size;

	assert_ok(doca_buf_get_data_len(buf, &size));
	assert_int_equal(size, status ? 0 : 60);
	assert_int_equal(doca_task_get_status(base), status);
	assert_int_equal(CALL(doca_task_get_status)(base), status);
	assert_ok(doca_buf_dec_refcount(buf, NULL));
	doca_task_free(base);
	(void)end;
}

static void what_a_callback_sees(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);

	both.consumer->on_received = see_what_has_become_of_it;
	assert_ok(end_post(both.consumer, 0, 100));
	assert_ok(end_post(both.consumer, 100, 100));
	assert_ok(end_send(both.producer, 0, 60, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(doca_ctx_stop(both.consumer->ctx), DOCA_ERROR_IN_PROGRESS);
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 1);
	assert_int_equal(both.consumer->failed, 1);
}

static void no_task(void **state)
{
	union doca_data data = {.u64 = 1};

	(void)state;
	doca_task_set_user_data(NULL, data);
	assert_int_equal(doca_task_get_user_data(NULL).u64, 0);
	assert_int_equal(doca_task_get_status(NULL), CALL(doca_task_get_status)(NULL));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fastpath_setup, fastpath_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_define_them_in_optimized_programs),
		TEST(buffers),
		TEST(answers_go_anywhere),
		TEST(tasks),
		TEST(tasks_of_connections),
		TEST(what_a_callback_sees),
		cmocka_unit_test(no_task),
		cmocka_unit_test(no_receive_has_nothing),
		cmocka_unit_test(no_send_has_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
