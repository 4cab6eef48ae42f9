/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memcpy task: what is refused, and the copy, part by part through what the lists of
 * buffers were at the submit.
 */
#define LOG_MODULE "dma"
#include "dma/dma.h"

#include <stdlib.h>
#include "base/copy.h"
#include "base/log.h"
#include "link/region.h"
#include "topo/topo.h"

static doca_error_t check_src(const struct doca_buf *buf, size_t *ret_size)
{
	const struct topo_limits *limits = priv_topo_limits();
	uint32_t count = 0;
	size_t size = 0;

	for (; buf; buf = buf->next) {
		if (!mmap_is_started(buf->mmap) || !buf_data_is_mapped(buf) ||
		    ++count > limits->dma_max_buf_list_len ||
		    __builtin_add_overflow(size, buf->data_len, &size))
			return DOCA_ERROR_INVALID_VALUE;
	}
	if (!size || size > limits->dma_max_buf_size)
		return DOCA_ERROR_INVALID_VALUE;
	*ret_size = size;
	return DOCA_SUCCESS;
}

/* May the destination be aimed anywhere? Not a list, in which a full buffer is passed over. */
static bool may_be_aimed(const struct doca_dma_task_memcpy *copy)
{
	return copy->is_job && !copy->dst->next;
}

/* At its end is outside: no byte of it could be written. */
static bool begins_outside(const struct doca_buf *buf)
{
	return buf->data != buf->head && (uintptr_t)buf->data - (uintptr_t)buf->head >= buf->len;
}

/*
 * What fits behind the data of a destination; false: it is not sound. That of a job may be aimed
 * at other memory of its map than its buffer: a card knows no buffers.
 */
static bool find_room(const struct doca_buf *buf, bool is_aimed, size_t *ret_room)
{
	if (!mmap_is_started(buf->mmap))
		return false;
	if (!is_aimed || !begins_outside(buf))
		return buf_find_space(buf, ret_room);
	if (!buf_data_is_mapped(buf))
		return false;
	*ret_room = (size_t)(buf->mmap->addr + buf->mmap->len - (buf->data + buf->data_len));
	return true;
}

