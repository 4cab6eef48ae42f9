/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doca_comch_client: creation, configuration, the way to RUNNING and every way back to IDLE.
 */
#include "test.h"

#include <string.h>
#include "world.h"

/*
 * Create and destroy
 */

static void create_checks_its_arguments(void **state)
{
	struct doca_dev *dev = open_dev(HOST_PF0);
	struct doca_comch_client *client = NULL;
	char name[200];

	(void)state;
	assert_err(doca_comch_client_create(NULL, "name", &client), INVALID_VALUE);
	assert_err(doca_comch_client_create(dev, NULL, &client), INVALID_VALUE);
	assert_err(doca_comch_client_create(dev, "name", NULL), INVALID_VALUE);
	assert_err(doca_comch_client_create(dev, "", &client), INVALID_VALUE);
	memset(name, 'n', sizeof(name));
	name[120] = '\0'; /* 121 bytes with its NUL */
	assert_err(doca_comch_client_create(dev, name, &client), INVALID_VALUE);
	assert_null(client);
	name[119] = '\0';
	assert_ok(doca_comch_client_create(dev, name, &client));
	assert_ok(doca_comch_client_destroy(client));
	assert_ok(doca_comch_client_create(dev, "n", &client));
	assert_ok(doca_comch_client_destroy(client));
	assert_err(doca_comch_client_destroy(NULL), INVALID_VALUE);
	assert_ok(doca_dev_close(dev));
}

static void a_client_keeps_its_device_open(void **state)
{
	struct doca_dev *dev = open_dev(HOST_PF0);
	struct doca_comch_client *client;

	(void)state;
	assert_ok(doca_comch_client_create(dev, "name", &client));
	assert_err(doca_dev_close(dev), IN_USE);
	assert_ok(doca_comch_client_destroy(client));
	assert_ok(doca_dev_close(dev));
}

static void destroy_needs_idle(void **state)
{
	struct pair pair = world_connect(*state, "name");

	assert_err(doca_comch_client_destroy(pair.client->client), IN_USE);
	assert_err(side_stop(pair.client), IN_PROGRESS);
	assert_err(doca_comch_client_destroy(pair.client->client), IN_USE);
	world_settle(*state);
	side_destroy(pair.client);
}

/*
 * Configuration
 */

static void setters_check_their_arguments(void **state)
{
	struct side *side = world_add_client(*state, HOST_PF0, "name");
	struct doca_comch_client *client = side->client;
	uint32_t max_msg, max_queue;

	assert_ok(doca_comch_cap_get_max_msg_size(doca_dev_as_devinfo(side->dev), &max_msg));
	assert_ok(
		doca_comch_cap_get_max_recv_queue_size(doca_dev_as_devinfo(side->dev), &max_queue));
	assert_err(doca_comch_client_set_max_msg_size(NULL, 1), INVALID_VALUE);
	assert_err(doca_comch_client_set_max_msg_size(client, 0), INVALID_VALUE);
	assert_err(doca_comch_client_set_max_msg_size(client, max_msg + 1), INVALID_VALUE);
	assert_ok(doca_comch_client_set_max_msg_size(client, 1));
	assert_ok(doca_comch_client_set_max_msg_size(client, max_msg));
	assert_err(doca_comch_client_set_recv_queue_size(NULL, 1), INVALID_VALUE);
	assert_err(doca_comch_client_set_recv_queue_size(client, 0), INVALID_VALUE);
	assert_err(doca_comch_client_set_recv_queue_size(client, max_queue + 1), INVALID_VALUE);
	assert_ok(doca_comch_client_set_recv_queue_size(client, 1));
	assert_ok(doca_comch_client_set_recv_queue_size(client, max_queue));
	assert_err(doca_comch_client_event_msg_recv_register(NULL, ignore_message), INVALID_VALUE);
	assert_err(doca_comch_client_event_msg_recv_register(client, NULL), INVALID_VALUE);
	assert_err(
		doca_comch_client_event_consumer_register(NULL, ignore_consumer, ignore_consumer),
		INVALID_VALUE);
	assert_err(doca_comch_client_event_consumer_register(client, NULL, ignore_consumer),
		   INVALID_VALUE);
	assert_err(doca_comch_client_event_consumer_register(client, ignore_consumer, NULL),
		   INVALID_VALUE);
	assert_ok(doca_comch_client_event_consumer_register(client, ignore_consumer,
							    ignore_consumer));
}

