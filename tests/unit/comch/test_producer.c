/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Producers: what is refused, their states, and their end in every order.
 *
 * Long because there are so many orders.
 */
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "comch/consumer.h"
#include "comch/producer.h"
#include "core/pe.h"
#include "ends.h"
#include "readable.h"

/*
 * Creating
 */

static void creation_checks_its_arguments(void **state)
{
	struct fastpath *fastpath = *state;
	struct doca_comch_producer *producer = NULL;

	assert_err(doca_comch_producer_create(NULL, &producer), INVALID_VALUE);
	assert_err(doca_comch_producer_create(side_connection(server_of(fastpath)), NULL),
		   INVALID_VALUE);
	assert_null(producer);
	assert_err(doca_comch_producer_destroy(NULL), INVALID_VALUE);
	assert_null(doca_comch_producer_as_ctx(NULL));
}

static void needs_an_established_connection(void **state)
{
	struct fastpath *fastpath = *state;
	struct doca_comch_connection *connection = side_connection(server_of(fastpath));
	struct doca_comch_producer *producer = NULL;

	assert_ok(doca_comch_server_disconnect(server_of(fastpath)->server, connection));
	assert_err(doca_comch_producer_create(connection, &producer), BAD_STATE);
	fastpath_settle(fastpath);
	assert_err(doca_comch_producer_create(connection, &producer), BAD_STATE);
	assert_null(producer);
}

static void connection_has_so_many_and_no_more(void **state)
{
	struct fastpath *fastpath = *state;
	struct doca_comch_connection *connection = side_connection(server_of(fastpath));
	struct doca_comch_producer **producers;
	uint32_t max, i;

	assert_ok(doca_comch_producer_cap_get_max_producers(
		doca_dev_as_devinfo(server_of(fastpath)->dev), &max));
	producers = calloc(max + 1, sizeof(struct doca_comch_producer *));
	for (i = 0; i < max; i++)
		assert_ok(doca_comch_producer_create(connection, &producers[i]));
	assert_err(doca_comch_producer_create(connection, &producers[i]), NO_MEMORY);
	for (i = 0; i < max; i++)
		assert_ok(doca_comch_producer_destroy(producers[i]));
	free(producers);
}

static void attributes_check_their_arguments(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_producer(fastpath, client_of(fastpath), MEMORY);
	struct fast_end *other = add_producer(fastpath, client_of(fastpath), MEMORY);
	uint32_t id = 7;

	assert_err(doca_comch_producer_get_id(NULL, &id), INVALID_VALUE);
	assert_err(doca_comch_producer_get_id(end->producer, NULL), INVALID_VALUE);
	assert_int_equal(id, 7);
	assert_true(end->id && end->id < 0xffff && end->id != other->id);
}

static void is_none_for_dpa_code(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_producer(fastpath, client_of(fastpath), MEMORY);
	struct doca_dpa_completion *completion = (void *)(uintptr_t)0x1000;
	uint64_t handle = 7;

	assert_err(doca_comch_producer_dpa_completion_attach(NULL, completion), INVALID_VALUE);
	assert_err(doca_comch_producer_dpa_completion_attach(end->producer, NULL), INVALID_VALUE);
	assert_err(doca_comch_producer_dpa_completion_attach(end->producer, completion),
		   NOT_SUPPORTED);
	assert_err(doca_comch_producer_set_dev_max_num_send(NULL, 1), INVALID_VALUE);
	assert_err(doca_comch_producer_set_dev_max_num_send(end->producer, 0), INVALID_VALUE);
	assert_err(doca_comch_producer_set_dev_max_num_send(end->producer, 1), NOT_SUPPORTED);
	assert_err(doca_comch_producer_set_dev_num_send(end->producer, 1), NOT_SUPPORTED);
	assert_err(doca_comch_producer_get_dpa_handle(NULL, &handle), INVALID_VALUE);
	assert_err(doca_comch_producer_get_dpa_handle(end->producer, NULL), INVALID_VALUE);
	end_run(end);
	assert_err(doca_comch_producer_get_dpa_handle(end->producer, &handle), BAD_STATE);
	assert_err(doca_comch_producer_dpa_completion_attach(end->producer, completion), BAD_STATE);
	assert_err(doca_comch_producer_set_dev_max_num_send(end->producer, 1), BAD_STATE);
	assert_int_equal(handle, 7);
}

