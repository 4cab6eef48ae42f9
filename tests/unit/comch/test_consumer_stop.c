/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consumers: their end in every order.
 */
#include "test.h"

#include <string.h>
#include "comch/consumer.h"
#include "core/pe.h"
#include "ends.h"

/*
 * Stopping
 */

static void stops_at_once_when_nothing_is_posted(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = run_consumer(fastpath, MEMORY);

	assert_err(doca_comch_consumer_destroy(end->consumer), IN_USE);
	assert_ok(doca_ctx_stop(end->ctx));
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	fastpath_settle(fastpath);
	assert_int_equal(fastpath->client_heard.expired, 1);
	assert_int_equal(fastpath->client_heard.id, end->id);
}

static void posted_receives_fail_in_their_order(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = run_consumer(fastpath, MEMORY);
	unsigned int i;

	for (i = 0; i < 5; i++)
		assert_ok(end_post(end, 100 * i, 100));
	assert_err(doca_ctx_stop(end->ctx), IN_PROGRESS);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_STOPPING);
	assert_err(doca_ctx_stop(end->ctx), IN_PROGRESS);
	assert_err(end_post(end, 0, 100), BAD_STATE);
	assert_int_equal(end->failed, 0);
	fastpath_settle(fastpath);
	assert_int_equal(end->failed, 5);
	assert_err(end->status, IO_FAILED);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	assert_int_equal(fastpath->client_heard.expired, 1);
}

static void expect_no_message(struct fast_end *end, struct doca_comch_consumer_task_post_recv *task,
			      doca_error_t status)
{
	(void)end;
	assert_err(status, IO_FAILED);
	assert_int_equal(doca_comch_consumer_task_post_recv_get_producer_id(task), 0);
	assert_null(doca_comch_consumer_task_post_recv_get_imm_data(task));
	doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

/* The task has received before: of that the error callback sees nothing. */
static void posted_receives_fail_without_a_message(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = run_consumer(fastpath, MEMORY),
			*producer = run_producer(fastpath, MEMORY);

	assert_ok(end_post(end, 0, 100));
	assert_ok(end_send(producer, 0, 10, end->id));
	fastpath_settle(fastpath);
	assert_int_equal(end->done, 1);
	assert_int_equal(end->producer_id, producer->id);
	end->on_received = expect_no_message;
	for (unsigned int i = 0; i < FAST_TASKS; i++) /* with that task among them */
		assert_ok(end_post(end, 0, 100));
	assert_err(doca_ctx_stop(end->ctx), IN_PROGRESS);
	fastpath_settle(fastpath);
	assert_int_equal(end->failed, FAST_TASKS);
}

static void keep(struct fast_end *end, struct doca_comch_consumer_task_post_recv *task,
		 doca_error_t status)
{
	(void)status;
	doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL);
	end->arg = doca_comch_consumer_task_post_recv_as_task(task);
}

static void waits_for_the_program_to_free_its_tasks(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = run_consumer(fastpath, MEMORY);

	end->on_received = keep;
	assert_ok(end_post(end, 0, 100));
	assert_err(doca_ctx_stop(end->ctx), IN_PROGRESS);
	fastpath_settle(fastpath);
	assert_int_equal(end->failed, 1);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_STOPPING);
	doca_task_free(end->arg);
	fastpath_settle(fastpath);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
}

static void unsent_posts_fail_too(void **state)
{
	const size_t size = (size_t)12 << 20;
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), size);

	end_run(end);
	assert_ok(end_post(end, 0, size)); /* its memory is prepared in the polls */
	assert_ok(end_post(end, 0, 64));
	assert_err(doca_ctx_stop(end->ctx), IN_PROGRESS);
	fastpath_settle(fastpath);
	assert_int_equal(end->failed, 2);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
}

static void can_stop_before_the_peer_has_answered(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), MEMORY);

	assert_err(doca_ctx_start(end->ctx), IN_PROGRESS);
	assert_ok(doca_ctx_stop(end->ctx));
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	fastpath_settle(fastpath);
	assert_int_equal(fastpath->client_heard.born, 1);
	assert_int_equal(fastpath->client_heard.expired, 1);
	end_run(end);
}

