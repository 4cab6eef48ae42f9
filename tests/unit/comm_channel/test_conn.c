/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whose message is next, also when there are more clients than a poll group keeps hot; a client
 * that lies about when it has sent; a card that is strict.
 */
#include "eptest.h"

#include "descriptors.h"

#define MANY 40

struct crowd {
	ep_t *eps[MANY];
	addr_t *to[MANY];
};

static void add_to_crowd(struct rig *rig, struct crowd *crowd, unsigned int i)
{
	doca_error_t err;

	crowd->eps[i] = late_client(rig);
	assert_ok(doca_comm_channel_ep_connect(crowd->eps[i], rig->name, &crowd->to[i]));
	while ((err = doca_comm_channel_peer_addr_update_info(crowd->to[i])) ==
	       DOCA_ERROR_CONNECTION_INPROGRESS)
		assert_err(receive(rig, rig->service), AGAIN);
	assert_ok(err);
}

static void say_number(struct crowd *crowd, unsigned int i, uint32_t number)
{
	assert_ok(doca_comm_channel_ep_sendto(crowd->eps[i], &number, sizeof(number), 0,
					      crowd->to[i]));
}

static void expect_number(struct rig *rig, uint32_t number)
{
	uint32_t got;

	assert_ok(await(rig, rig->service));
	memcpy(&got, rig->msg, sizeof(got));
	assert_int_equal(got, number);
}

static void messages_come_in_the_order_of_sending(void **state)
{
	struct rig *rig = *state;
	struct crowd crowd;
	uint32_t number = 0, expected = 0;
	unsigned int i, turn;

	for (i = 0; i < MANY; i++)
		add_to_crowd(rig, &crowd, i);
	/* Everybody is idle for so long that most are left to the kernel. */
	for (i = 0; i < 20000; i++)
		assert_err(receive(rig, rig->service), AGAIN);
	for (turn = 0; turn < 5; turn++) {
		for (i = 0; i < MANY; i++)
			say_number(&crowd, (i * 7 + turn) % MANY, number++);
		say_number(&crowd, turn, number++); /* bursts of one, also */
		say_number(&crowd, turn, number++);
	}
	while (expected < number)
		expect_number(rig, expected++);
	for (i = 0; i < MANY; i++)
		assert_ok(doca_comm_channel_ep_destroy(crowd.eps[i]));
}

/* What the first client has said before there was a second one comes first. */
static void the_first_client_did_not_know_of_others(void **state)
{
	struct rig *rig = *state;
	struct crowd crowd;

	add_to_crowd(rig, &crowd, 0);
	say_number(&crowd, 0, 0);
	crowd.eps[1] = late_client(rig);
	assert_ok(doca_comm_channel_ep_connect(crowd.eps[1], rig->name, &crowd.to[1]));
	while (doca_comm_channel_peer_addr_update_info(crowd.to[1]) ==
	       DOCA_ERROR_CONNECTION_INPROGRESS)
		assert_ok(doca_comm_channel_ep_update_service_state_info(rig->service));
	say_number(&crowd, 1, 1);
	say_number(&crowd, 0, 2);
	say_number(&crowd, 1, 3);
	expect_number(rig, 0);
	expect_number(rig, 1);
	expect_number(rig, 2);
	expect_number(rig, 3);
	assert_ok(doca_comm_channel_ep_destroy(crowd.eps[0]));
	assert_ok(doca_comm_channel_ep_destroy(crowd.eps[1]));
}

static struct chan *chan_of(addr_t *addr)
{
	return &addr->conn->chan;
}

#define SHORT_QUEUE 16

static void listen_with_a_short_queue(struct rig *rig)
{
	assert_ok(doca_comm_channel_ep_destroy(rig->service));
	rig->service = late_service(rig);
	assert_ok(doca_comm_channel_ep_set_recv_queue_size(rig->service, SHORT_QUEUE));
	assert_ok(doca_comm_channel_ep_listen(rig->service, rig->name));
}

/* What was sent before a turn of the queue had been read is believed to be that old. */
static void an_honest_client_is_believed_at_a_turn_of_its_queue(void **state)
{
	struct rig *rig = *state;
	unsigned int i, turn;

	listen_with_a_short_queue(rig);
	add_client(rig, 0);
	add_client(rig, 1);
	for (turn = 0; turn < 2 * SHORT_QUEUE; turn++) {
		for (i = 0; i < SHORT_QUEUE; i++)
			assert_ok(send_text(rig->clients[0], "more", rig->to[0]));
		expect(rig, rig->service, "more");
		assert_ok(send_text(rig->clients[0], "before", rig->to[0]));
		assert_ok(send_text(rig->clients[1], "after", rig->to[1]));
		for (i = 1; i < SHORT_QUEUE; i++)
			expect(rig, rig->service, "more");
		expect(rig, rig->service, "before");
		expect(rig, rig->service, "after");
	}
}

/* hours, at least: far less would do, and far more is the future (conn_complete_stamp()) */
static void lie(struct chan *liar)
{
	priv_ring_push_stamped(&liar->tx, CHAN_MESSAGE, clock_ticks() - (1ull << 45), "L", 1);
}

