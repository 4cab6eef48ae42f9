/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Send tasks: what is refused, order and content, waiting for room, what becomes of them when a
 * connection ends. Long because every promise is a small test of its own.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include "world.h"
#include "doca_log.h"
#include "readable.h"
#include "said.h"

#define MAX 4080u /* comch_max_msg_size */

/* each message tells its place */
static uint8_t numbered[4096][8];

static void number_messages(void)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(numbered); i++)
		memcpy(numbered[i], &i, sizeof(i));
}

static void expect_next(struct side *side, struct doca_comch_connection *connection,
			const uint8_t *msg, uint32_t size)
{
	uint32_t number;

	(void)connection;
	assert_int_equal(size, sizeof(numbered[0]));
	memcpy(&number, msg, sizeof(number));
	assert_int_equal(number, side->messages - 1);
}

/*
 * Refusals
 */

static void alloc_checks_its_arguments(void **state)
{
	struct pair pair = world_connect(*state, "name");
	struct doca_comch_server *server = pair.server->server;
	struct doca_comch_client *client = pair.client->client;
	struct doca_comch_connection *there = side_connection(pair.server);
	struct doca_comch_connection *here = side_connection(pair.client);
	static uint8_t msg[MAX + 1];
	struct doca_comch_task_send *task = NULL;

	assert_err(doca_comch_server_task_send_alloc_init(NULL, there, msg, 1, &task),
		   INVALID_VALUE);
	assert_err(doca_comch_server_task_send_alloc_init(server, NULL, msg, 1, &task),
		   INVALID_VALUE);
	assert_err(doca_comch_server_task_send_alloc_init(server, there, NULL, 1, &task),
		   INVALID_VALUE);
	assert_err(doca_comch_server_task_send_alloc_init(server, there, msg, 1, NULL),
		   INVALID_VALUE);
	assert_err(doca_comch_server_task_send_alloc_init(server, there, msg, 0, &task),
		   INVALID_VALUE);
	assert_err(doca_comch_server_task_send_alloc_init(server, there, msg, MAX + 1, &task),
		   INVALID_VALUE);
	assert_err(doca_comch_server_task_send_alloc_init(server, here, msg, 1, &task),
		   INVALID_VALUE);
	assert_err(doca_comch_client_task_send_alloc_init(NULL, here, msg, 1, &task),
		   INVALID_VALUE);
	assert_err(doca_comch_client_task_send_alloc_init(client, NULL, msg, 1, &task),
		   INVALID_VALUE);
	assert_err(doca_comch_client_task_send_alloc_init(client, here, NULL, 1, &task),
		   INVALID_VALUE);
	assert_err(doca_comch_client_task_send_alloc_init(client, here, msg, 1, NULL),
		   INVALID_VALUE);
	assert_err(doca_comch_client_task_send_alloc_init(client, here, msg, 0, &task),
		   INVALID_VALUE);
	assert_err(doca_comch_client_task_send_alloc_init(client, here, msg, MAX + 1, &task),
		   INVALID_VALUE);
	assert_err(doca_comch_client_task_send_alloc_init(client, there, msg, 1, &task),
		   INVALID_VALUE);
	assert_null(task);
}

static void send_to_nobody(struct child *parent, void *arg)
{
	struct pair pair = world_connect(arg, "name");
	struct doca_comch_server *server = pair.server->server;
	struct doca_comch_connection *there = side_connection(pair.server);
	struct doca_log_backend *backend;
	struct doca_comch_task_send *task;

	(void)parent;
	assert_ok(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend));
	assert_ok(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DEBUG));
	assert_ok(doca_comch_server_disconnect(server, there));
	assert_err(doca_comch_server_task_send_alloc_init(server, there, "", 1, &task),
		   INVALID_VALUE);
}

static void why_there_is_no_task_is_told_of(void **state)
{
	char said[SAID_SIZE];

	listen_to(send_to_nobody, *state, said);
	assert_non_null(strstr(said, "a message for a connection that is closed"));
}

