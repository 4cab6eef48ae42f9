/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of doca_log. A record is written once by log.c and handed to every backend of its world
 * (log_backend.c) whose limits let it pass; logger.c knows the sources of the application.
 *
 * Reading needs no lock anywhere: backends and loggers are never freed, limits are atomic words.
 * One mutex orders the changes. It is held across fork(), so a child always finds it free.
 */
#ifndef SOFTFIELD_CORE_LOG_H
#define SOFTFIELD_CORE_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/export.h"
#include "doca_log.h"

#define LOG_BACKENDS_MAX 64   /* of each world */
#define LOG_SOURCES_MAX	 4096 /* different names */

enum log_world { LOG_APP, LOG_SDK, LOG_WORLD_COUNT };

struct log_record {
	uint32_t level;
	const char *line; /* without newline, NUL-terminated */
	size_t size;
};

/* log.c */
void log_lock(void);
void log_unlock(void);
bool log_level_is_valid(uint32_t level);
/*
 * Recomputes the level above which a world shows nothing, the one word that a disabled record is
 * compared with. Under the lock.
 */
void log_update_shown(void);

struct log_place;

/* as priv_log_write() of base/log.h */
PRIV_EXPORT __attribute__((format(printf, 3, 0))) void
priv_log_vwrite(uint32_t level, const struct log_place *place, const char *format, va_list args);

/* log_1_5.c */
/* counts a line in the bucket: begin of its time << 16 | lines since then */
bool log_bucket_take(uint64_t *bucket, uint64_t now_ms);

/* log_backend.c */
struct log_limits {
	uint32_t lower; /* most verbose level shown */
	uint32_t upper; /* most severe level shown */
};

struct log_limits log_backend_limits(enum log_world world);
/*
 * For the present backends, as far as their strict limits allow, and the future ones; 0: stays as
 * it is. Under the lock
 */
void log_backend_set_limits(enum log_world world, struct log_limits limits);
uint32_t log_backend_most_verbose(enum log_world world);
bool log_backend_exists(enum log_world world);
/* returns whether a backend has put the record on the standard error descriptor */
bool log_backend_write_all(enum log_world world, const struct log_record *record);
void log_backend_write_stderr(const struct log_record *record);
/* whether terminals get colours: NO_COLOR, TERM */
void log_backend_read_environment(void);
/*
 * The backend of programs up to 1.5, which is there, on standard error, until they make one that
 * writes to standard output or error. Does nothing when the program has one. For functions that
 * only programs of that age call.
 */
PRIV_EXPORT void priv_log_backend_add_default(void);
void log_backend_redirect_default(FILE *file);
/* in the child of a fork: whoever held the lock of a buffer is not here any more */
void log_backend_after_fork(void);

/* logger.c */
/* INVALID_VALUE: empty name. NO_MEMORY: also when there are too many. Under the lock */
doca_error_t logger_register(const char *name, int *ret_source);
doca_error_t logger_unregister(int source);
/* most verbose level of a source; 0 when there is no such source */
uint32_t logger_source_level(int source);

#endif
