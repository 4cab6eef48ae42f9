/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffer array: buffers that are handed to code on a device as a whole.
 */
#ifndef DOCA_BUF_ARRAY_H_
#define DOCA_BUF_ARRAY_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <softfield_dpa_handles.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dpa;
struct doca_gpu;
struct doca_mmap;

/** An array of buffers. */
struct doca_buf_arr;

/** How GPU code names an array. */
struct doca_gpu_buf_arr;

/**
 * @brief Creates an array.
 *
 * @param [in] num_elem buffers in it, at least 1.
 * @param [out] buf_arr the array; give it back with doca_buf_arr_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf_arr is NULL, or num_elem is 0
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 *
 * Any thread. Source: spec core 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **buf_arr);

/**
 * @brief Destroys an array, stopping it first. Its handles are invalid from then on.
 *
 * @param [in] buf_arr the array.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf_arr is NULL
 *
 * One thread at a time for an array. Source: spec core 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr);

/**
 * @brief Declares that an array is for a GPU. There is no GPU here.
 *
 * @param [in] buf_arr the array, not started.
 * @param [in] gpu_handler the GPU.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the array is started
 * - DOCA_ERROR_NOT_SUPPORTED: always
 *
 * One thread at a time for an array. Source: spec core 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_target_gpu(struct doca_buf_arr *buf_arr,
					 struct doca_gpu *gpu_handler);

/**
 * @brief Declares that an array is for a DPA.
 *
 * @param [in] buf_arr the array, not started.
 * @param [in] dpa_handler the DPA.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the array is started
 *
 * One thread at a time for an array. Source: spec core 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_target_dpa(struct doca_buf_arr *buf_arr,
					 struct doca_dpa *dpa_handler);

/**
 * @brief Sets which memory the buffers are: elem_size bytes each, one after the other.
 *
 * @param [in] buf_arr the array, not started.
 * @param [in] mmap the map. Without it, or when it is stopped, the buffers are no use.
 * @param [in] elem_size bytes of each buffer, at least 1.
 * @param [in] start_offset where in the map the first one starts.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or elem_size is 0
 * - DOCA_ERROR_BAD_STATE: the array is started
 *
 * One thread at a time for an array. Source: spec core 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, struct doca_mmap *mmap,
				     size_t elem_size, uint64_t start_offset);

/**
 * @brief Starts an array: its handles can be obtained.
 *
 * Buffers of a map from doca_mmap_create_from_export() can be copied by DPA code, and not reached
 * otherwise.
 *
 * @param [in] buf_arr the array.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf_arr is NULL, or the buffers do not fit into the map
 * - DOCA_ERROR_BAD_STATE: it has no target or no memory, its map is not started, or it is started
 *   already
 * - DOCA_ERROR_NO_MEMORY: no memory for the buffers, or 65535 maps are known to DPA code already
 *
 * One thread at a time for an array. Source: spec core 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr);

/**
 * @brief Stops an array, so that it can be configured anew. Its handles are invalid from then on.
 *
 * @param [in] buf_arr the array.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf_arr is NULL
 *
 * One thread at a time for an array. Source: spec core 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr);

/**
 * @brief How GPU code names an array.
 *
 * @param [in] buf_arr the array, started.
 * @param [out] gpu_buf_arr the handle.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the array is not started, or not for a GPU
 *
 * One thread at a time for an array. Source: spec core 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_get_gpu_handle(const struct doca_buf_arr *buf_arr,
					 struct doca_gpu_buf_arr **gpu_buf_arr);

/**
 * @brief How DPA code names an array.
 *
 * @param [in] buf_arr the array, started.
 * @param [out] dpa_buf_arr the handle; DPA code finds a buffer with
 *        doca_dpa_dev_buf_array_get_buf(). Valid until the array is stopped.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the array is not started, or not for a DPA
 *
 * One thread at a time for an array. Source: spec core 7, spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr,
					 doca_dpa_dev_buf_arr_t *dpa_buf_arr);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_BUF_ARRAY_H_ */