static void set_conf_checks_its_arguments(void **state)
{
	struct world *world = *state;
	struct side *server = world_add_server(world, HOST_PF0, "name");
	struct side *client = world_add_client(world, HOST_PF0, "name");
	doca_comch_task_send_completion_cb_t cb =
		(doca_comch_task_send_completion_cb_t)(uintptr_t)1; /* never called */
	uint32_t max;

	assert_ok(doca_comch_cap_get_max_send_tasks(doca_dev_as_devinfo(client->dev), &max));
	assert_err(doca_comch_server_task_send_set_conf(NULL, cb, cb, 1), INVALID_VALUE);
	assert_err(doca_comch_server_task_send_set_conf(server->server, NULL, cb, 1),
		   INVALID_VALUE);
	assert_err(doca_comch_server_task_send_set_conf(server->server, cb, NULL, 1),
		   INVALID_VALUE);
	assert_err(doca_comch_server_task_send_set_conf(server->server, cb, cb, 0), INVALID_VALUE);
	assert_err(doca_comch_server_task_send_set_conf(server->server, cb, cb, max + 1),
		   INVALID_VALUE);
	assert_ok(doca_comch_server_task_send_set_conf(server->server, cb, cb, max));
	assert_err(doca_comch_client_task_send_set_conf(NULL, cb, cb, 1), INVALID_VALUE);
	assert_err(doca_comch_client_task_send_set_conf(client->client, NULL, cb, 1),
		   INVALID_VALUE);
	assert_err(doca_comch_client_task_send_set_conf(client->client, cb, NULL, 1),
		   INVALID_VALUE);
	assert_err(doca_comch_client_task_send_set_conf(client->client, cb, cb, 0), INVALID_VALUE);
	assert_err(doca_comch_client_task_send_set_conf(client->client, cb, cb, max + 1),
		   INVALID_VALUE);
	assert_ok(doca_comch_client_task_send_set_conf(client->client, cb, cb, max));
	side_run(server);
	assert_err(doca_comch_server_task_send_set_conf(server->server, cb, cb, 1), BAD_STATE);
	side_run(client);
	assert_err(doca_comch_client_task_send_set_conf(client->client, cb, cb, 1), BAD_STATE);
}

static void alloc_needs_a_running_context(void **state)
{
	struct pair pair = world_connect(*state, "name");
	struct doca_comch_connection *here = side_connection(pair.client);
	struct doca_comch_connection *there = side_connection(pair.server);
	struct doca_task *task;

	assert_err(side_stop(pair.client), IN_PROGRESS);
	assert_err(side_alloc(pair.client, here, "x", 1, &task), BAD_STATE);
	world_settle(*state);
	assert_int_equal(side_state(pair.client), DOCA_CTX_STATE_IDLE);
	assert_err(side_alloc(pair.client, here, "x", 1, &task), BAD_STATE);
	assert_err(side_start(pair.client), IN_PROGRESS);
	assert_err(side_alloc(pair.client, here, "x", 1, &task), BAD_STATE);
	/* the first connection is over on the server's side as well */
	assert_err(side_alloc(pair.server, there, "x", 1, &task), INVALID_VALUE);
}

static void there_are_as_many_tasks_as_configured(void **state)
{
	struct pair pair = world_connect(*state, "name");
	struct doca_comch_connection *connection = side_connection(pair.client);
	struct doca_task *tasks[SIDE_TASKS], *one_more;
	unsigned int i;

	for (i = 0; i < SIDE_TASKS; i++)
		assert_ok(side_alloc(pair.client, connection, "x", 1, &tasks[i]));
	assert_err(side_alloc(pair.client, connection, "x", 1, &one_more), NO_MEMORY);
	doca_task_free(tasks[7]);
	assert_ok(side_alloc(pair.client, connection, "x", 1, &tasks[7]));
	for (i = 0; i < SIDE_TASKS; i++)
		doca_task_free(tasks[i]);
}

/*
 * Content and order
 */

