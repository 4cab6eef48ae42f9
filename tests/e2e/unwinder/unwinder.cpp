// SPDX-License-Identifier: BSD-3-Clause
// Exceptions leave callbacks of a program that is linked with -static-libgcc: three copies, each
// of which ends by one.
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

static const size_t SIZE = 4096;
static const int COPIES = 3;

static void check(doca_error_t err, const char *what)
{
	if (err != DOCA_SUCCESS)
		throw std::runtime_error(std::string(what) + ": " + doca_error_get_name(err));
}

static void copied(struct doca_dma_task_memcpy *task, union doca_data, union doca_data)
{
	doca_task_free(doca_dma_task_memcpy_as_task(task));
	throw std::length_error("copied");
}

static struct doca_dev *open_first()
{
	struct doca_devinfo **list;
	struct doca_dev *dev;
	uint32_t count;

	check(doca_devinfo_create_list(&list, &count), "list of devices");
	check(count ? doca_dev_open(list[0], &dev) : DOCA_ERROR_NOT_FOUND, "device");
	check(doca_devinfo_destroy_list(list), "end of the list");
	return dev;
}

struct engine {
	struct doca_dev *dev = open_first();
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	char memory[2 * SIZE] = {};

	engine()
	{
		check(doca_pe_create(&pe), "engine");
		check(doca_dma_create(dev, &dma), "dma");
		check(doca_dma_task_memcpy_set_conf(dma, copied, copied, COPIES), "tasks");
		check(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)), "connecting");
		check(doca_ctx_start(doca_dma_as_ctx(dma)), "start");
		check(doca_mmap_create(&mmap), "map");
		check(doca_mmap_set_memrange(mmap, memory, sizeof(memory)), "range");
		check(doca_mmap_add_dev(mmap, dev), "device of the map");
		check(doca_mmap_start(mmap), "start of the map");
		check(doca_buf_inventory_create(2 * COPIES, &inventory), "inventory");
		check(doca_buf_inventory_start(inventory), "start of the inventory");
	}

	void copy()
	{
		struct doca_dma_task_memcpy *task;
		struct doca_buf *src, *dst;
		union doca_data none = {};

		check(doca_buf_inventory_buf_get_by_data(inventory, mmap, memory, SIZE, &src),
		      "src");
		check(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory + SIZE, SIZE,
							 &dst),
		      "dst");
		check(doca_dma_task_memcpy_alloc_init(dma, src, dst, none, &task), "task");
		check(doca_task_submit(doca_dma_task_memcpy_as_task(task)), "submit");
	}
};

int main()
try {
	engine e;
	int caught = 0;

	memset(e.memory, 'x', SIZE);
	for (int i = 0; i < COPIES; i++)
		e.copy();
	while (caught < COPIES) {
		try {
			doca_pe_progress(e.pe);
		} catch (const std::length_error &) {
			caught++;
		}
	}
	check(doca_ctx_stop(doca_dma_as_ctx(e.dma)), "stop");
	return memcmp(e.memory, e.memory + SIZE, SIZE) ? 1 : 0;
} catch (const std::exception &e) {
	fprintf(stderr, "%s\n", e.what());
	return 1;
}