/*
 * Starting
 */

static void send_in_callback(struct fast_end *end, enum doca_ctx_states next)
{
	struct fast_end *consumer = end->arg;

	if (next == DOCA_CTX_STATE_RUNNING)
		assert_ok(end_send(end, 0, 100, consumer->id));
}

static void starts_at_once_and_sends_in_the_callback(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *consumer = run_consumer(fastpath, MEMORY);
	struct fast_end *end = add_producer(fastpath, client_of(fastpath), MEMORY);

	assert_ok(end_post(consumer, 0, 100));
	end->on_state = send_in_callback;
	end->arg = consumer;
	assert_ok(doca_ctx_start(end->ctx));
	assert_int_equal(end_state(end), DOCA_CTX_STATE_RUNNING);
	assert_err(doca_ctx_start(end->ctx), BAD_STATE);
	fastpath_settle(fastpath);
	assert_int_equal(consumer->done, 1);
	assert_int_equal(end->done, 1);
}

static void start_needs_a_task_configuration(void **state)
{
	struct fastpath *fastpath = *state;
	struct doca_comch_producer *producer;
	struct doca_pe *pe;

	assert_ok(doca_comch_producer_create(side_connection(server_of(fastpath)), &producer));
	assert_err(doca_ctx_start(doca_comch_producer_as_ctx(producer)), NOT_CONNECTED);
	assert_ok(doca_pe_create(&pe));
	assert_ok(doca_pe_connect_ctx(pe, doca_comch_producer_as_ctx(producer)));
	assert_err(doca_ctx_start(doca_comch_producer_as_ctx(producer)), BAD_STATE);
	assert_ok(doca_comch_producer_destroy(producer));
	assert_ok(doca_pe_destroy(pe));
}

static void start_needs_the_connection(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_producer(fastpath, client_of(fastpath), MEMORY);

	sim_kill(&fastpath->world.sim, &server_of(fastpath)->party);
	fastpath_settle(fastpath);
	assert_err(doca_ctx_start(end->ctx), NOT_CONNECTED);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
}

/*
 * Stopping
 */

static void stops_at_once_when_nothing_waits(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = run_producer(fastpath, MEMORY);

	assert_err(doca_comch_producer_destroy(end->producer), IN_USE);
	assert_ok(doca_ctx_stop(end->ctx));
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	end_run(end);
}

static void what_is_sent_is_reported_before_it_stops(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *consumer = run_consumer(fastpath, MEMORY);
	struct fast_end *end = run_producer(fastpath, MEMORY);

	assert_ok(end_post(consumer, 0, 100));
	fastpath_settle(fastpath);
	assert_ok(end_send(end, 0, 100, consumer->id));
	assert_err(doca_ctx_stop(end->ctx), IN_PROGRESS);
	fastpath_settle(fastpath);
	assert_int_equal(end->done, 1);
	assert_int_equal(consumer->done, 1);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
}

