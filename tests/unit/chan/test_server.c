/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The server's door: who gets in, what tools are told, who is thrown out. What hostile callers try
 * is in tests/contract/hostile_caller.c.
 */
#include "pairing.h"
#include "base/fd.h"

static void call_by_hand(struct pairing *pairing, struct raw *raw)
{
	priv_party_switch(&pairing->client_party);
	raw_init(raw);
	assert_ok(raw_call(raw, &pairing->config.addr));
}

static void settle_with(struct pairing *pairing, struct raw *raw)
{
	pairing_settle(pairing);
	raw_poll(raw);
	raw_poll(raw);
}

/* says HELLO, spoiled by the test, and expects to be refused with the code */
static void expect_rejection(struct pairing *pairing, const struct handshake *hello,
			     doca_error_t error)
{
	struct raw raw;

	call_by_hand(pairing, &raw);
	raw_introduce(&raw, hello);
	settle_with(pairing, &raw);
	assert_int_equal(raw.answer.type, HANDSHAKE_REJECT);
	assert_int_equal(raw.answer.reject.error, error);
	assert_true(raw.answer.reject.reason[0]);
	assert_int_equal(raw.losses, 1);
	raw_fini(&raw);
}

static void who_looks_for_somebody_else_is_refused(void **state)
{
	struct pairing *pairing = *state;
	struct handshake hello;

	assert_ok(pairing_listen(pairing));
	hello = raw_hello(&pairing->config.addr);
	handshake_set_text(hello.hello.service, "pairin");
	expect_rejection(pairing, &hello, DOCA_ERROR_NOT_FOUND);
	hello = raw_hello(&pairing->config.addr);
	handshake_set_text(hello.hello.function, "0000:b1:00.1");
	expect_rejection(pairing, &hello, DOCA_ERROR_NOT_FOUND);
	hello = raw_hello(&pairing->config.addr);
	handshake_set_text(hello.hello.card, "");
	expect_rejection(pairing, &hello, DOCA_ERROR_NOT_FOUND);
	assert_int_equal(pairing->refused, 3);
	assert_int_equal(pairing->accepted, 0);
}

static void another_message_size_is_refused(void **state)
{
	static const uint32_t sizes[] = {0, 1, PAIRING_MSG - 1, PAIRING_MSG + 1, UINT32_MAX};
	struct pairing *pairing = *state;
	struct handshake hello;
	unsigned int i;

	assert_ok(pairing_listen(pairing));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		hello = raw_hello(&pairing->config.addr);
		hello.hello.max_msg_size = sizes[i];
		expect_rejection(pairing, &hello, DOCA_ERROR_INVALID_VALUE);
	}
}

static void a_full_server_refuses(void **state)
{
	struct pairing *pairing = *state;
	struct handshake hello;

	pairing_connect(pairing);
	pairing->server.max_clients = 1;
	hello = raw_hello(&pairing->config.addr);
	pairing->server_half.chan.state = CHAN_OPEN;
	pairing->no_memory = true; /* the test has memory for one connection */
	expect_rejection(pairing, &hello, DOCA_ERROR_FULL);
	chan_close(&pairing->client.chan);
	pairing_settle(pairing);
	assert_int_equal(pairing->server_half.closed, 1);
}

static void without_memory_a_caller_is_refused(void **state)
{
	struct pairing *pairing = *state;
	struct handshake hello;

	assert_ok(pairing_listen(pairing));
	pairing->no_memory = true;
	hello = raw_hello(&pairing->config.addr);
	expect_rejection(pairing, &hello, DOCA_ERROR_NO_MEMORY);
	assert_int_equal(pairing->refused, 0);
}

/*
 * Tools
 */

static void a_tool_is_told_who_is_there(void **state)
{
	const struct handshake query = {.type = HANDSHAKE_QUERY};
	struct pairing *pairing = *state;
	uint8_t msg[FD_MESSAGE_MAX];
	struct raw raw;

	pairing_connect(pairing);
	call_by_hand(pairing, &raw);
	raw_send(&raw, msg, priv_handshake_encode(&query, msg), NULL, 0);
	pairing_settle(pairing);
	raw_poll(&raw);
	assert_int_equal(raw.messages, 2); /* SERVER and END; the test lists no connections */
	assert_int_equal(raw.answer.type, HANDSHAKE_END);
	assert_int_equal(raw.losses, 0);
	raw_fini(&raw);
	pairing_settle(pairing);
	assert_int_equal(pairing->server.pending_count, 0);
}

