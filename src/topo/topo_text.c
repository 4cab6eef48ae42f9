/* SPDX-License-Identifier: BSD-3-Clause */
/* Files as texts, and the reason why one is refused. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/load.h"
#include "base/cleanup.h"
#include "base/fd.h"

#define FILE_SIZE_MAX (1u << 20)
#define PATH_SHOWN    100

doca_error_t topo_refuse(struct topo_why *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why->text, sizeof(why->text), format, args);
	va_end(args);
	for (char *c = why->text; *c; c++) {
		if (iscntrl((unsigned char)*c)) /* it may quote what stands in a file */
			*c = '?';
	}
	return DOCA_ERROR_BAD_CONFIG;
}

const char *topo_shown_path(const char *path)
{
	size_t len = strlen(path);

	return len > PATH_SHOWN ? path + len - PATH_SHOWN : path;
}

static FILE *open_file(const char *path)
{
	FILE *file;

	do
		file = fopen(path, "re");
	while (!file && priv_fd_made_room());
	return file;
}

doca_error_t topo_read_text(const char *path, char **ret_text, struct topo_why *why)
{
	_cleanup_file_ FILE *file = open_file(path);
	_cleanup_free_ char *text = NULL;
	size_t size;

	if (!file)
		return topo_refuse(why, "%s: %s", topo_shown_path(path), strerror(errno));
	text = malloc(FILE_SIZE_MAX + 1);
	if (!text)
		return DOCA_ERROR_NO_MEMORY;
	size = fread(text, 1, FILE_SIZE_MAX + 1, file);
	if (ferror(file))
		return topo_refuse(why, "%s: %s", topo_shown_path(path), strerror(errno));
	if (size > FILE_SIZE_MAX)
		return topo_refuse(why, "%s: larger than %u bytes", topo_shown_path(path),
				   FILE_SIZE_MAX);
	if (memchr(text, '\0', size))
		return topo_refuse(why, "%s: has a zero byte in it: not a text file",
				   topo_shown_path(path));
	text[size] = '\0';
	*ret_text = text;
	text = NULL;
	return DOCA_SUCCESS;
}
