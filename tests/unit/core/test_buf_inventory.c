/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffer inventories: giving out, taking back, re-aiming, growing.
 */
#include <malloc.h>
#include <pthread.h>
#include "memtest.h"
#include "pages.h"
#include "core/buf.h"
#include "doca_log.h"
#include "said.h"

#define SIZE 64

static char memory[SIZE];

struct rig {
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory; /* of 2 */
};

static int set_up(void **state)
{
	struct rig *rig = malloc(sizeof(*rig));

	rig->mmap = started_mmap(memory, SIZE);
	rig->inventory = started_inventory(2);
	*state = rig;
	return 0;
}

static int tear_down(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(count_bufs(rig->mmap), 0);
	assert_ok(doca_buf_inventory_destroy(rig->inventory));
	assert_ok(doca_mmap_destroy(rig->mmap));
	free(rig);
	return 0;
}

static doca_error_t get(struct rig *rig, void *addr, size_t len, void *data, size_t data_len,
			struct doca_buf **buf)
{
	return doca_buf_inventory_buf_get_by_args(rig->inventory, rig->mmap, addr, len, data,
						  data_len, buf);
}

static void expect(const struct doca_buf *buf, size_t head, size_t len, size_t data,
		   size_t data_len)
{
	assert_ptr_equal(buf->head, memory + head);
	assert_int_equal(buf->len, len);
	assert_ptr_equal(buf->data, memory + data);
	assert_int_equal(buf->data_len, data_len);
}

static void wrong_sizes_are_refused(void **state)
{
	struct doca_buf_inventory *inventory = NULL;

	(void)state;
	assert_err(doca_buf_inventory_create(0, &inventory), INVALID_VALUE);
	assert_err(doca_buf_inventory_create(1, NULL), INVALID_VALUE);
	assert_err(doca_buf_inventory_create((size_t)UINT32_MAX + 1, &inventory), NO_MEMORY);
	assert_err(doca_buf_inventory_create(SIZE_MAX, &inventory), NO_MEMORY);
	assert_null(inventory);
}

static void the_three_ways_to_get_one(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *buf;

	assert_ok(doca_buf_inventory_buf_get_by_addr(rig->inventory, rig->mmap, memory + 8, 16,
						     &buf));
	expect(buf, 8, 16, 8, 0);
	assert_ok(doca_buf_dec_refcount(buf, NULL));
	assert_ok(doca_buf_inventory_buf_get_by_data(rig->inventory, rig->mmap, memory + 8, 16,
						     &buf));
	expect(buf, 8, 16, 8, 16);
	assert_ok(doca_buf_dec_refcount(buf, NULL));
	assert_ok(get(rig, memory + 8, 16, memory + 10, 3, &buf));
	expect(buf, 8, 16, 10, 3);
	assert_ok(doca_buf_dec_refcount(buf, NULL));
}

static void empty_inventory_gives_nothing(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *buf[3] = {NULL};

	assert_ok(get(rig, memory, 1, memory, 1, &buf[0]));
	assert_ok(get(rig, memory, 1, memory, 1, &buf[1]));
	assert_ptr_not_equal(buf[0], buf[1]);
	assert_int_equal(count_bufs(rig->mmap), 2);
	assert_err(get(rig, memory, 1, memory, 1, &buf[2]), NO_MEMORY);
	assert_null(buf[2]);
	assert_err(doca_buf_inventory_destroy(rig->inventory), IN_USE);
	assert_ok(doca_buf_dec_refcount(buf[0], NULL));
	assert_int_equal(count_free(rig->inventory), 1);
	assert_ok(get(rig, memory, 1, memory, 1, &buf[2]));
	assert_ok(doca_buf_dec_refcount(buf[1], NULL));
	assert_ok(doca_buf_dec_refcount(buf[2], NULL));
}

/* also outside of the memory */
static char *place(ptrdiff_t at)
{
	return (char *)((uintptr_t)memory + (uintptr_t)at);
}

