/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Children of fork(): whatever they do with what they inherit, their parent's connections go on.
 * Over real sockets: a simulated link has no second process. A child's exit status says which step
 * was wrong.
 */
#include "test.h"

#include "child.h"
#include "valgrind.h"
#include "world.h"

static void check(bool ok, int step)
{
	if (!ok)
		_exit(step);
}

static void clean_up(struct side *side)
{
	check(side_state(side) == DOCA_CTX_STATE_IDLE, 1);
	check(!doca_pe_progress(side->pe), 2);
	check(doca_pe_request_notification(side->pe) == DOCA_ERROR_BAD_STATE, 3);
	check(doca_ctx_start(side->ctx) == DOCA_ERROR_NOT_CONNECTED, 4);
	check(!doca_ctx_stop(side->ctx), 5);
	check(doca_pe_destroy(side->pe) == DOCA_ERROR_IN_USE, 6);
	if (side->server)
		check(!doca_comch_server_destroy(side->server), 7);
	else
		check(!doca_comch_client_destroy(side->client), 8);
	check(!doca_pe_destroy(side->pe), 9);
}

static void clean_up_pair(struct child *parent, void *arg)
{
	struct pair *pair = arg;
	struct doca_comch_connection *connection = pair->server->connection;
	struct doca_comch_task_send *task;

	(void)parent;
	check(doca_comch_server_disconnect(pair->server->server, connection) ==
		      DOCA_ERROR_INVALID_VALUE,
	      20);
	check(doca_comch_server_task_send_alloc_init(pair->server->server, connection, "x", 1,
						     &task) != DOCA_SUCCESS,
	      21);
	clean_up(pair->client);
	clean_up(pair->server);
}

static void a_child_that_cleans_up_hurts_nobody(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, world_unique("name"));
	struct child child;

	if (runs_under_valgrind()) /* which counts what the child leaves to the kernel */
		skip();
	assert_ok(side_send(pair.client, "before", 6)); /* and not received yet */
	child = child_start(clean_up_pair, &pair);
	assert_int_equal(child_join(&child), 0);
	assert_ok(side_send(pair.client, "after", 5));
	world_settle(world);
	assert_int_equal(pair.server->messages, 2);
	assert_int_equal(pair.client->sent, 2);
	assert_int_equal(pair.server->disconnects, 0);
	assert_int_equal(side_state(pair.client), DOCA_CTX_STATE_RUNNING);
}

static void clean_up_one(struct child *parent, void *arg)
{
	(void)parent;
	clean_up(arg);
}

static void a_client_that_connects_goes_on(void **state)
{
	struct world *world = *state;
	struct side *server = world_add_server(world, HOST_PF0, world_unique("name"));
	struct side *client = world_add_client(world, HOST_PF0, world_unique("name"));
	struct child child;

	if (runs_under_valgrind())
		skip();
	side_run(server);
	assert_err(side_start(client), IN_PROGRESS);
	child = child_start(clean_up_one, client);
	assert_int_equal(child_join(&child), 0);
	world_settle(world);
	assert_int_equal(side_state(client), DOCA_CTX_STATE_RUNNING);
	assert_int_equal(server->connects, 1);
}

static bool is_child;

static void fork_once(struct side *side, struct doca_comch_connection *connection,
		      const uint8_t *msg, uint32_t size)
{
	pid_t pid;
	int status;

	(void)connection;
	(void)msg;
	(void)size;
	if (side->messages > 1)
		return;
	pid = fork();
	if (!pid) {
		is_child = true; /* and goes back into doca_pe_progress() */
		return;
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_child_of_a_callback_is_told_nothing_more(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, world_unique("name"));
	unsigned int i;

	pair.server->on_message = fork_once;
	for (i = 0; i < 4; i++)
		assert_ok(side_send(pair.client, "message", 7));
	side_settle(pair.server);
	if (is_child) {
		check(pair.server->messages == 1, 30);
		clean_up(pair.server);
		_exit(0);
	}
	world_settle(world);
	assert_int_equal(pair.server->messages, 4);
	assert_int_equal(pair.client->sent, 4);
}

static void connect_and_talk(struct child *parent, void *arg)
{
	struct world *world = arg;
	struct side *server = &world->sides[0], *client = &world->sides[1];

	(void)parent;
	side_run(server);
	side_run(client);
	check(!side_send(client, "mine", 4), 40);
	world_settle(world);
	check(server->messages == 1, 41);
	check(side_stop(client) == DOCA_ERROR_IN_PROGRESS, 42);
	world_settle(world);
	check(!side_stop(server), 43);
}

static void what_was_not_started_is_the_childs_to_use(void **state)
{
	struct world *world = *state;
	struct child child;

	world_add_server(world, HOST_PF0, world_unique("name"));
	world_add_client(world, HOST_PF0, world_unique("name"));
	child = child_start(connect_and_talk, world);
	assert_int_equal(child_join(&child), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_setup_shm, world_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_child_that_cleans_up_hurts_nobody),
		TEST(a_client_that_connects_goes_on),
		TEST(a_child_of_a_callback_is_told_nothing_more),
		TEST(what_was_not_started_is_the_childs_to_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
