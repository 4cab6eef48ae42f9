/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Log records of the application and of the libraries: which of them are shown, and what they look
 * like. Works before main(), in constructors, in several threads and in children of fork(), and
 * leaves errno alone.
 */
#include "core/log.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/count.h"
#include "base/fork_lock.h"
#include "base/log.h"
#include "base/no_cancel.h"

#define STDERR_VARIABLE "SOFTFIELD_LOG"
#define PREFIX_SIZE	512
#define UNKNOWN		UINT32_MAX

/* An application without a backend is silent; the SDK may have a reader in the environment. */
static _Atomic uint32_t shown[LOG_WORLD_COUNT] = {[LOG_APP] = 0, [LOG_SDK] = UNKNOWN};

static struct fork_lock config_lock = FORK_LOCK_INITIALIZER;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static pthread_once_t environment_once = PTHREAD_ONCE_INIT;
static uint32_t stderr_level; /* of the SDK's records; 0: none */

static const struct {
	const char *name, *tag;
	uint32_t level;
} levels[] = {
	{"disable", NULL, DOCA_LOG_LEVEL_DISABLE}, {"critical", "CRT", DOCA_LOG_LEVEL_CRIT},
	{"error", "ERR", DOCA_LOG_LEVEL_ERROR},	   {"warning", "WRN", DOCA_LOG_LEVEL_WARNING},
	{"info", "INF", DOCA_LOG_LEVEL_INFO},	   {"debug", "DBG", DOCA_LOG_LEVEL_DEBUG},
	{"trace", "TRC", DOCA_LOG_LEVEL_TRACE},
};

bool log_level_is_valid(uint32_t level)
{
	return level >= DOCA_LOG_LEVEL_DISABLE && level <= DOCA_LOG_LEVEL_TRACE && level % 10 == 0;
}

static bool is_record_level(uint32_t level)
{
	return log_level_is_valid(level) && level != DOCA_LOG_LEVEL_DISABLE;
}

static void lock_for_fork(void)
{
	fork_lock_hold(&config_lock);
}

static void unlock_in_child(void)
{
	fork_lock_release(&config_lock);
	log_backend_after_fork();
}

static void watch_forks(void)
{
	pthread_atfork(lock_for_fork, log_unlock, unlock_in_child);
}

void log_lock(void)
{
	pthread_once(&fork_once, watch_forks);
	fork_lock_hold(&config_lock);
}

void log_unlock(void)
{
	fork_lock_release(&config_lock);
}

static void read_environment(void)
{
	const char *text = secure_getenv(STDERR_VARIABLE);

	log_backend_read_environment();
	if (!text || !*text)
		return;
	for (size_t i = 0; i < COUNT(levels); i++) {
		char number[12];

		snprintf(number, sizeof(number), "%u", levels[i].level);
		if (!strcmp(text, levels[i].name) || !strcmp(text, number)) {
			stderr_level = levels[i].level;
			return;
		}
	}
	fprintf(stderr,
		"softfield: " STDERR_VARIABLE
		"='%.64s' is not a log level; allowed: disable, critical, "
		"error, warning, info, debug, trace, or 10, 20, 30, 40, 50, 60, 70\n",
		text);
}

void log_update_shown(void)
{
	uint32_t sdk = log_backend_most_verbose(LOG_SDK);

	pthread_once(&environment_once, read_environment);
	if (sdk < stderr_level)
		sdk = stderr_level;
	/* Relaxed: a thread that sees a change late only shows or skips a record more. */
	atomic_store_explicit(&shown[LOG_APP], log_backend_most_verbose(LOG_APP),
			      memory_order_relaxed);
	atomic_store_explicit(&shown[LOG_SDK], sdk, memory_order_relaxed);
}

/*
 * Seconds that local time is ahead of UTC. Asked for once in a quarter of an hour, when a change to
 * or from summer time may have come: localtime_r() takes a lock, and a child of fork() may find it
 * taken.
 */
