/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffer pools: cutting a map into pieces, and giving them out.
 */
#include <stdalign.h>
#include "memtest.h"
#include "doca_buf_pool.h"
#include "doca_log.h"
#include "said.h"

#define SIZE 256

static alignas(64) char memory[SIZE];

static struct doca_buf_pool *new_pool(size_t count, size_t size, const struct doca_mmap *mmap)
{
	struct doca_buf_pool *pool;

	assert_ok(doca_buf_pool_create(count, size, mmap, &pool));
	return pool;
}

static void arguments_are_checked(void **state)
{
	struct doca_mmap *mmap = started_mmap(memory, SIZE);
	struct doca_buf_pool *pool = NULL;
	struct doca_buf *buf;
	union doca_data data;
	uint32_t count;
	size_t size;

	(void)state;
	assert_err(doca_buf_pool_create(0, 1, mmap, &pool), INVALID_VALUE);
	assert_err(doca_buf_pool_create(1, 0, mmap, &pool), INVALID_VALUE);
	assert_err(doca_buf_pool_create(1, 1, NULL, &pool), INVALID_VALUE);
	assert_err(doca_buf_pool_create(1, 1, mmap, NULL), INVALID_VALUE);
	assert_err(doca_buf_pool_create((size_t)UINT32_MAX + 1, 1, mmap, &pool), NO_MEMORY);
	assert_null(pool);
	assert_err(doca_buf_pool_start(NULL), INVALID_VALUE);
	assert_err(doca_buf_pool_stop(NULL), INVALID_VALUE);
	assert_err(doca_buf_pool_destroy(NULL), INVALID_VALUE);
	assert_err(doca_buf_pool_buf_alloc(NULL, &buf), INVALID_VALUE);
	pool = new_pool(1, 1, mmap);
	assert_err(doca_buf_pool_buf_alloc(pool, NULL), INVALID_VALUE);
	assert_err(doca_buf_pool_set_element_alignment(pool, 0), INVALID_VALUE);
	assert_err(doca_buf_pool_set_element_alignment(pool, 3), INVALID_VALUE);
	assert_err(doca_buf_pool_set_element_alignment(NULL, 1), INVALID_VALUE);
	assert_err(doca_buf_pool_get_element_alignment(NULL, &size), INVALID_VALUE);
	assert_err(doca_buf_pool_get_element_alignment(pool, NULL), INVALID_VALUE);
	assert_err(doca_buf_pool_get_num_elements(NULL, &count), INVALID_VALUE);
	assert_err(doca_buf_pool_get_num_elements(pool, NULL), INVALID_VALUE);
	assert_err(doca_buf_pool_get_num_free_elements(NULL, &count), INVALID_VALUE);
	assert_err(doca_buf_pool_get_num_free_elements(pool, NULL), INVALID_VALUE);
	assert_err(doca_buf_pool_get_user_data(NULL, &data), INVALID_VALUE);
	assert_ok(doca_buf_pool_destroy(pool));
	assert_ok(doca_mmap_destroy(mmap));
}

static void elements_lie_side_by_side(void **state)
{
	struct doca_mmap *mmap = started_mmap(memory + 1, 64);
	struct doca_buf_pool *pool = new_pool(8, 8, mmap);
	struct doca_buf *buf[8];

	(void)state;
	assert_ok(doca_buf_pool_start(pool));
	for (int i = 0; i < 8; i++) {
		size_t len, data_len;
		void *head, *data;

		assert_ok(doca_buf_pool_buf_alloc(pool, &buf[i]));
		assert_ok(doca_buf_get_head(buf[i], &head));
		assert_ok(doca_buf_get_len(buf[i], &len));
		assert_ok(doca_buf_get_data(buf[i], &data));
		assert_ok(doca_buf_get_data_len(buf[i], &data_len));
		assert_ptr_equal(head, memory + 1 + 8 * i);
		assert_ptr_equal(data, head);
		assert_int_equal(len, 8);
		assert_int_equal(data_len, 0);
	}
	assert_int_equal(count_bufs(mmap), 8);
	for (int i = 0; i < 8; i++)
		assert_ok(doca_buf_dec_refcount(buf[i], NULL));
	assert_ok(doca_buf_pool_destroy(pool));
	assert_ok(doca_mmap_destroy(mmap));
}

