/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared anonymous memory between two parties.
 */
#define LOG_MODULE "link"
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "base/fd.h"
#include "base/fork.h"
#include "base/log.h"
#include "base/memfd.h"
#include "link/link.h"

/*
 * What this process has created, so that a peer in the same process gets the same mapping (the
 * thread sanitizer sees nothing across two mappings of one memory). Few entries, looked at on
 * connect only. Nobody forks while it is changed, nor refs and next of its members: children clean
 * up, too.
 */
static struct link_mem *created;

static doca_error_t map(int fd, size_t size, struct link_mem *mem)
{
	struct stat st;

	if (fstat(fd, &st))
		return priv_err_from_errno(errno);
	mem->addr = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mem->addr == MAP_FAILED)
		return priv_err_from_mmap(errno);
	mem->size = size;
	mem->inode = st.st_ino;
	mem->refs = 1;
	return DOCA_SUCCESS;
}

doca_error_t priv_link_mem_create(const char *name, size_t size, size_t allocated,
				  struct link_mem **ret_mem)
{
	struct link_mem *mem = calloc(1, sizeof(*mem));
	doca_error_t err;

	if (!mem)
		return DOCA_ERROR_NO_MEMORY;
	err = priv_memfd_create_sparse(name, size, allocated, &mem->fd);
	if (err)
		goto free_mem;
	err = map(mem->fd, size, mem);
	if (err)
		goto close_fd;
	priv_fork_hold();
	mem->next = created;
	created = mem;
	priv_fork_release();
	*ret_mem = mem;
	return DOCA_SUCCESS;

close_fd:
	close(mem->fd);
free_mem:
	free(mem);
	return err;
}

/* the object that this process has created for the same memory, with one more reference */
static struct link_mem *find_created(int fd)
{
	struct link_mem *mem;
	struct stat st;

	if (fstat(fd, &st))
		return NULL;
	priv_fork_hold();
	for (mem = created; mem; mem = mem->next)
		if (mem->inode == st.st_ino)
			break;
	if (mem)
		mem->refs++;
	priv_fork_release();
	return mem;
}

doca_error_t priv_link_mem_attach(int fd, struct link_mem **ret_mem)
{
	struct link_mem *mem;
	size_t size;
	doca_error_t err;

	err = priv_memfd_check(fd, &size);
	if (err) {
		LOG_WRN("the peer's memory is not sealed against resizing");
		goto close_fd;
	}
	mem = find_created(fd);
	if (!mem) {
		mem = calloc(1, sizeof(*mem));
		err = mem ? map(fd, size, mem) : DOCA_ERROR_NO_MEMORY;
		if (err) {
			free(mem);
			goto close_fd;
		}
		mem->fd = -1;
	}
	*ret_mem = mem;
close_fd:
	priv_fd_close_at_once(fd);
	return err;
}

static void forget(struct link_mem *mem)
{
	struct link_mem **at;

	for (at = &created; *at; at = &(*at)->next) {
		if (*at == mem) {
			*at = mem->next;
			return;
		}
	}
}

void priv_link_mem_unref(struct link_mem *mem)
{
	bool last;

	if (!mem)
		return;
	priv_fork_hold();
	last = --mem->refs == 0;
	if (last)
		forget(mem);
	priv_fork_release();
	if (!last)
		return;
	munmap(mem->addr, mem->size);
	if (mem->fd >= 0)
		close(mem->fd);
	free(mem);
}
