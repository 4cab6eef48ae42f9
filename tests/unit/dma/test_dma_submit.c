/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DMA: what a program does with buffers between the submit and the callback is not seen.
 */
#include "core/pe.h"
#include "dmatest.h"

#include <malloc.h>

/* As on a card: programs wait for what the other side does then. */
static void memory_changes_without_progress(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *dst = NULL;

	rig->free_in_callback = true;
	for (size_t i = 0; i < 2; i++) {
		dst = target(rig, i * MIB / 2, MIB / 2);
		assert_ok(doca_task_submit(
			new_task(rig, source(rig, i * MIB / 2, MIB / 2), dst, i + 1)));
	}
	expect_copy(rig, 0, 0, MIB);
	assert_int_equal(data_len(dst), 0); /* until the callback */
	progress(rig);
	assert_int_equal(rig->order, 12);
	assert_int_equal(data_len(dst), MIB / 2);
	expect_copy(rig, 0, 0, MIB);
}

/* A submit does not take long; and what cannot be copied yet is not overtaken. */
static void but_only_so_much_and_in_order(void **state)
{
	struct rig *rig = *state;

	rig->free_in_callback = true;
	assert_ok(doca_task_submit(new_task(rig, source(rig, 0, 8), target(rig, 0, 8), 1)));
	assert_ok(doca_task_submit(new_task(rig, source(rig, MIB, MIB), target(rig, MIB, MIB), 2)));
	assert_ok(doca_task_submit(new_task(rig, source(rig, 8, 8), target(rig, 8, 8), 3)));
	expect_copy(rig, 0, 0, 8);
	assert_int_equal(rig->memory[SIZE + 2 * MIB - 1], 0);
	assert_int_equal(rig->memory[SIZE + 8], 0);
	progress(rig);
	assert_int_equal(rig->order, 123);
	expect_copy(rig, MIB, MIB, MIB);
	/* nothing is before it, and the poll has given back how much may be copied */
	assert_ok(
		doca_task_submit(new_task(rig, source(rig, 0, MIB), target(rig, 2 * MIB, MIB), 4)));
	expect_copy(rig, 0, 2 * MIB, MIB);
	progress(rig);
}

/* It stops the context in its turn: what is behind it is not copied, also not at once. */
static void nothing_is_copied_behind_a_refused_one(void **state)
{
	struct rig *rig = *state;

	rig->free_in_callback = true;
	assert_ok(doca_task_submit(new_task(rig, source(rig, 0, 8), target(rig, 0, 4), 1)));
	assert_ok(doca_task_submit(new_task(rig, source(rig, 8, 8), target(rig, 8, 8), 2)));
	assert_int_equal(rig->memory[SIZE + 8], 0);
	progress(rig);
	assert_int_equal(rig->failed, 2);
	assert_int_equal(rig->order, 12);
	assert_int_equal(rig->memory[SIZE + 8], 0);
}

/* The program changes one of the buffers of a copy that takes several rounds, after the first. */
static void expect_all(struct rig *rig, struct doca_buf *src, struct doca_buf *dst,
		       struct doca_buf *changed, size_t data_size)
{
	struct doca_task *task = new_task(rig, src, dst, 1);

	assert_ok(doca_task_submit(task));
	doca_pe_progress(rig->pe);
	assert_int_equal(rig->done, 0);
	assert_ok(doca_buf_set_data_len(changed, data_size));
	progress(rig);
	assert_int_equal(rig->done, 1);
	assert_int_equal(data_len(dst), SIZE);
	expect_copy(rig, 0, 0, SIZE);
	doca_task_free(task);
}

static void a_source_may_be_shortened_after_the_submit(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *src = source(rig, 0, SIZE);

	expect_all(rig, src, target(rig, 0, SIZE), src, 10);
}

static void or_have_data_beyond_the_buffer(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *src = source(rig, 0, SIZE);

	expect_all(rig, src, target(rig, 0, SIZE), src, (size_t)1 << 40);
}

static void or_its_target_be_filled(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *dst = target(rig, 0, SIZE);

	expect_all(rig, source(rig, 0, SIZE), dst, dst, SIZE);
}

static void aim(struct rig *rig, struct doca_buf *src, struct doca_buf *dst, size_t at)
{
	assert_ok(doca_buf_set_data(src, rig->memory + at, 100));
	assert_ok(doca_buf_set_data(dst, rig->memory + SIZE + at, 0));
}

/* Programs keep two buffers and aim them at what is to be copied next. */
static void buffers_may_be_aimed_elsewhere_after_the_submit(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *src = source(rig, 0, SIZE), *dst = target(rig, 0, SIZE);
	struct doca_task *tasks[3];

	for (size_t i = 0; i < 3; i++) {
		aim(rig, src, dst, i * 100);
		tasks[i] = new_task(rig, src, dst, i + 1);
		assert_ok(doca_task_submit(tasks[i]));
	}
	progress(rig);
	assert_int_equal(rig->order, 123);
	assert_int_equal(rig->done, 3);
	expect_copy(rig, 0, 0, 300);
	for (int i = 0; i < 3; i++)
		doca_task_free(tasks[i]);
}

