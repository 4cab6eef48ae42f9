/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Endpoints: becoming a service or a client, what is refused, disconnecting, coming back.
 */
#include "base/fd.h"
#include "eptest.h"
#include "child.h"
#include "raw.h"

static void null_and_bad_names_are_refused(void **state)
{
	struct rig *rig = *state;
	char longest[121], too_long[122];
	addr_t *addr;

	memset(longest, 'n', sizeof(longest));
	longest[119] = '\0'; /* 120 with its NUL */
	memset(too_long, 'n', sizeof(too_long));
	too_long[120] = '\0';
	assert_err(doca_comm_channel_ep_create(NULL), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_destroy(NULL), INVALID_VALUE);
	rig->service = late_service(rig);
	assert_err(doca_comm_channel_ep_listen(NULL, "n"), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_listen(rig->service, NULL), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_listen(rig->service, ""), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_listen(rig->service, too_long), INVALID_VALUE);
	assert_ok(doca_comm_channel_ep_listen(rig->service, longest));
	rig->clients[0] = late_client(rig);
	assert_err(doca_comm_channel_ep_connect(rig->clients[0], too_long, &addr), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_connect(rig->clients[0], "", &addr), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_connect(rig->clients[0], "n", NULL), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_connect(NULL, "n", &addr), INVALID_VALUE);
	assert_ok(doca_comm_channel_ep_connect(rig->clients[0], longest, &addr));
}

static void the_device_must_be_set_and_of_the_right_side(void **state)
{
	struct rig *rig = *state;
	struct doca_dev *other;
	ep_t *ep;
	addr_t *addr;

	assert_ok(doca_comm_channel_ep_create(&ep));
	assert_err(doca_comm_channel_ep_listen(ep, "n"), BAD_STATE);
	assert_err(doca_comm_channel_ep_connect(ep, "n", &addr), BAD_STATE);
	assert_ok(doca_comm_channel_ep_set_device(ep, rig->dpu));
	assert_err(doca_comm_channel_ep_listen(ep, "n"), BAD_STATE); /* no representor */
	assert_err(doca_comm_channel_ep_connect(ep, "n", &addr), NOT_SUPPORTED);
	assert_ok(doca_comm_channel_ep_set_device_rep(ep, rig->rep));
	assert_ok(doca_comm_channel_ep_set_device(ep, rig->host));
	assert_err(doca_comm_channel_ep_listen(ep, "n"), NOT_SUPPORTED);
	other = open_dev(DPU_PF1);
	assert_ok(doca_comm_channel_ep_set_device(ep, other));
	assert_err(doca_comm_channel_ep_listen(ep, "n"), INVALID_VALUE); /* not its representor */
	assert_ok(doca_comm_channel_ep_destroy(ep));
	assert_ok(doca_dev_close(other));
}

static void a_device_in_use_stays_open(void **state)
{
	struct rig *rig = *state;

	rig->service = late_service(rig);
	assert_err(doca_dev_rep_close(rig->rep), IN_USE);
	assert_err(doca_dev_close(rig->dpu), IN_USE);
}

static void an_endpoint_is_one_thing_at_a_time(void **state)
{
	struct rig *rig = *state;
	addr_t *addr;

	assert_err(doca_comm_channel_ep_listen(rig->service, "other"), NOT_PERMITTED);
	assert_err(doca_comm_channel_ep_connect(rig->service, rig->name, &addr), NOT_PERMITTED);
	connect_client(rig, 0);
	assert_err(doca_comm_channel_ep_connect(rig->clients[0], rig->name, &addr), NOT_PERMITTED);
	assert_err(doca_comm_channel_ep_listen(rig->clients[0], "other"), NOT_PERMITTED);
}

static void a_name_is_taken_until_its_service_is_destroyed(void **state)
{
	struct rig *rig = *state;
	ep_t *second = late_service(rig);

	assert_err(doca_comm_channel_ep_listen(second, rig->name), IN_USE);
	assert_ok(doca_comm_channel_ep_destroy(rig->service));
	assert_ok(doca_comm_channel_ep_listen(second, rig->name));
	rig->service = second;
}

static void no_service_is_told_at_once(void **state)
{
	struct rig *rig = *state;
	addr_t *addr = NULL;

	rig->clients[0] = late_client(rig);
	assert_err(doca_comm_channel_ep_connect(rig->clients[0], "nobody", &addr),
		   CONNECTION_ABORTED);
	assert_null(addr);
	assert_err(receive(rig, rig->clients[0]), NOT_CONNECTED);
	rig->service = late_service(rig);
	assert_ok(doca_comm_channel_ep_listen(rig->service, rig->name));
	connect_client(rig, 0); /* it may try again */
}