static doca_error_t check_dst(const struct doca_buf *buf, size_t needed, bool is_aimed)
{
	const struct topo_limits *limits = priv_topo_limits();
	uint32_t count = 0;

	for (; buf; buf = buf->next) {
		size_t space;

		if (!find_room(buf, is_aimed, &space) || ++count > limits->dma_max_buf_list_len)
			return DOCA_ERROR_INVALID_VALUE;
		if (!mmap_is_writable(buf->mmap)) {
			LOG_DBG("DMA copy: memory map %p of the destination is not writable, see "
				"doca_mmap_set_permissions()",
				(void *)buf->mmap);
			return DOCA_ERROR_NOT_PERMITTED;
		}
		needed -= space < needed ? space : needed;
	}
	return needed ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

static doca_error_t measure(const struct doca_dma_task_memcpy *copy, size_t *ret_size)
{
	doca_error_t err;

	if (!copy->src || !copy->dst || buf_is_free(copy->src) || buf_is_free(copy->dst))
		return DOCA_ERROR_INVALID_VALUE;
	err = check_src(copy->src, ret_size);
	return err ? err : check_dst(copy->dst, *ret_size, may_be_aimed(copy));
}

/* Stricter than a copy: data that has left its buffer is more often a mistake than meant. */
static bool all_are_sound(const struct doca_buf *buf)
{
	while (buf && buf_is_sound(buf))
		buf = buf->next;
	return !buf;
}

static doca_error_t check(const struct doca_task *task)
{
	const struct doca_dma_task_memcpy *copy =
		container_of(task, struct doca_dma_task_memcpy, task);
	size_t size;

	return measure(copy, &size) || !(copy->is_job || all_are_sound(copy->src))
		       ? DOCA_ERROR_INVALID_VALUE
		       : DOCA_SUCCESS;
}

/*
 * Pieces
 */

static char *data_end(const struct doca_buf *buf)
{
	return buf->data + buf->data_len;
}

static uint32_t count_bufs(const struct doca_buf *buf)
{
	uint32_t count = 0;

	for (; buf; buf = buf->next)
		count++;
	return count;
}

/* what becomes of a buffer */
enum use {
	IS_READ,
	IS_WRITTEN,
	IS_AIMED,
};

/* where that is */
static struct piece piece_of(const struct doca_buf *buf, enum use use)
{
	size_t room = 0;

	if (use == IS_READ)
		return (struct piece){buf->mmap, buf->data, buf->data_len};
	find_room(buf, use == IS_AIMED, &room);
	return (struct piece){buf->mmap, data_end(buf), room};
}

/* Room for the longest list. A context keeps those it has made: no task allocates while busy. */
struct piece_list {
	struct piece_list *next; /* in dma->spare_lists */
	struct piece pieces[];
};

static struct piece *take_list(struct doca_dma *dma)
{
	struct piece_list *list = dma->spare_lists;

	if (list)
		dma->spare_lists = list->next;
	else
		list = malloc(sizeof(*list) +
			      priv_topo_limits()->dma_max_buf_list_len * sizeof(list->pieces[0]));
	return list ? list->pieces : NULL;
}

static void give_list_back(struct doca_dma *dma, struct piece *pieces)
{
	struct piece_list *list = container_of(pieces, struct piece_list, pieces[0]);

	list->next = dma->spare_lists;
	dma->spare_lists = list;
}

void memcpy_free_lists(struct doca_dma *dma)
{
	while (dma->spare_lists) {
		struct piece_list *list = dma->spare_lists;

		dma->spare_lists = list->next;
		free(list);
	}
}

/* A list may be taken apart, and an element and its map go before the task does. */
static bool note_list(struct doca_dma *dma, struct pieces *pieces, const struct doca_buf *buf,
		      enum use use)
{
	pieces->count = count_bufs(buf);
	pieces->list = take_list(dma);
	if (!pieces->list)
		return false;
	for (struct piece *piece = pieces->list; buf; buf = buf->next, piece++) {
		*piece = piece_of(buf, use);
		priv_mmap_hold(piece->mmap);
	}
	return true;
}

static bool pieces_init(struct doca_dma *dma, struct pieces *pieces, const struct doca_buf *buf,
			enum use use)
{
	if (doca_unlikely(buf->next != NULL))
		return note_list(dma, pieces, buf, use);
	pieces->one = piece_of(buf, use);
	pieces->count = 1;
	return true;
}

static void pieces_fini(struct doca_dma *dma, struct pieces *pieces)
{
	if (doca_likely(pieces->list == &pieces->one) || !pieces->list)
		return;
	for (uint32_t i = 0; i < pieces->count; i++)
		priv_mmap_release(pieces->list[i].mmap);
	give_list_back(dma, pieces->list);
	pieces->list = NULL;
}

/*
 * Does the destination begin in the midst of the source? Then pieces are copied from the end on,
 * where both are one buffer, as memmove() would do.
 */
static bool overtakes_itself(const struct doca_dma_task_memcpy *copy)
{
	const char *src = copy->src_pieces.list->addr, *dst = copy->dst_pieces.list->addr;

	return copy->src_pieces.count == 1 && copy->dst_pieces.count == 1 && dst > src &&
	       dst < src + copy->total;
}

static struct doca_dma *dma_of_task(const struct doca_dma_task_memcpy *copy)
{
	return dma_of(copy->task.pool->ctx);
}

static doca_error_t note_buffers(struct doca_dma_task_memcpy *copy)
{
	const enum use dst_use = may_be_aimed(copy) ? IS_AIMED : IS_WRITTEN;
	struct doca_dma *dma = dma_of_task(copy);
	doca_error_t err;

	if (doca_unlikely(dma_replaces(copy->src, copy->dst)))
		copy->dst->data_len = 0;
	err = measure(copy, &copy->total);
	if (err)
		return err;
	if (!pieces_init(dma, &copy->src_pieces, copy->src, IS_READ) ||
	    !pieces_init(dma, &copy->dst_pieces, copy->dst, dst_use))
		return DOCA_ERROR_NO_MEMORY;
	copy->left = copy->total;
	copy->from = (struct cursor){copy->src_pieces.list, 0};
	copy->to = (struct cursor){copy->dst_pieces.list, 0};
	copy->is_backwards = overtakes_itself(copy);
	return DOCA_SUCCESS;
}

void memcpy_begin(struct doca_dma_task_memcpy *copy)
{
	copy->src_pieces.list = &copy->src_pieces.one;
	copy->dst_pieces.list = &copy->dst_pieces.one;
	copy->refused = note_buffers(copy);
}

void memcpy_end(struct doca_dma_task_memcpy *copy)
{
	struct doca_dma *dma = dma_of_task(copy);

	pieces_fini(dma, &copy->src_pieces);
	pieces_fini(dma, &copy->dst_pieces);
}

/*
 * Copying
 */

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

static uint64_t region_offset(const struct doca_mmap *mmap, const char *addr)
{
	return (uint64_t)(addr - mmap->addr);
}

/* mmap_begin_access() and mmap_end_access() of both maps of a copy, which may be one. */

static void end_accesses(struct doca_mmap *a, struct doca_mmap *b)
{
	mmap_end_access(a);
	if (a != b)
		mmap_end_access(b);
}

static bool begin_accesses(struct doca_mmap *a, struct doca_mmap *b)
{
	struct doca_mmap *first = (uintptr_t)a < (uintptr_t)b ? a : b;
	struct doca_mmap *second = first == a ? b : a;

	if (!mmap_begin_access(first))
		return false;
	if (first == second || mmap_begin_access(second))
		return true;
	mmap_end_access(first);
	return false;
}

/* between memory that is there */
static doca_error_t copy_mapped(struct doca_dma *dma, const struct doca_dma_task_memcpy *copy,
				size_t size)
{
	const struct doca_mmap *src_map = copy->from.piece->mmap, *dst_map = copy->to.piece->mmap;
	char *src = copy->from.piece->addr + copy->from.offset;
	char *dst = copy->to.piece->addr + copy->to.offset;
	doca_error_t err;

	if (!src_map->remote && !dst_map->remote) {
		copy_move(dst, src, size, copy->total);
		return DOCA_SUCCESS;
	}
	if (!src_map->remote)
		return priv_region_write(dst_map->remote, region_offset(dst_map, dst), src, size);
	if (!dst_map->remote)
		return priv_region_read(src_map->remote, region_offset(src_map, src), dst, size);
	err = priv_region_read(src_map->remote, region_offset(src_map, src), dma->bounce, size);
	if (err)
		return err;
	return priv_region_write(dst_map->remote, region_offset(dst_map, dst), dma->bounce, size);
}

/* One contiguous part. Between two other processes size is at most BOUNCE_SIZE. */
static doca_error_t copy_part(struct doca_dma *dma, const struct doca_dma_task_memcpy *copy,
			      size_t size)
{
	struct doca_mmap *src_map = copy->from.piece->mmap, *dst_map = copy->to.piece->mmap;
	doca_error_t err;

	if (!begin_accesses(src_map, dst_map))
		return DOCA_ERROR_IO_FAILED; /* destroyed meanwhile */
	err = copy_mapped(dma, copy, size);
	end_accesses(src_map, dst_map);
	return err;
}

/* Steps over pieces that have nothing (left) to give or to take: there is one that has. */
static size_t piece_left(struct cursor *at)
{
	while (at->offset == at->piece->size)
		*at = (struct cursor){at->piece + 1, 0};
	return at->piece->size - at->offset;
}

static size_t part_max(const struct doca_dma_task_memcpy *copy)
{
	return copy->from.piece->mmap->remote && copy->to.piece->mmap->remote ? BOUNCE_SIZE
									      : SIZE_MAX;
}

/* How much is copied next, of up to so much. */
static size_t choose_part(struct doca_dma_task_memcpy *copy, size_t budget)
{
	size_t size = min_size(copy->left, budget);

	if (!copy->is_backwards) {
		size = min_size(size, min_size(piece_left(&copy->from), piece_left(&copy->to)));
		return min_size(size, part_max(copy));
	}
	size = min_size(size, part_max(copy));
	copy->from.offset = copy->to.offset = copy->left - size;
	return size;
}

doca_error_t memcpy_work(struct doca_dma *dma, struct doca_dma_task_memcpy *copy, size_t *budget)
{
	/* The source may be what a copy before it has written: on a card it would fail. */
	if (doca_unlikely(copy->refused != DOCA_SUCCESS)) {
		memcpy_end(copy);
		memcpy_begin(copy);
	}
	if (doca_unlikely(copy->refused != DOCA_SUCCESS))
		return copy->refused;
	while (copy->left && *budget) {
		size_t size = choose_part(copy, *budget);
		doca_error_t err = copy_part(dma, copy, size);

		if (err)
			return err;
		copy->from.offset += size;
		copy->to.offset += size;
		copy->left -= size;
		*budget -= size;
	}
	return DOCA_SUCCESS;
}

/* The data has come there; but the program may aim the buffer elsewhere by now. */
static void grow(struct doca_buf *buf, const struct piece *piece, size_t size, bool replaces)
{
	if (replaces && buf->data == piece->addr)
		buf->data_len = size;
	else if (data_end(buf) == piece->addr)
		buf->data_len += size;
}

void memcpy_commit(struct doca_dma_task_memcpy *copy)
{
	const struct piece *piece = copy->dst_pieces.list, *end = piece + copy->dst_pieces.count;
	const bool replaces = dma_replaces(copy->src, copy->dst);
	size_t left = copy->total;

	/* It may have been taken apart, too. */
	for (struct doca_buf *buf = copy->dst; buf && piece < end; buf = buf->next, piece++) {
		size_t size = min_size(piece->size, left);

		grow(buf, piece, size, replaces);
		left -= size;
	}
}

/*
 * Public
 */

static const struct task_type memcpy_type = {
	.name = "memcpy",
	.check = check,
	.submit = dma_submit,
};

doca_error_t doca_dma_task_memcpy_set_conf(struct doca_dma *dma,
					   doca_dma_task_memcpy_completion_cb_t task_completion_cb,
					   doca_dma_task_memcpy_completion_cb_t task_error_cb,
					   uint32_t num_memcpy_tasks)
{
	if (!dma)
		return DOCA_ERROR_INVALID_VALUE;
	/* The callbacks take a task that starts with a struct doca_task. */
	return priv_task_pool_configure(
		&dma->memcpy_pool, &dma->ctx,
		&(struct task_pool_config){
			.type = &memcpy_type,
			.task_size = sizeof(struct doca_dma_task_memcpy),
			.completion_cb =
				(doca_task_completion_cb_t)(void (*)(void))task_completion_cb,
			.error_cb = (doca_task_completion_cb_t)(void (*)(void))task_error_cb,
			.count = num_memcpy_tasks,
			.max = (uint32_t)priv_topo_limits()->dma_max_num_tasks,
		});
}

doca_error_t doca_dma_task_memcpy_alloc_init(struct doca_dma *dma, const struct doca_buf *src,
					     struct doca_buf *dst, union doca_data user_data,
					     struct doca_dma_task_memcpy **task)
{
	struct doca_dma_task_memcpy *new_task;
	struct doca_task *base;
	doca_error_t err;

	if (!dma || !task)
		return DOCA_ERROR_INVALID_VALUE;
	err = task_alloc(&dma->memcpy_pool, &base);
	if (err)
		return err;
	base->user_data = user_data;
	new_task = memcpy_of(base);
	new_task->src = src;
	new_task->dst = dst;
	new_task->is_job = false;
	*task = new_task;
	return DOCA_SUCCESS;
}

void dma_task_set_size(struct doca_dma_task_memcpy *copy, size_t size)
{
	copy->source = *copy->src;
	copy->source.data_len = size;
	copy->src = &copy->source;
}

struct doca_task *doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy *task)
{
	return &task->task;
}

void doca_dma_task_memcpy_set_src(struct doca_dma_task_memcpy *task, const struct doca_buf *src)
{
	if (task)
		task->src = src;
}

const struct doca_buf *doca_dma_task_memcpy_get_src(const struct doca_dma_task_memcpy *task)
{
	return task ? task->src : NULL;
}

void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy *task, struct doca_buf *dst)
{
	if (task)
		task->dst = dst;
}

struct doca_buf *doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task)
{
	return task ? task->dst : NULL;
}
