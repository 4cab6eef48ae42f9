/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every generation of the channel talks to every other one: each body runs over every server with
 * every client. Both ends are in this process, over real sockets and shared memory.
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "generation.h"
#include "leak.h"
#include "unique.h"

#define MSG_SIZE_MAX 4080
#define ROUNDS_MAX   1000000 /* of polling, for what needs a few */

static const struct generation *const generations[] = {&comm_channel_1_4, &comm_channel_2_2,
						       &cc_2_5, &cc_2_6, &comch};

#define GENERATIONS ARRAY_SIZE(generations)

/* What a test gets, and what it has opened. */
struct scene {
	const struct generation *server_kind, *client_kind;
	char service[48];
	struct end *server, *client;
	struct peer *peer; /* the client as the server knows it, once it has spoken */
	uint8_t msg[65536];
	uint32_t size;
	struct leak before;
};

static void open_scene(struct scene *scene)
{
	static unsigned int number;
	char name[16];

	snprintf(name, sizeof(name), "channel-%u", number++);
	unique_name(scene->service, sizeof(scene->service), name);
	scene->server = scene->client = NULL;
	scene->before = leak_count();
}

static void close_scene(struct scene *scene)
{
	if (scene->client)
		scene->client->generation->close(scene->client);
	if (scene->server)
		scene->server->generation->close(scene->server);
	assert_true(leak_check(&scene->before));
}

static void progress(struct scene *scene)
{
	if (scene->server)
		scene->server->generation->progress(scene->server);
	if (scene->client)
		scene->client->generation->progress(scene->client);
}

static enum end_state state_of(struct end *end)
{
	return end->generation->state(end);
}

/* Lets everybody work until the client is connected, or is not going to be. */
static enum end_state settle(struct scene *scene, struct end *client)
{
	unsigned int round;

	for (round = 0; state_of(client) == END_CONNECTING; round++) {
		assert_true(round < ROUNDS_MAX);
		progress(scene);
		client->generation->progress(client);
	}
	return state_of(client);
}

static void send_all(struct scene *scene, struct end *end, struct peer *peer, const void *msg,
		     uint32_t size)
{
	doca_error_t err;
	unsigned int round = 0;

	while ((err = end->generation->send(end, peer, msg, size)) == DOCA_ERROR_AGAIN) {
		assert_true(round++ < ROUNDS_MAX);
		progress(scene);
	}
	assert_ok(err);
}

/* The next message that comes to an end; from whom. */
static struct peer *receive(struct scene *scene, struct end *end)
{
	unsigned int round = 0;
	struct peer *peer;
	doca_error_t err;

	while ((err = end->generation->receive(end, scene->msg, &scene->size, &peer)) ==
	       DOCA_ERROR_AGAIN) {
		assert_true(round++ < ROUNDS_MAX);
		progress(scene);
	}
	assert_ok(err);
	return peer;
}

static void expect(struct scene *scene, struct end *end, const char *text)
{
	receive(scene, end);
	assert_int_equal(scene->size, strlen(text));
	assert_memory_equal(scene->msg, text, scene->size);
}

static void open_server(struct scene *scene, uint32_t msg_size)
{
	assert_ok(scene->server_kind->serve(scene->service, msg_size, &scene->server));
}

/* a client of the scene's server that is connected and has said its name */
static struct end *add_client(struct scene *scene, const struct generation *kind, const char *name,
			      struct peer **ret_peer)
{
	struct end *client = kind->call(scene->service, 0);

	assert_int_equal(settle(scene, client), END_OPEN);
	send_all(scene, client, NULL, name, (uint32_t)strlen(name));
	*ret_peer = receive(scene, scene->server);
	assert_int_equal(scene->size, strlen(name));
	assert_memory_equal(scene->msg, name, scene->size);
	return client;
}

static void open_pair(struct scene *scene)
{
	open_server(scene, 0);
	scene->client = add_client(scene, scene->client_kind, "hello", &scene->peer);
}

/*
 * Bodies
 */

static void messages_of_every_size_both_ways(struct scene *scene)
{
	static const uint32_t sizes[] = {1, 2, 47, 48, 49, 64, 255, 256, 1000, 4079, MSG_SIZE_MAX};
	static uint8_t msg[MSG_SIZE_MAX];
	uint32_t i, k;

	open_pair(scene);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (k = 0; k < sizes[i]; k++)
			msg[k] = (uint8_t)(k * 7 + i);
		send_all(scene, scene->client, NULL, msg, sizes[i]);
		assert_ptr_equal(receive(scene, scene->server), scene->peer);
		assert_int_equal(scene->size, sizes[i]);
		assert_memory_equal(scene->msg, msg, sizes[i]);
		send_all(scene, scene->server, scene->peer, msg, sizes[i]);
		receive(scene, scene->client);
		assert_int_equal(scene->size, sizes[i]);
		assert_memory_equal(scene->msg, msg, sizes[i]);
	}
}

