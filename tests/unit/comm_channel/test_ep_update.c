/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The snapshot of a service's clients, and the descriptor that says when it is out of date.
 */
#include "eptest.h"

static uint32_t list_count(ep_t *service)
{
	addr_t **list;
	uint32_t count;

	assert_ok(doca_comm_channel_ep_get_peer_addr_list(service, &list, &count));
	return count;
}

static bool is_listed(ep_t *service, const addr_t *addr)
{
	addr_t **list;
	uint32_t count, i;

	assert_ok(doca_comm_channel_ep_get_peer_addr_list(service, &list, &count));
	for (i = 0; i < count; i++)
		if (list[i] == addr)
			return true;
	return false;
}

static void only_a_service_has_clients(void **state)
{
	struct rig *rig = *state;
	ep_t *idle = late_client(rig);

	rig->clients[1] = idle;
	assert_err(doca_comm_channel_ep_update_service_state_info(NULL), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_update_service_state_info(idle), BAD_STATE);
	connect_client(rig, 0);
	assert_err(doca_comm_channel_ep_update_service_state_info(rig->clients[0]), BAD_STATE);
}

static void the_list_is_of_the_last_update(void **state)
{
	struct rig *rig = *state;

	assert_ok(doca_comm_channel_ep_update_service_state_info(rig->service));
	assert_int_equal(list_count(rig->service), 0);
	add_client(rig, 0);
	add_client(rig, 1);
	assert_int_equal(list_count(rig->service), 0);
	assert_ok(doca_comm_channel_ep_update_service_state_info(rig->service));
	assert_int_equal(list_count(rig->service), 2);
	assert_true(is_listed(rig->service, rig->from[0]));
	assert_true(is_listed(rig->service, rig->from[1]));
	assert_ok(doca_comm_channel_ep_disconnect(rig->service, rig->from[0]));
	assert_ok(doca_comm_channel_ep_update_service_state_info(rig->service));
	assert_int_equal(list_count(rig->service), 1);
	assert_true(is_listed(rig->service, rig->from[1]));
}

/* A client that has not spoken is in the list, and can be spoken to. */
static void a_silent_client_is_listed(void **state)
{
	struct rig *rig = *state;
	addr_t **list;
	uint32_t count;

	connect_client(rig, 0);
	assert_ok(doca_comm_channel_ep_update_service_state_info(rig->service));
	assert_ok(doca_comm_channel_ep_get_peer_addr_list(rig->service, &list, &count));
	assert_int_equal(count, 1);
	assert_ok(send_text(rig->service, "first", list[0]));
	expect(rig, rig->clients[0], "first");
}

static void clients_that_come_and_go_are_events(void **state)
{
	struct rig *rig = *state;
	unsigned int turn;
	int fd;

	assert_ok(doca_comm_channel_ep_get_service_event_channel(rig->service, &fd));
	assert_ok(doca_comm_channel_ep_update_service_state_info(rig->service));
	for (turn = 0; turn < 3; turn++) {
		assert_false(is_readable(fd));
		connect_client(rig, 0);
		await_readable(fd); /* though recvfrom has let it in meanwhile */
		assert_ok(doca_comm_channel_ep_update_service_state_info(rig->service));
		assert_int_equal(list_count(rig->service), 1);
		assert_false(is_readable(fd));
		assert_ok(doca_comm_channel_ep_disconnect(rig->clients[0], rig->to[0]));
		await_readable(fd);
		do /* the news may come in two pieces */
			assert_ok(doca_comm_channel_ep_update_service_state_info(rig->service));
		while (list_count(rig->service));
	}
}

static void a_client_in_the_handshake_is_pending(void **state)
{
	struct rig *rig = *state;
	struct poll_group group;
	struct chan_config config;
	struct link_addr addr;
	struct link *link;
	uint32_t count;
	const struct link_handler silent = {0};

	/* A caller that says nothing. */
	config = ep_chan_config(rig->service, priv_dev_function(rig->host), rig->name);
	addr = config.addr;
	assert_ok(priv_poll_group_init(&group));
	assert_ok(priv_link_connect(&group, &addr, &silent, NULL, &link));
	assert_ok(doca_comm_channel_ep_update_service_state_info(rig->service));
	assert_ok(doca_comm_channel_ep_get_pending_connections(rig->service, &count));
	assert_int_equal(count, 1);
	assert_int_equal(list_count(rig->service), 0);
	link_close(link);
	priv_poll_group_fini(&group);
	assert_ok(doca_comm_channel_ep_update_service_state_info(rig->service));
	assert_ok(doca_comm_channel_ep_get_pending_connections(rig->service, &count));
	assert_int_equal(count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SERVICE_TEST(only_a_service_has_clients),
		SERVICE_TEST(the_list_is_of_the_last_update),
		SERVICE_TEST(a_silent_client_is_listed),
		SERVICE_TEST(clients_that_come_and_go_are_events),
		SERVICE_TEST(a_client_in_the_handshake_is_pending),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