static void what_waits_fails(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *consumer = run_consumer(fastpath, MEMORY);
	struct fast_end *end = run_producer(fastpath, MEMORY);
	unsigned int i;

	for (i = 0; i < 5; i++)
		assert_ok(end_send(end, 0, 100, consumer->id));
	fastpath_settle(fastpath);
	assert_int_equal(end->done + end->failed, 0);
	assert_err(doca_ctx_stop(end->ctx), IN_PROGRESS);
	assert_err(doca_ctx_stop(end->ctx), IN_PROGRESS);
	assert_err(end_send(end, 0, 100, consumer->id), BAD_STATE);
	fastpath_settle(fastpath);
	assert_int_equal(end->failed, 5);
	assert_err(end->status, IO_FAILED);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	/* None of it comes later. */
	assert_ok(end_post(consumer, 0, 100));
	fastpath_settle(fastpath);
	assert_int_equal(consumer->done, 0);
	end_run(end);
	assert_ok(end_send(end, 0, 100, consumer->id));
	fastpath_settle(fastpath);
	assert_int_equal(consumer->done, 1);
}

static void a_copy_that_has_begun_is_finished(void **state)
{
	const size_t size = (size_t)8 << 20;
	struct fastpath *fastpath = *state;
	struct fast_end *consumer = run_consumer(fastpath, size),
			*end = run_producer(fastpath, size);

	assert_ok(end_post(consumer, 0, size));
	assert_ok(end_post(consumer, 0, size));
	fastpath_settle(fastpath);
	memset(end->memory.addr, 0x77, size);
	assert_ok(end_send(end, 0, size, consumer->id));
	assert_ok(end_send(end, 0, size, consumer->id));
	assert_true(end_progress(end));
	assert_err(doca_ctx_stop(end->ctx), IN_PROGRESS);
	fastpath_settle(fastpath);
	assert_int_equal(end->done, 1);
	assert_int_equal(end->failed, 1);
	assert_int_equal(consumer->done, 1);
	assert_int_equal(consumer->memory.addr[size - 1], 0x77);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	/* The consumer has nothing to wait for. */
	assert_err(doca_ctx_stop(consumer->ctx), IN_PROGRESS);
	fastpath_settle(fastpath);
	assert_int_equal(end_state(consumer), DOCA_CTX_STATE_IDLE);
}

/*
 * Inside callbacks
 */

static void stop_in_callback(struct fast_end *end, struct doca_comch_producer_task_send *task,
			     doca_error_t status)
{
	(void)status;
	doca_buf_dec_refcount((struct doca_buf *)doca_comch_producer_task_send_get_buf(task), NULL);
	doca_task_free(doca_comch_producer_task_send_as_task(task));
	doca_ctx_stop(end->ctx);
}

static void destroy_when_idle(struct fast_end *end, enum doca_ctx_states next)
{
	if (next != DOCA_CTX_STATE_IDLE)
		return;
	assert_ok(doca_comch_producer_destroy(end->producer));
	end->producer = NULL;
	end->ctx = NULL;
}

static void can_be_stopped_and_destroyed_in_its_callbacks(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *consumer = run_consumer(fastpath, MEMORY);
	struct fast_end *end = run_producer(fastpath, MEMORY);

	end->on_sent = stop_in_callback;
	end->on_state = destroy_when_idle;
	assert_ok(end_post(consumer, 0, 100));
	fastpath_settle(fastpath);
	assert_ok(end_send(end, 0, 100, consumer->id)); /* done */
	assert_ok(end_send(end, 0, 100, consumer->id)); /* waits */
	fastpath_settle(fastpath);
	assert_null(end->producer);
	assert_int_equal(end->done, 1);
	assert_int_equal(end->failed, 1);
}

/*
 * Consumers that go
 */

static void a_consumer_that_stops_fails_what_waits_for_it(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *consumer = run_consumer(fastpath, MEMORY);
	struct fast_end *other = run_consumer(fastpath, MEMORY);
	struct fast_end *end = run_producer(fastpath, MEMORY);

	assert_ok(end_send(end, 0, 100, consumer->id));
	assert_ok(end_send(end, 0, 100, other->id));
	assert_ok(doca_ctx_stop(consumer->ctx));
	fastpath_settle(fastpath);
	assert_int_equal(end->failed, 1);
	assert_err(end->status, CONNECTION_RESET);
	assert_err(end_send(end, 0, 100, consumer->id), INVALID_VALUE);
	assert_ok(end_post(other, 0, 100));
	fastpath_settle(fastpath);
	assert_int_equal(end->done, 1);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_RUNNING);
}

