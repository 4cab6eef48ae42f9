/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that are cancelled while they poll, or end in a callback, as an exception ends one: the
 * next one goes on with the same engine.
 */
#include "test.h"

#include <pthread.h>
#include <string.h>
#include "base/clock.h"
#include "core/pe.h"
#include "fastpath.h"

#define CANCELS 200
#define MEMORY	((size_t)1 << 20)

static void *poll_until_cancelled(void *arg)
{
	struct side *side = arg;

	for (unsigned int i = 1;; i++) {
		doca_pe_progress(side->pe);
		if (i % 1000 == 0)
			pthread_testcancel(); /* a program's own point */
	}
	return NULL;
}

static void answer(struct side *side, struct doca_comch_connection *connection, const uint8_t *msg,
		   uint32_t size)
{
	(void)msg;
	(void)size;
	assert_ok(side_send_to(side, connection, "pong", 4));
}

/* Works on the client until it has what was sent, then a little at another place each time. */
static void talk(struct side *client, unsigned int round)
{
	unsigned int before = client->messages;

	assert_ok(side_send(client, "ping", 4));
	while (client->messages == before)
		side_progress(client);
	for (unsigned int i = 0; i < round * 7 % 400; i++)
		side_progress(client);
}

static void init_world(struct world *world)
{
	world_init(world, WORLD_SHM);
	priv_clock_virtual.on = false; /* which lets threads look at descriptors */
}

static pthread_t start_polling(struct side *server)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, poll_until_cancelled, server), 0);
	return thread;
}

static void the_engine_of_a_cancelled_thread_works(void **state)
{
	struct world world;
	struct pair pair;

	(void)state;
	init_world(&world);
	pair = world_connect(&world, world_unique("cancelled"));
	pair.server->on_message = answer;
	for (unsigned int i = 0; i < CANCELS; i++) {
		pthread_t thread = start_polling(pair.server);

		talk(pair.client, i);
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
	world_settle(&world);
	assert_int_equal(pair.server->messages, CANCELS);
	assert_int_equal(pair.client->messages, CANCELS);
	assert_int_equal(pair.server->failed, 0);
	assert_true(world_fini(&world));
}

/* Clients come and go meanwhile. */
static void connections_of_a_cancelled_thread_come_and_go(void **state)
{
	struct side *server, *client;
	struct world world;

	(void)state;
	init_world(&world);
	server = world_add_server(&world, HOST_PF0, world_unique("cancelled"));
	side_run(server);
	client = world_add_client(&world, HOST_PF0, world_unique("cancelled"));
	for (unsigned int i = 0; i < CANCELS; i++) {
		pthread_t thread = start_polling(server);

		assert_err(side_start(client), IN_PROGRESS);
		for (unsigned int j = 0; j < i * 3 % 100; j++)
			side_progress(client);
		pthread_cancel(thread);
		pthread_join(thread, NULL);
		world_settle(&world);
		assert_int_equal(side_state(client), DOCA_CTX_STATE_RUNNING);
		assert_err(side_stop(client), IN_PROGRESS);
		world_settle(&world);
		assert_int_equal(side_state(client), DOCA_CTX_STATE_IDLE);
	}
	assert_int_equal(server->connects, CANCELS);
	assert_int_equal(server->disconnects, CANCELS);
	assert_true(world_fini(&world));
}

static void answer_and_leave(struct side *side, struct doca_comch_connection *connection,
			     const uint8_t *msg, uint32_t size)
{
	answer(side, connection, msg, size);
	pthread_exit(NULL);
}

/* Each message is read, and makes room, though no poll that takes one returns. */
static void callbacks_may_end_their_thread(void **state)
{
	struct world world;
	struct pair pair;

	(void)state;
	init_world(&world);
	pair = world_connect(&world, world_unique("ended"));
	pair.server->on_message = answer_and_leave;
	for (unsigned int i = 0; i < CANCELS; i++) {
		pthread_t thread = start_polling(pair.server);

		assert_ok(side_send(pair.client, "ping", 4));
		pthread_join(thread, NULL);
		while (pair.client->messages == i) {
			side_progress(pair.client);
			side_progress(pair.server);
		}
	}
	assert_int_equal(pair.server->messages, CANCELS);
	world_settle(&world);
	assert_true(world_fini(&world));
}

struct life {
	struct fastpath *fastpath;
	bool is_over;
};

/* Each call in it finds the thread cancelled. */
static void *live_when_cancelled(void *arg)
{
	struct life *life = arg;
	struct fastpath *fastpath = life->fastpath;
	struct fast_end *consumer, *producer;

	pthread_cancel(pthread_self());
	consumer = add_consumer(fastpath, fastpath->pair.server, MEMORY);
	producer = add_producer(fastpath, fastpath->pair.client, MEMORY);
	end_run(consumer);
	end_run(producer);
	must(!end_send(producer, 0, MEMORY, consumer->id)); /* it waits */
	fastpath_settle(fastpath);
	must(!doca_pe_request_notification(producer->pe));
	must(!end_post(consumer, 0, MEMORY));
	fastpath_settle(fastpath);
	must(consumer->done == 1);
	doca_ctx_stop(consumer->ctx);
	fastpath_settle(fastpath);
	doca_ctx_stop(producer->ctx);
	fastpath_settle(fastpath);
	end_destroy(consumer);
	end_destroy(producer);
	life->is_over = true;
	pthread_testcancel();
	return NULL;
}

static void consumers_and_producers_of_a_cancelled_thread_are_whole(void **state)
{
	struct life life = {.fastpath = *state};
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, live_when_cancelled, &life), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(life.is_over);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_engine_of_a_cancelled_thread_works),
		cmocka_unit_test(connections_of_a_cancelled_thread_come_and_go),
		cmocka_unit_test(callbacks_may_end_their_thread),
		cmocka_unit_test_setup_teardown(
			consumers_and_producers_of_a_cancelled_thread_are_whole, fastpath_setup_shm,
			fastpath_teardown),
	};

	priv_pe_work_on_ticks = 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
