/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanging pages while the program runs.
 */
#define LOG_MODULE "link"
#include "link/takeover.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/fd.h"
#include "base/kernel.h"
#include "base/log.h"
#include "base/no_cancel.h"
#include "link/fixed_memory.h"
#include "link/maps.h"
#include "link/obstacle.h"
#include "link/populate.h"

#define RETURN_PIECE ((size_t)2 << 20)

const char *priv_takeover_describe(unsigned int reason)
{
	static const char *const texts[TAKEOVER_COUNT] = {
		[TAKEOVER_DONE] = "nothing hinders it",
		[TAKEOVER_FORBIDDEN] = "SOFTFIELD_REGION=copy",
		[TAKEOVER_NO_PROC] = "/proc/self/maps cannot be read (no /proc, or a filter)",
		[TAKEOVER_NOT_MAPPED] = "it is not mapped",
		[TAKEOVER_SHARED] = "it is shared memory",
		[TAKEOVER_READ_ONLY] = "it is read-only memory",
		[TAKEOVER_EXECUTABLE] = "it is executable memory",
		[TAKEOVER_FILE] = "it is a mapped file or in huge pages",
		[TAKEOVER_STACK] = "it is a stack, or the C library's memory about a thread",
		[TAKEOVER_PINNED] = "memory of the process is pinned (io_uring or RDMA)",
		[TAKEOVER_THREADS] = "the process has several threads and may not use userfaultfd",
		[TAKEOVER_NO_GUARD] = "userfaultfd cannot write-protect it",
		[TAKEOVER_NO_MEMORY] = "there is no memory for a copy",
		[TAKEOVER_NO_MAPPING] = "the kernel allows no more mappings",
		[TAKEOVER_STOPPED] = "its memory map was stopped meanwhile",
		[TAKEOVER_EXPORTED] = "it is exported, others may be writing there",
		[TAKEOVER_NO_DESCRIPTOR] = "no descriptor is left to look at it",
		[TAKEOVER_TOO_LARGE] = "it exceeds mmap_max_mapped_export (softfield limits)",
		[TAKEOVER_ARENA] = ("malloc() keeps its own books in the same page, as it does for "
				    "the first small allocations of a thread"),
		[TAKEOVER_MANY] = "the process has exported very much, or very much is mapped",
		[TAKEOVER_EDGES] = ("its first or last page holds other memory too, which only a "
				    "program with libdoca_dpa shares"),
	};

	return reason < TAKEOVER_COUNT ? texts[reason] : "of an unknown reason";
}

/*
 * What is exchanged
 */

/*
 * The part of [begin, end) that a mapping has, if it shares the file's pages. A private one is what
 * takeover_cut() has left: the program's own memory.
 */
static bool match_mapping(const struct mapping *mapping, const struct stat *file, char *begin,
			  char *end, struct takeover_part *ret_part)
{
	if (!mapping->shared || mapping->inode != file->st_ino || mapping->dev != file->st_dev)
		return false;
	ret_part->begin = (uintptr_t)begin > mapping->begin ? begin : (char *)mapping->begin;
	ret_part->end = (uintptr_t)end < mapping->end ? end : (char *)mapping->end;
	ret_part->offset = (off_t)(mapping->offset + ((uintptr_t)ret_part->begin - mapping->begin));
	ret_part->protection = mapping_protection(mapping);
	return ret_part->begin < ret_part->end;
}

size_t takeover_for_mapped_quietly(int memfd, char *begin, char *end,
				   void (*act)(void *arg, const struct takeover_part *part),
				   void *arg)
{
	struct takeover_part part;
	struct mapping mapping;
	struct stat file;
	size_t count = 0;
	struct maps maps;
	NO_CANCEL();

	if (fstat(memfd, &file) || !maps_open(&maps))
		return 0;
	while (maps_next(&maps, &mapping)) {
		count++;
		if (mapping.begin >= (uintptr_t)end)
			break;
		if (match_mapping(&mapping, &file, begin, end, &part))
			act(arg, &part);
	}
	maps_close(&maps);
	return maps.failed ? 0 : count;
}

size_t takeover_for_mapped(int memfd, char *begin, char *end,
			   void (*act)(void *arg, const struct takeover_part *part), void *arg)
{
	size_t count;

	do
		count = takeover_for_mapped_quietly(memfd, begin, end, act, arg);
	while (!count && priv_fd_made_room());
	return count;
}

/*
 * Keeping writers out
 */

static bool is_single_threaded(void)
{
	struct stat st;

	/* two links of its own, and one for each thread */
	return !stat("/proc/self/task", &st) && st.st_nlink == 3;
}

/*
 * Also the administrator can allow it, by the rights of the device. Where the call is unknown that
 * is left alone: valgrind, which runs one thread at a time, would wait for ever for one that waits.
 */
static int open_userfaultfd(void)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	int dev;

	if (fd >= 0 || errno != EPERM)
		return fd;
	dev = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
	if (dev < 0)
		return -1;
#ifdef USERFAULTFD_IOC_NEW
	fd = ioctl(dev, USERFAULTFD_IOC_NEW, O_CLOEXEC | O_NONBLOCK);