static void too_much_is_refused(struct scene *scene)
{
	static const uint8_t msg[MSG_SIZE_MAX + 1];

	open_pair(scene);
	assert_err(scene->client_kind->send(scene->client, NULL, msg, sizeof(msg)), INVALID_VALUE);
	assert_err(scene->server_kind->send(scene->server, scene->peer, msg, sizeof(msg)),
		   INVALID_VALUE);
	assert_err(scene->client_kind->send(scene->client, NULL, msg, 0), INVALID_VALUE);
	send_all(scene, scene->client, NULL, "still there", 11);
	expect(scene, scene->server, "still there");
}

/* More than any queue holds: the sender has to wait, and nothing is lost or changes places. */
static void stream(struct scene *scene, struct end *from, struct peer *peer, struct end *to)
{
	enum { COUNT = 3000 };
	uint32_t sent = 0, got = 0, value;
	unsigned int again = 0;
	struct peer *sender;

	while (got < COUNT) {
		doca_error_t err = DOCA_ERROR_AGAIN;

		if (sent < COUNT)
			err = from->generation->send(from, peer, &sent, sizeof(sent));
		if (!err) {
			sent++;
			continue;
		}
		assert_err(err, AGAIN);
		again++;
		from->generation->progress(from);
		while (!to->generation->receive(to, &value, &scene->size, &sender)) {
			assert_int_equal(scene->size, sizeof(value));
			assert_int_equal(value, got);
			got++;
		}
	}
	assert_true(again > 0);
}

static void a_full_queue_holds_the_sender_up(struct scene *scene)
{
	open_pair(scene);
	stream(scene, scene->client, NULL, scene->server);
	stream(scene, scene->server, scene->peer, scene->client);
}

static void the_client_leaves_and_comes_back(struct scene *scene)
{
	unsigned int round, turn;

	open_pair(scene);
	for (turn = 0; turn < 3; turn++) {
		scene->client_kind->disconnect(scene->client, NULL);
		/* The server gets errors when it sends, sooner or later. */
		for (round = 0;; round++) {
			doca_error_t err =
				scene->server_kind->send(scene->server, scene->peer, "?", 1);

			assert_true(round < ROUNDS_MAX);
			progress(scene);
			if (err && err != DOCA_ERROR_AGAIN)
				break;
		}
		if (!scene->server_kind->fast_open) /* an endpoint does not know by itself */
			scene->server_kind->disconnect(scene->server, scene->peer);
		scene->client_kind->connect(scene->client);
		assert_int_equal(settle(scene, scene->client), END_OPEN);
		send_all(scene, scene->client, NULL, "again", 5);
		scene->peer = receive(scene, scene->server);
		send_all(scene, scene->server, scene->peer, "welcome", 7);
		expect(scene, scene->client, "welcome");
	}
}

static void the_server_sends_its_client_away(struct scene *scene)
{
	unsigned int round;

	open_pair(scene);
	send_all(scene, scene->server, scene->peer, "go", 2);
	scene->server_kind->disconnect(scene->server, scene->peer);
	expect(scene, scene->client, "go"); /* what was sent before arrives */
	for (round = 0; state_of(scene->client) == END_OPEN; round++) {
		assert_true(round < ROUNDS_MAX);
		progress(scene);
	}
	assert_int_not_equal(scene->client_kind->send(scene->client, NULL, "?", 1), DOCA_SUCCESS);
}

static void the_server_goes_away(struct scene *scene)
{
	unsigned int round;

	open_pair(scene);
	scene->server_kind->close(scene->server);
	scene->server = NULL;
	for (round = 0; state_of(scene->client) == END_OPEN; round++) {
		assert_true(round < ROUNDS_MAX);
		progress(scene);
	}
	assert_int_not_equal(scene->client_kind->send(scene->client, NULL, "?", 1), DOCA_SUCCESS);
}

