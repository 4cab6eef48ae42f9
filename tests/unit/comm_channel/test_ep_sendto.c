/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sending: what is refused, full queues, peers that have gone.
 */
#include "child.h"
#include "eptest.h"

#include <sched.h>

static void arguments_are_checked(void **state)
{
	static const char msg[4081];
	struct rig *rig = *state;
	ep_t *ep;

	add_client(rig, 0);
	ep = rig->clients[0];
	assert_err(doca_comm_channel_ep_sendto(NULL, msg, 1, 0, rig->to[0]), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_sendto(ep, NULL, 1, 0, rig->to[0]), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_sendto(ep, msg, 1, 0, NULL), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_sendto(ep, msg, 0, 0, rig->to[0]), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_sendto(ep, msg, 4081, 0, rig->to[0]), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_sendto(ep, msg, 1, DOCA_CC_MSG_FLAG_DONTWAIT, rig->to[0]),
		   INVALID_VALUE); /* the early form's */
	assert_err(doca_comm_channel_ep_sendto(ep, msg, 1, DOCA_CC_MSG_FLAG_MORE, rig->to[0]),
		   INVALID_VALUE);
	assert_err(doca_comm_channel_ep_sendto(ep, msg, 1, 0, rig->from[0]), INVALID_VALUE);
	assert_ok(doca_comm_channel_ep_sendto(ep, msg, 4080, 0, rig->to[0]));
}

static void the_smaller_maximum_of_the_two_counts(void **state)
{
	static const char msg[1024];
	struct rig *rig = *state;

	assert_ok(doca_comm_channel_ep_destroy(rig->service));
	rig->service = late_service(rig);
	assert_ok(doca_comm_channel_ep_set_max_msg_size(rig->service, 300));
	assert_ok(doca_comm_channel_ep_listen(rig->service, rig->name));
	add_client(rig, 0);
	assert_err(doca_comm_channel_ep_sendto(rig->clients[0], msg, 301, 0, rig->to[0]),
		   INVALID_VALUE);
	assert_ok(doca_comm_channel_ep_sendto(rig->clients[0], msg, 300, 0, rig->to[0]));
	assert_err(doca_comm_channel_ep_sendto(rig->service, msg, 301, 0, rig->from[0]),
		   INVALID_VALUE);
}

static void a_full_queue_answers_again_and_nothing_is_lost(void **state)
{
	struct rig *rig = *state;
	uint32_t sent = 0, got = 0, value;
	doca_error_t err;

	add_client(rig, 0);
	while (!(err = doca_comm_channel_ep_sendto(rig->clients[0], &sent, sizeof(sent), 0,
						   rig->to[0])))
		sent++;
	assert_err(err, AGAIN);
	assert_err(doca_comm_channel_ep_sendto(rig->clients[0], &sent, sizeof(sent), 0, rig->to[0]),
		   AGAIN);
	assert_true(sent >= EP_QUEUE_SIZE_MIN);
	while (!receive(rig, rig->service)) {
		memcpy(&value, rig->msg, sizeof(value));
		assert_int_equal(value, got++);
	}
	assert_int_equal(got, sent);
	assert_ok(send_text(rig->clients[0], "room", rig->to[0]));
}

/* At once, though what it has said before was not read yet. */
static void a_peer_that_has_gone_is_known_by_the_next_send(void **state)
{
	struct rig *rig = *state;
	unsigned int round = 0;

	add_client(rig, 0);
	assert_ok(send_text(rig->service, "unread", rig->from[0]));
	assert_ok(doca_comm_channel_ep_destroy(rig->service));
	rig->service = NULL;
	while (!send_text(rig->clients[0], "?", rig->to[0]))
		assert_true(round++ < ROUNDS_MAX);
	assert_err(send_text(rig->clients[0], "?", rig->to[0]), CONNECTION_RESET);
	expect(rig, rig->clients[0], "unread");
	assert_err(await(rig, rig->clients[0]), CONNECTION_RESET);
	assert_err(send_text(rig->clients[0], "?", rig->to[0]), CONNECTION_RESET);
}

/* A service that answers at once does not look at everything first; at this it does. */
static void an_answer_to_one_who_has_hung_up(void **state)
{
	struct rig *rig = *state;

	add_client(rig, 0);
	add_client(rig, 1);
	assert_ok(send_text(rig->clients[0], "last words", rig->to[0]));
	assert_ok(doca_comm_channel_ep_disconnect(rig->clients[0], rig->to[0]));
	expect(rig, rig->service, "last words");
	assert_ptr_equal(rig->sender, rig->from[0]);
	assert_err(send_text(rig->service, "?", rig->from[0]), CONNECTION_RESET);
	assert_err(receive(rig, rig->service), AGAIN);
	assert_ok(send_text(rig->clients[1], "another", rig->to[1]));
	expect(rig, rig->service, "another");
}

/* A client that says hello from a process of its own, and does nothing more. */
static void say_hello(struct child *parent, void *arg)
{
	struct rig *rig = arg;
	addr_t *service;
	ep_t *ep = late_client(rig);

	if (doca_comm_channel_ep_connect(ep, rig->name, &service))
		_exit(1);
	while (send_text(ep, "hello", service))
		sched_yield();
	child_await(parent); /* for ever */
}

static void nothing_is_sent_to_the_dead(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	for (i = 0; i < 10; i++) {
		struct child child = child_start(say_hello, rig);

		while (receive(rig, rig->service))
			sched_yield();
		child_kill(&child);
		let_time_go_by(rig->service);
		assert_err(send_text(rig->service, "too late", rig->sender), CONNECTION_RESET);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SERVICE_TEST(arguments_are_checked),
		SERVICE_TEST(the_smaller_maximum_of_the_two_counts),
		SERVICE_TEST(a_full_queue_answers_again_and_nothing_is_lost),
		SERVICE_TEST(a_peer_that_has_gone_is_known_by_the_next_send),
		SERVICE_TEST(an_answer_to_one_who_has_hung_up),
		SERVICE_TEST(nothing_is_sent_to_the_dead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
