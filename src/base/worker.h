/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread that polls a group. While there is work it polls; after a while without, it sleeps until
 * the group is raised. Other threads are made here, too, and have loops of their own.
 *
 * Fill the group (pollers, watches, timers) before the start, or from inside the thread.
 */
#ifndef SOFTFIELD_BASE_WORKER_H
#define SOFTFIELD_BASE_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include "base/export.h"
#include "base/poll_group.h"

struct worker {
	struct poll_group group;
	pthread_t thread;
	uint64_t spin_ns; /* polls without work for so long before it sleeps */
	_Atomic bool stopping;
	_Atomic uint64_t sleeps; /* how often it went to sleep */
};

PRIV_EXPORT doca_error_t priv_worker_init(struct worker *worker, uint64_t spin_ns);
/*
 * The thread alone, for callers with a loop of their own. Signals are the program's business: they
 * go to its own threads. name: at most 15 characters are kept. FULL: no more threads
 */
PRIV_EXPORT doca_error_t priv_worker_spawn(pthread_t *ret_thread, void *(*run)(void *), void *arg,
					   const char *name);
PRIV_EXPORT doca_error_t priv_worker_start(struct worker *worker, const char *name);
/* returns when the thread has ended; what is in the group stays there */
PRIV_EXPORT void priv_worker_stop(struct worker *worker);
/* the group must be empty */
PRIV_EXPORT void priv_worker_fini(struct worker *worker);

#endif
