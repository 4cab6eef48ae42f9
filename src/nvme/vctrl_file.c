/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Medium in a file or a block device, through io_uring; where the kernel does not allow that
 * (seccomp filters of containers), or has no thread for it, through ordinary system calls that
 * block the polling thread.
 */
#define LOG_MODULE "nvme"
#include "nvme/vctrl_file_steps.h"

#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "base/fd.h"
#include "base/log.h"
#include "nvme/vctrl_ranges.h"

struct file_medium {
	struct vctrl_medium base;
	int fd;
	bool is_device;
	bool no_uring;
	/* flushes have not been told yet; relaxed: it hangs on no other data */
	_Atomic bool has_lost;
	struct vctrl_ranges ranges;
};

struct file_channel {
	struct vctrl_channel base;
	bool has_ring, closing;
	struct io_uring ring;
	unsigned int running;
	struct list_node waiting; /* for their ranges */
	struct list_node slow;	  /* without a ring: the polls do it */
};

static struct file_medium *file_of(const struct vctrl_channel *channel)
{
	return container_of(channel->medium, struct file_medium, base);
}

/* Flushes have nothing between that could be left out. */
static bool is_unwanted(const struct file_channel *channel, const struct vctrl_io *io)
{
	return io->op != VCTRL_FLUSH && (io->aborted || channel->closing);
}

/* file_after(), unless nobody wants the rest */
static bool goes_on(const struct file_channel *channel, struct vctrl_io *io, int result,
		    uint16_t *status)
{
	if (!file_after(io, result, status))
		return false;
	if (!is_unwanted(channel, io))
		return true;
	*status = NVME_SC_ABORT_REQUESTED;
	return false;
}

static void issue(struct file_channel *channel, struct vctrl_io *io)
{
	/* never NULL: the ring has an entry for each transfer, and submitting frees it */
	struct io_uring_sqe *sqe = io_uring_get_sqe(&channel->ring);

	if (!sqe) {
		io_uring_submit(&channel->ring);
		sqe = io_uring_get_sqe(&channel->ring);
	}
	assert(sqe);
	file_prepare(sqe, file_of(&channel->base)->fd, io);
}

static void finish(struct file_channel *channel, struct vctrl_io *io, uint16_t status)
{
	struct file_medium *file = file_of(&channel->base);

	if (io->op != VCTRL_FLUSH) {
		vctrl_range_leave(&file->ranges, io);
		if (io->step == FILE_LOST)
			atomic_store_explicit(&file->has_lost, true, memory_order_relaxed);
	} else if (atomic_exchange_explicit(&file->has_lost, false, memory_order_relaxed) &&
		   !status) {
		status = NVME_SC_WRITE_FAULT;
	}
	vctrl_io_done(&channel->base, io, status);
}

static void begin(struct file_channel *channel, struct vctrl_io *io)
{
	uint16_t status;

	if (channel->has_ring) {
		channel->running++;
		issue(channel, io);
		return;
	}
	if (io->op == VCTRL_ZERO || io->op == VCTRL_DISCARD) {
		list_add_tail(&channel->slow, &io->waiting);
		return;
	}
	while (goes_on(channel, io, file_call(file_of(&channel->base)->fd, io), &status))
		;
	finish(channel, io, status);
}

static void end_aborted(struct file_channel *channel, struct vctrl_io *io)
{
	list_remove(&io->waiting);
	finish(channel, io, NVME_SC_ABORT_REQUESTED);
}

/* One call: others have their turn between. */
static unsigned int run_slow(struct file_channel *channel)
{
	struct list_node *node, *tmp;
	struct vctrl_io *io;
	uint16_t status;

	list_for_each_safe (node, tmp, &channel->slow) {
		io = container_of(node, struct vctrl_io, waiting);
		if (io->aborted)
			end_aborted(channel, io);
	}
	if (list_is_empty(&channel->slow))
		return 0;
	io = container_of(channel->slow.next, struct vctrl_io, waiting);
	if (!goes_on(channel, io, file_call(file_of(&channel->base)->fd, io), &status)) {
		list_remove(&io->waiting);
		finish(channel, io, status);
	}
	return 1;
}

static unsigned int first_step(const struct vctrl_io *io)
{
	if (io->op == VCTRL_WRITE && io->expected)
		return FILE_COMPARE;
	return io->op == VCTRL_FLUSH || (io->op == VCTRL_READ && io->fua) ? FILE_SYNC
									  : FILE_TRANSFER;
}

static void file_start(struct vctrl_channel *base, struct vctrl_io *io)
{
	struct file_channel *channel = container_of(base, struct file_channel, base);

	io->step = first_step(io);
	if (io->op == VCTRL_FLUSH || vctrl_range_enter(&file_of(base)->ranges, io))
		begin(channel, io);
	else
		list_add_tail(&channel->waiting, &io->waiting);
}

