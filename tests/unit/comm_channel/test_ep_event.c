/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors to wait on: silent without a reason, readable with one, and never a reason lost,
 * whichever call has come across it.
 */
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include "child.h"
#include "eptest.h"
#include "valgrind.h"

static void open_channels(ep_t *ep, int *send, int *recv)
{
	assert_ok(doca_comm_channel_ep_get_event_channel(ep, send, recv));
}

static void fill(struct rig *rig, ep_t *ep, addr_t *to)
{
	doca_error_t err;

	(void)rig;
	while (!(err = send_text(ep, "fill", to)))
		;
	assert_err(err, AGAIN);
}

static void drain(struct rig *rig, ep_t *ep)
{
	while (!receive(rig, ep))
		;
}

static void arming_needs_an_active_endpoint(void **state)
{
	struct rig *rig = *state;

	rig->service = late_service(rig);
	assert_err(doca_comm_channel_ep_event_handle_arm_send(NULL), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_event_handle_arm_recv(NULL), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_event_handle_arm_send(rig->service), BAD_STATE);
	assert_err(doca_comm_channel_ep_event_handle_arm_recv(rig->service), BAD_STATE);
	assert_int_equal(doca_comm_channel_ep_event_channel_get(rig->service), -1);
	assert_int_equal(doca_comm_channel_ep_event_channel_get(NULL), -1);
}

static void a_message_makes_recv_readable(void **state)
{
	struct rig *rig = *state;
	int send, recv, turn;

	add_client(rig, 0);
	open_channels(rig->service, &send, &recv);
	for (turn = 0; turn < 3; turn++) {
		assert_err(receive(rig, rig->service), AGAIN);
		assert_ok(doca_comm_channel_ep_event_handle_arm_recv(rig->service));
		assert_false(is_readable(recv));
		assert_ok(send_text(rig->clients[0], "wake", rig->to[0]));
		await_readable(recv);
		assert_ok(receive(rig, rig->service)); /* by the first call */
		assert_int_equal(rig->size, 4);
	}
}

static void what_is_there_makes_recv_readable_when_armed(void **state)
{
	struct rig *rig = *state;
	int send, recv;

	add_client(rig, 0);
	open_channels(rig->service, &send, &recv);
	assert_ok(send_text(rig->clients[0], "one", rig->to[0]));
	assert_ok(send_text(rig->clients[0], "two", rig->to[0]));
	expect(rig, rig->service, "one");
	assert_ok(doca_comm_channel_ep_event_handle_arm_recv(rig->service));
	await_readable(recv);
	expect(rig, rig->service, "two");
	assert_err(receive(rig, rig->service), AGAIN);
	assert_ok(doca_comm_channel_ep_event_handle_arm_recv(rig->service));
	assert_false(is_readable(recv));
}

/* For programs that wait with EPOLLET: each arming is told of what is there. */
static void each_arming_is_an_event(void **state)
{
	struct rig *rig = *state;
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	int send, recv, turn;

	add_client(rig, 0);
	open_channels(rig->service, &send, &recv);
	assert_int_equal(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, recv, &event), 0);
	for (turn = 0; turn < 4; turn++)
		assert_ok(send_text(rig->clients[0], "wake", rig->to[0]));
	for (turn = 0; turn < 4; turn++) {
		assert_ok(doca_comm_channel_ep_event_handle_arm_recv(rig->service));
		assert_int_equal(epoll_wait(epoll_fd, &event, 1, -1), 1);
		expect(rig, rig->service, "wake");
	}
	close(epoll_fd);
}

/* One that has received, and has not armed again, waits for room: that is no reason for it. */
static void what_was_received_does_not_make_send_readable(void **state)
{
	struct rig *rig = *state;
	int send, recv;

	add_client(rig, 0);
	open_channels(rig->service, &send, &recv);
	assert_err(receive(rig, rig->service), AGAIN);
	assert_ok(doca_comm_channel_ep_event_handle_arm_recv(rig->service));
	assert_ok(send_text(rig->clients[0], "in", rig->to[0]));
	await_readable(recv);
	expect(rig, rig->service, "in");
	fill(rig, rig->service, rig->from[0]);
	assert_ok(doca_comm_channel_ep_event_handle_arm_send(rig->service));
	assert_false(is_readable(send));
	assert_true(is_readable(recv));
	drain(rig, rig->clients[0]);
	await_readable(send);
}

