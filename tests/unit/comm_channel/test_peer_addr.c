/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Peers: user data, counters, and what update_info says in which state.
 */
#include "eptest.h"

static void null_is_refused(void **state)
{
	static doca_error_t (*const getters[])(const addr_t *addr, uint64_t *value) = {
		doca_comm_channel_peer_addr_get_send_messages,
		doca_comm_channel_peer_addr_get_send_bytes,
		doca_comm_channel_peer_addr_get_recv_messages,
		doca_comm_channel_peer_addr_get_recv_bytes,
		doca_comm_channel_peer_addr_get_send_in_flight_messages,
	};
	struct doca_comm_channel_peer_addr_info info;
	struct rig *rig = *state;
	uint64_t value;
	size_t i;

	connect_client(rig, 0);
	for (i = 0; i < ARRAY_SIZE(getters); i++) {
		assert_err(getters[i](NULL, &value), INVALID_VALUE);
		assert_err(getters[i](rig->to[0], NULL), INVALID_VALUE);
	}
	assert_err(doca_comm_channel_peer_addr_set_user_data(NULL, 1), INVALID_VALUE);
	assert_err(doca_comm_channel_peer_addr_get_user_data(NULL, &value), INVALID_VALUE);
	assert_err(doca_comm_channel_peer_addr_get_user_data(rig->to[0], NULL), INVALID_VALUE);
	assert_err(doca_comm_channel_peer_addr_user_data_set(NULL, 1), INVALID_VALUE);
	assert_err(doca_comm_channel_peer_addr_user_data_get(NULL, &value), INVALID_VALUE);
	assert_err(doca_comm_channel_peer_addr_update_info(NULL), INVALID_VALUE);
	assert_err(doca_comm_channel_peer_addr_info_get(NULL, &info), INVALID_VALUE);
	assert_err(doca_comm_channel_peer_addr_info_get(rig->to[0], NULL), INVALID_VALUE);
}

static void user_data_is_zero_until_set(void **state)
{
	struct rig *rig = *state;
	uint64_t value = 1;

	add_client(rig, 0);
	assert_ok(doca_comm_channel_peer_addr_get_user_data(rig->from[0], &value));
	assert_int_equal(value, 0);
	assert_ok(doca_comm_channel_peer_addr_set_user_data(rig->from[0], UINT64_MAX));
	assert_ok(doca_comm_channel_peer_addr_user_data_get(rig->from[0], &value));
	assert_true(value == UINT64_MAX);
	assert_ok(doca_comm_channel_peer_addr_user_data_set(rig->from[0], 7));
	assert_ok(doca_comm_channel_peer_addr_get_user_data(rig->from[0], &value));
	assert_int_equal(value, 7);
	/* The next client at this address begins with none. */
	assert_ok(doca_comm_channel_ep_disconnect(rig->service, rig->from[0]));
	add_client(rig, 1);
	assert_ok(doca_comm_channel_peer_addr_get_user_data(rig->from[1], &value));
	assert_int_equal(value, 0);
}

static void counters_are_those_of_the_last_update(void **state)
{
	struct rig *rig = *state;
	uint64_t value;

	connect_client(rig, 0);
	assert_ok(send_text(rig->clients[0], "12345", rig->to[0]));
	assert_ok(send_text(rig->clients[0], "67", rig->to[0]));
	assert_ok(doca_comm_channel_peer_addr_get_send_messages(rig->to[0], &value));
	assert_int_equal(value, 0);
	assert_ok(doca_comm_channel_peer_addr_update_info(rig->to[0]));
	assert_ok(doca_comm_channel_peer_addr_get_send_messages(rig->to[0], &value));
	assert_int_equal(value, 2);
	assert_ok(doca_comm_channel_peer_addr_get_send_bytes(rig->to[0], &value));
	assert_int_equal(value, 7);
	assert_ok(doca_comm_channel_peer_addr_get_send_in_flight_messages(rig->to[0], &value));
	assert_int_equal(value, 2);
	expect(rig, rig->service, "12345");
	assert_ok(doca_comm_channel_peer_addr_update_info(rig->sender));
	assert_ok(doca_comm_channel_peer_addr_get_recv_messages(rig->sender, &value));
	assert_int_equal(value, 1);
	assert_ok(doca_comm_channel_peer_addr_get_recv_bytes(rig->sender, &value));
	assert_int_equal(value, 5);
	assert_ok(doca_comm_channel_peer_addr_update_info(rig->to[0]));
	assert_ok(doca_comm_channel_peer_addr_get_send_in_flight_messages(rig->to[0], &value));
	assert_int_equal(value, 1);
}

static void update_info_tells_the_state(void **state)
{
	struct rig *rig = *state;
	unsigned int round = 0;

	rig->clients[0] = late_client(rig);
	assert_ok(doca_comm_channel_ep_connect(rig->clients[0], rig->name, &rig->to[0]));
	assert_err(doca_comm_channel_peer_addr_update_info(rig->to[0]), CONNECTION_INPROGRESS);
	while (doca_comm_channel_peer_addr_update_info(rig->to[0]))
		assert_err(receive(rig, rig->service), AGAIN);
	assert_ok(send_text(rig->clients[0], "hello", rig->to[0]));
	expect(rig, rig->service, "hello");
	assert_ok(doca_comm_channel_ep_disconnect(rig->clients[0], rig->to[0]));
	while (!doca_comm_channel_peer_addr_update_info(rig->sender))
		assert_true(round++ < ROUNDS_MAX);
	assert_err(doca_comm_channel_peer_addr_update_info(rig->sender), CONNECTION_ABORTED);
	assert_err(doca_comm_channel_peer_addr_update_info(rig->to[0]), CONNECTION_ABORTED);
}

static void info_get_tells_of_now_and_of_the_end(void **state)
{
	struct doca_comm_channel_peer_addr_info info;
	struct rig *rig = *state;
	unsigned int round = 0;

	add_client(rig, 0);
	assert_ok(send_text(rig->service, "123", rig->from[0]));
	assert_ok(doca_comm_channel_peer_addr_info_get(rig->from[0], &info));
	assert_int_equal(info.vport, priv_dev_function(rig->host)->index);
	assert_int_equal(info.msgsize, 4080);
	assert_int_equal(info.maxmsgs, 1024);
	assert_int_equal(info.curmsgs, 1);
	assert_int_equal(info.rx_msgs, 1);
	assert_int_equal(info.rx_bytes, 5);
	assert_int_equal(info.tx_msgs, 1);
	assert_int_equal(info.tx_bytes, 3);
	assert_ok(doca_comm_channel_ep_disconnect(rig->clients[0], rig->to[0]));
	while (!doca_comm_channel_peer_addr_update_info(rig->from[0]))
		assert_true(round++ < ROUNDS_MAX);
	assert_ok(doca_comm_channel_peer_addr_info_get(rig->from[0], &info));
	assert_int_equal(info.rx_bytes, 5);
	assert_int_equal(info.tx_bytes, 3);
	assert_int_equal(info.curmsgs, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SERVICE_TEST(null_is_refused),
		SERVICE_TEST(user_data_is_zero_until_set),
		SERVICE_TEST(counters_are_those_of_the_last_update),
		SERVICE_TEST(update_info_tells_the_state),
		SERVICE_TEST(info_get_tells_of_now_and_of_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
