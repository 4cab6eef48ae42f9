/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors, and messages that carry them (fd_message.c).
 */
#ifndef SOFTFIELD_BASE_FD_H
#define SOFTFIELD_BASE_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "base/export.h"
#include "doca_error.h"

#define FD_MESSAGE_MAX	   1024 /* bytes of one message between two parties */
#define FD_MESSAGE_FDS_MAX 4

/*
 * After a call that opens something has failed (errno): was the soft limit of the process in the
 * way, and has been raised to the hard one? Then try again. Logged once when there is no more.
 */
PRIV_EXPORT bool priv_fd_made_room(void);
/* That, whatever has failed. */
bool fd_raise_limit(void);

/*
 * Programs that run without a standard input, output or error still read and write there, and open
 * something else there later: what the kernel has opened in such a place goes to another one. The
 * descriptor itself where there is none, and -1 of -1 with errno as it is.
 */
PRIV_EXPORT int priv_fd_lift(int fd);

/* May no file of the process be as long as that? To write beyond would end it by a signal. */
bool priv_fd_exceeds_limit(uint64_t size, uint64_t *ret_limit);

/* Memory or disk behind a part of a file, also while signals come; 0, or an errno. */
PRIV_EXPORT int priv_fd_allocate(int fd, off_t offset, off_t size);

/*
 * One message with its descriptors over a SOCK_SEQPACKET socket; never blocks, never raises
 * SIGPIPE. AGAIN: the socket's queue is full. CONNECTION_RESET: the peer is gone.
 */
PRIV_EXPORT doca_error_t priv_fd_send(int sock, const void *msg, size_t size, const int *fds,
				      unsigned int fd_count);
/*
 * fds has room for FD_MESSAGE_FDS_MAX and belongs to the caller afterwards. AGAIN: nothing there.
 * CONNECTION_RESET: the peer is gone. INVALID_VALUE: longer than the buffer, or too many
 * descriptors.
 */
PRIV_EXPORT doca_error_t priv_fd_receive(int sock, void *buf, size_t capacity, size_t *ret_size,
					 int *fds, unsigned int *ret_fd_count);
/* copies for somebody who closes them; FULL: none */
PRIV_EXPORT doca_error_t priv_fd_copy_all(const int *fds, unsigned int fd_count, int *ret_copies);
/*
 * What a stranger has sent may be a socket that would not be closed before its data has reached
 * somebody who never reads: closes it without waiting.
 */
PRIV_EXPORT void priv_fd_close_at_once(int fd);
PRIV_EXPORT void priv_fd_close_all(const int *fds, unsigned int fd_count);
/* Before a socket to a stranger is closed: closes what is still in it. */
PRIV_EXPORT void priv_fd_drain(int sock);

#endif
