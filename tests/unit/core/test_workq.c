/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work queues and the other names of releases up to 2.2, as a program of that age uses them.
 *
 * Long because every promise is a small test of its own.
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "doca_buf.h"
#include "doca_buf_inventory.h"
#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_dma.h"
#include "doca_mmap.h"
#include "doca_mmap_advise.h"
#include "doca_pe.h"
#include "doca_workq.h"
#include "leak.h"
#include "readable.h"

#define DEPTH 1024 /* of the queue that is asked for the least */
#define SIZE  (4 << 20)

struct rig {
	struct leak before;
	struct doca_dev *dev;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_workq *workq;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	char *memory; /* two buffers */
	struct doca_buf *src, *dst;
	struct doca_dma_job_memcpy job;
	struct doca_event event;
};

static struct doca_dev *open_first(void)
{
	struct doca_devinfo **list;
	struct doca_dev *dev;
	uint64_t size, today;
	uint32_t count;

	assert_ok(doca_devinfo_list_create(&list, &count));
	assert_ok(doca_dma_get_max_buf_size(list[0], &size));
	assert_ok(doca_dma_cap_task_memcpy_get_max_buf_size(list[0], &today));
	assert_int_equal(size, today);
	assert_int_equal(DOCA_DMA_JOB_MEMCPY, 65537); /* as in release 2.2 */
	assert_ok(doca_dma_job_get_supported(list[0], DOCA_DMA_JOB_MEMCPY));
	assert_err(doca_dma_job_get_supported(list[0], (enum doca_dma_job_types)1), NOT_SUPPORTED);
	assert_err(doca_dma_job_get_supported(list[0], DOCA_DMA_JOB_MEMCPY + 1), NOT_SUPPORTED);
	assert_ok(doca_dev_open(list[0], &dev));
	assert_ok(doca_devinfo_list_destroy(list));
	return dev;
}

static int setup(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	assert_non_null(rig);
	rig->before = leak_count();
	rig->dev = open_first();
	assert_ok(doca_dma_create(&rig->dma));
	rig->ctx = doca_dma_as_ctx(rig->dma);
	assert_ok(doca_ctx_dev_add(rig->ctx, rig->dev));
	assert_ok(doca_workq_create(1, &rig->workq));

	rig->memory = calloc(2, SIZE);
	assert_ok(doca_mmap_create(NULL, &rig->mmap));
	assert_ok(doca_mmap_dev_add(rig->mmap, rig->dev));
	assert_ok(doca_mmap_set_permissions(rig->mmap, DOCA_ACCESS_LOCAL_READ_WRITE));
	assert_ok(doca_mmap_set_memrange(rig->mmap, rig->memory, 2 * SIZE));
	assert_ok(doca_mmap_start(rig->mmap));
	assert_ok(doca_buf_inventory_create("name", 2, DOCA_BUF_EXTENSION_NONE, &rig->inventory));
	assert_ok(doca_buf_inventory_start(rig->inventory));
	assert_ok(doca_buf_inventory_buf_by_data(rig->inventory, rig->mmap, rig->memory, SIZE / 8,
						 &rig->src));
	assert_ok(doca_buf_inventory_buf_by_addr(rig->inventory, rig->mmap, rig->memory + SIZE,
						 SIZE, &rig->dst));
	memset(rig->memory, 'a', SIZE / 8);
	rig->job.base.type = DOCA_DMA_JOB_MEMCPY;
	rig->job.base.flags = DOCA_JOB_FLAGS_NONE;
	rig->job.base.ctx = rig->ctx;
	rig->job.src_buff = rig->src;
	rig->job.dst_buff = rig->dst;
	*state = rig;
	return 0;
}

