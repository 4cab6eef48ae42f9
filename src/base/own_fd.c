/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors that children of fork() do not keep.
 */
#include "base/own_fd.h"

#include <stdatomic.h>
#include <unistd.h>

static void close_it(struct own_fd *own)
{
	if (*own->fd >= 0)
		close(*own->fd);
	*own->fd = -1;
}

static void close_in_child(struct fork_watch *watch)
{
	close_it(container_of(watch, struct own_fd, watch));
}

void own_fd_adopt(struct own_fd *own, int *fd)
{
	/* A child that another thread makes now, and that closes it, may see only the first. */
	list_init(&own->watch.node);
	atomic_thread_fence(memory_order_release);
	own->fd = fd;
	priv_fork_watch(&own->watch, close_in_child);
}

void own_fd_close(struct own_fd *own)
{
	priv_fork_hold(); /* a child that is made now has it, or knows it */
	list_remove(&own->watch.node);
	close_it(own);
	priv_fork_release();
}
