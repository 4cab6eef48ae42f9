/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doca_comch_server: who gets in under which name, what is told, how it ends.
 *
 * Long because every promise is a small test of its own.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include "world.h"

/*
 * Names: unique for each representor
 */

static void a_name_is_taken_once(void **state)
{
	struct world *world = *state;
	struct side *first = world_add_server(world, HOST_PF0, "name");
	struct side *second = world_add_server(world, HOST_PF0, "name");

	side_run(first);
	assert_err(side_start(second), IN_USE);
	assert_int_equal(side_state(second), DOCA_CTX_STATE_IDLE);
	assert_int_equal(second->state_count, 0);
	assert_ok(side_stop(first));
	side_run(second);
}

static void another_representor_is_another_name_space(void **state)
{
	struct world *world = *state;

	side_run(world_add_server(world, HOST_PF0, "name"));
	side_run(world_add_server(world, HOST_VF0, "name"));
	side_run(world_add_server(world, HOST_PF1, "name"));
	side_run(world_add_server(world, HOST_PF0, "other"));
}

/* a scalable function has the address of its parent */
static struct side *add_sf_server(struct world *world, const char *name)
{
	struct side *side = world_add_server(world, HOST_PF0, name);
	struct doca_devinfo_rep **list;
	uint32_t count, i;

	assert_ok(doca_comch_server_destroy(side->server));
	assert_ok(doca_dev_rep_close(side->rep));
	assert_ok(doca_devinfo_rep_create_list(side->dev, DOCA_DEVINFO_REP_FILTER_ALL, &list,
					       &count));
	for (i = 0; i < count; i++) {
		enum doca_pci_func_type type;

		assert_ok(doca_devinfo_rep_get_pci_func_type(list[i], &type));
		if (type == DOCA_PCI_FUNC_TYPE_SF)
			assert_ok(doca_dev_rep_open(list[i], &side->rep));
	}
	assert_ok(doca_devinfo_rep_destroy_list(list));
	world_set_up_server(side, name);
	return side;
}

static void a_scalable_function_is_not_its_parent(void **state)
{
	struct world *world = *state;
	struct side *sf = add_sf_server(world, "name");
	struct side *pf = world_add_server(world, HOST_PF0, "name");
	struct side *client = world_add_client(world, HOST_PF0, "name");

	side_run(sf);
	side_run(pf);
	side_run(client);
	assert_int_equal(sf->connects, 0);
	assert_int_equal(pf->connects, 1);
}

static void only_the_representors_function_gets_in(void **state)
{
	struct world *world = *state;
	struct side *server = world_add_server(world, HOST_PF0, "name");
	struct side *client = world_add_client(world, HOST_VF0, "name");

	side_run(server);
	assert_err(side_start(client), IN_PROGRESS);
	world_settle(world);
	assert_int_equal(side_state(client), DOCA_CTX_STATE_IDLE);
	assert_int_equal(server->connects + server->refusals, 0);
}

/*
 * Clients that are refused
 */

static void another_message_size_is_refused(void **state)
{
	struct world *world = *state;
	struct side *server = world_add_server(world, HOST_PF0, "name");
	struct side *client = world_add_client(world, HOST_PF0, "name");

	assert_ok(doca_comch_client_set_max_msg_size(client->client, 1024));
	side_run(server);
	assert_err(side_start(client), IN_PROGRESS);
	world_settle(world);
	assert_int_equal(side_state(client), DOCA_CTX_STATE_IDLE);
	assert_int_equal(client->state_count, 2);
	assert_int_equal(client->states[0], DOCA_CTX_STATE_STARTING);
	assert_int_equal(server->refusals, 1);
	assert_int_equal(server->connects, 0);
	assert_int_equal(server->disconnects, 0);
}

static void a_full_server_refuses_until_somebody_goes(void **state)
{
	struct world *world = *state;
	struct side *server = world_add_server(world, HOST_PF0, "name");
	struct side *clients[4];
	unsigned int i;

	side_run(server);
	for (i = 0; i < 4; i++)
		clients[i] = world_add_client(world, HOST_PF0, "name");
	for (i = 0; i < 3; i++) /* comch_max_clients, see main() */
		side_run(clients[i]);
	assert_err(side_start(clients[3]), IN_PROGRESS);
	world_settle(world);
	assert_int_equal(side_state(clients[3]), DOCA_CTX_STATE_IDLE);
	assert_int_equal(server->refusals, 1);
	side_stop(clients[1]);
	world_settle(world);
	side_run(clients[3]);
	assert_int_equal(server->connects, 4);
}

