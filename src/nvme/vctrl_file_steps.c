/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a transfer of a file is made of: which system call comes next, and what its result means.
 *
 * Meaning on the medium: a write is in the page cache (or, with direct, in the device's cache) when
 * it completes; FUA is RWF_DSYNC, or, where a sandbox has no such flag, an fdatasync afterwards,
 * and a read with FUA comes after an fdatasync, as it has to be of what is durable; flush is
 * fdatasync, which covers every write completed before it; zeroes and discards are fallocate. The
 * kernel promises nothing about reads beside writes: what overlaps is executed one after the other,
 * see vctrl_ranges.h. What it could not bring to the medium it tells once, to whoever syncs first:
 * if that was no flush, the next one fails, too.
 */
#include "nvme/vctrl_file_steps.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"

#define ZERO_CHUNK 65536u /* where the file system cannot zero: written in pieces */

/*
 * A call cannot be cut short, so it takes a piece. Holes take no time: pieces grow as long as they
 * are quick, or a disk that is mostly empty would take thousands of calls.
 */
#define PIECE	  (256ull << 20)
#define PIECE_MAX (16ull << 30)
#define QUICK_NS  2000000ull

/* IORING_OP_FALLOCATE and FSYNC have no data of their own; this is what is written as zeros */
static _Alignas(4096) uint8_t zeros[ZERO_CHUNK];

static uint16_t status_from_errno(int err, enum vctrl_op op)
{
	switch (err) {
	case EIO:
	case EILSEQ:
		return op == VCTRL_READ ? NVME_SC_READ_ERROR : NVME_SC_WRITE_FAULT;
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		return NVME_SC_CAPACITY_EXCEEDED | NVME_SC_DNR;
	case EROFS:
	case EPERM:
		return NVME_SC_NS_WRITE_PROTECTED | NVME_SC_DNR;
	case EOPNOTSUPP:
		return NVME_SC_INVALID_OPCODE | NVME_SC_DNR;
	default:
		return NVME_SC_INTERNAL_ERROR;
	}
}

/* drops the first bytes of the vectors after a short transfer */
static void advance(struct vctrl_io *io, uint64_t bytes)
{
	io->progress += bytes;
	while (bytes) {
		uint64_t part = bytes < io->iov->iov_len ? bytes : io->iov->iov_len;

		io->iov->iov_base = (char *)io->iov->iov_base + part;
		io->iov->iov_len -= part;
		bytes -= part;
		if (!io->iov->iov_len) {
			io->iov++;
			io->iov_count--;
		}
	}
}

/* A file that has become shorter has no zeros beyond its end: no hole will do there. */
static bool ends_beyond_file(int fd, const struct vctrl_io *io)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	       io->offset + io->size > (uint64_t)st.st_size;
}

static int falloc_mode(int fd, const struct vctrl_io *io)
{
	if (io->op == VCTRL_DISCARD || (io->unmap && !ends_beyond_file(fd, io)))
		return FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
	return FALLOC_FL_ZERO_RANGE;
}

/* what the next call zeroes or discards */
static uint64_t piece_size(const struct vctrl_io *io)
{
	uint64_t left = io->size - io->progress;
	uint64_t max = io->step == FILE_WRITE_ZEROS ? ZERO_CHUNK : io->piece;

	return left < max ? left : max;
}

static void begin_piece(struct vctrl_io *io)
{
	if (!io->progress)
		io->piece = PIECE;
	io->begun_ns = clock_now_ns();
}

static void end_piece(struct vctrl_io *io)
{
	io->progress += piece_size(io);
	if (clock_now_ns() - io->begun_ns > QUICK_NS)
		io->piece = PIECE;
	else if (io->piece < PIECE_MAX)
		io->piece *= 2;
}

static int rw_flags(const struct vctrl_io *io)
{
	return io->fua && io->op == VCTRL_WRITE && io->step == FILE_TRANSFER ? RWF_DSYNC : 0;
}

void file_prepare(struct io_uring_sqe *sqe, int fd, struct vctrl_io *io)
{
	uint64_t offset = io->offset + io->progress;

	if (io->step == FILE_SYNC) {
		io_uring_prep_fsync(sqe, fd, IORING_FSYNC_DATASYNC);
	} else if (io->step == FILE_COMPARE) {
		io_uring_prep_read(sqe, fd, (uint8_t *)io->scratch + io->progress,
				   (unsigned int)(io->size - io->progress), offset);
	} else if (io->step == FILE_WRITE_ZEROS) {
		io_uring_prep_write(sqe, fd, zeros, (unsigned int)piece_size(io), offset);
	} else if (io->op == VCTRL_READ) {
		io_uring_prep_readv(sqe, fd, io->iov, io->iov_count, offset);
	} else if (io->op == VCTRL_WRITE) {
		io_uring_prep_writev(sqe, fd, io->iov, io->iov_count, offset);
		sqe->rw_flags = rw_flags(io);
	} else {
		begin_piece(io);
		io_uring_prep_fallocate(sqe, fd, falloc_mode(fd, io), (off_t)offset,
					(off_t)piece_size(io));
	}
	io_uring_sqe_set_data(sqe, io);
}

