/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where DPA code's log and traces go. dev/log.c writes them.
 */
#define LOG_MODULE "dpa"
#include "dpa/dpa.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/fd.h"
#include "base/log.h"
#include "dpa/text.h"

static bool is_level(doca_dpa_dev_log_level_t level)
{
	switch (level) {
	case DOCA_DPA_DEV_LOG_LEVEL_DISABLE:
	case DOCA_DPA_DEV_LOG_LEVEL_CRIT:
	case DOCA_DPA_DEV_LOG_LEVEL_ERROR:
	case DOCA_DPA_DEV_LOG_LEVEL_WARNING:
	case DOCA_DPA_DEV_LOG_LEVEL_INFO:
	case DOCA_DPA_DEV_LOG_LEVEL_DEBUG:
		return true;
	}
	return false;
}

/* May the log's configuration be changed? */
static doca_error_t check_configurable(const struct doca_dpa *dpa)
{
	if (dpa->base) {
		LOG_ERR("a DPA context that extends another one has that one's log and traces");
		return DOCA_ERROR_NOT_PERMITTED;
	}
	return dpa->is_started ? DOCA_ERROR_BAD_STATE : DOCA_SUCCESS;
}

doca_error_t doca_dpa_set_log_level(struct doca_dpa *dpa, doca_dpa_dev_log_level_t log_level)
{
	doca_error_t err;

	if (!dpa)
		return DOCA_ERROR_INVALID_VALUE;
	if (!is_level(log_level)) {
		LOG_ERR("there is no level %u of the DPA's log", (unsigned int)log_level);
		return DOCA_ERROR_INVALID_VALUE;
	}
	err = check_configurable(dpa);
	if (err)
		return err;
	dpa->log_level = log_level;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_get_log_level(struct doca_dpa *dpa, doca_dpa_dev_log_level_t *log_level)
{
	if (!dpa || !log_level)
		return DOCA_ERROR_INVALID_VALUE;
	*log_level = dpa_base(dpa)->log_level;
	return DOCA_SUCCESS;
}

static doca_error_t set_path(const struct doca_dpa *dpa, char **path, const char *new_path)
{
	doca_error_t err = check_configurable(dpa);
	char *copy;

	if (err)
		return err;
	copy = strdup(new_path);
	if (!copy)
		return DOCA_ERROR_NO_MEMORY;
	free(*path);
	*path = copy;
	return DOCA_SUCCESS;
}

static doca_error_t get_path(const char *path, char *file_path, uint32_t *file_path_len)
{
	size_t size;
	doca_error_t err;

	if (!file_path && *file_path_len)
		return DOCA_ERROR_INVALID_VALUE;
	err = text_give(path ? path : "", file_path, *file_path_len, &size);
	*file_path_len = (uint32_t)size;
	return err;
}

doca_error_t doca_dpa_log_file_set_path(struct doca_dpa *dpa, const char *file_path)
{
	if (!dpa || !file_path || !*file_path)
		return DOCA_ERROR_INVALID_VALUE;
	return set_path(dpa, &dpa->log_path, file_path);
}

doca_error_t doca_dpa_log_file_get_path(struct doca_dpa *dpa, char *file_path,
					uint32_t *file_path_len)
{
	if (!dpa || !file_path_len)
		return DOCA_ERROR_INVALID_VALUE;
	return get_path(dpa_base(dpa)->log_path, file_path, file_path_len);
}

doca_error_t doca_dpa_trace_file_set_path(struct doca_dpa *dpa, const char *file_path)
{
	if (!dpa || !file_path || !*file_path)
		return DOCA_ERROR_INVALID_VALUE;
	return set_path(dpa, &dpa->trace_path, file_path);
}

doca_error_t doca_dpa_trace_file_get_path(struct doca_dpa *dpa, char *file_path,
					  uint32_t *file_path_len)
{
	if (!dpa || !file_path_len)
		return DOCA_ERROR_INVALID_VALUE;
	return get_path(dpa_base(dpa)->trace_path, file_path, file_path_len);
}

static doca_error_t error_of(int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
		return DOCA_ERROR_NOT_FOUND;
	case EACCES:
	case EPERM:
	case EROFS:
		return DOCA_ERROR_NOT_PERMITTED;
	case ENOMEM:
		return DOCA_ERROR_NO_MEMORY;
	default:
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
}

/* never standard input, output or error of a program that has none: it would print into it */
static FILE *create_file(const char *path)
{
	int fd = priv_fd_lift(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (!file && fd >= 0)
		close(fd);
	return file;
}

static doca_error_t open_file(const char *path, FILE **ret_file)
{
	doca_error_t err;

	if (!path || !strcmp(path, "stdout")) {
		*ret_file = stdout;
		return DOCA_SUCCESS;
	}
	if (!strcmp(path, "stderr")) {
		*ret_file = stderr;
		return DOCA_SUCCESS;
	}
	*ret_file = create_file(path);
	if (*ret_file)
		return DOCA_SUCCESS;
	err = error_of(errno);
	LOG_ERR("DPA context cannot start: %s cannot be written: %m", path);
	return err;
}

static void close_file(FILE *file)
{
	if (file == stdout || file == stderr)
		fflush(file);
	else
		fclose(file);
}

/* One file for both is opened once: what two streams write would be on top of each other. */
static doca_error_t open_trace(struct doca_dpa *dpa)
{
	if (dpa->log_path && dpa->trace_path && !strcmp(dpa->log_path, dpa->trace_path)) {
		dpa->trace_file = dpa->log_file;
		return DOCA_SUCCESS;
	}
	return open_file(dpa->trace_path, &dpa->trace_file);
}

doca_error_t dpa_log_start(struct doca_dpa *dpa)
{
	doca_error_t err = open_file(dpa->log_path, &dpa->log_file);

	if (err)
		return err;
	err = open_trace(dpa);
	if (err)
		close_file(dpa->log_file);
	return err;
}

void dpa_log_stop(struct doca_dpa *dpa)
{
	if (dpa->trace_file != dpa->log_file)
		close_file(dpa->trace_file);
	close_file(dpa->log_file);
}