/* As in programs with a thread for each direction. */
static void a_send_in_between_does_not_swallow_the_wake_up(void **state)
{
	struct rig *rig = *state;
	int send, recv, turn;

	add_client(rig, 0);
	open_channels(rig->service, &send, &recv);
	assert_err(receive(rig, rig->service), AGAIN);
	assert_ok(doca_comm_channel_ep_event_handle_arm_recv(rig->service));
	/* armed, and then the program sends: it must still sleep, and still be woken */
	assert_ok(send_text(rig->service, "out", rig->from[0]));
	assert_false(is_readable(recv));
	assert_ok(send_text(rig->clients[0], "in", rig->to[0]));
	for (turn = 0; turn < 3; turn++) /* each of these comes across the message */
		assert_ok(send_text(rig->service, "out", rig->from[0]));
	await_readable(recv);
	expect(rig, rig->service, "in");
}

/* One thread waits, and another one takes the message that it was to be woken for. */
static void a_receive_in_between_does_not_swallow_the_wake_up(void **state)
{
	struct rig *rig = *state;
	int send, recv, turn;

	add_client(rig, 0);
	open_channels(rig->service, &send, &recv);
	for (turn = 0; turn < 2; turn++) {
		assert_ok(doca_comm_channel_ep_event_handle_arm_recv(rig->service));
		if (turn) /* the other direction changes nothing of that */
			assert_ok(doca_comm_channel_ep_event_handle_arm_send(rig->service));
		assert_ok(send_text(rig->clients[0], "one", rig->to[0]));
		expect(rig, rig->service, "one");
		for (unsigned int i = 0; turn && i < 10; i++) {
			let_time_go_by(rig->service);
			assert_ok(send_text(rig->service, "out", rig->from[0]));
		}
		assert_err(receive(rig, rig->service), AGAIN);
		assert_ok(send_text(rig->clients[0], "two", rig->to[0]));
		assert_true(is_readable(recv));
		expect(rig, rig->service, "two");
	}
	/* The next arming begins anew. */
	assert_ok(doca_comm_channel_ep_event_handle_arm_recv(rig->service));
	assert_false(is_readable(recv));
}

/* The service goes while a client connects, and it is a send that comes across that. */
static void a_failed_client_makes_recv_readable(void **state)
{
	struct rig *rig = *state;
	ep_t *client;
	int send, recv;

	client = rig->clients[0] = late_client(rig);
	assert_ok(doca_comm_channel_ep_connect(client, rig->name, &rig->to[0]));
	open_channels(client, &send, &recv);
	assert_ok(doca_comm_channel_ep_event_handle_arm_recv(client));
	assert_ok(doca_comm_channel_ep_destroy(rig->service));
	rig->service = NULL;
	while (rig->to[0]->state != PEER_FAILED)
		assert_err(send_text(client, "x", rig->to[0]), NOT_CONNECTED);
	assert_true(is_readable(recv));
	assert_err(receive(rig, client), NOT_CONNECTED);
	/* also when it is armed only then */
	assert_ok(doca_comm_channel_ep_event_handle_arm_recv(client));
	assert_true(is_readable(recv));
}

static void a_new_client_makes_recv_readable(void **state)
{
	struct rig *rig = *state;
	int send, recv;

	open_channels(rig->service, &send, &recv);
	assert_err(receive(rig, rig->service), AGAIN);
	assert_ok(doca_comm_channel_ep_event_handle_arm_recv(rig->service));
	assert_false(is_readable(recv));
	rig->clients[0] = late_client(rig);
	assert_ok(doca_comm_channel_ep_connect(rig->clients[0], rig->name, &rig->to[0]));
	await_readable(recv); /* recvfrom is what takes it in */
}

/* Nothing else is armed, and it is a send that comes across the loss. */
static void a_lost_client_makes_the_service_channel_readable(void **state)
{
	struct rig *rig = *state;
	int send, recv, service;
	uint32_t count;
	addr_t **peers;

	open_channels(rig->service, &send, &recv);
	assert_ok(doca_comm_channel_ep_get_service_event_channel(rig->service, &service));
	connect_client(rig, 0);
	connect_client(rig, 1);
	/* It sleeps like a program that has received before. */
	assert_ok(doca_comm_channel_ep_event_handle_arm_recv(rig->service));
	assert_err(receive(rig, rig->service), AGAIN);
	while (doca_comm_channel_ep_update_service_state_info(rig->service))
		;
	assert_ok(doca_comm_channel_ep_get_peer_addr_list(rig->service, &peers, &count));
	assert_int_equal(count, 2);
	assert_false(is_readable(service));
	assert_ok(doca_comm_channel_ep_disconnect(rig->clients[0], rig->to[0]));
	let_time_go_by(rig->service);
	assert_ok(send_text(rig->service, "out", peers[1]));
	await_readable(service);
}