static ssize_t call_fallocate(int fd, struct vctrl_io *io, off_t offset)
{
	begin_piece(io);
	return fallocate(fd, falloc_mode(fd, io), offset, (off_t)piece_size(io));
}

int file_call(int fd, struct vctrl_io *io)
{
	off_t offset = (off_t)(io->offset + io->progress);
	ssize_t n;

	do {
		if (io->step == FILE_SYNC)
			n = fdatasync(fd);
		else if (io->step == FILE_COMPARE)
			n = pread(fd, (uint8_t *)io->scratch + io->progress,
				  io->size - io->progress, offset);
		else if (io->step == FILE_WRITE_ZEROS)
			n = pwrite(fd, zeros, piece_size(io), offset);
		else if (io->op == VCTRL_READ)
			n = preadv(fd, io->iov, (int)io->iov_count, offset);
		else if (io->op == VCTRL_WRITE)
			n = pwritev2(fd, io->iov, (int)io->iov_count, offset, rw_flags(io));
		else
			n = call_fallocate(fd, io, offset);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : (int)n;
}

static bool falloc_is_missing(int result)
{
	return result == -EOPNOTSUPP || result == -ENOSYS || result == -EINVAL;
}

/* What fallocate said. True: go on with io->step; false: finished with *status. */
static bool after_falloc(struct vctrl_io *io, int result, uint16_t *status)
{
	if (falloc_is_missing(result) && io->op == VCTRL_DISCARD)
		return false; /* a hint that nobody can take */
	if (falloc_is_missing(result)) {
		io->step = FILE_WRITE_ZEROS;
		return true;
	}
	if (result < 0) {
		*status = status_from_errno(-result, io->op);
		return false;
	}
	end_piece(io);
	if (io->progress < io->size)
		return true;
	io->step = FILE_SYNC;
	return io->fua;
}

/* What a read or write said; the same two answers. */
static bool after_bytes(struct vctrl_io *io, int result, uint16_t *status)
{
	if (result == -EOPNOTSUPP && rw_flags(io)) {
		io->step = FILE_WRITE_PLAIN;
		return true;
	}
	if (result <= 0) { /* 0: the file has become shorter */
		*status = status_from_errno(result ? -result : EIO, io->op);
		if (result == -EIO && rw_flags(io)) /* maybe not of what this one writes */
			io->step = FILE_LOST;
		return false;
	}
	if (io->op == VCTRL_ZERO)
		io->progress += (uint64_t)result;
	else
		advance(io, (uint64_t)result);
	if (io->progress < io->size)
		return true;
	if (io->step == FILE_TRANSFER)
		return false;
	io->step = FILE_SYNC;
	return io->fua;
}

/* What was read to be compared; the same two answers. */
static bool after_compare(struct vctrl_io *io, int result, uint16_t *status)
{
	if (result <= 0) {
		*status = NVME_SC_READ_ERROR; /* whatever it was: it was the first half's */
		return false;
	}
	io->progress += (uint64_t)result;
	if (io->progress < io->size)
		return true;
	if (!vctrl_io_expects(io, io->scratch)) {
		*status = NVME_SC_COMPARE_FAILURE | NVME_SC_DNR;
		return false;
	}
	io->progress = 0;
	io->step = FILE_TRANSFER;
	return true;
}

bool file_after(struct vctrl_io *io, int result, uint16_t *status)
{
	*status = NVME_SC_SUCCESS;
	if (result == -EINTR || result == -EAGAIN)
		return true;
	if (io->step == FILE_SYNC) {
		if (result < 0)
			*status = status_from_errno(-result, io->op);
		io->step = result < 0 ? FILE_LOST : FILE_TRANSFER;
		return result >= 0 && io->op == VCTRL_READ;
	}
	if (io->step == FILE_COMPARE)
		return after_compare(io, result, status);
	if (io->step == FILE_TRANSFER && (io->op == VCTRL_ZERO || io->op == VCTRL_DISCARD))
		return after_falloc(io, result, status);
	return after_bytes(io, result, status);
}
