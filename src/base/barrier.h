/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A barrier for two: membarrier() makes every running thread of the registered processes execute a
 * full one, so the other side, whose way is the frequent one, needs none of its own. Where the
 * kernel has no membarrier() it is a fence for its caller only, and the others have to be told to
 * use fences, too. Who sleeps and who wakes: base/sleeper.h.
 */
#ifndef SOFTFIELD_BASE_BARRIER_H
#define SOFTFIELD_BASE_BARRIER_H

#include <stdbool.h>
#include "base/export.h"

/* registers the process once; false: the others must use fences of their own */
PRIV_EXPORT bool priv_barrier_register(void);
PRIV_EXPORT void priv_barrier_heavy(void);

#endif