/* Also one that lets a client in. */
static void a_look_in_vain_leaves_it_armed(void **state)
{
	struct rig *rig = *state;
	int channel;

	assert_ok(doca_comm_channel_ep_get_event_channel(rig->service, NULL, &channel));
	assert_ok(doca_comm_channel_ep_event_handle_arm_recv(rig->service));
	connect_client(rig, 0);
	assert_err(receive(rig, rig->service), AGAIN);
	assert_ok(send_text(rig->clients[0], "hello", rig->to[0]));
	await_readable(channel);
	expect(rig, rig->service, "hello");
}

/* What it has sent is read first; it is gone when that is. */
static void so_does_one_whose_last_messages_are_taken(void **state)
{
	struct rig *rig = *state;
	int service;

	assert_ok(doca_comm_channel_ep_get_service_event_channel(rig->service, &service));
	add_client(rig, 0);
	add_client(rig, 1);
	assert_ok(send_text(rig->clients[0], "one", rig->to[0]));
	assert_ok(send_text(rig->clients[0], "two", rig->to[0]));
	assert_ok(doca_comm_channel_ep_disconnect(rig->clients[0], rig->to[0]));
	let_time_go_by(rig->service);
	assert_ok(send_text(rig->service, "out", rig->from[1]));
	await_readable(service);
	while (doca_comm_channel_ep_update_service_state_info(rig->service))
		;
	expect(rig, rig->service, "one");
	expect(rig, rig->service, "two");
	await_readable(service);
}

/* A program that asks for the descriptor late is told what it has missed. */
static void so_does_a_client_that_was_there_before_it(void **state)
{
	struct rig *rig = *state;
	int service;

	add_client(rig, 0);
	assert_ok(doca_comm_channel_ep_get_service_event_channel(rig->service, &service));
	await_readable(service);
	while (doca_comm_channel_ep_update_service_state_info(rig->service))
		;
	assert_false(is_readable(service));
}

static void a_lost_service_makes_recv_readable(void **state)
{
	struct rig *rig = *state;
	int send, recv;

	add_client(rig, 0);
	open_channels(rig->clients[0], &send, &recv);
	assert_err(receive(rig, rig->clients[0]), AGAIN);
	assert_ok(doca_comm_channel_ep_event_handle_arm_recv(rig->clients[0]));
	assert_false(is_readable(recv));
	assert_ok(doca_comm_channel_ep_destroy(rig->service));
	rig->service = NULL;
	await_readable(recv);
	assert_err(await(rig, rig->clients[0]), CONNECTION_RESET);
}

static void room_makes_send_readable(void **state)
{
	struct rig *rig = *state;
	int send, recv, turn;

	add_client(rig, 0);
	open_channels(rig->clients[0], &send, &recv);
	assert_ok(doca_comm_channel_ep_event_handle_arm_send(rig->clients[0]));
	await_readable(send); /* there is room */
	for (turn = 0; turn < 3; turn++) {
		fill(rig, rig->clients[0], rig->to[0]);
		assert_ok(doca_comm_channel_ep_event_handle_arm_send(rig->clients[0]));
		assert_false(is_readable(send));
		drain(rig, rig->service);
		await_readable(send);
		assert_ok(send_text(rig->clients[0], "room", rig->to[0]));
	}
}

/* recvfrom has come across the room; the sender is armed afterwards. */
static void room_that_is_seen_elsewhere_is_not_lost(void **state)
{
	struct rig *rig = *state;
	int send, recv;

	add_client(rig, 0);
	open_channels(rig->clients[0], &send, &recv);
	fill(rig, rig->clients[0], rig->to[0]);
	drain(rig, rig->service);
	assert_err(receive(rig, rig->clients[0]), AGAIN);
	assert_ok(doca_comm_channel_ep_event_handle_arm_send(rig->clients[0]));
	await_readable(send);
}

static void a_peer_that_goes_while_it_has_no_room(void **state)
{
	struct rig *rig = *state;
	int send, recv;

	add_client(rig, 0);
	open_channels(rig->service, &send, &recv);
	fill(rig, rig->service, rig->from[0]);
	assert_ok(doca_comm_channel_ep_event_handle_arm_send(rig->service));
	assert_false(is_readable(send));
	assert_ok(doca_comm_channel_ep_destroy(rig->clients[0]));
	rig->clients[0] = NULL;
	await_readable(send);
	assert_err(send_text(rig->service, "?", rig->from[0]), CONNECTION_RESET);
	assert_ok(doca_comm_channel_ep_event_handle_arm_send(rig->service));
	await_readable(send); /* nobody has no room any more */
}