/* Before the connection has said so: the consumer itself has closed its lane. */
static void a_lane_that_is_closed_fails_at_once(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *consumer = run_consumer(fastpath, MEMORY);
	struct fast_end *end = run_producer(fastpath, MEMORY);

	assert_ok(doca_ctx_stop(consumer->ctx));
	assert_ok(end_send(end, 0, 100, consumer->id));
	while (end_progress(end))
		;
	assert_int_equal(end->failed, 1);
	assert_err(end->status, CONNECTION_RESET);
}

static void one_that_has_gone_is_remembered_while_something_waits_for_it(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *consumer = run_consumer(fastpath, MEMORY);
	struct fast_end *end = run_producer(fastpath, MEMORY);

	assert_ok(end_send(end, 0, 100, consumer->id));
	assert_ok(doca_ctx_stop(consumer->ctx));
	world_settle(&fastpath->world); /* the connection knows it now */
	/* Those that have gone are forgotten when one is looked for. */
	assert_err(end_send(end, 0, 100, consumer->id + 1), INVALID_VALUE);
	fastpath_settle(fastpath);
	assert_int_equal(end->failed, 1);
	assert_err(end->status, CONNECTION_RESET);
}

/* true: the progress engine's descriptor has become readable */
static void go_to_sleep(struct fast_end *end)
{
	while (end_progress(end))
		;
	assert_ok(doca_pe_request_notification(end->pe));
	if (pe_is_readable(end->pe)) { /* something old; the second time it must be quiet */
		assert_ok(doca_pe_clear_notification(end->pe, 0));
		while (end_progress(end))
			;
		assert_ok(doca_pe_request_notification(end->pe));
	}
	assert_false(pe_is_readable(end->pe));
}

static void sleeps_until_something_is_posted(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *consumer = run_consumer(fastpath, MEMORY);
	struct fast_end *end = run_producer(fastpath, MEMORY);
	unsigned int round;

	for (round = 1; round <= 5; round++) {
		assert_ok(end_send(end, 0, 100, consumer->id));
		go_to_sleep(end);
		assert_ok(end_post(consumer, 0, 100));
		while (end_progress(consumer))
			;
		assert_true(pe_is_readable(end->pe));
		assert_ok(doca_pe_clear_notification(end->pe, 0));
		fastpath_settle(fastpath);
		assert_int_equal(end->done, round);
		assert_int_equal(consumer->done, round);
	}
}

static void a_consumer_that_stops_wakes_who_waits_for_it(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *consumer = run_consumer(fastpath, MEMORY);
	struct fast_end *end = run_producer(fastpath, MEMORY);
	struct fast_end *another = run_producer(fastpath, MEMORY);

	assert_ok(end_send(end, 0, 100, consumer->id));
	assert_ok(end_send(another, 0, 100, consumer->id));
	go_to_sleep(end);
	go_to_sleep(another);
	assert_ok(doca_ctx_stop(consumer->ctx));
	assert_true(pe_is_readable(end->pe));
	assert_true(pe_is_readable(another->pe));
	fastpath_settle(fastpath);
	assert_int_equal(end->failed + another->failed, 2);
}

/* A consumer that could not ring any more: the connection tells of it. */
static void a_consumer_that_expires_wakes_who_waits_for_it(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *consumer = run_consumer(fastpath, MEMORY);
	struct fast_end *end = run_producer(fastpath, MEMORY);

	assert_ok(end_send(end, 0, 100, consumer->id));
	go_to_sleep(end);
	fast_retire(side_connection(server_of(fastpath))->chan.fast, &consumer->consumer->fast);
	world_settle(&fastpath->world);
	assert_true(pe_is_readable(end->pe));
	fastpath_settle(fastpath);
	assert_int_equal(end->failed, 1);
}