/*
 * Create and destroy, configuration
 */

static void create_checks_its_arguments(void **state)
{
	struct doca_dev *dev = open_dev(DPU_PF0), *other = open_dev(DPU_PF1);
	struct doca_dev_rep *rep = open_rep(dev, HOST_PF0);
	struct doca_comch_server *server = NULL;
	char name[200];

	(void)state;
	assert_err(doca_comch_server_create(NULL, rep, "name", &server), INVALID_VALUE);
	assert_err(doca_comch_server_create(dev, NULL, "name", &server), INVALID_VALUE);
	assert_err(doca_comch_server_create(dev, rep, NULL, &server), INVALID_VALUE);
	assert_err(doca_comch_server_create(dev, rep, "name", NULL), INVALID_VALUE);
	assert_err(doca_comch_server_create(dev, rep, "", &server), INVALID_VALUE);
	assert_err(doca_comch_server_create(other, rep, "name", &server), INVALID_VALUE);
	memset(name, 'n', sizeof(name));
	name[120] = '\0'; /* 121 bytes with its NUL */
	assert_err(doca_comch_server_create(dev, rep, name, &server), INVALID_VALUE);
	assert_null(server);
	name[119] = '\0';
	assert_ok(doca_comch_server_create(dev, rep, name, &server));
	assert_err(doca_dev_rep_close(rep), IN_USE);
	assert_err(doca_dev_close(dev), IN_USE);
	assert_ok(doca_comch_server_destroy(server));
	assert_err(doca_comch_server_destroy(NULL), INVALID_VALUE);
	assert_ok(doca_dev_rep_close(rep));
	assert_ok(doca_dev_close(dev));
	assert_ok(doca_dev_close(other));
}

static void destroy_needs_idle(void **state)
{
	struct pair pair = world_connect(*state, "name");

	assert_err(doca_comch_server_destroy(pair.server->server), IN_USE);
	assert_err(side_stop(pair.server), IN_PROGRESS);
	assert_err(doca_comch_server_destroy(pair.server->server), IN_USE);
	world_settle(*state);
	side_destroy(pair.server);
}

static void ignore_change(struct doca_comch_event_connection_status_changed *event,
			  struct doca_comch_connection *connection, uint8_t successful)
{
	(void)event;
	(void)connection;
	(void)successful;
}

static void setters_check_their_arguments(void **state)
{
	struct side *side = world_add_server(*state, HOST_PF0, "name");
	struct doca_comch_server *server = side->server;
	uint32_t max_msg, max_queue;

	assert_ok(doca_comch_cap_get_max_msg_size(doca_dev_as_devinfo(side->dev), &max_msg));
	assert_ok(
		doca_comch_cap_get_max_recv_queue_size(doca_dev_as_devinfo(side->dev), &max_queue));
	assert_err(doca_comch_server_set_max_msg_size(NULL, 1), INVALID_VALUE);
	assert_err(doca_comch_server_set_max_msg_size(server, 0), INVALID_VALUE);
	assert_err(doca_comch_server_set_max_msg_size(server, max_msg + 1), INVALID_VALUE);
	assert_ok(doca_comch_server_set_max_msg_size(server, max_msg));
	assert_err(doca_comch_server_set_recv_queue_size(NULL, 1), INVALID_VALUE);
	assert_err(doca_comch_server_set_recv_queue_size(server, 0), INVALID_VALUE);
	assert_err(doca_comch_server_set_recv_queue_size(server, max_queue + 1), INVALID_VALUE);
	assert_ok(doca_comch_server_set_recv_queue_size(server, max_queue));
	assert_err(doca_comch_server_event_msg_recv_register(NULL, ignore_message), INVALID_VALUE);
	assert_err(doca_comch_server_event_msg_recv_register(server, NULL), INVALID_VALUE);
	assert_err(doca_comch_server_event_connection_status_changed_register(NULL, ignore_change,
									      ignore_change),
		   INVALID_VALUE);
	assert_err(doca_comch_server_event_connection_status_changed_register(server, NULL,
									      ignore_change),
		   INVALID_VALUE);
	assert_err(doca_comch_server_event_connection_status_changed_register(server, ignore_change,
									      NULL),
		   INVALID_VALUE);
	assert_err(
		doca_comch_server_event_consumer_register(NULL, ignore_consumer, ignore_consumer),
		INVALID_VALUE);
	assert_err(doca_comch_server_event_consumer_register(server, NULL, ignore_consumer),
		   INVALID_VALUE);
	assert_err(doca_comch_server_event_consumer_register(server, ignore_consumer, NULL),
		   INVALID_VALUE);
	assert_ok(doca_comch_server_event_consumer_register(server, ignore_consumer,
							    ignore_consumer));
}

