/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of a DPA: memory of the program, found again by its address. Copies that leave it are
 * refused, as a card would.
 */
#define LOG_MODULE "dpa"
#include "dpa/dpa.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include "base/copy.h"
#include "base/log.h"
#include "core/buf.h"
#include "link/region.h"

#define MEM_ALIGNMENT	64u	      /* also the room for what is before it */
#define REGION_COPY_MAX (1024u << 20) /* what link/region.h copies at once */
/*
 * So much freed memory stays as it was: programs free what a kernel or a thread still uses that is
 * about to end. On a card it is nobody else's, either.
 */
#define FREED_MAX ((size_t)64 << 20)

static_assert(sizeof(struct dpa_mem) <= MEM_ALIGNMENT, "the memory begins behind it");

static char *mem_start(const struct dpa_mem *mem)
{
	return (char *)mem + MEM_ALIGNMENT;
}

/* How far an address is from an allocation; 0: it is inside, or right at the end. */
static uint64_t mem_distance(const struct dpa_mem *mem, uint64_t at)
{
	uint64_t start = (uintptr_t)mem_start(mem), end = start + mem->size;

	return at < start ? start - at : at > end ? at - end : 0;
}

/* the order of the tree */
static int compare(const void *one, const void *other)
{
	return ((uintptr_t)one > (uintptr_t)other) - ((uintptr_t)one < (uintptr_t)other);
}

struct search {
	uint64_t at;
	struct dpa_mem *nearest; /* so far */
};

/* On its way down the tree a search meets the neighbours of what it looks for. */
static int search_on(const void *arg, const void *node)
{
	struct search *search = (struct search *)(uintptr_t)arg;
	struct dpa_mem *mem = (struct dpa_mem *)(uintptr_t)node;
	uint64_t start = (uintptr_t)mem_start(mem);

	if (!search->nearest ||
	    mem_distance(mem, search->at) < mem_distance(search->nearest, search->at))
		search->nearest = mem;
	if (search->at < start)
		return -1;
	return search->at >= start + mem->size;
}

/* with mem_lock held; NULL: there is none at all */
static struct dpa_mem *find_nearest(struct doca_dpa *dpa, uint64_t at)
{
	struct search search = {.at = at};

	tfind(&search, &dpa->mems, search_on);
	return search.nearest;
}

/* with mem_lock held; dpa is a base */
static void log_nearest(struct doca_dpa *dpa, const char *what, uint64_t at, uint64_t size)
{
	const struct dpa_mem *mem = find_nearest(dpa, at);

	if (mem)
		LOG_ERR("%s: %" PRIu64 " bytes at 0x%" PRIx64
			" are not in memory of the DPA; the nearest is %zu bytes at %p",
			what, size, at, mem->size, (void *)mem_start(mem));
	else
		LOG_ERR("%s: %" PRIu64 " bytes at 0x%" PRIx64
			" are not in memory of the DPA; there is none",
			what, size, at);
}

/* Is [at, at + size) inside of an allocation? INVALID_VALUE, logged: no. BAD_STATE */
static doca_error_t check_range(struct doca_dpa *dpa, const char *what, uint64_t at, uint64_t size)
{
	struct doca_dpa *base = dpa_base(dpa);
	const struct dpa_mem *mem;
	doca_error_t err = DOCA_SUCCESS;
	uint64_t offset;

	if (!dpa->is_started)
		return DOCA_ERROR_BAD_STATE;
	pthread_mutex_lock(&base->mem_lock);
	mem = find_nearest(base, at);
	offset = mem ? at - (uintptr_t)mem_start(mem) : 0; /* huge if it is before the start */
	if (!mem || offset > mem->size || size > mem->size - offset) {
		log_nearest(base, what, at, size);
		err = DOCA_ERROR_INVALID_VALUE;
	}
	pthread_mutex_unlock(&base->mem_lock);
	return err;
}

static void *mem_ptr(doca_dpa_dev_uintptr_t at)
{
	return (void *)(uintptr_t)at;
}