static void a_lost_peer_wakes_who_waits_for_it(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *consumer = run_consumer(fastpath, MEMORY);
	struct fast_end *end = run_producer(fastpath, MEMORY);

	assert_ok(end_send(end, 0, 100, consumer->id));
	go_to_sleep(end);
	sim_kill(&fastpath->world.sim, &server_of(fastpath)->party);
	side_settle(client_of(fastpath));
	assert_true(pe_is_readable(end->pe));
	while (end_progress(end))
		;
	assert_int_equal(end->failed, 1);
	assert_err(end->status, CONNECTION_RESET);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
}

/*
 * The connection
 */

static void keeps_its_connection_open(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_producer(fastpath, server_of(fastpath), MEMORY);
	struct fast_end *other = run_producer(fastpath, MEMORY);

	end_run(end);
	assert_err(doca_comch_server_disconnect(server_of(fastpath)->server,
						side_connection(server_of(fastpath))),
		   IN_USE);
	assert_err(side_stop(server_of(fastpath)), IN_USE);
	assert_err(side_stop(client_of(fastpath)), IN_USE);
	assert_ok(doca_ctx_stop(end->ctx));
	assert_ok(doca_ctx_stop(other->ctx));
	assert_ok(doca_comch_server_disconnect(server_of(fastpath)->server,
					       side_connection(server_of(fastpath))));
	fastpath_settle(fastpath);
	assert_int_equal(side_state(client_of(fastpath)), DOCA_CTX_STATE_IDLE);
}

static void fails_what_waits_when_the_peer_is_lost(void **state)
{
	const size_t size = (size_t)8 << 20;
	struct fastpath *fastpath = *state;
	struct fast_end *consumer = run_consumer(fastpath, size),
			*end = run_producer(fastpath, size);

	assert_ok(end_post(consumer, 0, size));
	fastpath_settle(fastpath);
	assert_ok(end_send(end, 0, size, consumer->id)); /* under way */
	assert_ok(end_send(end, 0, 100, consumer->id));
	assert_true(end_progress(end));
	sim_kill(&fastpath->world.sim, &server_of(fastpath)->party);
	side_settle(client_of(fastpath));
	while (end_progress(end))
		;
	assert_int_equal(end->done + end->failed, 2);
	assert_true(end->failed >= 1);
	assert_err(end->status, CONNECTION_RESET);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	assert_int_equal(end->states[end->state_count - 2], DOCA_CTX_STATE_STOPPING);
}

static void a_peer_lost_while_stopping_changes_nothing(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *consumer = run_consumer(fastpath, MEMORY);
	struct fast_end *end = run_producer(fastpath, MEMORY);

	assert_ok(end_send(end, 0, 100, consumer->id));
	assert_err(doca_ctx_stop(end->ctx), IN_PROGRESS);
	sim_kill(&fastpath->world.sim, &server_of(fastpath)->party);
	fastpath_settle(fastpath);
	assert_int_equal(end->failed, 1);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
}

/* of a program that runs without a standard input, output and error */
static void nothing_of_ours_is_a_standard_descriptor(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *consumer, *producer;
	int saved[3], i, taken = 0;

	for (i = 0; i < 3; i++) {
		saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 100);
		close(i);
	}
	consumer = run_consumer(fastpath, MEMORY);
	producer = run_producer(fastpath, MEMORY);
	assert_ok(end_post(consumer, 0, 100000));
	fastpath_settle(fastpath);
	assert_ok(end_send(producer, 0, 100000, consumer->id));
	fastpath_settle(fastpath);
	for (i = 0; i < 3; i++) {
		taken += fcntl(i, F_GETFD) >= 0;
		dup2(saved[i], i);
		close(saved[i]);
	}
	assert_int_equal(taken, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fastpath_setup, fastpath_teardown)

