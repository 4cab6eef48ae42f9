/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The libraries' own log lines. They go to the SDK backends of doca_log and, when SOFTFIELD_LOG
 * names a level, to stderr as well. The sink lives in libdoca_common (core/log.c).
 *
 * ERR: the user must act. WRN: we coped. INFO: life cycle, once. DBG: per connection.
 * Nothing is logged in a poll path. A message says what failed, on which object, with which value,
 * and what exists instead.
 */
#ifndef SOFTFIELD_BASE_LOG_H
#define SOFTFIELD_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include "base/export.h"

/* Where a line comes from. */
struct log_place {
	const char *module; /* folder of the file, which the line names: link/shm.c */
	const char *file;
	int line;
	const char *func;
};

/* level: enum doca_log_level */
PRIV_EXPORT __attribute__((format(printf, 3, 4))) void
priv_log_write(uint32_t level, const struct log_place *place, const char *format, ...);

/* would anybody see an error that is logged, were it not for the limits? */
PRIV_EXPORT bool priv_log_has_reader(void);

#ifndef LOG_MODULE
#define LOG_MODULE "softfield"
#endif

#define LOG_AT(level, ...)                                                                         \
	priv_log_write(level, &(const struct log_place){LOG_MODULE, __FILE__, __LINE__, __func__}, \
		       __VA_ARGS__)
#define LOG_ERR(...)  LOG_AT(30, __VA_ARGS__)
#define LOG_WRN(...)  LOG_AT(40, __VA_ARGS__)
#define LOG_INFO(...) LOG_AT(50, __VA_ARGS__)
#define LOG_DBG(...)  LOG_AT(60, __VA_ARGS__)

#endif
