/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections by the names of cc.
 */
#include "cctest.h"

static struct doca_cc_connection *connection_of(struct side *side)
{
	return (struct doca_cc_connection *)side_connection(side);
}

static void user_data_is_kept(void **state)
{
	struct pair pair = world_connect(*state, "cc");
	struct doca_cc_connection *connection = connection_of(pair.client);

	assert_ok(doca_cc_connection_set_user_data(connection, (union doca_data){.u64 = 17}));
	assert_int_equal(doca_cc_connection_get_user_data(connection).u64, 17);
	assert_err(doca_cc_connection_set_user_data(NULL, (union doca_data){0}), INVALID_VALUE);
}

static uint64_t count(const struct doca_cc_connection *connection, enum doca_cc_counter counter)
{
	uint64_t value = UINT64_MAX;

	assert_ok(doca_cc_connection_get_counter(connection, counter, &value));
	return value;
}

/* Each kind has a number of its own. */
static void counters_count(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, "cc");
	struct doca_cc_connection *connection = connection_of(pair.client);

	assert_ok(side_send(pair.client, "abc", 3));
	assert_ok(side_send(pair.client, "de", 2));
	world_settle(world);
	assert_ok(side_send(pair.server, "answer", 6));
	world_settle(world);
	assert_ok(doca_cc_connection_update_info(connection));
	assert_int_equal(count(connection, DOCA_CC_COUNTER_SENT_MESSAGES), 2);
	assert_int_equal(count(connection, DOCA_CC_COUNTER_SENT_BYTES), 5);
	assert_int_equal(count(connection, DOCA_CC_COUNTER_RECV_MESSAGES), 1);
	assert_int_equal(count(connection, DOCA_CC_COUNTER_RECV_BYTES), 6);
	assert_err(doca_cc_connection_update_info(NULL), INVALID_VALUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(user_data_is_kept, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(counters_count, world_setup, world_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
