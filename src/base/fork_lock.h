/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A lock that handlers of fork() take, so that nobody forks while it is held. Nor does a handler of
 * a signal run in the thread that holds it: one that forks would wait for itself.
 */
#ifndef SOFTFIELD_BASE_FORK_LOCK_H
#define SOFTFIELD_BASE_FORK_LOCK_H

#include <pthread.h>
#include <signal.h>

struct fork_lock {
	pthread_mutex_t mutex;
	sigset_t signals_before; /* the holder's */
};

#define FORK_LOCK_INITIALIZER                                                                      \
	{                                                                                          \
		.mutex = PTHREAD_MUTEX_INITIALIZER                                                 \
	}

/* Several are released in the reverse order, as handlers of fork() are called. */
static inline void fork_lock_hold(struct fork_lock *lock)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_mutex_lock(&lock->mutex);
	lock->signals_before = before;
}

static inline void fork_lock_release(struct fork_lock *lock)
{
	sigset_t before = lock->signals_before;

	pthread_mutex_unlock(&lock->mutex);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

#endif