/* A client says that its messages are as old as the hills, and always has some. */
static void a_liar_does_not_keep_the_others_waiting(void **state)
{
	struct rig *rig = *state;
	struct chan *liar;
	unsigned int before = 0, lines;

	listen_with_a_short_queue(rig);
	add_client(rig, 0);
	add_client(rig, 1);
	liar = chan_of(rig->to[0]);
	lines = liar->tx.mask + 1;
	while (ring_has_room(&liar->tx))
		lie(liar);
	assert_ok(send_text(rig->clients[1], "honest", rig->to[1]));
	for (;;) {
		assert_ok(await(rig, rig->service));
		if (rig->sender == rig->from[1])
			break;
		assert_true(++before <= 3 * lines);
		if (ring_has_room(&liar->tx))
			lie(liar);
	}
}

/* One that says that it will have sent them tomorrow waits for the others, and for nothing else. */
static void a_message_from_the_future_is_read(void **state)
{
	struct rig *rig = *state;
	struct chan *liar;

	add_client(rig, 0);
	add_client(rig, 1);
	liar = chan_of(rig->to[0]);
	assert_true(ring_has_room(&liar->tx));
	priv_ring_push_stamped(&liar->tx, CHAN_MESSAGE, clock_ticks() + (1ull << 40), "far", 3);
	assert_ok(send_text(rig->clients[1], "now", rig->to[1]));
	expect(rig, rig->service, "now");
	expect(rig, rig->service, "far");
}

/* The clock of a machine that has run for hours has more bits than a record; they are guessed. */
static void a_stamp_is_completed_whatever_the_time(void **state)
{
	static const uint64_t times[] = {5000,		1ull << 45,	      (1ull << 46) - 1,
					 1ull << 46,	(1ull << 46) + 12345, (1ull << 47) - 100,
					 1ull << 47,	(1ull << 47) + 100,   3ull << 46,
					 12345ull << 47};
	static const int64_t offsets[] = {-4000, -1, 0, 1, 1 << 30};
	unsigned int i, k;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(times); i++)
		for (k = 0; k < ARRAY_SIZE(offsets); k++) {
			uint64_t stamp = times[i] + (uint64_t)offsets[k];

			assert_int_equal(conn_complete_stamp(stamp & RING_STAMP_MASK, times[i]),
					 stamp);
		}
}

/* What a peer takes back after it was announced costs it its connection, and nothing else. */
static void a_message_that_is_taken_back(void **state)
{
	struct rig *rig = *state;
	struct chan *liar;
	struct ring_line *line;

	add_client(rig, 0);
	add_client(rig, 1);
	liar = chan_of(rig->to[0]);
	line = &liar->tx.lines[liar->tx.head & liar->tx.mask];
	assert_ok(send_text(rig->clients[0], "gone", rig->to[0]));
	assert_ok(send_text(rig->clients[1], "stays", rig->to[1]));
	assert_ok(doca_comm_channel_ep_update_service_state_info(rig->service)); /* sees both */
	atomic_store(&line->seq, 0);
	expect(rig, rig->service, "stays");
	assert_err(send_text(rig->service, "?", rig->from[0]), CONNECTION_RESET);
	assert_ok(send_text(rig->service, "well", rig->from[1]));
}

static void messages_beyond_the_maximum_cost_the_connection(void **state)
{
	static const char msg[100];
	struct rig *rig = *state;
	struct ring_line *line;
	struct chan *liar;

	assert_ok(doca_comm_channel_ep_destroy(rig->service));
	rig->service = late_service(rig);
	assert_ok(doca_comm_channel_ep_set_max_msg_size(rig->service, 256));
	assert_ok(doca_comm_channel_ep_listen(rig->service, rig->name));
	add_client(rig, 0);
	liar = chan_of(rig->to[0]);
	assert_true(ring_has_room(&liar->tx));
	line = &liar->tx.lines[liar->tx.head & liar->tx.mask];
	ring_push(&liar->tx, CHAN_MESSAGE, msg, sizeof(msg));
	line->offset = 0;
	line->size = 4000;
	assert_err(receive(rig, rig->service), AGAIN);
	assert_err(send_text(rig->service, "?", rig->from[0]), CONNECTION_RESET);
}

static void a_client_that_never_spoke_leaves_nothing(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	for (i = 0; i < 100; i++) {
		connect_client(rig, 0);
		assert_ok(doca_comm_channel_ep_disconnect(rig->clients[0], rig->to[0]));
		while (rig->service->open_count)
			assert_err(receive(rig, rig->service), AGAIN);
		assert_true(list_is_empty(&rig->service->peers));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SERVICE_TEST(messages_come_in_the_order_of_sending),
		SERVICE_TEST(the_first_client_did_not_know_of_others),
		SERVICE_TEST(an_honest_client_is_believed_at_a_turn_of_its_queue),
		SERVICE_TEST(a_liar_does_not_keep_the_others_waiting),
		SERVICE_TEST(a_message_from_the_future_is_read),
		cmocka_unit_test(a_stamp_is_completed_whatever_the_time),
		SERVICE_TEST(a_message_that_is_taken_back),
		SERVICE_TEST(messages_beyond_the_maximum_cost_the_connection),
		SERVICE_TEST(a_client_that_never_spoke_leaves_nothing),
	};

	if (!many_descriptors_are_allowed())
		return 77; /* skipped */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
