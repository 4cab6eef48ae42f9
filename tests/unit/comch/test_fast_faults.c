/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Faults on purpose, on consumers and producers: each counts its own messages.
 */
#include "test.h"

#include <string.h>
#include "base/clock.h"
#include "comch/consumer.h"
#include "comch/producer.h"
#include "fastpath.h"
#include "topo/party.h"

#define MEMORY ((size_t)1 << 20)
#define DELAY  UINT64_C(1000000000) /* time goes by a little in each round */

static unsigned int killed;

static void note_kill(void)
{
	killed++;
}

/* a consumer of the server's and a producer of the client's, each with its faults */
struct both {
	struct fastpath *fastpath;
	struct fast_end *consumer, *producer;
};

static void run_with(struct fast_end *end, struct topo_faults faults)
{
	struct party party = {.faults = &faults};
	struct party *before = priv_party_switch(&party);
	doca_error_t err = doca_ctx_start(end->ctx);

	priv_party_switch(before);
	assert_true(!err || err == DOCA_ERROR_IN_PROGRESS);
	fastpath_settle(end->fastpath);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_RUNNING);
}

static struct both run_both(struct fastpath *fastpath, struct topo_faults of_consumer,
			    struct topo_faults of_producer)
{
	struct both both = {.fastpath = fastpath,
			    .consumer = add_consumer(fastpath, fastpath->pair.server, MEMORY),
			    .producer = add_producer(fastpath, fastpath->pair.client, MEMORY)};

	assert_ok(doca_comch_consumer_set_imm_data_len(both.consumer->consumer, 1));
	killed = 0;
	run_with(both.consumer, of_consumer);
	run_with(both.producer, of_producer);
	return both;
}

static void exchange(const struct both *both, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		assert_ok(end_post(both->consumer, i * 1000, 1000));
		assert_ok(end_send(both->producer, i * 1000, 100, both->consumer->id));
	}
	fastpath_settle(both->fastpath);
}

static void pass(const struct both *both, uint64_t ns)
{
	priv_clock_virtual.now_ns += ns;
	fastpath_settle(both->fastpath);
}

static void a_message_is_held_back(void **state)
{
	struct both both =
		run_both(*state, (struct topo_faults){.delay_ns = DELAY}, (struct topo_faults){0});

	exchange(&both, 3);
	assert_int_equal(both.producer->done, 3);
	assert_int_equal(both.consumer->done, 0);
	pass(&both, DELAY / 2);
	assert_int_equal(both.consumer->done, 0);
	pass(&both, DELAY / 2);
	assert_int_equal(both.consumer->done, 3);
}

static void a_sleeper_is_woken_when_it_is_due(void **state)
{
	struct both both =
		run_both(*state, (struct topo_faults){.delay_ns = DELAY}, (struct topo_faults){0});

	exchange(&both, 1);
	assert_ok(doca_pe_request_notification(both.consumer->pe));
	assert_false(both.consumer->consumer->poller.hot);
	pass(&both, DELAY);
	assert_int_equal(both.consumer->done, 1);
}

/* What was sent before the end is delivered before it, however late. */
static void the_end_is_held_back_too(void **state)
{
	struct both both =
		run_both(*state, (struct topo_faults){.delay_ns = DELAY}, (struct topo_faults){0});

	exchange(&both, 2);
	assert_ok(end_post(both.consumer, 0, 100));
	assert_err(doca_ctx_stop(both.consumer->ctx), IN_PROGRESS);
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done + both.consumer->failed, 0);
	assert_int_equal(end_state(both.consumer), DOCA_CTX_STATE_STOPPING);
	pass(&both, DELAY);
	assert_int_equal(both.consumer->done, 2);
	assert_int_equal(both.consumer->failed, 1);
	assert_int_equal(end_state(both.consumer), DOCA_CTX_STATE_IDLE);
}

static void the_connection_breaks_after_so_many_received(void **state)
{
	struct both both =
		run_both(*state, (struct topo_faults){.drop_after = 3}, (struct topo_faults){0});

	exchange(&both, 5);
	assert_int_equal(both.consumer->done, 3);
	assert_int_equal(both.consumer->failed, 2);
	assert_int_equal(end_state(both.consumer), DOCA_CTX_STATE_IDLE);
	assert_int_equal(end_state(both.producer), DOCA_CTX_STATE_IDLE);
	assert_int_equal(both.fastpath->pair.server->disconnects, 1);
	assert_int_equal(side_state(both.fastpath->pair.client), DOCA_CTX_STATE_IDLE);
}