static void no_server_no_connection(struct scene *scene)
{
	scene->client = scene->client_kind->call(scene->service, 0);
	assert_int_equal(settle(scene, scene->client), END_OVER);
	open_server(scene, 0);
	scene->client_kind->connect(scene->client);
	assert_int_equal(settle(scene, scene->client), END_OPEN);
}

/* The client's kind is a second server here. */
static void a_name_is_taken_once(struct scene *scene)
{
	struct end *second = NULL;

	open_server(scene, 0);
	assert_err(scene->client_kind->serve(scene->service, 0, &second), IN_USE);
	assert_null(second);
	scene->server_kind->close(scene->server);
	scene->server = NULL;
	assert_ok(scene->client_kind->serve(scene->service, 0, &scene->server));
}

/* Endpoints have a maximum of their own: the smaller one counts. comch wants one for both. */
static void other_sizes_meet_when_one_side_adapts(struct scene *scene)
{
	static const uint8_t msg[1024];
	bool insist = scene->server_kind->insists_on_size && scene->client_kind->insists_on_size;

	open_server(scene, 512);
	scene->client = scene->client_kind->call(scene->service, 1024);
	assert_int_equal(settle(scene, scene->client), insist ? END_OVER : END_OPEN);
	if (insist)
		return;
	assert_err(scene->client_kind->send(scene->client, NULL, msg, 513), INVALID_VALUE);
	send_all(scene, scene->client, NULL, msg, 512);
	scene->peer = receive(scene, scene->server);
	assert_int_equal(scene->size, 512);
	send_all(scene, scene->server, scene->peer, msg, 512);
	receive(scene, scene->client);
	assert_int_equal(scene->size, 512);
}

/* One server, clients of all generations; the pair's own client comes last. */
static void clients_of_all_ages_at_a_time(struct scene *scene)
{
	struct end *clients[GENERATIONS];
	struct peer *peers[GENERATIONS];
	unsigned int i, k;

	open_server(scene, 0);
	for (i = 0; i < GENERATIONS; i++)
		clients[i] = add_client(scene, generations[i], generations[i]->name, &peers[i]);
	scene->client = add_client(scene, scene->client_kind, "last", &scene->peer);
	for (i = 0; i < GENERATIONS; i++) {
		for (k = 0; k < i; k++)
			assert_ptr_not_equal(peers[i], peers[k]);
		assert_ptr_not_equal(peers[i], scene->peer);
		send_all(scene, scene->server, peers[i], generations[i]->name,
			 (uint32_t)strlen(generations[i]->name));
	}
	for (i = 0; i < GENERATIONS; i++)
		expect(scene, clients[i], generations[i]->name);
	for (i = 0; i < GENERATIONS; i++)
		clients[i]->generation->close(clients[i]);
	send_all(scene, scene->client, NULL, "alone", 5);
	assert_ptr_equal(receive(scene, scene->server), scene->peer);
	assert_memory_equal(scene->msg, "alone", 5);
}

/* The first client is of the pair's kind, the others are of all; they take turns. */
static void messages_come_in_the_order_they_were_sent(struct scene *scene)
{
	enum { TURNS = 8, CLIENTS = GENERATIONS + 1 };
	struct end *clients[CLIENTS];
	struct peer *peers[CLIENTS];
	unsigned int i, k;

	open_server(scene, 0);
	clients[0] = add_client(scene, scene->client_kind, "first", &peers[0]);
	for (i = 1; i < CLIENTS; i++)
		clients[i] = add_client(scene, generations[i - 1], "other", &peers[i]);
	for (k = 0; k < TURNS; k++)
		for (i = 0; i < CLIENTS; i++) {
			struct end *client = clients[(i * 5 + k) % CLIENTS];

			assert_ok(client->generation->send(
				client, NULL, &(uint32_t){k * CLIENTS + i}, sizeof(uint32_t)));
		}
	for (k = 0; k < TURNS; k++)
		for (i = 0; i < CLIENTS; i++) {
			struct peer *peer = receive(scene, scene->server);
			uint32_t value;

			memcpy(&value, scene->msg, sizeof(value));
			assert_int_equal(value, k * CLIENTS + i);
			assert_ptr_equal(peer, peers[(i * 5 + k) % CLIENTS]);
		}
	for (i = 0; i < CLIENTS; i++)
		clients[i]->generation->close(clients[i]);
}

/*
 * The fast path, where both have one
 */