/* It will not ring for room, stays until its message is read, and has been missed before. */
static void a_peer_that_has_gone_without_room_and_with_a_last_word(void **state)
{
	struct rig *rig = *state;
	int send, recv;

	add_client(rig, 0);
	open_channels(rig->service, &send, &recv);
	assert_ok(send_text(rig->clients[0], "last", rig->to[0]));
	fill(rig, rig->service, rig->from[0]);
	assert_ok(doca_comm_channel_ep_destroy(rig->clients[0]));
	rig->clients[0] = NULL;
	assert_err(send_text(rig->service, "?", rig->from[0]), CONNECTION_RESET);
	assert_ok(doca_comm_channel_ep_event_handle_arm_send(rig->service));
	await_readable(send);
	expect(rig, rig->service, "last");
}

/* One is full, the other gets room: that must be heard of. */
static void room_at_one_of_two_full_peers(void **state)
{
	struct rig *rig = *state;
	int send, recv;

	add_client(rig, 0);
	add_client(rig, 1);
	open_channels(rig->service, &send, &recv);
	fill(rig, rig->service, rig->from[0]);
	fill(rig, rig->service, rig->from[1]);
	assert_ok(doca_comm_channel_ep_event_handle_arm_send(rig->service));
	assert_false(is_readable(send));
	drain(rig, rig->clients[1]);
	await_readable(send);
	assert_ok(send_text(rig->service, "room", rig->from[1]));
	assert_err(send_text(rig->service, "none", rig->from[0]), AGAIN);
}

static void *send_when_cancelled(void *arg)
{
	struct rig *rig = arg;

	pthread_cancel(pthread_self());
	assert_ok(send_text(rig->service, "out", rig->from[0]));
	pthread_testcancel();
	return NULL;
}