static long utc_offset(time_t now)
{
	static _Atomic uint64_t cache; /* quarter since 1970 << 32 | offset */
	uint32_t quarter = now / 900;
	uint64_t cached =
		atomic_load_explicit(&cache, memory_order_relaxed); /* one word, no order */
	struct tm tm;

	if (cached >> 32 == quarter)
		return (int32_t)(uint32_t)cached;
	if (!localtime_r(&now, &tm))
		return 0;
	atomic_store_explicit(&cache, (uint64_t)quarter << 32 | (uint32_t)tm.tm_gmtoff,
			      memory_order_relaxed);
	return tm.tm_gmtoff;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * [HH:MM:SS:uuuuuu][tid][DOCA][INF][file.c:line][function], as programs that read logs know it; the
 * application has no module.
 */
static size_t format_prefix(char *buf, uint32_t level, const struct log_place *place)
{
	struct timespec now;
	long seconds;

	clock_gettime(CLOCK_REALTIME, &now);
	seconds = (now.tv_sec + utc_offset(now.tv_sec)) % 86400;
	return snprintf(buf, PREFIX_SIZE,
			"[%02ld:%02ld:%02ld:%06ld][%d][DOCA][%s][%.64s%s%.128s:%d][%.128s] ",
			seconds / 3600, seconds / 60 % 60, seconds % 60, now.tv_nsec / 1000,
			gettid(), levels[level / 10 - 1].tag, place->module ? place->module : "",
			place->module ? "/" : "", base_name(place->file), place->line, place->func);
}

static void dispatch(enum log_world world, const struct log_record *record)
{
	bool on_stderr = log_backend_write_all(world, record);

	if (world == LOG_SDK && record->level <= stderr_level && !on_stderr)
		log_backend_write_stderr(record);
}

__attribute__((format(printf, 4, 0))) static void write_record(enum log_world world, uint32_t level,
							       const struct log_place *place,
							       const char *format, va_list args)
{
	int saved_errno = errno;
	char stack[2048];
	char *line = stack;
	size_t prefix = format_prefix(stack, level, place);
	struct log_record record = {.level = level};
	va_list again;
	int text;
	NO_CANCEL();

	va_copy(again, args);
	errno = saved_errno; /* for %m */
	text = vsnprintf(stack + prefix, sizeof(stack) - prefix, format, args);
	if (text < 0) {
		snprintf(stack + prefix, sizeof(stack) - prefix, "(unprintable) %s", format);
		text = strlen(stack + prefix);
	}
	record.size = prefix + text;
	if (record.size >= sizeof(stack)) {
		line = malloc(record.size + 1);
		if (line) {
			memcpy(line, stack, prefix);
			errno = saved_errno;
			vsnprintf(line + prefix, text + 1, format, again);
		} else {
			line = stack; /* better cut than lost */
			record.size = sizeof(stack) - 1;
		}
	}
	va_end(again);
	record.line = line;
	dispatch(world, &record);
	if (line != stack)
		free(line);
	errno = saved_errno;
}

doca_error_t doca_log(uint32_t level, int source, const char *fname, int line, const char *func,
		      const char *format, ...)
{
	uint32_t source_level = logger_source_level(source);
	va_list args;

	if (!is_record_level(level) || !source_level || !fname || !func || !format)
		return DOCA_ERROR_INVALID_VALUE;
	/* Relaxed: see log_update_shown(). */
	if (level > source_level ||
	    level > atomic_load_explicit(&shown[LOG_APP], memory_order_relaxed))
		return DOCA_SUCCESS;
	va_start(args, format);
	write_record(LOG_APP, level,
		     &(const struct log_place){.file = fname, .line = line, .func = func}, format,
		     args);
	va_end(args);
	return DOCA_SUCCESS;
}

void priv_log_vwrite(uint32_t level, const struct log_place *place, const char *format,
		     va_list args)
{
	/* Relaxed: see log_update_shown(). */
	uint32_t limit = atomic_load_explicit(&shown[LOG_SDK], memory_order_relaxed);

	if (level > limit)
		return;
	if (limit == UNKNOWN) {
		int saved_errno = errno;

		log_lock();
		log_update_shown();
		log_unlock();
		errno = saved_errno;
		if (level > atomic_load_explicit(&shown[LOG_SDK], memory_order_relaxed))
			return;
	}
	assert(is_record_level(level));
	write_record(LOG_SDK, level, place, format, args);
}

void priv_log_write(uint32_t level, const struct log_place *place, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	priv_log_vwrite(level, place, format, args);
	va_end(args);
}

bool priv_log_has_reader(void)
{
	pthread_once(&environment_once, read_environment);
	return stderr_level || log_backend_exists(LOG_SDK);
}

static doca_error_t set_limits(enum log_world world, uint32_t lower, uint32_t upper)
{
	log_lock();
	log_backend_set_limits(world, (struct log_limits){.lower = lower, .upper = upper});
	log_update_shown();
	log_unlock();
	return DOCA_SUCCESS;
}

static struct log_limits get_limits(enum log_world world)
{
	struct log_limits limits;

	log_lock();
	limits = log_backend_limits(world);
	log_unlock();
	return limits;
}

doca_error_t doca_log_level_set_global_lower_limit(uint32_t level)
{
	if (!log_level_is_valid(level))
		return DOCA_ERROR_INVALID_VALUE;
	return set_limits(LOG_APP, level, 0);
}

doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit)
{
	if (!log_level_is_valid(upper_limit))
		return DOCA_ERROR_INVALID_VALUE;
	return set_limits(LOG_APP, 0, upper_limit);
}

doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level)
{
	if (!log_level_is_valid(level))
		return DOCA_ERROR_INVALID_VALUE;
	return set_limits(LOG_SDK, level, 0);
}

uint32_t doca_log_level_get_global_lower_limit(void)
{
	return get_limits(LOG_APP).lower;
}

uint32_t doca_log_level_get_global_upper_limit(void)
{
	return get_limits(LOG_APP).upper;
}

uint32_t doca_log_level_get_global_sdk_limit(void)
{
	return get_limits(LOG_SDK).lower;
}

doca_error_t doca_log_register_source(const char *source_name, int *source)
{
	doca_error_t err;

	if (!source_name || !source)
		return DOCA_ERROR_INVALID_VALUE;
	log_lock();
	err = logger_register(source_name, source);
	log_unlock();
	return err;
}

doca_error_t doca_log_unregister_source(int source)
{
	doca_error_t err;

	log_lock();
	err = logger_unregister(source);
	log_unlock();
	return err;
}

uint32_t doca_log_get_max_num_backends(void)
{
	return LOG_BACKENDS_MAX;
}

uint32_t doca_log_get_max_num_backends_sdk(void)
{
	return LOG_BACKENDS_MAX;
}