/* What has come to where it was aimed before is no data of where it is aimed now. */
static void only_what_came_there_is_counted(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *src = source(rig, 0, SIZE), *dst = target(rig, 0, SIZE);
	struct doca_task *tasks[2];

	for (size_t i = 0; i < 2; i++) {
		aim(rig, src, dst, i * 100);
		progress(rig); /* the first one ends while its buffer is aimed elsewhere */
		assert_int_equal(data_len(dst), 0);
		tasks[i] = new_task(rig, src, dst, i + 1);
		assert_ok(doca_task_submit(tasks[i]));
	}
	progress(rig);
	assert_int_equal(rig->done, 2);
	assert_int_equal(data_len(dst), 100);
	expect_copy(rig, 0, 0, 200);
	for (int i = 0; i < 2; i++)
		doca_task_free(tasks[i]);
}

static void lists_may_be_taken_apart_after_the_submit(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *src = source(rig, 0, 30), *more = source(rig, 30, 50);
	struct doca_buf *dst = target(rig, 0, 10), *rest = target(rig, 10, 70);
	struct doca_task *task;

	assert_ok(doca_buf_chain_list(src, more));
	assert_ok(doca_buf_chain_list(dst, rest));
	task = new_task(rig, src, dst, 1);
	assert_ok(doca_task_submit(task));
	assert_ok(doca_buf_unchain_list(src, more));
	assert_ok(doca_buf_unchain_list(dst, rest));
	progress(rig);
	assert_int_equal(rig->done, 1);
	expect_copy(rig, 0, 0, 80);
	assert_int_equal(data_len(dst), 10);
	doca_task_free(task);
}

/* What a list takes is kept for the next one. A sanitizer's heap tells nothing of it. */
static void a_second_list_takes_no_memory(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *src = source(rig, 0, 10), *dst = target(rig, 0, 100);
	struct doca_task *task = new_task(rig, src, dst, 1);
	size_t before;

	for (size_t i = 1; i < 60; i++) /* more than the heap has at hand */
		assert_ok(doca_buf_chain_list(src, source(rig, 10 * i, 1)));
	assert_ok(doca_task_submit(task));
	progress(rig);
	assert_int_equal(rig->done, 1);
	assert_ok(doca_buf_reset_data_len(dst));
	before = mallinfo2().uordblks;
	assert_ok(doca_task_submit(task));
	assert_int_equal(mallinfo2().uordblks, before);
	progress(rig);
	assert_int_equal(rig->done, 2);
	assert_int_equal(data_len(dst), 69);
	doca_task_free(task);
}

/* A thread-safe map may be destroyed with buffers out, and here one of them has gone before. */
static void an_element_and_its_map_may_go_after_the_submit(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *src = source(rig, 0, SIZE / 2), *dst = target(rig, 0, SIZE), *more;
	char *memory = calloc(1, SIZE / 2);
	struct doca_mmap *mmap;
	struct doca_task *task;

	assert_ok(doca_mmap_create(&mmap));
	assert_ok(doca_mmap_enable_thread_safety(mmap));
	assert_ok(doca_mmap_set_memrange(mmap, memory, SIZE / 2));
	assert_ok(doca_mmap_start(mmap));
	assert_ok(
		doca_buf_inventory_buf_get_by_data(rig->inventory, mmap, memory, SIZE / 2, &more));
	assert_ok(doca_buf_chain_list(src, more));
	task = new_task(rig, src, dst, 1);
	assert_ok(doca_task_submit(task));
	doca_pe_progress(rig->pe); /* not to its end */
	assert_ok(doca_buf_unchain_list(src, more));
	assert_ok(doca_buf_dec_refcount(more, NULL));
	assert_ok(doca_mmap_destroy(mmap));
	free(memory);
	progress(rig);
	assert_int_equal(rig->failed, 1);
	assert_err(rig->status, IO_FAILED);
	doca_task_free(task);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(memory_changes_without_progress),
		TEST(but_only_so_much_and_in_order),
		TEST(nothing_is_copied_behind_a_refused_one),
		TEST(a_source_may_be_shortened_after_the_submit),
		TEST(or_have_data_beyond_the_buffer),
		TEST(or_its_target_be_filled),
		TEST(buffers_may_be_aimed_elsewhere_after_the_submit),
		TEST(only_what_came_there_is_counted),
		TEST(lists_may_be_taken_apart_after_the_submit),
		TEST(a_second_list_takes_no_memory),
		TEST(an_element_and_its_map_may_go_after_the_submit),
	};

	priv_pe_work_on_ticks = 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
