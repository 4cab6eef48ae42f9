/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of memory share: a started map over an array, and an inventory. */
#ifndef SOFTFIELD_MEMTEST_H
#define SOFTFIELD_MEMTEST_H

#include "devtest.h"
#include "doca_buf.h"
#include "doca_buf_inventory.h"
#include "doca_mmap.h"

static inline struct doca_mmap *started_mmap(void *addr, size_t len)
{
	struct doca_mmap *mmap;

	assert_ok(doca_mmap_create(&mmap));
	assert_ok(doca_mmap_set_memrange(mmap, addr, len));
	assert_ok(doca_mmap_start(mmap));
	return mmap;
}

static inline struct doca_buf_inventory *started_inventory(size_t count)
{
	struct doca_buf_inventory *inventory;

	assert_ok(doca_buf_inventory_create(count, &inventory));
	assert_ok(doca_buf_inventory_start(inventory));
	return inventory;
}

static inline uint32_t count_bufs(const struct doca_mmap *mmap)
{
	uint32_t count = UINT32_MAX;

	assert_ok(doca_mmap_get_num_bufs(mmap, &count));
	return count;
}

static inline uint32_t count_free(const struct doca_buf_inventory *inventory)
{
	uint32_t count = UINT32_MAX;

	assert_ok(doca_buf_inventory_get_num_free_elements(inventory, &count));
	return count;
}

#endif
