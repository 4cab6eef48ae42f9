/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What every kind of link promises (link/link.h): who finds whom, messages in order with their
 * descriptors, and one word when the other side is gone. Both ends are in this process.
 */
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/fd.h"
#include "base/memfd.h"
#include "leak.h"
#include "link/sim.h"
#include "unique.h"

#define RECORDS 64

/* One end, and what it has been told. */
struct end {
	struct link *link;
	char text[RECORDS][32]; /* what has arrived last */
	unsigned int count, losses;
	int fds[FD_MESSAGE_FDS_MAX]; /* that came with the last message */
	unsigned int fd_count;
	doca_error_t reason;
	void (*on_message)(struct end *end);
	void (*on_lost)(struct end *end);
};

struct scene {
	struct poll_group groups[2];
	struct sim sim;
	struct party party;
	struct link_addr addr;
	struct link_listener *listener;
	struct end client, server;
	unsigned int calls;
	bool refuse;
	struct leak before;
};

/*
 * Handlers
 */

static void got_message(struct link *link, const void *msg, size_t size, const int *fds,
			unsigned int fd_count)
{
	struct end *end = link->owner;

	assert_int_equal(end->losses, 0);
	assert_true(size < sizeof(end->text[0]));
	memcpy(end->text[end->count % RECORDS], msg, size);
	end->text[end->count++ % RECORDS][size] = '\0';
	priv_fd_close_all(end->fds, end->fd_count);
	memcpy(end->fds, fds, fd_count * sizeof(*fds));
	end->fd_count = fd_count;
	if (end->on_message)
		end->on_message(end);
}

static void got_lost(struct link *link, doca_error_t reason)
{
	struct end *end = link->owner;

	end->losses++;
	end->reason = reason;
	if (end->on_lost)
		end->on_lost(end);
}

static const struct link_handler handler = {.message = got_message, .lost = got_lost};

static void got_call(struct link_listener *listener, struct link *link)
{
	struct scene *scene = listener->owner;

	scene->calls++;
	if (scene->refuse) {
		link_close(link);
		return;
	}
	assert_null(scene->server.link);
	link->handler = &handler;
	link->owner = &scene->server;
	scene->server.link = link;
}

static const struct link_listener_handler listener_handler = {.incoming = got_call};

static void close_end(struct end *end)
{
	if (end->link)
		link_close(end->link);
	end->link = NULL;
}

/*
 * The scene
 */

static struct scene *open_scene(void)
{
	struct scene *scene = calloc(1, sizeof(*scene));
	const struct topo *topo;

	assert_non_null(scene);
	assert_ok(priv_topo_get(&topo));
	scene->before = leak_count();
	priv_clock_virtual.on = true;
	priv_clock_virtual.now_ns = 1000000;
	assert_ok(priv_poll_group_init(&scene->groups[0]));
	assert_ok(priv_poll_group_init(&scene->groups[1]));
	sim_init(&scene->sim, 1);
	scene->party.link_data = &scene->sim;
	scene->addr.card = &topo->cards[0];
	snprintf(scene->addr.function, sizeof(scene->addr.function), "0000:b1:00.0");
	unique_name(scene->addr.service, sizeof(scene->addr.service), "contract");
	priv_party_switch(&scene->party);
	return scene;
}

static int setup_shm(void **state)
{
	struct scene *scene = open_scene();

	*state = scene;
	return 0;
}

static int setup_sim(void **state)
{
	struct scene *scene = open_scene();

	scene->party.link_ops = &sim_link_ops;
	*state = scene;
	return 0;
}

static int setup_slow_sim(void **state)
{
	setup_sim(state);
	((struct scene *)*state)->sim.delay_max_ns = 50000000;
	return 0;
}

static int teardown(void **state)
{
	struct scene *scene = *state;
	struct leak before = scene->before;

	close_end(&scene->client);
	close_end(&scene->server);
	priv_fd_close_all(scene->client.fds, scene->client.fd_count);
	priv_fd_close_all(scene->server.fds, scene->server.fd_count);
	if (scene->listener)
		link_unlisten(scene->listener);
	priv_poll_group_fini(&scene->groups[0]);
	priv_poll_group_fini(&scene->groups[1]);
	sim_fini(&scene->sim);
	priv_party_switch(NULL);
	priv_clock_virtual.on = false;
	free(scene);
	return leak_check(&before) ? 0 : -1;
}

