/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DMA: copying buffers, also to and from memory of the other side, one after the other in the order
 * of submission. The work is done in doca_pe_progress(), at most POLL_BUDGET bytes of it at a time,
 * so that no call takes much longer than a tenth of a millisecond.
 *
 * As on a card, a failed task stops the context: what is queued behind it is flushed.
 */
#define LOG_MODULE "dma"
#include "doca_dma.h"

#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "core/buf.h"
#include "core/ctx.h"
#include "core/dev.h"
#include "core/pe.h"
#include "core/task.h"
#include "dma/job.h"
#include "link/region.h"

/* Bytes copied in one poll; a task counts as TASK_COST at least, so that callbacks are bounded. */
#define POLL_BUDGET (1024 * 1024)
#define TASK_COST   4096
/* Copies between two regions of other processes go through this many bytes of our own. */
#define BOUNCE_SIZE (64 * 1024)

struct doca_dma {
	struct doca_ctx ctx;
	struct task_pool memcpy_pool;
	struct poller poller;
	struct doca_task *first; /* submitted, not yet done */
	struct doca_task **last;
	char *bounce;	 /* from the first start on */
	uint8_t ordered; /* what the program has set; completions are in order anyway */
	struct pe_garbage garbage;
};

/* Where in a list of buffers a copy has got to. */
struct cursor {
	const struct doca_buf *buf;
	size_t offset; /* in its data, or in its space */
};

struct doca_dma_task_memcpy {
	struct doca_task task;
	const struct doca_buf *src;
	struct doca_buf *dst;
	struct doca_buf source; /* src of a job that says how much it copies: with so much data */
	/* while it is first in the queue */
	bool begun;
	struct cursor from, to;
	size_t left; /* bytes */
	size_t total;
	size_t room; /* of the whole destination, when a poll has left it unfinished */
};

static struct doca_dma_task_memcpy *memcpy_of(struct doca_task *task)
{
	return container_of(task, struct doca_dma_task_memcpy, task);
}

/*
 * Checking
 */

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
		if (!mmap_is_writable(buf->mmap))
			return DOCA_ERROR_NOT_PERMITTED;
		space = buf_space(buf);
		needed -= space < needed ? space : needed;
	}
	return needed ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

static doca_error_t memcpy_measure(const struct doca_dma_task_memcpy *copy, size_t *ret_size)
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