static void setters_need_idle(void **state)
{
	struct side *side = world_add_server(*state, HOST_PF0, "name");
	struct doca_comch_server *server = side->server;

	side_run(side);
	assert_err(doca_comch_server_set_max_msg_size(server, 64), BAD_STATE);
	assert_err(doca_comch_server_set_recv_queue_size(server, 64), BAD_STATE);
	assert_err(doca_comch_server_event_msg_recv_register(server, ignore_message), BAD_STATE);
	assert_err(doca_comch_server_event_connection_status_changed_register(server, ignore_change,
									      ignore_change),
		   BAD_STATE);
	assert_err(
		doca_comch_server_event_consumer_register(server, ignore_consumer, ignore_consumer),
		BAD_STATE);
	assert_ok(side_stop(side));
	assert_ok(doca_comch_server_set_recv_queue_size(server, 64));
}

static void getters_tell_what_was_set(void **state)
{
	struct side *side = world_add_server(*state, HOST_PF0, "name");
	struct doca_dev_rep *rep = NULL;
	struct doca_dev *dev = NULL;
	uint32_t size;

	assert_ok(doca_comch_server_set_max_msg_size(side->server, 1000));
	assert_ok(doca_comch_server_set_recv_queue_size(side->server, 77));
	side_run(side);
	assert_ok(doca_comch_server_get_max_msg_size(side->server, &size));
	assert_int_equal(size, 1000);
	assert_ok(doca_comch_server_get_recv_queue_size(side->server, &size));
	assert_int_equal(size, 77);
	assert_ok(doca_comch_server_get_device(side->server, &dev));
	assert_ptr_equal(dev, side->dev);
	assert_ok(doca_comch_server_get_device_rep(side->server, &rep));
	assert_ptr_equal(rep, side->rep);
	rep = NULL;
	assert_ok(doca_comch_server_get_device_repr(side->server, &rep));
	assert_ptr_equal(rep, side->rep);
	assert_err(doca_comch_server_get_max_msg_size(NULL, &size), INVALID_VALUE);
	assert_err(doca_comch_server_get_max_msg_size(side->server, NULL), INVALID_VALUE);
	assert_err(doca_comch_server_get_recv_queue_size(NULL, &size), INVALID_VALUE);
	assert_err(doca_comch_server_get_recv_queue_size(side->server, NULL), INVALID_VALUE);
	assert_err(doca_comch_server_get_device(NULL, &dev), INVALID_VALUE);
	assert_err(doca_comch_server_get_device(side->server, NULL), INVALID_VALUE);
	assert_err(doca_comch_server_get_device_rep(NULL, &rep), INVALID_VALUE);
	assert_err(doca_comch_server_get_device_rep(side->server, NULL), INVALID_VALUE);
	assert_null(doca_comch_server_as_ctx(NULL));
}

static void start_needs_a_complete_configuration(void **state)
{
	struct doca_dev *dev = open_dev(DPU_PF0);
	struct doca_dev_rep *rep = open_rep(dev, HOST_PF0);
	struct doca_comch_server *server;
	struct doca_ctx *ctx;
	struct doca_pe *pe;

	(void)state;
	assert_ok(doca_comch_server_create(dev, rep, "name", &server));
	ctx = doca_comch_server_as_ctx(server);
	assert_err(doca_ctx_start(ctx), NOT_CONNECTED); /* no progress engine */
	assert_ok(doca_pe_create(&pe));
	assert_ok(doca_pe_connect_ctx(pe, ctx));
	assert_err(doca_ctx_start(ctx), BAD_STATE);
	assert_ok(doca_comch_server_event_connection_status_changed_register(server, ignore_change,
									     ignore_change));
	assert_err(doca_ctx_start(ctx), BAD_STATE);
	assert_ok(doca_comch_server_event_msg_recv_register(server, ignore_message));
	assert_err(doca_ctx_start(ctx), BAD_STATE); /* no send task */
	assert_ok(doca_comch_server_destroy(server));
	assert_ok(doca_pe_destroy(pe));
	assert_ok(doca_dev_rep_close(rep));
	assert_ok(doca_dev_close(dev));
}