static void settle(struct scene *scene)
{
	unsigned int i;

	for (i = 0; i < 200; i++) {
		priv_clock_virtual.now_ns += 1000000;
		priv_poll_group_poll(&scene->groups[0], 0);
		priv_poll_group_poll(&scene->groups[1], 0);
	}
}

static doca_error_t listen_at(struct scene *scene)
{
	return priv_link_listen(&scene->groups[0], &scene->addr, &listener_handler, scene,
				&scene->listener);
}

static doca_error_t call(struct scene *scene)
{
	return priv_link_connect(&scene->groups[1], &scene->addr, &handler, &scene->client,
				 &scene->client.link);
}

static void connect_both(struct scene *scene)
{
	assert_ok(listen_at(scene));
	assert_ok(call(scene));
	settle(scene);
	assert_int_equal(scene->calls, 1);
	assert_non_null(scene->server.link);
}

static void say(struct end *end, const char *text)
{
	assert_ok(link_send(end->link, text, strlen(text), NULL, 0));
}

/*
 * Finding each other
 */

static void nobody_there_is_not_found(void **state)
{
	assert_err(call(*state), NOT_FOUND);
}

static void an_address_is_taken_once(void **state)
{
	struct scene *scene = *state;
	struct link_listener *first;

	assert_ok(listen_at(scene));
	first = scene->listener;
	assert_err(listen_at(scene), IN_USE);
	assert_ptr_equal(scene->listener, first);
}

static void service_and_function_make_the_address(void **state)
{
	struct scene *scene = *state;
	struct link_listener *listeners[3];

	assert_ok(listen_at(scene));
	listeners[0] = scene->listener;
	snprintf(scene->addr.function, sizeof(scene->addr.function), "0000:b1:00.1");
	assert_err(call(scene), NOT_FOUND);
	assert_ok(listen_at(scene));
	listeners[1] = scene->listener;
	scene->addr.service[0] = 'x';
	assert_err(call(scene), NOT_FOUND);
	assert_ok(listen_at(scene));
	listeners[2] = scene->listener;
	scene->listener = NULL;
	link_unlisten(listeners[0]);
	link_unlisten(listeners[1]);
	assert_ok(call(scene));
	close_end(&scene->client);
	link_unlisten(listeners[2]);
}

static void an_address_is_free_again(void **state)
{
	struct scene *scene = *state;

	connect_both(scene);
	link_unlisten(scene->listener);
	scene->listener = NULL;
	close_end(&scene->client);
	assert_err(call(scene), NOT_FOUND);
	assert_ok(listen_at(scene));
}

static void the_listener_may_go_before_its_links(void **state)
{
	struct scene *scene = *state;

	connect_both(scene);
	link_unlisten(scene->listener);
	scene->listener = NULL;
	say(&scene->client, "still here");
	settle(scene);
	assert_int_equal(scene->server.count, 1);
}

static void a_caller_knows_its_peer(void **state)
{
	struct scene *scene = *state;

	connect_both(scene);
	assert_int_equal(scene->client.link->peer.uid, geteuid());
	assert_int_equal(scene->client.link->peer.pid, getpid());
	assert_int_equal(scene->server.link->peer.uid, geteuid());
	assert_int_equal(scene->server.link->peer.gid, getegid());
}

static void a_refused_caller_is_told(void **state)
{
	struct scene *scene = *state;

	scene->refuse = true;
	assert_ok(listen_at(scene));
	assert_ok(call(scene));
	settle(scene);
	assert_int_equal(scene->calls, 1);
	assert_int_equal(scene->client.losses, 1);
	assert_int_equal(scene->client.reason, DOCA_ERROR_CONNECTION_RESET);
}

static void a_caller_whom_nobody_let_in_is_told(void **state)
{
	struct scene *scene = *state;

	assert_ok(listen_at(scene));
	assert_ok(call(scene));
	say(&scene->client, "anybody?");
	link_unlisten(scene->listener);
	scene->listener = NULL;
	settle(scene);
	assert_int_equal(scene->calls, 0);
	assert_int_equal(scene->client.losses, 1);
}

