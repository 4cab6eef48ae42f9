/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that a consumer could have sent as its window.
 */
#ifndef SOFTFIELD_TESTS_WINDOW_FD_H
#define SOFTFIELD_TESTS_WINDOW_FD_H

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "test.h"

static inline int new_window(size_t size)
{
	int fd = memfd_create("softfield-test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
	return fd;
}

#endif