static unsigned int begin_waiting(struct file_channel *channel)
{
	struct vctrl_ranges *ranges = &file_of(&channel->base)->ranges;
	struct list_node *node, *tmp;
	unsigned int count = 0;

	list_for_each_safe (node, tmp, &channel->waiting) {
		struct vctrl_io *io = container_of(node, struct vctrl_io, waiting);

		if (io->aborted) {
			end_aborted(channel, io);
		} else if (vctrl_range_is_free(ranges, io)) {
			list_remove(node);
			begin(channel, io);
		} else {
			continue;
		}
		count++;
	}
	return count;
}

static void reap(struct file_channel *channel, struct io_uring_cqe *cqe)
{
	struct vctrl_io *io = io_uring_cqe_get_data(cqe);
	int result = cqe->res;
	uint16_t status;

	io_uring_cqe_seen(&channel->ring, cqe);
	if (result == -ECANCELED) /* there may be no more threads: a limit of them */
		result = file_call(file_of(&channel->base)->fd, io);
	if (goes_on(channel, io, result, &status)) {
		issue(channel, io);
		return;
	}
	channel->running--;
	finish(channel, io, status);
}

/* completions wait in the kernel; liburing has a function for it from 2.2 on */
static bool has_overflow(const struct io_uring *ring)
{
	return IO_URING_READ_ONCE(*ring->sq.kflags) & IORING_SQ_CQ_OVERFLOW;
}

static unsigned int file_poll(struct vctrl_channel *base)
{
	struct file_channel *channel = container_of(base, struct file_channel, base);
	struct io_uring_cqe *cqe;
	unsigned int count = begin_waiting(channel);

	count += run_slow(channel);
	if (!channel->running)
		return count;
	/* also gives the kernel a chance to finish what waits for this thread */
	if (io_uring_sq_ready(&channel->ring) || has_overflow(&channel->ring))
		io_uring_submit(&channel->ring);
	while (io_uring_peek_cqe(&channel->ring, &cqe) == 0) {
		reap(channel, cqe);
		count++;
	}
	if (io_uring_sq_ready(&channel->ring)) /* continued after short transfers */
		io_uring_submit(&channel->ring);
	return count;
}

static int file_fd(const struct vctrl_channel *base)
{
	const struct file_channel *channel = container_of(base, struct file_channel, base);

	return channel->has_ring ? channel->ring.ring_fd : -1;
}

/* What waits may wait for another channel; of what is in the ring the descriptor may have told. */
static bool file_must_poll(const struct vctrl_channel *base)
{
	const struct file_channel *channel = container_of(base, struct file_channel, base);

	if (!list_is_empty(&channel->waiting) || !list_is_empty(&channel->slow))
		return true;
	return channel->running &&
	       (io_uring_sq_ready(&channel->ring) || io_uring_cq_ready(&channel->ring) ||
		has_overflow(&channel->ring));
}

static void forget(struct file_channel *channel, struct list_node *list)
{
	struct list_node *node;

	while ((node = list_pop(list)))
		vctrl_range_leave(&file_of(&channel->base)->ranges,
				  container_of(node, struct vctrl_io, waiting));
}

static void file_close(struct vctrl_channel *base)
{
	struct file_channel *channel = container_of(base, struct file_channel, base);
	struct io_uring_cqe *cqe;

	channel->closing = true;
	forget(channel, &channel->waiting);
	forget(channel, &channel->slow);
	while (channel->running) {
		int err = io_uring_submit_and_wait(&channel->ring, 1);

		if (err < 0 && err != -EINTR)
			break;
		while (io_uring_peek_cqe(&channel->ring, &cqe) == 0)
			reap(channel, cqe);
	}
	if (channel->has_ring)
		io_uring_queue_exit(&channel->ring);
	free(channel);
}

/* No standard descriptor (base/fd.h): one that would be is held until there is another. */
static int init_ring(struct io_uring *ring, unsigned int depth)
{
	int err = io_uring_queue_init(depth, ring, 0);
	struct io_uring held = *ring;

	if (err || ring->ring_fd > STDERR_FILENO)
		return err;
	err = init_ring(ring, depth);
	io_uring_queue_exit(&held);
	return err;
}

static doca_error_t file_open(struct vctrl_medium *medium, unsigned int depth,
			      struct vctrl_channel **ret_channel)
{
	const struct file_medium *file = container_of(medium, struct file_medium, base);
	struct file_channel *channel = calloc(1, sizeof(*channel));
	int err;

	if (!channel)
		return DOCA_ERROR_NO_MEMORY;
	list_init(&channel->waiting);
	list_init(&channel->slow);
	err = file->no_uring ? -EPERM : init_ring(&channel->ring, depth);
	channel->has_ring = err == 0;
	if (err && !file->no_uring)
		LOG_WRN("no io_uring for a queue of %u (%s): reads and writes will block the "
			"engine",
			depth, strerror(-err));
	*ret_channel = &channel->base;
	return DOCA_SUCCESS;
}