/*
 * Messages
 */

static void messages_come_in_order_both_ways(void **state)
{
	struct scene *scene = *state;
	char text[16];
	unsigned int i;

	assert_ok(listen_at(scene));
	assert_ok(call(scene));
	say(&scene->client, "0"); /* before anybody has answered */
	settle(scene);
	for (i = 1; i < 50; i++) {
		snprintf(text, sizeof(text), "%u", i);
		say(&scene->client, text);
		if (i % 2)
			say(&scene->server, text);
	}
	settle(scene);
	assert_int_equal(scene->server.count, 50);
	assert_int_equal(scene->client.count, 25);
	for (i = 0; i < 50; i++) {
		snprintf(text, sizeof(text), "%u", i);
		assert_string_equal(scene->server.text[i], text);
		if (i % 2)
			assert_string_equal(scene->client.text[i / 2], text);
	}
}

static bool is_same_file(int a, int b)
{
	struct stat first, second;

	return !fstat(a, &first) && !fstat(b, &second) && first.st_ino == second.st_ino &&
	       first.st_dev == second.st_dev;
}

static void descriptors_travel_with_their_message(void **state)
{
	struct scene *scene = *state;
	int fds[FD_MESSAGE_FDS_MAX];
	unsigned int i;

	connect_both(scene);
	for (i = 0; i < FD_MESSAGE_FDS_MAX; i++)
		assert_ok(priv_memfd_create("softfield-test", 4096, &fds[i]));
	say(&scene->client, "none");
	assert_ok(link_send(scene->client.link, "all", 3, fds, FD_MESSAGE_FDS_MAX));
	settle(scene);
	assert_int_equal(scene->server.count, 2);
	assert_int_equal(scene->server.fd_count, FD_MESSAGE_FDS_MAX);
	for (i = 0; i < FD_MESSAGE_FDS_MAX; i++) {
		assert_int_not_equal(scene->server.fds[i], fds[i]);
		assert_true(is_same_file(scene->server.fds[i], fds[i]));
		assert_true(fcntl(scene->server.fds[i], F_GETFD) & FD_CLOEXEC);
	}
	/* The sender's stay its own. */
	priv_fd_close_all(fds, FD_MESSAGE_FDS_MAX);
	say(&scene->client, "none again");
	settle(scene);
	assert_int_equal(scene->server.fd_count, 0);
}

static void send_queues_what_does_not_fit(void **state)
{
	struct scene *scene = *state;
	int fd, i;

	connect_both(scene);
	assert_ok(priv_memfd_create("softfield-test", 4096, &fd));
	/* Nobody reads meanwhile. */
	for (i = 0; i < 2000; i++)
		assert_ok(
			link_send(scene->client.link, "x", 1, i % 100 ? NULL : &fd, i % 100 == 0));
	close(fd);
	settle(scene);
	assert_int_equal(scene->server.count, 2000);
	assert_int_equal(scene->server.losses, 0);
}

static void nothing_more_can_be_sent_to_who_is_gone(void **state)
{
	struct scene *scene = *state;

	connect_both(scene);
	close_end(&scene->server);
	settle(scene);
	assert_int_equal(scene->client.losses, 1);
	assert_err(link_send(scene->client.link, "x", 1, NULL, 0), CONNECTION_RESET);
}

/*
 * The end
 */

static void what_was_sent_before_the_end_arrives_first(void **state)
{
	struct scene *scene = *state;

	connect_both(scene);
	say(&scene->client, "one");
	say(&scene->client, "two");
	close_end(&scene->client);
	settle(scene);
	assert_int_equal(scene->server.count, 2);
	assert_string_equal(scene->server.text[1], "two");
	assert_int_equal(scene->server.losses, 1);
	assert_int_equal(scene->server.reason, DOCA_ERROR_CONNECTION_RESET);
}

static void who_closes_hears_nothing_more(void **state)
{
	struct scene *scene = *state;

	connect_both(scene);
	say(&scene->server, "too late");
	close_end(&scene->client);
	settle(scene);
	assert_int_equal(scene->client.count, 0);
	assert_int_equal(scene->client.losses, 0);
	assert_int_equal(scene->server.losses, 1);
}

