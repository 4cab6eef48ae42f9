/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Servers that sleep in event mode, over real sockets: whatever wakes them is not lost, also when
 * they are armed by their own callbacks, or never clear.
 */
#include "test.h"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "world.h"

#define WAIT_MS 2000

static int handle_of(const struct side *side)
{
	doca_notification_handle_t handle;

	assert_ok(doca_pe_get_notification_handle(side->pe, &handle));
	return handle;
}

static bool wakes_up(const struct side *side)
{
	struct pollfd pollfd = {.fd = handle_of(side), .events = POLLIN};

	return poll(&pollfd, 1, WAIT_MS) == 1;
}

/* as if the other client's process did so just now */
static void arm_and_let_another_send(struct side *side, struct doca_comch_connection *connection,
				     const uint8_t *msg, uint32_t size)
{
	struct side *other = side->arg;

	(void)connection;
	(void)msg;
	(void)size;
	side->on_message = NULL;
	assert_ok(doca_pe_request_notification(side->pe));
	assert_ok(side_send(other, "two", 3));
}

/* The rest of the very poll that armed comes across the other message, and does not tell of it. */
static void armed_by_a_callback(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, world_unique("armed"));
	struct side *other = world_add_client(world, HOST_PF0, world_unique("armed"));

	side_run(other);
	world_settle(world);
	assert_ok(doca_pe_request_notification(pair.server->pe));
	pair.server->arg = other;
	pair.server->on_message = arm_and_let_another_send;
	assert_ok(side_send(pair.client, "one", 3));
	assert_true(wakes_up(pair.server));
	assert_ok(doca_pe_clear_notification(pair.server->pe, 0));
	while (!pair.server->messages)
		doca_pe_progress(pair.server->pe);
	if (pair.server->messages < 2)
		assert_true(wakes_up(pair.server));
	world_settle(world);
	assert_int_equal(pair.server->messages, 2);
}

/* A program that only ever looks at new edges, and leaves clearing to the engine. */
static void never_cleared_and_watched_for_edges(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, world_unique("edges"));
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	unsigned int i;

	assert_ok(doca_pe_set_event_mode(pair.server->pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL));
	assert_int_equal(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, handle_of(pair.server), &event), 0);
	for (i = 1; i <= 200; i++) {
		assert_ok(doca_pe_request_notification(pair.server->pe));
		while (epoll_wait(epoll_fd, &event, 1, 0) == 1) {
			while (doca_pe_progress(pair.server->pe))
				;
			assert_ok(doca_pe_request_notification(pair.server->pe));
		}
		doca_pe_progress(pair.server->pe); /* allowed between arming and sleeping */
		assert_ok(side_send(pair.client, "wake", 4));
		while (pair.server->messages < i) {
			assert_int_equal(epoll_wait(epoll_fd, &event, 1, WAIT_MS), 1);
			while (doca_pe_progress(pair.server->pe))
				;
			assert_ok(doca_pe_request_notification(pair.server->pe));
		}
		while (doca_pe_progress(pair.client->pe))
			;
	}
	close(epoll_fd);
}

/* Woken and not cleared: the progress that says there was work has done it. */
static void progress_that_ends_a_sleep_works(void **state)
{
	static const enum doca_pe_event_mode modes[] = {DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE,
							DOCA_PE_EVENT_MODE_PROGRESS_ALL};
	struct world *world = *state;
	struct pair pair = world_connect(world, world_unique("works"));
	unsigned int i, turn;

	for (i = 0; i < 20; i++) {
		world_settle(world);
		assert_ok(doca_pe_set_event_mode(pair.server->pe, modes[i % 2]));
		assert_ok(doca_pe_request_notification(pair.server->pe));
		for (turn = 0; turn < i % 4; turn++) /* allowed before the sleep */
			assert_int_equal(doca_pe_progress(pair.server->pe), 0);
		assert_ok(side_send(pair.client, "one", 3));
		assert_true(wakes_up(pair.server));
		assert_int_equal(doca_pe_progress(pair.server->pe), 1);
		assert_int_equal(pair.server->messages, i + 1);
		assert_ok(doca_pe_clear_notification(pair.server->pe, 0));
	}
}

/* Armed, and then not asleep: what comes now is found by the first poll. */
static void progress_after_a_clear_finds_what_came_since(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, world_unique("awake"));
	unsigned int i, turn;

	for (i = 0; i < 20; i++) {
		world_settle(world);
		assert_ok(doca_pe_request_notification(pair.server->pe));
		assert_ok(doca_pe_clear_notification(pair.server->pe, 0));
		for (turn = 0; turn < i % 4; turn++)
			assert_int_equal(doca_pe_progress(pair.server->pe), 0);
		assert_ok(side_send(pair.client, "one", 3));
		assert_int_equal(doca_pe_progress(pair.server->pe), 1);
		assert_int_equal(pair.server->messages, i + 1);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_setup_shm, world_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(armed_by_a_callback),
		TEST(never_cleared_and_watched_for_edges),
		TEST(progress_that_ends_a_sleep_works),
		TEST(progress_after_a_clear_finds_what_came_since),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
