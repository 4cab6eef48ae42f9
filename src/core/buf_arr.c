/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffer arrays: equal pieces of a memory map for code on a GPU or DPA. Such code is the only user
 * of an array, so without a target none starts. DPA code reads and writes the structures that are
 * made here as it likes, also late; they are not looked at again.
 */
#define LOG_MODULE "core"
#include "doca_buf_array.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "core/dpa_memory.h"
#include "core/mmap.h"
#include "core/mmap_dev.h"
#include "doca_dpa_dev_buf.h"

static_assert(sizeof(struct doca_dpa_dev_buf) == 32, "what programs are compiled with");
static_assert(offsetof(struct doca_dpa_dev_buf, len) == 8, "what programs are compiled with");
static_assert(offsetof(struct doca_dpa_dev_buf, mmap) == 16, "what programs are compiled with");
static_assert(sizeof(struct doca_dpa_dev_buf_arr) == DPA_MEMORY_HEAD,
	      "what programs are compiled with");

struct doca_buf_arr {
	size_t count;
	struct doca_mmap *mmap; /* held; NULL: not set */
	size_t elem_size;
	uint64_t start_offset;
	bool is_for_dpa;
	struct doca_dpa_dev_buf_arr *dev; /* while started: its buffers are the array behind it */
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
	doca_buf_arr_stop(buf_arr);
	if (buf_arr->mmap)
		priv_mmap_release(buf_arr->mmap);
	free(buf_arr);
	return DOCA_SUCCESS;
}

/* so that it can be neither changed nor started */
static bool is_started(const struct doca_buf_arr *arr)
{
	if (arr->dev)
		LOG_ERR("buffer array cannot be changed or started: it is started");
	return arr->dev;
}

doca_error_t doca_buf_arr_set_target_gpu(struct doca_buf_arr *buf_arr, struct doca_gpu *gpu_handler)
{
	if (!buf_arr || !gpu_handler)
		return DOCA_ERROR_INVALID_VALUE;
	if (is_started(buf_arr))
		return DOCA_ERROR_BAD_STATE;
	LOG_ERR("buffer array: there is no GPU behind a software device");
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_buf_arr_set_target_dpa(struct doca_buf_arr *buf_arr, struct doca_dpa *dpa_handler)
{
	if (!buf_arr || !dpa_handler)
		return DOCA_ERROR_INVALID_VALUE;
	if (is_started(buf_arr))
		return DOCA_ERROR_BAD_STATE;
	buf_arr->is_for_dpa = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, struct doca_mmap *mmap,
				     size_t elem_size, uint64_t start_offset)
{
	if (!buf_arr || !mmap || !elem_size)
		return DOCA_ERROR_INVALID_VALUE;
	if (is_started(buf_arr))
		return DOCA_ERROR_BAD_STATE;
	priv_mmap_hold(mmap);
	if (buf_arr->mmap)
		priv_mmap_release(buf_arr->mmap);
	buf_arr->mmap = mmap;
	buf_arr->elem_size = elem_size;
	buf_arr->start_offset = start_offset;
	return DOCA_SUCCESS;
}

static doca_error_t check_start(const struct doca_buf_arr *arr)
{
	size_t size;

	if (!arr->is_for_dpa) {
		LOG_ERR("buffer array cannot start: no target was set (GPU or DPA)");
		return DOCA_ERROR_BAD_STATE;
	}
	if (!arr->mmap || !mmap_is_started(arr->mmap)) {
		LOG_ERR("buffer array cannot start: %s",
			arr->mmap ? "its memory map is not started"
				  : "no memory was set, see doca_buf_arr_set_params()");
		return DOCA_ERROR_BAD_STATE;
	}
	if (__builtin_mul_overflow(arr->count, arr->elem_size, &size) ||
	    arr->start_offset > arr->mmap->len || size > arr->mmap->len - arr->start_offset) {
		LOG_ERR("buffer array cannot start: %zu buffers of %zu bytes from offset %llu on "
			"do not fit into a memory map of %zu",
			arr->count, arr->elem_size, (unsigned long long)arr->start_offset,
			arr->mmap->len);
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

static struct doca_dpa_dev_buf_arr *alloc_dev(size_t count)
{
	struct doca_dpa_dev_buf_arr *dev;
	size_t size;

	if (__builtin_mul_overflow(count, sizeof(struct doca_dpa_dev_buf), &size))
		return NULL;
	dev = priv_dpa_memory_take(DPA_MEMORY_BUFS, size);
	if (!dev)
		return NULL;
	*dev = (struct doca_dpa_dev_buf_arr){.bufs = (struct doca_dpa_dev_buf *)(dev + 1)};
	return dev;
}

/* Who still looks there finds buffers of no memory map. */
static void free_dev(struct doca_dpa_dev_buf_arr *dev, size_t count)
{
	memset(dev + 1, 0, count * sizeof(struct doca_dpa_dev_buf));
	priv_dpa_memory_give(dev);
}

doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr)
{
	struct doca_dpa_dev_buf_arr *dev;
	doca_dpa_dev_mmap_t handle;
	doca_error_t err;

	if (!buf_arr)
		return DOCA_ERROR_INVALID_VALUE;
	if (is_started(buf_arr))
		return DOCA_ERROR_BAD_STATE;
	err = check_start(buf_arr);
	if (err)
		return err;
	dev = alloc_dev(buf_arr->count);
	if (!dev)
		return DOCA_ERROR_NO_MEMORY;
	pthread_mutex_lock(&buf_arr->mmap->lock);
	/* a thread-safe one may have been destroyed meanwhile */
	err = mmap_is_started(buf_arr->mmap) ? mmap_dev_handle(buf_arr->mmap, &handle)
					     : DOCA_ERROR_BAD_STATE;
	pthread_mutex_unlock(&buf_arr->mmap->lock);
	if (err) {
		free_dev(dev, 0);
		return err;
	}
	for (size_t i = 0; i < buf_arr->count; i++)
		dev->bufs[i] = (struct doca_dpa_dev_buf){
			.addr = (uintptr_t)buf_arr->mmap->addr + buf_arr->start_offset +
				i * buf_arr->elem_size,
			.len = buf_arr->elem_size,
			.mmap = handle,
		};
	buf_arr->dev = dev;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr)
{
	if (!buf_arr)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_arr->dev)
		free_dev(buf_arr->dev, buf_arr->count);
	buf_arr->dev = NULL;
	return DOCA_SUCCESS;
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
	if (!buf_arr->dev) {
		LOG_ERR("buffer array has no handle for DPA code: it is not started");
		return DOCA_ERROR_BAD_STATE;
	}
	*dpa_buf_arr = (uintptr_t)buf_arr->dev;
	return DOCA_SUCCESS;
}
