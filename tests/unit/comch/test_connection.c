/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doca_comch_connection: user data, whose it is, counters.
 */
#include "test.h"

#include "world.h"

static void user_data_is_zero_until_set(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, "name");
	struct doca_comch_connection *connection = side_connection(pair.server);

	assert_int_equal(doca_comch_connection_get_user_data(connection).u64, 0);
	assert_ok(doca_comch_connection_set_user_data(connection, (union doca_data){.u64 = 42}));
	assert_int_equal(doca_comch_connection_get_user_data(connection).u64, 42);
	assert_int_equal(doca_comch_connection_get_user_data(side_connection(pair.client)).u64, 0);
	/* The next client starts anew, whatever memory serves it. */
	side_stop(pair.client);
	world_settle(world);
	side_run(pair.client);
	assert_int_equal(doca_comch_connection_get_user_data(side_connection(pair.server)).u64, 0);
}

static void keep_user_data(struct side *side, struct doca_comch_connection *connection)
{
	side->arg = doca_comch_connection_get_user_data(connection).ptr;
}

static void user_data_is_there_in_the_disconnect_callback(void **state)
{
	struct pair pair = world_connect(*state, "name");

	pair.server->on_disconnect = keep_user_data;
	assert_ok(doca_comch_connection_set_user_data(side_connection(pair.server),
						      (union doca_data){.ptr = &pair}));
	side_stop(pair.client);
	world_settle(*state);
	assert_ptr_equal(pair.server->arg, &pair);
}

static void null_is_answered(void **state)
{
	struct pair pair = world_connect(*state, "name");
	struct doca_comch_connection *connection = side_connection(pair.client);
	uint64_t value;

	assert_err(doca_comch_connection_set_user_data(NULL, (union doca_data){0}), INVALID_VALUE);
	assert_int_equal(doca_comch_connection_get_user_data(NULL).u64, 0);
	assert_null(doca_comch_server_get_server_ctx(NULL));
	assert_null(doca_comch_client_get_client_ctx(NULL));
	assert_err(doca_comch_connection_update_info(NULL), INVALID_VALUE);
	assert_err(doca_comch_connection_get_counter(NULL, DOCA_COMCH_COUNTER_SENT_BYTES, &value),
		   INVALID_VALUE);
	assert_err(
		doca_comch_connection_get_counter(connection, DOCA_COMCH_COUNTER_SENT_BYTES, NULL),
		INVALID_VALUE);
	assert_err(doca_comch_connection_get_counter(connection, 0, &value), INVALID_VALUE);
	assert_err(doca_comch_connection_get_counter(connection, 5, &value), INVALID_VALUE);
}

static void check_counters(const struct doca_comch_connection *connection, uint64_t sent,
			   uint64_t sent_bytes, uint64_t received, uint64_t received_bytes)
{
	const struct {
		enum doca_comch_counter counter;
		uint64_t value;
	} expected[] = {
		{DOCA_COMCH_COUNTER_SENT_MESSAGES, sent},
		{DOCA_COMCH_COUNTER_SENT_BYTES, sent_bytes},
		{DOCA_COMCH_COUNTER_RECV_MESSAGES, received},
		{DOCA_COMCH_COUNTER_RECV_BYTES, received_bytes},
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		uint64_t value = UINT64_MAX;

		assert_ok(
			doca_comch_connection_get_counter(connection, expected[i].counter, &value));
		assert_int_equal(value, expected[i].value);
	}
}

static void counters_are_a_snapshot(void **state)
{
	struct pair pair = world_connect(*state, "name");
	struct doca_comch_connection *here = side_connection(pair.client);
	struct doca_comch_connection *there = side_connection(pair.server);

	assert_ok(side_send(pair.client, "four", 4));
	assert_ok(side_send(pair.client, "six six", 6));
	assert_ok(side_send(pair.server, "x", 1));
	world_settle(*state);
	check_counters(here, 0, 0, 0, 0);
	assert_ok(doca_comch_connection_update_info(here));
	assert_ok(doca_comch_connection_update_info(there));
	check_counters(here, 2, 10, 1, 1);
	check_counters(there, 1, 1, 2, 10);
	assert_ok(side_send(pair.client, "more", 4));
	world_settle(*state);
	check_counters(here, 2, 10, 1, 1);
	assert_ok(doca_comch_connection_update_info(here));
	check_counters(here, 3, 14, 1, 1);
}

static void update_info_tells_the_state(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, "name");
	struct doca_comch_connection *here = side_connection(pair.client);

	assert_ok(doca_comch_connection_update_info(here));
	side_stop(pair.client);
	assert_err(doca_comch_connection_update_info(here), CONNECTION_ABORTED);
	world_settle(world);
	assert_err(doca_comch_connection_update_info(here), CONNECTION_ABORTED);
	assert_err(side_start(pair.client), IN_PROGRESS);
	assert_err(doca_comch_connection_update_info(here), CONNECTION_INPROGRESS);
	world_settle(world);
	assert_ok(doca_comch_connection_update_info(here));
	check_counters(here, 0, 0, 0, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(user_data_is_zero_until_set),
		TEST(user_data_is_there_in_the_disconnect_callback),
		TEST(null_is_answered),
		TEST(counters_are_a_snapshot),
		TEST(update_info_tells_the_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