static void alignment_moves_and_spreads_them(void **state)
{
	struct doca_mmap *mmap = started_mmap(memory + 1, 63 + 64 + 1);
	struct doca_buf_pool *pool = new_pool(2, 1, mmap);
	struct doca_buf *first, *second;
	size_t alignment = 0;
	void *head;

	(void)state;
	assert_ok(doca_buf_pool_get_element_alignment(pool, &alignment));
	assert_int_equal(alignment, 1);
	assert_ok(doca_buf_pool_set_element_alignment(pool, 64));
	assert_ok(doca_buf_pool_get_element_alignment(pool, &alignment));
	assert_int_equal(alignment, 64);
	assert_ok(doca_buf_pool_start(pool));
	assert_err(doca_buf_pool_set_element_alignment(pool, 1), BAD_STATE);
	assert_ok(doca_buf_pool_buf_alloc(pool, &first));
	assert_ok(doca_buf_get_head(first, &head));
	assert_ptr_equal(head, memory + 64);
	assert_ok(doca_buf_pool_buf_alloc(pool, &second));
	assert_ok(doca_buf_get_head(second, &head));
	assert_ptr_equal(head, memory + 128);
	assert_ok(doca_buf_dec_refcount(first, NULL));
	assert_ok(doca_buf_dec_refcount(second, NULL));
	assert_ok(doca_buf_pool_destroy(pool));
	assert_ok(doca_mmap_destroy(mmap));
}

static void what_does_not_fit_does_not_start(void **state)
{
	static const struct {
		size_t count, size, alignment;
		doca_error_t result;
	} cases[] = {
		{SIZE, 1, 1, DOCA_SUCCESS},
		{SIZE + 1, 1, 1, DOCA_ERROR_INITIALIZATION},
		{1, SIZE, 1, DOCA_SUCCESS},
		{1, SIZE + 1, 1, DOCA_ERROR_INITIALIZATION},
		{4, 64, 64, DOCA_SUCCESS},
		{4, 63, 64, DOCA_SUCCESS},
		{4, 65, 64, DOCA_ERROR_INITIALIZATION},
		{1, SIZE_MAX, 64, DOCA_ERROR_INITIALIZATION},
		{3, SIZE_MAX / 2, 1, DOCA_ERROR_INITIALIZATION},
		{1, 1, (size_t)1 << 63, DOCA_ERROR_INITIALIZATION},
	};
	struct doca_mmap *mmap = started_mmap(memory, SIZE);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct doca_buf_pool *pool = new_pool(cases[i].count, cases[i].size, mmap);

		assert_ok(doca_buf_pool_set_element_alignment(pool, cases[i].alignment));
		assert_int_equal(doca_buf_pool_start(pool), cases[i].result);
		assert_ok(doca_buf_pool_destroy(pool));
	}
	assert_ok(doca_mmap_destroy(mmap));
}

static void exhausted_pool_is_empty(void **state)
{
	struct doca_mmap *mmap = started_mmap(memory, SIZE);
	struct doca_buf_pool *pool = new_pool(1, 16, mmap);
	struct doca_buf *buf, *other = NULL;
	uint32_t count;

	(void)state;
	assert_err(doca_buf_pool_buf_alloc(pool, &buf), BAD_STATE);
	assert_ok(doca_buf_pool_start(pool));
	assert_ok(doca_buf_pool_start(pool)); /* again: no change */
	assert_ok(doca_buf_pool_buf_alloc(pool, &buf));
	assert_err(doca_buf_pool_buf_alloc(pool, &other), EMPTY);
	assert_null(other);
	assert_err(doca_buf_pool_stop(pool), IN_USE);
	assert_err(doca_buf_pool_destroy(pool), IN_USE);
	assert_err(doca_buf_inventory_buf_reuse_by_addr(buf, memory, 1), NOT_PERMITTED);
	assert_ok(doca_buf_pool_get_num_free_elements(pool, &count));
	assert_int_equal(count, 0);
	assert_ok(doca_buf_pool_get_num_elements(pool, &count));
	assert_int_equal(count, 1);
	assert_ok(doca_buf_dec_refcount(buf, NULL));
	assert_ok(doca_buf_pool_buf_alloc(pool, &other));
	assert_ptr_equal(other, buf);
	assert_ok(doca_buf_dec_refcount(buf, NULL));
	assert_ok(doca_buf_pool_stop(pool));
	assert_err(doca_buf_pool_buf_alloc(pool, &buf), BAD_STATE);
	assert_ok(doca_buf_pool_destroy(pool));
	assert_ok(doca_mmap_destroy(mmap));
}

