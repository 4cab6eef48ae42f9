/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Medium in the memory of this process. Pages exist once they have been written.
 */
#include "nvme/vctrl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct mem_medium {
	struct vctrl_medium base;
	uint8_t *data;
	size_t size;
};

static doca_error_t mem_open(struct vctrl_medium *medium, unsigned int depth,
			     struct vctrl_channel **ret_channel)
{
	struct vctrl_channel *channel = calloc(1, sizeof(*channel));

	(void)medium;
	(void)depth;
	if (!channel)
		return DOCA_ERROR_NO_MEMORY;
	*ret_channel = channel;
	return DOCA_SUCCESS;
}

static void mem_close(struct vctrl_channel *channel)
{
	free(channel);
}

/* whole pages go back to the kernel and read as zeros; the ragged ends are cleared */
static void zero(uint8_t *data, uint64_t size)
{
	uintptr_t start = (uintptr_t)data, end = start + size;
	uintptr_t first = (start + NVME_PAGE_SIZE - 1) & ~(uintptr_t)(NVME_PAGE_SIZE - 1);
	uintptr_t last = end & ~(uintptr_t)(NVME_PAGE_SIZE - 1);

	if (first >= last || madvise((void *)first, last - first, MADV_DONTNEED)) {
		memset(data, 0, size);
		return;
	}
	memset(data, 0, first - start);
	memset((void *)last, 0, end - last);
}

static void mem_start(struct vctrl_channel *channel, struct vctrl_io *io)
{
	struct mem_medium *mem = container_of(channel->medium, struct mem_medium, base);
	uint8_t *at = mem->data + io->offset;
	unsigned int i;

	if (io->op == VCTRL_ZERO || io->op == VCTRL_DISCARD)
		zero(at, io->size);
	for (i = 0; i < io->iov_count; i++) {
		if (io->op == VCTRL_READ)
			memcpy(io->iov[i].iov_base, at, io->iov[i].iov_len);
		else if (io->op == VCTRL_WRITE)
			memcpy(at, io->iov[i].iov_base, io->iov[i].iov_len);
		at += io->iov[i].iov_len;
	}
	vctrl_io_done(channel, io, NVME_SC_SUCCESS);
}

static unsigned int mem_poll(struct vctrl_channel *channel)
{
	(void)channel;
	return 0;
}

static int mem_fd(const struct vctrl_channel *channel)
{
	(void)channel;
	return -1;
}

static void mem_destroy(struct vctrl_medium *medium)
{
	struct mem_medium *mem = container_of(medium, struct mem_medium, base);

	munmap(mem->data, mem->size);
	free(mem);
}

static const struct vctrl_medium_ops mem_ops = {
	.name = "memory",
	.open = mem_open,
	.close = mem_close,
	.start = mem_start,
	.poll = mem_poll,
	.fd = mem_fd,
	.destroy = mem_destroy,
};

doca_error_t vctrl_mem_create(uint64_t size, struct vctrl_medium **ret_medium)
{
	struct mem_medium *mem;

	if (!size || size > SIZE_MAX)
		return DOCA_ERROR_INVALID_VALUE;
	mem = calloc(1, sizeof(*mem));
	if (!mem)
		return DOCA_ERROR_NO_MEMORY;
	mem->data = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mem->data == MAP_FAILED) {
		free(mem);
		return DOCA_ERROR_NO_MEMORY;
	}
	mem->size = size;
	mem->base.ops = &mem_ops;
	mem->base.min_block_size = 512;
	atomic_init(&mem->base.size, size);
	*ret_medium = &mem->base;
	return DOCA_SUCCESS;
}
