/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of DMA share: a running context, memory whose first half is a pattern and whose
 * second half is zero, and callbacks that take notes.
 */
#ifndef SOFTFIELD_DMATEST_H
#define SOFTFIELD_DMATEST_H

#include <stdbool.h>
#include "../core/memtest.h"
#include "doca_ctx.h"
#include "doca_dma.h"
#include "doca_pe.h"

#define TASKS	4
#define BUFS	128
#define SIZE	(3 * 1024 * 1024)
#define MIB	(1024 * 1024)
#define PATTERN 251 /* prime: shifted copies differ */

struct rig {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_buf_inventory *inventory;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	char *memory; /* source: the first half */
	struct doca_mmap *mmap;
	struct doca_buf *bufs[BUFS];
	unsigned int buf_count;
	unsigned int done, failed;
	doca_error_t status; /* of the last one */
	uint64_t order;	     /* user data of those that came back, as digits */
	bool stop_in_callback, destroy_in_callback, free_in_callback;
	int stopped;  /* state callbacks with IDLE */
	bool failing; /* state callbacks with STOPPING */
};

static inline void note(struct rig *rig, struct doca_dma_task_memcpy *task,
			union doca_data user_data)
{
	struct doca_task *base = doca_dma_task_memcpy_as_task(task);

	rig->status = doca_task_get_status(base);
	rig->order = rig->order * 10 + user_data.u64;
	if (rig->free_in_callback)
		doca_task_free(base);
	if (rig->stop_in_callback || rig->destroy_in_callback)
		doca_ctx_stop(rig->ctx);
	if (rig->destroy_in_callback) {
		assert_ok(doca_dma_destroy(rig->dma));
		rig->dma = NULL;
	}
	rig->stop_in_callback = false;
}

static inline void note_done(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
			     union doca_data ctx_user_data)
{
	struct rig *rig = ctx_user_data.ptr;

	rig->done++;
	note(rig, task, task_user_data);
}

static inline void note_failed(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
			       union doca_data ctx_user_data)
{
	struct rig *rig = ctx_user_data.ptr;

	rig->failed++;
	note(rig, task, task_user_data);
}

static inline void note_state(const union doca_data user_data, struct doca_ctx *ctx,
			      enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
	struct rig *rig = user_data.ptr;

	(void)ctx;
	(void)prev_state;
	rig->failing |= next_state == DOCA_CTX_STATE_STOPPING;
	rig->stopped += next_state == DOCA_CTX_STATE_IDLE;
}

static inline int set_up_idle(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	rig->dev = open_dev("03:00.0");
	rig->inventory = started_inventory(BUFS);
	rig->memory = malloc(2 * SIZE);
	for (size_t i = 0; i < SIZE; i++)
		rig->memory[i] = (char)(i % PATTERN);
	memset(rig->memory + SIZE, 0, SIZE);
	rig->mmap = started_mmap(rig->memory, 2 * SIZE);
	assert_ok(doca_pe_create(&rig->pe));
	assert_ok(doca_dma_create(rig->dev, &rig->dma));
	rig->ctx = doca_dma_as_ctx(rig->dma);
	assert_ok(doca_pe_connect_ctx(rig->pe, rig->ctx));
	assert_ok(doca_ctx_set_user_data(rig->ctx, (union doca_data){.ptr = rig}));
	assert_ok(doca_ctx_set_state_changed_cb(rig->ctx, note_state));
	*state = rig;
	return 0;
}

static inline int set_up(void **state)
{
	struct rig *rig;

	set_up_idle(state);
	rig = *state;
	assert_ok(doca_dma_task_memcpy_set_conf(rig->dma, note_done, note_failed, TASKS));
	assert_ok(doca_ctx_start(rig->ctx));
	return 0;
}

static inline void progress(struct rig *rig)
{
	for (int i = 0; i < 100; i++)
		doca_pe_progress(rig->pe);
}

static inline int tear_down(void **state)
{
	struct rig *rig = *state;

	if (rig->dma) {
		doca_ctx_stop(rig->ctx);
		progress(rig);
		assert_ok(doca_dma_destroy(rig->dma));
	}
	assert_ok(doca_pe_destroy(rig->pe));
	while (rig->buf_count)
		doca_buf_dec_refcount(rig->bufs[--rig->buf_count], NULL);
	assert_ok(doca_buf_inventory_destroy(rig->inventory));
	assert_ok(doca_mmap_destroy(rig->mmap));
	assert_ok(doca_dev_close(rig->dev));
	free(rig->memory);
	free(rig);
	return 0;
}

static inline struct doca_buf *buf_of(struct rig *rig, struct doca_mmap *mmap, void *addr,
				      size_t len, size_t data_len)
{
	struct doca_buf *buf;

	assert_ok(doca_buf_inventory_buf_get_by_args(rig->inventory, mmap, addr, len, addr,
						     data_len, &buf));
	rig->bufs[rig->buf_count++] = buf;
	return buf;
}

/* A map that is thread-safe may be destroyed before its buffers are given back. */
static inline struct doca_mmap *passing_mmap(void *addr, size_t len)
{
	struct doca_mmap *mmap;

	assert_ok(doca_mmap_create(&mmap));
	assert_ok(doca_mmap_set_memrange(mmap, addr, len));
	assert_ok(doca_mmap_enable_thread_safety(mmap));
	assert_ok(doca_mmap_start(mmap));
	return mmap;
}

static inline struct doca_buf *source(struct rig *rig, size_t offset, size_t size)
{
	return buf_of(rig, rig->mmap, rig->memory + offset, size, size);
}

static inline struct doca_buf *target(struct rig *rig, size_t offset, size_t size)
{
	return buf_of(rig, rig->mmap, rig->memory + SIZE + offset, size, 0);
}

static inline struct doca_task *new_task(struct rig *rig, const struct doca_buf *src,
					 struct doca_buf *dst, uint64_t id)
{
	struct doca_dma_task_memcpy *task;

	assert_ok(doca_dma_task_memcpy_alloc_init(rig->dma, src, dst, (union doca_data){.u64 = id},
						  &task));
	return doca_dma_task_memcpy_as_task(task);
}

/* the copy of a source that starts at "from" is in the target half at "at" */
static inline void expect_copy(const struct rig *rig, size_t from, size_t at, size_t size)
{
	assert_memory_equal(rig->memory + from, rig->memory + SIZE + at, size);
}

static inline size_t data_len(const struct doca_buf *buf)
{
	size_t len;

	assert_ok(doca_buf_get_data_len(buf, &len));
	return len;
}

static inline void release_bufs(struct rig *rig)
{
	while (rig->buf_count)
		doca_buf_dec_refcount(rig->bufs[--rig->buf_count], NULL);
}

#endif
