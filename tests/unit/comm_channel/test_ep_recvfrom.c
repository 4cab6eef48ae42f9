/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receiving: what is refused, buffers that are too small, what is said when there is nothing.
 */
#include "eptest.h"

static void arguments_are_checked(void **state)
{
	struct rig *rig = *state;
	ep_t *ep = rig->service;
	size_t size = sizeof(rig->msg);
	addr_t *addr;

	assert_err(doca_comm_channel_ep_recvfrom(NULL, rig->msg, &size, 0, &addr), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_recvfrom(ep, NULL, &size, 0, &addr), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_recvfrom(ep, rig->msg, NULL, 0, &addr), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_recvfrom(ep, rig->msg, &size, 0, NULL), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_recvfrom(ep, rig->msg, &size, 1, &addr), INVALID_VALUE);
	size = 0;
	assert_err(doca_comm_channel_ep_recvfrom(ep, rig->msg, &size, 0, &addr), INVALID_VALUE);
}

static void an_idle_endpoint_is_not_connected(void **state)
{
	struct rig *rig = *state;

	rig->service = late_service(rig);
	assert_err(receive(rig, rig->service), NOT_CONNECTED);
}

/* Programs give room for the message that they expect, not for the largest there could be. */
static void room_for_this_message_is_enough(void **state)
{
	struct rig *rig = *state;
	size_t size = 4;

	add_client(rig, 0);
	assert_ok(send_text(rig->clients[0], "four", rig->to[0]));
	assert_ok(doca_comm_channel_ep_recvfrom(rig->service, rig->msg, &size, 0, &rig->sender));
	assert_int_equal(size, 4);
}

static void a_message_without_room_stays(void **state)
{
	struct rig *rig = *state;
	size_t size = 4;
	char small[4];

	add_client(rig, 0);
	assert_ok(send_text(rig->clients[0], "five!", rig->to[0]));
	assert_ok(send_text(rig->clients[0], "next", rig->to[0]));
	assert_err(doca_comm_channel_ep_recvfrom(rig->service, small, &size, 0, &rig->sender),
		   INVALID_VALUE);
	assert_int_equal(size, 4);
	expect(rig, rig->service, "five!");
	expect(rig, rig->service, "next");
}

/* Its connection has gone to sleep after it was announced: nobody rings for the next one. */
static void what_is_behind_a_message_is_found(void **state)
{
	struct rig *rig = *state;

	add_client(rig, 0);
	while (!send_text(rig->service, "full", rig->from[0]))
		;
	assert_ok(send_text(rig->clients[0], "one", rig->to[0]));
	assert_ok(send_text(rig->clients[0], "two", rig->to[0]));
	assert_ok(doca_comm_channel_ep_update_service_state_info(rig->service));
	assert_ok(doca_comm_channel_ep_event_handle_arm_send(rig->service));
	assert_false(rig->from[0]->conn->chan.poller.hot);
	assert_ok(receive(rig, rig->service));
	assert_ok(receive(rig, rig->service));
	assert_memory_equal(rig->msg, "two", rig->size);
}

/* A receiver right behind its sender takes each line away from it before it is written. */
static void in_a_stream_messages_gather(void **state)
{
	const struct gather *gather;
	struct rig *rig = *state;

	add_client(rig, 0);
	gather = &rig->from[0]->conn->chan.gather;
	for (unsigned int i = 0; i < GATHER_STREAK; i++)
		assert_ok(send_text(rig->clients[0], "more", rig->to[0]));
	for (unsigned int i = 0; i < GATHER_STREAK; i++)
		expect(rig, rig->service, "more");
	assert_err(receive(rig, rig->service), AGAIN);
	assert_true(gather->waited);
	assert_ok(send_text(rig->clients[0], "last", rig->to[0])); /* fewer than it waits for */
	expect(rig, rig->service, "last");
	for (unsigned int i = 0; i < 4 * GATHER_STREAK; i++) { /* questions and answers */
		for (unsigned int j = 0; j <= GATHER_GAP; j++)
			assert_err(receive(rig, rig->service), AGAIN);
		assert_ok(send_text(rig->clients[0], "question", rig->to[0]));
		expect(rig, rig->service, "question");
		assert_int_equal(gather->looks, 0);
	}
}

