/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that find nothing let others run, who may be the peer; those that have something to do keep
 * the CPU. All of it by a virtual clock.
 */
#include "eptest.h"

#include "base/clock.h"

#define LOOK_NS	     1000    /* from one look at the clock to the next */
#define AWAY_NS	     1000000 /* that a thread had no CPU */
#define CALLS_MAX    10000
#define FORGET_AFTER 40 /* times in vain */
#define WAITS	     3

static unsigned int yields, sleeps;
static struct rig *peer_of; /* somebody to whom that service sends something when it is let run */
static uint64_t others_ns;  /* that others take; the peer runs elsewhere, and answers who sleeps */
static int send_fd = -1;    /* looked at by who sleeps */
static bool was_told;	    /* it was readable then */
static const ep_t *sleeper; /* who is to sleep without its lock */
static struct rig *sender;  /* whose client sends when somebody sleeps for the first time */
static bool was_woken;	    /* for what that has come across */
static struct rig *reader;  /* whose service reads when somebody sleeps for the first time */

/* It polls nothing: this is not its thread. */
static void let_peer_run(void)
{
	priv_clock_virtual.now_ns += LOOK_NS;
	if (peer_of)
		assert_true(chan_send(&peer_of->from[0]->conn->chan, "answer", 6));
}

/* This one and poll() are the library's, too. */
int sched_yield(void)
{
	yields++;
	assert_true(yields < CALLS_MAX);
	if (others_ns)
		priv_clock_virtual.now_ns += others_ns;
	else
		let_peer_run();
	return 0;
}

static void drain_service(void)
{
	struct rig *rig = reader;

	reader = NULL;
	peer_of = rig; /* from the next time on */
	while (!receive(rig, rig->service))
		;
}

/* Another thread, which finds before the sleeper does what has been sent. */
static void send_while_it_sleeps(struct pollfd *fds)
{
	const struct timespec at_once = {0};

	peer_of = sender;
	let_peer_run();
	for (unsigned int i = 0; i < 2; i++) /* the first one is an answer and looks at little */
		assert_ok(send_text(sender->clients[0], "more", sender->to[0]));
	sender = NULL;
	was_woken = ppoll(fds, 1, &at_once, NULL) == 1;
}

int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	const struct timespec at_once = {0};

	if (timeout_ms) {
		sleeps++;
		if (timeout_ms > 0)
			priv_clock_virtual.now_ns += (uint64_t)timeout_ms * 1000000;
		if (sleeper)
			assert_false(atomic_load(&sleeper->is_locked));
		was_told = send_fd >= 0 && is_readable(send_fd);
		if (sender)
			send_while_it_sleeps(fds);
		else if (reader)
			drain_service();
		else
			let_peer_run();
	}
	return ppoll(fds, count, &at_once, NULL);
}

static int setup_pair(void **state)
{
	struct rig *rig;

	setup_service(state);
	rig = *state;
	add_client(rig, 0);
	assert_ok(send_text(rig->service, "hello", rig->from[0]));
	expect(rig, rig->clients[0], "hello"); /* of whom the thread now expects work */
	priv_clock_virtual = (struct clock_virtual){.on = true, .now_ns = 1, .step_ns = LOOK_NS};
	return 0;
}

static int teardown_pair(void **state)
{
	priv_clock_virtual = (struct clock_virtual){0};
	peer_of = NULL;
	others_ns = 0;
	send_fd = -1;
	sleeper = NULL;
	return teardown(state);
}

static void whoever_could_send_keeps_the_cpu(void **state)
{
	struct rig *rig = *state;

	yields = 0;
	for (unsigned int i = 0; i < EP_QUEUE_SIZE_MIN; i++) {
		priv_clock_virtual.now_ns += AWAY_NS;
		assert_ok(send_text(rig->clients[0], "more", rig->to[0]));
	}
	assert_int_equal(yields, 0);
}

static void whoever_waits_for_room_lets_others_run(void **state)
{
	struct rig *rig = *state;

	while (!send_text(rig->clients[0], "more", rig->to[0]))
		;
	yields = 0;
	for (unsigned int i = 0; !yields; i++) {
		assert_true(i < CALLS_MAX);
		assert_err(send_text(rig->clients[0], "more", rig->to[0]), AGAIN);
	}
}

/* How many calls in vain does it take until others are let run? */
static unsigned int count_calls(struct rig *rig)
{
	unsigned int before = yields, calls = 0;

	for (; yields == before; calls++) {
		assert_true(calls < CALLS_MAX);
		assert_err(receive(rig, rig->clients[0]), AGAIN);
	}
	return calls;
}

static void forget_peers(struct rig *rig)
{
	peer_of = NULL;
	for (unsigned int i = 0; i < FORGET_AFTER; i++)
		count_calls(rig);
}

