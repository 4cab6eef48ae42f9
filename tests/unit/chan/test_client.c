/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A client's way in: whom it finds, how long it looks, what it makes of the answer. The server is
 * the real one or one by hand.
 */
#include "pairing.h"

#include <unistd.h>
#include "doca_log.h"
#include "base/fd.h"

#define WAIT_NS	   500000000u /* SOFTFIELD_CONNECT_WAIT, see main() */
#define HUGE_INBOX (((size_t)1 << 30) + 4096)

static void expect_failure(struct pairing *pairing, doca_error_t result)
{
	pairing_settle(pairing);
	assert_int_equal(pairing->client.opened, 1);
	assert_int_equal(pairing->client.open_result, result);
	assert_int_equal(pairing->client.chan.state, CHAN_CLOSED);
	assert_int_equal(pairing->client.closed, 0);
}

static void pass(struct pairing *pairing, uint64_t ns)
{
	uint64_t until = priv_clock_virtual.now_ns + ns;

	while (priv_clock_virtual.now_ns < until)
		pairing_settle(pairing);
}

/*
 * Looking for the server
 */

static void the_outcome_is_told_from_a_poll(void **state)
{
	struct pairing *pairing = *state;

	assert_ok(pairing_call(pairing));
	assert_int_equal(pairing->client.opened, 0);
	pass(pairing, WAIT_NS);
	expect_failure(pairing, DOCA_ERROR_NOT_FOUND);
}

static void a_server_that_comes_in_time_is_found(void **state)
{
	struct pairing *pairing = *state;

	assert_ok(pairing_call(pairing));
	poll_client(pairing);
	poll_client(pairing);
	assert_int_equal(pairing->client.opened, 0);
	assert_ok(pairing_listen(pairing));
	pairing_settle(pairing);
	assert_int_equal(pairing->client.opened, 1);
	assert_ok(pairing->client.open_result);
}

/* Hundreds that do it each millisecond would leave their processor no time for anything else. */
static void who_has_waited_for_long_looks_less_often(void **state)
{
	struct pairing *pairing = *state;
	const struct timer *retry = &pairing->client.chan.retry;
	uint64_t start_ns = priv_clock_virtual.now_ns, next_ns = 0;
	unsigned int looks = 0;

	assert_ok(pairing_call(pairing));
	while (!pairing->client.opened) {
		looks += retry->deadline_ns != next_ns;
		next_ns = retry->deadline_ns;
		poll_client(pairing);
	}
	assert_int_equal(pairing->client.open_result, DOCA_ERROR_NOT_FOUND);
	assert_true(looks > 30 && looks < 100);
	assert_true(priv_clock_virtual.now_ns - start_ns < WAIT_NS + WAIT_NS / 100);
}

static void who_waits_may_give_up(void **state)
{
	struct pairing *pairing = *state;

	assert_ok(pairing_call(pairing));
	poll_client(pairing);
	chan_close(&pairing->client.chan);
	assert_int_equal(pairing->client.chan.state, CHAN_CLOSED);
	assert_ok(pairing_listen(pairing));
	pairing_settle(pairing);
	assert_int_equal(pairing->client.opened, 0);
	assert_int_equal(pairing->accepted, 0);
}

static void a_busy_server_is_asked_again(void **state)
{
	struct pairing *pairing = *state;

	pairing->sim.busy_percent = 100;
	assert_ok(pairing_listen(pairing));
	assert_ok(pairing_call(pairing));
	pass(pairing, 2 * WAIT_NS); /* longer than for one that is not there */
	assert_int_equal(pairing->client.opened, 0);
	pairing->sim.busy_percent = 0;
	pairing_settle(pairing);
	assert_int_equal(pairing->client.opened, 1);
	assert_ok(pairing->client.open_result);
}

