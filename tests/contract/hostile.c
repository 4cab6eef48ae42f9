/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a peer may do to a server, over simulated links and over real sockets: it says the wrong
 * thing at any point, and loses its connection. The server and its other client go on exchanging
 * messages, and nothing is left behind.
 *
 * Long because every promise is a small test of its own.
 */
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include "chan/chan.h"
#include "chan/lane.h"
#include "link/rendezvous.h"
#include "raw.h"
#include "world.h"

struct scene {
	struct world world;
	struct side *server, *client; /* the client that behaves */
	struct raw raw;		      /* and the one that does not */
	struct link_addr addr;
};

static const struct link_addr *addr_of(struct scene *scene)
{
	const struct topo *topo;

	assert_ok(priv_topo_get(&topo));
	scene->addr.card = &topo->cards[0];
	strcpy(scene->addr.function, HOST_PF0);
	snprintf(scene->addr.service, sizeof(scene->addr.service), "hostile-%d", (int)getpid());
	return &scene->addr;
}

static struct party *enter(struct scene *scene)
{
	return priv_party_switch(&scene->client->party);
}

static void open_scene(struct scene *scene, enum world_links links)
{
	const char *name;
	struct party *before;

	world_init(&scene->world, links);
	name = addr_of(scene)->service;
	scene->server = world_add_server(&scene->world, HOST_PF0, name);
	scene->client = world_add_client(&scene->world, HOST_PF0, name);
	side_run(scene->server);
	side_run(scene->client);
	scene->server->arg = side_connection(scene->server); /* to the one who behaves */
	before = enter(scene);
	raw_init(&scene->raw);
	priv_party_switch(before);
}

static int setup_sim(void **state)
{
	*state = calloc(1, sizeof(struct scene));
	open_scene(*state, WORLD_SIM);
	return 0;
}

static int setup_shm(void **state)
{
	*state = calloc(1, sizeof(struct scene));
	open_scene(*state, WORLD_SHM);
	return 0;
}

static void settle(struct scene *scene)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		world_settle(&scene->world);
		raw_poll(&scene->raw);
	}
}

/* The one who behaves notices nothing. */
static void check_others(struct scene *scene)
{
	unsigned int before = scene->client->messages;

	assert_ok(side_send(scene->client, "ping", 4));
	settle(scene);
	assert_int_equal(scene->server->message_size, 4);
	assert_ok(side_send_to(scene->server, scene->server->arg, "pong", 4));
	settle(scene);
	assert_int_equal(scene->client->messages, before + 1);
	assert_int_equal(side_state(scene->client), DOCA_CTX_STATE_RUNNING);
	assert_int_equal(side_state(scene->server), DOCA_CTX_STATE_RUNNING);
}

static int teardown(void **state)
{
	struct scene *scene = *state;
	bool clean;

	raw_fini(&scene->raw);
	clean = world_fini(&scene->world);
	free(scene);
	return clean ? 0 : -1;
}

static void call(struct scene *scene)
{
	struct party *before = enter(scene);

	assert_ok(raw_call(&scene->raw, addr_of(scene)));
	priv_party_switch(before);
}

/* the offender has been thrown out */
static void expect_loss(struct scene *scene)
{
	settle(scene);
	assert_int_equal(scene->raw.losses, 1);
	assert_null(scene->raw.link);
	check_others(scene);
}

/* a connection that is as it should be, so far */
static void get_in(struct scene *scene)
{
	struct handshake hello = raw_hello(addr_of(scene));

	call(scene);
	raw_introduce(&scene->raw, &hello);
	settle(scene);
	assert_int_equal(scene->raw.answer.type, HANDSHAKE_ACCEPT);
	assert_non_null(scene->raw.their_inbox);
	assert_int_equal(scene->server->connects, 2 + scene->server->disconnects);
}

/* it was connected, and is not any more */
static void expect_disconnect(struct scene *scene)
{
	settle(scene);
	assert_int_equal(scene->server->disconnects, 1);
	expect_loss(scene);
}

/*
 * Before the connection
 */

static void garbage_instead_of_hello(void **state)
{
	struct scene *scene = *state;
	uint8_t msg[FD_MESSAGE_MAX];

	memset(msg, 0xa5, sizeof(msg));
	call(scene);
	raw_send(&scene->raw, msg, sizeof(msg), NULL, 0);
	expect_loss(scene);
	assert_int_equal(scene->server->connects + scene->server->refusals, 1);
}

