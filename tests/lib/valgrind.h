/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Valgrind keeps limits and mappings of its own and does not know every system call. A test of what
 * only the kernel does has nothing to say there.
 */
#ifndef SOFTFIELD_TESTS_VALGRIND_H
#define SOFTFIELD_TESTS_VALGRIND_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool runs_under_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "vgpreload");
}

#endif
