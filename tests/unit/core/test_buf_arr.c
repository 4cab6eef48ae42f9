/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffer arrays: configured, but there is nothing to hand them to.
 */
#include "memtest.h"
#include "doca_buf_array.h"

static char memory[64];

static void arguments_are_checked(void **state)
{
	struct doca_mmap *mmap = started_mmap(memory, sizeof(memory));
	struct doca_buf_arr *arr = NULL;
	struct doca_gpu_buf_arr *gpu_arr;
	doca_dpa_dev_buf_arr_t dpa_arr;

	(void)state;
	assert_error(doca_buf_arr_create(0, &arr), INVALID_VALUE);
	assert_error(doca_buf_arr_create(1, NULL), INVALID_VALUE);
	assert_null(arr);
	assert_ok(doca_buf_arr_create(4, &arr));
	assert_error(doca_buf_arr_set_params(arr, mmap, 0, 0), INVALID_VALUE);
	assert_error(doca_buf_arr_set_params(arr, NULL, 1, 0), INVALID_VALUE);
	assert_error(doca_buf_arr_set_params(NULL, mmap, 1, 0), INVALID_VALUE);
	assert_error(doca_buf_arr_set_target_gpu(arr, NULL), INVALID_VALUE);
	assert_error(doca_buf_arr_set_target_dpa(arr, NULL), INVALID_VALUE);
	assert_error(doca_buf_arr_get_gpu_handle(arr, NULL), INVALID_VALUE);
	assert_error(doca_buf_arr_get_dpa_handle(NULL, &dpa_arr), INVALID_VALUE);
	assert_error(doca_buf_arr_get_gpu_handle(NULL, &gpu_arr), INVALID_VALUE);
	assert_error(doca_buf_arr_start(NULL), INVALID_VALUE);
	assert_error(doca_buf_arr_stop(NULL), INVALID_VALUE);
	assert_error(doca_buf_arr_destroy(NULL), INVALID_VALUE);
	assert_ok(doca_buf_arr_destroy(arr));
	assert_ok(doca_mmap_destroy(mmap));
}

static void without_target_none_starts(void **state)
{
	struct doca_mmap *mmap = started_mmap(memory, sizeof(memory));
	struct doca_buf_arr *arr;
	struct doca_gpu_buf_arr *gpu_arr;
	doca_dpa_dev_buf_arr_t dpa_arr;

	(void)state;
	assert_ok(doca_buf_arr_create(4, &arr));
	assert_ok(doca_buf_arr_set_params(arr, mmap, 16, 0));
	/* Nothing of this kind exists; the address only has to be one. */
	assert_error(doca_buf_arr_set_target_gpu(arr, (struct doca_gpu *)memory), NOT_SUPPORTED);
	assert_error(doca_buf_arr_set_target_dpa(arr, (struct doca_dpa *)memory), NOT_SUPPORTED);
	assert_error(doca_buf_arr_start(arr), BAD_STATE);
	assert_error(doca_buf_arr_get_gpu_handle(arr, &gpu_arr), BAD_STATE);
	assert_error(doca_buf_arr_get_dpa_handle(arr, &dpa_arr), BAD_STATE);
	assert_ok(doca_buf_arr_stop(arr));
	assert_ok(doca_buf_arr_destroy(arr));
	assert_ok(doca_mmap_destroy(mmap));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_are_checked),
		cmocka_unit_test(without_target_none_starts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