static void start_needs_the_connection_event(void **state)
{
	struct side *side = world_add_server(*state, HOST_PF0, "name");
	doca_comch_task_send_completion_cb_t never =
		(doca_comch_task_send_completion_cb_t)(uintptr_t)1;

	assert_ok(doca_comch_server_destroy(side->server));
	assert_ok(doca_comch_server_create(side->dev, side->rep, "name", &side->server));
	side->ctx = doca_comch_server_as_ctx(side->server);
	assert_ok(doca_pe_connect_ctx(side->pe, side->ctx));
	assert_ok(doca_comch_server_event_msg_recv_register(side->server, ignore_message));
	assert_ok(doca_comch_server_task_send_set_conf(side->server, never, never, 1));
	assert_err(side_start(side), BAD_STATE);
}

/*
 * Connections
 */

static void clients_are_told_apart(void **state)
{
	struct world *world = *state;
	struct side *server = world_add_server(world, HOST_PF0, "name");
	struct doca_comch_connection *connections[3];
	struct side *clients[3];
	unsigned int i;

	side_run(server);
	for (i = 0; i < 3; i++) {
		clients[i] = world_add_client(world, HOST_PF0, "name");
		side_run(clients[i]);
		connections[i] = server->connection;
		assert_ptr_equal(doca_comch_server_get_server_ctx(connections[i]), server->server);
		assert_null(doca_comch_client_get_client_ctx(connections[i]));
	}
	assert_int_equal(server->connects, 3);
	assert_ok(side_send_to(server, connections[1], "second", 6));
	world_settle(world);
	assert_int_equal(clients[0]->messages, 0);
	assert_int_equal(clients[1]->messages, 1);
	assert_int_equal(clients[2]->messages, 0);
}

static void disconnect_checks_its_arguments(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, "name");
	struct side *other = world_add_server(world, HOST_PF0, "other");
	struct doca_comch_connection *there = side_connection(pair.server);

	assert_err(doca_comch_server_disconnect(NULL, there), INVALID_VALUE);
	assert_err(doca_comch_server_disconnect(pair.server->server, NULL), INVALID_VALUE);
	assert_err(doca_comch_server_disconnect(other->server, there), INVALID_VALUE);
	assert_err(doca_comch_server_disconnect(pair.server->server, side_connection(pair.client)),
		   INVALID_VALUE);
	assert_ok(doca_comch_server_disconnect(pair.server->server, there));
	assert_err(doca_comch_server_disconnect(pair.server->server, there), INVALID_VALUE);
	world_settle(world);
	assert_int_equal(pair.server->disconnects, 1);
	assert_int_equal(side_state(pair.client), DOCA_CTX_STATE_IDLE);
	assert_int_equal(side_state(pair.server), DOCA_CTX_STATE_RUNNING);
}

static void throw_out(struct side *side, struct doca_comch_connection *connection, bool ok)
{
	assert_true(ok);
	assert_ok(doca_comch_server_disconnect(side->server, connection));
}

static void the_connect_callback_may_refuse(void **state)
{
	struct world *world = *state;
	struct side *server = world_add_server(world, HOST_PF0, "name");
	struct side *client = world_add_client(world, HOST_PF0, "name");

	server->on_connect = throw_out;
	side_run(server);
	assert_err(side_start(client), IN_PROGRESS);
	world_settle(world);
	assert_int_equal(server->connects, 1);
	assert_int_equal(server->disconnects, 1);
	assert_int_equal(side_state(client), DOCA_CTX_STATE_IDLE);
}

static void greet(struct side *side, struct doca_comch_connection *connection, bool ok)
{
	assert_true(ok);
	assert_ok(side_send_to(side, connection, "welcome", 7));
}

static void the_connect_callback_may_send(void **state)
{
	struct world *world = *state;
	struct side *server = world_add_server(world, HOST_PF0, "name");
	struct side *client = world_add_client(world, HOST_PF0, "name");

	server->on_connect = greet;
	side_run(server);
	side_run(client);
	assert_int_equal(client->messages, 1);
	assert_memory_equal(client->message, "welcome", 7);
}

static void the_loss_of_a_client_is_told_once(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, "name");
	struct side *other = world_add_client(world, HOST_PF0, "name");

	side_run(other);
	sim_kill(&world->sim, &pair.client->party);
	side_settle(pair.server);
	assert_int_equal(pair.server->disconnects, 1);
	assert_ok(side_send(other, "still here", 10));
	world_settle(world);
	assert_int_equal(pair.server->messages, 1);
}

