/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where log records go: streams, descriptors, a buffer with a callback, syslog. A backend lives as
 * long as the process; what it writes to belongs to the caller.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <syslog.h>
#include <unistd.h>
#include "base/terminal.h"
#include "core/log.h"

struct doca_log_backend {
	enum log_world world;
	void (*write)(struct doca_log_backend *backend, const struct log_record *record);
	FILE *file;
	int fd; /* of the stream or the descriptor, else -1 */
	char *buf;
	size_t capacity;
	log_flush_callback handler;
	pthread_mutex_t buf_mutex; /* protects buf, also while the handler reads it */
	/* Written under the log's lock, read without: each is a decision of its own, so relaxed. */
	_Atomic uint32_t lower, upper;
	uint32_t lower_max; /* never more verbose than this */
	uint32_t upper_min; /* never more severe than this */
};

/* One kind of record and who is interested in it. */
static struct {
	struct log_limits limits;
	_Atomic uint32_t count;
	struct doca_log_backend *backends[LOG_BACKENDS_MAX + 1]; /* and the default one */
} worlds[LOG_WORLD_COUNT] = {
	[LOG_APP] = {.limits = {DOCA_LOG_LEVEL_INFO, DOCA_LOG_LEVEL_CRIT}},
	[LOG_SDK] = {.limits = {DOCA_LOG_LEVEL_INFO, DOCA_LOG_LEVEL_CRIT}},
};

static uint32_t backend_count(enum log_world world)
{
	/* Acquire: pairs with the release in attach(); the backend is complete. */
	return atomic_load_explicit(&worlds[world].count, memory_order_acquire);
}

static const char *color_of(uint32_t level)
{
	if (level <= DOCA_LOG_LEVEL_ERROR)
		return "\033[31m";
	if (level == DOCA_LOG_LEVEL_WARNING)
		return "\033[33m";
	return level == DOCA_LOG_LEVEL_INFO ? "\033[32m" : "\033[36m";
}

/* Terminals get no colours. Not asked for each line: the program may change its environment. */
static _Atomic bool colorless;

void log_backend_read_environment(void)
{
	colorless = !terminal_has_colors();
}

/* A line in three parts: colour on, text, colour off with the newline. */
static void cut(const struct log_record *record, int fd, struct iovec parts[3])
{
	bool color = !colorless && isatty(fd);
	const char *on = color ? color_of(record->level) : "";
	const char *off = color ? "\033[0m\n" : "\n";

	parts[0] = (struct iovec){(char *)on, strlen(on)};
	parts[1] = (struct iovec){(char *)record->line, record->size};
	parts[2] = (struct iovec){(char *)off, strlen(off)};
}

static void write_descriptor(int fd, const struct log_record *record)
{
	struct iovec parts[3];
	int next = 0;

	cut(record, fd, parts);
	while (next < 3) { /* ends: every round writes something, or is interrupted, or gives up */
		ssize_t written = writev(fd, parts + next, 3 - next);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return; /* full pipe, closed descriptor: nobody to tell */
		while (next < 3 && (size_t)written >= parts[next].iov_len)
			written -= parts[next++].iov_len;
		if (next < 3) {
			parts[next].iov_base = (char *)parts[next].iov_base + written;
			parts[next].iov_len -= written;
		}
	}
}

static void write_stream(FILE *file, const struct log_record *record)
{
	struct iovec parts[3];

	cut(record, fileno(file), parts);
	flockfile(file);
	for (int i = 0; i < 3; i++)
		fwrite_unlocked(parts[i].iov_base, 1, parts[i].iov_len, file);
	fflush_unlocked(file); /* a child of fork() must not inherit and repeat it */
	funlockfile(file);
}

static void file_write(struct doca_log_backend *backend, const struct log_record *record)
{
	write_stream(backend->file, record);
}

static void fd_write(struct doca_log_backend *backend, const struct log_record *record)
{
	write_descriptor(backend->fd, record);
}

