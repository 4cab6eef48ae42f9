/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors: how many there may be, where they are, and their end.
 */
#define LOG_MODULE "base"
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/err.h"
#include "base/log.h"

bool fd_raise_limit(void)
{
	static atomic_flag told = ATOMIC_FLAG_INIT; /* whoever is out of them asks often */
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= limit.rlim_max) {
		if (atomic_flag_test_and_set(&told))
			return false;
		LOG_ERR("out of file descriptors: the hard limit of this process is %llu "
			"(ulimit -Hn)",
			(unsigned long long)limit.rlim_max);
		return false;
	}
	LOG_INFO("raising the limit of open files from %llu to %llu",
		 (unsigned long long)limit.rlim_cur, (unsigned long long)limit.rlim_max);
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

bool priv_fd_made_room(void)
{
	return errno == EMFILE && fd_raise_limit();
}

int priv_fd_lift(int fd)
{
	int lifted;

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	lifted = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (lifted < 0)
		return fd;
	close(fd);
	return lifted;
}

doca_error_t priv_fd_copy_all(const int *fds, unsigned int fd_count, int *ret_copies)
{
	for (unsigned int i = 0; i < fd_count; i++) {
		int fd;

		do
			fd = fcntl(fds[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		while (fd < 0 && priv_fd_made_room());
		if (fd < 0) {
			doca_error_t err = priv_err_from_errno(errno);

			priv_fd_close_all(ret_copies, i);
			return err;
		}
		ret_copies[i] = fd;
	}
	return DOCA_SUCCESS;
}

void priv_fd_close_at_once(int fd)
{
	const struct linger none = {0};

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
	close(fd);
}

void priv_fd_close_all(const int *fds, unsigned int fd_count)
{
	unsigned int i;

	for (i = 0; i < fd_count; i++)
		priv_fd_close_at_once(fds[i]);
}

bool priv_fd_exceeds_limit(uint64_t size, uint64_t *ret_limit)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) || size <= limit.rlim_cur)
		return false;
	*ret_limit = limit.rlim_cur;
	return true;
}

int priv_fd_allocate(int fd, off_t offset, off_t size)
{
	sigset_t all, before;
	int err;

	if (!fallocate(fd, 0, offset, size))
		return 0;
	if (errno != EINTR)
		return errno;
	/* Whatever signals come, and how often: they wait. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = fallocate(fd, 0, offset, size) ? errno : 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}