static int teardown(void **state)
{
	struct rig *rig = *state;
	bool clean;

	assert_ok(doca_ctx_workq_rm(rig->ctx, rig->workq));
	assert_ok(doca_ctx_stop(rig->ctx));
	assert_ok(doca_ctx_dev_rm(rig->ctx, rig->dev));
	assert_ok(doca_workq_destroy(rig->workq));
	assert_ok(doca_dma_destroy(rig->dma));
	assert_ok(doca_buf_refcount_rm(rig->src, NULL));
	assert_ok(doca_buf_refcount_rm(rig->dst, NULL));
	assert_ok(doca_buf_inventory_destroy(rig->inventory));
	assert_ok(doca_mmap_destroy(rig->mmap));
	assert_ok(doca_dev_close(rig->dev));
	free(rig->memory);
	clean = leak_check(&rig->before);
	free(rig);
	return clean ? 0 : -1;
}

static void start(struct rig *rig)
{
	assert_ok(doca_ctx_start(rig->ctx));
	assert_ok(doca_ctx_workq_add(rig->ctx, rig->workq));
}

static doca_error_t submit(struct rig *rig, uint64_t user_data)
{
	rig->job.base.user_data.u64 = user_data;
	return doca_workq_submit(rig->workq, &rig->job.base);
}

static doca_error_t retrieve(struct rig *rig)
{
	doca_error_t err;

	do
		err = doca_workq_progress_retrieve(rig->workq, &rig->event,
						   DOCA_WORKQ_RETRIEVE_FLAGS_NONE);
	while (err == DOCA_ERROR_AGAIN);
	assert_int_equal(err, rig->event.result.u64 ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS);
	return (doca_error_t)rig->event.result.u64;
}

static void a_job_copies(void **state)
{
	struct rig *rig = *state;

	start(rig);
	assert_ok(submit(rig, 77));
	memset(&rig->job, 0, sizeof(rig->job)); /* was copied */
	assert_ok(retrieve(rig));
	assert_int_equal(rig->event.type, DOCA_DMA_JOB_MEMCPY);
	assert_int_equal(rig->event.user_data.u64, 77);
	assert_memory_equal(rig->memory + SIZE, rig->memory, SIZE / 8);
	assert_err(doca_workq_progress_retrieve(rig->workq, &rig->event, 0), AGAIN);
}

/* The count is of 1.4, whose sources have no data; later ones may leave anything there. */
static void a_source_without_data_is_of_1_4(void **state)
{
	struct rig *rig = *state;

	start(rig);
	rig->job.num_bytes_to_copy = SIZE / 16;
	assert_ok(submit(rig, 1));
	assert_ok(retrieve(rig));
	assert_memory_equal(rig->memory + SIZE, rig->memory, SIZE / 8);
	assert_int_equal(rig->memory[SIZE + SIZE / 8], 0);
	assert_ok(doca_buf_set_data(rig->src, rig->memory, 0));
	assert_ok(doca_buf_set_data(rig->dst, rig->memory + SIZE, 0));
	memset(rig->memory, 'x', SIZE);
	assert_ok(submit(rig, 2));
	assert_ok(retrieve(rig));
	assert_memory_equal(rig->memory + SIZE, rig->memory, SIZE / 16);
	assert_int_equal(rig->memory[SIZE + SIZE / 16], 'a');
	rig->job.num_bytes_to_copy = SIZE / 8 + 1;
	assert_err(submit(rig, 3), INVALID_VALUE);
	rig->job.num_bytes_to_copy = 0;
	assert_err(submit(rig, 4), INVALID_VALUE);
}

/* Programs take one buffer of a large map and aim it at all of that; a card knows no buffers. */
static void buffers_are_aimed_anywhere_in_their_map(void **state)
{
	struct rig *rig = *state;
	char *elsewhere = rig->memory + SIZE / 2;

	start(rig);
	memset(rig->memory + SIZE / 4, 'e', 100);
	assert_ok(doca_buf_set_data(rig->src, rig->memory + SIZE / 4, 100));
	assert_ok(doca_buf_set_data(rig->dst, elsewhere, 0));
	assert_ok(submit(rig, 5));
	assert_ok(retrieve(rig));
	assert_memory_equal(elsewhere, rig->memory + SIZE / 4, 100);
	assert_int_equal(elsewhere[100], 0);
	assert_ok(doca_buf_set_data(rig->dst, rig->memory + 2 * SIZE + 1, 0));
	assert_err(submit(rig, 6), INVALID_VALUE);
	assert_ok(doca_buf_set_data(rig->dst, rig->memory - 1, 0));
	assert_err(submit(rig, 7), INVALID_VALUE);
	assert_ok(doca_buf_set_data(rig->dst, rig->memory + SIZE, SIZE)); /* it is full */
	assert_err(submit(rig, 8), INVALID_VALUE);
}

