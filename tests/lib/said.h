/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a child says on standard error. Assertions are cmocka's: include test.h first.
 */
#ifndef SOFTFIELD_TESTS_SAID_H
#define SOFTFIELD_TESTS_SAID_H

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "child.h"

#define SAID_SIZE 4096

static inline void listen_to(void (*body)(struct child *parent, void *arg), void *arg,
			     char said[SAID_SIZE])
{
	int file = memfd_create("stderr", MFD_CLOEXEC), kept = dup(STDERR_FILENO);
	struct child child;
	ssize_t size;

	assert_true(file >= 0 && kept >= 0);
	dup2(file, STDERR_FILENO);
	child = child_start(body, arg);
	dup2(kept, STDERR_FILENO);
	assert_int_equal(child_join(&child), 0);
	size = pread(file, said, SAID_SIZE - 1, 0);
	assert_true(size >= 0);
	said[size] = '\0';
	close(file);
	close(kept);
}

/* how often it has said that */
static inline unsigned int said_count(const char *said, const char *what)
{
	unsigned int count = 0;

	for (; (said = strstr(said, what)); said++)
		count++;
	return count;
}

#endif
