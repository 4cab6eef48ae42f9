/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sleeper's half of the arm/publish protocol.
 *
 *	sleeper: sleeping = 1; barrier_heavy(); look for work; sleep
 *	sender:  publish work; compiler barrier; if (sleeping) wake
 *
 * membarrier() makes every running thread of the registered processes execute a full barrier, so
 *the sender, who goes this way millions of times a second, needs none. Where the kernel has no
 * membarrier the sleeper says so in the shared memory and the sender uses a fence.
 */
#ifndef SOFTFIELD_BASE_BARRIER_H
#define SOFTFIELD_BASE_BARRIER_H

#include <stdbool.h>
#include "base/export.h"

/* registers the process once; false: senders must use a fence of their own */
PRIV_EXPORT bool priv_barrier_register(void);
PRIV_EXPORT void priv_barrier_heavy(void);

#endif