static void expect_bad_state(struct doca_comch_client *client)
{
	assert_err(doca_comch_client_set_max_msg_size(client, 64), BAD_STATE);
	assert_err(doca_comch_client_set_recv_queue_size(client, 64), BAD_STATE);
	assert_err(doca_comch_client_event_msg_recv_register(client, ignore_message), BAD_STATE);
	assert_err(
		doca_comch_client_event_consumer_register(client, ignore_consumer, ignore_consumer),
		BAD_STATE);
}

static void setters_need_idle(void **state)
{
	struct world *world = *state;
	struct side *server = world_add_server(world, HOST_PF0, "name");
	struct side *client = world_add_client(world, HOST_PF0, "name");

	side_run(server);
	assert_err(side_start(client), IN_PROGRESS);
	expect_bad_state(client->client);
	world_settle(world);
	assert_int_equal(side_state(client), DOCA_CTX_STATE_RUNNING);
	expect_bad_state(client->client);
	assert_err(side_stop(client), IN_PROGRESS);
	expect_bad_state(client->client);
	world_settle(world);
	assert_ok(doca_comch_client_set_recv_queue_size(client->client, 64));
}

static void getters_work_in_every_state(void **state)
{
	struct world *world = *state;
	struct side *server = world_add_server(world, HOST_PF0, "name");
	struct side *side = world_add_client(world, HOST_PF0, "name");
	struct doca_dev *dev = NULL;
	unsigned int round;

	assert_ok(doca_comch_client_set_recv_queue_size(side->client, 77));
	for (round = 0; round < 2; round++) {
		uint32_t size = 0;

		assert_ok(doca_comch_client_get_max_msg_size(side->client, &size));
		assert_int_equal(size, 4080);
		assert_ok(doca_comch_client_get_recv_queue_size(side->client, &size));
		assert_int_equal(size, 77);
		assert_ok(doca_comch_client_get_device(side->client, &dev));
		assert_ptr_equal(dev, side->dev);
		if (round)
			break;
		side_run(server);
		side_run(side);
	}
}

static void getters_check_their_arguments(void **state)
{
	struct side *side = world_add_client(*state, HOST_PF0, "name");
	struct doca_comch_connection *connection;
	struct doca_dev *dev;
	uint32_t size;

	assert_err(doca_comch_client_get_max_msg_size(NULL, &size), INVALID_VALUE);
	assert_err(doca_comch_client_get_max_msg_size(side->client, NULL), INVALID_VALUE);
	assert_err(doca_comch_client_get_recv_queue_size(NULL, &size), INVALID_VALUE);
	assert_err(doca_comch_client_get_recv_queue_size(side->client, NULL), INVALID_VALUE);
	assert_err(doca_comch_client_get_device(NULL, &dev), INVALID_VALUE);
	assert_err(doca_comch_client_get_device(side->client, NULL), INVALID_VALUE);
	assert_err(doca_comch_client_get_connection(NULL, &connection), INVALID_VALUE);
	assert_err(doca_comch_client_get_connection(side->client, NULL), INVALID_VALUE);
	assert_null(doca_comch_client_as_ctx(NULL));
}

/*
 * Start
 */

static void start_needs_a_complete_configuration(void **state)
{
	struct doca_dev *dev = open_dev(HOST_PF0);
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	struct doca_pe *pe;

	(void)state;
	assert_ok(doca_comch_client_create(dev, "name", &client));
	ctx = doca_comch_client_as_ctx(client);
	assert_err(doca_ctx_start(ctx), NOT_CONNECTED); /* no progress engine */
	assert_ok(doca_pe_create(&pe));
	assert_ok(doca_pe_connect_ctx(pe, ctx));
	assert_err(doca_ctx_start(ctx), BAD_STATE);
	assert_ok(doca_comch_client_event_msg_recv_register(client, ignore_message));
	assert_err(doca_ctx_start(ctx), BAD_STATE); /* no send task */
	assert_ok(doca_comch_client_destroy(client));
	assert_ok(doca_pe_destroy(pe));
	assert_ok(doca_dev_close(dev));
}

