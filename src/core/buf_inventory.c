/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffer inventories: buffers that are aimed at some memory map when they are taken.
 */
#define LOG_MODULE "core"
#include "softfield_core_2_2.h"

#include <stdbool.h>
#include <stdlib.h>
#include "base/log.h"
#include "core/buf.h"

struct doca_buf_inventory {
	struct buf_store store;
	bool started;
	union doca_data user_data;
};

doca_error_t doca_buf_inventory_create(size_t num_elements, struct doca_buf_inventory **inventory)
{
	struct doca_buf_inventory *new_inventory;
	doca_error_t err;

	if (!inventory || !num_elements)
		return DOCA_ERROR_INVALID_VALUE;
	if (num_elements > UINT32_MAX)
		return DOCA_ERROR_NO_MEMORY;
	new_inventory = calloc(1, sizeof(*new_inventory));
	if (!new_inventory)
		return DOCA_ERROR_NO_MEMORY;
	err = buf_store_grow(&new_inventory->store, (uint32_t)num_elements);
	if (err) {
		free(new_inventory);
		return err;
	}
	*inventory = new_inventory;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory)
{
	uint32_t out;

	if (!inventory)
		return DOCA_ERROR_INVALID_VALUE;
	out = inventory->store.count - inventory->store.free_count;
	if (out) {
		LOG_ERR("buffer inventory %p cannot be destroyed: %u buffers of it are out",
			(void *)inventory, out);
		return DOCA_ERROR_IN_USE;
	}
	buf_store_fini(&inventory->store);
	free(inventory);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory)
{
	if (!inventory)
		return DOCA_ERROR_INVALID_VALUE;
	inventory->started = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory)
{
	if (!inventory)
		return DOCA_ERROR_INVALID_VALUE;
	inventory->started = false;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory, uint32_t num_elements)
{
	if (!inventory || !num_elements)
		return DOCA_ERROR_INVALID_VALUE;
	if (!inventory->started) {
		LOG_ERR("buffer inventory cannot be expanded: it is not started");
		return DOCA_ERROR_BAD_STATE;
	}
	return buf_store_grow(&inventory->store, num_elements);
}

/*
 * Buffers
 */

struct buf_args {
	void *addr;
	size_t len;
	void *data;
	size_t data_len;
};

/* Does [data, data + data_len) lie in [addr, addr + len), and that in the map? */
static inline bool args_are_sound(const struct doca_mmap *mmap, const struct buf_args *args)
{
	size_t offset = (uintptr_t)args->data - (uintptr_t)args->addr;

	return mmap_contains(mmap, args->addr, args->len) && offset <= args->len &&
	       args->data_len <= args->len - offset;
}

/* Why there is no buffer; not as an error, for a program may go on without. */

static __attribute__((cold)) doca_error_t refuse_state(const struct doca_buf_inventory *inventory,
						       const struct doca_mmap *mmap)
{
	LOG_DBG("no buffer of memory map %p: the %s is not started", (const void *)mmap,
		inventory->started ? "map" : "inventory");
	return DOCA_ERROR_BAD_STATE;
}

static __attribute__((cold)) doca_error_t refuse_args(struct buf_args args)
{
	LOG_DBG("no buffer of %zu bytes at %p with %zu of data at %p: its map does not have that, "
		"or the data is not in it",
		args.len, args.addr, args.data_len, args.data);
	return DOCA_ERROR_INVALID_VALUE;
}

/* Takes one, which there is, for memory that is in the map. */
static inline doca_error_t take(struct doca_buf_inventory *inventory, struct doca_mmap *mmap,
				const struct buf_args *args, struct doca_buf **ret_buf)
{
	struct doca_buf *new_buf = buf_store_pop(&inventory->store);

	buf_init(new_buf, mmap, args->addr, args->len);
	new_buf->data = args->data;
	new_buf->data_len = args->data_len;
	*ret_buf = new_buf;
	mmap_ref_buf(mmap);
	return DOCA_SUCCESS;
}

/* Looks for the memory in all chunks of the map, and for a buffer among those never taken. */
static __attribute__((noinline)) doca_error_t search(struct doca_buf_inventory *inventory,
						     struct doca_mmap *mmap, struct buf_args args,
						     struct doca_buf **ret_buf)
{
	while (!args_are_sound(mmap, &args)) {
		if (!mmap->next_chunk)
			return refuse_args(args);
		mmap = mmap->next_chunk;
	}
	if (!buf_store_has_free(&inventory->store))
		return DOCA_ERROR_NO_MEMORY;
	return take(inventory, mmap, &args, ret_buf);
}

