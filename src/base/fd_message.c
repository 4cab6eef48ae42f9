/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that carry descriptors.
 */
#include "base/fd.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include "base/err.h"

/* All that can come with a message: descriptors without room would be closed by the kernel. */
#define SCM_FDS_MAX 253
#define CONTROL_MAX (CMSG_SPACE(sizeof(int) * SCM_FDS_MAX) + CMSG_SPACE(sizeof(struct ucred)))

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
		if (errno != ETOOMANYREFS || !fd_raise_limit())
			return priv_err_from_errno(errno);
	}
	return DOCA_SUCCESS;
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
		fd_raise_limit();
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