static void a_client_needs_a_device_of_the_host(void **state)
{
	struct side *side = world_add_client(*state, DPU_PF0, "name");

	assert_err(side_start(side), NOT_SUPPORTED);
	assert_int_equal(side_state(side), DOCA_CTX_STATE_IDLE);
	assert_int_equal(side->state_count, 0);
}

static void start_is_told_by_states(void **state)
{
	struct pair pair = world_connect(*state, "name");

	assert_int_equal(pair.client->state_count, 2);
	assert_int_equal(pair.client->states[0], DOCA_CTX_STATE_STARTING);
	assert_int_equal(pair.client->states[1], DOCA_CTX_STATE_RUNNING);
	assert_err(side_start(pair.client), BAD_STATE);
}

static void without_a_server_start_fails_fast(void **state)
{
	struct side *client = world_add_client(*state, HOST_PF0, "name");

	assert_err(side_start(client), IN_PROGRESS);
	assert_int_equal(side_state(client), DOCA_CTX_STATE_STARTING);
	world_settle(*state);
	assert_int_equal(side_state(client), DOCA_CTX_STATE_IDLE);
	assert_int_equal(client->state_count, 2);
	assert_int_equal(client->states[1], DOCA_CTX_STATE_IDLE);
}

static void a_failed_start_can_be_repeated(void **state)
{
	struct world *world = *state;
	struct side *client = world_add_client(world, HOST_PF0, "name");

	assert_err(side_start(client), IN_PROGRESS);
	world_settle(world);
	side_run(world_add_server(world, HOST_PF0, "name"));
	side_run(client);
}

static void start_again(struct side *side, enum doca_ctx_states prev, enum doca_ctx_states next)
{
	(void)prev;
	if (next == DOCA_CTX_STATE_IDLE && side->state_count < 8)
		assert_err(doca_ctx_start(side->ctx), IN_PROGRESS);
}

static void a_failed_start_can_be_repeated_in_the_callback(void **state)
{
	struct side *client = world_add_client(*state, HOST_PF0, "name");

	client->on_state = start_again;
	assert_err(side_start(client), IN_PROGRESS);
	world_settle(*state);
	assert_int_equal(client->state_count, 8);
	assert_int_equal(side_state(client), DOCA_CTX_STATE_IDLE);
}

static void the_connection_is_there_from_running_on(void **state)
{
	struct world *world = *state;
	struct side *server = world_add_server(world, HOST_PF0, "name");
	struct side *client = world_add_client(world, HOST_PF0, "name");
	struct doca_comch_connection *connection;

	assert_err(doca_comch_client_get_connection(client->client, &connection), BAD_STATE);
	side_run(server);
	assert_err(side_start(client), IN_PROGRESS);
	assert_err(doca_comch_client_get_connection(client->client, &connection), BAD_STATE);
	world_settle(world);
	assert_ok(doca_comch_client_get_connection(client->client, &connection));
	assert_ptr_equal(doca_comch_client_get_client_ctx(connection), client->client);
	assert_null(doca_comch_server_get_server_ctx(connection));
	assert_err(side_stop(client), IN_PROGRESS);
	assert_ok(doca_comch_client_get_connection(client->client, &connection));
	world_settle(world);
	assert_int_equal(side_state(client), DOCA_CTX_STATE_IDLE);
	assert_err(doca_comch_client_get_connection(client->client, &connection), BAD_STATE);
}

static void look_connection_up(struct side *side, enum doca_ctx_states prev,
			       enum doca_ctx_states next)
{
	union doca_data *seen = side->arg;

	(void)prev;
	if (next == DOCA_CTX_STATE_STOPPING)
		*seen = doca_comch_connection_get_user_data(side_connection(side));
}

static void whoever_loses_its_server_finds_its_connection(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, "name");
	union doca_data seen = {.u64 = 0};

	assert_ok(doca_comch_connection_set_user_data(side_connection(pair.client),
						      (union doca_data){.u64 = 77}));
	pair.client->on_state = look_connection_up;
	pair.client->arg = &seen;
	sim_kill(&world->sim, &pair.server->party);
	side_settle(pair.client);
	assert_int_equal(seen.u64, 77);
}

