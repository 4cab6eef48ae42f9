/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An optimized program that uses a buffer. Prints how much data it has, where that begins, and its
 * task's status.
 */
#include <stdio.h>
#include <stdlib.h>
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_mmap.h>
#include <doca_pe.h>

static void check(doca_error_t err)
{
	if (err) {
		printf("%s\n", doca_error_get_name(err));
		exit(1);
	}
}

int main(void)
{
	static char memory[4096];
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap;
	struct doca_buf *buf;
	void *data;
	size_t size;

	check(doca_mmap_create(&mmap));
	check(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	check(doca_mmap_start(mmap));
	check(doca_buf_inventory_create(1, &inventory));
	check(doca_buf_inventory_start(inventory));
	check(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory, sizeof(memory), &buf));
	check(doca_buf_set_data(buf, memory + 8, 100));
	check(doca_buf_get_data(buf, &data));
	check(doca_buf_get_data_len(buf, &size));
	printf("%zu at %d, status %d\n", size, (int)((char *)data - memory),
	       doca_task_get_status(NULL));
	return 0;
}