/* There it is not aimed at what follows it in memory. */
static void in_a_list_a_full_buffer_is_passed_over(void **state)
{
	struct rig *rig = *state;
	char *memory = rig->memory + SIZE / 4;
	struct doca_buf_inventory *inventory;
	struct doca_buf *full;

	start(rig);
	assert_ok(doca_buf_inventory_create("list", 1, DOCA_BUF_EXTENSION_NONE, &inventory));
	assert_ok(doca_buf_inventory_start(inventory));
	assert_ok(doca_buf_inventory_buf_by_addr(inventory, rig->mmap, memory, 64, &full));
	assert_ok(doca_buf_set_data(full, memory + 64, 0));
	assert_ok(doca_buf_list_chain(full, rig->dst));
	rig->job.dst_buff = full;
	assert_ok(submit(rig, 9));
	assert_ok(retrieve(rig));
	assert_memory_equal(rig->memory + SIZE, rig->memory, SIZE / 8);
	assert_int_equal(memory[64], 0);
	assert_ok(doca_buf_list_unchain(full, rig->dst));
	assert_ok(doca_buf_refcount_rm(full, NULL));
	assert_ok(doca_buf_inventory_destroy(inventory));
}

/* It may have no more than every job has. */
static void a_job_of_another_type_is_not_read(void **state)
{
	struct rig *rig = *state;
	const struct doca_job job = {.type = 4711, .ctx = rig->ctx};

	start(rig);
	assert_err(softfield_dma_submit(rig->workq, NULL), INVALID_VALUE);
	assert_err(softfield_dma_submit_1_4(rig->workq, NULL), INVALID_VALUE);
	assert_err(softfield_dma_submit(rig->workq, &job), NOT_SUPPORTED);
	assert_err(softfield_dma_submit_1_4(rig->workq, &job), NOT_SUPPORTED);
}

static void queue_first_or_start_first(void **state)
{
	struct rig *rig = *state;

	assert_ok(doca_ctx_workq_add(rig->ctx, rig->workq));
	assert_err(submit(rig, 1), BAD_STATE);
	assert_ok(doca_ctx_start(rig->ctx));
	assert_err(doca_ctx_start(rig->ctx), BAD_STATE);
	assert_ok(submit(rig, 1));
	assert_ok(retrieve(rig));
	assert_ok(doca_ctx_workq_rm(rig->ctx, rig->workq));
	assert_err(submit(rig, 2), NOT_FOUND);
	assert_ok(doca_ctx_workq_add(rig->ctx, rig->workq)); /* still told to run */
	assert_ok(submit(rig, 2));
	assert_ok(retrieve(rig));
}

static void the_queue_has_a_depth(void **state)
{
	struct rig *rig = *state;
	uint64_t i;

	assert_ok(doca_buf_set_data(rig->src, rig->memory, 1));
	start(rig);
	for (i = 0; i < DEPTH; i++)
		assert_ok(submit(rig, i));
	assert_err(submit(rig, i), NO_MEMORY);
	assert_err(doca_ctx_workq_rm(rig->ctx, rig->workq), IN_USE);
	for (i = 0; i < DEPTH; i++) {
		assert_ok(retrieve(rig));
		assert_int_equal(rig->event.user_data.u64, i);
		/* What is retrieved makes room for one, not before. */
		assert_ok(doca_buf_set_data(rig->dst, rig->memory + SIZE, 0));
		assert_ok(submit(rig, DEPTH + i));
		assert_err(submit(rig, 99), NO_MEMORY);
	}
	for (i = 0; i < DEPTH; i++)
		assert_ok(retrieve(rig));
}