static void ranges_must_lie_in_each_other(void **state)
{
	static const struct {
		ptrdiff_t addr;
		size_t len;
		ptrdiff_t data;
		size_t data_len;
		bool good;
	} cases[] = {
		{0, SIZE, 0, SIZE, true},     {0, SIZE + 1, 0, 0, false},
		{1, SIZE, 1, 0, false},	      {-1, 2, -1, 0, false},
		{SIZE, 0, SIZE, 0, true},     {SIZE + 1, 0, SIZE + 1, 0, false},
		{SIZE - 1, 1, SIZE, 0, true}, {SIZE - 1, 2, SIZE - 1, 0, false},
		{8, SIZE_MAX, 8, 0, false},   {8, SIZE_MAX - 7, 8, 0, false},
		{8, 8, 7, 1, false},	      {8, 8, 16, 0, true},
		{8, 8, 16, 1, false},	      {8, 8, 17, 0, false},
		{8, 8, 12, 4, true},	      {8, 8, 12, 5, false},
		{8, 8, 12, SIZE_MAX, false},  {8, 8, 12, SIZE_MAX - 3, false},
	};
	struct rig *rig = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct doca_buf *buf = NULL;

		assert_int_equal(get(rig, place(cases[i].addr), cases[i].len, place(cases[i].data),
				     cases[i].data_len, &buf),
				 cases[i].good ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
		if (buf)
			assert_ok(doca_buf_dec_refcount(buf, NULL));
	}
}

static void both_must_be_started(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *buf, *copy;

	assert_ok(get(rig, memory, 1, memory, 1, &buf));
	assert_ok(doca_buf_inventory_stop(rig->inventory));
	assert_ok(doca_buf_inventory_stop(rig->inventory)); /* again: no change */
	assert_err(get(rig, memory, 1, memory, 1, &copy), BAD_STATE);
	assert_err(doca_buf_inventory_buf_dup(rig->inventory, buf, &copy), BAD_STATE);
	assert_err(doca_buf_inventory_expand(rig->inventory, 1), BAD_STATE);
	assert_ok(doca_buf_dec_refcount(buf, NULL)); /* also of a stopped one */
	assert_ok(doca_buf_inventory_start(rig->inventory));
	assert_ok(doca_buf_inventory_start(rig->inventory));
	assert_ok(doca_mmap_stop(rig->mmap));
	assert_err(get(rig, memory, 1, memory, 1, &buf), BAD_STATE);
}

static void ask_wrongly(struct child *parent, void *arg)
{
	struct doca_log_backend *backend;
	struct doca_buf *buf;
	struct rig *rig = arg;

	(void)parent;
	assert_ok(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend));
	assert_ok(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DEBUG));
	assert_err(get(rig, memory, SIZE + 1, memory, 0, &buf), INVALID_VALUE);
	assert_ok(doca_mmap_stop(rig->mmap));
	assert_err(get(rig, memory, SIZE, memory, 0, &buf), BAD_STATE);
	assert_ok(doca_buf_inventory_stop(rig->inventory));
	assert_err(get(rig, memory, SIZE, memory, 0, &buf), BAD_STATE);
}

static void why_there_is_no_buffer_is_told_of(void **state)
{
	char said[SAID_SIZE];

	listen_to(ask_wrongly, *state, said);
	assert_non_null(strstr(said, "its map does not have that"));
	assert_non_null(strstr(said, "the map is not started"));
	assert_non_null(strstr(said, "the inventory is not started"));
}

static void destroy_too_early(struct child *parent, void *arg)
{
	struct doca_log_backend *backend;
	struct doca_buf *buf;
	struct rig *rig = arg;

	(void)parent;
	assert_ok(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend));
	assert_ok(get(rig, memory, 1, memory, 1, &buf));
	assert_err(doca_buf_inventory_destroy(rig->inventory), IN_USE);
}

static void buffers_that_keep_it_are_told_of(void **state)
{
	char said[SAID_SIZE];

	listen_to(destroy_too_early, *state, said);
	assert_non_null(strstr(said, "cannot be destroyed: 1 buffers of it are out"));
}

