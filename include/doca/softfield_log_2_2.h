/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What programs of releases up to 2.2 call otherwise of the log. doca_log.h brings it, and no other
 * header, for programs may have macros of these names and their own log. Not to be included by
 * programs.
 */
#ifndef SOFTFIELD_LOG_2_2_H_
#define SOFTFIELD_LOG_2_2_H_

#include <stdint.h>

#include <doca_compat.h>
#include <doca_log.h>
#include <softfield_log_1_5.h>

/** Log backends and levels up to release 2.0. */
#define doca_logger_backend		   doca_log_backend
#define doca_log_create_standard_backend() doca_log_backend_create_standard()
#define doca_log_backend_level_set(backend, level)                                                 \
	doca_log_backend_set_level_lower_limit(backend, level)
#define doca_log_global_level_set(level) doca_log_level_set_global_lower_limit(level)
#define doca_log_global_level_get()	 doca_log_level_get_global_lower_limit()

/** Without the last argument, up to 1.4: the backend is what they return. */
#define doca_log_create_fd_backend(...)                                                            \
	SOFTFIELD_PICK_2(__VA_ARGS__, doca_log_backend_create_with_fd,                             \
			 softfield_log_create_fd_backend, 0)                                       \
	(__VA_ARGS__)
#define doca_log_create_file_backend(...)                                                          \
	SOFTFIELD_PICK_2(__VA_ARGS__, doca_log_backend_create_with_file,                           \
			 softfield_log_create_file_backend, 0)                                     \
	(__VA_ARGS__)
#define doca_log_create_buffer_backend(...)                                                        \
	SOFTFIELD_PICK_4(__VA_ARGS__, doca_log_backend_create_with_buf,                            \
			 softfield_log_create_buffer_backend, 0)                                   \
	(__VA_ARGS__)
#define doca_log_create_syslog_backend(...)                                                        \
	SOFTFIELD_PICK_2(__VA_ARGS__, doca_log_backend_create_with_syslog,                         \
			 softfield_log_create_syslog_backend, 0)                                   \
	(__VA_ARGS__)

#ifdef DOCA_LEGACY_2_2
/** DOCA_LOG_REGISTER() calls it: the program's messages need no backend. */
#define doca_log_register_source(source_name, source)                                              \
	softfield_log_register_source(source_name, source)
#endif
#define doca_log_stream_redirect(stream)      softfield_log_stream_redirect(stream)
#define doca_log_get_bucket_time()	      softfield_log_get_bucket_time()
#define doca_log_set_bucket_time(bucket_time) softfield_log_set_bucket_time(bucket_time)
#define doca_log_get_quantity()		      softfield_log_get_quantity()
#define doca_log_set_quantity(quantity)	      softfield_log_set_quantity(quantity)

/** DOCA_LOG() for so many lines in so much time, as doca_log_set_quantity() and _time() say. */
#define DOCA_LOG_RATE_LIMIT(level, ...)                                                            \
	do {                                                                                       \
		static uint64_t softfield_log_bucket_;                                             \
		if (softfield_log_bucket_take(&softfield_log_bucket_))                             \
			DOCA_LOG(level, __VA_ARGS__);                                              \
	} while (0)
#define DOCA_LOG_RATE_LIMIT_CRIT(...) DOCA_LOG_RATE_LIMIT(DOCA_LOG_LEVEL_CRIT, __VA_ARGS__)
#define DOCA_LOG_RATE_LIMIT_ERR(...)  DOCA_LOG_RATE_LIMIT(DOCA_LOG_LEVEL_ERROR, __VA_ARGS__)
#define DOCA_LOG_RATE_LIMIT_WARN(...) DOCA_LOG_RATE_LIMIT(DOCA_LOG_LEVEL_WARNING, __VA_ARGS__)
#define DOCA_LOG_RATE_LIMIT_INFO(...) DOCA_LOG_RATE_LIMIT(DOCA_LOG_LEVEL_INFO, __VA_ARGS__)
#define DOCA_LOG_RATE_LIMIT_DBG(...)  DOCA_LOG_RATE_LIMIT(DOCA_LOG_LEVEL_DEBUG, __VA_ARGS__)

/** Log lines for development: nothing unless DOCA_LOGGING_ALLOW_DLOG is defined. */
#ifdef DOCA_LOGGING_ALLOW_DLOG
#define DOCA_DLOG(level, ...) DOCA_LOG(level, __VA_ARGS__)
#else
#define DOCA_DLOG(level, ...)                                                                      \
	do {                                                                                       \
	} while (0)
#endif
#define DOCA_DLOG_CRIT(...) DOCA_DLOG(DOCA_LOG_LEVEL_CRIT, __VA_ARGS__)
#define DOCA_DLOG_ERR(...)  DOCA_DLOG(DOCA_LOG_LEVEL_ERROR, __VA_ARGS__)
#define DOCA_DLOG_WARN(...) DOCA_DLOG(DOCA_LOG_LEVEL_WARNING, __VA_ARGS__)
#define DOCA_DLOG_INFO(...) DOCA_DLOG(DOCA_LOG_LEVEL_INFO, __VA_ARGS__)
#define DOCA_DLOG_DBG(...)  DOCA_DLOG(DOCA_LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif /* SOFTFIELD_LOG_2_2_H_ */
