/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data buffers that disks can reach. Addresses of pages and the list that PRP 2 points to are
 * worked out once, when a buffer is made: a command only picks two of them.
 */
#define LOG_MODULE "sta"
#include "sta/mem.h"

#include <stdlib.h>
#include "base/log.h"
#include "base/pow2.h"
#include "nvme/dma.h"
#include "sta/sta.h"

/* --- memory of the process: bus addresses are virtual addresses --- */

static void *own_zmalloc(size_t size, size_t align, uint64_t *phys)
{
	void *memory = align > NVME_PAGE_SIZE ? NULL : dma_alloc(size);

	*phys = (uint64_t)(uintptr_t)memory;
	return memory;
}

static void own_free(void *buf)
{
	dma_free(buf);
}

static uint64_t own_vtophys(const void *buf, uint32_t size)
{
	(void)size;
	return (uint64_t)(uintptr_t)buf;
}

const struct sta_allocator sta_own_allocator = {
	.zmalloc = own_zmalloc,
	.free = own_free,
	.vtophys = own_vtophys,
};

/* --- buffers --- */

#define BUS_NONE UINT64_MAX

static bool fill_addresses(struct sta_buf *buf, const struct sta_allocator *allocator)
{
	uint32_t pages = buf->capacity / NVME_PAGE_SIZE;
	le64_t *list = buf->list_memory;
	uint32_t i;

	for (i = 0; i < pages; i++) {
		uint64_t bus =
			allocator->vtophys(buf->data + (size_t)i * NVME_PAGE_SIZE, NVME_PAGE_SIZE);

		if (bus == BUS_NONE || (bus & (NVME_PAGE_SIZE - 1)))
			return false;
		if (i == 0)
			buf->bus0 = bus;
		else if (list)
			list[i - 1] = htole64(bus);
		if (i == 1)
			buf->bus1 = bus;
	}
	return true;
}

/* one page of addresses, enough for 2 MiB; a command has room for those of two pages itself */
static bool make_list(struct sta_buf *buf, const struct sta_allocator *allocator)
{
	uint64_t phys;

	if (buf->capacity <= 2 * NVME_PAGE_SIZE)
		return true;
	buf->list_memory = allocator->zmalloc(NVME_PAGE_SIZE, NVME_PAGE_SIZE, &phys);
	if (buf->list_memory)
		buf->list = allocator->vtophys(buf->list_memory, NVME_PAGE_SIZE);
	return buf->list_memory && buf->list != BUS_NONE;
}

doca_error_t sta_buf_init(struct sta_buf *buf, const struct sta_allocator *allocator,
			  uint32_t capacity)
{
	uint64_t phys;

	assert(capacity % NVME_PAGE_SIZE == 0 && capacity / NVME_PAGE_SIZE <= 513);
	*buf = (struct sta_buf){.capacity = capacity};
	buf->data = allocator->zmalloc(capacity, NVME_PAGE_SIZE, &phys);
	if (!buf->data)
		return DOCA_ERROR_NO_MEMORY;
	if (make_list(buf, allocator) && fill_addresses(buf, allocator))
		return DOCA_SUCCESS;
	sta_buf_fini(buf, allocator);
	return DOCA_ERROR_NO_MEMORY;
}