static void null_is_refused(void **state)
{
	struct rig *rig = *state;
	union doca_data data;
	struct doca_buf *buf;
	uint32_t count;

	assert_err(doca_buf_inventory_buf_get_by_args(NULL, rig->mmap, memory, 1, memory, 1, &buf),
		   INVALID_VALUE);
	assert_err(doca_buf_inventory_buf_get_by_args(rig->inventory, NULL, memory, 1, memory, 1,
						      &buf),
		   INVALID_VALUE);
	assert_err(get(rig, memory, 1, memory, 1, NULL), INVALID_VALUE);
	assert_err(get(rig, NULL, 1, NULL, 1, &buf), INVALID_VALUE);
	assert_err(doca_buf_inventory_buf_dup(rig->inventory, NULL, &buf), INVALID_VALUE);
	assert_err(doca_buf_inventory_start(NULL), INVALID_VALUE);
	assert_err(doca_buf_inventory_stop(NULL), INVALID_VALUE);
	assert_err(doca_buf_inventory_destroy(NULL), INVALID_VALUE);
	assert_err(doca_buf_inventory_expand(NULL, 1), INVALID_VALUE);
	assert_err(doca_buf_inventory_expand(rig->inventory, 0), INVALID_VALUE);
	assert_err(doca_buf_inventory_get_num_elements(NULL, &count), INVALID_VALUE);
	assert_err(doca_buf_inventory_get_num_free_elements(rig->inventory, NULL), INVALID_VALUE);
	assert_err(doca_buf_inventory_get_user_data(rig->inventory, NULL), INVALID_VALUE);
	assert_err(doca_buf_inventory_get_user_data(NULL, &data), INVALID_VALUE);
	assert_err(doca_buf_inventory_set_user_data(NULL, data), INVALID_VALUE);
	assert_err(doca_buf_inventory_buf_reuse_by_addr(NULL, memory, 1), INVALID_VALUE);
}

static void a_duplicate_is_a_buffer_of_its_own(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *buf, *copy;

	assert_ok(get(rig, memory + 8, 16, memory + 10, 3, &buf));
	assert_ok(doca_buf_inc_refcount(buf, NULL));
	assert_ok(doca_buf_inventory_buf_dup(rig->inventory, buf, &copy));
	expect(copy, 8, 16, 10, 3);
	assert_int_equal(copy->refcount, 1);
	assert_int_equal(count_bufs(rig->mmap), 2);
	assert_err(doca_buf_inventory_buf_dup(rig->inventory, buf, &copy), NO_MEMORY);
	assert_ok(doca_buf_dec_refcount(copy, NULL));
	assert_ok(doca_buf_dec_refcount(buf, NULL));
	assert_ok(doca_buf_dec_refcount(buf, NULL));
	assert_err(doca_buf_inventory_buf_dup(rig->inventory, buf, &copy), BAD_STATE);
}

static void a_buffer_can_be_aimed_elsewhere(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *buf, *other;

	assert_ok(get(rig, memory, 8, memory, 8, &buf));
	assert_ok(doca_buf_inventory_buf_reuse_by_args(buf, memory + 8, 16, memory + 10, 3));
	expect(buf, 8, 16, 10, 3);
	assert_ok(doca_buf_inventory_buf_reuse_by_addr(buf, memory + 32, 8));
	expect(buf, 32, 8, 32, 0);
	assert_ok(doca_buf_inventory_buf_reuse_by_data(buf, memory + 40, 8));
	expect(buf, 40, 8, 40, 8);
	assert_err(doca_buf_inventory_buf_reuse_by_data(buf, memory + 60, 5), INVALID_VALUE);
	assert_err(doca_buf_inventory_buf_reuse_by_args(buf, memory, 4, memory, 5), INVALID_VALUE);
	expect(buf, 40, 8, 40, 8);
	assert_ok(get(rig, memory, 8, memory, 8, &other));
	assert_ok(doca_buf_chain_list(buf, other));
	assert_err(doca_buf_inventory_buf_reuse_by_addr(buf, memory, 1), NOT_PERMITTED);
	assert_err(doca_buf_inventory_buf_reuse_by_addr(other, memory, 1), NOT_PERMITTED);
	assert_ok(doca_buf_dec_refcount(buf, NULL));
	assert_err(doca_buf_inventory_buf_reuse_by_addr(buf, memory, 1), BAD_STATE);
}

static void growing_keeps_what_is_out(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *buf[5];
	uint32_t count;

	assert_ok(get(rig, memory, 8, memory, 8, &buf[0]));
	assert_ok(doca_buf_inventory_expand(rig->inventory, 3));
	assert_ok(doca_buf_inventory_get_num_elements(rig->inventory, &count));
	assert_int_equal(count, 5);
	assert_int_equal(count_free(rig->inventory), 4);
	assert_err(doca_buf_inventory_expand(rig->inventory, UINT32_MAX - 4), NO_MEMORY);
	for (int i = 1; i < 5; i++)
		assert_ok(get(rig, memory + i, 1, memory + i, 1, &buf[i]));
	expect(buf[0], 0, 8, 0, 8);
	for (int i = 0; i < 5; i++)
		assert_ok(doca_buf_dec_refcount(buf[i], NULL));
	assert_int_equal(count_free(rig->inventory), 5);
}