/* However seldom its messages need a poll: an idle one pauses, and lets others have the CPU. */
static void in_a_conversation_an_endpoint_is_not_idle(void **state)
{
	struct rig *rig = *state;
	unsigned int i, j;

	add_client(rig, 0);
	for (i = 0; i < 100; i++) {
		for (j = 0; j < 10; j++)
			assert_err(receive(rig, rig->service), AGAIN);
		assert_true(rig->service->group.idle_polls > 0);
		assert_ok(send_text(rig->clients[0], "question", rig->to[0]));
		assert_ok(receive(rig, rig->service));
		assert_int_equal(rig->service->group.idle_polls, 0);
		assert_ok(send_text(rig->service, "answer", rig->sender));
		expect(rig, rig->clients[0], "answer");
	}
}

static void a_lost_service_is_told_once(void **state)
{
	struct rig *rig = *state;

	add_client(rig, 0);
	assert_ok(send_text(rig->service, "last words", rig->from[0]));
	assert_ok(doca_comm_channel_ep_destroy(rig->service));
	rig->service = NULL;
	expect(rig, rig->clients[0], "last words");
	assert_err(await(rig, rig->clients[0]), CONNECTION_RESET);
	assert_err(receive(rig, rig->clients[0]), AGAIN);
	assert_err(receive(rig, rig->clients[0]), AGAIN);
}

/* A service is not told of clients that go. */
static void a_lost_client_is_not_told(void **state)
{
	struct rig *rig = *state;
	unsigned int round;

	add_client(rig, 0);
	assert_ok(send_text(rig->clients[0], "last words", rig->to[0]));
	assert_ok(doca_comm_channel_ep_destroy(rig->clients[0]));
	rig->clients[0] = NULL;
	expect(rig, rig->service, "last words");
	for (round = 0; round < 1000; round++)
		assert_err(receive(rig, rig->service), AGAIN);
}

/* Of two places that there are, the second one is taken again and again: see main(). */
static void a_client_that_is_sent_away_leaves_its_place(void **state)
{
	struct rig *rig = *state;
	int turn;

	add_client(rig, 0);
	for (turn = 0; turn < 3; turn++) {
		add_client(rig, 1);
		assert_ok(doca_comm_channel_ep_disconnect(rig->service, rig->from[1]));
		assert_ok(doca_comm_channel_ep_destroy(rig->clients[1]));
		rig->clients[1] = NULL;
	}
}

/* A client of an early service that cannot get in makes its recvfrom fail, once. */
static void an_early_service_tells_of_a_refused_client(void **state)
{
	struct rig *rig = *state;
	ep_t *service = early(DOCA_CC_INIT_FLAG_NONBLOCK, 16, 256);
	unsigned int i;

	assert_ok(doca_comm_channel_ep_listen(service, rig->name));
	rig->service = service;
	for (i = 0; i < 2; i++) /* comch_max_clients, see main() */
		connect_client(rig, i);
	rig->clients[2] = late_client(rig);
	assert_ok(doca_comm_channel_ep_connect(rig->clients[2], rig->name, &rig->to[2]));
	assert_err(await(rig, service), CONNECTION_ABORTED);
	assert_err(receive(rig, service), AGAIN);
	while (doca_comm_channel_peer_addr_update_info(rig->to[2]) ==
	       DOCA_ERROR_CONNECTION_INPROGRESS)
		;
	assert_err(doca_comm_channel_peer_addr_update_info(rig->to[2]), CONNECTION_ABORTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SERVICE_TEST(arguments_are_checked),
		TEST(an_idle_endpoint_is_not_connected),
		SERVICE_TEST(room_for_this_message_is_enough),
		SERVICE_TEST(a_message_without_room_stays),
		SERVICE_TEST(what_is_behind_a_message_is_found),
		SERVICE_TEST(in_a_stream_messages_gather),
		SERVICE_TEST(in_a_conversation_an_endpoint_is_not_idle),
		SERVICE_TEST(a_lost_service_is_told_once),
		SERVICE_TEST(a_lost_client_is_not_told),
		SERVICE_TEST(a_client_that_is_sent_away_leaves_its_place),
		TEST(an_early_service_tells_of_a_refused_client),
	};

	setenv("SOFTFIELD_LIMITS", "comch_max_clients=2", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
