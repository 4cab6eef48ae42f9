/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors of the system as codes of the interface.
 */
#define LOG_MODULE "base"
#include "base/err.h"

#include <errno.h>
#include <string.h>
#include "base/log.h"

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

doca_error_t priv_err_from_mmap(int err)
{
	return err == EAGAIN ? DOCA_ERROR_NO_MEMORY : priv_err_from_errno(err);
}

doca_error_t priv_err_from_call(const char *call)
{
	int err = errno;

	if (err != EMFILE) /* which priv_fd_made_room() tells of */
		LOG_ERR("%s() failed: %s", call, strerror(err));
	return priv_err_from_errno(err);
}