static void transfer(struct scene *scene, struct end *from, struct end *to, uint32_t size)
{
	static uint8_t data[GENERATION_FAST_SIZE];
	const uint8_t *got;
	uint32_t got_size, i;
	unsigned int round;

	for (i = 0; i < size; i++)
		data[i] = (uint8_t)(i * 3 + size);
	from->generation->fast_send(from, data, size);
	for (round = 0; !(got = to->generation->fast_take(to, &got_size)) ||
			!from->generation->fast_is_sent(from);
	     round++) {
		assert_true(round < ROUNDS_MAX && !got);
		progress(scene);
	}
	assert_int_equal(got_size, size);
	assert_memory_equal(got, data, size);
}

static void the_fast_path_works_both_ways(struct scene *scene)
{
	static const uint32_t sizes[] = {1, 48, 49, 112, 113, 1000, GENERATION_FAST_SIZE};
	unsigned int i, round;

	open_pair(scene);
	scene->server_kind->fast_open(scene->server, scene->peer);
	scene->client_kind->fast_open(scene->client, NULL);
	for (round = 0; !scene->server_kind->fast_is_up(scene->server) ||
			!scene->client_kind->fast_is_up(scene->client);
	     round++) {
		assert_true(round < ROUNDS_MAX);
		progress(scene);
	}
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		scene->server_kind->fast_post(scene->server, i % 2);
		scene->client_kind->fast_post(scene->client, i % 2);
		transfer(scene, scene->client, scene->server, sizes[i]);
		transfer(scene, scene->server, scene->client, sizes[i]);
	}
	scene->client_kind->fast_close(scene->client);
	scene->server_kind->fast_close(scene->server);
}

/*
 * All pairs
 */

/* A server with callbacks promises the order of each client alone. */
static bool server_is_endpoint(const struct generation *server, const struct generation *client)
{
	(void)client;
	return !server->fast_open;
}

static bool both_are_fast(const struct generation *server, const struct generation *client)
{
	return server->fast_open && client->fast_open;
}

static const struct body {
	const char *name;
	void (*run)(struct scene *scene);
	/* NULL: for all */
	bool (*is_for)(const struct generation *server, const struct generation *client);
} bodies[] = {
	{"messages of every size, both ways", messages_of_every_size_both_ways, NULL},
	{"too much is refused", too_much_is_refused, NULL},
	{"a full queue holds the sender up", a_full_queue_holds_the_sender_up, NULL},
	{"the client leaves and comes back", the_client_leaves_and_comes_back, NULL},
	{"the server sends its client away", the_server_sends_its_client_away, NULL},
	{"the server goes away", the_server_goes_away, NULL},
	{"no server, no connection", no_server_no_connection, NULL},
	{"a name is taken once", a_name_is_taken_once, NULL},
	{"other sizes meet when one side adapts", other_sizes_meet_when_one_side_adapts, NULL},
	{"clients of all ages at a time", clients_of_all_ages_at_a_time, NULL},
	{"messages come in the order they were sent", messages_come_in_the_order_they_were_sent,
	 server_is_endpoint},
	{"the fast path works both ways", the_fast_path_works_both_ways, both_are_fast},
};

#define CASES_MAX (ARRAY_SIZE(bodies) * GENERATIONS * GENERATIONS)

struct test_case {
	const struct body *body;
	struct scene scene;
	char name[128];
};

static void run_case(void **state)
{
	struct test_case *test_case = *state;

	open_scene(&test_case->scene);
	test_case->body->run(&test_case->scene);
	close_scene(&test_case->scene);
}

static size_t add_case(struct CMUnitTest *tests, size_t count, const struct body *body,
		       const struct generation *server, const struct generation *client)
{
	static struct test_case cases[CASES_MAX];
	struct test_case *test_case = &cases[count];

	if (body->is_for && !body->is_for(server, client))
		return count;
	test_case->body = body;
	test_case->scene.server_kind = server;
	test_case->scene.client_kind = client;
	snprintf(test_case->name, sizeof(test_case->name), "%s: %s serves %s", body->name,
		 server->name, client->name);
	tests[count] = (struct CMUnitTest){
		.name = test_case->name, .test_func = run_case, .initial_state = test_case};
	return count + 1;
}

int main(void)
{
	static struct CMUnitTest tests[CASES_MAX];
	size_t count = 0, i, server, client;

	for (i = 0; i < ARRAY_SIZE(bodies); i++)
		for (server = 0; server < GENERATIONS; server++)
			for (client = 0; client < GENERATIONS; client++)
				count = add_case(tests, count, &bodies[i], generations[server],
						 generations[client]);
	return _cmocka_run_group_tests("all pairs", tests, count, NULL, NULL);
}