/*
 * Many consumers
 */

#define CROWD (FAST_ENDS - 2)

static unsigned int count_queues(const struct doca_comch_producer *producer)
{
	unsigned int count = 0;

	for (const struct send_queue *queue = producer->queues; queue; queue = queue->next)
		count++;
	return count;
}

/* each in a row of its own, so that none is looked for among the others */
static void assert_rows(const struct doca_comch_producer *producer, unsigned int count)
{
	unsigned int in_rows = 0;

	for (unsigned int i = 0; i < PRODUCER_ROWS; i++) {
		in_rows += producer->rows[i] != NULL;
		assert_true(!producer->rows[i] || !producer->rows[i]->in_row);
	}
	assert_int_equal(in_rows, count);
	assert_int_equal(count_queues(producer), count);
}

static void send_by_turns(struct fast_end *producer, struct fast_end *const *consumers,
			  unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		unsigned int done = consumers[i]->done;

		assert_ok(end_post(consumers[i], 0, 8));
		assert_ok(end_send(producer, 0, 8, consumers[i]->id));
		fastpath_settle(producer->fastpath);
		assert_int_equal(consumers[i]->done, done + 1);
	}
}

static void sends_to_many_by_turns(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *producer = run_producer(fastpath, MEMORY), *consumers[CROWD];

	for (unsigned int i = 0; i < CROWD; i++)
		consumers[i] = run_consumer(fastpath, MEMORY);
	fastpath_settle(fastpath);
	send_by_turns(producer, consumers, CROWD);
	send_by_turns(producer, consumers, CROWD);
	assert_rows(producer->producer, CROWD);
	/* Those that are gone are forgotten when the next one is used for the first time. */
	for (unsigned int i = 0; i < CROWD / 2; i++) {
		doca_ctx_stop(consumers[i]->ctx);
		fastpath_settle(fastpath);
		assert_err(end_send(producer, 0, 8, consumers[i]->id), INVALID_VALUE);
	}
	consumers[0] = run_consumer(fastpath, MEMORY);
	fastpath_settle(fastpath);
	send_by_turns(producer, consumers, 1);
	send_by_turns(producer, consumers + CROWD / 2, CROWD - CROWD / 2);
	assert_rows(producer->producer, CROWD - CROWD / 2 + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_of_ours_is_a_standard_descriptor,
						fastpath_setup_shm, fastpath_teardown),
		TEST(creation_checks_its_arguments),
		TEST(needs_an_established_connection),
		TEST(connection_has_so_many_and_no_more),
		TEST(attributes_check_their_arguments),
		TEST(is_none_for_dpa_code),
		TEST(starts_at_once_and_sends_in_the_callback),
		TEST(start_needs_a_task_configuration),
		TEST(start_needs_the_connection),
		TEST(stops_at_once_when_nothing_waits),
		TEST(what_is_sent_is_reported_before_it_stops),
		TEST(what_waits_fails),
		TEST(a_copy_that_has_begun_is_finished),
		TEST(can_be_stopped_and_destroyed_in_its_callbacks),
		TEST(a_consumer_that_stops_fails_what_waits_for_it),
		TEST(a_lane_that_is_closed_fails_at_once),
		TEST(one_that_has_gone_is_remembered_while_something_waits_for_it),
		TEST(sleeps_until_something_is_posted),
		TEST(a_consumer_that_stops_wakes_who_waits_for_it),
		TEST(a_consumer_that_expires_wakes_who_waits_for_it),
		TEST(a_lost_peer_wakes_who_waits_for_it),
		TEST(keeps_its_connection_open),
		TEST(fails_what_waits_when_the_peer_is_lost),
		TEST(a_peer_lost_while_stopping_changes_nothing),
		TEST(sends_to_many_by_turns),
	};

	priv_pe_work_on_ticks = 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