static void every_size_arrives_as_sent(void **state)
{
	static const uint32_t sizes[] = {1, 2, 47, 48, 49, 63, 64, 65, 127, 1024, MAX - 1, MAX};
	struct pair pair = world_connect(*state, "name");
	uint8_t msg[MAX];
	unsigned int i, round;

	for (i = 0; i < sizeof(msg); i++)
		msg[i] = (uint8_t)(i * 7 + 3);
	for (round = 0; round < 40; round++) { /* enough to go round the arena */
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			struct side *from = round % 2 ? pair.server : pair.client;
			struct side *to = round % 2 ? pair.client : pair.server;

			msg[0] = (uint8_t)(round * 16 + i);
			assert_ok(side_send(from, msg, sizes[i]));
			world_settle(*state);
			assert_int_equal(to->message_size, sizes[i]);
			assert_memory_equal(to->message, msg, sizes[i]);
		}
	}
	assert_int_equal(pair.client->failed + pair.server->failed, 0);
}

static void submit_again(struct side *side, struct doca_task *task, doca_error_t status)
{
	assert_ok(status);
	if (side->sent < 200)
		assert_ok(doca_task_submit(task));
	else
		doca_task_free(task);
}

static void a_callback_may_submit_its_task_again(void **state)
{
	struct pair pair = world_connect(*state, "name");

	pair.client->on_sent = submit_again;
	assert_ok(side_send(pair.client, "again", 5));
	world_settle(*state);
	assert_int_equal(pair.client->sent, 200);
	assert_int_equal(pair.server->messages, 200);
}

static void answer(struct side *side, struct doca_comch_connection *connection, const uint8_t *msg,
		   uint32_t size)
{
	(void)msg;
	assert_ok(side_send_to(side, connection, "answer", size));
}

static void a_task_has_come_back_when_the_next_message_comes(void **state)
{
	struct world *world = *state;
	struct side *server = world_add_server(world, HOST_PF0, "name");
	struct side *client = world_add_client(world, HOST_PF0, "name");
	unsigned int i;

	world_set_tasks(server, 1);
	server->on_message = answer;
	side_run(server);
	side_run(client);
	for (i = 0; i < 20; i++)
		assert_ok(side_send(client, "question", 6));
	world_settle(world);
	assert_int_equal(server->sent, 20);
	assert_int_equal(client->messages, 20);
}

static void a_poll_that_did_something_has_delivered_it(void **state)
{
	struct pair pair = world_connect(*state, "name");
	unsigned int i;

	world_settle(*state);
	for (i = 1; i <= 100; i++) {
		assert_ok(side_send(pair.client, "x", 1));
		while (!side_progress(pair.server))
			;
		assert_int_equal(pair.server->messages, i);
		while (!side_progress(pair.client))
			;
		assert_int_equal(pair.client->sent, i);
	}
}

static void stop_side(struct side *side, struct doca_task *task, doca_error_t status)
{
	assert_ok(status);
	doca_task_free(task);
	assert_err(side_stop(side), IN_PROGRESS);
}

static void who_stops_when_its_task_comes_back_gets_no_more_messages(void **state)
{
	struct pair pair = world_connect(*state, "name");

	pair.server->on_message = answer;
	pair.server->on_sent = stop_side;
	assert_ok(side_send(pair.client, "question", 6));
	assert_ok(side_send(pair.client, "question", 6));
	world_settle(*state);
	assert_int_equal(pair.server->messages, 1);
	assert_int_equal(side_state(pair.server), DOCA_CTX_STATE_IDLE);
	assert_int_equal(side_state(pair.client), DOCA_CTX_STATE_IDLE);
}

static void a_submitted_task_cannot_be_submitted(void **state)
{
	struct pair pair = world_connect(*state, "name");
	struct doca_task *task;

	assert_ok(side_alloc(pair.client, side_connection(pair.client), "x", 1, &task));
	assert_ok(doca_task_submit(task));
	assert_err(doca_task_submit(task), INVALID_VALUE);
	world_settle(*state);
	assert_int_equal(pair.client->sent, 1);
	assert_int_equal(pair.server->messages, 1);
}

/*
 * A full queue: a task that could be allocated can be submitted, and waits.
 */

