/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What only simulated links do: time that a seed decides, servers that are busy, death on demand.
 * The rest is in tests/contract/link.c.
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/fd.h"
#include "leak.h"
#include "link/sim.h"

#define MESSAGES 50u

struct rig {
	struct sim sim;
	struct party server_party, client_party;
	struct poll_group group;
	struct link_addr addr;
	struct link_listener *listener;
	struct link *server, *client; /* NULL: lost, or not yet there */
	unsigned int messages, server_losses, client_losses;
	uint64_t arrived_ns[MESSAGES];
	struct leak before;
};

static void got_message(struct link *link, const void *msg, size_t size, const int *fds,
			unsigned int fd_count)
{
	struct rig *rig = link->owner;

	(void)msg;
	(void)size;
	priv_fd_close_all(fds, fd_count);
	rig->arrived_ns[rig->messages++ % MESSAGES] = clock_now_ns();
}

static void got_lost(struct link *link, doca_error_t reason)
{
	struct rig *rig = link->owner;

	assert_int_equal(reason, DOCA_ERROR_CONNECTION_RESET);
	if (link == rig->server) {
		rig->server_losses++;
		rig->server = NULL;
	} else {
		rig->client_losses++;
		rig->client = NULL;
	}
	link_close(link);
}

static const struct link_handler handler = {.message = got_message, .lost = got_lost};

static void got_call(struct link_listener *listener, struct link *link)
{
	struct rig *rig = listener->owner;

	link->handler = &handler;
	link->owner = rig;
	rig->server = link;
}

static const struct link_listener_handler listener_handler = {.incoming = got_call};

static void rig_init(struct rig *rig, uint64_t seed)
{
	const struct topo *topo;

	memset(rig, 0, sizeof(*rig));
	assert_ok(priv_topo_get(&topo));
	rig->before = leak_count();
	priv_clock_virtual.on = true;
	priv_clock_virtual.now_ns = 1000000;
	sim_init(&rig->sim, seed);
	assert_ok(priv_poll_group_init(&rig->group));
	rig->server_party = (struct party){.link_ops = &sim_link_ops, .link_data = &rig->sim};
	rig->client_party = rig->server_party;
	rig->addr.card = &topo->cards[0];
	snprintf(rig->addr.service, sizeof(rig->addr.service), "sim");
	priv_party_switch(&rig->server_party);
	assert_ok(
		priv_link_listen(&rig->group, &rig->addr, &listener_handler, rig, &rig->listener));
	priv_party_switch(&rig->client_party);
}

static bool rig_fini(struct rig *rig)
{
	if (rig->client)
		link_close(rig->client);
	if (rig->server)
		link_close(rig->server);
	link_unlisten(rig->listener);
	priv_poll_group_fini(&rig->group);
	sim_fini(&rig->sim);
	priv_party_switch(NULL);
	priv_clock_virtual.on = false;
	return leak_check(&rig->before);
}

static int setup(void **state)
{
	*state = malloc(sizeof(struct rig));
	rig_init(*state, 1);
	return 0;
}

static int teardown(void **state)
{
	bool clean = rig_fini(*state);

	free(*state);
	return clean ? 0 : -1;
}

static doca_error_t call(struct rig *rig)
{
	return priv_link_connect(&rig->group, &rig->addr, &handler, rig, &rig->client);
}

static void settle(struct rig *rig)
{
	unsigned int i;

	for (i = 0; i < 300; i++) {
		priv_clock_virtual.now_ns += 10000;
		priv_poll_group_poll(&rig->group, 0);
	}
}

static void connect_both(struct rig *rig)
{
	assert_ok(call(rig));
	settle(rig);
	assert_non_null(rig->server);
}

static void send_all(struct rig *rig)
{
	unsigned int i;

	for (i = 0; i < MESSAGES; i++)
		assert_ok(link_send(rig->client, "x", 1, NULL, 0));
}

/*
 * Time
 */