static void a_server_that_dies_before_it_answers_is_lost(void **state)
{
	struct pairing *pairing = *state;

	assert_ok(pairing_listen(pairing));
	assert_ok(pairing_call(pairing));
	pairing->client.chan.wait_until_ns = 0;
	sim_kill(&pairing->sim, &pairing->server_party);
	expect_failure(pairing, DOCA_ERROR_CONNECTION_RESET);
}

static void a_server_that_stops_before_it_answers_is_lost(void **state)
{
	struct pairing *pairing = *state;

	assert_ok(pairing_listen(pairing));
	assert_ok(pairing_call(pairing));
	pairing->client.chan.wait_until_ns = 0;
	chan_server_stop(&pairing->server);
	expect_failure(pairing, DOCA_ERROR_CONNECTION_RESET);
}

static void who_waits_finds_the_next_server(void **state)
{
	struct pairing *pairing = *state;

	assert_ok(pairing_listen(pairing));
	assert_ok(pairing_call(pairing));
	chan_server_stop(&pairing->server);
	poll_client(pairing);
	assert_int_equal(pairing->client.opened, 0);
	assert_ok(pairing_listen(pairing));
	pairing_settle(pairing);
	assert_int_equal(pairing->client.opened, 1);
	assert_ok(pairing->client.open_result);
	assert_int_equal(pairing->accepted, 1);
}

static void who_waits_for_no_other_server_in_time_finds_none(void **state)
{
	struct pairing *pairing = *state;

	assert_ok(pairing_listen(pairing));
	assert_ok(pairing_call(pairing));
	chan_server_stop(&pairing->server);
	pass(pairing, WAIT_NS);
	expect_failure(pairing, DOCA_ERROR_NOT_FOUND);
}

/*
 * Answers of a server by hand
 */

static const struct handshake accept_all = {.type = HANDSHAKE_ACCEPT,
					    .accept.max_msg_size = PAIRING_MSG};

/* a client that has said HELLO and waits */
static void be_called(struct raw *hand, struct pairing *pairing)
{
	priv_party_switch(&pairing->server_party);
	raw_init(hand);
	assert_ok(raw_listen(hand, &pairing->config.addr));
	assert_ok(pairing_call(pairing));
	raw_poll(hand);
	raw_poll(hand);
	assert_int_equal(hand->answer.type, HANDSHAKE_HELLO);
	assert_int_equal(hand->answer.hello.max_msg_size, PAIRING_MSG);
	assert_string_equal(hand->answer.hello.service, "pairing");
}

static void answer(struct raw *hand, const struct handshake *handshake, const int *fds,
		   unsigned int fd_count)
{
	uint8_t msg[FD_MESSAGE_MAX];

	raw_send(hand, msg, priv_handshake_encode(handshake, msg), fds, fd_count);
}

static void end_by_hand(struct raw *hand)
{
	raw_poll(hand);
	assert_null(hand->link); /* the client has hung up */
	raw_fini(hand);
}

static void an_accepting_answer_opens(void **state)
{
	struct pairing *pairing = *state;
	struct raw hand;

	be_called(&hand, pairing);
	raw_introduce(&hand, &accept_all);
	pairing_settle(pairing);
	assert_int_equal(pairing->client.opened, 1);
	assert_ok(pairing->client.open_result);
	raw_push(&hand, CHAN_MESSAGE, "hello", 5);
	pairing_settle(pairing);
	assert_int_equal(pairing->client.messages, 1);
	raw_push(&hand, CHAN_FIN, "", 0);
	pairing_settle(pairing);
	assert_int_equal(pairing->client.closed, 1);
	end_by_hand(&hand);
}

/* Not even when it had taken the client in. */
static void what_a_lost_server_sent_is_not_of_the_next_one(void **state)
{
	struct pairing *pairing = *state;
	struct raw hand;

	be_called(&hand, pairing);
	raw_push(&hand, CHAN_MESSAGE, "stale", 5);
	raw_fini(&hand);
	poll_client(pairing);
	assert_ok(pairing_listen(pairing));
	pairing_settle(pairing);
	assert_int_equal(pairing->client.opened, 1);
	assert_ok(pairing->client.open_result);
	assert_int_equal(pairing->client.messages, 0);
}

