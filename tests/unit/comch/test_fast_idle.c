/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consumers and producers that have nothing to do: nobody is woken, and no time goes into them.
 */
#include "test.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#include "comch/consumer.h"
#include "comch/producer.h"
#include "fastpath.h"

#define MEMORY	((size_t)1 << 20)
#define PAIRS	6
#define ENGINES (2 + 2 * PAIRS)

struct idlers {
	struct fastpath *fastpath;
	struct fast_end *consumers[PAIRS], *producers[PAIRS];
	struct doca_pe *pes[ENGINES];
};

/* Each consumer has a posted receive and has got a message, each producer has sent one. */
static void open_idlers(struct idlers *idlers, struct fastpath *fastpath)
{
	unsigned int i;

	*idlers = (struct idlers){.fastpath = fastpath,
				  .pes = {fastpath->pair.server->pe, fastpath->pair.client->pe}};
	for (i = 0; i < PAIRS; i++) {
		struct fast_end *consumer = add_consumer(fastpath, fastpath->pair.server, MEMORY);
		struct fast_end *producer = add_producer(fastpath, fastpath->pair.client, MEMORY);

		end_run(consumer);
		end_run(producer);
		assert_ok(end_post(consumer, 0, 1000));
		assert_ok(end_post(consumer, 1000, 1000));
		assert_ok(end_send(producer, 0, 1000, consumer->id));
		fastpath_settle(fastpath);
		assert_int_equal(consumer->done, 1);
		idlers->consumers[i] = consumer;
		idlers->producers[i] = producer;
		idlers->pes[2 + 2 * i] = consumer->pe;
		idlers->pes[3 + 2 * i] = producer->pe;
	}
}

/* Everybody sleeps; how many have been woken when so much time has gone by? */
static int count_woken(const struct idlers *idlers, int ms)
{
	struct pollfd handles[ENGINES] = {0};
	unsigned int i;

	for (i = 0; i < ENGINES; i++) {
		assert_ok(doca_pe_get_notification_handle(idlers->pes[i], &handles[i].fd));
		handles[i].events = POLLIN;
	}
	return poll(handles, ENGINES, ms);
}

static void arm_all(const struct idlers *idlers)
{
	unsigned int i;

	for (i = 0; i < ENGINES; i++)
		assert_ok(doca_pe_request_notification(idlers->pes[i]));
	for (i = 0; count_woken(idlers, 0) && i < ENGINES; i++)
		assert_ok(doca_pe_clear_notification(idlers->pes[i], 0));
}

static void nobody_is_woken(void **state)
{
	struct rusage before, after;
	struct idlers idlers;

	open_idlers(&idlers, *state);
	fastpath_settle(idlers.fastpath);
	arm_all(&idlers);
	getrusage(RUSAGE_THREAD, &before);
	assert_int_equal(count_woken(&idlers, 100), 0);
	getrusage(RUSAGE_THREAD, &after);
	/* the sleep itself, and one that a busy machine may add */
	assert_in_range(after.ru_nvcsw - before.ru_nvcsw, 0, 2);
	/* They can be. */
	assert_ok(end_send(idlers.producers[3], 0, 100, idlers.consumers[3]->id));
	assert_true(count_woken(&idlers, 0) > 0);
	fastpath_settle(idlers.fastpath);
	assert_int_equal(idlers.consumers[3]->done, 2);
}

/* Producers are looked at only while something waits, consumers that sleep not at all. */
static void nobody_is_polled(void **state)
{
	struct idlers idlers;
	unsigned int i;

	open_idlers(&idlers, *state);
	arm_all(&idlers);
	for (i = 0; i < PAIRS; i++) {
		assert_null(idlers.producers[i]->producer->poller.group);
		assert_false(idlers.consumers[i]->consumer->poller.hot);
		assert_int_equal(idlers.consumers[i]->pe->group.hot_count, 0);
	}
}

/* A place of its own: whoever lists the servers of this machine would wake ours. */
static char dir[] = "/tmp/softfield-test-XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? setenv("SOFTFIELD_RUNTIME_DIR", dir, 1) : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fastpath_setup_shm, fastpath_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nobody_is_woken),
		TEST(nobody_is_polled),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
