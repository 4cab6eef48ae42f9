/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions that generators of bindings find with DOCA_LEGACY_2_2_BINDINGS: called by their
 * addresses, which no macro can give.
 */
#define DOCA_LEGACY_2_2_BINDINGS
#include "test.h"

#include <string.h>
#include "doca_buf.h"
#include "doca_buf_inventory.h"
#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_dma.h"
#include "doca_mmap.h"

#define SIZE 4096

static char memory[2 * SIZE];

/* a mapping made as up to 2.2 */
static struct doca_mmap *map(struct doca_dev *dev)
{
	doca_error_t (*create)(const union doca_data *, struct doca_mmap **) = doca_mmap_create;
	doca_error_t (*start)(struct doca_mmap *) = doca_mmap_start;
	doca_error_t (*add)(struct doca_mmap *, struct doca_dev *) = doca_mmap_dev_add;
	struct doca_mmap *mmap;

	assert_err(create(NULL, NULL), INVALID_VALUE);
	assert_ok(create(NULL, &mmap));
	assert_ok(add(mmap, dev));
	assert_err((doca_mmap_set_max_num_chunks)(mmap, 0), INVALID_VALUE);
	assert_ok((doca_mmap_set_max_num_chunks)(mmap, 1));
	assert_ok(doca_mmap_set_permissions(mmap, DOCA_ACCESS_LOCAL_READ_WRITE));
	assert_ok(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	assert_ok(start(mmap));
	return mmap;
}

static struct doca_dev *open_first(void)
{
	struct doca_devinfo **list;
	struct doca_dev *dev;
	uint32_t count, elements = 0;
	uint8_t all, export = 0;
	uint64_t size;

	assert_ok(doca_devinfo_list_create(&list, &count));
	assert_ok((doca_dma_job_get_supported)(list[0], DOCA_DMA_JOB_MEMCPY));
	assert_ok((doca_dma_get_max_buf_size)(list[0], &size));
	assert_true(size >= SIZE);
	assert_ok((doca_dma_get_max_list_buf_num_elem)(list[0], &elements));
	assert_true(elements > 1);
	assert_ok((doca_devinfo_rep_get_is_list_all_supported)(list[0], &all));
	assert_ok((doca_devinfo_get_is_mmap_export_dpu_supported)(list[0], &export));
	assert_int_equal(export, 1);
	assert_ok(doca_dev_open(list[0], &dev));
	assert_ok(doca_devinfo_list_destroy(list));
	return dev;
}

static void copy(struct doca_workq *workq, struct doca_ctx *ctx, struct doca_buf *dst,
		 struct doca_buf *src)
{
	struct doca_dma_job_memcpy job = {
		.base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = ctx, .user_data.u64 = 7},
		.dst_buff = dst,
		.src_buff = src,
	};
	struct doca_event event;
	doca_error_t err;

	assert_ok((doca_workq_submit)(workq, &job.base));
	do
		err = (doca_workq_progress_retrieve)(workq, &event, 0);
	while (err == DOCA_ERROR_AGAIN);
	assert_ok(err);
	assert_int_equal(event.user_data.u64, 7);
	assert_int_equal(event.result.u64, DOCA_SUCCESS);
}

static void check_list_of_one(struct doca_buf *buf)
{
	struct doca_buf *next = buf, *last = NULL;
	bool is_first = false, is_last = false;
	uint32_t count = 0;

	assert_ok((doca_buf_list_next)(buf, &next));
	assert_null(next);
	assert_ok((doca_buf_list_last)(buf, &last));
	assert_ptr_equal(last, buf);
	assert_ok((doca_buf_list_is_first)(buf, &is_first));
	assert_ok((doca_buf_list_is_last)(buf, &is_last));
	assert_true(is_first && is_last);
	assert_ok((doca_buf_list_num_elements)(buf, &count));
	assert_int_equal(count, 1);
}

static void a_job_copies(void **state)
{
	doca_error_t (*by_args)(struct doca_buf_inventory *, struct doca_mmap *, void *, size_t,
				void *, size_t, struct doca_buf **) =
		doca_buf_inventory_buf_by_args;
	struct doca_dev *dev = open_first();
	struct doca_mmap *mmap = map(dev);
	struct doca_buf_inventory *inventory;
	struct doca_workq *workq;
	struct doca_buf *src, *dst;
	struct doca_dma *dma;
	struct doca_ctx *ctx;

	(void)state;
	assert_ok((doca_buf_inventory_create)(NULL, 2, DOCA_BUF_EXTENSION_NONE, &inventory));
	assert_ok(doca_buf_inventory_start(inventory));
	assert_ok(by_args(inventory, mmap, memory, SIZE, memory, SIZE, &src));
	assert_ok(by_args(inventory, mmap, memory + SIZE, SIZE, memory + SIZE, 0, &dst));
	assert_ok((doca_dma_create)(&dma));
	ctx = doca_dma_as_ctx(dma);
	assert_ok((doca_ctx_dev_add)(ctx, dev));
	assert_ok((doca_ctx_start)(ctx));
	assert_ok((doca_workq_create)(1, &workq));
	assert_ok((doca_ctx_workq_add)(ctx, workq));
	memset(memory, 0x5a, SIZE);
	copy(workq, ctx, dst, src);
	check_list_of_one(src);
	assert_memory_equal(memory, memory + SIZE, SIZE);
	assert_ok((doca_buf_refcount_rm)(src, NULL));
	assert_ok((doca_buf_refcount_rm)(dst, NULL));
	assert_ok((doca_ctx_workq_rm)(ctx, workq));
	assert_ok((doca_ctx_stop)(ctx));
	assert_ok((doca_ctx_dev_rm)(ctx, dev));
	assert_ok((doca_workq_destroy)(workq));
	assert_ok(doca_dma_destroy(dma));
	assert_ok(doca_buf_inventory_destroy(inventory));
	assert_ok((doca_mmap_dev_rm)(mmap, dev));
	assert_ok(doca_mmap_destroy(mmap));
	assert_ok(doca_dev_close(dev));
}

static void a_queue_says_what_it_was_told(void **state)
{
	struct doca_workq *workq;
	uint8_t enabled = 9;
	uint32_t depth = 0;

	(void)state;
	assert_ok((doca_ctx_get_max_num_ctx)(&depth));
	assert_true(depth > 7);
	assert_ok((doca_workq_create)(7, &workq));
	assert_ok((doca_workq_get_depth)(workq, &depth));
	assert_int_equal(depth, 7);
	assert_ok((doca_workq_set_event_driven_enable)(workq, 1));
	assert_ok((doca_workq_get_event_driven_enable)(workq, &enabled));
	assert_int_equal(enabled, 1);
	assert_ok((doca_workq_destroy)(workq));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_copies),
		cmocka_unit_test(a_queue_says_what_it_was_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