static void hello_cut_short_anywhere(void **state)
{
	struct scene *scene = *state;
	struct handshake hello = raw_hello(addr_of(scene));
	uint8_t msg[FD_MESSAGE_MAX];
	size_t size = priv_handshake_encode(&hello, msg), cut;

	for (cut = 1; cut < size; cut++) {
		const int fds[] = {scene->raw.inbox->fd, scene->raw.bell};

		call(scene);
		raw_send(&scene->raw, msg, cut, fds, 2);
		settle(scene);
		assert_int_equal(scene->raw.losses, cut);
	}
	assert_int_equal(scene->server->connects, 1);
	check_others(scene);
}

static void every_other_message_instead_of_hello(void **state)
{
	static const enum handshake_type types[] = {HANDSHAKE_ACCEPT, HANDSHAKE_REJECT,
						    HANDSHAKE_SERVER, HANDSHAKE_CONNECTION,
						    HANDSHAKE_END,    HANDSHAKE_MEMORY};
	struct scene *scene = *state;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		struct handshake handshake = {.type = types[i]};

		call(scene);
		raw_introduce(&scene->raw, &handshake);
		settle(scene);
		assert_int_equal(scene->raw.losses, i + 1);
	}
	check_others(scene);
}

static void hello_for_somebody_else(void **state)
{
	struct scene *scene = *state;
	struct handshake hello = raw_hello(addr_of(scene));

	call(scene);
	strcat(hello.hello.service, "x");
	raw_introduce(&scene->raw, &hello);
	expect_loss(scene);
	assert_int_equal(scene->raw.answer.type, HANDSHAKE_REJECT);
	assert_int_equal(scene->raw.answer.reject.error, DOCA_ERROR_NOT_FOUND);
}

static void hang_up_without_a_word(void **state)
{
	struct scene *scene = *state;

	call(scene);
	raw_hang_up(&scene->raw);
	settle(scene);
	check_others(scene);
	assert_int_equal(scene->server->connects + scene->server->refusals, 1);
}

static void hang_up_right_after_hello(void **state)
{
	struct scene *scene = *state;
	struct handshake hello = raw_hello(addr_of(scene));

	call(scene);
	raw_introduce(&scene->raw, &hello);
	raw_hang_up(&scene->raw);
	settle(scene);
	assert_int_equal(scene->server->disconnects, scene->server->connects - 1);
	check_others(scene);
}

static void ignore_any(struct link *link, const void *msg, size_t size, const int *fds,
		       unsigned int fd_count)
{
	(void)link;
	(void)msg;
	(void)size;
	priv_fd_close_all(fds, fd_count);
}

static void ignore_loss(struct link *link, doca_error_t reason)
{
	(void)link;
	(void)reason;
}

static const struct link_handler deaf = {.message = ignore_any, .lost = ignore_loss};

static void a_flood_of_callers_who_say_nothing(void **state)
{
	static struct link *links[5000]; /* more than a server listens to */
	struct scene *scene = *state;
	struct party *before = enter(scene);
	unsigned int i, count = ARRAY_SIZE(links);

	call(scene);
	if (scene->world.links == WORLD_SHM)
		count = 500; /* descriptors on both sides */
	for (i = 0; i < count; i++)
		assert_ok(priv_link_connect(&scene->raw.group, addr_of(scene), &deaf, NULL,
					    &links[i]));
	priv_party_switch(before);
	world_settle(&scene->world);
	check_others(scene);
	for (i = 0; i < count; i++)
		link_close(links[i]);
}

static void a_tool_that_asks_and_never_reads(void **state)
{
	struct handshake query = {.type = HANDSHAKE_QUERY};
	struct scene *scene = *state;
	uint8_t msg[FD_MESSAGE_MAX];
	size_t size = priv_handshake_encode(&query, msg);
	unsigned int i;

	call(scene);
	for (i = 0; i < 20000 && scene->raw.link; i++) {
		if (link_send(scene->raw.link, msg, size, NULL, 0))
			break;
		if (i % 100 == 0)
			world_progress(&scene->world);
	}
	world_settle(&scene->world);
	check_others(scene);
	assert_int_equal(scene->raw.losses, 1);
}

/*
 * On the bare socket
 */

static int call_bare(struct scene *scene)
{
	int sock;

	assert_ok(rendezvous_connect(addr_of(scene), &sock));
	return sock;
}