/* a client with many tasks and a server that can hold few messages */
static struct pair connect_narrow(struct world *world, uint32_t tasks)
{
	struct pair pair = {.server = world_add_server(world, HOST_PF0, "narrow"),
			    .client = world_add_client(world, HOST_PF0, "narrow")};

	assert_ok(doca_comch_server_set_recv_queue_size(pair.server->server, 16));
	assert_ok(doca_comch_client_set_recv_queue_size(pair.client->client, 16));
	world_set_tasks(pair.client, tasks);
	side_run(pair.server);
	side_run(pair.client);
	return pair;
}

static void sends_beyond_the_queue_wait_in_order(void **state)
{
	struct world *world = *state;
	struct pair pair = connect_narrow(world, ARRAY_SIZE(numbered));
	unsigned int i;

	pair.server->on_message = expect_next;
	for (i = 0; i < ARRAY_SIZE(numbered); i++)
		assert_ok(side_send(pair.client, numbered[i], sizeof(numbered[i])));
	for (i = 0; i < 100; i++)
		side_progress(pair.client);
	assert_int_equal(pair.client->sent, 16);
	world_settle(world);
	assert_int_equal(pair.client->sent, ARRAY_SIZE(numbered));
	assert_int_equal(pair.server->messages, ARRAY_SIZE(numbered));
}

/* Its message may be gone, and is not sent; those behind it are. */
static void what_is_freed_while_it_waits_is_not_sent(void **state)
{
	struct world *world = *state;
	struct pair pair = connect_narrow(world, 64);
	struct doca_comch_connection *connection;
	struct doca_comch_task_send *task;
	uint8_t *msg = malloc(sizeof(numbered[0]));
	unsigned int i;

	pair.server->on_message = expect_next;
	for (i = 0; i < 20; i++)
		assert_ok(side_send(pair.client, numbered[i], sizeof(numbered[i])));
	assert_ok(doca_comch_client_get_connection(pair.client->client, &connection));
	assert_ok(doca_comch_client_task_send_alloc_init(pair.client->client, connection, msg,
							 sizeof(numbered[0]), &task));
	assert_ok(doca_task_submit(doca_comch_task_send_as_task(task)));
	doca_task_free(doca_comch_task_send_as_task(task));
	free(msg);
	for (i = 20; i < 40; i++)
		assert_ok(side_send(pair.client, numbered[i], sizeof(numbered[i])));
	world_settle(world);
	assert_int_equal(pair.client->sent, 40);
	assert_int_equal(pair.server->messages, 40);
}

/* The receiver does nothing meanwhile: its queue holds as many messages as was asked for. */
static void the_queue_holds_the_largest_messages(void **state)
{
	struct world *world = *state;
	struct pair pair = connect_narrow(world, 64);
	uint8_t msg[MAX];
	unsigned int i;

	memset(msg, 'm', sizeof(msg));
	for (i = 0; i < 64; i++)
		assert_ok(side_send(pair.client, msg, MAX - i % 5));
	for (i = 0; i < 100; i++)
		side_progress(pair.client);
	assert_int_equal(pair.client->sent, 16);
	world_settle(world);
	assert_int_equal(pair.client->sent, 64);
	assert_int_equal(pair.server->messages, 64);
}

static void fall_asleep(struct world *world, struct side *side)
{
	world_settle(world);
	assert_ok(doca_pe_request_notification(side->pe));
	assert_false(pe_is_readable(side->pe));
}

static void room_ends_the_sleep_of_who_waits_for_it(void **state)
{
	struct world *world = *state;
	struct pair pair = connect_narrow(world, 64);
	unsigned int i;

	for (i = 0; i < 40; i++)
		assert_ok(side_send(pair.client, numbered[i], sizeof(numbered[i])));
	while (side_progress(pair.client))
		;
	assert_ok(doca_pe_request_notification(pair.client->pe));
	assert_false(pe_is_readable(pair.client->pe));
	side_progress(pair.server);
	assert_true(pe_is_readable(pair.client->pe));
	world_settle(world);
	assert_int_equal(pair.server->messages, 40);
}

