/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Worker threads: they poll, they sleep, they wake up, they end.
 */
#include "test.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "base/fd.h"
#include "base/worker.h"

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

static void stop(struct fixture *f)
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
	stop(&f);
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
	stop(&f);
}

static void ends_from_its_sleep(void **state)
{
	struct fixture f = {0};

	(void)state;
	start(&f, 0);
	while (!atomic_load(&f.worker.sleeps))
		sched_yield();
	stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wakes_up_from_every_sleep),
		cmocka_unit_test(spins_before_it_sleeps),
		cmocka_unit_test(ends_from_its_sleep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
