/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data buffers: addresses for disks, also with an allocator whose bus addresses are not virtual
 * ones.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include "nvme/dma.h"
#include "sta/sta.h"

#define SHIFT	 (1ull << 60)
#define CAPACITY (128u << 10)
/* addresses of all pages but the first */
#define LIST_SIZE ((CAPACITY / NVME_PAGE_SIZE - 1) * sizeof(le64_t))

static unsigned int allocations, fail_after;

static void *shifted_zmalloc(size_t size, size_t align, uint64_t *phys)
{
	void *memory;

	if (fail_after && allocations == fail_after)
		return NULL;
	memory = aligned_alloc(align, size);
	assert_non_null(phys); /* rule: never NULL */
	memset(memory, 0, size);
	*phys = (uint64_t)(uintptr_t)memory + SHIFT;
	allocations++;
	return memory;
}

static void shifted_free(void *buf)
{
	allocations--;
	free(buf);
}

static uint64_t shifted_vtophys(const void *buf, uint32_t size)
{
	assert_true(size <= NVME_PAGE_SIZE);
	return (uint64_t)(uintptr_t)buf + SHIFT;
}

static const struct sta_allocator shifted = {shifted_zmalloc, shifted_free, shifted_vtophys};

static void check_prps(const struct sta_allocator *allocator, uint64_t shift)
{
	struct nvme_cmd cmd = {0};
	struct sta_buf buf;
	const le64_t *list;
	uint64_t start;
	uint32_t i;

	assert_ok(sta_buf_init(&buf, allocator, CAPACITY));
	start = (uint64_t)(uintptr_t)buf.data + shift;
	sta_buf_set_prps(&buf, &cmd, 4096);
	assert_int_equal(le64toh(cmd.prp1), start);
	assert_int_equal(cmd.prp2, 0);
	sta_buf_set_prps(&buf, &cmd, 4097);
	assert_int_equal(le64toh(cmd.prp2), start + 4096);
	sta_buf_set_prps(&buf, &cmd, 8193);
	list = (const void *)(uintptr_t)(le64toh(cmd.prp2) - shift);
	for (i = 0; i < CAPACITY / NVME_PAGE_SIZE - 1; i++)
		assert_int_equal(le64toh(list[i]), start + (i + 1ull) * NVME_PAGE_SIZE);
	sta_buf_fini(&buf, allocator);
}

static void prps_describe_the_buffer(void **state)
{
	(void)state;
	check_prps(&sta_own_allocator, 0);
	allocations = fail_after = 0;
	check_prps(&shifted, SHIFT);
	assert_int_equal(allocations, 0);
}

/* there are many of them: one allocation each */
static void small_buffers_need_no_list(void **state)
{
	struct nvme_cmd cmd = {0};
	struct sta_buf buf;
	uint64_t start;

	(void)state;
	allocations = fail_after = 0;
	assert_ok(sta_buf_init(&buf, &shifted, 2 * NVME_PAGE_SIZE));
	assert_int_equal(allocations, 1);
	start = (uint64_t)(uintptr_t)buf.data + SHIFT;
	sta_buf_set_prps(&buf, &cmd, 2 * NVME_PAGE_SIZE);
	assert_int_equal(le64toh(cmd.prp1), start);
	assert_int_equal(le64toh(cmd.prp2), start + NVME_PAGE_SIZE);
	sta_buf_fini(&buf, &shifted);
	assert_int_equal(allocations, 0);
}

static void parts_stay_with_their_memory(void **state)
{
	struct nvme_cmd cmd = {0};
	struct sta_buf buf;
	uint64_t phys;
	uint8_t *memory;

	(void)state;
	allocations = fail_after = 0;
	memory = shifted.zmalloc(6 * NVME_PAGE_SIZE, NVME_PAGE_SIZE, &phys);
	assert_ok(
		sta_buf_init_part(&buf, &shifted, memory + 2 * NVME_PAGE_SIZE, 2 * NVME_PAGE_SIZE));
	assert_ptr_equal(buf.data, memory + 2 * NVME_PAGE_SIZE);
	assert_int_equal(buf.capacity, 2 * NVME_PAGE_SIZE);
	sta_buf_set_prps(&buf, &cmd, 2 * NVME_PAGE_SIZE);
	assert_int_equal(le64toh(cmd.prp1), phys + 2 * NVME_PAGE_SIZE);
	assert_int_equal(le64toh(cmd.prp2), phys + 3 * NVME_PAGE_SIZE);
	sta_buf_fini(&buf, &shifted);
	assert_null(buf.data);
	assert_int_equal(allocations, 1);
	shifted.free(memory);
}