/*
 * Stop
 */

static void stop_while_connecting_is_done_at_once(void **state)
{
	struct world *world = *state;
	struct side *server = world_add_server(world, HOST_PF0, "name");
	struct side *client = world_add_client(world, HOST_PF0, "name");

	side_run(server);
	assert_err(side_start(client), IN_PROGRESS);
	assert_ok(side_stop(client));
	assert_int_equal(side_state(client), DOCA_CTX_STATE_IDLE);
	world_settle(world);
	assert_int_equal(server->disconnects, server->connects);
	side_run(client); /* and again */
	assert_int_equal(side_state(client), DOCA_CTX_STATE_RUNNING);
}

static void stop_ends_the_connection_on_both_sides(void **state)
{
	struct pair pair = world_connect(*state, "name");

	assert_err(side_stop(pair.client), IN_PROGRESS);
	assert_int_equal(side_state(pair.client), DOCA_CTX_STATE_STOPPING);
	assert_err(side_stop(pair.client), IN_PROGRESS); /* no side effect */
	world_settle(*state);
	assert_int_equal(side_state(pair.client), DOCA_CTX_STATE_IDLE);
	assert_int_equal(pair.client->state_count, 4);
	assert_int_equal(pair.server->disconnects, 1);
	assert_int_equal(side_state(pair.server), DOCA_CTX_STATE_RUNNING);
	assert_ok(side_stop(pair.client)); /* there is nothing to do */
	assert_int_equal(pair.client->state_count, 4);
}

static void the_loss_of_the_server_stops_the_client(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, "name");

	sim_kill(&world->sim, &pair.server->party);
	side_settle(pair.client);
	assert_int_equal(side_state(pair.client), DOCA_CTX_STATE_IDLE);
	assert_int_equal(pair.client->state_count, 4);
	assert_int_equal(pair.client->states[2], DOCA_CTX_STATE_STOPPING);
	assert_int_equal(pair.client->states[3], DOCA_CTX_STATE_IDLE);
}

static void a_client_runs_again(void **state)
{
	struct pair pair = world_connect(*state, "name");
	unsigned int i;

	for (i = 0; i < 5; i++) {
		side_stop(pair.client);
		world_settle(*state);
		assert_int_equal(side_state(pair.client), DOCA_CTX_STATE_IDLE);
		side_run(pair.client);
		assert_ok(side_send(pair.client, "again", 5));
		world_settle(*state);
		assert_int_equal(pair.server->messages, i + 1);
	}
	assert_int_equal(pair.server->connects, 6);
	assert_int_equal(pair.server->disconnects, 5);
}

static void hold(struct side *side, struct doca_task *task, doca_error_t status)
{
	(void)status;
	side->arg = task;
}

static void idle_waits_for_the_programs_tasks(void **state)
{
	struct pair pair = world_connect(*state, "name");

	pair.client->on_sent = hold;
	assert_ok(side_send(pair.client, "held", 4));
	world_settle(*state);
	assert_non_null(pair.client->arg);
	assert_err(side_stop(pair.client), IN_PROGRESS);
	world_settle(*state);
	assert_int_equal(side_state(pair.client), DOCA_CTX_STATE_STOPPING);
	assert_int_equal(pair.server->disconnects, 1);
	assert_err(doca_task_submit(pair.client->arg), BAD_STATE);
	doca_task_free(pair.client->arg);
	world_settle(*state);
	assert_int_equal(side_state(pair.client), DOCA_CTX_STATE_IDLE);
}

/*
 * Inside callbacks
 */

static void destroy_when_idle(struct side *side, enum doca_ctx_states prev,
			      enum doca_ctx_states next)
{
	(void)prev;
	if (next != DOCA_CTX_STATE_IDLE)
		return;
	assert_ok(doca_comch_client_destroy(side->client));
	side->client = NULL;
	side->ctx = NULL;
}