/* the server has hung up; it may have said why before */
static void expect_hang_up(struct scene *scene, int sock)
{
	uint8_t msg[FD_MESSAGE_MAX];
	ssize_t size;

	settle(scene);
	while ((size = recv(sock, msg, sizeof(msg), MSG_DONTWAIT)) > 0)
		;
	assert_int_equal(size, 0);
	close(sock);
	check_others(scene);
}

static void a_message_of_no_bytes(void **state)
{
	int sock = call_bare(*state);

	assert_int_equal(send(sock, "", 0, 0), 0);
	expect_hang_up(*state, sock);
}

static void a_message_beyond_what_is_read(void **state)
{
	static const uint8_t msg[64 << 10];
	int sock = call_bare(*state);

	assert_int_equal(send(sock, msg, sizeof(msg), 0), sizeof(msg));
	expect_hang_up(*state, sock);
}

static void more_descriptors_than_are_taken(void **state)
{
	union {
		char bytes[CMSG_SPACE(200 * sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	char byte = 0;
	struct iovec iov = {.iov_base = &byte, .iov_len = 1};
	struct msghdr hdr = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&hdr);
	struct scene *scene = *state;
	int sock = call_bare(scene), i;

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(200 * sizeof(int));
	for (i = 0; i < 200; i++)
		memcpy(CMSG_DATA(cmsg) + (size_t)i * sizeof(int), &scene->raw.bell, sizeof(int));
	assert_int_equal(sendmsg(sock, &hdr, 0), 1);
	expect_hang_up(scene, sock);
}

static void one_direction_shut_down(void **state)
{
	int sock = call_bare(*state);

	assert_int_equal(shutdown(sock, SHUT_WR), 0);
	expect_hang_up(*state, sock);
}

/* descriptors that cannot be received any more hold each other: sockets in sockets */
static void a_socket_in_itself(void **state)
{
	struct scene *scene = *state;
	int sock = call_bare(scene);

	assert_ok(priv_fd_send(sock, "x", 1, &sock, 1));
	expect_hang_up(scene, sock);
}

/*
 * What comes with HELLO
 */

static void introduce_with(struct scene *scene, const int *fds, unsigned int fd_count)
{
	struct handshake hello = raw_hello(addr_of(scene));
	uint8_t msg[FD_MESSAGE_MAX];

	call(scene);
	raw_send(&scene->raw, msg, priv_handshake_encode(&hello, msg), fds, fd_count);
}

static void a_wrong_number_of_descriptors(void **state)
{
	struct scene *scene = *state;
	const int fds[] = {scene->raw.inbox->fd, scene->raw.bell, scene->raw.bell, scene->raw.bell};
	unsigned int count, losses = 0;

	for (count = 0; count <= 4; count++) {
		if (count == 2)
			continue;
		introduce_with(scene, fds, count);
		settle(scene);
		assert_int_equal(scene->raw.losses, ++losses);
	}
	check_others(scene);
}

static void descriptors_in_the_wrong_order(void **state)
{
	struct scene *scene = *state;
	const int fds[] = {scene->raw.bell, scene->raw.inbox->fd};

	introduce_with(scene, fds, 2);
	expect_loss(scene);
}

static void expect_refused_memory(struct scene *scene, int fd)
{
	const int fds[] = {fd, scene->raw.bell};

	assert_true(fd >= 0);
	introduce_with(scene, fds, 2);
	close(fd);
	expect_loss(scene);
	assert_int_equal(scene->server->connects, 1);
}

static int new_memfd(size_t size, int seals)
{
	int fd = memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static void memory_that_is_not_sealed(void **state)
{
	expect_refused_memory(*state, new_memfd(1 << 20, 0));
}

static void memory_that_can_shrink(void **state)
{
	expect_refused_memory(*state, new_memfd(1 << 20, F_SEAL_GROW));
}

static void memory_that_cannot_be_written(void **state)
{
	expect_refused_memory(*state,
			      new_memfd(1 << 20, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_WRITE));
}

static void memory_that_is_all_zero(void **state)
{
	expect_refused_memory(*state, new_memfd(1 << 20, F_SEAL_GROW | F_SEAL_SHRINK));
}

static void memory_of_one_byte(void **state)
{
	expect_refused_memory(*state, new_memfd(1, F_SEAL_GROW | F_SEAL_SHRINK));
}

static void a_file_instead_of_memory(void **state)
{
	expect_refused_memory(*state, open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
}

/* Address space is finite: a thousand of these would leave none for others. */
static void memory_far_beyond_need(void **state)
{
	int fd = new_memfd((size_t)1 << 40, F_SEAL_GROW | F_SEAL_SHRINK);
	void *memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct ring_receiver rx;

	assert_true(memory != MAP_FAILED);
	priv_ring_receiver_init(&rx, memory, 64, RAW_MSG_SIZE);
	munmap(memory, 1 << 20);
	expect_refused_memory(*state, fd);
}

static void expect_refused_header(struct scene *scene, uint32_t lines, uint32_t slot)
{
	struct ring_shared *shared = scene->raw.inbox->addr;
	unsigned int losses = scene->raw.losses;
	struct handshake hello = raw_hello(addr_of(scene));

	shared->line_count = lines;
	shared->slot_size = slot;
	call(scene);
	raw_introduce(&scene->raw, &hello);
	settle(scene);
	assert_int_equal(scene->raw.losses, losses + 1);
	assert_int_equal(scene->server->connects, 1);
}

static void a_ring_with_an_absurd_header(void **state)
{
	struct scene *scene = *state;

	expect_refused_header(scene, 0, 4160);
	expect_refused_header(scene, 3, 4160);
	expect_refused_header(scene, UINT32_MAX, 4160);
	expect_refused_header(scene, 1u << 31, 4160);
	expect_refused_header(scene, 8192, 4160); /* more than the memory has */
	expect_refused_header(scene, 64, 0);
	expect_refused_header(scene, 64, 1u << 31);
	expect_refused_header(scene, 64, 4032); /* no room for the largest message */
	check_others(scene);
}

/* To ring such a bell would be to wait for ever. */
static void a_pipe_instead_of_a_bell(void **state)
{
	struct scene *scene = *state;
	int pipes[2], fds[2];

	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	fds[0] = scene->raw.inbox->fd;
	fds[1] = pipes[1];
	introduce_with(scene, fds, 2);
	close(pipes[0]);
	close(pipes[1]);
	expect_loss(scene);
	assert_int_equal(scene->server->connects, 1);
}

static void a_bell_that_blocks(void **state)
{
	struct scene *scene = *state;
	const uint64_t count = UINT64_MAX - 1;
	int bell = eventfd(0, EFD_CLOEXEC);

	assert_int_equal(write(bell, &count, sizeof(count)), sizeof(count));
	close(scene->raw.bell);
	scene->raw.bell = bell;
	get_in(scene);
	assert_int_equal(fcntl(bell, F_SETFL, 0), 0);
	sleeper_mark(scene->raw.rx.sleeper.shared);
	assert_ok(side_send(scene->server, "ring", 4)); /* would never return */
	sleeper_mark(scene->raw.rx.sleeper.shared);
	assert_ok(side_send(scene->server, "ring", 4)); /* nor would this: it is empty */
	check_others(scene);
}

/*
 * In the ring
 */

static void a_message_of_no_size(void **state)
{
	get_in(*state);
	raw_forge(&((struct scene *)*state)->raw, CHAN_MESSAGE, 0, 0);
	expect_disconnect(*state);
}

static void a_message_beyond_the_maximum(void **state)
{
	get_in(*state);
	raw_forge(&((struct scene *)*state)->raw, CHAN_MESSAGE, RAW_MSG_SIZE + 1, 0);
	expect_disconnect(*state);
}

static void a_message_of_4_gigabytes(void **state)
{
	get_in(*state);
	raw_forge(&((struct scene *)*state)->raw, CHAN_MESSAGE, UINT32_MAX, 0);
	expect_disconnect(*state);
}

static void a_message_outside_the_arena(void **state)
{
	get_in(*state);
	raw_forge(&((struct scene *)*state)->raw, CHAN_MESSAGE, 200, UINT32_MAX - 100);
	expect_disconnect(*state);
}

static void a_record_of_no_type(void **state)
{
	get_in(*state);
	raw_forge(&((struct scene *)*state)->raw, 0, 1, 0);
	expect_disconnect(*state);
}

static void a_record_of_an_unknown_type(void **state)
{
	get_in(*state);
	raw_forge(&((struct scene *)*state)->raw, UINT16_MAX, 1, 0);
	expect_disconnect(*state);
}

static void a_consumer_without_an_id(void **state)
{
	get_in(*state);
	raw_forge(&((struct scene *)*state)->raw, CHAN_CONSUMER_NEW, 0, 0);
	expect_disconnect(*state);
}

/* announces a consumer whose lane, window or bell is something else */
static void announce(struct scene *scene, const int fds[3])
{
	struct handshake memory = {.type = HANDSHAKE_MEMORY, .memory.token = 2};
	const uint32_t id = 2;
	uint8_t msg[FD_MESSAGE_MAX];

	raw_send(&scene->raw, msg, priv_handshake_encode(&memory, msg), fds, 3);
	raw_push(&scene->raw, CHAN_CONSUMER_NEW, &id, sizeof(id));
	settle(scene);
}

static void a_consumer_of_wrong_parts(void **state)
{
	struct scene *scene = *state;
	int window = new_memfd(1 << 20, F_SEAL_GROW | F_SEAL_SHRINK);
	int open_window = new_memfd(1 << 20, 0);
	struct lane_consumer lane;
	unsigned int i;

	assert_ok(lane_consumer_init(&lane, 16, 0));
	for (i = 0; i < 5; i++) {
		const int sets[5][3] = {
			{window, window, scene->raw.bell},
			{scene->raw.bell, window, scene->raw.bell},
			{lane.mem->fd, open_window, scene->raw.bell},
			{lane.mem->fd, scene->raw.bell, scene->raw.bell},
			{lane.mem->fd, window, window}, /* a bell that is memory */
		};
		struct raw *raw = &scene->raw;
		struct party *before;

		get_in(scene);
		announce(scene, sets[i]);
		settle(scene);
		assert_int_equal(scene->server->disconnects, i + 1);
		check_others(scene);
		before = enter(scene);
		raw_fini(raw); /* another caller the next time */
		raw_init(raw);
		priv_party_switch(before);
	}
	lane_consumer_fini(&lane);
	close(window);
	close(open_window);
}

static void an_answer_with_a_wrong_bell(void **state)
{
	struct handshake memory = {.type = HANDSHAKE_MEMORY, .memory.token = 0x80000001u};
	struct scene *scene = *state;
	const uint32_t id = 1;
	uint8_t msg[FD_MESSAGE_MAX];

	get_in(scene);
	raw_send(&scene->raw, msg, priv_handshake_encode(&memory, msg), &scene->raw.inbox->fd, 1);
	raw_push(&scene->raw, CHAN_CONSUMER_ACK, &id, sizeof(id));
	expect_disconnect(scene);
}

static void a_consumer_that_nobody_knows_goes(void **state)
{
	const uint32_t id = 12345;

	get_in(*state);
	raw_push(&((struct scene *)*state)->raw, CHAN_CONSUMER_GONE, &id, sizeof(id));
	expect_disconnect(*state);
}

static void a_tail_beyond_the_head(void **state)
{
	struct scene *scene = *state;
	struct ring_shared *shared = scene->raw.inbox->addr;
	unsigned int i;

	get_in(scene);
	for (i = 0; i < SIDE_TASKS; i++)
		assert_ok(side_send(scene->server, "fill", 4));
	atomic_store(&shared->tail, 1u << 31);
	settle(scene);
	assert_ok(side_send(scene->server, "one more", 8));
	expect_disconnect(scene);
}

static void records_without_end(void **state)
{
	struct scene *scene = *state;
	unsigned int i, round;

	get_in(scene);
	for (round = 0; round < 50; round++) {
		for (i = 0; i < 2 * scene->raw.tx.mask; i++) /* overtakes the reader as well */
			raw_forge(&scene->raw, CHAN_MESSAGE, 1, 0);
		world_progress(&scene->world);
		assert_ok(side_send(scene->client, "meanwhile", 9));
		world_settle(&scene->world);
	}
	assert_int_equal(side_state(scene->server), DOCA_CTX_STATE_RUNNING);
	check_others(scene);
}

static void a_second_hello_on_the_socket(void **state)
{
	struct scene *scene = *state;
	struct handshake hello = raw_hello(addr_of(scene));

	get_in(scene);
	raw_introduce(&scene->raw, &hello);
	expect_disconnect(scene);
}

static void garbage_on_the_socket(void **state)
{
	struct scene *scene = *state;

	get_in(scene);
	raw_send(&scene->raw, "garbage", 7, &scene->raw.bell, 1);
	expect_disconnect(scene);
}

static void memory_without_end_on_the_socket(void **state)
{
	struct handshake memory = {.type = HANDSHAKE_MEMORY};
	struct scene *scene = *state;
	uint8_t msg[FD_MESSAGE_MAX];
	size_t size = priv_handshake_encode(&memory, msg);
	unsigned int i;

	get_in(scene);
	for (i = 0; i < 10000 && scene->raw.link; i++) {
		if (link_send(scene->raw.link, msg, size, NULL, 0))
			break;
		if (i % 50 == 0)
			settle(scene);
	}
	expect_disconnect(scene);
}

/* It never reads. What is sent to it waits, and nobody else does. */
static void a_peer_that_never_reads(void **state)
{
	struct scene *scene = *state;
	unsigned int i;

	get_in(scene);
	world_settle(&scene->world);
	for (i = 0; i < SIDE_TASKS / 2; i++)
		assert_ok(side_send(scene->server, "to nobody", 9));
	world_settle(&scene->world);
	check_others(scene);
	raw_hang_up(&scene->raw);
	settle(scene);
	assert_int_equal(scene->server->disconnects, 1);
}

static void every_flag_set_all_the_time(void **state)
{
	struct scene *scene = *state;
	struct ring_shared *theirs, *ours = scene->raw.inbox->addr;
	unsigned int i;

	get_in(scene);
	theirs = scene->raw.their_inbox->addr;
	for (i = 0; i < 100; i++) {
		atomic_store(&ours->receiver.asleep, UINT32_MAX);
		atomic_store(&theirs->sender.asleep, UINT32_MAX);
		atomic_store(&theirs->sender.fences, i);
		atomic_store(&ours->receiver.fences, ~i);
		atomic_store(&theirs->tail, i * 77);
		theirs->line_count = 0;
		theirs->slot_size = UINT32_MAX;
		if (ring_has_room(&scene->raw.tx))
			raw_push(&scene->raw, CHAN_MESSAGE, "hello", 5);
		world_settle(&scene->world);
	}
	check_others(scene);
}

#define BOTH(name)                                                                                 \
	{#name " (sim)", name, setup_sim, teardown, NULL},                                         \
	{                                                                                          \
#name " (shm)", name, setup_shm, teardown, NULL                                    \
	}

#define BARE(name)                                                                                 \
	{                                                                                          \
#name " (shm)", name, setup_shm, teardown, NULL                                    \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(garbage_instead_of_hello),
		BOTH(hello_cut_short_anywhere),
		BOTH(every_other_message_instead_of_hello),
		BOTH(hello_for_somebody_else),
		BOTH(hang_up_without_a_word),
		BOTH(hang_up_right_after_hello),
		BOTH(a_flood_of_callers_who_say_nothing),
		BOTH(a_tool_that_asks_and_never_reads),
		BARE(a_message_of_no_bytes),
		BARE(a_message_beyond_what_is_read),
		BARE(more_descriptors_than_are_taken),
		BARE(one_direction_shut_down),
		BARE(a_socket_in_itself),
		BOTH(a_wrong_number_of_descriptors),
		BOTH(descriptors_in_the_wrong_order),
		BOTH(memory_that_is_not_sealed),
		BOTH(memory_that_can_shrink),
		BOTH(memory_that_cannot_be_written),
		BOTH(memory_that_is_all_zero),
		BOTH(memory_of_one_byte),
		BOTH(a_file_instead_of_memory),
		BOTH(memory_far_beyond_need),
		BOTH(a_ring_with_an_absurd_header),
		BOTH(a_pipe_instead_of_a_bell),
		BOTH(a_bell_that_blocks),
		BOTH(a_message_of_no_size),
		BOTH(a_message_beyond_the_maximum),
		BOTH(a_message_of_4_gigabytes),
		BOTH(a_message_outside_the_arena),
		BOTH(a_record_of_no_type),
		BOTH(a_record_of_an_unknown_type),
		BOTH(a_consumer_without_an_id),
		BOTH(a_consumer_of_wrong_parts),
		BOTH(an_answer_with_a_wrong_bell),
		BOTH(a_consumer_that_nobody_knows_goes),
		BOTH(a_tail_beyond_the_head),
		BOTH(records_without_end),
		BOTH(a_second_hello_on_the_socket),
		BOTH(garbage_on_the_socket),
		BOTH(memory_without_end_on_the_socket),
		BOTH(a_peer_that_never_reads),
		BOTH(every_flag_set_all_the_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
