/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors that belong to the process that opened them and to nobody else: a child of fork()
 * closes its copies. So the kernel frees names and tells peers as soon as this process ends,
 * whatever its children do. (exec needs no help: everything here is close-on-exec.)
 *
 * A child may still get a copy that is made between the opening of a descriptor and its adoption by
 * another thread, or by a bare clone(). Peers notice the death of the process then by its pidfd.
 */
#ifndef SOFTFIELD_BASE_OWN_FD_H
#define SOFTFIELD_BASE_OWN_FD_H

#include "base/fork.h"

struct own_fd {
	struct fork_watch watch;
	int *fd; /* where its owner keeps it; -1 in a child */
};

void own_fd_adopt(struct own_fd *own, int *fd);
/* Closes it and sets it to -1; nothing in a child, which no longer has it. */
void own_fd_close(struct own_fd *own);

#endif