static void standard_write(struct doca_log_backend *backend, const struct log_record *record)
{
	(void)backend;
	write_stream(record->level <= DOCA_LOG_LEVEL_WARNING ? stderr : stdout, record);
}

/* NULL: standard error */
static FILE *_Atomic default_file;

static void default_write(struct doca_log_backend *backend, const struct log_record *record)
{
	/* Acquire: pairs with log_backend_redirect_default(); the stream is complete. */
	FILE *file = atomic_load_explicit(&default_file, memory_order_acquire);

	(void)backend;
	write_stream(file ? file : stderr, record);
}

static void buf_write(struct doca_log_backend *backend, const struct log_record *record)
{
	/* Refused to the handler itself, whose own records would overwrite what it is reading. */
	if (pthread_mutex_lock(&backend->buf_mutex))
		return;
	snprintf(backend->buf, backend->capacity, "%s\n", record->line);
	backend->handler(backend->buf);
	pthread_mutex_unlock(&backend->buf_mutex);
}

static void syslog_write(struct doca_log_backend *backend, const struct log_record *record)
{
	static const int priorities[] = {LOG_CRIT,   LOG_ERR,	LOG_WARNING,
					 LOG_NOTICE, LOG_DEBUG, LOG_DEBUG};

	(void)backend;
	syslog(priorities[record->level / 10 - 2], "%s", record->line);
}

static bool passes(struct doca_log_backend *backend, uint32_t level)
{
	return level <= atomic_load_explicit(&backend->lower, memory_order_relaxed) &&
	       level >= atomic_load_explicit(&backend->upper, memory_order_relaxed);
}

bool log_backend_write_all(enum log_world world, const struct log_record *record)
{
	uint32_t count = backend_count(world);
	bool on_stderr = false;

	for (uint32_t i = 0; i < count; i++) {
		struct doca_log_backend *backend = worlds[world].backends[i];

		if (!passes(backend, record->level))
			continue;
		backend->write(backend, record);
		on_stderr |= backend->fd == STDERR_FILENO;
	}
	return on_stderr;
}

void log_backend_write_stderr(const struct log_record *record)
{
	write_descriptor(STDERR_FILENO, record);
}

bool log_backend_exists(enum log_world world)
{
	return backend_count(world);
}

uint32_t log_backend_most_verbose(enum log_world world)
{
	uint32_t count = backend_count(world), most = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t lower = worlds[world].backends[i]->lower;

		if (lower > most)
			most = lower;
	}
	return most;
}

void log_backend_after_fork(void)
{
	for (int world = 0; world < LOG_WORLD_COUNT; world++) {
		uint32_t count = backend_count(world);

		for (uint32_t i = 0; i < count; i++) {
			static const pthread_mutex_t fresh =
				PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

			worlds[world].backends[i]->buf_mutex = fresh;
		}
	}
}

