/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DMA: data that a program has set outside of its buffer. A source's may lie anywhere in its map,
 * never outside of that; a target's, in its buffer only. And copies within one place, copies that
 * are too long, and maps that have gone.
 */
#include <sys/mman.h>
#include "dmatest.h"

static struct doca_buf *moved_source(struct rig *rig, size_t offset, size_t at, size_t size)
{
	struct doca_buf *src = source(rig, offset, 8);

	assert_ok(doca_buf_set_data(src, rig->memory + at, size));
	return src;
}

/* Before and behind its buffer, and more than that holds, in a list. */
static void a_source_may_lie_anywhere_in_its_map(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *src = moved_source(rig, 1000, 20, MIB + 100);
	struct doca_buf *next = moved_source(rig, 0, MIB + 120, MIB);
	struct doca_task *task = new_task(rig, src, target(rig, 0, SIZE), 1);

	assert_ok(doca_buf_chain_list(src, source(rig, SIZE - 8, 8)));
	assert_ok(doca_buf_chain_list(src, next));
	assert_ok(doca_task_submit(task));
	progress(rig);
	assert_int_equal(rig->done, 1);
	expect_copy(rig, 20, 0, MIB + 100);
	expect_copy(rig, SIZE - 8, MIB + 100, 8);
	expect_copy(rig, MIB + 120, MIB + 108, MIB);
	assert_int_equal(rig->memory[SIZE + 2 * MIB + 108], 0);
	doca_task_free(task);
}

static void expect_invalid(struct rig *rig, const struct doca_buf *src, struct doca_buf *dst)
{
	rig->failed = 0;
	assert_ok(doca_task_submit(new_task(rig, src, dst, 1)));
	progress(rig);
	assert_int_equal(rig->done, 0);
	assert_int_equal(rig->failed, 1);
	assert_err(rig->status, INVALID_VALUE);
	assert_ok(doca_ctx_start(rig->ctx));
}

/* Offsets in the map, which has 2 * SIZE bytes, and the sums that overflow. */
static void nothing_is_read_outside_of_the_map(void **state)
{
	static const struct {
		size_t at, size;
	} ranges[] = {
		{(size_t)-1, 1},
		{(size_t)-1, 2},
		{2 * SIZE - 7, 8},
		{2 * SIZE, 1},
		{SIZE, SIZE_MAX - SIZE + 1},
		{SIZE, SIZE_MAX},
		{(size_t)1 << 46, 8},
	};
	struct rig *rig = *state;
	struct doca_buf *dst = target(rig, 0, SIZE);

	rig->free_in_callback = true;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		struct doca_buf *src = source(rig, 0, 8);
		uintptr_t data = (uintptr_t)rig->memory + ranges[i].at;

		assert_ok(doca_buf_set_data(src, (void *)data, ranges[i].size));
		expect_invalid(rig, src, dst);
	}
}

static void a_target_stays_in_its_buffer(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *dst = target(rig, 0, 8);

	rig->free_in_callback = true;
	for (size_t at = 7; at <= 9; at += 2) { /* too little room, and none */
		assert_ok(doca_buf_set_data(dst, rig->memory + SIZE + at, 0));
		expect_invalid(rig, source(rig, 0, 8), dst);
	}
	assert_int_equal(rig->memory[SIZE + 9], 0);
}

/* More than is copied in one call, to a place that begins in the midst of it, on either side. */
static void what_overlaps_is_moved(void **state)
{
	static const size_t places[][2] = {{0, 4096}, {4096, 0}, {0, 2 * MIB}, {7, 8}, {8, 7}};
	struct rig *rig = *state;
	const size_t size = 2 * MIB + 12345;
	char *expected = malloc(size);
	unsigned int i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		size_t from = places[i][0], to = places[i][1];
		struct doca_task *task;

		memcpy(expected, rig->memory + from, size);
		task = new_task(rig, source(rig, from, size),
				buf_of(rig, rig->mmap, rig->memory + to, size, 0), 1);
		assert_ok(doca_task_submit(task));
		progress(rig);
		assert_int_equal(rig->done, i + 1);
		assert_memory_equal(rig->memory + to, expected, size);
		doca_task_free(task);
	}
	free(expected);
}

static void copies_have_a_longest(void **state)
{
	struct rig *rig = *state;
	struct doca_mmap *map;
	struct doca_task *task;
	uint64_t max;
	char *much;

	assert_ok(doca_dma_cap_task_memcpy_get_max_buf_size(doca_dev_as_devinfo(rig->dev), &max));
	/* nobody looks at it */
	much = mmap(NULL, 2 * (max + 1), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(much, MAP_FAILED);
	map = started_mmap(much, 2 * (max + 1));
	task = new_task(rig, buf_of(rig, map, much, max + 1, max + 1),
			buf_of(rig, map, much + max + 1, max + 1, 0), 1);
	assert_err(doca_task_try_submit(task), INVALID_VALUE);
	doca_task_free(task);
	release_bufs(rig);
	assert_ok(doca_mmap_destroy(map));
	assert_int_equal(munmap(much, 2 * (max + 1)), 0);
}

static void buffers_of_destroyed_maps_are_refused(void **state)
{
	struct rig *rig = *state;
	struct doca_mmap *mmap = passing_mmap(rig->memory, 2 * SIZE);
	struct doca_buf *src = buf_of(rig, mmap, rig->memory, 8, 8);
	struct doca_buf *dst = buf_of(rig, mmap, rig->memory + SIZE, 8, 0);

	assert_ok(doca_mmap_destroy(mmap));
	rig->free_in_callback = true;
	expect_invalid(rig, src, target(rig, 0, 8));
	expect_invalid(rig, source(rig, 0, 8), dst);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_source_may_lie_anywhere_in_its_map),
		TEST(nothing_is_read_outside_of_the_map),
		TEST(a_target_stays_in_its_buffer),
		TEST(what_overlaps_is_moved),
		TEST(copies_have_a_longest),
		TEST(buffers_of_destroyed_maps_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