/* Each queue gives the events of its own jobs. */
static void a_context_may_be_in_several_queues(void **state)
{
	struct rig *rig = *state;
	struct doca_workq *other;
	struct doca_event event;

	assert_ok(doca_workq_create(1, &other));
	start(rig);
	assert_err(doca_ctx_workq_add(rig->ctx, rig->workq), IN_USE);
	assert_err(doca_workq_submit(other, &rig->job.base), NOT_FOUND);
	assert_ok(doca_ctx_workq_add(rig->ctx, other));
	assert_ok(submit(rig, 1));
	rig->job.base.user_data.u64 = 2;
	assert_ok(doca_buf_set_data(rig->dst, rig->memory + SIZE + SIZE / 8, 0));
	assert_ok(doca_workq_submit(other, &rig->job.base));
	assert_ok(retrieve(rig));
	assert_int_equal(rig->event.user_data.u64, 1);
	assert_memory_equal(rig->memory + SIZE, rig->memory, SIZE / 8);
	assert_err(doca_ctx_workq_rm(rig->ctx, other), IN_USE);
	while (doca_workq_progress_retrieve(other, &event, 0) == DOCA_ERROR_AGAIN)
		;
	assert_int_equal(event.result.u64, DOCA_SUCCESS);
	assert_int_equal(event.user_data.u64, 2);
	assert_memory_equal(rig->memory + SIZE + SIZE / 8, rig->memory, SIZE / 8);

	/* Out of either, and into it again; stopped and started, it works in both. */
	assert_ok(doca_ctx_workq_rm(rig->ctx, rig->workq));
	assert_err(doca_dma_destroy(rig->dma), IN_USE);
	assert_ok(doca_ctx_workq_add(rig->ctx, rig->workq));
	assert_ok(doca_ctx_stop(rig->ctx));
	assert_ok(doca_ctx_start(rig->ctx));
	assert_ok(doca_workq_submit(other, &rig->job.base));
	while (doca_workq_progress_retrieve(other, &event, 0) == DOCA_ERROR_AGAIN)
		;
	assert_int_equal(event.result.u64, DOCA_SUCCESS);
	assert_ok(doca_ctx_workq_rm(rig->ctx, other));
	assert_err(doca_workq_submit(other, &rig->job.base), NOT_FOUND);
	assert_ok(doca_workq_destroy(other));
}

/* A map that may be destroyed before its buffers. */
static struct doca_mmap *thread_safe_map(struct rig *rig)
{
	struct doca_mmap *mmap;

	assert_ok(doca_mmap_create(NULL, &mmap));
	assert_ok(doca_mmap_enable_thread_safety(mmap));
	assert_ok(doca_mmap_dev_add(mmap, rig->dev));
	assert_ok(doca_mmap_set_memrange(mmap, rig->memory, SIZE));
	assert_ok(doca_mmap_start(mmap));
	return mmap;
}

static void the_next_job_is_done_after_one_has_failed(void **state)
{
	struct rig *rig = *state;
	struct doca_mmap *mmap = thread_safe_map(rig);
	struct doca_buf *src;

	start(rig);
	assert_ok(doca_buf_inventory_expand(rig->inventory, 1));
	assert_ok(
		doca_buf_inventory_buf_by_data(rig->inventory, mmap, rig->memory, SIZE / 2, &src));
	rig->job.src_buff = src;
	assert_ok(submit(rig, 1));	    /* too much to be copied at once */
	assert_ok(doca_mmap_destroy(mmap)); /* nothing to copy from any more */
	assert_int_not_equal(retrieve(rig), DOCA_SUCCESS);
	assert_int_equal(rig->event.user_data.u64, 1);
	assert_ok(doca_buf_refcount_rm(src, NULL));
	rig->job.src_buff = rig->src;
	assert_ok(submit(rig, 2));
	assert_ok(retrieve(rig));
	assert_memory_equal(rig->memory + SIZE, rig->memory, SIZE / 8);
}

