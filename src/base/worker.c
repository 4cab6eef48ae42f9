/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that poll.
 */
#define LOG_MODULE "base"
#include "base/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"

/* looking at the time costs as much as a poll: only so often */
#define POLLS_PER_LOOK 16u

static void sleep_until_raised(struct worker *worker)
{
	struct pollfd waiting = {.fd = worker->group.epoll_fd, .events = POLLIN};

	if (!priv_poll_group_arm(&worker->group))
		return;
	/*
	 * The polls may have taken in the wake-up of priv_worker_stop(), which sets this first.
	 * Acquire: as in run().
	 */
	if (atomic_load_explicit(&worker->stopping, memory_order_acquire))
		return;
	/* Relaxed: a statistic. */
	atomic_fetch_add_explicit(&worker->sleeps, 1, memory_order_relaxed);
	poll(&waiting, 1, -1);
}

static void *run(void *arg)
{
	struct worker *worker = arg;
	uint64_t idle_since = clock_now_ns();
	unsigned int idle_polls = 0;

	/* Acquire: pairs with the release in priv_worker_stop(). */
	while (!atomic_load_explicit(&worker->stopping, memory_order_acquire)) {
		if (priv_poll_group_poll(&worker->group, 0)) {
			idle_polls = 0;
			continue;
		}
		if (idle_polls++ == 0)
			idle_since = clock_now_ns();
		if (idle_polls % POLLS_PER_LOOK || clock_now_ns() - idle_since < worker->spin_ns)
			continue;
		sleep_until_raised(worker);
		idle_polls = 0;
	}
	return NULL;
}

doca_error_t priv_worker_init(struct worker *worker, uint64_t spin_ns)
{
	worker->spin_ns = spin_ns;
	atomic_init(&worker->stopping, false);
	atomic_init(&worker->sleeps, 0);
	return priv_poll_group_init(&worker->group);
}

/* Once: a caller that waits for a thread asks again whenever another one ends. */
static void tell_of_no_thread(const char *name, int err)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&told))
		LOG_ERR("thread \"%s\" cannot be had: %s; a limit of threads (ulimit -u, or a "
			"container's) or of address space (ulimit -v)?",
			name, strerror(err));
}

doca_error_t priv_worker_spawn(pthread_t *ret_thread, void *(*run_thread)(void *), void *arg,
			       const char *name)
{
	char short_name[16];
	sigset_t all, old;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(ret_thread, NULL, run_thread, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err) {
		tell_of_no_thread(name, err);
		return err == EAGAIN ? DOCA_ERROR_FULL : priv_err_from_errno(err);
	}
	snprintf(short_name, sizeof(short_name), "%s", name);
	pthread_setname_np(*ret_thread, short_name);
	return DOCA_SUCCESS;
}

doca_error_t priv_worker_start(struct worker *worker, const char *name)
{
	return priv_worker_spawn(&worker->thread, run, worker, name);
}

void priv_worker_stop(struct worker *worker)
{
	/* Release: pairs with the acquire in run(). */
	atomic_store_explicit(&worker->stopping, true, memory_order_release);
	priv_poll_group_wake(&worker->group);
	pthread_join(worker->thread, NULL);
}

void priv_worker_fini(struct worker *worker)
{
	priv_poll_group_fini(&worker->group);
}
