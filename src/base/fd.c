/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors: shared anonymous memory, eventfds, and messages that carry descriptors.
 */
#define LOG_MODULE "base"
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "base/kernel.h"
#include "base/log.h"
#include "base/no_cancel.h"

/* All that can come with a message: descriptors without room would be closed by the kernel. */
#define SCM_FDS_MAX 253
#define CONTROL_MAX (CMSG_SPACE(sizeof(int) * SCM_FDS_MAX) + CMSG_SPACE(sizeof(struct ucred)))

#define FIXED_SIZE_SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

/* More than there is time for. */
#define BELL_RINGS (UINT64_C(1) << 62)

doca_error_t priv_err_from_errno(int err)
{
	switch (err) {
	case EAGAIN:
		return DOCA_ERROR_AGAIN;
	case ENOMEM:
	case ENOSPC:
	case ENOBUFS:
		return DOCA_ERROR_NO_MEMORY;
	case EMFILE:
	case ENFILE:
	case ETOOMANYREFS:
		return DOCA_ERROR_FULL;
	case EACCES:
	case EPERM:
		return DOCA_ERROR_NOT_PERMITTED;
	case EADDRINUSE:
		return DOCA_ERROR_IN_USE;
	case ENOENT:
		return DOCA_ERROR_NOT_FOUND;
	case ECONNREFUSED:
		return DOCA_ERROR_NOT_CONNECTED;
	case EPIPE:
	case ECONNRESET:
	case ENOTCONN:
		return DOCA_ERROR_CONNECTION_RESET;
	default:
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
}

/* false: it is the hard one already */
static bool raise_limit(void)
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

bool priv_fd_made_room(void)
{
	return errno == EMFILE && raise_limit();
}

bool priv_fd_exceeds_limit(uint64_t size, uint64_t *ret_limit)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) || size <= limit.rlim_cur)
		return false;
	*ret_limit = limit.rlim_cur;
	return true;
}

doca_error_t priv_err_from_call(const char *call)
{
	int err = errno;

	if (err != EMFILE) /* which priv_fd_made_room() tells of */
		LOG_ERR("%s() failed: %s", call, strerror(err));
	return priv_err_from_errno(err);
}

doca_error_t priv_err_from_mmap(int err)
{
	return err == EAGAIN ? DOCA_ERROR_NO_MEMORY : priv_err_from_errno(err);
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

doca_error_t priv_fd_send(int sock, const void *msg, size_t size, const int *fds,
			  unsigned int fd_count)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * FD_MESSAGE_FDS_MAX)] = {0};
	struct iovec iov = {.iov_base = (void *)msg, .iov_len = size};
	struct msghdr hdr = {.msg_iov = &iov, .msg_iovlen = 1};

	if (fd_count) {
		struct cmsghdr *cmsg;

		hdr.msg_control = control;
		hdr.msg_controllen = CMSG_SPACE(sizeof(int) * fd_count);
		cmsg = CMSG_FIRSTHDR(&hdr);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int) * fd_count);
		memcpy(CMSG_DATA(cmsg), fds, sizeof(int) * fd_count);
	}
	while (sendmsg(sock, &hdr, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
		/* As many may be on their way as may be open. */
		if (errno != ETOOMANYREFS || !raise_limit())
			return priv_err_from_errno(errno);
	}
	return DOCA_SUCCESS;
}

void priv_fd_close_at_once(int fd)
{
	const struct linger none = {0};

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
	close(fd);
}

/* moves the descriptors out of the control messages; false: more than there is room for */
static bool collect_fds(struct msghdr *hdr, int *fds, unsigned int *fd_count)
{
	bool fits = true;
	struct cmsghdr *cmsg;

	*fd_count = 0;
	for (cmsg = CMSG_FIRSTHDR(hdr); cmsg; cmsg = CMSG_NXTHDR(hdr, cmsg)) {
		size_t count, i;

		if (cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_RIGHTS)
			continue;
		count = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < count; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(cmsg) + i * sizeof(int), sizeof(fd));
			if (*fd_count < FD_MESSAGE_FDS_MAX) {
				fds[(*fd_count)++] = priv_fd_lift(fd);
			} else {
				priv_fd_close_at_once(fd);
				fits = false;
			}
		}
	}
	return fits;
}

/*
 * The kernel throws away descriptors that the process has no room for. So they come on trial first,
 * which leaves the message where it is.
 */
static void make_room(int sock)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * FD_MESSAGE_FDS_MAX)];
	struct msghdr hdr = {.msg_control = control, .msg_controllen = sizeof(control)};
	int fds[FD_MESSAGE_FDS_MAX];
	unsigned int fd_count;

	if (recvmsg(sock, &hdr, MSG_DONTWAIT | MSG_CMSG_CLOEXEC | MSG_PEEK) < 0)
		return;
	collect_fds(&hdr, fds, &fd_count);
	priv_fd_close_all(fds, fd_count);
	if ((hdr.msg_flags & MSG_CTRUNC) && fd_count < FD_MESSAGE_FDS_MAX)
		raise_limit();
}

doca_error_t priv_fd_receive(int sock, void *buf, size_t capacity, size_t *ret_size, int *fds,
			     unsigned int *ret_fd_count)
{
	_Alignas(struct cmsghdr) char control[CONTROL_MAX];
	struct iovec iov = {.iov_base = buf, .iov_len = capacity};
	struct msghdr hdr = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control,
			     .msg_controllen = sizeof(control)};
	ssize_t n;
	bool fits;

	make_room(sock);
	n = recvmsg(sock, &hdr, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0)
		return priv_err_from_errno(errno);
	fits = collect_fds(&hdr, fds, ret_fd_count);
	if (n == 0 && *ret_fd_count == 0)
		return DOCA_ERROR_CONNECTION_RESET;
	if (!fits || (hdr.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
		priv_fd_close_all(fds, *ret_fd_count);
		return DOCA_ERROR_INVALID_VALUE;
	}
	*ret_size = (size_t)n;
	return DOCA_SUCCESS;
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

void priv_fd_close_all(const int *fds, unsigned int fd_count)
{
	unsigned int i;

	for (i = 0; i < fd_count; i++)
		priv_fd_close_at_once(fds[i]);
}

void priv_fd_drain(int sock)
{
	const int on = 1;
	unsigned int fd_count;

	shutdown(sock, SHUT_RD);
	/* Then each message has a control message: an empty one is told from the end. */
	setsockopt(sock, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
	for (;;) {
		_Alignas(struct cmsghdr) char control[CONTROL_MAX];
		struct msghdr hdr = {.msg_control = control, .msg_controllen = sizeof(control)};
		int fds[FD_MESSAGE_FDS_MAX];

		if (recvmsg(sock, &hdr, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < 0 || !hdr.msg_controllen)
			return;
		collect_fds(&hdr, fds, &fd_count);
		priv_fd_close_all(fds, fd_count);
	}
}