static void a_refusal_tells_why(void **state)
{
	const struct handshake reject = {.type = HANDSHAKE_REJECT,
					 .reject = {DOCA_ERROR_FULL, "no place"}};
	struct pairing *pairing = *state;
	struct raw hand;

	be_called(&hand, pairing);
	answer(&hand, &reject, NULL, 0);
	expect_failure(pairing, DOCA_ERROR_FULL);
	end_by_hand(&hand);
}

static char log_line[1024];
static unsigned int refusals_logged;

static void look_at_line(char *line)
{
	refusals_logged += strstr(line, "refused: a?b?[2J?c\n") != NULL;
}

/* A stranger writes no lines of his own into the log. */
static void a_reason_is_printed_in_one_line(void **state)
{
	const struct handshake reject = {.type = HANDSHAKE_REJECT,
					 .reject = {DOCA_ERROR_FULL, "a\nb\033[2J\377c"}};
	struct pairing *pairing = *state;
	struct doca_log_backend *backend;
	struct raw hand;

	assert_ok(doca_log_backend_create_with_buf_sdk(log_line, sizeof(log_line), look_at_line,
						       &backend));
	be_called(&hand, pairing);
	answer(&hand, &reject, NULL, 0);
	expect_failure(pairing, DOCA_ERROR_FULL);
	assert_int_equal(refusals_logged, 1);
	end_by_hand(&hand);
}

static char answer_line[1024];
static unsigned int answers_logged, waits_logged;

static void look_at_answer(char *line)
{
	answers_logged += strstr(line, "the answer of server \"pairing\" cannot be taken") != NULL;
	waits_logged += strstr(line, "cannot wait for another server") != NULL;
}

/* Its descriptors find no room here: that server is still there, and nobody waits for another. */
static void an_answer_that_cannot_be_taken_is_told_as_such(void **state)
{
	struct pairing *pairing = *state;
	struct link *link;
	struct doca_log_backend *backend;
	struct raw hand;

	assert_ok(doca_log_backend_create_with_buf_sdk(answer_line, sizeof(answer_line),
						       look_at_answer, &backend));
	be_called(&hand, pairing);
	link = pairing->client.chan.link;
	link->handler->lost(link, DOCA_ERROR_INVALID_VALUE);
	expect_failure(pairing, DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(answers_logged, 1);
	assert_int_equal(waits_logged, 0);
	end_by_hand(&hand);
}

static void a_refusal_without_a_reason_is_one_too(void **state)
{
	const struct handshake reject = {.type = HANDSHAKE_REJECT};
	struct pairing *pairing = *state;
	struct raw hand;

	be_called(&hand, pairing);
	answer(&hand, &reject, &hand.bell, 1);
	expect_failure(pairing, DOCA_ERROR_CONNECTION_ABORTED);
	end_by_hand(&hand);
}

static void nonsense_is_another_protocol(void **state)
{
	struct pairing *pairing = *state;
	struct raw hand;

	be_called(&hand, pairing);
	raw_send(&hand, "nonsense", 8, &hand.bell, 1);
	expect_failure(pairing, DOCA_ERROR_UNSUPPORTED_VERSION);
	end_by_hand(&hand);
}

static void an_answer_to_another_question_is_refused(void **state)
{
	static const enum handshake_type types[] = {HANDSHAKE_HELLO,  HANDSHAKE_QUERY,
						    HANDSHAKE_SERVER, HANDSHAKE_CONNECTION,
						    HANDSHAKE_END,    HANDSHAKE_MEMORY};
	struct pairing *pairing = *state;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		const struct handshake handshake = {.type = types[i]};
		struct raw hand;

		pairing->client.opened = 0;
		be_called(&hand, pairing);
		answer(&hand, &handshake, NULL, 0);
		expect_failure(pairing, DOCA_ERROR_UNSUPPORTED_VERSION);
		end_by_hand(&hand);
	}
}

