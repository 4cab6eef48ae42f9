/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names and descriptions of error codes.
 */
#include "doca_error.h"

#include <stddef.h>
#include "base/count.h"

static const struct {
	const char *name, *descr;
} errors[] = {
#define ERROR(code, descr_) [code] = {.name = #code, .descr = descr_}
	ERROR(DOCA_SUCCESS, "Success"),
	ERROR(DOCA_ERROR_UNKNOWN, "Failure of an unknown kind"),
	ERROR(DOCA_ERROR_NOT_PERMITTED, "Operation not permitted"),
	ERROR(DOCA_ERROR_IN_USE, "Still in use"),
	ERROR(DOCA_ERROR_NOT_SUPPORTED, "Operation not supported"),
	ERROR(DOCA_ERROR_AGAIN, "No room at the moment, try again"),
	ERROR(DOCA_ERROR_INVALID_VALUE, "Invalid argument"),
	ERROR(DOCA_ERROR_NO_MEMORY, "Out of memory or of pool elements"),
	ERROR(DOCA_ERROR_INITIALIZATION, "A resource could not be initialized"),
	ERROR(DOCA_ERROR_TIME_OUT, "Timed out"),
	ERROR(DOCA_ERROR_SHUTDOWN, "Shutting down"),
	ERROR(DOCA_ERROR_CONNECTION_RESET, "Connection reset by peer"),
	ERROR(DOCA_ERROR_CONNECTION_ABORTED, "Connection aborted"),
	ERROR(DOCA_ERROR_CONNECTION_INPROGRESS, "Connection is being established"),
	ERROR(DOCA_ERROR_NOT_CONNECTED, "Not connected"),
	ERROR(DOCA_ERROR_NO_LOCK, "Lock could not be taken"),
	ERROR(DOCA_ERROR_NOT_FOUND, "Not found"),
	ERROR(DOCA_ERROR_IO_FAILED, "Input or output failed"),
	ERROR(DOCA_ERROR_BAD_STATE, "Not possible in this state"),
	ERROR(DOCA_ERROR_UNSUPPORTED_VERSION, "Unsupported version"),
	ERROR(DOCA_ERROR_OPERATING_SYSTEM, "Operating system call failed"),
	ERROR(DOCA_ERROR_DRIVER, "Driver call failed"),
	ERROR(DOCA_ERROR_UNEXPECTED, "Something unexpected happened"),
	ERROR(DOCA_ERROR_ALREADY_EXIST, "Already exists"),
	ERROR(DOCA_ERROR_FULL, "No room left"),
	ERROR(DOCA_ERROR_EMPTY, "Empty"),
	ERROR(DOCA_ERROR_IN_PROGRESS, "In progress"),
	ERROR(DOCA_ERROR_TOO_BIG, "Too big"),
	ERROR(DOCA_ERROR_AUTHENTICATION, "Authentication failed"),
	ERROR(DOCA_ERROR_BAD_CONFIG, "Bad configuration"),
	ERROR(DOCA_ERROR_SKIPPED, "Skipped although valid"),
	ERROR(DOCA_ERROR_DEVICE_FATAL_ERROR, "Device has failed for good"),
#undef ERROR
};

static const char unrecognized[] = "unrecognized error code";

/* a program may hand over any number */
static int is_known(doca_error_t error)
{
	return (size_t)error < COUNT(errors);
}

const char *doca_error_get_name(doca_error_t error)
{
	return is_known(error) ? errors[error].name : unrecognized;
}

const char *doca_error_get_descr(doca_error_t error)
{
	return is_known(error) ? errors[error].descr : unrecognized;
}
