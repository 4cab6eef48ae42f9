/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memcpy task: what is refused, and the copy, piece by piece through the lists of buffers.
 */
#define LOG_MODULE "dma"
#include "dma/dma.h"

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

static doca_error_t check_dst(const struct doca_buf *buf, size_t needed)
{
	const struct topo_limits *limits = priv_topo_limits();
	uint32_t count = 0;

	for (; buf; buf = buf->next) {
		size_t space;

		if (!buf_is_sound(buf) || ++count > limits->dma_max_buf_list_len)
			return DOCA_ERROR_INVALID_VALUE;
		if (!mmap_is_writable(buf->mmap)) {
			LOG_DBG("DMA copy: memory map %p of the destination is not writable, see "
				"doca_mmap_set_permissions()",
				(void *)buf->mmap);
			return DOCA_ERROR_NOT_PERMITTED;
		}
		space = buf_space(buf);
		needed -= space < needed ? space : needed;
	}
	return needed ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

static doca_error_t measure(const struct doca_dma_task_memcpy *copy, size_t *ret_size)
{
	doca_error_t err;

	if (!copy->src || !copy->dst)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_src(copy->src, ret_size);
	return err ? err : check_dst(copy->dst, *ret_size);
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

	return measure(copy, &size) || !all_are_sound(copy->src) ? DOCA_ERROR_INVALID_VALUE
								 : DOCA_SUCCESS;
}

/*
 * Copying
 */

static char *data_end(const struct doca_buf *buf)
{
	return buf->data + buf->data_len;
}

static size_t space_of(const struct doca_buf *buf)
{
	size_t space;

	return buf_find_space(buf, &space) ? space : 0;
}

static size_t data_of(const struct doca_buf *buf)
{
	return buf_data_is_mapped(buf) ? buf->data_len : 0;
}

/*
 * Steps over elements that have nothing (left) to give or to take. 0: that was the last one,
 * because the program has changed them meanwhile.
 */
static size_t source_left(struct cursor *from)
{
	while (from->buf && from->offset >= data_of(from->buf))
		*from = (struct cursor){from->buf->next, 0};
	return from->buf ? data_of(from->buf) - from->offset : 0;
}

static size_t space_left(struct cursor *to)
{
	while (to->buf && to->offset >= space_of(to->buf))
		*to = (struct cursor){to->buf->next, 0};
	return to->buf ? space_of(to->buf) - to->offset : 0;
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
	const struct doca_mmap *src_map = copy->from.buf->mmap, *dst_map = copy->to.buf->mmap;
	char *src = copy->from.buf->data + copy->from.offset;
	char *dst = data_end(copy->to.buf) + copy->to.offset;
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

/* One contiguous piece. Between two other processes size is at most BOUNCE_SIZE. */
static doca_error_t copy_piece(struct doca_dma *dma, const struct doca_dma_task_memcpy *copy,
			       size_t size)
{
	struct doca_mmap *src_map = copy->from.buf->mmap, *dst_map = copy->to.buf->mmap;
	doca_error_t err;

	if (!begin_accesses(src_map, dst_map))
		return DOCA_ERROR_IO_FAILED; /* destroyed meanwhile */
	err = copy_mapped(dma, copy, size);
	end_accesses(src_map, dst_map);
	return err;
}

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Does the destination begin in the midst of the source? Then pieces are copied from the end on,
 * where both are one buffer, as memmove() would do.
 */
static bool overtakes_itself(const struct doca_dma_task_memcpy *copy)
{
	const char *src = copy->src->data, *dst = data_end(copy->dst);

	return !copy->src->next && !copy->dst->next && dst > src && dst < src + copy->total;
}

static size_t piece_max(const struct doca_dma_task_memcpy *copy)
{
	return copy->from.buf->mmap->remote && copy->to.buf->mmap->remote ? BOUNCE_SIZE : SIZE_MAX;
}

/* How much the next piece has; 0: the program has changed the buffers meanwhile. */
static size_t choose_piece(struct doca_dma_task_memcpy *copy, size_t budget)
{
	size_t size;

	if (!copy->is_backwards) {
		size = min_size(source_left(&copy->from), space_left(&copy->to));
		return size ? min_size(min_size(size, budget), piece_max(copy)) : 0;
	}
	size = min_size(min_size(copy->left, budget), piece_max(copy));
	copy->from.offset = copy->to.offset = copy->left - size;
	return source_left(&copy->from) >= size && space_left(&copy->to) >= size ? size : 0;
}

/* Copies up to *budget bytes of a task and takes them off it. */
static doca_error_t advance(struct doca_dma *dma, struct doca_dma_task_memcpy *copy, size_t *budget)
{
	while (copy->left && *budget) {
		size_t size = choose_piece(copy, *budget);
		doca_error_t err;

		if (!size)
			return DOCA_ERROR_IO_FAILED;
		err = copy_piece(dma, copy, size);
		if (err)
			return err;
		copy->from.offset += size;
		copy->to.offset += size;
		copy->left -= size;
		*budget -= size;
	}
	return DOCA_SUCCESS;
}

static size_t room_of(const struct doca_buf *buf)
{
	size_t room = 0;

	for (; buf; buf = buf->next)
		room += space_of(buf);
	return room;
}

static doca_error_t begin(struct doca_dma_task_memcpy *copy)
{
	doca_error_t err;

	if (doca_unlikely(dma_replaces(copy->src, copy->dst)))
		copy->dst->data_len = 0;
	err = measure(copy, &copy->total);
	if (err)
		return err;
	copy->begun = true;
	copy->left = copy->total;
	copy->from = (struct cursor){copy->src, 0};
	copy->to = (struct cursor){copy->dst, 0};
	copy->is_backwards = overtakes_itself(copy);
	return DOCA_SUCCESS;
}

doca_error_t memcpy_work(struct doca_dma *dma, struct doca_dma_task_memcpy *copy, size_t *budget)
{
	doca_error_t err = DOCA_SUCCESS;

	if (!copy->begun)
		err = begin(copy);
	else if (room_of(copy->dst) != copy->room)
		err = DOCA_ERROR_IO_FAILED; /* the program has changed it since */
	if (!err)
		err = advance(dma, copy, budget);
	if (!err && copy->left)
		copy->room = room_of(copy->dst);
	return err;
}

void memcpy_commit(struct doca_dma_task_memcpy *copy)
{
	size_t left = copy->total;

	for (struct doca_buf *buf = copy->dst; left; buf = buf->next) {
		size_t size = min_size(space_of(buf), left);

		buf->data_len += size;
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
	task->src = src;
}

const struct doca_buf *doca_dma_task_memcpy_get_src(const struct doca_dma_task_memcpy *task)
{
	return task->src;
}

void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy *task, struct doca_buf *dst)
{
	task->dst = dst;
}

struct doca_buf *doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task)
{
	return task->dst;
}
