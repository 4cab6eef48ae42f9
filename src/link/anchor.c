/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Anchors: memfds that are found through /proc/<pid>/fd.
 */
#define LOG_MODULE "link"
#include "link/anchor.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/crc32c.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/memfd.h"
#include "link/process.h"

#define PATH_SIZE 64

static const char *const kind_names[ANCHOR_KIND_COUNT] = {
	[ANCHOR_REGION] = "softfield-region",
	[ANCHOR_EVENT] = "softfield-event",
	[ANCHOR_PAGES] = "softfield-pages",
};

const char *anchor_kind_name(enum anchor_kind kind)
{
	return kind_names[kind];
}

doca_error_t anchor_create(enum anchor_kind kind, size_t size, int seals, struct anchor *ret_anchor)
{
	struct anchor anchor = {.size = size};
	struct anchor_head *head;
	doca_error_t err;

	if (getrandom(anchor.ref.id, ANCHOR_ID_SIZE, 0) != ANCHOR_ID_SIZE)
		return DOCA_ERROR_OPERATING_SYSTEM;
	err = priv_memfd_create(kind_names[kind], size, &anchor.fd);
	if (err)
		return err;
	anchor.mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, anchor.fd, 0);
	if (anchor.mem == MAP_FAILED) {
		err = priv_err_from_mmap(errno);
		close(anchor.fd);
		return err;
	}
	/* now that it is mapped */
	if (fcntl(anchor.fd, F_ADD_SEALS, seals | F_SEAL_SEAL)) {
		err = priv_err_from_errno(errno);
		anchor_close(&anchor);
		return err;
	}
	head = anchor.mem;
	memcpy(head->id, anchor.ref.id, ANCHOR_ID_SIZE);
	anchor.ref.pid = (uint32_t)getpid();
	anchor.ref.fd = (uint32_t)anchor.fd;
	*ret_anchor = anchor;
	return DOCA_SUCCESS;
}

void anchor_close(struct anchor *anchor)
{
	munmap(anchor->mem, anchor->size);
	if (anchor->fd >= 0)
		close(anchor->fd);
}

/*
 * Opening
 */

/* Whose process is it? Works also for one that the kernel does not let us look into. */
static bool find_owner(uint32_t pid, uid_t *ret_uid)
{
	char path[PATH_SIZE];
	struct stat process;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	if (stat(path, &process))
		return false;
	*ret_uid = process.st_uid;
	return true;
}

/*
 * Is it a memfd of this kind, made by the user who runs that process, or by the administrator, who
 * has been its user before? Opens nothing.
 */
static bool is_published(int path_fd, const struct anchor_ref *ref, enum anchor_kind kind)
{
	char path[PATH_SIZE];
	char expected[PATH_SIZE];
	char target[PATH_SIZE];
	struct stat file;
	ssize_t size;
	uid_t owner;

	if (fstat(path_fd, &file) || !find_owner(ref->pid, &owner))
		return false;
	if (file.st_uid != owner && file.st_uid != 0)
		return false;
	snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", path_fd);
	size = readlink(path, target, sizeof(target) - 1);
	if (size < 0)
		return false;
	target[size] = '\0';
	snprintf(expected, sizeof(expected), "/memfd:%s (deleted)", kind_names[kind]);
	return strcmp(target, expected) == 0;
}

static int open_path(const char *path)
{
	int fd;

	do
		fd = open(path, O_PATH | O_CLOEXEC);
	while (fd < 0 && priv_fd_made_room());
	return fd;
}

/* a descriptor of that process, also when its first thread has ended */
static int open_published(const struct anchor_ref *ref)
{
	char path[PATH_SIZE];
	int fd, err;
	pid_t thread;

	snprintf(path, sizeof(path), "/proc/%u/fd/%u", ref->pid, ref->fd);
	fd = open_path(path);
	if (fd >= 0 || (errno != ENOENT && errno != EACCES))
		return fd;
	err = errno;
	thread = process_find_thread((pid_t)ref->pid);
	if (!thread || thread == (pid_t)ref->pid) {
		errno = err;
		return -1;
	}
	snprintf(path, sizeof(path), "/proc/%u/task/%d/fd/%u", ref->pid, (int)thread, ref->fd);
	return open_path(path);
}

/*
 * In two steps, because a forged reference may lead to anything: O_PATH touches nothing, and only
 * what then turns out to be ours is opened for good.
 */
doca_error_t anchor_open_file(const struct anchor_ref *ref, enum anchor_kind kind, bool writable,
			      int *ret_fd)
{
	_cleanup_fd_ int path_fd = -1;
	char path[PATH_SIZE];
	int fd;

	path_fd = open_published(ref);
	/* The entries in /proc of a process that nobody has waited for are root's. */
	if (path_fd < 0 && errno == EACCES && process_is_dead((pid_t)ref->pid))
		return DOCA_ERROR_NOT_FOUND;
	if (path_fd < 0)
		return priv_err_from_errno(errno);
	if (!is_published(path_fd, ref, kind))
		return DOCA_ERROR_INVALID_VALUE;
	snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", path_fd);
	do
		fd = open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	while (fd < 0 && priv_fd_made_room());
	if (fd < 0)
		return priv_err_from_errno(errno);
	*ret_fd = fd;
	return DOCA_SUCCESS;
}