/* list_memory: NULL if capacity needs none */
static doca_error_t init_part(struct sta_buf *buf, const struct sta_allocator *allocator,
			      uint8_t *memory, void *list_memory, uint32_t capacity)
{
	*buf = (struct sta_buf){
		.data = memory,
		.capacity = capacity,
		.list_memory = list_memory,
		.is_part = true,
	};
	if (list_memory)
		buf->list = allocator->vtophys(list_memory, NVME_PAGE_SIZE);
	return fill_addresses(buf, allocator) ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t sta_buf_init_part(struct sta_buf *buf, const struct sta_allocator *allocator,
			       void *memory, uint32_t capacity)
{
	assert(capacity == NVME_PAGE_SIZE || capacity == 2 * NVME_PAGE_SIZE);
	return init_part(buf, allocator, memory, NULL, capacity);
}

void sta_buf_fini(struct sta_buf *buf, const struct sta_allocator *allocator)
{
	if (buf->list_memory && !buf->is_part)
		allocator->free(buf->list_memory);
	if (buf->data && !buf->is_part)
		allocator->free(buf->data);
	*buf = (struct sta_buf){0};
}

void sta_buf_set_prps(const struct sta_buf *buf, struct nvme_cmd *cmd, uint32_t size)
{
	cmd->prp1 = htole64(buf->bus0);
	if (size > 2 * NVME_PAGE_SIZE)
		cmd->prp2 = htole64(buf->list);
	else if (size > NVME_PAGE_SIZE)
		cmd->prp2 = htole64(buf->bus1);
	else
		cmd->prp2 = 0;
}

/* --- pools --- */

/* from one PRP list of such a buffer to the next, so that none is in two pages */
static uint32_t list_stride(uint32_t capacity)
{
	uint32_t entries = capacity / NVME_PAGE_SIZE - 1;

	return entries < 2 ? 0 : round_up_pow2(entries) * (uint32_t)sizeof(le64_t);
}

/* One piece of our own memory for all buffers, and behind them their lists. */
static doca_error_t take_memory(struct sta_pool *pool, uint32_t count, uint32_t size)
{
	uint64_t phys;

	if (pool->allocator->zmalloc != own_zmalloc)
		return DOCA_SUCCESS;
	pool->memory =
		own_zmalloc((size_t)count * (size + list_stride(size)), NVME_PAGE_SIZE, &phys);
	return pool->memory ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

static doca_error_t make_buf(struct sta_pool *pool, uint32_t index, uint32_t count, uint32_t size)
{
	struct sta_buf *buf = &pool->bufs[index];
	const uint32_t stride = list_stride(size);
	uint8_t *data = pool->memory, *lists;

	if (!data)
		return sta_buf_init(buf, pool->allocator, size);
	lists = data + (size_t)count * size;
	return init_part(buf, pool->allocator, data + (size_t)index * size,
			 stride ? lists + (size_t)index * stride : NULL, size);
}

doca_error_t sta_pool_init(struct sta_pool *pool, const struct sta_allocator *allocator,
			   uint32_t count, uint32_t room, uint32_t size)
{
	doca_error_t err;

	*pool = (struct sta_pool){.allocator = allocator, .capacity = count + room};
	pool->bufs = calloc(pool->capacity, sizeof(*pool->bufs));
	if (!pool->bufs)
		return DOCA_ERROR_NO_MEMORY;
	err = take_memory(pool, count, size);
	while (!err && pool->count < count) {
		err = make_buf(pool, pool->count, count, size);
		if (!err)
			sta_pool_give(pool, &pool->bufs[pool->count++]);
	}
	if (err)
		sta_pool_fini(pool);
	return err;
}

doca_error_t sta_pool_add(struct sta_pool *pool, struct sta_buf **ret_buf)
{
	struct sta_buf *buf = &pool->bufs[pool->count];
	doca_error_t err;

	assert(pool->count < pool->capacity);
	err = sta_buf_init(buf, pool->allocator, pool->bufs[0].capacity);
	if (err)
		return err;
	pool->count++;
	pool->added++;
	*ret_buf = buf;
	return DOCA_SUCCESS;
}

void sta_pool_fini(struct sta_pool *pool)
{
	uint32_t i;

	for (i = 0; i < pool->count; i++)
		sta_buf_fini(&pool->bufs[i], pool->allocator);
	if (pool->memory)
		own_free(pool->memory);
	free(pool->bufs);
	*pool = (struct sta_pool){0};
}

struct sta_buf *sta_pool_take(struct sta_pool *pool)
{
	struct sta_buf *buf = pool->free;

	if (!buf)
		return NULL;
	pool->free = buf->next;
	pool->free_count--;
	return buf;
}

void sta_pool_give(struct sta_pool *pool, struct sta_buf *buf)
{
	buf->next = pool->free;
	pool->free = buf;
	pool->free_count++;
}

/* --- the application's own memory --- */

doca_error_t doca_sta_mem_allocator_register(const struct doca_sta *sta,
					     doca_sta_zmalloc_cb_t alloc_cb,
					     doca_sta_free_cb_t free_cb,
					     doca_sta_vtophys_cb_t vtophys_cb)
{
	/* the vendor's prototype says const; the object is ours and is not */
	struct doca_sta *target = (struct doca_sta *)(uintptr_t)sta;

	if (!sta || !alloc_cb || !free_cb || !vtophys_cb)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx_check_idle(&sta->ctx))
		return DOCA_ERROR_BAD_STATE;
	if (!list_is_empty(&sta->disks)) {
		LOG_ERR("an allocator cannot be registered: disks are open");
		return DOCA_ERROR_IN_USE;
	}
	target->allocator = (struct sta_allocator){
		.zmalloc = alloc_cb,
		.free = free_cb,
		.vtophys = vtophys_cb,
	};
	return DOCA_SUCCESS;
}
