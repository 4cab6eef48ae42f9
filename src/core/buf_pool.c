/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffer pools: equal pieces of one memory map, each with its buffer.
 */
#define LOG_MODULE "core"
#include "doca_buf_pool.h"

#include <stdbool.h>
#include <stdlib.h>
#include "base/log.h"
#include "base/pow2.h"
#include "core/buf.h"

struct doca_buf_pool {
	struct buf_store store;
	struct doca_mmap *mmap;
	size_t element_size;
	size_t alignment;
	char *first;   /* of the elements; set by start */
	size_t stride; /* from one to the next */
	bool started;
	union doca_data user_data;
};

doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size,
				  const struct doca_mmap *mmap, struct doca_buf_pool **buf_pool)
{
	struct doca_buf_pool *pool;
	doca_error_t err;

	if (!num_elements || !element_size || !mmap || !buf_pool)
		return DOCA_ERROR_INVALID_VALUE;
	if (num_elements > UINT32_MAX)
		return DOCA_ERROR_NO_MEMORY;
	pool = calloc(1, sizeof(*pool));
	if (!pool)
		return DOCA_ERROR_NO_MEMORY;
	err = buf_store_grow(&pool->store, (uint32_t)num_elements);
	if (err) {
		free(pool);
		return err;
	}
	pool->store.fixed = true;
	pool->mmap = (struct doca_mmap *)mmap; /* its buffers are counted */
	priv_mmap_hold(pool->mmap);
	pool->element_size = element_size;
	pool->alignment = 1;
	*buf_pool = pool;
	return DOCA_SUCCESS;
}

/* what: the program wants it to be. IN_USE: buffers of it are out */
static doca_error_t check_unused(const struct doca_buf_pool *pool, const char *what)
{
	uint32_t out = pool->store.count - pool->store.free_count;

	if (!out)
		return DOCA_SUCCESS;
	LOG_ERR("buffer pool %p cannot be %s: %u buffers of it are out", (const void *)pool, what,
		out);
	return DOCA_ERROR_IN_USE;
}

doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *buf_pool)
{
	if (!buf_pool)
		return DOCA_ERROR_INVALID_VALUE;
	if (check_unused(buf_pool, "destroyed"))
		return DOCA_ERROR_IN_USE;
	buf_store_fini(&buf_pool->store);
	priv_mmap_release(buf_pool->mmap);
	free(buf_pool);
	return DOCA_SUCCESS;
}

static size_t align_up(size_t value, size_t alignment)
{
	return (value + alignment - 1) & ~(alignment - 1);
}

/* Cuts the map into elements. INITIALIZATION: it is too small. */
static doca_error_t lay_out(struct doca_buf_pool *pool)
{
	const uintptr_t start = (uintptr_t)pool->mmap->addr;
	const size_t skip = align_up(start, pool->alignment) - start;
	const size_t stride = align_up(pool->element_size, pool->alignment);
	size_t needed;

	if (stride < pool->element_size || skip > pool->mmap->len ||
	    __builtin_mul_overflow(stride, pool->store.count - 1, &needed) ||
	    __builtin_add_overflow(needed, pool->element_size, &needed) ||
	    needed > pool->mmap->len - skip) {
		LOG_ERR("%u elements of %zu bytes aligned to %zu do not fit into a map of %zu",
			pool->store.count, pool->element_size, pool->alignment, pool->mmap->len);
		return DOCA_ERROR_INITIALIZATION;
	}
	pool->first = pool->mmap->addr + skip;
	pool->stride = stride;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_start(struct doca_buf_pool *buf_pool)
{
	doca_error_t err;

	if (!buf_pool)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_pool->started)
		return DOCA_SUCCESS;
	if (!mmap_is_started(buf_pool->mmap)) {
		LOG_ERR("buffer pool cannot start: its memory map is not started");
		return DOCA_ERROR_BAD_STATE;
	}
	err = lay_out(buf_pool);
	if (err)
		return err;
	buf_pool->started = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_stop(struct doca_buf_pool *buf_pool)
{
	if (!buf_pool)
		return DOCA_ERROR_INVALID_VALUE;
	if (check_unused(buf_pool, "stopped"))
		return DOCA_ERROR_IN_USE;
	buf_pool->started = false;
	return DOCA_SUCCESS;
}

/* Not as an error, for a program may go on without. */
static __attribute__((cold)) doca_error_t refuse_state(const struct doca_buf_pool *pool)
{
	LOG_DBG("no buffer of a pool: %s is not started", pool->started ? "its memory map" : "it");
	return DOCA_ERROR_BAD_STATE;
}

doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *buf_pool, struct doca_buf **buf)
{
	struct doca_buf *new_buf;

	if (doca_unlikely(!buf_pool || !buf))
		return DOCA_ERROR_INVALID_VALUE;
	if (doca_unlikely(!buf_pool->started || !mmap_is_started(buf_pool->mmap)))
		return refuse_state(buf_pool);
	if (doca_unlikely(!buf_store_has_free(&buf_pool->store)))
		return DOCA_ERROR_EMPTY;
	new_buf = buf_store_pop(&buf_pool->store);
	buf_init(new_buf, buf_pool->mmap, buf_pool->first + new_buf->index * buf_pool->stride,
		 buf_pool->element_size);
	*buf = new_buf;
	mmap_ref_buf(buf_pool->mmap);
	return DOCA_SUCCESS;
}

/*
 * Attributes
 */

/* Is it too late to change it? */
static bool is_fixed(const struct doca_buf_pool *pool)
{
	if (pool->started)
		LOG_ERR("buffer pool cannot be changed: it is started");
	return pool->started;
}

doca_error_t doca_buf_pool_set_user_data(struct doca_buf_pool *buf_pool, union doca_data user_data)
{
	if (!buf_pool)
		return DOCA_ERROR_INVALID_VALUE;
	if (is_fixed(buf_pool))
		return DOCA_ERROR_BAD_STATE;
	buf_pool->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_user_data(const struct doca_buf_pool *buf_pool,
					 union doca_data *user_data)
{
	if (!buf_pool || !user_data)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = buf_pool->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_set_element_alignment(struct doca_buf_pool *buf_pool,
						 size_t element_alignment)
{
	if (!buf_pool || !is_pow2(element_alignment))
		return DOCA_ERROR_INVALID_VALUE;
	if (is_fixed(buf_pool))
		return DOCA_ERROR_BAD_STATE;
	buf_pool->alignment = element_alignment;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_element_alignment(const struct doca_buf_pool *buf_pool,
						 size_t *element_alignment)
{
	if (!buf_pool || !element_alignment)
		return DOCA_ERROR_INVALID_VALUE;
	*element_alignment = buf_pool->alignment;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_num_elements(const struct doca_buf_pool *buf_pool,
					    uint32_t *num_of_elements)
{
	if (!buf_pool || !num_of_elements)
		return DOCA_ERROR_INVALID_VALUE;
	*num_of_elements = buf_pool->store.count;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_num_free_elements(const struct doca_buf_pool *buf_pool,
						 uint32_t *num_of_free_elements)
{
	if (!buf_pool || !num_of_free_elements)
		return DOCA_ERROR_INVALID_VALUE;
	*num_of_free_elements = buf_pool->store.free_count;
	return DOCA_SUCCESS;
}