static doca_error_t map(const struct anchor_ref *ref, enum anchor_kind kind, bool writable,
			struct anchor *anchor)
{
	const int prot = PROT_READ | (writable ? PROT_WRITE : 0);
	const struct anchor_head *head;
	_cleanup_fd_ int fd = -1;
	size_t size;
	doca_error_t err;

	err = anchor_open_file(ref, kind, writable, &fd);
	if (err)
		return err;
	err = priv_memfd_check(fd, &size);
	if (err)
		return err;
	if (size != anchor->size)
		return DOCA_ERROR_INVALID_VALUE;
	anchor->mem = mmap(NULL, size, prot, MAP_SHARED, fd, 0);
	if (anchor->mem == MAP_FAILED)
		return priv_err_from_mmap(errno);
	head = anchor->mem;
	if (memcmp(head->id, ref->id, ANCHOR_ID_SIZE)) {
		munmap(anchor->mem, size);
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

static const char *explain_hidden(uint32_t pid)
{
	uid_t owner;

	if (find_owner(pid, &owner) && owner == geteuid())
		return "the kernel hides that process even from its own user: it is of another "
		       "group, has changed its user, or has capabilities. Let it call "
		       "prctl(PR_SET_DUMPABLE, 1) after that, or run this one as root";
	return "it belongs to another user: run both as one user, or this one as root; or the "
	       "exporter lives in another pid namespace, where that number is its own";
}

static const char *explain(doca_error_t err, uint32_t pid)
{
	switch (err) {
	case DOCA_ERROR_NOT_FOUND:
		return "that process has ended or withdrawn it, or lives in another pid namespace";
	case DOCA_ERROR_NOT_PERMITTED:
		return explain_hidden(pid);
	case DOCA_ERROR_INVALID_VALUE:
		return "that descriptor is something else now: the export is stale, or of another "
		       "pid namespace";
	default:
		return doca_error_get_descr(err);
	}
}

doca_error_t anchor_open(const struct anchor_ref *ref, enum anchor_kind kind, size_t size,
			 bool writable, struct anchor *ret_anchor)
{
	struct anchor anchor = {.ref = *ref, .size = size, .fd = -1};
	doca_error_t err;

	err = map(ref, kind, writable, &anchor);
	if (err) {
		LOG_ERR("cannot reach %s exported by process %u: %s", kind_names[kind], ref->pid,
			explain(err, ref->pid));
		return err;
	}
	*ret_anchor = anchor;
	return DOCA_SUCCESS;
}

/*
 * Blobs
 */

#define BLOB_VERSION  1
#define CHECKSUM_SIZE sizeof(uint32_t)

struct wire_writer anchor_blob_begin(const struct anchor_blob *kind, void *blob,
				     const struct anchor_ref *ref)
{
	struct wire_writer w = wire_writer(blob, kind->size);

	memset(blob, 0, kind->size);
	wire_put_u32(&w, kind->magic);
	wire_put_u16(&w, BLOB_VERSION);
	wire_put_u16(&w, kind->size);
	wire_put_u32(&w, ref->pid);
	wire_put_u32(&w, ref->fd);
	wire_put(&w, ref->id, ANCHOR_ID_SIZE);
	return w;
}

void anchor_blob_end(const struct anchor_blob *kind, void *blob, struct wire_writer *w)
{
	assert(!w->failed && w->pos + CHECKSUM_SIZE <= w->end);
	w->pos = w->end - CHECKSUM_SIZE;
	wire_put_u32(w, priv_crc32c(blob, kind->size - CHECKSUM_SIZE));
}

static bool is_whole(const struct anchor_blob *kind, const uint8_t *blob)
{
	struct wire_reader end = wire_reader(blob + kind->size - CHECKSUM_SIZE, CHECKSUM_SIZE);

	return wire_get_u32(&end) == priv_crc32c(blob, kind->size - CHECKSUM_SIZE);
}

doca_error_t anchor_blob_open(const struct anchor_blob *kind, const void *blob, size_t size,
			      struct wire_reader *ret_reader, struct anchor_ref *ret_ref)
{
	struct anchor_ref ref;
	struct wire_reader r;
	const uint8_t *id;

	if (size < kind->size || !is_whole(kind, blob))
		return DOCA_ERROR_INVALID_VALUE;
	r = wire_reader(blob, kind->size - CHECKSUM_SIZE);
	if (wire_get_u32(&r) != kind->magic || wire_get_u16(&r) != BLOB_VERSION ||
	    wire_get_u16(&r) != kind->size)
		return DOCA_ERROR_INVALID_VALUE;
	ref.pid = wire_get_u32(&r);
	ref.fd = wire_get_u32(&r);
	id = wire_get(&r, ANCHOR_ID_SIZE);
	if (!id)
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(ref.id, id, ANCHOR_ID_SIZE);
	*ret_reader = r;
	*ret_ref = ref;
	return DOCA_SUCCESS;
}