static void a_handler_may_close_its_link(void **state)
{
	struct scene *scene = *state;

	connect_both(scene);
	scene->server.on_message = close_end;
	say(&scene->client, "go");
	say(&scene->client, "gone");
	settle(scene);
	assert_int_equal(scene->server.count, 1);
	assert_int_equal(scene->server.losses, 0);
	assert_int_equal(scene->client.losses, 1);
}

static void the_loss_handler_may_close_its_link(void **state)
{
	struct scene *scene = *state;

	connect_both(scene);
	scene->server.on_lost = close_end;
	close_end(&scene->client);
	settle(scene);
	assert_int_equal(scene->server.losses, 1);
	assert_null(scene->server.link);
}

static void both_may_close_at_once(void **state)
{
	struct scene *scene = *state;

	connect_both(scene);
	close_end(&scene->client);
	close_end(&scene->server);
	settle(scene);
	assert_int_equal(scene->client.losses + scene->server.losses, 0);
}

static void reply(struct end *end)
{
	say(end, "reply");
}

static void a_handler_may_send(void **state)
{
	struct scene *scene = *state;

	connect_both(scene);
	scene->server.on_message = reply;
	say(&scene->client, "question");
	settle(scene);
	assert_string_equal(scene->client.text[0], "reply");
}

/*
 * Descriptors
 */

/* A program without a standard input, output or error: its next line would go to the peer. */
static void standard_descriptors_stay_free(void **state)
{
	struct scene *scene = *state;
	struct poll_group group;
	int saved[3], taken = 0;
	int i;

	for (i = 0; i < 3; i++) {
		saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 10);
		close(i);
	}
	connect_both(scene);
	assert_ok(priv_poll_group_init(&group));
	assert_ok(priv_poll_group_timer_prepare(&group));
	for (i = 0; i < 3; i++) {
		if (fcntl(i, F_GETFD) >= 0)
			taken++;
		dup2(saved[i], i);
		close(saved[i]);
	}
	assert_int_equal(taken, 0);
	priv_poll_group_fini(&group);
}

/*
 * Sleeping
 */

static void a_message_ends_a_sleep(void **state)
{
	struct scene *scene = *state;
	uint64_t deadline;

	connect_both(scene);
	assert_true(priv_poll_group_arm(&scene->groups[0]));
	say(&scene->client, "wake up");
	/* A simulated message is not there before its time. */
	deadline = priv_poll_group_next_deadline(&scene->groups[0]);
	if (deadline != UINT64_MAX)
		priv_clock_virtual.now_ns = deadline;
	priv_poll_group_clear(&scene->groups[0]);
	priv_poll_group_poll(&scene->groups[0], 0);
	assert_int_equal(scene->server.count, 1);
}

#define ALL(name)                                                                                  \
	{#name " (shm)", name, setup_shm, teardown, NULL},                                         \
		{#name " (sim)", name, setup_sim, teardown, NULL},                                 \
	{                                                                                          \
#name " (slow sim)", name, setup_slow_sim, teardown, NULL                          \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ALL(nobody_there_is_not_found),
		ALL(an_address_is_taken_once),
		ALL(service_and_function_make_the_address),
		ALL(an_address_is_free_again),
		ALL(the_listener_may_go_before_its_links),
		ALL(a_caller_knows_its_peer),
		ALL(a_refused_caller_is_told),
		ALL(a_caller_whom_nobody_let_in_is_told),
		ALL(messages_come_in_order_both_ways),
		ALL(descriptors_travel_with_their_message),
		ALL(send_queues_what_does_not_fit),
		ALL(nothing_more_can_be_sent_to_who_is_gone),
		ALL(what_was_sent_before_the_end_arrives_first),
		ALL(who_closes_hears_nothing_more),
		ALL(a_handler_may_close_its_link),
		ALL(the_loss_handler_may_close_its_link),
		ALL(both_may_close_at_once),
		ALL(a_handler_may_send),
		ALL(standard_descriptors_stay_free),
		ALL(a_message_ends_a_sleep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
