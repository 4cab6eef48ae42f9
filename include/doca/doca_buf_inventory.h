/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffer inventory: where buffers come from. One inventory serves any number of memory maps.
 */
#ifndef DOCA_BUF_INVENTORY_H_
#define DOCA_BUF_INVENTORY_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_mmap;

/** An inventory. */
struct doca_buf_inventory;

/**
 * @brief Creates an inventory.
 *
 * @param [in] num_elements how many buffers can be out at a time, at least 1.
 * @param [out] inventory the inventory; give it back with doca_buf_inventory_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: inventory is NULL, or num_elements is 0
 * - DOCA_ERROR_NO_MEMORY: no memory for the buffers
 *
 * Any thread. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_create(size_t num_elements, struct doca_buf_inventory **inventory);

/**
 * @brief Destroys an inventory, stopping it first.
 *
 * @param [in] inventory the inventory.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: inventory is NULL
 * - DOCA_ERROR_IN_USE: buffers are out; nothing has happened
 *
 * One thread at a time for an inventory and its buffers. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory);

/**
 * @brief Lets an inventory give buffers out. Starting a started one changes nothing.
 *
 * @param [in] inventory the inventory.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: inventory is NULL
 *
 * One thread at a time for an inventory and its buffers. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory);

/**
 * @brief Lets an inventory give no more buffers out. Those that are out stay valid.
 *
 * @param [in] inventory the inventory.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: inventory is NULL
 *
 * One thread at a time for an inventory and its buffers. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory);

/**
 * @brief Lets more buffers be out at a time.
 *
 * @param [in] inventory the inventory, started.
 * @param [in] num_elements how many more, at least 1.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: inventory is NULL, or num_elements is 0
 * - DOCA_ERROR_BAD_STATE: the inventory is not started
 * - DOCA_ERROR_NO_MEMORY: no memory for the buffers
 *
 * One thread at a time for an inventory and its buffers. Source: spec core 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory, uint32_t num_elements);

/*
 * Buffers
 */

/**
 * @brief Gives out a buffer with all of its values.
 *
 * @param [in] inventory the inventory, started.
 * @param [in] mmap the map that addr lies in, started.
 * @param [in] addr start of the buffer's memory.
 * @param [in] len bytes of it.
 * @param [in] data start of the data.
 * @param [in] data_len bytes of it.
 * @param [out] buf the buffer, with one reference; give it back with doca_buf_dec_refcount().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, [addr, addr + len] is not in the map, or [data,
 *   data + data_len] is not in the buffer
 * - DOCA_ERROR_NO_MEMORY: all buffers of the inventory are out
 * - DOCA_ERROR_BAD_STATE: the inventory or the map is not started
 *
 * One thread at a time for an inventory and its buffers. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
						struct doca_mmap *mmap, void *addr, size_t len,
						void *data, size_t data_len, struct doca_buf **buf);

/**
 * @brief Gives out an empty buffer, to be received into: no data, at the start of the memory.
 *
 * @param [in] inventory the inventory, started.
 * @param [in] mmap the map that addr lies in, started.
 * @param [in] addr start of the buffer's memory.
 * @param [in] len bytes of it.
 * @param [out] buf the buffer, with one reference; give it back with doca_buf_dec_refcount().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or [addr, addr + len] is not in the map
 * - DOCA_ERROR_NO_MEMORY: all buffers of the inventory are out
 * - DOCA_ERROR_BAD_STATE: the inventory or the map is not started
 *
 * One thread at a time for an inventory and its buffers. Source: spec core 7.
 */
static inline doca_error_t doca_buf_inventory_buf_get_by_addr(struct doca_buf_inventory *inventory,
							      struct doca_mmap *mmap, void *addr,
							      size_t len, struct doca_buf **buf)
{
	return doca_buf_inventory_buf_get_by_args(inventory, mmap, addr, len, addr, 0, buf);
}

/**
 * @brief Gives out a full buffer, to be sent: all of its memory is data.
 *
 * @param [in] inventory the inventory, started.
 * @param [in] mmap the map that data lies in, started.
 * @param [in] data start of the buffer's memory and data.
 * @param [in] data_len bytes of both.
 * @param [out] buf the buffer, with one reference; give it back with doca_buf_dec_refcount().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or [data, data + data_len] is not in the map
 * - DOCA_ERROR_NO_MEMORY: all buffers of the inventory are out
 * - DOCA_ERROR_BAD_STATE: the inventory or the map is not started
 *
 * One thread at a time for an inventory and its buffers. Source: spec core 7.
 */