static void nothing_arrives_before_its_time(void **state)
{
	struct rig *rig = *state;
	uint64_t begin;

	connect_both(rig);
	rig->sim.delay_max_ns = 1000000;
	send_all(rig);
	begin = clock_now_ns();
	priv_poll_group_poll(&rig->group, 0);
	assert_true(rig->messages < MESSAGES);
	settle(rig);
	assert_int_equal(rig->messages, MESSAGES);
	assert_in_range(rig->arrived_ns[MESSAGES - 1] - begin, 100000, 1000000 + 10000);
}

static void the_seed_decides_when(void **state)
{
	uint64_t arrived[3][MESSAGES];
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct rig rig;

		rig_init(&rig, i / 2 + 5);
		rig.sim.delay_max_ns = 1000000;
		connect_both(&rig);
		send_all(&rig);
		settle(&rig);
		memcpy(arrived[i], rig.arrived_ns, sizeof(arrived[i]));
		assert_true(rig_fini(&rig));
	}
	assert_memory_equal(arrived[0], arrived[1], sizeof(arrived[0]));
	assert_memory_not_equal(arrived[0], arrived[2], sizeof(arrived[0]));
}

static void a_busy_server_answers_again(void **state)
{
	struct rig *rig = *state;
	unsigned int i, busy = 0;

	rig->sim.busy_percent = 100;
	assert_err(call(rig), AGAIN);
	rig->sim.busy_percent = 50;
	for (i = 0; i < 100; i++) {
		doca_error_t err = call(rig);

		busy += err == DOCA_ERROR_AGAIN;
		if (err)
			continue;
		link_close(rig->client);
		rig->client = NULL;
		settle(rig);
	}
	assert_in_range(busy, 30, 70);
}

/*
 * Death
 */

static void what_the_dead_have_sent_arrives(void **state)
{
	struct rig *rig = *state;

	connect_both(rig);
	send_all(rig);
	sim_kill(&rig->sim, &rig->client_party);
	settle(rig);
	assert_int_equal(rig->messages, MESSAGES);
	assert_int_equal(rig->server_losses, 1);
	assert_int_equal(rig->client_losses, 1); /* for whoever cleans up after it */
}

static void nothing_reaches_the_dead(void **state)
{
	struct rig *rig = *state;

	connect_both(rig);
	send_all(rig);
	sim_kill(&rig->sim, &rig->server_party);
	settle(rig);
	assert_int_equal(rig->messages, 0);
	assert_int_equal(rig->client_losses, 1);
}

static void the_name_of_the_dead_is_free(void **state)
{
	struct rig *rig = *state;
	struct link_listener *again;

	sim_kill(&rig->sim, &rig->server_party);
	assert_err(call(rig), NOT_FOUND);
	assert_ok(priv_link_listen(&rig->group, &rig->addr, &listener_handler, rig, &again));
	connect_both(rig);
	link_unlisten(again);
}

static void a_caller_of_the_dead_is_told(void **state)
{
	struct rig *rig = *state;

	assert_ok(call(rig));
	sim_kill(&rig->sim, &rig->server_party);
	settle(rig);
	assert_null(rig->server);
	assert_int_equal(rig->client_losses, 1);
}

static void a_dead_caller_is_let_in_and_lost(void **state)
{
	struct rig *rig = *state;

	assert_ok(call(rig));
	send_all(rig);
	sim_kill(&rig->sim, &rig->client_party);
	settle(rig);
	assert_int_equal(rig->messages, MESSAGES);
	assert_int_equal(rig->server_losses, 1);
}

static void one_dies_once(void **state)
{
	struct rig *rig = *state;

	connect_both(rig);
	sim_kill(&rig->sim, &rig->client_party);
	sim_kill(&rig->sim, &rig->client_party);
	sim_kill(&rig->sim, &rig->server_party);
	settle(rig);
	assert_int_equal(rig->server_losses, 1);
	assert_int_equal(rig->client_losses, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_arrives_before_its_time),
		cmocka_unit_test(the_seed_decides_when),
		TEST(a_busy_server_answers_again),
		TEST(what_the_dead_have_sent_arrives),
		TEST(nothing_reaches_the_dead),
		TEST(the_name_of_the_dead_is_free),
		TEST(a_caller_of_the_dead_is_told),
		TEST(a_dead_caller_is_let_in_and_lost),
		TEST(one_dies_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
