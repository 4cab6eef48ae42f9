/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A parent that goes on when its child has its own copy of something. For handlers of fork(), under
 * a lock of the caller's that is held from before fork() to after it.
 */
#ifndef SOFTFIELD_BASE_FORK_WAIT_H
#define SOFTFIELD_BASE_FORK_WAIT_H

#include <stdbool.h>

struct fork_wait {
	int pipe[2]; /* by which the child tells; -1: nobody waits */
};

/* Before fork(). Without descriptors the parent will not wait. */
void fork_wait_open(struct fork_wait *wait);
/* In the child: is it done, all of it? */
void fork_wait_tell(struct fork_wait *wait, bool is_done);
/*
 * In the parent: waits, a second at most. false: who knows; the child has failed, or died, or
 * somebody is debugging it.
 */
bool fork_wait_for_child(struct fork_wait *wait);

#endif