/* false: no memory */
static bool mem_keep(struct doca_dpa *dpa, struct dpa_mem *mem)
{
	const void *node;

	pthread_mutex_lock(&dpa->mem_lock);
	priv_fork_hold();
	node = tsearch(mem, &dpa->mems, compare);
	priv_fork_release();
	pthread_mutex_unlock(&dpa->mem_lock);
	return node;
}

doca_error_t doca_dpa_mem_alloc(struct doca_dpa *dpa, size_t size, doca_dpa_dev_uintptr_t *dev_ptr)
{
	struct dpa_mem *mem;

	if (dev_ptr)
		*dev_ptr = 0;
	if (!dpa || !size || !dev_ptr)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa->is_started)
		return DOCA_ERROR_BAD_STATE;
	if (size > PTRDIFF_MAX - 2 * MEM_ALIGNMENT ||
	    posix_memalign((void **)&mem, MEM_ALIGNMENT, MEM_ALIGNMENT + size)) {
		LOG_ERR("%zu bytes of DPA memory are not to be had", size);
		return DOCA_ERROR_NO_MEMORY;
	}
	mem->size = size;
	if (!mem_keep(dpa_base(dpa), mem)) {
		free(mem);
		return DOCA_ERROR_NO_MEMORY;
	}
	*dev_ptr = (uintptr_t)mem_start(mem);
	return DOCA_SUCCESS;
}

/* what it costs the program, whose heap has something before it, too */
static size_t whole_size(const struct dpa_mem *mem)
{
	return mem->size + 2 * MEM_ALIGNMENT;
}

/* with mem_lock and priv_fork_hold() */
static void mem_retire(struct doca_dpa *dpa, struct dpa_mem *mem)
{
	tdelete(mem, &dpa->mems, compare);
	if (whole_size(mem) > FREED_MAX) {
		free(mem);
		return;
	}
	list_add_tail(&dpa->freed, &mem->node);
	dpa->freed_size += whole_size(mem);
	while (dpa->freed_size > FREED_MAX) {
		mem = container_of(list_pop(&dpa->freed), struct dpa_mem, node);
		dpa->freed_size -= whole_size(mem);
		free(mem);
	}
}