struct log_limits log_backend_limits(enum log_world world)
{
	return worlds[world].limits;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

void log_backend_set_limits(enum log_world world, struct log_limits limits)
{
	uint32_t count = backend_count(world);

	if (limits.lower)
		worlds[world].limits.lower = limits.lower;
	if (limits.upper)
		worlds[world].limits.upper = limits.upper;
	for (uint32_t i = 0; i < count; i++) {
		struct doca_log_backend *backend = worlds[world].backends[i];

		if (limits.lower)
			backend->lower = smaller(limits.lower, backend->lower_max);
		if (limits.upper)
			backend->upper = larger(limits.upper, backend->upper_min);
	}
}

/* The first of all, or not there. */
static struct doca_log_backend default_backend = {
	.world = LOG_APP,
	.write = default_write,
	.fd = -1,
	.buf_mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP,
};

/* the backend copies the limits of its world. NO_MEMORY: there are too many. Under the lock */
static doca_error_t attach(struct doca_log_backend *backend)
{
	enum log_world world = backend->world;
	uint32_t count = backend_count(world), room = LOG_BACKENDS_MAX;

	log_backend_read_environment();
	if (worlds[world].backends[0] == &default_backend)
		room++;
	if (count == room)
		return DOCA_ERROR_NO_MEMORY;
	backend->lower_max = DOCA_LOG_LEVEL_TRACE;
	backend->upper_min = 0;
	backend->lower = worlds[world].limits.lower;
	backend->upper = worlds[world].limits.upper;
	worlds[world].backends[count] = backend;
	/* Release: pairs with the acquire in backend_count(). */
	atomic_store_explicit(&worlds[world].count, count + 1, memory_order_release);
	log_update_shown();
	return DOCA_SUCCESS;
}

void priv_log_backend_add_default(void)
{
	log_lock();
	if (!log_backend_exists(LOG_APP))
		attach(&default_backend); /* there is room */
	log_unlock();
}

void log_backend_redirect_default(FILE *file)
{
	/* Release: pairs with the acquire in default_write(). */
	atomic_store_explicit(&default_file, file, memory_order_release);
}

/* Does it write where the default one does? */
static bool is_standard(const struct doca_log_backend *backend)
{
	return backend->write == standard_write || backend->fd == STDOUT_FILENO ||
	       backend->fd == STDERR_FILENO;
}

/* Shows nothing from now on, not to print twice what the program's own backend does. */
static void retire_default(void)
{
	default_backend.lower_max = DOCA_LOG_LEVEL_DISABLE;
	default_backend.lower = DOCA_LOG_LEVEL_DISABLE;
	log_update_shown();
}

/* NO_MEMORY: also when there are too many */
static doca_error_t add(const struct doca_log_backend *model, struct doca_log_backend **ret_backend)
{
	struct doca_log_backend *backend;
	doca_error_t err;

	backend = malloc(sizeof(*backend));
	if (!backend)
		return DOCA_ERROR_NO_MEMORY;
	*backend = *model;
	backend->buf_mutex = (pthread_mutex_t)PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
	log_lock();
	err = attach(backend);
	if (!err && backend->world == LOG_APP && is_standard(backend))
		retire_default();
	log_unlock();
	if (err) {
		free(backend);
		return err;
	}
	*ret_backend = backend;
	return DOCA_SUCCESS;
}

static doca_error_t create_with_file(enum log_world world, FILE *file,
				     struct doca_log_backend **ret_backend)
{
	if (!file || !ret_backend)
		return DOCA_ERROR_INVALID_VALUE;
	return add(
		&(struct doca_log_backend){
			.world = world, .write = file_write, .file = file, .fd = fileno(file)},
		ret_backend);
}

static doca_error_t create_with_fd(enum log_world world, int fd,
				   struct doca_log_backend **ret_backend)
{
	if (!ret_backend || fcntl(fd, F_GETFD) < 0)
		return DOCA_ERROR_INVALID_VALUE;
	return add(&(struct doca_log_backend){.world = world, .write = fd_write, .fd = fd},
		   ret_backend);
}

static doca_error_t create_with_buf(enum log_world world, char *buf, size_t capacity,
				    log_flush_callback handler,
				    struct doca_log_backend **ret_backend)
{
	if (!buf || !capacity || !handler || !ret_backend)
		return DOCA_ERROR_INVALID_VALUE;
	return add(&(struct doca_log_backend){.world = world,
					      .write = buf_write,
					      .fd = -1,
					      .buf = buf,
					      .capacity = capacity,
					      .handler = handler},
		   ret_backend);
}

static doca_error_t create_with_syslog(enum log_world world, const char *name,
				       struct doca_log_backend **ret_backend)
{
	doca_error_t err;
	char *ident;

	if (!name || !ret_backend)
		return DOCA_ERROR_INVALID_VALUE;
	ident = strdup(name);
	if (!ident)
		return DOCA_ERROR_NO_MEMORY;
	err = add(
		&(struct doca_log_backend){
			.world = world, .write = syslog_write, .fd = -1, .buf = ident},
		ret_backend);
	if (err) {
		free(ident);
		return err;
	}
	openlog(ident, LOG_PID,
		LOG_USER); /* keeps the pointer: one ident for the process, the last */
	return DOCA_SUCCESS;
}

doca_error_t doca_log_backend_create_with_file(FILE *fptr, struct doca_log_backend **backend)
{
	return create_with_file(LOG_APP, fptr, backend);
}

doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr, struct doca_log_backend **backend)
{
	return create_with_file(LOG_SDK, fptr, backend);
}

doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend)
{
	return create_with_fd(LOG_APP, fd, backend);
}

doca_error_t doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend)
{
	return create_with_fd(LOG_SDK, fd, backend);
}

doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity,
					      log_flush_callback handler,
					      struct doca_log_backend **backend)
{
	return create_with_buf(LOG_APP, buf, capacity, handler, backend);
}

doca_error_t doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity,
						  log_flush_callback handler,
						  struct doca_log_backend **backend)
{
	return create_with_buf(LOG_SDK, buf, capacity, handler, backend);
}

doca_error_t doca_log_backend_create_with_buffer(char *buf, size_t capacity,
						 log_flush_callback handler,
						 struct doca_log_backend **backend)
{
	return doca_log_backend_create_with_buf(buf, capacity, handler, backend);
}

doca_error_t doca_log_backend_create_with_buffer_sdk(char *buf, size_t capacity,
						     log_flush_callback handler,
						     struct doca_log_backend **backend)
{
	return doca_log_backend_create_with_buf_sdk(buf, capacity, handler, backend);
}

doca_error_t doca_log_backend_create_with_syslog(const char *name,
						 struct doca_log_backend **backend)
{
	return create_with_syslog(LOG_APP, name, backend);
}

doca_error_t doca_log_backend_create_with_syslog_sdk(const char *name,
						     struct doca_log_backend **backend)
{
	return create_with_syslog(LOG_SDK, name, backend);
}

doca_error_t doca_log_backend_create_standard(void)
{
	static _Atomic bool exists; /* a second one would print everything twice */
	struct doca_log_backend *backend;
	doca_error_t err;

	if (atomic_exchange(&exists, true))
		return DOCA_SUCCESS;
	err = add(&(struct doca_log_backend){.world = LOG_APP, .write = standard_write, .fd = -1},
		  &backend);
	if (err)
		atomic_store(&exists, false);
	return err;
}

static bool is_settable(const struct doca_log_backend *backend, enum log_world world)
{
	return backend && backend->world == world;
}

static doca_error_t set_lower(struct doca_log_backend *backend, uint32_t level)
{
	doca_error_t err = DOCA_ERROR_NOT_PERMITTED;

	if (!log_level_is_valid(level))
		return DOCA_ERROR_INVALID_VALUE;
	log_lock();
	if (level <= backend->lower_max) {
		backend->lower = level;
		log_update_shown();
		err = DOCA_SUCCESS;
	}
	log_unlock();
	return err;
}

doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend,
						    uint32_t level)
{
	if (!is_settable(backend, LOG_APP))
		return DOCA_ERROR_INVALID_VALUE;
	return set_lower(backend, level);
}

doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend, uint32_t level)
{
	if (!is_settable(backend, LOG_SDK))
		return DOCA_ERROR_INVALID_VALUE;
	return set_lower(backend, level);
}

doca_error_t doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend,
						    uint32_t upper_limit)
{
	doca_error_t err = DOCA_ERROR_NOT_PERMITTED;

	if (!is_settable(backend, LOG_APP) || !log_level_is_valid(upper_limit))
		return DOCA_ERROR_INVALID_VALUE;
	log_lock();
	if (upper_limit >= backend->upper_min) {
		backend->upper = upper_limit;
		err = DOCA_SUCCESS;
	}
	log_unlock();
	return err;
}

doca_error_t doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend)
{
	if (!backend)
		return DOCA_ERROR_INVALID_VALUE;
	log_lock();
	backend->lower_max = backend->lower;
	log_unlock();
	return DOCA_SUCCESS;
}

doca_error_t doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend)
{
	if (!backend)
		return DOCA_ERROR_INVALID_VALUE;
	log_lock();
	backend->upper_min = backend->upper;
	log_unlock();
	return DOCA_SUCCESS;
}