static void who_begins_to_wait_after_arm_is_woken_too(void **state)
{
	struct world *world = *state;
	struct pair pair = connect_narrow(world, 64);
	unsigned int i;

	fall_asleep(world, pair.client);
	for (i = 0; i < 40; i++)
		assert_ok(side_send(pair.client, numbered[i], sizeof(numbered[i])));
	/* Takes in that something was completed, and no more. */
	assert_true(pe_is_readable(pair.client->pe));
	assert_ok(doca_pe_clear_notification(pair.client->pe, 0));
	while (side_progress(pair.client))
		;
	assert_ok(doca_pe_request_notification(pair.client->pe));
	assert_false(pe_is_readable(pair.client->pe));
	side_progress(pair.server);
	assert_true(pe_is_readable(pair.client->pe));
	world_settle(world);
	assert_int_equal(pair.server->messages, 40);
}

static void who_waits_while_nobody_polls_it_is_found(void **state)
{
	struct world *world = *state;
	struct pair pair = connect_narrow(world, 64);
	unsigned int i;

	/* Cold, as one of many connections of a busy program is. */
	fall_asleep(world, pair.client);
	for (i = 0; i < 40; i++)
		assert_ok(side_send(pair.client, numbered[i], sizeof(numbered[i])));
	world_settle(world);
	assert_int_equal(pair.client->sent, 40);
	assert_int_equal(pair.server->messages, 40);
}

/*
 * Event mode: what happens between arm and sleep is not lost.
 */

static void a_completion_ends_a_sleep(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, "name");

	fall_asleep(world, pair.client);
	assert_ok(side_send(pair.client, "x", 1));
	assert_true(pe_is_readable(pair.client->pe));
	assert_ok(doca_pe_clear_notification(pair.client->pe, 0));
	assert_true(side_progress(pair.client));
	assert_int_equal(pair.client->sent, 1);
}

static void a_message_ends_a_sleep(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, "name");

	fall_asleep(world, pair.server);
	assert_ok(side_send(pair.client, "x", 1));
	assert_true(pe_is_readable(pair.server->pe));
	assert_ok(doca_pe_clear_notification(pair.server->pe, 0));
	while (side_progress(pair.server))
		;
	assert_int_equal(pair.server->messages, 1);
}

static void a_stop_ends_ones_own_sleep(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, "name");

	fall_asleep(world, pair.client);
	assert_err(side_stop(pair.client), IN_PROGRESS);
	assert_true(pe_is_readable(pair.client->pe));
	assert_ok(doca_pe_clear_notification(pair.client->pe, 0));
	while (side_progress(pair.client))
		;
	assert_int_equal(side_state(pair.client), DOCA_CTX_STATE_IDLE);
}

/*
 * The end of a connection
 */

static void what_was_submitted_before_stop_arrives(void **state)
{
	struct world *world = *state;
	struct pair pair = connect_narrow(world, 64);
	unsigned int i;

	pair.server->on_message = expect_next;
	for (i = 0; i < 64; i++)
		assert_ok(side_send(pair.client, numbered[i], sizeof(numbered[i])));
	assert_err(side_stop(pair.client), IN_PROGRESS);
	world_settle(world);
	assert_int_equal(pair.client->sent, 64);
	assert_int_equal(pair.server->messages, 64);
	assert_int_equal(pair.server->disconnects, 1);
}

static void what_waits_fails_when_the_peer_dies(void **state)
{
	struct world *world = *state;
	struct pair pair = connect_narrow(world, 64);
	unsigned int i;

	for (i = 0; i < 40; i++)
		assert_ok(side_send(pair.client, numbered[i], sizeof(numbered[i])));
	sim_kill(&world->sim, &pair.server->party);
	side_settle(pair.client);
	assert_int_equal(side_state(pair.client), DOCA_CTX_STATE_IDLE);
	assert_int_equal(pair.client->sent, 16);
	assert_int_equal(pair.client->failed, 24);
	assert_int_equal(pair.client->send_status, DOCA_ERROR_CONNECTION_RESET);
}

static void before_the_disconnect(struct side *side, struct doca_task *task, doca_error_t status)
{
	(void)status;
	assert_int_equal(side->disconnects, 0);
	doca_task_free(task);
}

