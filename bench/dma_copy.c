/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DMA between two processes: the child, on the host, exports memory; the parent, on the DPU, copies
 * to it and from it, one task at a time, which is how programs use it that wait for each copy.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "device.h"
#include "doca_buf.h"
#include "doca_buf_inventory.h"
#include "doca_ctx.h"
#include "doca_dma.h"
#include "doca_mmap.h"
#include "doca_pe.h"
#include "lib/clock.h"
#include "lib/options.h"
#include "lib/pair.h"
#include "lib/report.h"
#include "lib/samples.h"

#define BLOB_MAX 4096
#define PAGE	 4096u
#define BEHIND	 8u /* bytes: begins so much later in its page than the source */

static const size_t default_sizes[] = {8, 64, 4096, 65536, 1048576, 16777216};

/* memory of one side, and the map of it */
struct memory {
	char *addr;
	struct doca_mmap *mmap;
};

/* what the child tells of memory that it has exported */
struct exported {
	char *addr; /* in the child */
	uint64_t took_ns;
	size_t blob_size;
	char blob[BLOB_MAX];
};

struct run {
	int orders[2], answers[2]; /* pipes: sizes to the child, struct exported back */
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_buf_inventory *inventory;
	struct samples samples;
	bool done;
};

static void memory_open(struct memory *memory, struct doca_dev *dev, size_t size, uint32_t access)
{
	memory->addr = aligned_alloc(PAGE, (size + PAGE - 1) & ~(size_t)(PAGE - 1));
	if (!memory->addr)
		bench_fail("no memory for %zu bytes", size);
	memset(memory->addr, 1, size);
	CHECK(doca_mmap_create(&memory->mmap));
	CHECK(doca_mmap_add_dev(memory->mmap, dev));
	CHECK(doca_mmap_set_memrange(memory->mmap, memory->addr, size));
	CHECK(doca_mmap_set_permissions(memory->mmap, access));
	CHECK(doca_mmap_start(memory->mmap));
}

static void memory_close(struct memory *memory)
{
	CHECK(doca_mmap_destroy(memory->mmap));
	free(memory->addr);
}

static void transfer(ssize_t done, size_t size)
{
	if (done != (ssize_t)size)
		bench_fail("the other process is gone");
}

/*
 * Child: exports whole pages for each size that it is sent, until that is 0.
 */

static void export_one(const struct run *run, struct doca_dev *dev, size_t size)
{
	struct memory memory;
	struct exported exported;
	uint64_t start_ns;
	const void *blob;

	size = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
	memory_open(&memory, dev, size, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	start_ns = clock_ns();
	CHECK(doca_mmap_export_pci(memory.mmap, dev, &blob, &exported.blob_size));
	exported.took_ns = clock_ns() - start_ns;
	if (exported.blob_size > BLOB_MAX)
		bench_fail("a descriptor of %zu bytes", exported.blob_size);
	exported.addr = memory.addr;
	memcpy(exported.blob, blob, exported.blob_size);
	transfer(write(run->answers[1], &exported, sizeof(exported)), sizeof(exported));
	transfer(read(run->orders[0], &size, sizeof(size)), sizeof(size)); /* the parent is done */
	memory_close(&memory);
}

static void export_all(void *arg)
{
	const struct run *run = arg;
	struct doca_dev *dev = device_open(DEVICE_HOST);
	size_t size;

	for (;;) {
		transfer(read(run->orders[0], &size, sizeof(size)), sizeof(size));
		if (!size)
			break;
		export_one(run, dev, size);
	}
	CHECK(doca_dev_close(dev));
}

/*
 * Parent
 */

static void order(const struct run *run, size_t size)
{
	transfer(write(run->orders[1], &size, sizeof(size)), sizeof(size));
}

static void copied(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		   union doca_data ctx_user_data)
{
	struct run *run = ctx_user_data.ptr;

	(void)task;
	(void)task_user_data;
	run->done = true;
}

static void not_copied(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		       union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	CHECK(doca_task_get_status(doca_dma_task_memcpy_as_task(task)));
}

static void open_dma(struct run *run)
{
	struct doca_ctx *ctx;

	run->dev = device_open(DEVICE_DPU);
	CHECK(doca_pe_create(&run->pe));
	CHECK(doca_dma_create(run->dev, &run->dma));
	ctx = doca_dma_as_ctx(run->dma);
	CHECK(doca_pe_connect_ctx(run->pe, ctx));
	CHECK(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = run}));
	CHECK(doca_dma_task_memcpy_set_conf(run->dma, copied, not_copied, 1));
	CHECK(doca_ctx_start(ctx));
	CHECK(doca_buf_inventory_create(2, &run->inventory));
	CHECK(doca_buf_inventory_start(run->inventory));
	samples_init(&run->samples);
}

