/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Log and traces of DPA code. A line is given to the file by one call, which takes the file's lock:
 * lines of several units never mix.
 */
#include "doca_dpa_dev.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dpa/activation.h"

#define LINE_SIZE 512 /* a longer one is made on the heap */

static const char *level_name(doca_dpa_dev_log_level_t level)
{
	switch (level) {
	case DOCA_DPA_DEV_LOG_LEVEL_CRIT:
		return "CRT";
	case DOCA_DPA_DEV_LOG_LEVEL_ERROR:
		return "ERR";
	case DOCA_DPA_DEV_LOG_LEVEL_WARNING:
		return "WRN";
	case DOCA_DPA_DEV_LOG_LEVEL_DEBUG:
		return "DBG";
	default:
		return "INF";
	}
}

/* a line that ends, whether or not the program has thought of it; room: one byte behind it */
static void write_line(FILE *file, char *line, size_t length)
{
	if (line[length - 1] != '\n')
		line[length++] = '\n';
	fwrite(line, 1, length, file);
	fflush(file);
}

__attribute__((format(printf, 3, 0))) static void
log_line(FILE *file, doca_dpa_dev_log_level_t level, const char *format, va_list args)
{
	char buffer[LINE_SIZE], *line = buffer;
	int prefix = snprintf(buffer, sizeof(buffer), "[DOCA][DPA DEVICE][%s] ", level_name(level));
	size_t room = sizeof(buffer) - (size_t)prefix - 1;
	va_list again;
	int text;

	va_copy(again, args);
	text = vsnprintf(buffer + prefix, room, format, args);
	if (text >= (int)room) {
		line = malloc((size_t)prefix + (size_t)text + 2);
		if (line) {
			memcpy(line, buffer, (size_t)prefix);
			vsnprintf(line + prefix, (size_t)text + 1, format, again);
		} else {
			line = buffer; /* what fits */
			text = (int)room - 1;
		}
	}
	va_end(again);
	if (text >= 0)
		write_line(file, line, (size_t)prefix + (size_t)text);
	if (line != buffer)
		free(line);
}

void doca_dpa_dev_log(doca_dpa_dev_log_level_t log_level, const char *format, ...)
{
	const struct doca_dpa *base;
	va_list args;

	activation_check();
	if (!activation_here)
		return; /* not DPA code: nobody knows where to */
	base = dpa_base(activation_here->dpa);
	if (log_level <= DOCA_DPA_DEV_LOG_LEVEL_DISABLE || log_level > base->log_level)
		return;
	va_start(args, format);
	log_line(base->log_file, log_level, format, args);
	va_end(args);
}

void doca_dpa_dev_printf(const char *format, ...)
{
	va_list args;

	activation_check();
	if (!activation_here)
		return;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	fflush(stdout);
}

void doca_dpa_dev_trace(uint64_t arg1, uint64_t arg2, uint64_t arg3, uint64_t arg4, uint64_t arg5)
{
	activation_check();
	if (!activation_here)
		return;
	fprintf(dpa_base(activation_here->dpa)->trace_file,
		"0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 "\n", arg1,
		arg2, arg3, arg4, arg5);
}

void doca_dpa_dev_trace_flush(void)
{
	activation_check();
	if (activation_here)
		fflush(dpa_base(activation_here->dpa)->trace_file);
}