static void send_in_disconnect(struct side *side, struct doca_comch_connection *connection)
{
	struct doca_task *task;

	assert_err(side_alloc(side, connection, "x", 1, &task), INVALID_VALUE);
	assert_err(doca_comch_server_disconnect(side->server, connection), INVALID_VALUE);
	assert_err(doca_comch_connection_update_info(connection), CONNECTION_ABORTED);
	assert_ptr_equal(doca_comch_server_get_server_ctx(connection), side->server);
}

static void a_lost_connection_can_only_be_looked_at(void **state)
{
	struct pair pair = world_connect(*state, "name");

	pair.server->on_disconnect = send_in_disconnect;
	side_stop(pair.client);
	world_settle(*state);
	assert_int_equal(pair.server->disconnects, 1);
}

/*
 * Stop
 */

static void without_clients_stop_is_done_at_once(void **state)
{
	struct side *side = world_add_server(*state, HOST_PF0, "name");

	assert_ok(side_stop(side)); /* there is nothing to do */
	assert_int_equal(side->state_count, 0);
	side_run(side);
	assert_int_equal(side->state_count, 1);
	assert_ok(side_stop(side));
	assert_int_equal(side->state_count, 2);
	assert_int_equal(side->states[1], DOCA_CTX_STATE_IDLE);
}

static void stop_disconnects_every_client(void **state)
{
	struct world *world = *state;
	struct side *server = world_add_server(world, HOST_PF0, "name");
	struct side *clients[3];
	unsigned int i;

	side_run(server);
	for (i = 0; i < 3; i++) {
		clients[i] = world_add_client(world, HOST_PF0, "name");
		side_run(clients[i]);
	}
	assert_err(side_stop(server), IN_PROGRESS);
	assert_int_equal(side_state(server), DOCA_CTX_STATE_STOPPING);
	assert_err(side_stop(server), IN_PROGRESS);
	world_settle(world);
	assert_int_equal(side_state(server), DOCA_CTX_STATE_IDLE);
	assert_int_equal(server->disconnects, 3);
	for (i = 0; i < 3; i++)
		assert_int_equal(side_state(clients[i]), DOCA_CTX_STATE_IDLE);
}

static void a_stopping_server_takes_nobody(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, "name");
	struct side *late = world_add_client(world, HOST_PF0, "name");

	assert_err(side_start(late), IN_PROGRESS); /* has called, and is not let in yet */
	assert_err(side_stop(pair.server), IN_PROGRESS);
	world_settle(world);
	assert_int_equal(side_state(late), DOCA_CTX_STATE_IDLE);
	assert_int_equal(pair.server->connects, 1);
}

static void both_sides_may_stop_at_once(void **state)
{
	struct pair pair = world_connect(*state, "name");

	assert_err(side_stop(pair.server), IN_PROGRESS);
	assert_err(side_stop(pair.client), IN_PROGRESS);
	world_settle(*state);
	assert_int_equal(side_state(pair.server), DOCA_CTX_STATE_IDLE);
	assert_int_equal(side_state(pair.client), DOCA_CTX_STATE_IDLE);
	assert_int_equal(pair.server->disconnects, 1);
}

static void a_server_runs_again(void **state)
{
	struct pair pair = world_connect(*state, "name");
	unsigned int i;

	for (i = 0; i < 3; i++) {
		side_stop(pair.server);
		world_settle(*state);
		side_run(pair.server);
		side_run(pair.client);
		assert_ok(side_send(pair.server, "again", 5));
		world_settle(*state);
		assert_int_equal(pair.client->messages, i + 1);
	}
}

static void echo_and_stop(struct side *side, struct doca_comch_connection *connection,
			  const uint8_t *msg, uint32_t size)
{
	(void)msg;
	assert_ok(side_send_to(side, connection, "echo", size));
	assert_err(doca_ctx_stop(side->ctx), IN_PROGRESS);
}

static void an_echo_sent_before_stop_in_a_callback_arrives(void **state)
{
	struct pair pair = world_connect(*state, "name");

	pair.server->on_message = echo_and_stop;
	assert_ok(side_send(pair.client, "stop", 4));
	world_settle(*state);
	assert_int_equal(pair.client->messages, 1);
	assert_memory_equal(pair.client->message, "echo", 4);
	assert_int_equal(pair.server->sent, 1);
	assert_int_equal(side_state(pair.server), DOCA_CTX_STATE_IDLE);
	assert_int_equal(side_state(pair.client), DOCA_CTX_STATE_IDLE);
}

