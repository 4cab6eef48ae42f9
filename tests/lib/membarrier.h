/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process without membarrier(), as in a container that forbids it, or on an old kernel.
 */
#ifndef SOFTFIELD_TESTS_MEMBARRIER_H
#define SOFTFIELD_TESTS_MEMBARRIER_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include "base/barrier.h"

/* From now on, for this thread and those that it starts. */
static inline void filter_membarrier(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = sizeof(filter) / sizeof(filter[0]), .filter = filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
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
