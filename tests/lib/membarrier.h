/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process without membarrier(), as in a container that forbids it, or on an old kernel.
 */
#ifndef SOFTFIELD_TESTS_MEMBARRIER_H
#define SOFTFIELD_TESTS_MEMBARRIER_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include "base/barrier.h"
#include "seccomp.h"

/* From now on, for this thread and those that it starts. */
static inline void filter_membarrier(void)
{
	if (!forbid_call(SYS_membarrier, ENOSYS)) {
		fprintf(stderr, "seccomp: %s\n", strerror(errno));
		exit(77); /* skipped */
	}
}

/* The same before anything has asked for it. */
static inline void forbid_membarrier(void)
{
	filter_membarrier();
	if (priv_barrier_register()) {
		fprintf(stderr, "membarrier is still there\n");
		exit(1);
	}
}

#endif
