/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The early form: limits, devices that are chosen, blocking calls.
 */
#include "eptest.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include "valgrind.h"

static doca_error_t create(uint32_t flags, uint32_t maxmsgs, uint32_t msgsize, ep_t **ret_ep)
{
	struct doca_comm_channel_init_attr attr = {
		.cookie = 42, .flags = flags, .maxmsgs = maxmsgs, .msgsize = msgsize};

	return softfield_comm_channel_ep_create_1_4(&attr, ret_ep);
}

static void small_limits_are_raised_and_large_ones_refused(void **state)
{
	uint16_t size;
	ep_t *ep;

	(void)state;
	assert_err(create(0, 8192, 256, &ep), INVALID_VALUE);
	assert_err(create(0, 16, 4081, &ep), INVALID_VALUE);
	assert_err(create(2, 16, 256, &ep), INVALID_VALUE);
	assert_err(create(0, 16, 256, NULL), INVALID_VALUE);
	assert_err(softfield_comm_channel_ep_create_1_4(NULL, &ep), INVALID_VALUE);
	assert_ok(create(0, 1, 1, &ep));
	assert_ok(doca_comm_channel_ep_get_max_msg_size(ep, &size));
	assert_int_equal(size, 256);
	assert_ok(doca_comm_channel_ep_get_recv_queue_size(ep, &size));
	assert_int_equal(size, 16);
	assert_ok(doca_comm_channel_ep_get_send_queue_size(ep, &size));
	assert_int_equal(size, 16);
	assert_ok(doca_comm_channel_ep_destroy(ep));
	assert_ok(create(DOCA_COMM_CHANNEL_INIT_FLAG_NONBLOCK, 8191, 4080, &ep));
	assert_ok(doca_comm_channel_ep_get_max_msg_size(ep, &size));
	assert_int_equal(size, 4080);
	assert_ok(doca_comm_channel_ep_destroy(ep));
}

/* Clients on any function of the host reach it. */
static void a_service_listens_for_all_functions(void **state)
{
	static const char *const functions[] = {HOST_PF0, HOST_PF1, HOST_VF0};
	struct rig *rig = *state;
	struct doca_dev *devs[ARRAY_SIZE(functions)];
	unsigned int i;

	rig->service = early(DOCA_CC_INIT_FLAG_NONBLOCK, 16, 256);
	assert_ok(doca_comm_channel_ep_listen(rig->service, rig->name));
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		devs[i] = open_dev(functions[i]);
		assert_ok(doca_comm_channel_ep_create(&rig->clients[i]));
		assert_ok(doca_comm_channel_ep_set_device(rig->clients[i], devs[i]));
		add_client(rig, i);
	}
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		assert_ok(doca_comm_channel_ep_destroy(rig->clients[i]));
		rig->clients[i] = NULL;
		assert_ok(doca_dev_close(devs[i]));
	}
}

/* All or nothing: what it has opened before one is taken is closed again. */
static void a_name_that_is_taken_anywhere_is_taken(void **state)
{
	struct rig *rig = *state;
	ep_t *all = early(DOCA_CC_INIT_FLAG_NONBLOCK, 16, 256), *later;
	struct doca_dev_rep *rep = open_rep(rig->dpu, HOST_VF0); /* not the first one */

	assert_ok(doca_comm_channel_ep_destroy(rig->service));
	assert_ok(doca_comm_channel_ep_create(&later));
	assert_ok(doca_comm_channel_ep_set_device(later, rig->dpu));
	assert_ok(doca_comm_channel_ep_set_device_rep(later, rep));
	assert_ok(doca_comm_channel_ep_listen(later, rig->name));
	assert_err(doca_comm_channel_ep_listen(all, rig->name), IN_USE);
	rig->service = late_service(rig);
	assert_ok(doca_comm_channel_ep_listen(rig->service, rig->name));
	assert_ok(doca_comm_channel_ep_destroy(rig->service));
	assert_ok(doca_comm_channel_ep_destroy(later));
	assert_ok(doca_dev_rep_close(rep));
	rig->service = all;
	assert_ok(doca_comm_channel_ep_listen(all, rig->name));
}

static void nonblocking_calls_answer_again(void **state)
{
	struct rig *rig = *state;
	addr_t *to;
	ep_t *client;

	rig->service = early(DOCA_CC_INIT_FLAG_NONBLOCK, 16, 256);
	assert_ok(doca_comm_channel_ep_listen(rig->service, rig->name));
	assert_err(receive(rig, rig->service), AGAIN);
	client = early(DOCA_CC_INIT_FLAG_NONBLOCK, 16, 256);
	rig->clients[0] = client;
	assert_ok(doca_comm_channel_ep_connect(client, rig->name, &to));
	while (send_text(client, "first", to) == DOCA_ERROR_AGAIN) /* the handshake goes on */
		assert_err(receive(rig, rig->service), AGAIN);
	expect(rig, rig->service, "first");
}

/*
 * Blocking
 */

struct server {
	pthread_t thread;
	struct rig *rig;
	unsigned int count; /* of messages that it answers */
	_Atomic pid_t tid;
};

/* A service as programs of that age have it: blocks, answers, and looks at nothing else. */
static void *serve(void *arg)
{
	struct server *server = arg;
	char msg[256];
	addr_t *from;

	server->tid = gettid();
	while (server->count--) {
		size_t size = sizeof(msg);

		must(!doca_comm_channel_ep_recvfrom(server->rig->service, msg, &size, 0, &from));
		must(!doca_comm_channel_ep_sendto(server->rig->service, msg, size, 0, from));
	}
	return NULL;
}

static void start_server(struct server *server, struct rig *rig, unsigned int count)
{
	server->rig = rig;
	server->count = count;
	server->tid = 0;
	rig->service = early(0, 16, 256);
	assert_ok(doca_comm_channel_ep_listen(rig->service, rig->name));
	assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}

