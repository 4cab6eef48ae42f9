/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a child of fork() must not use as its parent does.
 */
#ifndef SOFTFIELD_BASE_FORK_H
#define SOFTFIELD_BASE_FORK_H

#include "base/export.h"
#include "base/list.h"

struct fork_watch {
	struct list_node node;
	/*
	 * Called in the child, before fork() returns. It may store and close, and take no lock:
	 * other threads of the parent may have been anywhere.
	 */
	void (*in_child)(struct fork_watch *watch);
};

PRIV_EXPORT void priv_fork_watch(struct fork_watch *watch,
				 void (*in_child)(struct fork_watch *watch));
PRIV_EXPORT void priv_fork_unwatch(struct fork_watch *watch);

/* Between these two nobody forks. A leaf among locks. */
PRIV_EXPORT void priv_fork_hold(void);
PRIV_EXPORT void priv_fork_release(void);

#endif