static void own_memory_is_cleared(void **state)
{
	uint64_t phys;
	uint8_t *memory = sta_own_allocator.zmalloc(CAPACITY, NVME_PAGE_SIZE, &phys);
	uint32_t i;

	(void)state;
	assert_non_null(memory);
	assert_int_equal((uintptr_t)memory % NVME_PAGE_SIZE, 0);
	for (i = 0; i < CAPACITY; i++)
		assert_int_equal(memory[i], 0);
	sta_own_allocator.free(memory);
}

static void a_pool_hands_out_each_buffer_once(void **state)
{
	struct sta_buf *bufs[4];
	struct sta_pool pool;
	unsigned int i, j;

	(void)state;
	assert_ok(sta_pool_init(&pool, &sta_own_allocator, 4, 1, CAPACITY));
	for (i = 0; i < 4; i++) {
		bufs[i] = sta_pool_take(&pool);
		assert_non_null(bufs[i]);
		for (j = 0; j < i; j++)
			assert_ptr_not_equal(bufs[i], bufs[j]);
	}
	assert_null(sta_pool_take(&pool));
	sta_pool_give(&pool, bufs[2]);
	assert_ptr_equal(sta_pool_take(&pool), bufs[2]);
	for (i = 0; i < 4; i++)
		sta_pool_give(&pool, bufs[i]);
	assert_int_equal(pool.free_count, 4);
	sta_pool_fini(&pool);
}

/* Each piece is a mapping, and one of each device that reaches it. */
static void a_pool_of_our_own_memory_is_one_piece(void **state)
{
	enum { COUNT = 40 }; /* lists of more than a page */
	struct sta_pool pool;
	const uint8_t *first;

	(void)state;
	assert_ok(sta_pool_init(&pool, &sta_own_allocator, COUNT, 0, CAPACITY));
	first = pool.bufs[0].data;
	assert_true(dma_contains(first, (size_t)COUNT * CAPACITY));
	for (size_t i = 0; i < COUNT; i++) {
		const struct sta_buf *buf = &pool.bufs[i];
		const le64_t *list = (const le64_t *)buf->list; /* the address is that of the bus */

		assert_ptr_equal(buf->data, first + i * CAPACITY);
		assert_int_equal(buf->bus0, (uintptr_t)buf->data);
		assert_true(buf->list % NVME_PAGE_SIZE + LIST_SIZE <= NVME_PAGE_SIZE);
		assert_true(dma_contains(list, LIST_SIZE));
		for (size_t page = 1; page < CAPACITY / NVME_PAGE_SIZE; page++)
			assert_int_equal(le64toh(list[page - 1]),
					 buf->bus0 + page * NVME_PAGE_SIZE);
	}
	sta_pool_fini(&pool);
	assert_false(dma_contains(first, 1));
}

static void pools_grow_into_the_room_they_have(void **state)
{
	struct sta_buf *more[2];
	struct sta_pool pool;

	(void)state;
	assert_ok(sta_pool_init(&pool, &sta_own_allocator, 1, 2, CAPACITY));
	assert_ok(sta_pool_add(&pool, &more[0]));
	assert_ok(sta_pool_add(&pool, &more[1]));
	assert_int_equal(more[1]->capacity, CAPACITY);
	assert_int_equal(pool.free_count, 1); /* they are given when their queue pair comes */
	sta_pool_give(&pool, more[1]);
	assert_ptr_equal(sta_pool_take(&pool), more[1]);
	assert_int_equal(pool.count, 3);
	sta_pool_fini(&pool);
}

static void a_failing_allocator_leaves_nothing_behind(void **state)
{
	struct sta_pool pool;

	(void)state;
	allocations = 0;
	for (fail_after = 1; fail_after < 8; fail_after++) {
		assert_err(sta_pool_init(&pool, &shifted, 4, 1, CAPACITY), NO_MEMORY);
		assert_int_equal(allocations, 0);
	}
	fail_after = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prps_describe_the_buffer),
		cmocka_unit_test(small_buffers_need_no_list),
		cmocka_unit_test(parts_stay_with_their_memory),
		cmocka_unit_test(own_memory_is_cleared),
		cmocka_unit_test(a_pool_hands_out_each_buffer_once),
		cmocka_unit_test(a_pool_of_our_own_memory_is_one_piece),
		cmocka_unit_test(pools_grow_into_the_room_they_have),
		cmocka_unit_test(a_failing_allocator_leaves_nothing_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
