/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared anonymous memory.
 */
#define LOG_MODULE "base"
#include "base/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "base/err.h"
#include "base/fd.h"
#include "base/log.h"

#define FIXED_SIZE_SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

static doca_error_t create_memfd(const char *name, size_t size, size_t allocated, int seals,
				 int *ret_fd)
{
	uint64_t limit;
	int err;
	int fd;

	if (priv_fd_exceeds_limit(size, &limit)) {
		LOG_ERR("shared memory of %zu bytes: no file of this process may have more than "
			"%llu (ulimit -f)",
			size, (unsigned long long)limit);
		return DOCA_ERROR_NO_MEMORY;
	}
	do
		fd = priv_fd_lift(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
	while (fd < 0 && priv_fd_made_room());
	if (fd < 0)
		return priv_err_from_call("memfd_create");
	/* Allocate now: later a full machine would answer with a signal instead of an error. */
	err = allocated ? priv_fd_allocate(fd, 0, (off_t)allocated) : 0;
	if (!err && (ftruncate(fd, (off_t)size) || fcntl(fd, F_ADD_SEALS, seals)))
		err = errno;
	if (err) {
		LOG_ERR("shared memory of %zu bytes: %s", size, strerror(err));
		close(fd);
		return priv_err_from_errno(err);
	}
	*ret_fd = fd;
	return DOCA_SUCCESS;
}

doca_error_t priv_memfd_create(const char *name, size_t size, int *ret_fd)
{
	return create_memfd(name, size, size, FIXED_SIZE_SEALS, ret_fd);
}

/* A peer could add a seal that keeps others from writing. */
doca_error_t priv_memfd_create_sparse(const char *name, size_t size, size_t allocated, int *ret_fd)
{
	return create_memfd(name, size, allocated, FIXED_SIZE_SEALS | F_SEAL_SEAL, ret_fd);
}

doca_error_t priv_memfd_check(int fd, size_t *ret_size)
{
	struct statfs fs;
	struct stat st;
	int seals = fcntl(fd, F_GET_SEALS);

	/* First: a file with seals is the kernel's own, so what follows waits for nobody. */
	if (seals < 0 || (seals & FIXED_SIZE_SEALS) != FIXED_SIZE_SEALS)
		return DOCA_ERROR_INVALID_VALUE;
	/* Huge pages can be taken out from under a mapping; there may be no others then. */
	if (fstatfs(fd, &fs) || fs.f_type != TMPFS_MAGIC)
		return DOCA_ERROR_INVALID_VALUE;
	if (fstat(fd, &st) || st.st_size <= 0)
		return DOCA_ERROR_INVALID_VALUE;
	*ret_size = (size_t)st.st_size;
	return DOCA_SUCCESS;
}