static void close_dma(struct run *run)
{
	samples_fini(&run->samples);
	CHECK(doca_buf_inventory_destroy(run->inventory));
	CHECK(doca_ctx_stop(doca_dma_as_ctx(run->dma)));
	CHECK(doca_dma_destroy(run->dma));
	CHECK(doca_pe_destroy(run->pe));
	CHECK(doca_dev_close(run->dev));
}

static void copy_once(struct run *run, struct doca_dma_task_memcpy *task, struct doca_buf *to)
{
	run->done = false;
	CHECK(doca_buf_reset_data_len(to));
	CHECK(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
	while (!run->done)
		doca_pe_progress(run->pe);
}

static void measure(struct run *run, const char *name, const struct memory *to,
		    const struct memory *from, size_t size, uint64_t point_ns)
{
	struct doca_dma_task_memcpy *task;
	struct doca_buf *source, *destination;
	uint64_t end_ns;

	CHECK(doca_buf_inventory_buf_get_by_data(run->inventory, from->mmap, from->addr, size,
						 &source));
	CHECK(doca_buf_inventory_buf_get_by_addr(run->inventory, to->mmap, to->addr, size,
						 &destination));
	CHECK(doca_dma_task_memcpy_alloc_init(run->dma, source, destination, (union doca_data){0},
					      &task));
	run->samples.count = 0;
	end_ns = clock_ns() + point_ns;
	while (!samples_full(&run->samples) && clock_ns() < end_ns) {
		uint64_t start = clock_ticks();

		copy_once(run, task, destination);
		samples_add(&run->samples, clock_ticks() - start);
	}
	samples_drop_warmup(&run->samples);
	report_row(name, "copy_p50", size, samples_percentile(&run->samples, 50), "ns");
	doca_task_free(doca_dma_task_memcpy_as_task(task));
	CHECK(doca_buf_dec_refcount(source, NULL));
	CHECK(doca_buf_dec_refcount(destination, NULL));
}

static void measure_size(struct run *run, size_t size, uint64_t point_ns)
{
	struct memory here, there, behind;
	struct exported exported;

	order(run, size);
	transfer(read(run->answers[0], &exported, sizeof(exported)), sizeof(exported));
	report_row("softfield_dma", "export", size, (double)exported.took_ns, "ns");
	there.addr = exported.addr;
	CHECK(doca_mmap_create_from_export(NULL, exported.blob, exported.blob_size, run->dev,
					   &there.mmap));
	memory_open(&here, run->dev, size, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	measure(run, "softfield_dma_write", &there, &here, size, point_ns);
	measure(run, "softfield_dma_read", &here, &there, size, point_ns);
	if (size >= PAGE) {
		behind = (struct memory){.addr = there.addr + BEHIND, .mmap = there.mmap};
		measure(run, "softfield_dma_write_behind", &behind, &here, size - BEHIND, point_ns);
	}
	memory_close(&here);
	CHECK(doca_mmap_destroy(there.mmap));
	order(run, size);
}

int main(int argc, char **argv)
{
	struct bench_options options;
	struct run run = {0};
	pid_t child;

	options_parse(&options, argc, argv);
	options_default_sizes(&options, default_sizes, sizeof(default_sizes) / sizeof(size_t));
	if (pipe(run.orders) || pipe(run.answers))
		bench_fail("no pipes");
	child = pair_fork(options.cpu, export_all, &run);
	open_dma(&run);
	for (size_t i = 0; i < options.size_count; i++)
		measure_size(&run, options.sizes[i], options.point_ns);
	order(&run, 0);
	close_dma(&run);
	pair_join(child);
	return 0;
}
