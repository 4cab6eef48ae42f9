/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Getters: what they refuse, and in which state.
 */
#include "eptest.h"

static void null_is_refused(void **state)
{
	struct rig *rig = *state;
	ep_t *ep = late_client(rig);
	struct doca_dev_rep *rep;
	struct doca_dev *dev;
	addr_t **list;
	uint32_t count;
	uint16_t size;
	int fd;

	rig->clients[0] = ep;
	assert_err(doca_comm_channel_ep_get_device(NULL, &dev), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_get_device(ep, NULL), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_get_device_rep(NULL, &rep), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_get_device_rep(ep, NULL), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_get_max_msg_size(NULL, &size), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_get_max_msg_size(ep, NULL), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_get_send_queue_size(NULL, &size), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_get_send_queue_size(ep, NULL), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_get_recv_queue_size(NULL, &size), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_get_recv_queue_size(ep, NULL), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_get_event_channel(NULL, &fd, &fd), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_get_event_channel(ep, NULL, NULL), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_get_service_event_channel(NULL, &fd), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_get_service_event_channel(ep, NULL), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_get_peer_addr_list(NULL, &list, &count), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_get_peer_addr_list(ep, NULL, &count), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_get_peer_addr_list(ep, &list, NULL), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_get_pending_connections(NULL, &count), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_get_pending_connections(ep, NULL), INVALID_VALUE);
}

static void what_was_not_set_is_not_there(void **state)
{
	struct rig *rig = *state;
	struct doca_dev_rep *rep;
	struct doca_dev *dev;
	ep_t *ep;

	assert_ok(doca_comm_channel_ep_create(&ep));
	assert_err(doca_comm_channel_ep_get_device(ep, &dev), BAD_STATE);
	assert_err(doca_comm_channel_ep_get_device_rep(ep, &rep), BAD_STATE);
	assert_ok(doca_comm_channel_ep_set_device_rep(ep, rig->rep));
	assert_ok(doca_comm_channel_ep_get_device_rep(ep, &rep));
	assert_ptr_equal(rep, rig->rep);
	assert_ok(doca_comm_channel_ep_destroy(ep));
}

static void channels_are_for_active_endpoints(void **state)
{
	struct rig *rig = *state;
	ep_t *idle = late_client(rig);
	addr_t **list;
	uint32_t count;
	int fd = -2;

	rig->clients[1] = idle;
	assert_err(doca_comm_channel_ep_get_event_channel(idle, &fd, &fd), BAD_STATE);
	assert_err(doca_comm_channel_ep_get_service_event_channel(idle, &fd), BAD_STATE);
	assert_err(doca_comm_channel_ep_get_peer_addr_list(idle, &list, &count), BAD_STATE);
	assert_err(doca_comm_channel_ep_get_pending_connections(idle, &count), BAD_STATE);
	assert_int_equal(fd, -2);
	connect_client(rig, 0);
	assert_err(doca_comm_channel_ep_get_service_event_channel(rig->clients[0], &fd),
		   NOT_SUPPORTED);
	assert_err(doca_comm_channel_ep_get_peer_addr_list(rig->clients[0], &list, &count),
		   BAD_STATE);
	assert_ok(doca_comm_channel_ep_get_service_event_channel(rig->service, &fd));
	assert_true(fd >= 0);
	assert_ok(doca_comm_channel_ep_get_peer_addr_list(rig->service, &list, &count));
	assert_int_equal(count, 0); /* before the first snapshot */
}

static void channels_stay_the_same(void **state)
{
	struct rig *rig = *state;
	int send, recv, again;

	assert_ok(doca_comm_channel_ep_get_event_channel(rig->service, &send, &recv));
	assert_int_not_equal(send, recv);
	assert_ok(doca_comm_channel_ep_get_event_channel(rig->service, NULL, &again));
	assert_int_equal(again, recv);
	assert_ok(doca_comm_channel_ep_get_event_channel(rig->service, &again, NULL));
	assert_int_equal(again, send);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(null_is_refused),
		TEST(what_was_not_set_is_not_there),
		SERVICE_TEST(channels_are_for_active_endpoints),
		SERVICE_TEST(channels_stay_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
