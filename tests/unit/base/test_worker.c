/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Worker threads: they poll, they sleep, they wake up, they end.
 */
#include "test.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/bell.h"
#include "base/worker.h"
#include "doca_log.h"
#include "said.h"
#include "seccomp.h"
#include "valgrind.h"

struct fixture {
	struct worker worker;
	struct watch watch;
	_Atomic unsigned int seen;
};

static void ready(struct watch *watch, uint32_t events)
{
	struct fixture *f = container_of(watch, struct fixture, watch);
	uint64_t count;

	(void)events;
	if (read(watch->fd, &count, sizeof(count)) == sizeof(count))
		atomic_fetch_add(&f->seen, (unsigned int)count);
}

static void start(struct fixture *f, uint64_t spin_ns)
{
	assert_ok(priv_worker_init(&f->worker, spin_ns));
	assert_ok(priv_eventfd_create(&f->watch.fd));
	f->watch.ready = ready;
	atomic_init(&f->seen, 0);
	assert_ok(priv_poll_group_watch(&f->worker.group, &f->watch, EPOLLIN));
	assert_ok(priv_worker_start(&f->worker, "a-name-longer-than-fifteen"));
}

static void stop_worker(struct fixture *f)
{
	priv_worker_stop(&f->worker);
	priv_poll_group_unwatch(&f->worker.group, &f->watch);
	close(f->watch.fd);
	priv_worker_fini(&f->worker);
}

static void wakes_up_from_every_sleep(void **state)
{
	struct fixture f = {0};
	unsigned int i;

	(void)state;
	start(&f, 0);
	for (i = 1; i <= 200; i++) {
		uint64_t sleeps = atomic_load(&f.worker.sleeps);

		priv_eventfd_ring(f.watch.fd);
		while (atomic_load(&f.seen) < i)
			sched_yield();
		while (atomic_load(&f.worker.sleeps) == sleeps)
			sched_yield(); /* it goes to sleep again */
	}
	stop_worker(&f);
}

static void spins_before_it_sleeps(void **state)
{
	struct fixture f = {0};

	(void)state;
	start(&f, UINT64_MAX / 2);
	priv_eventfd_ring(f.watch.fd);
	while (!atomic_load(&f.seen))
		sched_yield();
	assert_int_equal(atomic_load(&f.worker.sleeps), 0);
	stop_worker(&f);
}

static void ends_from_its_sleep(void **state)
{
	struct fixture f = {0};

	(void)state;
	start(&f, 0);
	while (!atomic_load(&f.worker.sleeps))
		sched_yield();
	stop_worker(&f);
}

/*
 * The wake-up of a stop comes within the last poll before a sleep, which takes it in.
 */

struct stop_in_poll {
	struct fixture fixture;
	struct poller poller;
	struct timer timer; /* each poll asks the kernel */
	unsigned int polls;
	_Atomic bool is_last;
};

/* A worker looks at its watch, and sleeps, after so many polls without work. */
#define POLLS_BEFORE_SLEEP 16

static unsigned int poll_until_woken(struct poller *poller)
{
	struct stop_in_poll *s = container_of(poller, struct stop_in_poll, poller);
	struct pollfd self = {.fd = s->fixture.worker.group.self.fd, .events = POLLIN};

	if (++s->polls != POLLS_BEFORE_SLEEP)
		return 0;
	atomic_store(&s->is_last, true);
	while (!atomic_load(&s->fixture.worker.stopping))
		sched_yield();
	assert_int_equal(poll(&self, 1, -1), 1); /* it has been rung */
	usleep(10000);				 /* so long that this poll asks the kernel */
	return 0;
}

static bool has_none_pending(struct poller *poller)
{
	(void)poller;
	return false;
}

static void never(struct timer *timer)
{
	(void)timer;
	fail();
}

static void ends_when_the_last_poll_takes_in_the_wake_up(void **state)
{
	static const struct poller_ops ops = {.poll = poll_until_woken,
					      .pending = has_none_pending};
	struct stop_in_poll s = {.poller.ops = &ops, .timer.fire = never};
	struct worker *worker = &s.fixture.worker;

	(void)state;
	assert_ok(priv_worker_init(worker, 0));
	priv_poll_group_add(&worker->group, &s.poller);
	priv_poll_group_timer_add(&worker->group, &s.timer, UINT64_MAX / 4);
	assert_ok(priv_worker_start(worker, "stopped"));
	while (!atomic_load(&s.is_last))
		sched_yield();
	priv_worker_stop(worker);
	priv_poll_group_timer_remove(&s.timer);
	priv_poll_group_remove(&s.poller);
	priv_worker_fini(worker);
}

static void spawn_in_vain(struct child *parent, void *arg)
{
	struct doca_log_backend *backend;
	struct worker worker;

	(void)parent;
	(void)arg;
	doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend);
	if (priv_worker_init(&worker, 0) || !forbid_call(SYS_clone3, EAGAIN) ||
	    !forbid_call(SYS_clone, EAGAIN))
		_exit(1);
	for (unsigned int i = 0; i < 2; i++)
		if (priv_worker_start(&worker, "thread_7") != DOCA_ERROR_FULL)
			_exit(2);
}

static void says_once_what_there_is_too_little_of(void **state)
{
	char said[SAID_SIZE], *line;

	(void)state;
	if (runs_under_valgrind())
		skip(); /* which needs calls of its own */
	listen_to(spawn_in_vain, NULL, said);
	line = strstr(said, "thread \"thread_7\" cannot be had: Resource temporarily unavailable");
	assert_non_null(line);
	assert_null(strstr(strchr(line, '\n'), "thread_7"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wakes_up_from_every_sleep),
		cmocka_unit_test(spins_before_it_sleeps),
		cmocka_unit_test(ends_from_its_sleep),
		cmocka_unit_test(ends_when_the_last_poll_takes_in_the_wake_up),
		cmocka_unit_test(says_once_what_there_is_too_little_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
