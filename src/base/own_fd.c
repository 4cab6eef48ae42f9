/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors that children of fork() do not keep.
 */
#include "base/own_fd.h"

#include <pthread.h>
#include <unistd.h>

static struct {
	pthread_once_t once;
	pthread_mutex_t lock; /* of the list; a leaf */
	struct list_node list;
} owned = {PTHREAD_ONCE_INIT, PTHREAD_MUTEX_INITIALIZER, {&owned.list, &owned.list}};

static void before_fork(void)
{
	pthread_mutex_lock(&owned.lock);
}

static void after_fork_in_parent(void)
{
	pthread_mutex_unlock(&owned.lock);
}

static void after_fork_in_child(void)
{
	struct list_node *node;

	while ((node = list_pop(&owned.list))) {
		struct own_fd *own = container_of(node, struct own_fd, node);

		close(*own->fd);
		*own->fd = -1;
	}
	pthread_mutex_unlock(&owned.lock);
}

static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void own_fd_adopt(struct own_fd *own, int *fd)
{
	pthread_once(&owned.once, watch_forks);
	own->fd = fd;
	pthread_mutex_lock(&owned.lock);
	list_add_tail(&owned.list, &own->node);
	pthread_mutex_unlock(&owned.lock);
}

void own_fd_close(struct own_fd *own)
{
	pthread_mutex_lock(&owned.lock);
	if (list_is_linked(&own->node)) {
		list_remove(&own->node);
		close(*own->fd);
		*own->fd = -1;
	}
	pthread_mutex_unlock(&owned.lock);
}