/* The queues of a context are left in any order, and it goes when it is in none. */
static void the_first_of_three_queues_is_left(void **state)
{
	struct rig *rig = *state;
	struct doca_workq *second, *third;
	struct doca_event event;

	start(rig);
	assert_ok(doca_workq_create(1, &second));
	assert_ok(doca_workq_create(1, &third));
	assert_ok(doca_ctx_workq_add(rig->ctx, second));
	assert_ok(doca_ctx_workq_add(rig->ctx, third));
	assert_ok(doca_ctx_workq_rm(rig->ctx, third));
	assert_ok(doca_ctx_workq_rm(rig->ctx, rig->workq));
	assert_ok(doca_workq_submit(second, &rig->job.base));
	while (doca_workq_progress_retrieve(second, &event, 0) == DOCA_ERROR_AGAIN)
		;
	assert_int_equal(event.result.u64, DOCA_SUCCESS);
	assert_ok(doca_ctx_workq_rm(rig->ctx, second));
	assert_err(doca_dma_destroy(rig->dma), IN_USE); /* started */
	assert_ok(doca_ctx_workq_add(rig->ctx, rig->workq));
	assert_ok(doca_ctx_stop(rig->ctx));
	assert_err(doca_dma_destroy(rig->dma), IN_USE); /* in a queue */
	assert_ok(doca_workq_destroy(second));
	assert_ok(doca_workq_destroy(third));
}

static void what_is_wrong_is_refused(void **state)
{
	struct rig *rig = *state;
	doca_event_handle_t handle;
	struct doca_workq *other;

	assert_err(doca_workq_create(0, &other), INVALID_VALUE);
	assert_err(doca_workq_create(1, NULL), INVALID_VALUE);
	assert_err(doca_workq_destroy(NULL), INVALID_VALUE);
	assert_err(doca_ctx_workq_add(NULL, rig->workq), INVALID_VALUE);
	assert_err(doca_ctx_workq_rm(rig->ctx, rig->workq), NOT_FOUND);
	assert_err(doca_ctx_dev_add(rig->ctx, rig->dev), IN_USE);
	start(rig);
	assert_err(doca_ctx_dev_rm(rig->ctx, rig->dev), BAD_STATE);
	assert_err(doca_ctx_workq_add(rig->ctx, rig->workq), IN_USE);
	assert_err(doca_workq_destroy(rig->workq), IN_USE);
	assert_err(doca_workq_submit(rig->workq, NULL), INVALID_VALUE);
	assert_err(doca_workq_progress_retrieve(rig->workq, NULL, 0), INVALID_VALUE);
	assert_err(doca_workq_progress_retrieve(rig->workq, &rig->event, 1), INVALID_VALUE);
	assert_err(doca_workq_progress_retrieve(NULL, &rig->event, 0), INVALID_VALUE);
	assert_err(doca_workq_submit(NULL, &rig->job.base), INVALID_VALUE);
	assert_err(doca_workq_get_event_handle(NULL, &handle), INVALID_VALUE);
	assert_err(doca_workq_get_event_handle(rig->workq, NULL), INVALID_VALUE);
	assert_err(doca_workq_event_handle_arm(NULL), INVALID_VALUE);
	assert_err(softfield_workq_event_handle_clear(NULL), INVALID_VALUE);
	assert_err(doca_ctx_workq_add(rig->ctx, NULL), INVALID_VALUE);
	assert_err(doca_ctx_workq_rm(NULL, rig->workq), INVALID_VALUE);
	assert_err(doca_ctx_workq_rm(rig->ctx, NULL), INVALID_VALUE);
	assert_err(doca_ctx_dev_add(rig->ctx, NULL), INVALID_VALUE);
	assert_err(doca_ctx_dev_rm(NULL, rig->dev), INVALID_VALUE);
	assert_err(softfield_ctx_start_2_2(NULL), INVALID_VALUE);
	rig->job.base.type = 1000;
	assert_err(submit(rig, 1), NOT_SUPPORTED);
	rig->job.base.type = DOCA_DMA_JOB_MEMCPY;
	rig->job.dst_buff = NULL;
	assert_err(submit(rig, 1), INVALID_VALUE);
}

static void other_contexts_do_no_jobs(void **state)
{
	struct rig *rig = *state;
	struct doca_mmap_advise *advise;

	start(rig);
	assert_ok(doca_mmap_advise_create(rig->dev, &advise));
	assert_err(doca_ctx_workq_add(doca_mmap_advise_as_ctx(advise), rig->workq), NOT_SUPPORTED);
	assert_ok(doca_mmap_advise_destroy(advise));
}

