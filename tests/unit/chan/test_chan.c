/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A connection of the engine: messages, room, counters, and every way it ends.
 */
#include "pairing.h"

#include <sys/stat.h>

static bool send_text(struct half *half, const char *text)
{
	return chan_send(&half->chan, text, (uint32_t)strlen(text));
}

/*
 * Messages
 */

static void messages_go_both_ways(void **state)
{
	struct pairing *pairing = *state;

	pairing_connect(pairing);
	assert_true(send_text(&pairing->client, "from the client"));
	assert_true(send_text(&pairing->server_half, "from the server"));
	pairing_settle(pairing);
	assert_int_equal(pairing->server_half.messages, 1);
	assert_memory_equal(pairing->server_half.last, "from the client", 15);
	assert_int_equal(pairing->client.messages, 1);
	assert_memory_equal(pairing->client.last, "from the server", 15);
}

static void counters_count_messages_and_bytes(void **state)
{
	struct pairing *pairing = *state;
	uint8_t msg[PAIRING_MSG] = {0};

	pairing_connect(pairing);
	assert_true(chan_send(&pairing->client.chan, msg, 1));
	assert_true(chan_send(&pairing->client.chan, msg, PAIRING_MSG));
	pairing_settle(pairing);
	assert_int_equal(pairing->client.chan.counters.sent_messages, 2);
	assert_int_equal(pairing->client.chan.counters.sent_bytes, 1 + PAIRING_MSG);
	assert_int_equal(pairing->server_half.chan.counters.received_messages, 2);
	assert_int_equal(pairing->server_half.chan.counters.received_bytes, 1 + PAIRING_MSG);
	assert_int_equal(pairing->server_half.chan.counters.sent_messages, 0);
}

static void send_says_no_when_the_queue_is_full(void **state)
{
	struct pairing *pairing = *state;
	unsigned int i;

	pairing_connect(pairing);
	for (i = 0; i < 16; i++)
		assert_true(send_text(&pairing->client, "x"));
	assert_false(send_text(&pairing->client, "x"));
	assert_int_equal(pairing->client.chan.counters.sent_messages, 16);
	pairing_settle(pairing);
	assert_true(send_text(&pairing->client, "x"));
}

static void send_rest(struct half *half)
{
	while (half->to_send && send_text(half, "rest"))
		half->to_send--;
	if (half->to_send)
		chan_want_room(&half->chan);
}

static void room_is_told_as_often_as_asked(void **state)
{
	struct pairing *pairing = *state;

	pairing_connect(pairing);
	pairing->client.on_room = send_rest;
	pairing->client.to_send = 100;
	send_rest(&pairing->client);
	assert_int_equal(pairing->client.to_send, 84);
	poll_client(pairing);
	assert_int_equal(pairing->client.rooms, 0); /* nobody has read */
	pairing_settle(pairing);
	assert_int_equal(pairing->client.to_send, 0);
	assert_int_equal(pairing->server_half.messages, 100);
	assert_in_range(pairing->client.rooms, 84 / 16, 100);
}