static void tasks_come_back_before_their_connection_ends(void **state)
{
	struct world *world = *state;
	struct pair pair = connect_narrow(world, SIDE_TASKS);
	static const uint8_t msg[MAX];
	unsigned int i;

	pair.server->on_sent = before_the_disconnect;
	for (i = 0; i < SIDE_TASKS; i++)
		assert_ok(side_send_to(pair.server, pair.server->connection, msg, MAX));
	sim_kill(&world->sim, &pair.client->party);
	side_settle(pair.server);
	assert_true(pair.server->failed > 0);
	assert_int_equal(pair.server->sent + pair.server->failed, SIDE_TASKS);
	assert_int_equal(pair.server->disconnects, 1);
}

static void a_task_of_a_closed_connection_fails(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, "name");
	struct doca_task *task;

	assert_ok(side_alloc(pair.server, side_connection(pair.server), "x", 1, &task));
	side_stop(pair.client);
	world_settle(world);
	assert_ok(doca_task_submit(task));
	world_settle(world);
	assert_int_equal(pair.server->failed, 1);
	assert_int_equal(pair.server->send_status, DOCA_ERROR_CONNECTION_RESET);
}

static void a_task_of_a_closed_connection_never_reaches_the_next_client(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, "name");
	struct side *next = world_add_client(world, HOST_PF0, "name");
	struct doca_task *task;

	assert_ok(side_alloc(pair.server, side_connection(pair.server), "x", 1, &task));
	side_stop(pair.client);
	world_settle(world);
	side_run(next);
	assert_ok(doca_task_submit(task));
	world_settle(world);
	assert_int_equal(pair.server->failed, 1);
	assert_int_equal(pair.server->send_status, DOCA_ERROR_CONNECTION_RESET);
	assert_int_equal(next->messages, 0);
	assert_ok(side_send(pair.server, "y", 1));
	world_settle(world);
	assert_int_equal(next->messages, 1);
}

static void a_task_of_an_earlier_run_fails(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, "name");
	struct doca_task *task;

	assert_ok(side_alloc(pair.client, side_connection(pair.client), "x", 1, &task));
	side_stop(pair.client);
	world_settle(world);
	assert_err(doca_task_submit(task), BAD_STATE);
	side_run(pair.client);
	assert_ok(doca_task_submit(task));
	world_settle(world);
	assert_int_equal(pair.client->failed, 1);
	assert_int_equal(pair.server->messages, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(alloc_checks_its_arguments),
		TEST(why_there_is_no_task_is_told_of),
		TEST(set_conf_checks_its_arguments),
		TEST(alloc_needs_a_running_context),
		TEST(there_are_as_many_tasks_as_configured),
		TEST(every_size_arrives_as_sent),
		TEST(a_callback_may_submit_its_task_again),
		TEST(a_task_has_come_back_when_the_next_message_comes),
		TEST(a_poll_that_did_something_has_delivered_it),
		TEST(who_stops_when_its_task_comes_back_gets_no_more_messages),
		TEST(a_submitted_task_cannot_be_submitted),
		TEST(sends_beyond_the_queue_wait_in_order),
		TEST(what_is_freed_while_it_waits_is_not_sent),
		TEST(the_queue_holds_the_largest_messages),
		TEST(room_ends_the_sleep_of_who_waits_for_it),
		TEST(who_begins_to_wait_after_arm_is_woken_too),
		TEST(who_waits_while_nobody_polls_it_is_found),
		TEST(a_completion_ends_a_sleep),
		TEST(a_message_ends_a_sleep),
		TEST(a_stop_ends_ones_own_sleep),
		TEST(what_was_submitted_before_stop_arrives),
		TEST(what_waits_fails_when_the_peer_dies),
		TEST(tasks_come_back_before_their_connection_ends),
		TEST(a_task_of_a_closed_connection_fails),
		TEST(a_task_of_a_closed_connection_never_reaches_the_next_client),
		TEST(a_task_of_an_earlier_run_fails),
	};

	number_messages();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