/* A peer may have claimed what was never posted. */
static void can_stop_before_whatever_the_peer_has_written(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), MEMORY);

	assert_err(doca_ctx_start(end->ctx), IN_PROGRESS);
	atomic_store(&end->consumer->fast.lane.shared->started, 5);
	assert_ok(doca_ctx_stop(end->ctx));
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	end_run(end);
	assert_ok(end_post(end, 0, 100));
	fastpath_settle(fastpath);
	atomic_store(&end->consumer->fast.lane.shared->started, 5);
	assert_err(doca_ctx_stop(end->ctx), IN_PROGRESS);
	fastpath_settle(fastpath);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
}

static void starts_again(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = run_consumer(fastpath, MEMORY),
			*producer = run_producer(fastpath, MEMORY);
	uint32_t round, id;

	for (round = 1; round <= 5; round++) {
		assert_ok(end_post(end, 0, 100));
		assert_ok(end_post(end, 100, 100));
		assert_ok(end_send(producer, 0, 50 + round, end->id));
		fastpath_settle(fastpath);
		assert_int_equal(end->done, round);
		assert_int_equal(producer->done, round);
		assert_err(doca_ctx_stop(end->ctx), IN_PROGRESS);
		fastpath_settle(fastpath);
		assert_int_equal(end->failed, round);
		assert_ok(doca_comch_consumer_get_id(end->consumer, &id));
		assert_int_equal(id, end->id);
		end_run(end);
		assert_int_equal(fastpath->client_heard.born, round + 1);
	}
}

/* The answer to the first start must not be taken for that to the second one. */
static void starts_again_before_the_peer_has_answered(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), MEMORY);
	struct fast_end *producer = run_producer(fastpath, MEMORY);

	assert_err(doca_ctx_start(end->ctx), IN_PROGRESS);
	assert_ok(doca_ctx_stop(end->ctx));
	end_run(end);
	/* A producer that sleeps is woken by the right bell. */
	assert_ok(end_send(producer, 0, 100, end->id));
	while (end_progress(producer))
		;
	assert_ok(doca_pe_request_notification(producer->pe));
	assert_ok(end_post(end, 0, 100));
	while (end_progress(end))
		;
	assert_ok(doca_pe_clear_notification(producer->pe, 0));
	fastpath_settle(fastpath);
	assert_int_equal(end->done, 1);
	assert_int_equal(producer->done, 1);
	assert_int_equal(atomic_load(&end->consumer->fast.lane.shared->producers.asleep), 0);
}

/*
 * Inside callbacks
 */

static void stop_and_free(struct fast_end *end, struct doca_comch_consumer_task_post_recv *task,
			  doca_error_t status)
{
	doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	doca_ctx_stop(end->ctx);
	(void)status;
}

static void can_be_stopped_in_its_callbacks(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = run_consumer(fastpath, MEMORY),
			*producer = run_producer(fastpath, MEMORY);
	unsigned int i;

	end->on_received = stop_and_free; /* also in the callbacks of what is flushed */
	for (i = 0; i < 4; i++)
		assert_ok(end_post(end, 0, 100));
	fastpath_settle(fastpath);
	assert_ok(end_send(producer, 0, 100, end->id));
	assert_ok(end_send(producer, 0, 100, end->id));
	fastpath_settle(fastpath);
	assert_int_equal(end->done, 2); /* both had come */
	assert_int_equal(end->failed, 2);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
}

static void destroy_when_idle(struct fast_end *end, enum doca_ctx_states next)
{
	if (next != DOCA_CTX_STATE_IDLE)
		return;
	assert_ok(doca_comch_consumer_destroy(end->consumer));
	end->consumer = NULL;
	end->ctx = NULL;
}

static void can_be_destroyed_in_its_callbacks(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = run_consumer(fastpath, MEMORY),
			*producer = run_producer(fastpath, MEMORY);

	end->on_state = destroy_when_idle;
	end->on_received = stop_and_free;
	assert_ok(end_post(end, 0, 100));
	fastpath_settle(fastpath);
	assert_ok(end_send(producer, 0, 100, end->id));
	fastpath_settle(fastpath);
	assert_null(end->consumer);
	assert_int_equal(end->done, 1);
	assert_int_equal(fastpath->client_heard.expired, 1);
}

static void start_when_idle(struct fast_end *end, enum doca_ctx_states next)
{
	if (next == DOCA_CTX_STATE_IDLE)
		assert_err(doca_ctx_start(end->ctx), IN_PROGRESS);
}