/* More than are made ready at a time, and of two sizes. */
static void a_large_one_gives_each_buffer_once(void **state)
{
	enum { FIRST = 130, SECOND = 70, COUNT = FIRST + SECOND };
	struct rig *rig = *state;
	struct doca_buf_inventory *inventory = started_inventory(FIRST);
	struct doca_buf *bufs[COUNT], *one_more;

	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < COUNT; i++) {
			assert_ok(doca_buf_inventory_buf_get_by_addr(
				inventory, rig->mmap, memory + i % SIZE, 0, &bufs[i]));
			if (i == 0 && round == 0)
				assert_ok(doca_buf_inventory_expand(inventory, SECOND));
			assert_int_equal(count_free(inventory), COUNT - i - 1);
		}
		assert_err(doca_buf_inventory_buf_get_by_addr(inventory, rig->mmap, memory, 0,
							      &one_more),
			   NO_MEMORY);
		for (uint32_t i = 0; i < COUNT; i++) {
			assert_ptr_equal(bufs[i]->head, memory + i % SIZE);
			assert_ok(doca_buf_dec_refcount(bufs[i], NULL));
		}
		assert_int_equal(count_free(inventory), COUNT);
	}
	assert_ok(doca_buf_inventory_destroy(inventory));
}

static void buffers_that_nobody_takes_need_no_memory(void **state)
{
	enum { COUNT = 1 << 20 };
	struct rig *rig = *state;
	struct doca_buf_inventory *inventory;
	struct doca_buf *first;

	mallopt(M_PERTURB, 0); /* MALLOC_PERTURB_ touches all there is */
	inventory = started_inventory(COUNT);
	assert_ok(doca_buf_inventory_buf_get_by_addr(inventory, rig->mmap, memory, 1, &first));
	assert_true(page_is_there(first));
	assert_false(page_is_there(first + COUNT / 2));
	assert_ok(doca_buf_dec_refcount(first, NULL));
	assert_ok(doca_buf_inventory_destroy(inventory));
}

static void user_data_is_kept(void **state)
{
	struct rig *rig = *state;
	union doca_data data = {.u64 = 9};

	assert_ok(doca_buf_inventory_get_user_data(rig->inventory, &data));
	assert_int_equal(data.u64, 0);
	data.ptr = rig;
	assert_ok(doca_buf_inventory_set_user_data(rig->inventory, data));
	data.ptr = NULL;
	assert_ok(doca_buf_inventory_get_user_data(rig->inventory, &data));
	assert_ptr_equal(data.ptr, rig);
}

static void *take_and_give(void *arg)
{
	struct doca_buf_inventory *inventory = started_inventory(4);
	struct doca_buf *buf;

	for (int i = 0; i < 20000; i++) {
		assert_ok(doca_buf_inventory_buf_get_by_addr(inventory, arg, memory, 8, &buf));
		assert_ok(doca_buf_dec_refcount(buf, NULL));
	}
	assert_ok(doca_buf_inventory_destroy(inventory));
	return NULL;
}

/* Each thread has its inventory; the map counts for all of them. */
static void one_map_serves_several_threads(void **state)
{
	struct rig *rig = *state;
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, rig->mmap), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(count_bufs(rig->mmap), 0);
}

static void *give(void *buf)
{
	assert_ok(doca_buf_dec_refcount(buf, NULL));
	return NULL;
}

/* Taken here, given back there: the map is at peace, and nothing of it is left in the end. */
static void a_buffer_is_given_back_by_another_thread(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *buf;
	pthread_t thread;

	assert_ok(get(rig, memory, 1, memory, 1, &buf));
	assert_int_equal(pthread_create(&thread, NULL, give, buf), 0);
	pthread_join(thread, NULL);
	assert_int_equal(count_bufs(rig->mmap), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_sizes_are_refused),
		TEST(the_three_ways_to_get_one),
		TEST(empty_inventory_gives_nothing),
		TEST(ranges_must_lie_in_each_other),
		TEST(both_must_be_started),
		TEST(why_there_is_no_buffer_is_told_of),
		TEST(buffers_that_keep_it_are_told_of),
		TEST(null_is_refused),
		TEST(a_duplicate_is_a_buffer_of_its_own),
		TEST(a_buffer_can_be_aimed_elsewhere),
		TEST(growing_keeps_what_is_out),
		TEST(a_large_one_gives_each_buffer_once),
		TEST(buffers_that_nobody_takes_need_no_memory),
		TEST(user_data_is_kept),
		TEST(one_map_serves_several_threads),
		TEST(a_buffer_is_given_back_by_another_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
