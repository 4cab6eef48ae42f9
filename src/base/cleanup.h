/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Release of temporaries at the end of their scope. For values that never leave the function;
 * constructors use labels instead.
 */
#ifndef SOFTFIELD_BASE_CLEANUP_H
#define SOFTFIELD_BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_fd(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

#define _cleanup_free_ __attribute__((cleanup(cleanup_free)))
#define _cleanup_fd_   __attribute__((cleanup(cleanup_fd)))
#define _cleanup_file_ __attribute__((cleanup(cleanup_file)))

#endif