static void a_service_that_ends_during_the_handshake(void **state)
{
	struct rig *rig = *state;
	unsigned int round = 0;

	rig->clients[0] = late_client(rig);
	assert_ok(doca_comm_channel_ep_connect(rig->clients[0], rig->name, &rig->to[0]));
	assert_err(send_text(rig->clients[0], "early", rig->to[0]), NOT_CONNECTED);
	assert_ok(doca_comm_channel_ep_destroy(rig->service));
	rig->service = NULL;
	while (doca_comm_channel_peer_addr_update_info(rig->to[0]) ==
	       DOCA_ERROR_CONNECTION_INPROGRESS)
		assert_true(round++ < ROUNDS_MAX);
	assert_err(doca_comm_channel_peer_addr_update_info(rig->to[0]), CONNECTION_ABORTED);
	assert_err(send_text(rig->clients[0], "late", rig->to[0]), NOT_CONNECTED);
	assert_ok(doca_comm_channel_ep_disconnect(rig->clients[0], rig->to[0]));
}

static void disconnecting_is_for_peers_of_ones_own(void **state)
{
	struct rig *rig = *state;

	add_client(rig, 0);
	add_client(rig, 1);
	assert_err(doca_comm_channel_ep_disconnect(NULL, rig->to[0]), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_disconnect(rig->clients[0], NULL), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_disconnect(rig->clients[0], rig->to[1]), INVALID_VALUE);
	assert_ok(doca_comm_channel_ep_disconnect(rig->clients[0], rig->to[0]));
	assert_err(doca_comm_channel_ep_disconnect(rig->clients[0], rig->to[0]), NOT_CONNECTED);
	assert_err(send_text(rig->clients[0], "void", rig->to[0]), NOT_CONNECTED);
	assert_ok(send_text(rig->clients[1], "other", rig->to[1]));
	expect(rig, rig->service, "other");
}

static void a_client_may_give_up_connecting(void **state)
{
	struct rig *rig = *state;

	rig->clients[0] = late_client(rig);
	assert_ok(doca_comm_channel_ep_connect(rig->clients[0], rig->name, &rig->to[0]));
	assert_ok(doca_comm_channel_ep_disconnect(rig->clients[0], rig->to[0]));
	connect_client(rig, 0);
}

static void a_lost_client_connects_again_without_disconnecting(void **state)
{
	struct rig *rig = *state;
	addr_t *old;

	add_client(rig, 0);
	old = rig->from[0];
	assert_ok(doca_comm_channel_ep_disconnect(rig->service, rig->from[0]));
	assert_err(await(rig, rig->clients[0]), CONNECTION_RESET);
	add_client(rig, 0);
	assert_ok(send_text(rig->service, "welcome", rig->from[0]));
	expect(rig, rig->clients[0], "welcome");
	assert_ptr_not_equal(rig->from[0], old);
}

/* Nobody has told the program yet, or another call has. */
static void however_it_learns_that_it_is_lost(void **state)
{
	struct rig *rig = *state;
	unsigned int round;

	for (round = 0; round < 4; round++) {
		add_client(rig, 0);
		if (round == 3)
			assert_ok(send_text(rig->service, "unread", rig->from[0]));
		assert_ok(doca_comm_channel_ep_disconnect(rig->service, rig->from[0]));
		if (round == 1)
			assert_err(doca_comm_channel_peer_addr_update_info(rig->to[0]),
				   CONNECTION_ABORTED);
		if (round == 2)
			assert_err(send_text(rig->clients[0], "?", rig->to[0]), CONNECTION_RESET);
	}
	add_client(rig, 0);
	assert_ok(send_text(rig->service, "welcome", rig->from[0]));
	expect(rig, rig->clients[0], "welcome");
}

static void a_void_address_is_not_soon_another_ones(void **state)
{
	struct rig *rig = *state;
	addr_t *old;

	add_client(rig, 0);
	old = rig->from[0];
	assert_ok(doca_comm_channel_ep_disconnect(rig->service, old));
	add_client(rig, 1);
	assert_ptr_not_equal(rig->from[1], old);
	assert_err(send_text(rig->service, "?", old), NOT_CONNECTED);
}

/* The service's program does not know that a client has gone: its address must not become another
 * client's. */
static void the_address_of_a_lost_client_stays_its_own(void **state)
{
	struct rig *rig = *state;
	unsigned int round = 0;

	add_client(rig, 0);
	assert_ok(doca_comm_channel_ep_disconnect(rig->clients[0], rig->to[0]));
	while (!send_text(rig->service, "?", rig->from[0]))
		assert_true(round++ < ROUNDS_MAX);
	add_client(rig, 1);
	assert_ptr_not_equal(rig->from[1], rig->from[0]);
	assert_err(send_text(rig->service, "?", rig->from[0]), CONNECTION_RESET);
	assert_ok(doca_comm_channel_ep_disconnect(rig->service, rig->from[0]));
	assert_err(send_text(rig->service, "?", rig->from[0]), NOT_CONNECTED);
}