#endif
	close(dev);
	return fd;
}

/*
 * A descriptor that makes writers wait until it is closed. One that stops user mode alone is not
 * good enough: system calls of other threads would fail with EFAULT. -1: none to be had
 */
static int open_guard(void)
{
	struct uffdio_api api = {.api = UFFD_API, .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP};
	int fd = open_userfaultfd();

	if (fd >= 0 && ioctl(fd, UFFDIO_API, &api)) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool protect(int fd, char *begin, size_t size)
{
	struct uffdio_register reg = {.range = {(uintptr_t)begin, size},
				      .mode = UFFDIO_REGISTER_MODE_WP};
	struct uffdio_writeprotect wp = {.range = {(uintptr_t)begin, size},
					 .mode = UFFDIO_WRITEPROTECT_MODE_WP};

	/*
	 * Only pages that exist can be protected. Kernels that do not know the advice (before Linux
	 * 5.14) would not do: their protection lets writes through that are under way elsewhere.
	 */
	return !madvise(begin, size, MADV_POPULATE_READ) && !ioctl(fd, UFFDIO_REGISTER, &reg) &&
	       !ioctl(fd, UFFDIO_WRITEPROTECT, &wp);
}

/*
 * A handler of a signal in this thread would be a writer whom nothing can keep out: it would write
 * what is lost, or wait for a guard that only this thread takes away.
 */
static void hold_signals(sigset_t *ret_before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, ret_before);
}

