/* SPDX-License-Identifier: BSD-3-Clause */
/* A test that opens many descriptors is skipped where it may not: `ulimit -Hn` is the limit. */
#ifndef SOFTFIELD_TESTS_DESCRIPTORS_H
#define SOFTFIELD_TESTS_DESCRIPTORS_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>

#define MANY_DESCRIPTORS 1024

static inline bool many_descriptors_are_allowed(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_max >= MANY_DESCRIPTORS)
		return true;
	printf("SKIPPED: the hard limit is %llu descriptors; needed: %u (ulimit -Hn)\n",
	       (unsigned long long)limit.rlim_max, MANY_DESCRIPTORS);
	return false;
}

#endif
