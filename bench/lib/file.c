/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making files.
 */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "pair.h"

#define NAME "bench-disk-XXXXXX"

void file_make(struct bench_file *file, size_t size)
{
	static char piece[65536];
	char path[PATH_MAX + sizeof(NAME)];
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);

	if (n < 0)
		bench_fail("no /proc/self/exe: %s", strerror(errno));
	path[n] = '\0';
	strcpy(strrchr(path, '/') + 1, NAME);
	file->fd = mkostemp(path, O_CLOEXEC);
	if (file->fd < 0)
		bench_fail("cannot make %s: %s", path, strerror(errno));
	unlink(path);
	memset(piece, 0x5a, sizeof(piece));
	for (size_t done = 0; done < size; done += (size_t)n) {
		const size_t left = size - done;

		n = write(file->fd, piece, left < sizeof(piece) ? left : sizeof(piece));
		if (n < 0)
			bench_fail("cannot write %s: %s", path, strerror(errno));
	}
	/* what the program measures is not to meet the writing back of this */
	if (fsync(file->fd))
		bench_fail("cannot write %s: %s", path, strerror(errno));
	snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->fd);
}
