/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of this process that devices may reach. Its bus address is its virtual address: it lies
 * where also IOMMUs with few address bits see it, as far as there is room. It belongs to the
 * process, not to a target: the allocator of a target has no context. Not for fast paths.
 */
#ifndef SOFTFIELD_NVME_DMA_H
#define SOFTFIELD_NVME_DMA_H

#include <stdbool.h>
#include <stddef.h>
#include "base/list.h"
#include "doca_error.h"

/* The addresses that some devices see. */
struct dma_space {
	struct list_node node;
	/* whole pages; from any thread, one at a time */
	doca_error_t (*map)(struct dma_space *space, void *addr, size_t size);
	void (*unmap)(struct dma_space *space, void *addr, size_t size);
};

/*
 * zeroed, whole pages, also from any thread; NULL: no memory, or a device cannot be made to see it
 */
void *dma_alloc(size_t size);
void dma_free(void *memory);
/* is all of it in one piece of such memory? */
bool dma_contains(const void *addr, size_t size);

/* maps what there is and what there will be; on failure nothing stays mapped */
doca_error_t dma_attach(struct dma_space *space);
void dma_detach(struct dma_space *space);

#endif
