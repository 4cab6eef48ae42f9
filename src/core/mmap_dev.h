/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory maps as DPA code sees them: by number. What a number stands for is looked up without a
 * lock, by any thread. A map that has been stopped or destroyed is noticed; one that is stopped or
 * destroyed meanwhile must not be in use, as on a card.
 */
#ifndef SOFTFIELD_CORE_MMAP_DEV_H
#define SOFTFIELD_CORE_MMAP_DEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/export.h"
#include "doca_error.h"
#include "doca_mmap.h"

/* One from a map to another, or within one. */
struct mmap_dev_copy {
	doca_dpa_dev_mmap_t dst_mmap, src_mmap;
	uint64_t dst_addr, src_addr;
	size_t size;
};

/*
 * Where [addr, addr + size) of a map is in this process. Logs what is wrong, once for a map.
 * NOT_FOUND: no such handle (any more). INVALID_VALUE: outside of the map. NOT_PERMITTED: to be
 * written, but the map is for reading. NOT_SUPPORTED: of another process whose pages could not be
 * mapped, where only priv_mmap_dev_copy() gets. Where such memory was there is memory of nobody
 * when the map is gone.
 */
PRIV_EXPORT doca_error_t priv_mmap_dev_ptr(doca_dpa_dev_mmap_t handle, uint64_t addr, size_t size,
					   bool writable, void **ret_ptr);
/*
 * Copies, also from and to maps of another process. Logs what is wrong. Besides the errors above
 * those of priv_region_read(): CONNECTION_RESET, IO_FAILED.
 */
PRIV_EXPORT doca_error_t priv_mmap_dev_copy(const struct mmap_dev_copy *copy);

/*
 * The handle of a started map, made when first asked for. With the map's lock held. NO_MEMORY: also
 * if too many maps have one
 */
doca_error_t mmap_dev_handle(struct doca_mmap *mmap, doca_dpa_dev_mmap_t *ret_handle);
/* The map is not started any more: its handle, if it has one, stands for nothing. */
void mmap_dev_forget(struct doca_mmap *mmap);

#endif