static void stop_it(struct side *side, struct doca_comch_connection *connection)
{
	(void)connection;
	doca_ctx_stop(side->ctx);
}

static void the_disconnect_callback_may_stop(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, "name");
	struct side *other = world_add_client(world, HOST_PF0, "name");

	side_run(other);
	pair.server->on_disconnect = stop_it;
	side_stop(pair.client);
	world_settle(world);
	assert_int_equal(pair.server->disconnects, 2);
	assert_int_equal(side_state(pair.server), DOCA_CTX_STATE_IDLE);
	assert_int_equal(side_state(other), DOCA_CTX_STATE_IDLE);
}

static void destroy_when_idle(struct side *side, enum doca_ctx_states prev,
			      enum doca_ctx_states next)
{
	(void)prev;
	if (next != DOCA_CTX_STATE_IDLE)
		return;
	assert_ok(doca_comch_server_destroy(side->server));
	side->server = NULL;
	side->ctx = NULL;
}

static void the_last_disconnect_callback_may_stop_and_destroy(void **state)
{
	struct pair pair = world_connect(*state, "name");

	pair.server->on_disconnect = stop_it;
	pair.server->on_state = destroy_when_idle;
	side_stop(pair.client);
	world_settle(*state);
	assert_null(pair.server->server);
}

static void start_when_idle(struct side *side, enum doca_ctx_states prev, enum doca_ctx_states next)
{
	(void)prev;
	if (next == DOCA_CTX_STATE_IDLE)
		assert_ok(doca_ctx_start(side->ctx));
}

static void the_last_disconnect_callback_may_stop_and_start_again(void **state)
{
	struct pair pair = world_connect(*state, "name");

	pair.server->on_disconnect = stop_it;
	pair.server->on_state = start_when_idle;
	side_stop(pair.client);
	world_settle(*state);
	assert_int_equal(side_state(pair.server), DOCA_CTX_STATE_RUNNING);
	side_run(pair.client);
	assert_int_equal(pair.server->connects, 2);
}

static void a_server_needs_a_device_of_the_dpu(void **state)
{
	struct world *world = *state;
	struct side *server = world_add_server(world, HOST_PF0, "name");
	struct doca_dev *host = open_dev(HOST_PF0);
	struct doca_devinfo_rep **list;
	uint32_t count;

	/* One cannot even get hold of a representor there. */
	assert_err(doca_devinfo_rep_create_list(host, DOCA_DEVINFO_REP_FILTER_ALL, &list, &count),
		   NOT_SUPPORTED);
	assert_err(doca_comch_server_create(host, server->rep, "name",
					    &(struct doca_comch_server *){NULL}),
		   INVALID_VALUE);
	assert_ok(doca_dev_close(host));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_name_is_taken_once),
		TEST(another_representor_is_another_name_space),
		TEST(a_scalable_function_is_not_its_parent),
		TEST(only_the_representors_function_gets_in),
		TEST(another_message_size_is_refused),
		TEST(a_full_server_refuses_until_somebody_goes),
		TEST(create_checks_its_arguments),
		TEST(destroy_needs_idle),
		TEST(setters_check_their_arguments),
		TEST(setters_need_idle),
		TEST(getters_tell_what_was_set),
		TEST(start_needs_a_complete_configuration),
		TEST(start_needs_the_connection_event),
		TEST(clients_are_told_apart),
		TEST(disconnect_checks_its_arguments),
		TEST(the_connect_callback_may_refuse),
		TEST(the_connect_callback_may_send),
		TEST(the_loss_of_a_client_is_told_once),
		TEST(a_lost_connection_can_only_be_looked_at),
		TEST(without_clients_stop_is_done_at_once),
		TEST(stop_disconnects_every_client),
		TEST(a_stopping_server_takes_nobody),
		TEST(both_sides_may_stop_at_once),
		TEST(a_server_runs_again),
		TEST(an_echo_sent_before_stop_in_a_callback_arrives),
		TEST(the_disconnect_callback_may_stop),
		TEST(the_last_disconnect_callback_may_stop_and_destroy),
		TEST(the_last_disconnect_callback_may_stop_and_start_again),
		TEST(a_server_needs_a_device_of_the_dpu),
	};

	setenv("SOFTFIELD_LIMITS", "comch_max_clients=3", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
