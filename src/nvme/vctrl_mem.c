/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Medium in the memory of this process. Pages exist once they have been written.
 *
 * Queues are polled by different threads, and no block may be seen half written: each copy of a
 * block holds the latch that its place has been dealt. Zeroing gives pages back to the kernel,
 * under the hands of all others: it holds every latch, and takes the kernel its time. So what is
 * more than a piece is done by polls, a little in each: others have their turn between.
 */
#include "nvme/vctrl_priv.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "base/clock.h"
#include "base/copy.h"
#include "base/page.h"

#define LATCHES 32u	   /* the thread sanitizer follows 64 that are held at once */
#define POLL_NS 1000000ull /* after which no piece is begun any more */
/* Memory that is not there takes no time: pieces grow as long as they are quick. */
#define PIECE	  (4u << 20)
#define PIECE_MAX (64u << 20)
#define QUICK_NS  (POLL_NS / 8)

struct latch {
	alignas(64) pthread_mutex_t mutex;
};

struct mem_medium {
	struct vctrl_medium base;
	uint8_t *data;
	size_t size;
	struct latch latches[LATCHES];
};

struct mem_channel {
	struct vctrl_channel base;
	uint64_t cleared; /* bytes, since the last poll */
	struct list_node clearing;
};

/* whole pages go back to the kernel and read as zeros; the ragged ends are cleared */
static void clear(uint8_t *data, uint64_t size)
{
	uint8_t *end = data + size, *first = (uint8_t *)page_up(data),
		*last = (uint8_t *)page_down(end);

	if (first >= last || madvise(first, (size_t)(last - first), MADV_DONTNEED)) {
		memset(data, 0, size);
		return;
	}
	memset(data, 0, (size_t)(first - data));
	memset(last, 0, (size_t)(end - last));
}

/* what no other sees in part */
static uint64_t unit_of(const struct mem_medium *mem)
{
	return mem->base.block_size > NVME_PAGE_SIZE ? mem->base.block_size : NVME_PAGE_SIZE;
}

/* the next piece, of so many bytes at most */
static void zero(struct mem_medium *mem, struct vctrl_io *io, uint64_t max)
{
	uint64_t at = io->offset + io->progress, end = io->offset + io->size, unit = unit_of(mem);
	size_t i;

	if (end - at > max)
		end = (at + max) / unit * unit;
	for (i = 0; i < LATCHES; i++)
		pthread_mutex_lock(&mem->latches[i].mutex);
	clear(mem->data + at, end - at);
	for (i = 0; i < LATCHES; i++)
		pthread_mutex_unlock(&mem->latches[i].mutex);
	io->progress = end - io->offset;
}

/* copies the next size bytes of the vectors and uses them up */
static void copy_vectors(struct vctrl_io *io, uint8_t *at, size_t size)
{
	while (size) {
		struct iovec *part = io->iov;
		size_t bytes = part->iov_len < size ? part->iov_len : size;

		if (io->op == VCTRL_READ)
			copy_bytes(part->iov_base, at, bytes);
		else
			copy_bytes(at, part->iov_base, bytes);
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
	const uint64_t unit = unit_of(mem);
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

/* One block, which is never seen while this is between the two. */
static uint16_t compare_and_copy(struct mem_medium *mem, struct vctrl_io *io)
{
	uint8_t *at = mem->data + io->offset;
	pthread_mutex_t *latch = &mem->latches[io->offset / unit_of(mem) % LATCHES].mutex;
	bool matches;

	assert(io->size == mem->base.block_size);
	pthread_mutex_lock(latch);
	matches = vctrl_io_expects(io, at);
	if (matches)
		copy_vectors(io, at, io->size);
	pthread_mutex_unlock(latch);
	return matches ? NVME_SC_SUCCESS : NVME_SC_COMPARE_FAILURE | NVME_SC_DNR;
}

static struct mem_medium *medium_of(const struct vctrl_channel *base)
{
	return container_of(base->medium, struct mem_medium, base);
}

static struct mem_channel *channel_of(const struct vctrl_channel *base)
{
	return container_of(base, struct mem_channel, base);
}

/* false: the polls do it */
static bool zero_at_once(struct mem_channel *channel, struct vctrl_io *io)
{
	if (io->size > PIECE - channel->cleared) {
		list_add_tail(&channel->clearing, &io->waiting);
		return false;
	}
	channel->cleared += io->size;
	zero(medium_of(&channel->base), io, PIECE);
	return true;
}

static void mem_start(struct vctrl_channel *base, struct vctrl_io *io)
{
	bool is_zero = io->op == VCTRL_ZERO || io->op == VCTRL_DISCARD;
	uint16_t status = NVME_SC_SUCCESS;

	if (is_zero && !zero_at_once(channel_of(base), io))
		return;
	if (io->op == VCTRL_WRITE && io->expected)
		status = compare_and_copy(medium_of(base), io);
	else if (!is_zero && io->op != VCTRL_FLUSH)
		copy(medium_of(base), io);
	vctrl_io_done(base, io, status);
}

static unsigned int end_aborted(struct mem_channel *channel)
{
	struct list_node *node, *tmp;
	unsigned int count = 0;

	list_for_each_safe (node, tmp, &channel->clearing) {
		struct vctrl_io *io = container_of(node, struct vctrl_io, waiting);

		if (!io->aborted)
			continue;
		list_remove(node);
		vctrl_io_done(&channel->base, io, NVME_SC_ABORT_REQUESTED);
		count++;
	}
	return count;
}

static unsigned int mem_poll(struct vctrl_channel *base)
{
	struct mem_channel *channel = channel_of(base);
	uint64_t now_ns, end_ns, piece = PIECE;
	unsigned int count;

	channel->cleared = 0;
	if (list_is_empty(&channel->clearing))
		return 0;
	count = end_aborted(channel);
	now_ns = clock_now_ns();
	end_ns = now_ns + POLL_NS;
	while (!list_is_empty(&channel->clearing) && now_ns < end_ns) {
		struct vctrl_io *io =
			container_of(channel->clearing.next, struct vctrl_io, waiting);
		uint64_t before_ns = now_ns;

		zero(medium_of(base), io, piece);
		now_ns = clock_now_ns();
		if (piece < PIECE_MAX && now_ns - before_ns < QUICK_NS)
			piece *= 2;
		else
			piece = PIECE;
		count++;
		if (io->progress < io->size)
			continue;
		list_remove(&io->waiting);
		vctrl_io_done(base, io, NVME_SC_SUCCESS);
	}
	return count;
}

static int mem_fd(const struct vctrl_channel *base)
{
	(void)base;
	return -1;
}

static bool mem_must_poll(const struct vctrl_channel *base)
{
	return !list_is_empty(&channel_of(base)->clearing);
}

static doca_error_t mem_open(struct vctrl_medium *medium, unsigned int depth,
			     struct vctrl_channel **ret_channel)
{
	struct mem_channel *channel = calloc(1, sizeof(*channel));

	(void)medium;
	(void)depth;
	if (!channel)
		return DOCA_ERROR_NO_MEMORY;
	list_init(&channel->clearing);
	*ret_channel = &channel->base;
	return DOCA_SUCCESS;
}

static void mem_close(struct vctrl_channel *base)
{
	free(channel_of(base));
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
	.open = mem_open,
	.close = mem_close,
	.start = mem_start,
	.poll = mem_poll,
	.fd = mem_fd,
	.must_poll = mem_must_poll,
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