static void destroying_disconnects_all(void **state)
{
	struct rig *rig = *state;

	add_client(rig, 0);
	add_client(rig, 1);
	assert_ok(doca_comm_channel_ep_destroy(rig->service));
	rig->service = NULL;
	assert_err(await(rig, rig->clients[0]), CONNECTION_RESET);
	assert_err(await(rig, rig->clients[1]), CONNECTION_RESET);
}

static void a_tool_is_told_of_its_clients(void **state)
{
	const struct handshake query = {.type = HANDSHAKE_QUERY};
	struct link_addr addr = {.function = HOST_PF0};
	uint8_t msg[FD_MESSAGE_MAX];
	struct rig *rig = *state;
	const struct topo *topo;
	struct raw raw;

	add_client(rig, 0);
	add_client(rig, 1);
	assert_ok(priv_topo_get(&topo));
	addr.card = &topo->cards[0];
	snprintf(addr.service, sizeof(addr.service), "%s", rig->name);
	raw_init(&raw);
	assert_ok(raw_call(&raw, &addr));
	raw_send(&raw, msg, priv_handshake_encode(&query, msg), NULL, 0);
	while (raw.answer.type != HANDSHAKE_END) {
		assert_err(receive(rig, rig->service), AGAIN);
		raw_poll(&raw);
		assert_int_equal(raw.losses, 0);
	}
	assert_int_equal(raw.messages, 4); /* SERVER, two of CONNECTION, END */
	raw_fini(&raw);
}

/* exit status: which step was wrong */
static void use_and_destroy(struct child *parent, void *arg)
{
	struct rig *rig = arg;
	doca_event_channel_t channel;
	addr_t *addr;

	(void)parent;
	if (receive(rig, rig->service) != DOCA_ERROR_NOT_CONNECTED)
		_exit(1);
	if (send_text(rig->clients[0], "mine", rig->to[0]) != DOCA_ERROR_NOT_CONNECTED)
		_exit(2);
	if (doca_comm_channel_peer_addr_update_info(rig->to[0]) != DOCA_ERROR_CONNECTION_ABORTED)
		_exit(3);
	if (doca_comm_channel_ep_get_event_channel(rig->service, &channel, NULL) !=
	    DOCA_ERROR_BAD_STATE)
		_exit(4);
	if (doca_comm_channel_ep_listen(rig->service, "other") != DOCA_ERROR_NOT_PERMITTED)
		_exit(5);
	if (doca_comm_channel_ep_connect(rig->clients[0], rig->name, &addr) !=
	    DOCA_ERROR_NOT_PERMITTED)
		_exit(6);
	if (doca_comm_channel_ep_disconnect(rig->clients[0], rig->to[0]))
		_exit(7);
	if (doca_comm_channel_ep_destroy(rig->clients[0]) ||
	    doca_comm_channel_ep_destroy(rig->service))
		_exit(8);
}

static void a_forked_child_cannot_hurt_its_parents_endpoints(void **state)
{
	struct rig *rig = *state;
	struct child child;

	add_client(rig, 0);
	assert_ok(send_text(rig->clients[0], "before", rig->to[0]));
	child = child_start(use_and_destroy, rig);
	assert_int_equal(child_join(&child), 0);
	expect(rig, rig->service, "before");
	assert_ok(send_text(rig->service, "after", rig->sender));
	expect(rig, rig->clients[0], "after");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(null_and_bad_names_are_refused),
		TEST(the_device_must_be_set_and_of_the_right_side),
		TEST(a_device_in_use_stays_open),
		SERVICE_TEST(an_endpoint_is_one_thing_at_a_time),
		SERVICE_TEST(a_name_is_taken_until_its_service_is_destroyed),
		TEST(no_service_is_told_at_once),
		SERVICE_TEST(a_service_that_ends_during_the_handshake),
		SERVICE_TEST(disconnecting_is_for_peers_of_ones_own),
		SERVICE_TEST(a_client_may_give_up_connecting),
		SERVICE_TEST(a_lost_client_connects_again_without_disconnecting),
		SERVICE_TEST(however_it_learns_that_it_is_lost),
		SERVICE_TEST(a_void_address_is_not_soon_another_ones),
		SERVICE_TEST(the_address_of_a_lost_client_stays_its_own),
		SERVICE_TEST(destroying_disconnects_all),
		SERVICE_TEST(a_tool_is_told_of_its_clients),
		SERVICE_TEST(a_forked_child_cannot_hurt_its_parents_endpoints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