static void the_connection_breaks_after_so_many_sent(void **state)
{
	struct both both =
		run_both(*state, (struct topo_faults){0}, (struct topo_faults){.drop_after = 3});

	exchange(&both, 5);
	assert_int_equal(both.producer->done, 3);
	assert_int_equal(both.producer->failed, 2);
	assert_err(both.producer->status, CONNECTION_RESET);
	assert_int_equal(both.consumer->done, 3);
	assert_int_equal(both.consumer->failed, 2);
	assert_int_equal(end_state(both.producer), DOCA_CTX_STATE_IDLE);
	assert_int_equal(end_state(both.consumer), DOCA_CTX_STATE_IDLE);
}

static void immediate_data_alone_counts_too(void **state)
{
	struct both both =
		run_both(*state, (struct topo_faults){0}, (struct topo_faults){.drop_after = 2});

	for (unsigned int i = 0; i < 3; i++)
		assert_ok(end_post(both.consumer, i * 1000, 1000));
	for (unsigned int i = 0; i < 2; i++) {
		assert_ok(end_send_imm(both.producer, NULL, "x", 1, both.consumer->id));
		fastpath_settle(both.fastpath);
	}
	assert_int_equal(both.producer->done, 2);
	assert_int_equal(both.consumer->done, 2);
	assert_int_equal(end_state(both.producer), DOCA_CTX_STATE_IDLE);
}

static void the_process_dies_after_so_many(void **state)
{
	struct both both = run_both(*state, (struct topo_faults){.kill_after = 2},
				    (struct topo_faults){.kill_after = 3});

	both.consumer->consumer->fault->kill = note_kill;
	both.producer->producer->fault->kill = note_kill;
	exchange(&both, 1);
	assert_int_equal(killed, 0);
	exchange(&both, 2);
	assert_int_equal(both.consumer->done, 2);
	assert_int_equal(both.producer->done, 3);
	assert_int_equal(killed, 2);
}

static void full_queues_make_sends_wait_once(void **state)
{
	struct both both = run_both(*state, (struct topo_faults){0},
				    (struct topo_faults){.full_percent = 100});

	assert_ok(end_post(both.consumer, 0, 1000));
	assert_ok(end_send(both.producer, 0, 100, both.consumer->id));
	end_progress(both.producer);
	assert_int_equal(both.producer->done, 0);
	fastpath_settle(both.fastpath);
	assert_int_equal(both.producer->done, 1);
	/* Also in event mode nothing is forgotten, and the order is kept. */
	assert_ok(end_post(both.consumer, 0, 1000));
	assert_ok(end_post(both.consumer, 0, 1000));
	assert_ok(end_send(both.producer, 0, 500, both.consumer->id));
	assert_ok(end_send(both.producer, 0, 200, both.consumer->id));
	assert_ok(doca_pe_request_notification(both.producer->pe));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.producer->done, 3);
	assert_int_equal(both.consumer->done, 3);
	assert_int_equal(both.consumer->size, 200);
}

/* The next run has its own faults, here none. */
static void faults_belong_to_a_run(void **state)
{
	struct both both = run_both(*state, (struct topo_faults){.delay_ns = DELAY},
				    (struct topo_faults){.full_percent = 100});

	assert_non_null(both.consumer->consumer->fault);
	assert_non_null(both.producer->producer->fault);
	assert_ok(doca_ctx_stop(both.consumer->ctx));
	assert_ok(doca_ctx_stop(both.producer->ctx));
	end_run(both.consumer);
	end_run(both.producer);
	exchange(&both, 1);
	assert_int_equal(both.consumer->done, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fastpath_setup, fastpath_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_message_is_held_back),
		TEST(a_sleeper_is_woken_when_it_is_due),
		TEST(the_end_is_held_back_too),
		TEST(the_connection_breaks_after_so_many_received),
		TEST(the_connection_breaks_after_so_many_sent),
		TEST(immediate_data_alone_counts_too),
		TEST(the_process_dies_after_so_many),
		TEST(full_queues_make_sends_wait_once),
		TEST(faults_belong_to_a_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