static void can_be_started_again_in_its_callbacks(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = run_consumer(fastpath, MEMORY),
			*producer = run_producer(fastpath, MEMORY);

	end->on_state = start_when_idle;
	end->on_received = stop_and_free;
	assert_ok(end_post(end, 0, 100));
	fastpath_settle(fastpath);
	assert_ok(end_send(producer, 0, 100, end->id));
	fastpath_settle(fastpath);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_RUNNING);
	assert_int_equal(fastpath->client_heard.born, 2);
	end->on_state = NULL;
	assert_ok(end_post(end, 0, 100));
	assert_ok(end_send(producer, 0, 100, end->id));
	fastpath_settle(fastpath);
	assert_int_equal(end->done, 2);
}

/*
 * While a copy is under way
 */

static void waits_for_a_copy_that_has_begun(void **state)
{
	const size_t size = (size_t)8 << 20;
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), size);
	struct fast_end *producer = run_producer(fastpath, size);
	unsigned int i;

	end_run(end);
	assert_ok(end_post(end, 0, size));
	assert_ok(end_post(end, 0, 100));
	fastpath_settle(fastpath);
	memset(producer->memory.addr, 0x66, size);
	assert_ok(end_send(producer, 0, size, end->id));
	assert_ok(end_send(producer, 0, 100, end->id));
	assert_true(end_progress(producer));
	assert_int_equal(producer->done, 0); /* under way */
	assert_err(doca_ctx_stop(end->ctx), IN_PROGRESS);
	for (i = 0; i < 10; i++)
		end_progress(end);
	assert_int_equal(end->failed + end->done, 0);
	fastpath_settle(fastpath); /* the producer even learns in the middle that we are going */
	assert_int_equal(producer->done, 1);
	assert_int_equal(end->done, 1);
	assert_int_equal(end->size, size);
	assert_memory_equal(end->memory.addr, producer->memory.addr, size);
	assert_int_equal(end->failed, 1);
	assert_int_equal(producer->failed, 1);
	assert_err(producer->status, CONNECTION_RESET);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
}

/*
 * The connection
 */

static void keeps_its_connection_open(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = run_consumer(fastpath, MEMORY);
	struct fast_end *other = add_consumer(fastpath, client_of(fastpath), MEMORY);

	end_run(other);
	assert_err(doca_comch_server_disconnect(server_of(fastpath)->server,
						side_connection(server_of(fastpath))),
		   IN_USE);
	assert_err(side_stop(server_of(fastpath)), IN_USE);
	assert_err(side_stop(client_of(fastpath)), IN_USE);
	assert_ok(doca_ctx_stop(end->ctx));
	assert_ok(doca_ctx_stop(other->ctx));
	assert_err(side_stop(client_of(fastpath)), IN_PROGRESS);
	fastpath_settle(fastpath);
	assert_int_equal(side_state(client_of(fastpath)), DOCA_CTX_STATE_IDLE);
}

/* The peer claims, and then does nothing for as long as it lives. */
static void a_peer_that_never_writes_keeps_nobody_from_closing(void **state)
{
	const size_t size = (size_t)8 << 20;
	struct fastpath *fastpath = *state;
	struct doca_comch_connection *connection = side_connection(server_of(fastpath));
	struct doca_comch_server *server = server_of(fastpath)->server;
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), size);
	struct fast_end *producer = run_producer(fastpath, size);
	unsigned int i;

	end_run(end);
	assert_ok(end_post(end, 0, size));
	fastpath_settle(fastpath);
	assert_ok(end_send(producer, 0, size, end->id));
	assert_true(end_progress(producer));
	assert_err(doca_comch_server_disconnect(server, connection), IN_USE);
	assert_err(doca_ctx_stop(end->ctx), IN_PROGRESS);
	assert_ok(doca_pe_request_notification(end->pe)); /* it may sleep when that has been seen */
	for (i = 0; i < 10; i++)
		end_progress(end);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_STOPPING);
	assert_ok(doca_comch_server_disconnect(server, connection));
	for (i = 0; i < 10; i++) {
		side_progress(server_of(fastpath));
		end_progress(end);
	}
	assert_int_equal(end->failed, 1);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	fastpath_settle(fastpath);
	assert_int_equal(producer->failed, 1);
}

