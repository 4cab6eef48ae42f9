/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Eventfds: those of this process alone, and those that wake another one.
 */
#define LOG_MODULE "base"
#include "base/bell.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>
#include "base/err.h"
#include "base/fd.h"
#include "base/kernel.h"
#include "base/log.h"
#include "base/no_cancel.h"

/* More than there is time for. */
#define BELL_RINGS (UINT64_C(1) << 62)

static doca_error_t create_eventfd(int flags, int *ret_fd)
{
	int fd;

	do
		fd = priv_fd_lift(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | flags));
	while (fd < 0 && priv_fd_made_room());
	if (fd < 0)
		return priv_err_from_call("eventfd");
	*ret_fd = fd;
	return DOCA_SUCCESS;
}

static void add(int fd, uint64_t count)
{
	ssize_t n;
	NO_CANCEL();

	n = write(fd, &count, sizeof(count));
	(void)n;
}

doca_error_t priv_eventfd_create(int *ret_fd)
{
	return create_eventfd(0, ret_fd);
}

void priv_eventfd_ring(int fd)
{
	/* EAGAIN: a counter at its maximum is as readable as can be. Other errors cannot happen. */
	add(fd, 1);
}

doca_error_t priv_bell_create(int *ret_fd)
{
	doca_error_t err = create_eventfd(EFD_SEMAPHORE, ret_fd);

	if (!err)
		add(*ret_fd, BELL_RINGS);
	return err;
}

doca_error_t priv_bell_check(int fd)
{
	static const char eventfd_name[] = "anon_inode:[eventfd]";
	char path[40], target[sizeof(eventfd_name) + 1];
	ssize_t size;
	int flags;

	/* not /proc/self, which is empty when the first thread has ended */
	snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", fd);
	size = readlink(path, target, sizeof(target));
	if (size < 0)
		LOG_ERR("%s: %s; /proc tells whether what a peer sends is an eventfd", path,
			strerror(errno));
	if (size != sizeof(eventfd_name) - 1 || memcmp(target, eventfd_name, (size_t)size))
		return DOCA_ERROR_INVALID_VALUE;
	/* For whoever rings by writing: see below. */
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK))
		return priv_err_from_errno(errno);
	return DOCA_SUCCESS;
}

/*
 * O_NONBLOCK and the counter belong to both sides: a peer could take the one back and make the
 * other so full that not even 0 can be added (by the kernel, when asynchronous I/O is done), and
 * who writes would never return. Reading can be told not to wait, whatever the flags are, and
 * whoever watches hears of that, too. Old kernels, and some that are none, cannot be told so.
 */
void priv_bell_ring(int fd)
{
	uint64_t count;
	struct iovec to = {&count, sizeof(count)};
	NO_CANCEL();

	if (preadv2(fd, &to, 1, -1, RWF_NOWAIT) < 0 && errno != EAGAIN)
		add(fd, 0);
}