static void a_context_leaves_when_its_jobs_are_done(void **state)
{
	struct rig *rig = *state;

	start(rig);
	assert_ok(submit(rig, SIZE));
	assert_err(doca_ctx_workq_rm(rig->ctx, rig->workq), IN_USE);
	while (doca_workq_progress_retrieve(rig->workq, &rig->event, 0) == DOCA_ERROR_AGAIN)
		;
	assert_ok(doca_ctx_workq_rm(rig->ctx, rig->workq));
	assert_err(doca_ctx_workq_rm(rig->ctx, rig->workq), NOT_FOUND);
	assert_ok(doca_ctx_workq_add(rig->ctx, rig->workq));
}

static void the_event_handle_says_when(void **state)
{
	struct rig *rig = *state;
	doca_event_handle_t handle;

	start(rig);
	assert_ok(doca_workq_set_event_driven_enable(rig->workq, 1));
	assert_ok(doca_workq_get_event_handle(rig->workq, &handle));
	assert_ok(doca_workq_event_handle_arm(rig->workq));
	assert_false(is_readable(handle));
	assert_ok(submit(rig, 1));
	assert_true(is_readable(handle));
	assert_ok(doca_workq_event_handle_clear(rig->workq, handle));
	assert_ok(retrieve(rig));
	assert_ok(doca_workq_event_handle_arm(rig->workq));
	assert_false(is_readable(handle));
}

/* What a queue holds and does is more than what it was asked for. */
static void a_queue_says_what_it_was_told(void **state)
{
	struct rig *rig = *state;
	uint32_t depth = 9;
	uint8_t enabled = 9;

	start(rig);
	assert_err(doca_workq_get_depth(NULL, &depth), INVALID_VALUE);
	assert_err(doca_workq_get_depth(rig->workq, NULL), INVALID_VALUE);
	assert_ok(doca_workq_get_depth(rig->workq, &depth));
	assert_int_equal(depth, 1);
	assert_err(doca_workq_set_event_driven_enable(NULL, 1), INVALID_VALUE);
	assert_err(doca_workq_get_event_driven_enable(NULL, &enabled), INVALID_VALUE);
	assert_err(doca_workq_get_event_driven_enable(rig->workq, NULL), INVALID_VALUE);
	assert_ok(doca_workq_get_event_driven_enable(rig->workq, &enabled));
	assert_int_equal(enabled, 0);
	assert_ok(doca_workq_set_event_driven_enable(rig->workq, 1));
	assert_ok(doca_workq_get_event_driven_enable(rig->workq, &enabled));
	assert_int_equal(enabled, 1);
}

static void lists_have_the_names_of_2_2(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *buf = NULL;
	uint32_t count = 0;
	uint8_t is_first = 9, is_last = 9;

	start(rig);
	assert_ok(doca_buf_list_chain(rig->src, rig->dst));
	assert_ok(doca_buf_list_next(rig->src, &buf));
	assert_ptr_equal(buf, rig->dst);
	buf = NULL;
	assert_ok(doca_buf_list_last(rig->src, &buf));
	assert_ptr_equal(buf, rig->dst);
	assert_ok(doca_buf_list_num_elements(rig->src, &count));
	assert_int_equal(count, 2);
	assert_ok(doca_buf_list_is_first(rig->src, &is_first));
	assert_ok(doca_buf_list_is_last(rig->src, &is_last));
	assert_int_equal(is_first, 1);
	assert_int_equal(is_last, 0);
	assert_ok(doca_buf_list_is_first(rig->dst, &is_first));
	assert_ok(doca_buf_list_is_last(rig->dst, &is_last));
	assert_int_equal(is_first, 0);
	assert_int_equal(is_last, 1);
	assert_ok(doca_buf_list_unchain(rig->src, rig->dst));
}