static uint64_t inbox_memory(const struct half *half)
{
	struct stat st;

	assert_int_equal(fstat(half->chan.rx_mem->fd, &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

/* Half a gigabyte of it is address space. */
static void a_long_queue_of_large_messages_takes_little_memory(void **state)
{
	struct pairing *pairing = *state;

	pairing->config.recv_queue_size = 8191;
	pairing->config.max_msg_size = 65535;
	pairing_connect(pairing);
	assert_in_range(inbox_memory(&pairing->client), 1, 16 << 20);
	assert_in_range(inbox_memory(&pairing->server_half), 1, 16 << 20);
}

static void a_poll_is_bounded(void **state)
{
	struct pairing *pairing = *state;
	unsigned int i;

	pairing->config.recv_queue_size = 1024;
	pairing_connect(pairing);
	for (i = 0; i < 100; i++)
		assert_true(send_text(&pairing->client, "x"));
	poll_server(pairing);
	assert_int_equal(pairing->server_half.messages, 64);
	poll_server(pairing);
	assert_int_equal(pairing->server_half.messages, 100);
}

static bool is_in_inbox(const struct half *half)
{
	const struct ring_receiver *rx = &half->chan.rx;

	return half->last_at >= rx->arena && half->last_at < rx->arena + rx->arena_size;
}

/* A long message of somebody else's is a copy, which he cannot change while it is looked at. */
static void long_messages_of_the_same_user_stay_where_they_are(void **state)
{
	static const struct {
		uint32_t size;
		bool trusted, in_inbox;
	} cases[] = {{RING_INLINE, true, false},
		     {RING_INLINE + 1, true, true},
		     {PAIRING_MSG, true, true},
		     {RING_INLINE + 1, false, false},
		     {PAIRING_MSG, false, false}};
	struct pairing *pairing = *state;
	uint8_t msg[PAIRING_MSG];
	unsigned int i, k;

	pairing_connect(pairing);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(msg, (int)i + 1, sizeof(msg));
		assert_true(pairing->server_half.chan.trusts_peer || i);
		pairing->server_half.chan.trusts_peer = cases[i].trusted;
		for (k = 0; k < 3; k++)
			assert_true(chan_send(&pairing->client.chan, msg, cases[i].size));
		poll_server(pairing);
		assert_int_equal(pairing->server_half.messages, 3 * (i + 1));
		assert_int_equal(pairing->server_half.last_size, cases[i].size);
		assert_memory_equal(pairing->server_half.last, msg, cases[i].size);
		assert_int_equal(is_in_inbox(&pairing->server_half), cases[i].in_inbox);
	}
}

static void any_maximum_works(void **state)
{
	static const uint32_t sizes[] = {1, 16, 48, 49, 4080};
	struct pairing *pairing = *state;
	static uint8_t msg[PAIRING_MSG];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		pairing->config.max_msg_size = sizes[i];
		pairing->config.recv_queue_size = 1;
		pairing->client.opened = pairing->accepted = 0;
		pairing->server_half.messages = 0;
		pairing_connect(pairing);
		assert_true(chan_send(&pairing->client.chan, msg, sizes[i]));
		while (ring_has_room(&pairing->client.chan.tx))
			assert_true(chan_send(&pairing->client.chan, msg, sizes[i]));
		poll_server(pairing);
		assert_true(pairing->server_half.messages >= 4);
		chan_close(&pairing->client.chan);
		pairing_settle(pairing);
		chan_server_stop(&pairing->server);
	}
}

/*
 * Closing
 */

static void closing_is_told_once_on_each_side(void **state)
{
	struct pairing *pairing = *state;

	pairing_connect(pairing);
	chan_close(&pairing->client.chan);
	assert_int_equal(pairing->client.closed, 0); /* from a poll */
	chan_close(&pairing->client.chan);
	pairing_settle(pairing);
	assert_int_equal(pairing->client.closed, 1);
	assert_ok(pairing->client.close_reason);
	assert_int_equal(pairing->server_half.closed, 1);
	assert_int_equal(pairing->server_half.close_reason, DOCA_ERROR_CONNECTION_RESET);
	chan_close(&pairing->client.chan);
	pairing_settle(pairing);
	assert_int_equal(pairing->client.closed, 1);
}

static void what_was_sent_before_closing_arrives(void **state)
{
	struct pairing *pairing = *state;
	unsigned int i;

	pairing_connect(pairing);
	for (i = 0; i < 16; i++)
		send_text(&pairing->client, "x");
	chan_close(&pairing->client.chan);
	pairing_settle(pairing);
	assert_int_equal(pairing->server_half.messages, 16);
	assert_int_equal(pairing->server_half.closed, 1);
}

static void what_waits_for_room_is_sent_before_the_end(void **state)
{
	struct pairing *pairing = *state;

	pairing_connect(pairing);
	pairing->client.on_room = send_rest;
	pairing->client.to_send = 100;
	send_rest(&pairing->client);
	chan_close(&pairing->client.chan);
	poll_client(pairing);
	assert_int_equal(pairing->client.closed, 0);
	pairing_settle(pairing);
	assert_int_equal(pairing->server_half.messages, 100);
	assert_int_equal(pairing->client.closed, 1);
	assert_ok(pairing->client.close_reason);
}

static void closing_does_not_wait_for_a_peer_that_does_not_read(void **state)
{
	struct pairing *pairing = *state;

	pairing_connect(pairing);
	send_text(&pairing->client, "unread");
	chan_close(&pairing->client.chan);
	poll_client(pairing);
	assert_int_equal(pairing->client.closed, 1);
	pairing_settle(pairing);
	assert_int_equal(pairing->server_half.messages, 1);
}

static void both_may_close_at_once_with_full_queues(void **state)
{
	struct pairing *pairing = *state;

	pairing_connect(pairing);
	pairing->client.on_room = pairing->server_half.on_room = send_rest;
	pairing->client.to_send = pairing->server_half.to_send = 50;
	send_rest(&pairing->client);
	send_rest(&pairing->server_half);
	chan_close(&pairing->client.chan);
	chan_close(&pairing->server_half.chan);
	pairing_settle(pairing);
	assert_int_equal(pairing->client.closed, 1);
	assert_int_equal(pairing->server_half.closed, 1);
}

static void close_it(struct half *half)
{
	chan_close(&half->chan);
}

static void a_callback_may_close_and_hears_no_more(void **state)
{
	struct pairing *pairing = *state;

	pairing_connect(pairing);
	pairing->server_half.on_message = close_it;
	send_text(&pairing->client, "one");
	send_text(&pairing->client, "two");
	pairing_settle(pairing);
	assert_int_equal(pairing->server_half.messages, 1);
	assert_int_equal(pairing->server_half.closed, 1);
	assert_int_equal(pairing->client.closed, 1);
}

static void send_and_close(struct half *half)
{
	assert_true(send_text(half, "farewell"));
	chan_close(&half->chan);
}

static void a_message_sent_just_before_closing_in_a_callback_arrives(void **state)
{
	struct pairing *pairing = *state;

	pairing_connect(pairing);
	pairing->server_half.on_message = send_and_close;
	send_text(&pairing->client, "stop");
	pairing_settle(pairing);
	assert_int_equal(pairing->client.messages, 1);
	assert_memory_equal(pairing->client.last, "farewell", 8);
}

static void a_connecting_one_is_closed_at_once(void **state)
{
	struct pairing *pairing = *state;

	assert_ok(pairing_listen(pairing));
	assert_ok(pairing_call(pairing));
	chan_close(&pairing->client.chan);
	assert_int_equal(pairing->client.chan.state, CHAN_CLOSED);
	pairing_settle(pairing);
	assert_int_equal(pairing->client.opened, 0);
	assert_int_equal(pairing->server_half.closed, pairing->accepted);
}

static void one_that_was_never_used_can_be_released(void **state)
{
	struct chan chan = {.state = CHAN_CLOSED};

	(void)state;
	chan_fini(&chan);
	chan_fini(&chan);
}

/*
 * Death
 */

/* A client that sends so much, and dies. */
static void send_last_words(struct pairing *pairing, unsigned int count)
{
	pairing->config.recv_queue_size = 1024;
	pairing_connect(pairing);
	while (count--)
		send_text(&pairing->client, "x");
	sim_kill(&pairing->sim, &pairing->client_party);
}

static void what_the_dead_have_sent_is_read_first(void **state)
{
	struct pairing *pairing = *state;
	unsigned int i;

	send_last_words(pairing, 100);
	for (i = 0; i < 10; i++)
		poll_server(pairing);
	assert_int_equal(pairing->server_half.messages, 100);
	assert_int_equal(pairing->server_half.closed, 1);
	assert_int_equal(pairing->server_half.close_reason, DOCA_ERROR_CONNECTION_RESET);
}

static void death_ends_the_wait_for_room(void **state)
{
	struct pairing *pairing = *state;
	unsigned int i;

	pairing_connect(pairing);
	pairing->client.on_room = send_rest;
	pairing->client.to_send = 100;
	send_rest(&pairing->client);
	chan_close(&pairing->client.chan);
	sim_kill(&pairing->sim, &pairing->server_party);
	for (i = 0; i < 10; i++)
		poll_client(pairing);
	assert_int_equal(pairing->client.closed, 1);
	assert_int_equal(pairing->client.to_send, 84);
}

/*
 * Sleeping
 */

static void an_idle_connection_lets_its_group_sleep(void **state)
{
	struct pairing *pairing = *state;

	pairing_connect(pairing);
	assert_true(priv_poll_group_arm(&pairing->server_group));
	assert_true(priv_poll_group_arm(&pairing->client_group));
	send_text(&pairing->client, "x");
	priv_poll_group_clear(&pairing->server_group);
	poll_server(pairing);
	poll_server(pairing);
	assert_int_equal(pairing->server_half.messages, 1);
}

/* Who sleeps after each poll that has found something must not miss it. */
static void arm_sees_that_nothing_more_will_come(void **state)
{
	struct pairing *pairing = *state;
	struct half *server = &pairing->server_half;
	unsigned int i;

	send_last_words(pairing, 100);
	for (i = 0; i < 10 && server->messages < 100; i++)
		poll_server(pairing);
	assert_int_equal(server->messages, 100);
	assert_int_equal(server->closed, 0);
	assert_false(priv_poll_group_arm(&pairing->server_group));
	poll_server(pairing);
	assert_int_equal(server->closed, 1);
}

static void arm_sees_what_has_arrived(void **state)
{
	struct pairing *pairing = *state;

	pairing_connect(pairing);
	send_text(&pairing->client, "x");
	assert_false(priv_poll_group_arm(&pairing->server_group));
	pairing_settle(pairing);
	assert_int_equal(pairing->server_half.messages, 1);
}

/*
 * Faults
 */

static void a_delay_holds_messages_and_the_end_back(void **state)
{
	struct topo_faults faults = {.delay_ns = 50000000};
	struct pairing *pairing = *state;
	unsigned int i;

	pairing->server_party.faults = &faults;
	pairing_connect(pairing);
	send_text(&pairing->client, "slow");
	chan_close(&pairing->client.chan);
	poll_client(pairing);
	for (i = 0; i < 48; i++)
		poll_server(pairing);
	assert_int_equal(pairing->server_half.messages, 0);
	assert_int_equal(pairing->server_half.closed, 0);
	pairing_settle(pairing);
	assert_int_equal(pairing->server_half.messages, 1);
	assert_int_equal(pairing->server_half.closed, 1);
}

/* Whenever the clock says that it is due, between any two looks at it. */
static void nothing_overtakes_a_message_that_is_held_back(void **state)
{
	struct topo_faults faults = {.delay_ns = 50000};
	uint64_t step_ns;

	for (step_ns = 1000; step_ns <= 50000; step_ns += 1000) {
		struct pairing *pairing;

		pairing_setup((void **)&pairing);
		pairing->server_party.faults = &faults;
		pairing_connect(pairing);
		send_text(&pairing->client, "slow");
		chan_close(&pairing->client.chan);
		poll_client(pairing);
		priv_clock_virtual.step_ns = step_ns;
		while (!pairing->server_half.closed)
			poll_server(pairing);
		priv_clock_virtual.step_ns = 0;
		assert_int_equal(pairing->server_half.messages, 1);
		pairing_teardown((void **)&pairing);
	}
	(void)state;
}

static void a_delay_lets_its_group_sleep_until_it_is_over(void **state)
{
	struct topo_faults faults = {.delay_ns = 50000000};
	struct pairing *pairing = *state;

	pairing->server_party.faults = &faults;
	pairing_connect(pairing);
	send_text(&pairing->client, "slow");
	poll_server(pairing);
	assert_true(priv_poll_group_arm(&pairing->server_group));
	priv_clock_virtual.now_ns = priv_poll_group_next_deadline(&pairing->server_group);
	poll_server(pairing);
	poll_server(pairing);
	assert_int_equal(pairing->server_half.messages, 1);
}

static void a_broken_connection_is_lost_on_both_sides(void **state)
{
	struct topo_faults faults = {.drop_after = 10};
	struct pairing *pairing = *state;

	pairing->client_party.faults = &faults;
	pairing_connect(pairing);
	pairing->client.on_room = send_rest;
	pairing->client.to_send = 20;
	send_rest(&pairing->client);
	pairing_settle(pairing);
	assert_int_equal(pairing->server_half.messages, 10);
	assert_int_equal(pairing->client.closed, 1);
	assert_int_equal(pairing->client.close_reason, DOCA_ERROR_CONNECTION_RESET);
	assert_int_equal(pairing->server_half.closed, 1);
	assert_int_equal(pairing->server_half.close_reason, DOCA_ERROR_CONNECTION_RESET);
}

static void a_full_queue_on_purpose_loses_nothing(void **state)
{
	struct topo_faults faults = {.full_percent = 100};
	struct pairing *pairing = *state;

	pairing->client_party.faults = &faults;
	pairing_connect(pairing);
	pairing->client.on_room = send_rest;
	pairing->client.to_send = 20;
	send_rest(&pairing->client);
	assert_int_equal(pairing->client.to_send, 20);
	assert_false(priv_poll_group_arm(&pairing->client_group));
	pairing_settle(pairing);
	assert_int_equal(pairing->client.to_send, 0);
	assert_int_equal(pairing->server_half.messages, 20);
}

/*
 * A peer that lies about small messages; the rest is in tests/contract/hostile_peer.c
 */

static void a_small_message_beyond_a_small_maximum_ends_it(void **state)
{
	struct pairing *pairing = *state;
	struct handshake hello;
	struct raw raw;

	pairing->config.max_msg_size = 16;
	assert_ok(pairing_listen(pairing));
	priv_party_switch(&pairing->client_party);
	raw_init(&raw);
	assert_ok(raw_call(&raw, &pairing->config.addr));
	hello = raw_hello(&pairing->config.addr);
	hello.hello.max_msg_size = 16;
	raw_introduce(&raw, &hello);
	pairing_settle(pairing);
	raw_poll(&raw);
	assert_true(raw_push(&raw, CHAN_MESSAGE, "0123456789abcdef", 16));
	pairing_settle(pairing);
	assert_int_equal(pairing->server_half.messages, 1);
	assert_true(raw_push(&raw, CHAN_MESSAGE, "0123456789abcdefg", 17));
	pairing_settle(pairing);
	assert_int_equal(pairing->server_half.messages, 1);
	assert_int_equal(pairing->server_half.closed, 1);
	assert_int_equal(pairing->server_half.close_reason, DOCA_ERROR_INVALID_VALUE);
	raw_fini(&raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(messages_go_both_ways),
		TEST(counters_count_messages_and_bytes),
		TEST(send_says_no_when_the_queue_is_full),
		TEST(room_is_told_as_often_as_asked),
		TEST(a_long_queue_of_large_messages_takes_little_memory),
		TEST(a_poll_is_bounded),
		TEST(long_messages_of_the_same_user_stay_where_they_are),
		TEST(any_maximum_works),
		TEST(closing_is_told_once_on_each_side),
		TEST(what_was_sent_before_closing_arrives),
		TEST(what_waits_for_room_is_sent_before_the_end),
		TEST(closing_does_not_wait_for_a_peer_that_does_not_read),
		TEST(both_may_close_at_once_with_full_queues),
		TEST(a_callback_may_close_and_hears_no_more),
		TEST(a_message_sent_just_before_closing_in_a_callback_arrives),
		TEST(a_connecting_one_is_closed_at_once),
		cmocka_unit_test(one_that_was_never_used_can_be_released),
		TEST(what_the_dead_have_sent_is_read_first),
		TEST(death_ends_the_wait_for_room),
		TEST(an_idle_connection_lets_its_group_sleep),
		TEST(arm_sees_what_has_arrived),
		TEST(arm_sees_that_nothing_more_will_come),
		TEST(a_delay_holds_messages_and_the_end_back),
		cmocka_unit_test(nothing_overtakes_a_message_that_is_held_back),
		TEST(a_delay_lets_its_group_sleep_until_it_is_over),
		TEST(a_broken_connection_is_lost_on_both_sides),
		TEST(a_full_queue_on_purpose_loses_nothing),
		TEST(a_small_message_beyond_a_small_maximum_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