static doca_error_t memcpy_check(const struct doca_task *task)
{
	const struct doca_dma_task_memcpy *copy =
		container_of(task, struct doca_dma_task_memcpy, task);
	size_t size;

	return memcpy_measure(copy, &size) || !all_are_sound(copy->src) ? DOCA_ERROR_INVALID_VALUE
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

/* One contiguous piece. Between two other processes size is at most BOUNCE_SIZE. */
static doca_error_t copy_piece(struct doca_dma *dma, const struct cursor *from,
			       const struct cursor *to, size_t size)
{
	const struct doca_mmap *src_map = from->buf->mmap;
	const struct doca_mmap *dst_map = to->buf->mmap;
	char *src = from->buf->data + from->offset;
	char *dst = data_end(to->buf) + to->offset;
	doca_error_t err;

	if (!mmap_is_started(src_map) || !mmap_is_started(dst_map))
		return DOCA_ERROR_IO_FAILED; /* destroyed meanwhile */
	if (!src_map->remote && !dst_map->remote) {
		memmove(dst, src, size);
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

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Copies up to *budget bytes of a task and takes them off it. */
static doca_error_t memcpy_advance(struct doca_dma *dma, struct doca_dma_task_memcpy *copy,
				   size_t *budget)
{
	while (copy->left && *budget) {
		size_t size = min_size(source_left(&copy->from), space_left(&copy->to));
		doca_error_t err;

		if (!size)
			return DOCA_ERROR_IO_FAILED;
		size = min_size(size, *budget);
		if (copy->from.buf->mmap->remote && copy->to.buf->mmap->remote)
			size = min_size(size, BOUNCE_SIZE);
		err = copy_piece(dma, &copy->from, &copy->to, size);
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

static doca_error_t memcpy_begin(struct doca_dma_task_memcpy *copy)
{
	doca_error_t err;

	if (doca_unlikely(dma_replaces(copy->src, copy->dst)))
		copy->dst->data_len = 0;
	err = memcpy_measure(copy, &copy->total);
	if (err)
		return err;
	copy->begun = true;
	copy->left = copy->total;
	copy->from = (struct cursor){copy->src, 0};
	copy->to = (struct cursor){copy->dst, 0};
	return DOCA_SUCCESS;
}

/* The lengths of the destination grow all at once, when it is complete. */
static void memcpy_commit(struct doca_dma_task_memcpy *copy)
{
	size_t left = copy->total;

	for (struct doca_buf *buf = copy->dst; left; buf = buf->next) {
		size_t size = min_size(space_of(buf), left);

		buf->data_len += size;
		left -= size;
	}
}

/*
 * Queue
 */

static void queue_init(struct doca_dma *dma)
{
	dma->first = NULL;
	dma->last = &dma->first;
}

static struct doca_task *queue_pop(struct doca_dma *dma)
{
	struct doca_task *task = dma->first;

	dma->first = task->next;
	if (!dma->first)
		dma->last = &dma->first;
	return task;
}

static void flush(struct doca_dma *dma)
{
	while (dma->first)
		task_complete(queue_pop(dma), DOCA_ERROR_IO_FAILED);
}

static doca_error_t memcpy_submit(struct doca_task *task, uint32_t flags)
{
	struct doca_dma *dma = container_of(task->pool->ctx, struct doca_dma, ctx);
	struct poll_group *group = &dma->ctx.pe->group;

	(void)flags; /* a doorbell costs nothing here */
	task_accept(task);
	memcpy_of(task)->begun = false;
	task->next = NULL;
	*dma->last = task;
	dma->last = &task->next;
	if (doca_unlikely(!dma->poller.hot))
		priv_poll_group_heat(&dma->poller);
	poll_group_end_sleep(group);
	return DOCA_SUCCESS;
}

static const struct task_type memcpy_type = {
	.name = "memcpy",
	.check = memcpy_check,
	.submit = memcpy_submit,
};

/*
 * Polling
 */

/* The callback may stop, restart and destroy the context. */
static void finish(struct doca_dma *dma)
{
	struct doca_dma_task_memcpy *copy = memcpy_of(queue_pop(dma));

	memcpy_commit(copy);
	task_report(&copy->task, DOCA_SUCCESS);
}

/* The first task has failed: told before those that are flushed because of it. */
static void fail(struct doca_dma *dma, doca_error_t err)
{
	if (err == DOCA_ERROR_CONNECTION_RESET)
		err = DOCA_ERROR_IO_FAILED;
	task_complete(queue_pop(dma), err);
	flush(dma);
	priv_poll_group_remove(&dma->poller);
	priv_ctx_fail(&dma->ctx);
	priv_ctx_stopped(&dma->ctx);
}

static unsigned int dma_poll(struct poller *poller)
{
	struct doca_dma *dma = container_of(poller, struct doca_dma, poller);
	const struct doca_pe *pe = dma->ctx.pe;
	size_t budget = POLL_BUDGET;
	unsigned int done = 0;

	while (dma->first && budget && !pe->is_inherited) { /* a callback may fork */
		struct doca_dma_task_memcpy *copy = memcpy_of(dma->first);
		size_t before = budget;
		doca_error_t err = DOCA_SUCCESS;

		if (doca_unlikely(copy->task.state == TASK_ABANDONED)) {
			task_report(queue_pop(dma),
				    DOCA_ERROR_IO_FAILED); /* its buffers may be gone */
			continue;
		}
		if (!copy->begun)
			err = memcpy_begin(copy);
		else if (room_of(copy->dst) != copy->room)
			err = DOCA_ERROR_IO_FAILED; /* the program has changed it since */
		if (!err)
			err = memcpy_advance(dma, copy, &budget);
		if (err) {
			fail(dma, err);
			return done + 1;
		}
		if (copy->left) {
			copy->room = room_of(copy->dst);
			break;
		}
		finish(dma);
		done++;
		if (before - budget < TASK_COST)
			budget -= min_size(TASK_COST - (before - budget), budget);
	}
	return done;
}

static bool dma_arm(struct poller *poller, bool often)
{
	(void)poller; /* work comes from this thread only */
	(void)often;
	return true;
}

static bool dma_pending(struct poller *poller)
{
	return container_of(poller, struct doca_dma, poller)->first != NULL;
}

static void dma_disarm(struct poller *poller)
{
	(void)poller;
}

static const struct poller_ops dma_poller_ops = {
	.poll = dma_poll,
	.arm = dma_arm,
	.pending = dma_pending,
	.disarm = dma_disarm,
};

/*
 * Context
 */

static doca_error_t dma_check(struct doca_ctx *ctx)
{
	const struct doca_dma *dma = container_of(ctx, struct doca_dma, ctx);

	if (dma->memcpy_pool.count)
		return DOCA_SUCCESS;
	LOG_ERR("dma cannot start: its memcpy task was not enabled");
	return DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t dma_start(struct doca_ctx *ctx)
{
	struct doca_dma *dma = container_of(ctx, struct doca_dma, ctx);
	doca_error_t err;

	if (!dma->bounce)
		dma->bounce = malloc(BOUNCE_SIZE);
	if (!dma->bounce)
		return DOCA_ERROR_NO_MEMORY;
	err = priv_task_pool_start(&dma->memcpy_pool);
	if (err)
		return err;
	queue_init(dma);
	priv_poll_group_add(&ctx->pe->group, &dma->poller);
	return DOCA_SUCCESS;
}

static doca_error_t dma_stop(struct doca_ctx *ctx)
{
	struct doca_dma *dma = container_of(ctx, struct doca_dma, ctx);

	priv_poll_group_remove(&dma->poller);
	flush(dma);
	return DOCA_SUCCESS;
}

static const struct ctx_ops dma_ctx_ops = {
	.name = "dma",
	.check = dma_check,
	.start = dma_start,
	.stop = dma_stop,
	.jobs = &dma_job_ops,
};

static doca_error_t create(struct doca_dev *dev, struct doca_dma **dma)
{
	struct doca_dma *new_dma = calloc(1, sizeof(*new_dma));

	if (!new_dma)
		return DOCA_ERROR_NO_MEMORY;
	priv_ctx_init(&new_dma->ctx, &dma_ctx_ops, dev);
	new_dma->poller.ops = &dma_poller_ops;
	queue_init(new_dma);
	*dma = new_dma;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma)
{
	return dev && dma ? create(dev, dma) : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t softfield_dma_create_2_2(struct doca_dma **dma)
{
	return dma ? create(NULL, dma) : DOCA_ERROR_INVALID_VALUE;
}

static void release(struct pe_garbage *garbage)
{
	struct doca_dma *dma = container_of(garbage, struct doca_dma, garbage);

	priv_task_pool_fini(&dma->memcpy_pool);
	free(dma->bounce);
	free(dma);
}

doca_error_t doca_dma_destroy(struct doca_dma *dma)
{
	struct doca_pe *pe;
	doca_error_t err;

	if (!dma)
		return DOCA_ERROR_INVALID_VALUE;
	err = priv_ctx_check_destroy(&dma->ctx);
	if (err)
		return err;
	pe = dma->ctx.pe;
	priv_ctx_fini(&dma->ctx);
	priv_pe_discard(pe, &dma->garbage, release);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma)
{
	return dma ? &dma->ctx : NULL;
}

doca_error_t doca_dma_set_ordered_completions(struct doca_dma *dma, uint8_t enable)
{
	if (!dma)
		return DOCA_ERROR_INVALID_VALUE;
	dma->ordered = enable;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_get_ordered_completions(struct doca_dma *dma, uint8_t *enabled)
{
	if (!dma || !enabled)
		return DOCA_ERROR_INVALID_VALUE;
	*enabled = dma->ordered;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_get_gpu_handle(struct doca_dma *dma, struct doca_gpu_dma **gpu_dma)
{
	return dma && gpu_dma ? DOCA_ERROR_BAD_STATE : DOCA_ERROR_INVALID_VALUE;
}

/*
 * Task
 */

doca_error_t doca_dma_task_memcpy_set_conf(struct doca_dma *dma,
					   doca_dma_task_memcpy_completion_cb_t task_completion_cb,
					   doca_dma_task_memcpy_completion_cb_t task_error_cb,
					   uint32_t num_memcpy_tasks)
{
	if (!dma)
		return DOCA_ERROR_INVALID_VALUE;
	/* The callbacks take a task that starts with a struct doca_task. */
	return priv_task_pool_configure(
		&dma->memcpy_pool, &dma->ctx, &memcpy_type, sizeof(struct doca_dma_task_memcpy),
		(doca_task_completion_cb_t)(void (*)(void))task_completion_cb,
		(doca_task_completion_cb_t)(void (*)(void))task_error_cb, num_memcpy_tasks,
		(uint32_t)priv_topo_limits()->dma_max_num_tasks);
}

doca_error_t doca_dma_task_memcpy_alloc_init(struct doca_dma *dma, const struct doca_buf *src,
					     struct doca_buf *dst, union doca_data user_data,
					     struct doca_dma_task_memcpy **task)
{
	struct doca_dma_task_memcpy *new_task;
	struct doca_task *base;
	doca_error_t err;

	if (!dma || !src || !dst || !task)
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