static void a_map_starts_after_its_buffers_were_taken(void **state)
{
	struct rig *rig = *state;
	char *outside = rig->memory + 2 * SIZE;
	struct doca_mmap *mmap;
	struct doca_buf *dst;

	start(rig);
	assert_ok(doca_mmap_create(NULL, &mmap));
	assert_ok(doca_mmap_dev_add(mmap, rig->dev));
	assert_err(doca_buf_inventory_buf_by_addr(rig->inventory, mmap, rig->memory, SIZE, &dst),
		   INVALID_VALUE);
	assert_ok(doca_mmap_set_memrange(mmap, rig->memory + SIZE, SIZE));
	assert_err(doca_buf_inventory_buf_by_addr(rig->inventory, mmap, outside, 1, &dst),
		   INVALID_VALUE);
	assert_ok(doca_buf_list_chain(rig->src, rig->dst));
	assert_ok(doca_buf_list_unchain(rig->src, rig->dst));
	assert_ok(doca_buf_refcount_rm(rig->dst, NULL));
	assert_ok(doca_buf_inventory_buf_by_addr(rig->inventory, mmap, rig->memory + SIZE, SIZE,
						 &dst));
	rig->job.dst_buff = dst;
	assert_ok(doca_mmap_start(mmap));
	assert_ok(submit(rig, 1));
	assert_ok(retrieve(rig));
	assert_memory_equal(rig->memory, rig->memory + SIZE, SIZE / 8);
	assert_ok(doca_buf_refcount_rm(dst, NULL));
	assert_ok(doca_mmap_destroy(mmap));
	assert_ok(doca_buf_inventory_buf_by_addr(rig->inventory, rig->mmap, rig->memory + SIZE,
						 SIZE, &rig->dst));
}

/* A program may be half way to the names of today. */
static void the_forms_of_today_work_besides(void **state)
{
	struct rig *rig = *state;
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap;
	struct doca_dma *dma;
	struct doca_pe *pe;

	start(rig);
	assert_ok(doca_mmap_create(&mmap));
	assert_ok(doca_mmap_destroy(mmap));
	assert_ok(doca_buf_inventory_create(1, &inventory));
	assert_ok(doca_buf_inventory_destroy(inventory));
	assert_ok(doca_pe_create(&pe));
	assert_ok(doca_dma_create(rig->dev, &dma));
	assert_ok(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)));
	assert_err(doca_ctx_start(doca_dma_as_ctx(dma)), INVALID_VALUE); /* no task enabled */
	assert_ok(doca_ctx_stop(doca_dma_as_ctx(dma)));
	assert_ok(doca_dma_destroy(dma));
	assert_ok(doca_pe_destroy(pe));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* for tests that have taken the context out of its queue already */
static int teardown_unqueued(void **state)
{
	struct rig *rig = *state;

	assert_ok(doca_ctx_workq_add(rig->ctx, rig->workq));
	return teardown(state);
}

static void a_context_without_a_device_does_not_start(void **state)
{
	struct rig *rig = *state;

	assert_ok(doca_ctx_dev_rm(rig->ctx, rig->dev));
	assert_err(doca_ctx_start(rig->ctx), BAD_STATE);
	assert_ok(doca_ctx_dev_add(rig->ctx, rig->dev));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_job_copies),
		TEST(buffers_are_aimed_anywhere_in_their_map),
		TEST(in_a_list_a_full_buffer_is_passed_over),
		TEST(a_source_without_data_is_of_1_4),
		TEST(a_job_of_another_type_is_not_read),
		TEST(queue_first_or_start_first),
		TEST(the_queue_has_a_depth),
		TEST(a_context_may_be_in_several_queues),
		TEST(the_first_of_three_queues_is_left),
		TEST(the_next_job_is_done_after_one_has_failed),
		TEST(what_is_wrong_is_refused),
		TEST(other_contexts_do_no_jobs),
		TEST(a_context_leaves_when_its_jobs_are_done),
		TEST(the_event_handle_says_when),
		TEST(a_queue_says_what_it_was_told),
		TEST(lists_have_the_names_of_2_2),
		TEST(a_map_starts_after_its_buffers_were_taken),
		TEST(the_forms_of_today_work_besides),
		cmocka_unit_test_setup_teardown(a_context_without_a_device_does_not_start, setup,
						teardown_unqueued),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