/* Mostly there are no calls on the way, and what is given stays in registers. */
static inline doca_error_t get_by_args(struct doca_buf_inventory *inventory, struct doca_mmap *mmap,
				       const struct buf_args *args, struct doca_buf **ret_buf)
{
	if (doca_unlikely(!args_are_sound(mmap, args)) || doca_unlikely(!inventory->store.free))
		return search(inventory, mmap,
			      (struct buf_args){args->addr, args->len, args->data, args->data_len},
			      ret_buf);
	return take(inventory, mmap, args, ret_buf);
}

doca_error_t doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
						struct doca_mmap *mmap, void *addr, size_t len,
						void *data, size_t data_len, struct doca_buf **buf)
{
	if (doca_unlikely(!inventory || !mmap || !buf))
		return DOCA_ERROR_INVALID_VALUE;
	if (doca_unlikely(!inventory->started || !mmap_is_started(mmap)))
		return refuse_state(inventory, mmap);
	return get_by_args(inventory, mmap, &(struct buf_args){addr, len, data, data_len}, buf);
}

doca_error_t softfield_buf_inventory_buf_by_args(struct doca_buf_inventory *inventory,
						 struct doca_mmap *mmap, void *addr, size_t len,
						 void *data, size_t data_len, struct doca_buf **buf)
{
	if (!inventory || !mmap || !buf)
		return DOCA_ERROR_INVALID_VALUE;
	if (!inventory->started)
		return refuse_state(inventory, mmap);
	return get_by_args(inventory, mmap, &(struct buf_args){addr, len, data, data_len}, buf);
}

doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
					const struct doca_buf *src_buf, struct doca_buf **dst_buf)
{
	if (!inventory || !src_buf || !dst_buf)
		return DOCA_ERROR_INVALID_VALUE;
	if (!src_buf->refcount)
		return buf_refuse_free(src_buf);
	if (!inventory->started)
		return refuse_state(inventory, src_buf->mmap);
	return doca_buf_inventory_buf_get_by_args(inventory, src_buf->mmap, src_buf->head,
						  src_buf->len, src_buf->data, src_buf->data_len,
						  dst_buf);
}

doca_error_t doca_buf_inventory_buf_reuse_by_args(struct doca_buf *buf, void *addr, size_t len,
						  void *data, size_t data_len)
{
	if (!buf)
		return DOCA_ERROR_INVALID_VALUE;
	if (!buf->refcount)
		return buf_refuse_free(buf);
	if (!mmap_is_started(buf->mmap)) {
		LOG_DBG("no other memory for buffer %p: its map is not started", (void *)buf);
		return DOCA_ERROR_BAD_STATE;
	}
	if (!buf_is_head(buf) || buf->next || buf_chunk_of(buf)->store->fixed)
		return DOCA_ERROR_NOT_PERMITTED;
	if (!args_are_sound(buf->mmap, &(struct buf_args){addr, len, data, data_len}))
		return DOCA_ERROR_INVALID_VALUE;
	buf->head = addr;
	buf->len = len;
	buf->data = data;
	buf->data_len = data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_buf_reuse_by_addr(struct doca_buf *buf, void *addr, size_t len)
{
	return doca_buf_inventory_buf_reuse_by_args(buf, addr, len, addr, 0);
}

doca_error_t doca_buf_inventory_buf_reuse_by_data(struct doca_buf *buf, void *data, size_t data_len)
{
	return doca_buf_inventory_buf_reuse_by_args(buf, data, data_len, data, data_len);
}

/*
 * Attributes
 */

doca_error_t doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory,
					      union doca_data user_data)
{
	if (!inventory)
		return DOCA_ERROR_INVALID_VALUE;
	inventory->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_user_data(const struct doca_buf_inventory *inventory,
					      union doca_data *user_data)
{
	if (!inventory || !user_data)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = inventory->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_num_elements(const struct doca_buf_inventory *inventory,
						 uint32_t *num_of_elements)
{
	if (!inventory || !num_of_elements)
		return DOCA_ERROR_INVALID_VALUE;
	*num_of_elements = inventory->store.count;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_num_free_elements(const struct doca_buf_inventory *inventory,
						      uint32_t *num_of_free_elements)
{
	if (!inventory || !num_of_free_elements)
		return DOCA_ERROR_INVALID_VALUE;
	*num_of_free_elements = inventory->store.free_count;
	return DOCA_SUCCESS;
}
