/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a filter of system calls, as in a container, may forbid: a test of what needs it is skipped,
 * before it has made anything.
 */
#ifndef SOFTFIELD_TESTS_ALLOWED_H
#define SOFTFIELD_TESTS_ALLOWED_H

#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>
#include "base/barrier.h"

static inline bool membarrier_is_allowed(void)
{
	if (priv_barrier_register())
		return true;
	puts("SKIPPED: no membarrier() for this process");
	return false;
}

static inline void need_membarrier(void)
{
	if (!membarrier_is_allowed())
		skip();
}

/* by it memory of another process is read and written */
static inline bool process_vm_is_allowed(void)
{
	char from = 0, to;
	struct iovec source = {&from, 1}, target = {&to, 1};

	if (process_vm_readv(getpid(), &target, 1, &source, 1, 0) == 1)
		return true;
	puts("SKIPPED: no process_vm_readv() for this process");
	return false;
}

static inline void need_process_vm(void)
{
	if (!process_vm_is_allowed())
		skip();
}

#endif
