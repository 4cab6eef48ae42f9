/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one handler of fork() for everything that asks for one.
 */
#include "base/fork.h"

#include <pthread.h>
#include "base/fork_lock.h"
#include "base/no_cancel.h"

static struct {
	pthread_once_t once;
	struct fork_lock lock; /* of the list; held while somebody forks */
	struct list_node list;
	int cancel_before;
} watches = {PTHREAD_ONCE_INIT, FORK_LOCK_INITIALIZER, {&watches.list, &watches.list}};

static void hold(void)
{
	fork_lock_hold(&watches.lock);
	watches.cancel_before = no_cancel_begin();
}

void priv_fork_release(void)
{
	int cancel_before = watches.cancel_before;

	fork_lock_release(&watches.lock);
	no_cancel_end(&cancel_before);
}

static void after_fork_in_child(void)
{
	struct list_node *node;

	list_for_each (node, &watches.list) {
		struct fork_watch *watch = container_of(node, struct fork_watch, node);

		watch->in_child(watch);
	}
	priv_fork_release();
}

static void watch_forks(void)
{
	pthread_atfork(hold, priv_fork_release, after_fork_in_child);
}

void priv_fork_hold(void)
{
	pthread_once(&watches.once, watch_forks);
	hold();
}

void priv_fork_watch(struct fork_watch *watch, void (*in_child)(struct fork_watch *watch))
{
	watch->in_child = in_child;
	priv_fork_hold();
	list_add_tail(&watches.list, &watch->node);
	priv_fork_release();
}

void priv_fork_unwatch(struct fork_watch *watch)
{
	priv_fork_hold();
	list_remove(&watch->node);
	priv_fork_release();
}
