/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory maps, properties and DMA jobs as a program of releases up to 1.5 uses them.
 */
#define DOCA_LEGACY_1_4
#include "test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "doca_buf.h"
#include "doca_buf_inventory.h"
#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_dma.h"
#include "doca_mmap.h"
#include "leak.h"

#define SIZE 4096

struct rig {
	struct leak before;
	struct doca_dev *dev;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_workq *workq;
	char *src, *dst; /* two chunks */
	int freed;	 /* by the map */
};

static struct doca_dev *open_first(void)
{
	struct doca_pci_bdf addr = {0}, today;
	struct doca_devinfo **list;
	struct doca_dev *dev;
	uint32_t count, caps = 0;
	char name[DOCA_DEVINFO_IBDEV_NAME_SIZE], name_today[DOCA_DEVINFO_IBDEV_NAME_SIZE];

	assert_ok(doca_devinfo_list_create(&list, &count));
	assert_ok(doca_devinfo_property_get(list[0], DOCA_DEVINFO_PROPERTY_PCI_ADDR,
					    (uint8_t *)&addr, sizeof(addr)));
	assert_ok(doca_devinfo_get_pci_addr(list[0], &today));
	assert_int_equal(addr.raw, today.raw);
	assert_ok(doca_devinfo_property_get(list[0], DOCA_DEVINFO_PROPERTY_IBDEV_NAME,
					    (uint8_t *)name, sizeof(name)));
	assert_ok(doca_devinfo_get_ibdev_name(list[0], name_today, sizeof(name_today)));
	assert_string_equal(name, name_today);
	assert_err(doca_devinfo_property_get(list[0], DOCA_DEVINFO_PROPERTY_PCI_ADDR,
					     (uint8_t *)&addr, sizeof(addr) - 1),
		   INVALID_VALUE);
	assert_err(doca_devinfo_property_get(list[0], (enum doca_devinfo_property)99,
					     (uint8_t *)&addr, sizeof(addr)),
		   NOT_SUPPORTED);
	assert_ok(doca_dma_devinfo_caps_get(list[0], &caps));
	assert_true(caps & DOCA_DMA_CAP_HW_OFFLOAD);
	assert_ok(doca_dev_open(list[0], &dev));
	assert_ok(doca_devinfo_list_destroy(list));
	return dev;
}

static void free_chunk(void *addr, size_t len, void *opaque)
{
	struct rig *rig = opaque;

	assert_true(addr == rig->src || addr == rig->dst);
	assert_int_equal(len, SIZE);
	free(addr);
	rig->freed++;
}

/* Started, then given its device, then populated, as programs of that age do. */
static int setup(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	const uint32_t chunks = 2;
	uint8_t event_driven = 0;

	assert_non_null(rig);
	rig->before = leak_count();
	rig->dev = open_first();
	rig->src = calloc(1, SIZE);
	rig->dst = calloc(1, SIZE);
	assert_ok(doca_mmap_create("map", &rig->mmap));
	assert_ok(doca_mmap_property_set(rig->mmap, DOCA_MMAP_MAX_NUM_CHUNKS,
					 (const uint8_t *)&chunks, sizeof(chunks)));
	assert_ok(doca_mmap_set_max_num_chunks(rig->mmap, chunks));
	assert_ok(doca_mmap_start(rig->mmap));
	assert_ok(doca_mmap_dev_add(rig->mmap, rig->dev));
	assert_ok(doca_mmap_populate(rig->mmap, rig->src, SIZE, 4096, free_chunk, rig));
	assert_ok(doca_buf_inventory_create("inventory", 3, DOCA_BUF_EXTENSION_NONE,
					    &rig->inventory));
	assert_ok(doca_buf_inventory_start(rig->inventory));
	assert_ok(doca_dma_create(&rig->dma));
	rig->ctx = doca_dma_as_ctx(rig->dma);
	assert_ok(doca_ctx_get_event_driven_supported(rig->ctx, &event_driven));
	assert_int_equal(event_driven, 1);
	assert_ok(doca_workq_create(4, &rig->workq));
	assert_ok(doca_ctx_dev_add(rig->ctx, rig->dev));
	assert_ok(doca_ctx_start(rig->ctx));
	assert_ok(doca_ctx_workq_add(rig->ctx, rig->workq));
	*state = rig;
	return 0;
}