static void fails_what_is_posted_when_the_peer_is_lost(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = run_consumer(fastpath, MEMORY),
			*producer = run_producer(fastpath, MEMORY);
	unsigned int i;

	for (i = 0; i < 4; i++)
		assert_ok(end_post(end, 100 * i, 100));
	fastpath_settle(fastpath);
	assert_ok(end_send(producer, 0, 100, end->id)); /* has been sent, and counts */
	sim_kill(&fastpath->world.sim, &client_of(fastpath)->party);
	fastpath_settle(fastpath);
	assert_int_equal(end->done, 1);
	assert_int_equal(end->failed, 3);
	assert_err(end->status, IO_FAILED);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	assert_int_equal(end->states[end->state_count - 2], DOCA_CTX_STATE_STOPPING);
}

static void reports_nothing_half_done_when_the_peer_is_lost(void **state)
{
	const size_t size = (size_t)8 << 20;
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), size);
	struct fast_end *producer = run_producer(fastpath, size);
	struct doca_buf *buf;
	size_t data_len;

	end_run(end);
	buf = memory_room(&end->memory, 0, size);
	assert_ok(doca_buf_inc_refcount(buf, NULL));
	assert_ok(end_post_buf(end, buf));
	fastpath_settle(fastpath);
	assert_ok(end_send(producer, 0, size, end->id));
	assert_true(end_progress(producer));
	sim_kill(&fastpath->world.sim, &client_of(fastpath)->party);
	/* The producer's own program is dead and does no more. */
	while (side_progress(server_of(fastpath)) || end_progress(end))
		;
	fastpath->world.sim.delay_max_ns = 0;
	side_settle(server_of(fastpath));
	while (end_progress(end))
		;
	assert_int_equal(end->done, 0);
	assert_int_equal(end->failed, 1);
	assert_ok(doca_buf_get_data_len(buf, &data_len));
	assert_int_equal(data_len, 0);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	doca_buf_dec_refcount(buf, NULL);
}

static void expired_before_stopping(struct side *side, enum doca_ctx_states prev,
				    enum doca_ctx_states next)
{
	struct fastpath *fastpath = container_of(side->world, struct fastpath, world);

	(void)prev;
	if (next == DOCA_CTX_STATE_STOPPING)
		assert_int_equal(fastpath->client_heard.expired, 2);
}

static void expires_when_its_side_is_lost(void **state)
{
	struct fastpath *fastpath = *state;

	run_consumer(fastpath, MEMORY);
	run_consumer(fastpath, MEMORY);
	fastpath_settle(fastpath);
	assert_int_equal(fastpath->client_heard.born, 2);
	client_of(fastpath)->on_state = expired_before_stopping;
	sim_kill(&fastpath->world.sim, &server_of(fastpath)->party);
	world_settle(&fastpath->world);
	assert_int_equal(fastpath->client_heard.expired, 2);
	assert_int_equal(side_state(client_of(fastpath)), DOCA_CTX_STATE_IDLE);
}

static void may_outlive_server_and_client(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = run_consumer(fastpath, MEMORY);

	assert_ok(end_post(end, 0, 100));
	sim_kill(&fastpath->world.sim, &client_of(fastpath)->party);
	world_settle(&fastpath->world);
	assert_ok(side_stop(server_of(fastpath)));
	side_destroy(server_of(fastpath));
	fastpath_settle(fastpath);
	assert_int_equal(end->failed, 1);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	assert_err(doca_ctx_start(end->ctx), NOT_CONNECTED);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fastpath_setup, fastpath_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(stops_at_once_when_nothing_is_posted),
		TEST(posted_receives_fail_in_their_order),
		TEST(posted_receives_fail_without_a_message),
		TEST(waits_for_the_program_to_free_its_tasks),
		TEST(unsent_posts_fail_too),
		TEST(can_stop_before_the_peer_has_answered),
		TEST(can_stop_before_whatever_the_peer_has_written),
		TEST(starts_again),
		TEST(starts_again_before_the_peer_has_answered),
		TEST(can_be_stopped_in_its_callbacks),
		TEST(can_be_destroyed_in_its_callbacks),
		TEST(can_be_started_again_in_its_callbacks),
		TEST(waits_for_a_copy_that_has_begun),
		TEST(keeps_its_connection_open),
		TEST(a_peer_that_never_writes_keeps_nobody_from_closing),
		TEST(fails_what_is_posted_when_the_peer_is_lost),
		TEST(reports_nothing_half_done_when_the_peer_is_lost),
		TEST(expires_when_its_side_is_lost),
		TEST(may_outlive_server_and_client),
	};

	priv_pe_work_on_ticks = 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
