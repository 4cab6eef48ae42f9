/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Logging of releases up to 1.5: messages are written without a backend, and may be limited in
 * number. softfield_core_2_2.h brings it. Not to be included by programs.
 */
#ifndef SOFTFIELD_LOG_1_5_H_
#define SOFTFIELD_LOG_1_5_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_log.h>
#include <softfield_cast.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @brief doca_log_register_source() of a program that expects its messages on standard error
 * without having made a backend. They are written there, within the global limits, until it makes
 * one that writes to standard output or error.
 *
 * May be called before main().
 *
 * @param [in] source_name the name. Copied.
 * @param [out] source number for doca_log().
 *
 * @return what doca_log_register_source() answers.
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_log_register_source(const char *source_name, int *source);

/**
 * @brief Has messages that go to standard error for lack of a backend written to a stream instead.
 * No messages go there any more once the program has made a backend for standard output or error.
 *
 * @param [in] stream a stream, open for writing; it stays the program's and must stay open.
 *
 * @return DOCA_SUCCESS: also when there is a backend, or
 * - DOCA_ERROR_INVALID_VALUE: stream is NULL
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_log_stream_redirect(FILE *stream);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* the program does not call it */
/**
 * @brief doca_log_backend_create_with_fd() up to release 1.4.
 *
 * @param [in] fd a descriptor, open for writing; it stays the program's and must stay open.
 *
 * @return the backend. It lives until the program ends. NULL: fd is not an open descriptor, or
 * there is no memory, or there are too many backends.
 *
 * Any thread. Source: public programs of that age.
 */
static inline struct doca_log_backend *softfield_log_create_fd_backend(int fd)
{
	struct doca_log_backend *backend = SOFTFIELD_NULL;

	return doca_log_backend_create_with_fd(fd, &backend) == DOCA_SUCCESS ? backend
									     : SOFTFIELD_NULL;
}

/**
 * @brief doca_log_backend_create_with_file() up to release 1.4.
 *
 * @param [in] fptr a stream, open for writing; it stays the program's and must stay open.
 *
 * @return the backend. It lives until the program ends. NULL: fptr is NULL, or there is no memory,
 * or there are too many backends.
 *
 * Any thread. Source: public programs of that age.
 */
static inline struct doca_log_backend *softfield_log_create_file_backend(FILE *fptr)
{
	struct doca_log_backend *backend = SOFTFIELD_NULL;

	return doca_log_backend_create_with_file(fptr, &backend) == DOCA_SUCCESS ? backend
										 : SOFTFIELD_NULL;
}

/**
 * @brief doca_log_backend_create_with_buf() up to release 1.4.
 *
 * @param [in] buf see doca_log_backend_create_with_buf().
 * @param [in] capacity the same.
 * @param [in] handler the same.
 *
 * @return the backend. It lives until the program ends. NULL: an argument is wrong, or there is no
 * memory, or there are too many backends.
 *
 * Any thread. Source: public programs of that age.
 */
static inline struct doca_log_backend *
softfield_log_create_buffer_backend(char *buf, size_t capacity, log_flush_callback handler)
{
	struct doca_log_backend *backend = SOFTFIELD_NULL;

	return doca_log_backend_create_with_buf(buf, capacity, handler, &backend) == DOCA_SUCCESS
		       ? backend
		       : SOFTFIELD_NULL;
}

/**
 * @brief doca_log_backend_create_with_syslog() up to release 1.4.
 *
 * @param [in] name what the messages begin with. Copied.
 *
 * @return the backend. It lives until the program ends. NULL: name is NULL, or there is no memory,
 * or there are too many backends.
 *
 * Any thread. Source: public programs of that age.
 */
static inline struct doca_log_backend *softfield_log_create_syslog_backend(const char *name)
{
	struct doca_log_backend *backend = SOFTFIELD_NULL;

	return doca_log_backend_create_with_syslog(name, &backend) == DOCA_SUCCESS ? backend
										   : SOFTFIELD_NULL;
}
#pragma GCC diagnostic pop

/**
 * @brief The period in which lines of limited number are counted.
 *
 * @return seconds; 10 at first.
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
uint16_t softfield_log_get_bucket_time(void);

/**
 * @brief Sets the period in which lines of limited number are counted.
 *
 * @param [in] bucket_time seconds; 0: they are not limited.
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
void softfield_log_set_bucket_time(uint16_t bucket_time);

/**
 * @brief How many lines each place in the program may write in that period.
 *
 * @return the number; 20 at first.
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
uint16_t softfield_log_get_quantity(void);

/**
 * @brief Sets how many lines each place in the program may write in that period.
 *
 * @param [in] quantity the number; 0: none.
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
void softfield_log_set_quantity(uint16_t quantity);

/**
 * @brief Counts a line. Programs use the macros DOCA_LOG_RATE_LIMIT_*.
 *
 * @param [in] bucket the place's count; 0 at first.
 *
 * @return whether the line may be written; false as well when bucket is NULL.
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
bool softfield_log_bucket_take(uint64_t *bucket);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTFIELD_LOG_1_5_H_ */