static int teardown(void **state)
{
	struct rig *rig = *state;
	uint8_t exported;
	bool clean;

	assert_ok(doca_ctx_workq_rm(rig->ctx, rig->workq));
	assert_ok(doca_ctx_stop(rig->ctx));
	assert_ok(doca_ctx_dev_rm(rig->ctx, rig->dev));
	assert_ok(doca_mmap_get_exported(rig->mmap, &exported));
	if (!exported)
		assert_ok(doca_mmap_dev_rm(rig->mmap, rig->dev)); /* before it is destroyed */
	assert_ok(doca_workq_destroy(rig->workq));
	assert_ok(doca_dma_destroy(rig->dma));
	assert_ok(doca_buf_inventory_destroy(rig->inventory));
	assert_ok(doca_mmap_destroy(rig->mmap));
	assert_ok(doca_dev_close(rig->dev));
	if (rig->freed < 2)
		free(rig->dst);
	clean = leak_check(&rig->before);
	free(rig);
	return clean ? 0 : -1;
}

static struct doca_buf *buf_of(struct rig *rig, struct doca_mmap *mmap, char *addr)
{
	struct doca_buf *buf;

	assert_ok(doca_buf_inventory_buf_by_addr(rig->inventory, mmap, addr, SIZE, &buf));
	return buf;
}

static doca_error_t try_submit(struct rig *rig, struct doca_buf *src, struct doca_buf *dst,
			       uint64_t count)
{
	struct doca_dma_job_memcpy job = {
		.base = {.type = DOCA_DMA_JOB_MEMCPY,
			 .flags = DOCA_JOB_FLAGS_NONE,
			 .ctx = rig->ctx},
		.src_buff = src,
		.dst_buff = dst,
		.num_bytes_to_copy = count,
	};

	return doca_workq_submit(rig->workq, &job.base);
}

static void submit(struct rig *rig, struct doca_buf *src, struct doca_buf *dst, uint64_t count)
{
	assert_ok(try_submit(rig, src, dst, count));
}

static doca_error_t retrieve(struct rig *rig)
{
	struct doca_event event;
	doca_error_t err;

	do
		err = doca_workq_progress_retrieve(rig->workq, &event,
						   DOCA_WORKQ_RETRIEVE_FLAGS_NONE);
	while (err == DOCA_ERROR_AGAIN);
	assert_ok(err);
	assert_int_equal(event.type, DOCA_DMA_JOB_MEMCPY);
	return (doca_error_t)event.result.u64;
}

/* The same job twice, both in the queue: nothing is appended. */
static void jobs_copy_so_many_bytes_between_chunks_again_and_again(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *src, *dst;

	assert_ok(doca_mmap_populate(rig->mmap, rig->dst, SIZE, 4096, free_chunk, rig));
	src = buf_of(rig, rig->mmap, rig->src);
	dst = buf_of(rig, rig->mmap, rig->dst);
	memset(rig->src, 'a', SIZE);
	submit(rig, src, dst, SIZE - 1);
	submit(rig, src, dst, SIZE - 1);
	assert_ok(retrieve(rig));
	assert_ok(retrieve(rig));
	assert_memory_equal(rig->dst, rig->src, SIZE - 1);
	assert_int_equal(rig->dst[SIZE - 1], 0);
	assert_ok(doca_buf_refcount_rm(src, NULL));
	assert_ok(doca_buf_refcount_rm(dst, NULL));
}

/* the second one would not fit behind the first */
static void replace_twice(struct rig *rig, struct doca_mmap *src_map, char *src,
			  struct doca_mmap *dst_map, char *dst)
{
	struct doca_buf *from = buf_of(rig, src_map, src), *to = buf_of(rig, dst_map, dst);