doca_error_t doca_dpa_mem_free(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr)
{
	struct doca_dpa *base;
	struct dpa_mem *mem;

	if (!dpa)
		return DOCA_ERROR_INVALID_VALUE;
	base = dpa_base(dpa);
	pthread_mutex_lock(&base->mem_lock);
	mem = find_nearest(base, dev_ptr);
	if (mem && mem_start(mem) != mem_ptr(dev_ptr))
		mem = NULL;
	if (mem) {
		priv_fork_hold();
		mem_retire(base, mem);
		priv_fork_release();
	} else {
		log_nearest(base, "doca_dpa_mem_free()", dev_ptr, 0);
	}
	pthread_mutex_unlock(&base->mem_lock);
	return mem ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

void dpa_mem_free_all(struct doca_dpa *dpa)
{
	struct list_node *node;

	tdestroy(dpa->mems, free);
	while ((node = list_pop(&dpa->freed)))
		free(container_of(node, struct dpa_mem, node));
}

doca_error_t doca_dpa_h2d_memcpy(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dst_ptr,
				 void *src_ptr, size_t size)
{
	doca_error_t err;

	if (!dpa || !dst_ptr || !src_ptr)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_range(dpa, "doca_dpa_h2d_memcpy()", dst_ptr, size);
	if (err)
		return err;
	copy_move(mem_ptr(dst_ptr), src_ptr, size, size);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_d2h_memcpy(struct doca_dpa *dpa, void *dst_ptr,
				 doca_dpa_dev_uintptr_t src_ptr, size_t size)
{
	doca_error_t err;

	if (!dpa || !dst_ptr || !src_ptr)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_range(dpa, "doca_dpa_d2h_memcpy()", src_ptr, size);
	if (err)
		return err;
	copy_move(dst_ptr, mem_ptr(src_ptr), size, size);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_memset(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr, int value,
			     size_t size)
{
	doca_error_t err;

	if (!dpa || !dev_ptr)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_range(dpa, "doca_dpa_memset()", dev_ptr, size);
	if (err)
		return err;
	memset(mem_ptr(dev_ptr), value, size);
	return DOCA_SUCCESS;
}

/* Are there size bytes in the buffer from its data on? */
static doca_error_t check_buf(const struct doca_buf *buf, const char *what, size_t size)
{
	size_t at = (uintptr_t)buf->data - (uintptr_t)buf->head; /* huge if it is before the head */

	if (!buf_is_single(buf)) {
		LOG_ERR("%s: the buffer is a list", what);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	if (!mmap_is_started(buf->mmap))
		return DOCA_ERROR_BAD_STATE;
	if (at <= buf->len && size <= buf->len - at)
		return DOCA_SUCCESS;
	LOG_ERR("%s: %zu bytes at %p are not in the buffer: %zu bytes at %p", what, size,
		(void *)buf->data, buf->len, (void *)buf->head);
	return DOCA_ERROR_INVALID_VALUE;
}

/* In a map of the other side's memory, where buf->data is no address of this process. */
static uint64_t region_offset(const struct doca_buf *buf)
{
	return (uintptr_t)buf->data - (uintptr_t)buf->mmap->addr;
}

static size_t region_step(size_t left)
{
	return left < REGION_COPY_MAX ? left : REGION_COPY_MAX;
}

static doca_error_t read_remote(const struct doca_buf *buf, char *dst, size_t size)
{
	doca_error_t err = DOCA_SUCCESS;

	for (size_t done = 0; !err && done < size; done += region_step(size - done))
		err = priv_region_read(buf->mmap->remote, region_offset(buf) + done, dst + done,
				       region_step(size - done));
	return err;
}

static doca_error_t write_remote(const struct doca_buf *buf, const char *src, size_t size)
{
	doca_error_t err = DOCA_SUCCESS;

	for (size_t done = 0; !err && done < size; done += region_step(size - done))
		err = priv_region_write(buf->mmap->remote, region_offset(buf) + done, src + done,
					region_step(size - done));
	return err;
}

/* BAD_STATE: the map was destroyed meanwhile */
static doca_error_t read_buf(const struct doca_buf *buf, void *dst, size_t size)
{
	doca_error_t err = DOCA_SUCCESS;

	if (!mmap_begin_access(buf->mmap))
		return DOCA_ERROR_BAD_STATE;
	if (buf->mmap->remote)
		err = read_remote(buf, dst, size);
	else
		copy_move(dst, buf->data, size, size);
	mmap_end_access(buf->mmap);
	return err;
}

static doca_error_t write_buf(struct doca_buf *buf, const void *src, size_t size)
{
	doca_error_t err = DOCA_SUCCESS;

	if (!mmap_begin_access(buf->mmap))
		return DOCA_ERROR_BAD_STATE;
	if (buf->mmap->remote)
		err = write_remote(buf, src, size);
	else
		copy_move(buf->data, src, size, size);
	mmap_end_access(buf->mmap);
	return err;
}

doca_error_t doca_dpa_h2d_buf_memcpy(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dst_ptr,
				     struct doca_buf *buf, size_t size)
{
	doca_error_t err;

	if (!dpa || !dst_ptr || !buf)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_range(dpa, "doca_dpa_h2d_buf_memcpy()", dst_ptr, size);
	if (err)
		return err;
	err = check_buf(buf, "doca_dpa_h2d_buf_memcpy()", size);
	if (err)
		return err;
	return read_buf(buf, mem_ptr(dst_ptr), size);
}

doca_error_t doca_dpa_d2h_buf_memcpy(struct doca_dpa *dpa, struct doca_buf *buf,
				     doca_dpa_dev_uintptr_t src_ptr, size_t size)
{
	doca_error_t err;

	if (!dpa || !buf || !src_ptr)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_range(dpa, "doca_dpa_d2h_buf_memcpy()", src_ptr, size);
	if (err)
		return err;
	err = check_buf(buf, "doca_dpa_d2h_buf_memcpy()", size);
	if (err)
		return err;
	if (!mmap_is_writable(buf->mmap))
		return DOCA_ERROR_NOT_PERMITTED;
	err = write_buf(buf, mem_ptr(src_ptr), size);
	if (!err && buf->data_len < size)
		buf->data_len = size;
	return err;
}
