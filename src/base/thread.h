/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which thread runs.
 */
#ifndef SOFTFIELD_BASE_THREAD_H
#define SOFTFIELD_BASE_THREAD_H

#include "base/export.h"

PRIV_EXPORT extern __thread char priv_thread_here __attribute__((tls_model("initial-exec")));

/*
 * An address that is the calling thread's as long as it lives; another one may have it later. That
 * of a child's first thread is its parent's that has forked it.
 */
static inline const void *thread_self(void)
{
	return &priv_thread_here;
}

#endif
