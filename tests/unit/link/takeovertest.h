/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A range of plain memory, and the memfd whose pages it is to exchange its own for.
 */
#ifndef SOFTFIELD_TESTS_TAKEOVERTEST_H
#define SOFTFIELD_TESTS_TAKEOVERTEST_H

#include "test.h"

#include <grp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "child.h"
#include "leak.h"
#include "link/takeover.h"

#define SIZE ((size_t)4 << 20) /* more than one piece */
#define SKIP 77

struct range {
	char *user;
	int memfd;
	char *peer; /* another mapping of the memfd */
};

static inline int make_memfd(size_t size)
{
	int fd = memfd_create("softfield-test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	return fd;
}

static inline char *map(size_t size, int prot, int flags, int fd)
{
	char *p = mmap(NULL, size, prot, flags, fd, 0);

	assert_true(p != MAP_FAILED);
	return p;
}

static inline char *map_plain(size_t size)
{
	return map(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static inline char pattern(size_t i)
{
	return (char)(i * 131 + i / 4096);
}

static inline void fill(char *p, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		p[i] = pattern(i);
}

static inline bool is_filled(const char *p, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		if (p[i] != pattern(i))
			return false;
	return true;
}

static inline struct range open_range(void)
{
	struct range range = {.user = map_plain(SIZE), .memfd = make_memfd(SIZE)};

	range.peer = map(SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, range.memfd);
	return range;
}

static inline void close_range_of(struct range *range)
{
	munmap(range->user, SIZE);
	munmap(range->peer, SIZE);
	close(range->memfd);
}

/* For a child: becomes nobody, who may use no userfaultfd. Ends it where that cannot be. */
static inline void become_nobody(void)
{
	if (!geteuid() && (setgroups(0, NULL) || setresgid(65534, 65534, 65534) ||
			   setresuid(65534, 65534, 65534)))
		_exit(SKIP);
}

#endif
