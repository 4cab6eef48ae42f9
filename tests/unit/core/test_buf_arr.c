/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffer arrays: what they need, and what DPA code finds.
 */
#include "memtest.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include "core/mmap.h"
#include "core/mmap_dev.h"
#include "doca_buf_array.h"
#include "doca_dpa_dev_buf.h"

static char memory[64];

static void arguments_are_checked(void **state)
{
	struct doca_mmap *mmap = started_mmap(memory, sizeof(memory));
	struct doca_buf_arr *arr = NULL;
	struct doca_gpu_buf_arr *gpu_arr;
	doca_dpa_dev_buf_arr_t dpa_arr;

	(void)state;
	assert_err(doca_buf_arr_create(0, &arr), INVALID_VALUE);
	assert_err(doca_buf_arr_create(1, NULL), INVALID_VALUE);
	assert_null(arr);
	assert_ok(doca_buf_arr_create(4, &arr));
	assert_err(doca_buf_arr_set_params(arr, mmap, 0, 0), INVALID_VALUE);
	assert_err(doca_buf_arr_set_params(arr, NULL, 1, 0), INVALID_VALUE);
	assert_err(doca_buf_arr_set_params(NULL, mmap, 1, 0), INVALID_VALUE);
	assert_err(doca_buf_arr_set_target_gpu(arr, NULL), INVALID_VALUE);
	assert_err(doca_buf_arr_set_target_dpa(arr, NULL), INVALID_VALUE);
	assert_err(doca_buf_arr_get_gpu_handle(arr, NULL), INVALID_VALUE);
	assert_err(doca_buf_arr_get_dpa_handle(NULL, &dpa_arr), INVALID_VALUE);
	assert_err(doca_buf_arr_get_gpu_handle(NULL, &gpu_arr), INVALID_VALUE);
	assert_err(doca_buf_arr_start(NULL), INVALID_VALUE);
	assert_err(doca_buf_arr_stop(NULL), INVALID_VALUE);
	assert_err(doca_buf_arr_destroy(NULL), INVALID_VALUE);
	assert_ok(doca_buf_arr_destroy(arr));
	assert_ok(doca_mmap_destroy(mmap));
}

/* Nothing of these kinds is looked into; the addresses only have to be some. */
#define GPU ((struct doca_gpu *)memory)
#define DPA ((struct doca_dpa *)memory)

static void without_target_none_starts(void **state)
{
	struct doca_mmap *mmap = started_mmap(memory, sizeof(memory));
	struct doca_buf_arr *arr;
	struct doca_gpu_buf_arr *gpu_arr;
	doca_dpa_dev_buf_arr_t dpa_arr;

	(void)state;
	assert_ok(doca_buf_arr_create(4, &arr));
	assert_ok(doca_buf_arr_set_params(arr, mmap, 16, 0));
	assert_err(doca_buf_arr_set_target_gpu(arr, GPU), NOT_SUPPORTED);
	assert_err(doca_buf_arr_start(arr), BAD_STATE);
	assert_err(doca_buf_arr_get_gpu_handle(arr, &gpu_arr), BAD_STATE);
	assert_err(doca_buf_arr_get_dpa_handle(arr, &dpa_arr), BAD_STATE);
	assert_ok(doca_buf_arr_stop(arr));
	assert_ok(doca_buf_arr_destroy(arr));
	assert_ok(doca_mmap_destroy(mmap));
}

static struct doca_buf_arr *dpa_arr_of(struct doca_mmap *mmap, size_t count, size_t size,
				       uint64_t offset)
{
	struct doca_buf_arr *arr;

	assert_ok(doca_buf_arr_create(count, &arr));
	assert_ok(doca_buf_arr_set_target_dpa(arr, DPA));
	assert_ok(doca_buf_arr_set_params(arr, mmap, size, offset));
	return arr;
}