static inline doca_error_t doca_buf_inventory_buf_get_by_data(struct doca_buf_inventory *inventory,
							      struct doca_mmap *mmap, void *data,
							      size_t data_len,
							      struct doca_buf **buf)
{
	return doca_buf_inventory_buf_get_by_args(inventory, mmap, data, data_len, data, data_len,
						  buf);
}

/**
 * @brief Gives out a buffer with the values of another one: same map, memory and data, one
 * reference, no list.
 *
 * @param [in] inventory the inventory, started.
 * @param [in] src_buf a buffer of any inventory.
 * @param [out] dst_buf the new buffer.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the inventory or the map is not started, or src_buf was given back
 * - DOCA_ERROR_NO_MEMORY: all buffers of the inventory are out
 * - DOCA_ERROR_NOT_PERMITTED: on a card only, never here
 *
 * One thread at a time for an inventory and its buffers. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
					const struct doca_buf *src_buf, struct doca_buf **dst_buf);

/**
 * @brief Aims a buffer at another place in its map, without giving it back first.
 *
 * @param [in] buf a buffer that no list and no submitted task holds.
 * @param [in] addr start of its new memory.
 * @param [in] len bytes of it.
 * @param [in] data start of the data.
 * @param [in] data_len bytes of it.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, [addr, addr + len] is not in the buffer's map, or
 *   [data, data + data_len] is not in the new memory
 * - DOCA_ERROR_BAD_STATE: the map is not started, or the buffer was given back
 * - DOCA_ERROR_NOT_PERMITTED: the buffer is in a list, or comes from a pool
 *
 * One thread at a time for an inventory and its buffers. Source: spec core 7, called by the
 * samples from 3.2 on.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_buf_reuse_by_args(struct doca_buf *buf, void *addr, size_t len,
						  void *data, size_t data_len);

/**
 * @brief doca_buf_inventory_buf_reuse_by_args() with no data, as in
 * doca_buf_inventory_buf_get_by_addr().
 *
 * @param [in] buf a buffer that no list and no submitted task holds.
 * @param [in] addr start of its new memory.
 * @param [in] len bytes of it.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or [addr, addr + len] is not in the buffer's map
 * - DOCA_ERROR_BAD_STATE: the map is not started, or the buffer was given back
 * - DOCA_ERROR_NOT_PERMITTED: the buffer is in a list, or comes from a pool
 *
 * One thread at a time for an inventory and its buffers. Source: spec core 7, called by the
 * samples from 3.2 on.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_buf_reuse_by_addr(struct doca_buf *buf, void *addr, size_t len);

/**
 * @brief doca_buf_inventory_buf_reuse_by_args() with all data, as in
 * doca_buf_inventory_buf_get_by_data().
 *
 * @param [in] buf a buffer that no list and no submitted task holds.
 * @param [in] data start of its new memory and data.
 * @param [in] data_len bytes of both.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or [data, data + data_len] is not in the buffer's
 *   map
 * - DOCA_ERROR_BAD_STATE: the map is not started, or the buffer was given back
 * - DOCA_ERROR_NOT_PERMITTED: the buffer is in a list, or comes from a pool
 *
 * One thread at a time for an inventory and its buffers. Source: spec core 7, called by the
 * samples from 3.2 on.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_buf_reuse_by_data(struct doca_buf *buf, void *data,
						  size_t data_len);

/*
 * Attributes
 */

/**
 * @brief How many buffers can be out at a time.
 *
 * @param [in] inventory the inventory.
 * @param [out] num_of_elements the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an inventory and its buffers. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_num_elements(const struct doca_buf_inventory *inventory,
						 uint32_t *num_of_elements);

/**
 * @brief How many buffers can still be given out.
 *
 * @param [in] inventory the inventory.
 * @param [out] num_of_free_elements the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an inventory and its buffers. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_num_free_elements(const struct doca_buf_inventory *inventory,
						      uint32_t *num_of_free_elements);

/**
 * @brief Stores a value of the program's own with an inventory, in any state.
 *
 * @param [in] inventory the inventory.
 * @param [in] user_data the value.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: inventory is NULL
 * - DOCA_ERROR_BAD_STATE: on a card only, never here
 *
 * One thread at a time for an inventory and its buffers. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory,
					      union doca_data user_data);

/**
 * @brief What doca_buf_inventory_set_user_data() has stored; zero before.
 *
 * @param [in] inventory the inventory.
 * @param [out] user_data the value.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an inventory and its buffers. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_user_data(const struct doca_buf_inventory *inventory,
					      union doca_data *user_data);

#ifdef __cplusplus
} /* extern "C" */
#endif

/* Programs count on these. Last, for they bring what needs all of this. */
#include <doca_buf.h>
#include <doca_mmap.h>

#endif /* DOCA_BUF_INVENTORY_H_ */