static void a_client_may_be_destroyed_when_it_gets_idle(void **state)
{
	struct pair pair = world_connect(*state, "name");

	pair.client->on_state = destroy_when_idle;
	assert_err(side_stop(pair.client), IN_PROGRESS);
	world_settle(*state);
	assert_null(pair.client->client);
	assert_int_equal(pair.server->disconnects, 1);
}

static void a_client_whose_start_fails_may_be_destroyed(void **state)
{
	struct side *client = world_add_client(*state, HOST_PF0, "name");

	client->on_state = destroy_when_idle;
	assert_err(side_start(client), IN_PROGRESS);
	world_settle(*state);
	assert_null(client->client);
}

static void destroy_after_stop(struct side *side, struct doca_comch_connection *connection,
			       const uint8_t *msg, uint32_t size)
{
	(void)connection;
	(void)msg;
	(void)size;
	assert_err(doca_ctx_stop(side->ctx), IN_PROGRESS);
	assert_err(doca_comch_client_destroy(side->client), IN_USE);
}

static void stop_in_a_receive_callback_discards_the_rest(void **state)
{
	struct pair pair = world_connect(*state, "name");

	pair.client->on_message = destroy_after_stop;
	assert_ok(side_send(pair.server, "one", 3));
	assert_ok(side_send(pair.server, "two", 3));
	world_settle(*state);
	assert_int_equal(pair.client->messages, 1);
	assert_int_equal(side_state(pair.client), DOCA_CTX_STATE_IDLE);
}

static void send_when_running(struct side *side, enum doca_ctx_states prev,
			      enum doca_ctx_states next)
{
	(void)prev;
	if (next == DOCA_CTX_STATE_RUNNING)
		assert_ok(side_send(side, "first", 5));
}

static void a_client_may_send_when_it_gets_running(void **state)
{
	struct world *world = *state;
	struct side *server = world_add_server(world, HOST_PF0, "name");
	struct side *client = world_add_client(world, HOST_PF0, "name");

	client->on_state = send_when_running;
	side_run(server);
	side_run(client);
	assert_int_equal(server->messages, 1);
	assert_int_equal(client->sent, 1);
}

static void stop_when_running(struct side *side, enum doca_ctx_states prev,
			      enum doca_ctx_states next)
{
	send_when_running(side, prev, next);
	if (next == DOCA_CTX_STATE_RUNNING)
		assert_err(doca_ctx_stop(side->ctx), IN_PROGRESS);
}

static void a_client_may_stop_when_it_gets_running(void **state)
{
	struct world *world = *state;
	struct side *server = world_add_server(world, HOST_PF0, "name");
	struct side *client = world_add_client(world, HOST_PF0, "name");

	client->on_state = stop_when_running;
	side_run(server);
	assert_err(side_start(client), IN_PROGRESS);
	world_settle(world);
	assert_int_equal(side_state(client), DOCA_CTX_STATE_IDLE);
	assert_int_equal(server->messages, 1);
	assert_int_equal(server->disconnects, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(create_checks_its_arguments),
		TEST(a_client_keeps_its_device_open),
		TEST(destroy_needs_idle),
		TEST(setters_check_their_arguments),
		TEST(setters_need_idle),
		TEST(getters_work_in_every_state),
		TEST(getters_check_their_arguments),
		TEST(start_needs_a_complete_configuration),
		TEST(a_client_needs_a_device_of_the_host),
		TEST(start_is_told_by_states),
		TEST(without_a_server_start_fails_fast),
		TEST(a_failed_start_can_be_repeated),
		TEST(a_failed_start_can_be_repeated_in_the_callback),
		TEST(the_connection_is_there_from_running_on),
		TEST(whoever_loses_its_server_finds_its_connection),
		TEST(stop_while_connecting_is_done_at_once),
		TEST(stop_ends_the_connection_on_both_sides),
		TEST(the_loss_of_the_server_stops_the_client),
		TEST(a_client_runs_again),
		TEST(idle_waits_for_the_programs_tasks),
		TEST(a_client_may_be_destroyed_when_it_gets_idle),
		TEST(a_client_whose_start_fails_may_be_destroyed),
		TEST(stop_in_a_receive_callback_discards_the_rest),
		TEST(a_client_may_send_when_it_gets_running),
		TEST(a_client_may_stop_when_it_gets_running),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