/* It takes back that there is room, which is a system call. */
static void a_cancelled_thread_ends_after_its_send(void **state)
{
	struct rig *rig = *state;
	pthread_t thread;
	int send, recv;
	void *result;

	add_client(rig, 0);
	open_channels(rig->service, &send, &recv);
	assert_ok(doca_comm_channel_ep_event_handle_arm_send(rig->service));
	await_readable(send);
	assert_int_equal(pthread_create(&thread, NULL, send_when_cancelled, rig), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	assert_false(rig->service->is_locked);
	expect(rig, rig->clients[0], "out");
}

static void *live_when_cancelled(void *arg)
{
	const struct rig *rig = arg;
	struct doca_comm_channel_addr_t *to;
	struct doca_comm_channel_ep_t *ep;

	pthread_cancel(pthread_self());
	ep = early(DOCA_CC_INIT_FLAG_NONBLOCK, 16, 256);
	assert_ok(doca_comm_channel_ep_connect(ep, rig->name, &to));
	assert_ok(doca_comm_channel_ep_destroy(ep));
	pthread_testcancel();
	return NULL;
}

/* Neither is left half done. */
static void a_cancelled_thread_ends_after_its_endpoint(void **state)
{
	struct rig *rig = *state;
	struct leak before = leak_count();
	pthread_t thread;
	void *result;

	if (!CANCELS_ARE_SEEN)
		skip();
	assert_int_equal(pthread_create(&thread, NULL, live_when_cancelled, rig), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	assert_int_equal(leak_count().fds, before.fds);
	add_client(rig, 0);
}

static void the_early_channel_needs_no_arming(void **state)
{
	struct rig *rig = *state;
	int channel, turn;

	assert_ok(doca_comm_channel_ep_destroy(rig->service));
	rig->service = early(DOCA_CC_INIT_FLAG_NONBLOCK, 16, 256);
	assert_ok(doca_comm_channel_ep_listen(rig->service, rig->name));
	add_client(rig, 0);
	channel = doca_comm_channel_ep_event_channel_get(rig->service);
	assert_true(channel >= 0);
	for (turn = 0; turn < 3; turn++) {
		assert_err(receive(rig, rig->service), AGAIN);
		assert_false(is_readable(channel));
		assert_ok(send_text(rig->clients[0], "one", rig->to[0]));
		assert_ok(send_text(rig->clients[0], "two", rig->to[0]));
		await_readable(channel);
		expect(rig, rig->service, "one");
		await_readable(channel);
		expect(rig, rig->service, "two");
	}
}

/* "Cookie returned when polling the event_channel": by whoever polls the channel itself. */
static void the_early_channel_gives_the_cookie_back(void **state)
{
	struct doca_comm_channel_init_attr attr = {.cookie = 0xfeedbeef,
						   .flags = DOCA_CC_INIT_FLAG_NONBLOCK};
	struct rig *rig = *state;
	struct epoll_event events[4];
	int channel, count;

	assert_ok(doca_comm_channel_ep_destroy(rig->service));
	assert_ok(softfield_comm_channel_ep_create_1_4(&attr, &rig->service));
	assert_ok(doca_comm_channel_ep_listen(rig->service, rig->name));
	add_client(rig, 0);
	channel = doca_comm_channel_ep_event_channel_get(rig->service);
	assert_err(receive(rig, rig->service), AGAIN);
	assert_int_equal(epoll_wait(channel, events, ARRAY_SIZE(events), 0), 0);
	assert_ok(send_text(rig->clients[0], "one", rig->to[0]));
	count = epoll_wait(channel, events, ARRAY_SIZE(events), -1);
	assert_true(count > 0);
	while (count--) {
		assert_int_equal(events[count].events, EPOLLIN);
		assert_int_equal(events[count].data.u64, attr.cookie);
	}
	expect(rig, rig->service, "one");
}

/* Each of them is made when it is asked for the first time. */
static void channels_raise_the_limit_of_open_files(void **state)
{
	struct rig *rig = *state;
	struct rlimit before, low;
	int channel;

	add_client(rig, 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	low = before;
	low.rlim_cur = 3;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	open_channels(rig->service, &channel, NULL);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	open_channels(rig->service, NULL, &channel);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	assert_ok(doca_comm_channel_ep_get_service_event_channel(rig->service, &channel));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* In a child, for the limit cannot be raised again. */
static void ask_without_descriptors(struct child *parent, void *arg)
{
	const struct rlimit none = {0};
	struct rig *rig = arg;
	ep_t *service = late_service(rig);
	int send = -1, recv = -1;

	(void)parent;
	assert_ok(doca_comm_channel_ep_listen(service, rig->name));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_err(doca_comm_channel_ep_get_event_channel(service, &send, &recv), NO_MEMORY);
	assert_err(doca_comm_channel_ep_get_service_event_channel(service, &recv), NO_MEMORY);
	assert_int_equal(doca_comm_channel_ep_event_channel_get(service), -1);
	assert_int_equal(send, -1);
	assert_int_equal(recv, -1);
}

static void there_are_none_without_descriptors(void **state)
{
	struct child child;

	if (runs_under_valgrind())
		skip(); /* its limit stays */
	child = child_start(ask_without_descriptors, *state);
	assert_int_equal(child_join(&child), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(arming_needs_an_active_endpoint),
		SERVICE_TEST(a_message_makes_recv_readable),
		SERVICE_TEST(what_is_there_makes_recv_readable_when_armed),
		SERVICE_TEST(each_arming_is_an_event),
		SERVICE_TEST(what_was_received_does_not_make_send_readable),
		SERVICE_TEST(a_send_in_between_does_not_swallow_the_wake_up),
		SERVICE_TEST(a_receive_in_between_does_not_swallow_the_wake_up),
		SERVICE_TEST(a_failed_client_makes_recv_readable),
		SERVICE_TEST(a_new_client_makes_recv_readable),
		SERVICE_TEST(a_lost_client_makes_the_service_channel_readable),
		SERVICE_TEST(so_does_one_whose_last_messages_are_taken),
		SERVICE_TEST(so_does_a_client_that_was_there_before_it),
		SERVICE_TEST(a_lost_service_makes_recv_readable),
		SERVICE_TEST(room_makes_send_readable),
		SERVICE_TEST(room_that_is_seen_elsewhere_is_not_lost),
		SERVICE_TEST(a_peer_that_goes_while_it_has_no_room),
		SERVICE_TEST(a_peer_that_has_gone_without_room_and_with_a_last_word),
		SERVICE_TEST(room_at_one_of_two_full_peers),
		SERVICE_TEST(a_look_in_vain_leaves_it_armed),
		SERVICE_TEST(a_cancelled_thread_ends_after_its_send),
		SERVICE_TEST(a_cancelled_thread_ends_after_its_endpoint),
		SERVICE_TEST(the_early_channel_needs_no_arming),
		SERVICE_TEST(the_early_channel_gives_the_cookie_back),
		SERVICE_TEST(channels_raise_the_limit_of_open_files),
		TEST(there_are_none_without_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