static doca_error_t find_size(const struct file_medium *file, uint64_t *ret_size)
{
	struct stat st;

	if (file->is_device)
		return ioctl(file->fd, BLKGETSIZE64, ret_size) ? priv_err_from_errno(errno)
							       : DOCA_SUCCESS;
	if (fstat(file->fd, &st))
		return priv_err_from_errno(errno);
	*ret_size = (uint64_t)st.st_size;
	return DOCA_SUCCESS;
}

static doca_error_t file_rescan(struct vctrl_medium *medium)
{
	struct file_medium *file = container_of(medium, struct file_medium, base);
	uint64_t size;
	doca_error_t err = find_size(file, &size);

	if (!err)
		atomic_store_explicit(&medium->size, size, memory_order_relaxed);
	return err;
}

static void file_destroy(struct vctrl_medium *medium)
{
	struct file_medium *file = container_of(medium, struct file_medium, base);

	vctrl_ranges_fini(&file->ranges);
	close(file->fd);
	free(file);
}

static const struct vctrl_medium_ops file_ops = {
	.open = file_open,
	.close = file_close,
	.start = file_start,
	.poll = file_poll,
	.fd = file_fd,
	.must_poll = file_must_poll,
	.rescan = file_rescan,
	.destroy = file_destroy,
};

/* past the page cache the blocks of the device below the file system count, if they are told */
static uint32_t direct_block_size(const struct file_medium *file)
{
	uint32_t size = 0;
#ifdef STATX_DIOALIGN
	struct statx st;

	if (!statx(file->fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &st) &&
	    st.stx_mask & STATX_DIOALIGN)
		size = st.stx_dio_offset_align;
#else
	(void)file;
#endif
	return size < 512 ? 512 : size;
}

static bool is_disk(const struct stat *st)
{
	return S_ISREG(st->st_mode) || S_ISBLK(st->st_mode);
}

/* Where the file system is read-only, that the program may write does not help. */
static doca_error_t open_error(const char *path, int err)
{
	doca_error_t code = err == EROFS ? DOCA_ERROR_NOT_PERMITTED : priv_err_from_errno(err);

	if (code == DOCA_ERROR_OPERATING_SYSTEM)
		LOG_ERR("%s cannot be opened: %s", path, strerror(err));
	return code == DOCA_ERROR_FULL ? DOCA_ERROR_NO_MEMORY : code;
}

/* A look before: opening a FIFO waits for somebody else. */
static doca_error_t open_disk(const char *path, int flags, int *ret_fd)
{
	struct stat st;

	if (stat(path, &st))
		return open_error(path, errno);
	if (!is_disk(&st))
		return DOCA_ERROR_INVALID_VALUE;
	do
		*ret_fd = priv_fd_lift(open(path, flags | O_CLOEXEC));
	while (*ret_fd < 0 && priv_fd_made_room());
	return *ret_fd < 0 ? open_error(path, errno) : DOCA_SUCCESS;
}

/* kind, size, block size and the promise that nobody else serves it */
static doca_error_t inspect(struct file_medium *file, bool direct)
{
	struct stat st;
	uint64_t size;
	int sector = 512;
	doca_error_t err;

	if (fstat(file->fd, &st))
		return priv_err_from_errno(errno);
	if (!is_disk(&st))
		return DOCA_ERROR_INVALID_VALUE;
	file->is_device = S_ISBLK(st.st_mode);
	if (flock(file->fd, (file->base.read_only ? LOCK_SH : LOCK_EX) | LOCK_NB))
		return errno == EWOULDBLOCK ? DOCA_ERROR_IN_USE : priv_err_from_errno(errno);
	if (file->is_device && ioctl(file->fd, BLKSSZGET, &sector))
		return priv_err_from_errno(errno);
	file->base.min_block_size = (uint32_t)sector;
	if (direct && !file->is_device)
		file->base.min_block_size = direct_block_size(file);
	err = find_size(file, &size);
	if (err)
		return err;
	if (!size)
		return DOCA_ERROR_INVALID_VALUE;
	atomic_init(&file->base.size, size);
	return DOCA_SUCCESS;
}

doca_error_t vctrl_file_create(const struct vctrl_file_attr *attr, struct vctrl_medium **ret_medium)
{
	int flags = (attr->read_only ? O_RDONLY : O_RDWR) | (attr->direct ? O_DIRECT : 0);
	struct file_medium *file = calloc(1, sizeof(*file));
	doca_error_t err;

	if (!file)
		return DOCA_ERROR_NO_MEMORY;
	file->base.ops = &file_ops;
	file->base.read_only = attr->read_only;
	file->base.write_cache = true;
	file->no_uring = attr->no_uring;
	err = open_disk(attr->path, flags, &file->fd);
	if (err)
		goto free_file;
	err = inspect(file, attr->direct);
	if (err)
		goto close_fd;
	vctrl_ranges_init(&file->ranges);
	*ret_medium = &file->base;
	return DOCA_SUCCESS;

close_fd:
	close(file->fd);
free_file:
	free(file);
	return err;
}
