/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers: windows into a memory map, their data, and lists of them; and the stores they live in.
 */
#define LOG_MODULE "core"
#include "core/buf.h"

#include <stdlib.h>
#include "base/log.h"

/* How many buffers that were never taken are made ready at a time: a page's worth. */
#define REFILL 64u

/*
 * Stores
 */

doca_error_t buf_store_grow(struct buf_store *store, uint32_t count)
{
	const size_t size = sizeof(struct buf_chunk) + (size_t)count * sizeof(struct doca_buf);
	struct buf_chunk *chunk;

	if (count > UINT32_MAX - store->count)
		return DOCA_ERROR_NO_MEMORY;
	chunk = aligned_alloc(BUF_SIZE, size);
	if (!chunk)
		return DOCA_ERROR_NO_MEMORY;
	*chunk = (struct buf_chunk){
		.store = store,
		.next = store->chunks,
		.next_fresh = store->fresh,
		.count = count,
	};
	store->chunks = store->fresh = chunk;
	store->count += count;
	store->free_count += count;
	return DOCA_SUCCESS;
}

bool buf_store_refill(struct buf_store *store)
{
	struct buf_chunk *chunk = store->fresh;
	struct doca_buf **link = &store->free;
	uint32_t end;

	if (!chunk)
		return false;
	end = chunk->count - chunk->fresh > REFILL ? chunk->fresh + REFILL : chunk->count;
	for (; chunk->fresh < end; chunk->fresh++) {
		struct doca_buf *buf = &chunk->bufs[chunk->fresh];

		*buf = (struct doca_buf){.index = chunk->fresh};
		*link = buf;
		link = &buf->next;
	}
	if (end == chunk->count)
		store->fresh = chunk->next_fresh;
	return true;
}

void buf_store_fini(struct buf_store *store)
{
	while (store->chunks) {
		struct buf_chunk *chunk = store->chunks;

		store->chunks = chunk->next;
		free(chunk);
	}
}

/*
 * References
 */

/* Gives a buffer back to where it came from. */
static inline void release(struct doca_buf *buf)
{
	struct doca_mmap *mmap = buf->mmap;

	buf_store_push(buf_chunk_of(buf)->store, buf);
	mmap_unref_buf(mmap);
}

static __attribute__((noinline)) void release_list(struct doca_buf *buf)
{
	while (buf) {
		struct doca_buf *next = buf->next;

		release(buf);
		buf = next;
	}
}

__attribute__((cold)) doca_error_t buf_refuse_free(const struct doca_buf *buf)
{
	LOG_ERR("buffer %p is used after it was given back", (const void *)buf);
	return DOCA_ERROR_BAD_STATE;
}

doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount)
{
	if (!buf)
		return DOCA_ERROR_INVALID_VALUE;
	if (!buf->refcount)
		return buf_refuse_free(buf);
	if (!buf_is_head(buf))
		return DOCA_ERROR_NOT_PERMITTED;
	if (buf->refcount == UINT16_MAX)
		return DOCA_ERROR_TOO_BIG;
	if (refcount)
		*refcount = buf->refcount;
	buf->refcount++;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount)
{
	if (doca_unlikely(!buf))
		return DOCA_ERROR_INVALID_VALUE;
	if (doca_unlikely(!buf->refcount))
		return buf_refuse_free(buf);
	if (doca_unlikely(!buf_is_head(buf)))
		return DOCA_ERROR_NOT_PERMITTED;
	if (refcount)
		*refcount = buf->refcount;
	if (--buf->refcount)
		return DOCA_SUCCESS;
	if (doca_unlikely(buf->next != NULL))
		release_list(buf);
	else
		release(buf);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount)
{
	*refcount = buf->refcount;
	return DOCA_SUCCESS;
}

/*
 * Memory and data
 */

doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len)
{
	*len = buf->len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head)
{
	*head = buf->head;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len)
{
	*data_len = buf->data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data)
{
	*data = buf->data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len)
{
	buf->data = data;
	buf->data_len = data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len)
{
	buf->data_len = data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_reset_data_len(struct doca_buf *buf)
{
	buf->data_len = 0;
	return DOCA_SUCCESS;
}

/*
 * Lists
 */

doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf, struct doca_buf **next_buf)
{
	*next_buf = buf->next;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf, struct doca_buf **last_buf)
{
	if (!buf || !last_buf)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_is_head(buf))
		buf = buf->tail;
	while (buf->next)
		buf = buf->next;
	*last_buf = buf;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf, uint8_t *is_last)
{
	*is_last = !buf->next;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf, uint8_t *is_first)
{
	*is_first = buf_is_head(buf);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list)
{
	*is_in_list = !buf_is_head(buf) || buf->next;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_list_len(const struct doca_buf *buf, uint32_t *num_elements)
{
	uint32_t count = 0;

	if (!buf || !num_elements)
		return DOCA_ERROR_INVALID_VALUE;
	if (!buf_is_head(buf))
		return DOCA_ERROR_NOT_PERMITTED;
	for (; buf; buf = buf->next)
		count++;
	*num_elements = count;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2)
{
	if (!list1)
		return DOCA_ERROR_INVALID_VALUE;
	return doca_buf_chain_list_tail(list1, list1->tail, list2);
}

doca_error_t doca_buf_chain_list_tail(struct doca_buf *list1_head, struct doca_buf *list1_tail,
				      struct doca_buf *list2)
{
	if (!list1_head || !list2)
		return DOCA_ERROR_INVALID_VALUE;
	if (list1_head == list2 || !buf_is_head(list1_head) || !buf_is_head(list2) ||
	    list1_head->tail != list1_tail || !list1_head->refcount || list2->refcount != 1)
		return DOCA_ERROR_NOT_PERMITTED;
	list1_tail->next = list2;
	list1_head->tail = list2->tail;
	list2->tail = NULL;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2)
{
	struct doca_buf *before;

	if (!list1 || !list2 || !buf_is_head(list1))
		return DOCA_ERROR_INVALID_VALUE;
	for (before = list1; before && before->next != list2; before = before->next)
		;
	if (!before)
		return DOCA_ERROR_INVALID_VALUE;
	before->next = NULL;
	list2->tail = list1->tail;
	list1->tail = before;
	return DOCA_SUCCESS;
}
