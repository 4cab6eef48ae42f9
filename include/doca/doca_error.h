/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Error codes. Numbers are part of the binary interface: never changed, never reused.
 */
#ifndef DOCA_ERROR_H_
#define DOCA_ERROR_H_

#include <doca_common_defines.h>
#include <doca_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

/** True for every code but DOCA_SUCCESS. */
#define DOCA_IS_ERROR(r) doca_unlikely((r) != DOCA_SUCCESS)

/**
 * Keeps the first error of several calls: stores code t in variable r while that is DOCA_SUCCESS.
 */
#define DOCA_ERROR_PROPAGATE(r, t)                                                                 \
	do {                                                                                       \
		if (!DOCA_IS_ERROR(r))                                                             \
			r = t;                                                                     \
	} while (0)

/** What a call answers. */
enum doca_error {
	DOCA_SUCCESS = 0,		       /**< done */
	DOCA_ERROR_UNKNOWN = 1,		       /**< a failure of no known kind */
	DOCA_ERROR_NOT_PERMITTED = 2,	       /**< not allowed on this object */
	DOCA_ERROR_IN_USE = 3,		       /**< something still uses it */
	DOCA_ERROR_NOT_SUPPORTED = 4,	       /**< the device or the library cannot do it */
	DOCA_ERROR_AGAIN = 5,		       /**< no room just now, try later */
	DOCA_ERROR_INVALID_VALUE = 6,	       /**< an argument is wrong */
	DOCA_ERROR_NO_MEMORY = 7,	       /**< no memory, or nothing left in a pool */
	DOCA_ERROR_INITIALIZATION = 8,	       /**< a resource could not be set up */
	DOCA_ERROR_TIME_OUT = 9,	       /**< it took too long */
	DOCA_ERROR_SHUTDOWN = 10,	       /**< being shut down */
	DOCA_ERROR_CONNECTION_RESET = 11,      /**< the peer has closed the connection */
	DOCA_ERROR_CONNECTION_ABORTED = 12,    /**< the connection was refused or has broken */
	DOCA_ERROR_CONNECTION_INPROGRESS = 13, /**< the connection is being set up */
	DOCA_ERROR_NOT_CONNECTED = 14,	       /**< there is no connection, or no progress engine */
	DOCA_ERROR_NO_LOCK = 15,	       /**< a lock could not be taken */
	DOCA_ERROR_NOT_FOUND = 16,	       /**< there is no such thing */
	DOCA_ERROR_IO_FAILED = 17,	       /**< input or output failed */
	DOCA_ERROR_BAD_STATE = 18,	       /**< not in the object's present state */
	DOCA_ERROR_UNSUPPORTED_VERSION = 19,   /**< a version the library does not know */
	DOCA_ERROR_OPERATING_SYSTEM = 20,      /**< a system call failed */
	DOCA_ERROR_DRIVER = 21,		       /**< the layer below the library failed */
	DOCA_ERROR_UNEXPECTED = 22,	       /**< something that should not happen */
	DOCA_ERROR_ALREADY_EXIST = 23,	       /**< it is there already */
	DOCA_ERROR_FULL = 24,		       /**< there is no room */
	DOCA_ERROR_EMPTY = 25,		       /**< there is nothing in it */
	DOCA_ERROR_IN_PROGRESS = 26,	       /**< begun, goes on in doca_pe_progress() */
	DOCA_ERROR_TOO_BIG = 27,	       /**< above a limit */
	DOCA_ERROR_AUTHENTICATION = 28,	       /**< the peer is not who it should be */
	DOCA_ERROR_BAD_CONFIG = 29,	       /**< settings that do not fit each other */
	DOCA_ERROR_SKIPPED = 30,	       /**< valid, and left out */
	DOCA_ERROR_DEVICE_FATAL_ERROR = 31,    /**< the device is lost */
};

typedef enum doca_error doca_error_t;

/**
 * @brief Name of an error code, spelled like its enumerator.
 *
 * @param [in] error the code.
 *
 * @return a constant string such as "DOCA_ERROR_AGAIN"; "unrecognized error code" for a number that
 * is no code. Never NULL, not to be freed.
 *
 * Any thread, any time. Source: spec core 1.
 */
DOCA_STABLE
const char *doca_error_get_name(doca_error_t error);

/**
 * @brief What an error code means, in a few words for a reader.
 *
 * @param [in] error the code.
 *
 * @return a constant string; "unrecognized error code" for a number that is no code. Never NULL,
 * not to be freed. The wording may change.
 *
 * Any thread, any time. Source: spec core 1.
 */
DOCA_STABLE
const char *doca_error_get_descr(doca_error_t error);

/**
 * @brief doca_error_get_name() as releases up to 2.2 called it.
 *
 * @param [in] error the code.
 *
 * @return see doca_error_get_name().
 *
 * Any thread, any time. Source: spec core 1.
 */
DOCA_EXPERIMENTAL
const char *doca_get_error_name(doca_error_t error);

/**
 * @brief doca_error_get_descr() as releases up to 2.2 called it.
 *
 * @param [in] error the code.
 *
 * @return see doca_error_get_descr().
 *
 * Any thread, any time. Source: spec core 1.
 */
DOCA_EXPERIMENTAL
const char *doca_get_error_string(doca_error_t error);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_ERROR_H_ */