	for (char round = 'a'; round <= 'b'; round++) {
		memset(src, round, SIZE);
		submit(rig, from, to, SIZE);
		assert_ok(retrieve(rig));
		assert_memory_equal(dst, src, SIZE);
	}
	assert_ok(doca_buf_refcount_rm(from, NULL));
	assert_ok(doca_buf_refcount_rm(to, NULL));
}

/* One populated map is enough: the other one may be imported. */
static void jobs_replace_when_either_map_was_populated(void **state)
{
	struct rig *rig = *state;
	struct doca_mmap *plain;

	assert_ok(doca_mmap_create(&plain));
	assert_ok(doca_mmap_add_dev(plain, rig->dev));
	assert_ok(doca_mmap_set_memrange(plain, rig->dst, SIZE));
	assert_ok(doca_mmap_set_permissions(plain, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
	assert_ok(doca_mmap_start(plain));
	replace_twice(rig, rig->mmap, rig->src, plain, rig->dst);
	replace_twice(rig, plain, rig->dst, rig->mmap, rig->src);
	assert_ok(doca_mmap_destroy(plain));
}

static void a_refused_job_leaves_the_destination_alone(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *src, *dst;
	size_t len;

	assert_ok(doca_mmap_populate(rig->mmap, rig->dst, SIZE, 4096, free_chunk, rig));
	src = buf_of(rig, rig->mmap, rig->src);
	dst = buf_of(rig, rig->mmap, rig->dst);
	submit(rig, src, dst, SIZE - 1);
	assert_ok(retrieve(rig));
	assert_err(try_submit(rig, src, dst, SIZE + 1), INVALID_VALUE);
	assert_ok(doca_buf_get_data_len(dst, &len));
	assert_int_equal(len, SIZE - 1);
	assert_ok(doca_buf_refcount_rm(src, NULL));
	assert_ok(doca_buf_refcount_rm(dst, NULL));
}

/* The size is the job's: the source is as the program has made it, and jobs do not mix theirs. */
static void jobs_of_one_source_have_sizes_of_their_own(void **state)
{
	struct rig *rig = *state;
	struct doca_dma_job_memcpy long_one = {.base = {.type = DOCA_DMA_JOB_MEMCPY}};
	struct doca_buf *src, *dst, *other;
	size_t size;

	assert_ok(doca_mmap_populate(rig->mmap, rig->dst, SIZE, 4096, free_chunk, rig));
	src = buf_of(rig, rig->mmap, rig->src);
	dst = buf_of(rig, rig->mmap, rig->dst);
	assert_ok(doca_buf_inventory_buf_by_addr(rig->inventory, rig->mmap, rig->dst + 2000, 100,
						 &other));
	assert_ok(doca_buf_set_data(src, rig->src, 100));
	memset(rig->src, 'a', SIZE);
	submit(rig, src, dst, 1000);
	submit(rig, src, other, 8);
	long_one.base.ctx = rig->ctx;
	long_one.src_buff = src;
	long_one.dst_buff = other;
	long_one.num_bytes_to_copy = SIZE + 1;
	assert_err(doca_workq_submit(rig->workq, &long_one.base), INVALID_VALUE);
	assert_ok(retrieve(rig));
	assert_ok(retrieve(rig));
	assert_memory_equal(rig->dst, rig->src, 1000);
	assert_int_equal(rig->dst[1000], 0);
	assert_memory_equal(rig->dst + 2000, rig->src, 8);
	assert_int_equal(rig->dst[2008], 0);
	assert_ok(doca_buf_get_data_len(src, &size));
	assert_int_equal(size, 100);
	assert_ok(doca_buf_refcount_rm(src, NULL));
	assert_ok(doca_buf_refcount_rm(dst, NULL));
	assert_ok(doca_buf_refcount_rm(other, NULL));
}

static void descriptors_are_text_of_the_callers(void **state)
{
	struct rig *rig = *state;
	struct doca_mmap *imported;
	struct doca_buf *src;
	char *desc, head[64];
	size_t size;

	assert_ok(doca_mmap_export(rig->mmap, rig->dev, (uint8_t **)&desc, &size));
	assert_int_equal(size, strlen(desc) + 1);
	snprintf(head, sizeof(head), "{\"addr\":%" PRIuPTR ",\"len\":%d,", (uintptr_t)rig->src,
		 SIZE);
	assert_memory_equal(desc, head, strlen(head));
	assert_ok(doca_mmap_create_from_export("name", desc, size, rig->dev, &imported));
	src = buf_of(rig, imported, rig->src);
	assert_ok(doca_buf_refcount_rm(src, NULL));
	assert_ok(doca_mmap_destroy(imported));
	strrchr(desc, '"')[-1] = 'x'; /* the last digit of the bytes */
	assert_err(doca_mmap_create_from_export(NULL, desc, size, rig->dev, &imported),
		   INVALID_VALUE);
	free(desc);
}

/* Once there is a descriptor, its devices are what it says. */
static void shared_maps_keep_their_devices(void **state)
{
	struct rig *rig = *state;
	struct doca_mmap *imported;
	struct doca_devinfo **list;
	struct doca_dev *other;
	uint32_t count;
	size_t size;
	void *desc;

	assert_ok(doca_devinfo_list_create(&list, &count));
	assert_true(count > 1);
	assert_ok(doca_dev_open(list[1], &other));
	assert_ok(doca_devinfo_list_destroy(list));
	assert_ok(doca_mmap_dev_add(rig->mmap, other));
	assert_ok(doca_mmap_dev_rm(rig->mmap, other));
	assert_ok(doca_mmap_export(rig->mmap, rig->dev, &desc, &size));
	assert_err(doca_mmap_dev_add(rig->mmap, other), NOT_PERMITTED);
	assert_err(doca_mmap_dev_rm(rig->mmap, rig->dev), NOT_PERMITTED);
	assert_ok(doca_mmap_create_from_export(NULL, desc, size, rig->dev, &imported));
	assert_err(doca_mmap_dev_add(imported, other), NOT_PERMITTED);
	assert_err(doca_mmap_dev_rm(imported, rig->dev), NOT_PERMITTED);
	assert_ok(doca_mmap_destroy(imported));
	assert_ok(doca_dev_close(other));
	free(desc);
}

static void what_is_wrong_is_refused(void **state)
{
	struct rig *rig = *state;
	const uint32_t none = 0;
	struct doca_buf *buf;
	size_t size;
	void *desc;

	assert_err(doca_mmap_populate(rig->mmap, rig->dst, SIZE, 3, NULL, NULL), INVALID_VALUE);
	assert_err(doca_mmap_populate(rig->mmap, rig->dst, 0, 4096, NULL, NULL), INVALID_VALUE);
	assert_err(doca_mmap_property_set(rig->mmap, DOCA_MMAP_MAX_NUM_CHUNKS,
					  (const uint8_t *)&none, sizeof(none)),
		   INVALID_VALUE);
	assert_err(doca_buf_inventory_buf_by_addr(rig->inventory, rig->mmap, rig->dst, SIZE, &buf),
		   INVALID_VALUE);
	assert_ok(doca_mmap_populate(rig->mmap, rig->dst, SIZE, 4096, free_chunk, rig));
	assert_err(doca_mmap_export(rig->mmap, rig->dev, &desc, &size), NOT_SUPPORTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			jobs_copy_so_many_bytes_between_chunks_again_and_again, setup, teardown),
		cmocka_unit_test_setup_teardown(jobs_replace_when_either_map_was_populated, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_refused_job_leaves_the_destination_alone, setup,
						teardown),
		cmocka_unit_test_setup_teardown(jobs_of_one_source_have_sizes_of_their_own, setup,
						teardown),
		cmocka_unit_test_setup_teardown(descriptors_are_text_of_the_callers, setup,
						teardown),
		cmocka_unit_test_setup_teardown(shared_maps_keep_their_devices, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_wrong_is_refused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
