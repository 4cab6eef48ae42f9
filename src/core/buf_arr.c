/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffer arrays: equal pieces of a memory map for code on a GPU or DPA. Such code is the only user
 * of an array, so without a target none starts.
 */
#define LOG_MODULE "core"
#include "doca_buf_array.h"

#include <stdbool.h>
#include <stdlib.h>
#include "base/log.h"

struct doca_buf_arr {
	size_t count;
	struct doca_mmap *mmap;
	size_t elem_size;
	uint64_t start_offset;
};

doca_error_t doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **buf_arr)
{
	struct doca_buf_arr *arr;

	if (!num_elem || !buf_arr)
		return DOCA_ERROR_INVALID_VALUE;
	arr = calloc(1, sizeof(*arr));
	if (!arr)
		return DOCA_ERROR_NO_MEMORY;
	arr->count = num_elem;
	*buf_arr = arr;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr)
{
	if (!buf_arr)
		return DOCA_ERROR_INVALID_VALUE;
	free(buf_arr);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_set_target_gpu(struct doca_buf_arr *buf_arr, struct doca_gpu *gpu_handler)
{
	if (!buf_arr || !gpu_handler)
		return DOCA_ERROR_INVALID_VALUE;
	LOG_ERR("buffer array: there is no GPU behind a software device");
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_buf_arr_set_target_dpa(struct doca_buf_arr *buf_arr, struct doca_dpa *dpa_handler)
{
	if (!buf_arr || !dpa_handler)
		return DOCA_ERROR_INVALID_VALUE;
	LOG_ERR("buffer array: there is no DPA behind this device");
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, struct doca_mmap *mmap,
				     size_t elem_size, uint64_t start_offset)
{
	if (!buf_arr || !mmap || !elem_size)
		return DOCA_ERROR_INVALID_VALUE;
	buf_arr->mmap = mmap;
	buf_arr->elem_size = elem_size;
	buf_arr->start_offset = start_offset;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr)
{
	if (!buf_arr)
		return DOCA_ERROR_INVALID_VALUE;
	LOG_ERR("buffer array cannot start: no target was set (GPU or DPA)");
	return DOCA_ERROR_BAD_STATE;
}

doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr)
{
	return buf_arr ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_buf_arr_get_gpu_handle(const struct doca_buf_arr *buf_arr,
					 struct doca_gpu_buf_arr **gpu_buf_arr)
{
	if (!buf_arr || !gpu_buf_arr)
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_ERROR_BAD_STATE;
}

doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr,
					 doca_dpa_dev_buf_arr_t *dpa_buf_arr)
{
	if (!buf_arr || !dpa_buf_arr)
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_ERROR_BAD_STATE;
}