static void start_needs_memory(void **state)
{
	struct doca_mmap *mmap = started_mmap(memory, sizeof(memory));
	struct doca_buf_arr *arr;

	(void)state;
	assert_ok(doca_buf_arr_create(4, &arr));
	assert_ok(doca_buf_arr_set_target_dpa(arr, DPA));
	assert_err(doca_buf_arr_start(arr), BAD_STATE);
	assert_ok(doca_buf_arr_set_params(arr, mmap, 16, 0));
	assert_ok(doca_mmap_stop(mmap));
	assert_err(doca_buf_arr_start(arr), BAD_STATE);
	assert_ok(doca_mmap_destroy(mmap)); /* the array has it still */
	assert_err(doca_buf_arr_start(arr), BAD_STATE);
	assert_ok(doca_buf_arr_destroy(arr));
}

/* A thread that starts and stops an array as long as it may. */
static atomic_uint starts;

static void *start_again(void *arg)
{
	while (!doca_buf_arr_start(arg)) {
		atomic_fetch_add(&starts, 1);
		doca_buf_arr_stop(arg);
	}
	return NULL;
}

/* A destroyed map has no handle any more, by which DPA code would find freed memory. */
static void destroyed_maps_get_no_handle(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 300; i++) {
		struct doca_buf_arr *arr;
		struct doca_mmap *mmap;
		pthread_t thread;

		assert_ok(doca_mmap_create(&mmap));
		assert_ok(doca_mmap_enable_thread_safety(mmap));
		assert_ok(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
		assert_ok(doca_mmap_start(mmap));
		priv_mmap_hold(mmap); /* to look at it */
		arr = dpa_arr_of(mmap, 1, 8, 0);
		atomic_store(&starts, 0);
		assert_int_equal(pthread_create(&thread, NULL, start_again, arr), 0);
		while (!atomic_load(&starts))
			sched_yield();
		assert_ok(doca_mmap_destroy(mmap));
		pthread_join(thread, NULL);
		assert_int_equal(mmap->dpa_handle, 0);
		assert_ok(doca_buf_arr_destroy(arr));
		priv_mmap_release(mmap);
	}
}

static void the_buffers_lie_within_the_map(void **state)
{
	static const struct {
		size_t count, size;
		uint64_t offset;
	} wrong[] = {
		{4, 17, 0}, {4, 16, 1},		{1, 1, 64},	      {1, 65, 0},
		{1, 1, 65}, {1, 1, UINT64_MAX}, {SIZE_MAX / 2, 4, 0}, {SIZE_MAX, 1, 0},
	};
	struct doca_mmap *mmap = started_mmap(memory, sizeof(memory));
	struct doca_buf_arr *arr;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		arr = dpa_arr_of(mmap, wrong[i].count, wrong[i].size, wrong[i].offset);
		assert_err(doca_buf_arr_start(arr), INVALID_VALUE);
		assert_ok(doca_buf_arr_destroy(arr));
	}
	arr = dpa_arr_of(mmap, 63, 1, 1);
	assert_ok(doca_buf_arr_start(arr));
	assert_ok(doca_buf_arr_destroy(arr));
	assert_ok(doca_mmap_destroy(mmap));
}

static void dpa_code_finds_the_buffers(void **state)
{
	struct doca_mmap *mmap = started_mmap(memory, sizeof(memory));
	struct doca_buf_arr *arr = dpa_arr_of(mmap, 3, 16, 8);
	doca_dpa_dev_buf_arr_t handle = 0;
	doca_dpa_dev_buf_t buf;
	void *ptr;

	(void)state;
	assert_ok(doca_buf_arr_start(arr));
	assert_ok(doca_buf_arr_get_dpa_handle(arr, &handle));
	assert_int_equal(handle % 64, 0);
	for (unsigned int i = 0; i < 3; i++) {
		buf = doca_dpa_dev_buf_array_get_buf(handle, i);
		assert_int_equal(doca_dpa_dev_buf_get_addr(buf), (uintptr_t)memory + 8 + 16 * i);
		assert_int_equal(doca_dpa_dev_buf_get_len(buf), 16);
		assert_ok(priv_mmap_dev_ptr(doca_dpa_dev_buf_get_mmap(buf),
					    doca_dpa_dev_buf_get_addr(buf), 16, true, &ptr));
	}
	assert_ok(doca_mmap_stop(mmap));
	assert_err(
		priv_mmap_dev_ptr(doca_dpa_dev_buf_get_mmap(buf), (uintptr_t)memory, 1, true, &ptr),
		NOT_FOUND);
	assert_ok(doca_buf_arr_destroy(arr));
	assert_ok(doca_mmap_destroy(mmap));
}

