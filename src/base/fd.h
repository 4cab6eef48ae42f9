/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors: shared anonymous memory, eventfds, and messages that carry descriptors.
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

PRIV_EXPORT doca_error_t priv_err_from_errno(int err);
/* of a mapping: what there is too little of for now, to callers, is memory */
PRIV_EXPORT doca_error_t priv_err_from_mmap(int err);
/* of errno, after a system call that fails where it is forbidden or nothing is left: logged */
PRIV_EXPORT doca_error_t priv_err_from_call(const char *call);

/*
 * After a call that opens something has failed (errno): was the soft limit of the process in the
 * way, and has been raised to the hard one? Then try again. Logged once when there is no more.
 */
PRIV_EXPORT bool priv_fd_made_room(void);

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
 * Anonymous memory of a fixed size, all of it allocated; the caller adds seals. NO_MEMORY, FULL
 * (descriptors), OPERATING_SYSTEM
 */
PRIV_EXPORT doca_error_t priv_memfd_create(const char *name, size_t size, int *ret_fd);
/*
 * The same, of which only the first bytes are allocated, and the others when they are used; nobody
 * adds seals.
 */
PRIV_EXPORT doca_error_t priv_memfd_create_sparse(const char *name, size_t size, size_t allocated,
						  int *ret_fd);
/* size of a memfd that can neither shrink nor grow any more. INVALID_VALUE: it is not such a one */
PRIV_EXPORT doca_error_t priv_memfd_check(int fd, size_t *ret_size);

/* An eventfd of this process alone. */
PRIV_EXPORT doca_error_t priv_eventfd_create(int *ret_fd);
PRIV_EXPORT void priv_eventfd_ring(int fd);

/*
 * A bell: an eventfd that two processes share. It is rung by the one, which takes 1 away from what
 * is nearly endless, and watched by the other, with priv_poll_group_watch_bell().
 */
PRIV_EXPORT doca_error_t priv_bell_create(int *ret_fd);
/* of what a peer has sent. INVALID_VALUE: it is no eventfd */
PRIV_EXPORT doca_error_t priv_bell_check(int fd);
PRIV_EXPORT void priv_bell_ring(int fd);

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
