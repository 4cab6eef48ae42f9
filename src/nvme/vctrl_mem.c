/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Medium in the memory of this process. Pages exist once they have been written.
 *
 * Queues are polled by different threads, and no block may be seen half written: each copy of a
 * block holds the latch that its place has been dealt. Zeroing gives pages back to the kernel,
 * under the hands of all others: it holds every latch.
 */
#include "nvme/vctrl_priv.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LATCHES 32u /* the thread sanitizer follows 64 that are held at once */

struct latch {
	alignas(64) pthread_mutex_t mutex;
};

struct mem_medium {
	struct vctrl_medium base;
	uint8_t *data;
	size_t size;
	struct latch latches[LATCHES];
};

/* whole pages go back to the kernel and read as zeros; the ragged ends are cleared */
static void clear(uint8_t *data, uint64_t size)
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

static void zero(struct mem_medium *mem, const struct vctrl_io *io)
{
	size_t i;

	for (i = 0; i < LATCHES; i++)
		pthread_mutex_lock(&mem->latches[i].mutex);
	clear(mem->data + io->offset, io->size);
	for (i = 0; i < LATCHES; i++)
		pthread_mutex_unlock(&mem->latches[i].mutex);
}

/* copies the next size bytes of the vectors and uses them up */
static void copy_vectors(struct vctrl_io *io, uint8_t *at, size_t size)
{
	while (size) {
		struct iovec *part = io->iov;
		size_t bytes = part->iov_len < size ? part->iov_len : size;

		if (io->op == VCTRL_READ)
			memcpy(part->iov_base, at, bytes);
		else
			memcpy(at, part->iov_base, bytes);
		part->iov_base = (uint8_t *)part->iov_base + bytes;
		part->iov_len -= bytes;
		if (!part->iov_len)
			io->iov++;
		at += bytes;
		size -= bytes;
	}
}

static void copy(struct mem_medium *mem, struct vctrl_io *io)
{
	const uint64_t unit =
		mem->base.block_size > NVME_PAGE_SIZE ? mem->base.block_size : NVME_PAGE_SIZE;
	uint64_t at = io->offset, end = io->offset + io->size, next;

	for (; at < end; at = next) {
		pthread_mutex_t *latch = &mem->latches[at / unit % LATCHES].mutex;

		next = (at / unit + 1) * unit;
		if (next > end)
			next = end;
		pthread_mutex_lock(latch);
		copy_vectors(io, mem->data + at, next - at);
		pthread_mutex_unlock(latch);
	}
}

static void mem_start(struct vctrl_channel *channel, struct vctrl_io *io)
{
	struct mem_medium *mem = container_of(channel->medium, struct mem_medium, base);

	if (io->op == VCTRL_ZERO || io->op == VCTRL_DISCARD)
		zero(mem, io);
	else if (io->op != VCTRL_FLUSH)
		copy(mem, io);
	vctrl_io_done(channel, io, NVME_SC_SUCCESS);
}

static void mem_destroy(struct vctrl_medium *medium)
{
	struct mem_medium *mem = container_of(medium, struct mem_medium, base);
	size_t i;

	for (i = 0; i < LATCHES; i++)
		pthread_mutex_destroy(&mem->latches[i].mutex);
	munmap(mem->data, mem->size);
	free(mem);
}

static const struct vctrl_medium_ops mem_ops = {
	.name = "memory",
	.open = vctrl_plain_open,
	.close = vctrl_plain_close,
	.start = mem_start,
	.poll = vctrl_plain_poll,
	.fd = vctrl_plain_fd,
	.destroy = mem_destroy,
};

doca_error_t vctrl_mem_create(uint64_t size, struct vctrl_medium **ret_medium)
{
	struct mem_medium *mem;
	size_t i;

	if (!size || size > SIZE_MAX)
		return DOCA_ERROR_INVALID_VALUE;
	mem = aligned_alloc(alignof(struct mem_medium), sizeof(*mem));
	if (!mem)
		return DOCA_ERROR_NO_MEMORY;
	memset(mem, 0, sizeof(*mem));
	mem->data = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mem->data == MAP_FAILED) {
		free(mem);
		return DOCA_ERROR_NO_MEMORY;
	}
	for (i = 0; i < LATCHES; i++)
		pthread_mutex_init(&mem->latches[i].mutex, NULL);
	mem->size = size;
	mem->base.ops = &mem_ops;
	mem->base.min_block_size = 512;
	atomic_init(&mem->base.size, size);
	*ret_medium = &mem->base;
	return DOCA_SUCCESS;
}