static void a_peer_on_the_same_cpu_is_let_run_sooner_and_sooner(void **state)
{
	struct rig *rig = *state;
	unsigned int first = 0, last = 0;

	forget_peers(rig);
	for (unsigned int i = 0; i < 20; i++) {
		peer_of = rig;
		last = count_calls(rig);
		peer_of = NULL;
		first = first ? first : last;
		assert_ok(receive(rig, rig->clients[0]));
	}
	assert_true(last < first / 4);
}

static void a_call_that_waits_lets_others_run_before_it_sleeps(void **state)
{
	struct rig *rig = *state;

	forget_peers(rig);
	rig->clients[0]->blocks = true;
	peer_of = rig;
	yields = sleeps = 0;
	for (unsigned int i = 1; i <= 3; i++) {
		assert_ok(receive(rig, rig->clients[0]));
		assert_int_equal(yields, i);
	}
	assert_int_equal(sleeps, 0);
}

static void wait_beside_others(struct rig *rig, uint64_t ns)
{
	forget_peers(rig);
	rig->clients[0]->blocks = true;
	peer_of = rig;
	others_ns = ns;
	priv_clock_virtual.step_ns = LOOK_NS / 10; /* it looks often before it sleeps */
	yields = sleeps = 0;
	for (unsigned int i = 1; i <= WAITS; i++) {
		assert_ok(receive(rig, rig->clients[0]));
		assert_int_equal(sleeps, i);
	}
}

static void a_call_that_waits_beside_others_sleeps(void **state)
{
	wait_beside_others(*state, AWAY_NS);
	assert_int_equal(yields, WAITS);
}

/* Who sleeps has the CPU as soon as there is work, who yields has it when they are through. */
static void others_that_keep_the_cpu_are_not_waited_for_each_time(void **state)
{
	wait_beside_others(*state, 3 * AWAY_NS);
	assert_true(yields < WAITS);
}

/* Beside others who keep the CPU nobody waits for them: whoever is woken has it back at once. */
static void whoever_asks_again_and_again_naps_beside_others(void **state)
{
	struct rig *rig = *state;

	forget_peers(rig);
	peer_of = rig;
	count_calls(rig);
	assert_ok(receive(rig, rig->clients[0])); /* where the thread waits from now on */
	peer_of = NULL;
	others_ns = 3 * AWAY_NS;
	count_calls(rig);
	count_calls(rig); /* the first time may be chance */
	others_ns = 0;
	yields = sleeps = 0;
	sleeper = rig->clients[0];
	for (unsigned int i = 0; !sleeps; i++) {
		assert_true(i < CALLS_MAX);
		assert_err(receive(rig, rig->clients[0]), AGAIN);
	}
	assert_int_equal(yields, 0);
	peer_of = rig;
	while (sleeps < 2)
		assert_err(receive(rig, rig->clients[0]), AGAIN);
	assert_ok(receive(rig, rig->clients[0]));
}

/* Whoever sleeps in a call may take what another thread waits for at a descriptor. */
static void a_sleep_in_a_call_passes_on_that_there_is_room(void **state)
{
	struct rig *rig = *state;
	ep_t *client = rig->clients[0];
	int send;

	assert_ok(doca_comm_channel_ep_get_event_channel(client, &send, NULL));
	while (!send_text(client, "more", rig->to[0]))
		;
	assert_ok(doca_comm_channel_ep_event_handle_arm_send(client));
	assert_false(is_readable(send));
	client->blocks = true;
	reader = rig;
	send_fd = send;
	assert_ok(receive(rig, client));
	assert_true(was_told);
}

static void a_sleeper_is_woken_for_what_another_thread_has_found(void **state)
{
	struct rig *rig = *state;

	forget_peers(rig);
	rig->clients[0]->blocks = true;
	sender = rig;
	was_woken = false;
	assert_ok(receive(rig, rig->clients[0]));
	assert_true(was_woken);
}

#define PAIR_TEST(name) cmocka_unit_test_setup_teardown(name, setup_pair, teardown_pair)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PAIR_TEST(whoever_could_send_keeps_the_cpu),
		PAIR_TEST(whoever_waits_for_room_lets_others_run),
		PAIR_TEST(a_peer_on_the_same_cpu_is_let_run_sooner_and_sooner),
		PAIR_TEST(a_call_that_waits_lets_others_run_before_it_sleeps),
		PAIR_TEST(a_call_that_waits_beside_others_sleeps),
		PAIR_TEST(others_that_keep_the_cpu_are_not_waited_for_each_time),
		PAIR_TEST(whoever_asks_again_and_again_naps_beside_others),
		PAIR_TEST(a_sleep_in_a_call_passes_on_that_there_is_room),
		PAIR_TEST(a_sleeper_is_woken_for_what_another_thread_has_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