/* DPA code may notice late; sanitizers see a use after the end. */
static void who_looks_late_finds_no_memory(void **state)
{
	struct doca_mmap *mmap = started_mmap(memory, sizeof(memory));
	struct doca_buf_arr *arr = dpa_arr_of(mmap, 4, 16, 0), *other;
	doca_dpa_dev_buf_arr_t handle = 0;
	doca_dpa_dev_buf_t buf;
	void *ptr;

	(void)state;
	assert_ok(doca_buf_arr_start(arr));
	assert_ok(doca_buf_arr_get_dpa_handle(arr, &handle));
	assert_ok(doca_buf_arr_destroy(arr));
	buf = doca_dpa_dev_buf_array_get_buf(handle, 3);
	assert_int_equal(doca_dpa_dev_buf_get_len(buf), 0);
	assert_err(priv_mmap_dev_ptr(doca_dpa_dev_buf_get_mmap(buf), doca_dpa_dev_buf_get_addr(buf),
				     16, true, &ptr),
		   NOT_FOUND);
	other = dpa_arr_of(mmap, 3, 8, 0);
	for (unsigned int i = 0; i < 100; i++) { /* There is memory for one of them. */
		doca_dpa_dev_buf_arr_t again = 0;

		assert_ok(doca_buf_arr_start(other));
		assert_ok(doca_buf_arr_get_dpa_handle(other, &again));
		assert_int_equal(again, handle);
		assert_ok(doca_buf_arr_stop(other));
	}
	assert_ok(doca_buf_arr_destroy(other));
	assert_ok(doca_mmap_destroy(mmap));
}

static void a_started_array_is_fixed(void **state)
{
	struct doca_mmap *mmap = started_mmap(memory, sizeof(memory));
	struct doca_buf_arr *arr = dpa_arr_of(mmap, 4, 16, 0);
	doca_dpa_dev_buf_arr_t handle;

	(void)state;
	assert_ok(doca_buf_arr_start(arr));
	assert_err(doca_buf_arr_start(arr), BAD_STATE);
	assert_err(doca_buf_arr_set_params(arr, mmap, 8, 0), BAD_STATE);
	assert_err(doca_buf_arr_set_target_dpa(arr, DPA), BAD_STATE);
	assert_err(doca_buf_arr_set_target_gpu(arr, GPU), BAD_STATE);
	assert_ok(doca_buf_arr_stop(arr));
	assert_err(doca_buf_arr_get_dpa_handle(arr, &handle), BAD_STATE);
	assert_ok(doca_buf_arr_set_params(arr, mmap, 8, 0));
	assert_ok(doca_buf_arr_start(arr));
	assert_ok(doca_buf_arr_get_dpa_handle(arr, &handle));
	assert_int_equal(doca_dpa_dev_buf_get_len(doca_dpa_dev_buf_array_get_buf(handle, 3)), 8);
	assert_ok(doca_buf_arr_destroy(arr));
	assert_ok(doca_mmap_destroy(mmap));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_are_checked),
		cmocka_unit_test(without_target_none_starts),
		cmocka_unit_test(start_needs_memory),
		cmocka_unit_test(destroyed_maps_get_no_handle),
		cmocka_unit_test(the_buffers_lie_within_the_map),
		cmocka_unit_test(dpa_code_finds_the_buffers),
		cmocka_unit_test(who_looks_late_finds_no_memory),
		cmocka_unit_test(a_started_array_is_fixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