static void blocking_calls_wait(void **state)
{
	enum { COUNT = 200 };
	struct rig *rig = *state;
	struct server server;
	unsigned int i;
	addr_t *to;
	ep_t *client;

	start_server(&server, rig, COUNT);
	client = rig->clients[0] = early(0, 16, 256);
	assert_ok(doca_comm_channel_ep_connect(client, rig->name, &to));
	for (i = 0; i < COUNT; i++) {
		assert_ok(doca_comm_channel_ep_sendto(client, &i, sizeof(i), 0, to));
		assert_ok(receive(rig, client)); /* waits */
		assert_memory_equal(rig->msg, &i, sizeof(i));
		assert_ptr_equal(rig->sender, to);
	}
	assert_int_equal(pthread_join(server.thread, NULL), 0);
}

/* What the kernel says of a thread: its state, and how often it has waited. */
static char state_of(pid_t tid, unsigned long *ret_waits)
{
	char path[64], line[128], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	file = fopen(path, "r");
	must(file);
	while (fgets(line, sizeof(line), file)) {
		sscanf(line, "State: %c", &state);
		sscanf(line, "voluntary_ctxt_switches: %lu", ret_waits);
	}
	fclose(file);
	return state;
}

/* On a crowded CPU it naps while it polls: that is a sleep, too, but a short one. */
static bool stays_asleep(pid_t tid)
{
	unsigned long waits, waits_later;

	if (state_of(tid, &waits) != 'S')
		return false;
	for (unsigned int i = 0; i < 1000; i++)
		if (state_of(tid, &waits_later) != 'S' || waits_later != waits)
			return false;
	return true;
}

/* It is asleep soon, and stays so until there is something for it. */
static void a_blocked_call_sleeps(void **state)
{
	struct rig *rig = *state;
	struct server server;
	addr_t *to;
	ep_t *client;

	if (runs_under_valgrind())
		skip(); /* its threads wait for each other */
	start_server(&server, rig, 2);
	client = rig->clients[0] = early(0, 16, 256);
	assert_ok(doca_comm_channel_ep_connect(client, rig->name, &to));
	assert_ok(send_text(client, "one", to));
	expect(rig, client, "one");
	while (!stays_asleep(server.tid))
		sched_yield();
	assert_ok(send_text(client, "two", to));
	expect(rig, client, "two");
	assert_int_equal(pthread_join(server.thread, NULL), 0);
}

/* More messages than the queues hold: somebody has to wait for room. */
static void a_blocking_sender_waits_for_room(void **state)
{
	enum { COUNT = 5000 };
	struct rig *rig = *state;
	struct server server;
	unsigned int i, got = 0;
	addr_t *to;
	ep_t *client;

	start_server(&server, rig, COUNT);
	client = rig->clients[0] = early(0, 16, 256);
	assert_ok(doca_comm_channel_ep_connect(client, rig->name, &to));
	for (i = 0; i < COUNT; i++) {
		assert_ok(doca_comm_channel_ep_sendto(client, &i, sizeof(i), 0, to));
		/* Both sides would wait for each other for ever if nobody read. */
		while (i - got > 8) {
			assert_ok(receive(rig, client));
			assert_memory_equal(rig->msg, &got, sizeof(got));
			got++;
		}
	}
	while (got < COUNT) {
		assert_ok(receive(rig, client));
		got++;
	}
	assert_int_equal(pthread_join(server.thread, NULL), 0);
}

static void dontwait_does_not_block(void **state)
{
	struct rig *rig = *state;
	size_t size = sizeof(rig->msg);

	rig->service = early(0, 16, 256);
	assert_ok(doca_comm_channel_ep_listen(rig->service, rig->name));
	assert_err(doca_comm_channel_ep_recvfrom(rig->service, rig->msg, &size,
						 DOCA_CC_MSG_FLAG_DONTWAIT, &rig->sender),
		   AGAIN);
}

/* Every time, or the second call would wait for ever. */
static void a_blocking_client_hears_that_the_service_has_gone(void **state)
{
	struct rig *rig = *state;
	struct server server;
	addr_t *to;
	ep_t *client;

	start_server(&server, rig, 1);
	client = rig->clients[0] = early(0, 16, 256);
	assert_ok(doca_comm_channel_ep_connect(client, rig->name, &to));
	assert_ok(send_text(client, "one", to));
	assert_int_equal(pthread_join(server.thread, NULL), 0);
	assert_ok(doca_comm_channel_ep_destroy(rig->service));
	rig->service = NULL;
	assert_ok(receive(rig, client)); /* the answer */
	assert_err(receive(rig, client), CONNECTION_RESET);
	assert_err(receive(rig, client), CONNECTION_RESET);
	assert_err(send_text(client, "?", to), CONNECTION_RESET);
}

static void connecting_to_nobody_does_not_block(void **state)
{
	struct rig *rig = *state;
	addr_t *to;

	rig->clients[0] = early(0, 16, 256);
	assert_err(doca_comm_channel_ep_connect(rig->clients[0], rig->name, &to),
		   CONNECTION_ABORTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(small_limits_are_raised_and_large_ones_refused),
		TEST(a_service_listens_for_all_functions),
		SERVICE_TEST(a_name_that_is_taken_anywhere_is_taken),
		TEST(nonblocking_calls_answer_again),
		TEST(blocking_calls_wait),
		TEST(a_blocked_call_sleeps),
		TEST(a_blocking_sender_waits_for_room),
		TEST(dontwait_does_not_block),
		TEST(a_blocking_client_hears_that_the_service_has_gone),
		TEST(connecting_to_nobody_does_not_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