static void end_too_early(struct child *parent, void *arg)
{
	struct doca_buf_pool *pool = new_pool(2, 16, started_mmap(memory, SIZE));
	struct doca_log_backend *backend;
	struct doca_buf *buf;

	(void)parent;
	(void)arg;
	assert_ok(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend));
	assert_ok(doca_buf_pool_start(pool));
	assert_ok(doca_buf_pool_buf_alloc(pool, &buf));
	assert_err(doca_buf_pool_stop(pool), IN_USE);
	assert_err(doca_buf_pool_destroy(pool), IN_USE);
}

static void buffers_that_keep_it_are_told_of(void **state)
{
	char said[SAID_SIZE];

	listen_to(end_too_early, *state, said);
	assert_non_null(strstr(said, "cannot be stopped: 1 buffers of it are out"));
	assert_non_null(strstr(said, "cannot be destroyed: 1 buffers of it are out"));
}

static void the_map_must_be_started(void **state)
{
	struct doca_mmap *mmap = started_mmap(memory, SIZE);
	struct doca_buf_pool *pool = new_pool(2, 16, mmap);
	struct doca_buf *buf;

	(void)state;
	assert_ok(doca_mmap_stop(mmap));
	assert_err(doca_buf_pool_start(pool), BAD_STATE);
	assert_ok(doca_mmap_start(mmap));
	assert_ok(doca_buf_pool_start(pool));
	assert_ok(doca_mmap_stop(mmap)); /* no buffer is out */
	assert_err(doca_buf_pool_buf_alloc(pool, &buf), BAD_STATE);
	assert_ok(doca_buf_pool_destroy(pool));
	assert_ok(doca_mmap_destroy(mmap));
}

/* To its pool, a map that is gone is one that is not started. */
static void the_map_may_go_first(void **state)
{
	struct doca_mmap *mmap = started_mmap(memory, SIZE);
	struct doca_buf_pool *pool = new_pool(2, 16, mmap);
	struct doca_buf *buf;

	(void)state;
	assert_ok(doca_buf_pool_start(pool));
	assert_ok(doca_mmap_destroy(mmap));
	assert_err(doca_buf_pool_buf_alloc(pool, &buf), BAD_STATE);
	assert_ok(doca_buf_pool_stop(pool));
	assert_err(doca_buf_pool_start(pool), BAD_STATE);
	assert_ok(doca_buf_pool_destroy(pool));
}

static void user_data_is_set_before_start(void **state)
{
	struct doca_mmap *mmap = started_mmap(memory, SIZE);
	struct doca_buf_pool *pool = new_pool(2, 16, mmap);
	union doca_data data = {.u64 = 7};

	(void)state;
	assert_ok(doca_buf_pool_set_user_data(pool, data));
	assert_ok(doca_buf_pool_start(pool));
	assert_err(doca_buf_pool_set_user_data(pool, data), BAD_STATE);
	data.u64 = 0;
	assert_ok(doca_buf_pool_get_user_data(pool, &data));
	assert_int_equal(data.u64, 7);
	assert_err(doca_buf_pool_get_user_data(pool, NULL), INVALID_VALUE);
	assert_ok(doca_buf_pool_destroy(pool));
	assert_ok(doca_mmap_destroy(mmap));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_are_checked),
		cmocka_unit_test(elements_lie_side_by_side),
		cmocka_unit_test(alignment_moves_and_spreads_them),
		cmocka_unit_test(what_does_not_fit_does_not_start),
		cmocka_unit_test(exhausted_pool_is_empty),
		cmocka_unit_test(buffers_that_keep_it_are_told_of),
		cmocka_unit_test(the_map_must_be_started),
		cmocka_unit_test(the_map_may_go_first),
		cmocka_unit_test(user_data_is_set_before_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