static void an_inbox_that_cannot_be_used_is_refused(void **state)
{
	struct pairing *pairing = *state;
	unsigned int count;

	for (count = 0; count <= FD_MESSAGE_FDS_MAX; count++) {
		struct raw hand;
		int fds[FD_MESSAGE_FDS_MAX];
		unsigned int i;

		pairing->client.opened = 0;
		be_called(&hand, pairing);
		for (i = 0; i < FD_MESSAGE_FDS_MAX; i++)
			fds[i] = hand.bell; /* two of them, but no memory */
		answer(&hand, &accept_all, fds, count);
		expect_failure(pairing, DOCA_ERROR_INVALID_VALUE);
		end_by_hand(&hand);
	}
}

static void an_inbox_too_small_for_a_message_is_refused(void **state)
{
	struct pairing *pairing = *state;
	struct raw hand;

	be_called(&hand, pairing);
	priv_ring_receiver_init(&hand.rx, hand.inbox->addr, 64, PAIRING_MSG / 2);
	raw_introduce(&hand, &accept_all);
	expect_failure(pairing, DOCA_ERROR_INVALID_VALUE);
	end_by_hand(&hand);
}

/* It would be mapped as a whole. */
static void an_inbox_of_more_than_a_gigabyte_is_refused(void **state)
{
	struct pairing *pairing = *state;
	struct link_mem *huge;
	struct raw hand;
	int fds[2];

	be_called(&hand, pairing);
	assert_ok(priv_link_mem_create("huge", HUGE_INBOX, 4096, &huge));
	priv_ring_receiver_init(&hand.rx, huge->addr, 64, PAIRING_MSG);
	fds[0] = huge->fd;
	fds[1] = hand.bell;
	answer(&hand, &accept_all, fds, 2);
	expect_failure(pairing, DOCA_ERROR_INVALID_VALUE);
	end_by_hand(&hand);
	priv_link_mem_unref(huge);
}

static void silence_lasts_until_the_client_gives_up(void **state)
{
	struct pairing *pairing = *state;
	struct raw hand;

	be_called(&hand, pairing);
	pass(pairing, 10 * WAIT_NS);
	assert_int_equal(pairing->client.opened, 0);
	chan_close(&pairing->client.chan);
	pairing_settle(pairing);
	end_by_hand(&hand);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_outcome_is_told_from_a_poll),
		TEST(a_server_that_comes_in_time_is_found),
		TEST(who_has_waited_for_long_looks_less_often),
		TEST(who_waits_may_give_up),
		TEST(a_busy_server_is_asked_again),
		TEST(a_server_that_dies_before_it_answers_is_lost),
		TEST(a_server_that_stops_before_it_answers_is_lost),
		TEST(who_waits_finds_the_next_server),
		TEST(who_waits_for_no_other_server_in_time_finds_none),
		TEST(an_accepting_answer_opens),
		TEST(what_a_lost_server_sent_is_not_of_the_next_one),
		TEST(a_refusal_tells_why),
		TEST(a_reason_is_printed_in_one_line),
		TEST(an_answer_that_cannot_be_taken_is_told_as_such),
		TEST(a_refusal_without_a_reason_is_one_too),
		TEST(nonsense_is_another_protocol),
		TEST(an_answer_to_another_question_is_refused),
		TEST(an_inbox_that_cannot_be_used_is_refused),
		TEST(an_inbox_too_small_for_a_message_is_refused),
		TEST(an_inbox_of_more_than_a_gigabyte_is_refused),
		TEST(silence_lasts_until_the_client_gives_up),
	};

	setenv("SOFTFIELD_CONNECT_WAIT", "500ms", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