static void release_signals(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Nobody but the caller writes until *ret_guard (-1: none is needed) is closed. */
static enum takeover keep_writers_out(char *begin, size_t size, int *ret_guard)
{
	if (is_single_threaded())
		return TAKEOVER_DONE;
	*ret_guard = open_guard();
	if (*ret_guard < 0)
		return TAKEOVER_THREADS;
	return protect(*ret_guard, begin, size) ? TAKEOVER_DONE : TAKEOVER_NO_GUARD;
}

/*
 * Exchanging
 */

/*
 * A new mapping is not locked, even where the old one was. The call refuses locked memory. Other
 * memory the kernel then takes for unused, page by page, so it is made only if some is locked.
 */
static bool is_locked(char *begin, size_t size)
{
	return madvise(begin, size, MADV_COLD) && errno == EINVAL && populate_knows(MADV_COLD);
}

static void lock_again(char *begin, size_t size)
{
	if (mlock(begin, size))
		LOG_WRN("%zu bytes at %p are not locked into memory any more: %s", size,
			(void *)begin, strerror(errno));
}

/*
 * System calls by their numbers: the thread sanitizer would take what the library's functions do
 * here for accesses of the program, to memory that other threads use.
 */

/* number: of pread64 or pwrite64; false: not all of it */
static bool transfer(long number, int memfd, off_t offset, char *memory, size_t size)
{
	while (size) {
		long n = syscall(number, memfd, memory, size, offset);

		if (n <= 0)
			return false;
		memory += n;
		offset += n;
		size -= (size_t)n;
	}
	return true;
}

static bool map_over(int memfd, off_t offset, char *begin, size_t size, int flags)
{
	return syscall(SYS_mmap, begin, size, PROT_READ | PROT_WRITE, MAP_FIXED | flags, memfd,
		       offset) == (long)begin;
}

static enum takeover share(int memfd, off_t offset, char *begin, size_t size)
{
	_cleanup_fd_ int guard = -1;
	enum takeover obstacle;
	uint64_t limit;

	if (priv_fd_exceeds_limit((uint64_t)offset + size, &limit))
		return TAKEOVER_NO_MEMORY; /* of such a size */
	obstacle = keep_writers_out(begin, size, &guard);
	if (obstacle)
		return obstacle;
	if (!transfer(SYS_pwrite64, memfd, offset, begin, size))
		return TAKEOVER_NO_MEMORY;
	if (!map_over(memfd, offset, begin, size, MAP_SHARED))
		return TAKEOVER_NO_MAPPING;
	madvise(begin, size, MADV_POPULATE_WRITE); /* saves page faults; optional */
	return TAKEOVER_DONE;
}

/*
 * SOFTFIELD_REGION=copy leaves every page alone; for tests and for programs that want that. Values
 * other than that and "auto" have been refused with the topology.
 */
static bool is_forbidden(void)
{
	const char *way = secure_getenv("SOFTFIELD_REGION");

	return way && !strcmp(way, "copy");
}

/* may_be_locked: some memory of the process is */
static enum takeover share_if_plain(int memfd, off_t offset, char *begin, size_t size,
				    bool may_be_locked)
{
	enum takeover obstacle = obstacle_find(begin, size);
	sigset_t before;
	bool locked;

	if (obstacle)
		return obstacle;
	locked = may_be_locked && is_locked(begin, size);
	hold_signals(&before);
	obstacle = share(memfd, offset, begin, size);
	release_signals(&before);
	if (!obstacle && locked)
		lock_again(begin, size);
	return obstacle;
}

enum takeover takeover_share(int memfd, off_t offset, char *begin, size_t size)
{
	/* Two that look at the same page must not both exchange it. Nobody forks meanwhile. */
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct fixed_memory fixed;
	enum takeover obstacle;

	if (is_forbidden())
		return TAKEOVER_FORBIDDEN;
	fixed = fixed_memory_find();
	if (fixed.pinned)
		return TAKEOVER_PINNED;
	pthread_mutex_lock(&lock);
	obstacle = share_if_plain(memfd, offset, begin, size, fixed.locked);
	pthread_mutex_unlock(&lock);
	return obstacle;
}

bool takeover_cut(int memfd, off_t offset, char *begin, size_t size)
{
	return map_over(memfd, offset, begin, size, MAP_PRIVATE);
}

static bool copy_in_place(int memfd, off_t offset, char *begin, size_t size)
{
	char *fresh = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (fresh == MAP_FAILED)
		return false;
	if (transfer(SYS_pread64, memfd, offset, fresh, size) &&
	    mremap(fresh, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, begin) != MAP_FAILED)
		return true;
	munmap(fresh, size);
	return false;
}

bool takeover_copy(int memfd, off_t offset, char *begin, size_t size)
{
	sigset_t before;
	bool copied;

	hold_signals(&before);
	copied = copy_in_place(memfd, offset, begin, size);
	release_signals(&before);
	if (copied)
		return true;
	/* Whatever goes wrong must go wrong here, not over there. */
	return takeover_cut(memfd, offset, begin, size) && populate_for_write(begin, size);
}

static bool replace(int memfd, off_t offset, char *begin, char *fresh, size_t size)
{
	_cleanup_fd_ int guard = -1;

	if (keep_writers_out(begin, size, &guard) ||
	    !transfer(SYS_pread64, memfd, offset, fresh, size))
		return false;
	/* Something stays mapped at fresh, so that no other thread gets the place meanwhile. */
	return mremap(fresh, size, size, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, begin) !=
	       MAP_FAILED;
}

/* Puts anonymous memory with the same content in place; fresh has not been touched before. */
static bool return_piece(int memfd, off_t offset, char *begin, char *fresh, size_t size,
			 bool may_be_locked)
{
	bool locked = may_be_locked && is_locked(begin, size), replaced;
	sigset_t before;

	if (obstacle_is_our_stack(begin, size))
		return false;
	madvise(fresh, size, MADV_POPULATE_WRITE); /* saves page faults; optional */
	hold_signals(&before);
	replaced = replace(memfd, offset, begin, fresh, size);
	release_signals(&before);
	if (replaced && locked)
		lock_again(begin, size);
	return replaced;
}

static size_t next_piece(size_t left)
{
	return left < RETURN_PIECE ? left : RETURN_PIECE;
}

static void give_up(int memfd, off_t offset, size_t size)
{
	fallocate(memfd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, (off_t)size);
}

/* In pieces: a guard holds up writers, memory may be short. Of one range: its parts become one. */
static size_t return_pieces(int memfd, off_t offset, char *begin, size_t size, bool needed,
			    bool may_be_locked)
{
	char *fresh = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t done = 0;

	if (fresh == MAP_FAILED)
		return 0;
	while (done < size) {
		size_t piece = next_piece(size - done);

		if (!return_piece(memfd, offset + (off_t)done, begin + done, fresh + done, piece,
				  may_be_locked))
			break;
		if (!needed)
			give_up(memfd, offset + (off_t)done, piece);
		done += piece;
	}
	munmap(fresh, size);
	return done;
}

/*
 * The way that needs no guard: a private mapping of the memfd shows the same pages, whoever writes
 * at that moment; then every page is written to once, which makes it the process's own. As long as
 * one is not, for want of memory, the memfd's is needed.
 */
static bool return_by_cut(int memfd, off_t offset, char *begin, size_t size, bool needed)
{
	if (!takeover_cut(memfd, offset, begin, size)) {
		LOG_ERR("%zu bytes at %p stay shared with the peer: %s", size, (void *)begin,
			strerror(errno));
		return false;
	}
	for (size_t done = 0, piece; done < size; done += piece) {
		piece = next_piece(size - done);
		if (populate_for_write(begin + done, piece) && !needed)
			give_up(memfd, offset + (off_t)done, piece);
	}
	return true;
}

bool takeover_return(int memfd, off_t offset, char *begin, size_t size, bool needed)
{
	const struct fixed_memory fixed = fixed_memory_find();
	size_t done;

	if (fixed.pinned) {
		LOG_WRN("%zu bytes at %p stay shared with the peer: %s", size, (void *)begin,
			priv_takeover_describe(TAKEOVER_PINNED));
		return false;
	}
	done = return_pieces(memfd, offset, begin, size, needed, fixed.locked);
	return done == size ||
	       return_by_cut(memfd, offset + (off_t)done, begin + done, size - done, needed);
}

void takeover_protect_or_warn(const struct takeover_part *part)
{
	if (!takeover_protect(part))
		LOG_WRN("%zu bytes at %p are not protected any more: %s",
			(size_t)(part->end - part->begin), (void *)part->begin, strerror(errno));
}