static void a_tool_may_ask_once(void **state)
{
	const struct handshake query = {.type = HANDSHAKE_QUERY};
	struct pairing *pairing = *state;
	uint8_t msg[FD_MESSAGE_MAX];
	size_t size = priv_handshake_encode(&query, msg);
	struct raw raw;

	assert_ok(pairing_listen(pairing));
	call_by_hand(pairing, &raw);
	raw_send(&raw, msg, size, NULL, 0);
	raw_send(&raw, msg, size, NULL, 0);
	settle_with(pairing, &raw);
	assert_int_equal(raw.losses, 1);
	raw_fini(&raw);
}

/*
 * Callers who do not say what they want
 */

static void the_oldest_silent_caller_goes_when_there_are_too_many(void **state)
{
	struct pairing *pairing = *state;
	static struct raw first, raws[40];
	unsigned int i;

	/* PENDING_MAX is 4096; the others are counted in, not called. */
	assert_ok(pairing_listen(pairing));
	call_by_hand(pairing, &first);
	pairing_settle(pairing);
	pairing->server.pending_count += 4095;
	for (i = 0; i < ARRAY_SIZE(raws); i++) {
		call_by_hand(pairing, &raws[i]);
		poll_server(pairing);
		assert_int_equal(pairing->server.pending_count, 4096);
	}
	raw_poll(&first);
	assert_int_equal(first.losses, 1);
	pairing->server.pending_count -= 4095;
	raw_fini(&first);
	for (i = 0; i < ARRAY_SIZE(raws); i++)
		raw_fini(&raws[i]);
	pairing_settle(pairing);
	assert_int_equal(pairing->server.pending_count, 0);
}

static void those_who_stay_silent_go_when_descriptors_are_short(void **state)
{
	struct pairing *pairing = *state;
	const struct link_listener *listener;
	static struct raw raws[12];
	unsigned int i;

	assert_ok(pairing_listen(pairing));
	listener = pairing->server.listener;
	for (i = 0; i < 10; i++)
		call_by_hand(pairing, &raws[i]);
	pairing_settle(pairing);
	assert_int_equal(pairing->server.pending_count, 10);
	assert_false(listener->handler->make_room(pairing->server.listener));
	assert_int_equal(pairing->server.pending_count, 10);
	for (; i < ARRAY_SIZE(raws); i++)
		call_by_hand(pairing, &raws[i]);
	pairing_settle(pairing);
	assert_true(listener->handler->make_room(pairing->server.listener));
	assert_int_equal(pairing->server.pending_count, 4);
	for (i = 0; i < ARRAY_SIZE(raws); i++) {
		raw_poll(&raws[i]);
		assert_int_equal(raws[i].losses, i < 8);
		raw_fini(&raws[i]);
	}
	pairing_settle(pairing);
}

static void stop_hangs_up_on_those_who_wait(void **state)
{
	struct pairing *pairing = *state;
	struct raw raw;

	assert_ok(pairing_listen(pairing));
	call_by_hand(pairing, &raw);
	pairing_settle(pairing);
	assert_int_equal(pairing->server.pending_count, 1);
	chan_server_stop(&pairing->server);
	raw_poll(&raw);
	assert_int_equal(raw.losses, 1);
	raw_fini(&raw);
}

static void connections_outlive_the_door(void **state)
{
	struct pairing *pairing = *state;

	pairing_connect(pairing);
	chan_server_stop(&pairing->server);
	chan_server_stop(&pairing->server);
	assert_true(chan_send(&pairing->client.chan, "still here", 10));
	pairing_settle(pairing);
	assert_int_equal(pairing->server_half.messages, 1);
}

static void stop_frees_the_name(void **state)
{
	struct pairing *pairing = *state;

	assert_ok(pairing_listen(pairing));
	chan_server_stop(&pairing->server);
	assert_ok(pairing_listen(pairing));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(who_looks_for_somebody_else_is_refused),
		TEST(another_message_size_is_refused),
		TEST(a_full_server_refuses),
		TEST(without_memory_a_caller_is_refused),
		TEST(a_tool_is_told_who_is_there),
		TEST(a_tool_may_ask_once),
		TEST(the_oldest_silent_caller_goes_when_there_are_too_many),
		TEST(those_who_stay_silent_go_when_descriptors_are_short),
		TEST(stop_hangs_up_on_those_who_wait),
		TEST(connections_outlive_the_door),
		TEST(stop_frees_the_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
