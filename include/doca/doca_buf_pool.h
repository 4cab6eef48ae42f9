/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffer pool: buffers of one size, cut out of one memory map.
 */
#ifndef DOCA_BUF_POOL_H_
#define DOCA_BUF_POOL_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_compat.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_mmap;

/** A pool of buffers. */
struct doca_buf_pool;

/**
 * @brief Creates a pool.
 *
 * @param [in] num_elements buffers in it, at least 1.
 * @param [in] element_size bytes of each, at least 1.
 * @param [in] mmap the map they are cut out of, from its start on.
 * @param [out] buf_pool the pool; give it back with doca_buf_pool_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or a number is 0
 * - DOCA_ERROR_NO_MEMORY: no memory for the buffers
 *
 * Any thread. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size,
				  const struct doca_mmap *mmap, struct doca_buf_pool **buf_pool);

/**
 * @brief Destroys a pool, stopping it first.
 *
 * @param [in] buf_pool the pool.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf_pool is NULL
 * - DOCA_ERROR_IN_USE: buffers are out; nothing has happened
 *
 * One thread at a time for a pool and its buffers. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *buf_pool);

/**
 * @brief Cuts the buffers out of the map. Starting a started pool changes nothing.
 *
 * @param [in] buf_pool the pool.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf_pool is NULL
 * - DOCA_ERROR_INITIALIZATION: the map is too small for that many buffers of that size and
 *   alignment
 * - DOCA_ERROR_BAD_STATE: the map is not started
 *
 * One thread at a time for a pool and its buffers. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_start(struct doca_buf_pool *buf_pool);

/**
 * @brief Lets a pool give no more buffers out, so that it can be configured anew.
 *
 * @param [in] buf_pool the pool.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf_pool is NULL
 * - DOCA_ERROR_IN_USE: buffers are out; nothing has happened
 *
 * One thread at a time for a pool and its buffers. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_stop(struct doca_buf_pool *buf_pool);

/**
 * @brief Gives out a buffer, without data.
 *
 * @param [in] buf_pool the pool, started.
 * @param [out] buf the buffer, with one reference; doca_buf_dec_refcount() returns it to the pool.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the pool is not started
 * - DOCA_ERROR_EMPTY: all buffers are out
 *
 * One thread at a time for a pool and its buffers. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *buf_pool, struct doca_buf **buf);

/**
 * @brief Sets what the addresses of the buffers are multiples of. 1 unless set.
 *
 * @param [in] buf_pool the pool, not started.
 * @param [in] element_alignment a power of two.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf_pool is NULL, or the number is no power of two
 * - DOCA_ERROR_BAD_STATE: the pool is started
 *
 * One thread at a time for a pool and its buffers. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_set_element_alignment(struct doca_buf_pool *buf_pool,
						 size_t element_alignment);

/**
 * @brief What the addresses of the buffers are multiples of.
 *
 * @param [in] buf_pool the pool.
 * @param [out] element_alignment the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for a pool and its buffers. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_element_alignment(const struct doca_buf_pool *buf_pool,
						 size_t *element_alignment);

/**
 * @brief How many buffers a pool has.
 *
 * @param [in] buf_pool the pool.
 * @param [out] num_of_elements the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for a pool and its buffers. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_num_elements(const struct doca_buf_pool *buf_pool,
					    uint32_t *num_of_elements);

/**
 * @brief How many buffers can still be given out.
 *
 * @param [in] buf_pool the pool.
 * @param [out] num_of_free_elements the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for a pool and its buffers. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_num_free_elements(const struct doca_buf_pool *buf_pool,
						 uint32_t *num_of_free_elements);

/**
 * @brief Stores a value of the program's own with a pool.
 *
 * @param [in] buf_pool the pool, not started.
 * @param [in] user_data the value.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf_pool is NULL
 * - DOCA_ERROR_BAD_STATE: the pool is started
 *
 * One thread at a time for a pool and its buffers. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_set_user_data(struct doca_buf_pool *buf_pool, union doca_data user_data);

/**
 * @brief What doca_buf_pool_set_user_data() has stored; zero before.
 *
 * @param [in] buf_pool the pool.
 * @param [out] user_data the value.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for a pool and its buffers. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_user_data(const struct doca_buf_pool *buf_pool,
					 union doca_data *user_data);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_BUF_POOL_H_ */
