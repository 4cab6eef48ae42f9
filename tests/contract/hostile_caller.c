/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a caller may do to a server before it is connected: garbage, half a HELLO, wrong memory and
 * descriptors with it, or nothing at all.
 */
#include "test.h"

#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include "descriptors.h"
#include "base/fd.h"
#include "link/rendezvous.h"
#include "hostile_scene.h"

/*
 * Before the connection
 */

static void garbage_instead_of_hello(void **state)
{
	struct scene *scene = *state;
	uint8_t msg[FD_MESSAGE_MAX];

	memset(msg, 0xa5, sizeof(msg));
	scene_call(scene);
	raw_send(&scene->raw, msg, sizeof(msg), NULL, 0);
	scene_expect_loss(scene);
	assert_int_equal(scene->server->connects + scene->server->refusals, 1);
}

static void hello_cut_short_anywhere(void **state)
{
	struct scene *scene = *state;
	struct handshake hello = raw_hello(scene_addr(scene));
	uint8_t msg[FD_MESSAGE_MAX];
	size_t size = priv_handshake_encode(&hello, msg), cut;

	for (cut = 1; cut < size; cut++) {
		const int fds[] = {scene->raw.inbox->fd, scene->raw.bell};

		scene_call(scene);
		raw_send(&scene->raw, msg, cut, fds, 2);
		scene_settle(scene);
		assert_int_equal(scene->raw.losses, cut);
	}
	assert_int_equal(scene->server->connects, 1);
	scene_check_others(scene);
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

		scene_call(scene);
		raw_introduce(&scene->raw, &handshake);
		scene_settle(scene);
		assert_int_equal(scene->raw.losses, i + 1);
	}
	scene_check_others(scene);
}

static void hello_for_somebody_else(void **state)
{
	struct scene *scene = *state;
	struct handshake hello = raw_hello(scene_addr(scene));

	scene_call(scene);
	strcat(hello.hello.service, "x");
	raw_introduce(&scene->raw, &hello);
	scene_expect_loss(scene);
	assert_int_equal(scene->raw.answer.type, HANDSHAKE_REJECT);
	assert_int_equal(scene->raw.answer.reject.error, DOCA_ERROR_NOT_FOUND);
}

static void hang_up_without_a_word(void **state)
{
	struct scene *scene = *state;

	scene_call(scene);
	raw_hang_up(&scene->raw);
	scene_settle(scene);
	scene_check_others(scene);
	assert_int_equal(scene->server->connects + scene->server->refusals, 1);
}

static void hang_up_right_after_hello(void **state)
{
	struct scene *scene = *state;
	struct handshake hello = raw_hello(scene_addr(scene));

	scene_call(scene);
	raw_introduce(&scene->raw, &hello);
	raw_hang_up(&scene->raw);
	scene_settle(scene);
	assert_int_equal(scene->server->disconnects, scene->server->connects - 1);
	scene_check_others(scene);
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
	struct party *before = scene_enter(scene);
	unsigned int i, count = ARRAY_SIZE(links);

	scene_call(scene);
	if (scene->world.links == WORLD_SHM)
		count = 500; /* descriptors on both sides */
	for (i = 0; i < count; i++)
		assert_ok(priv_link_connect(&scene->raw.group, scene_addr(scene), &deaf, NULL,
					    &links[i]));
	priv_party_switch(before);
	world_settle(&scene->world);
	scene_check_others(scene);
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

	scene_call(scene);
	for (i = 0; i < 20000 && scene->raw.link; i++) {
		if (link_send(scene->raw.link, msg, size, NULL, 0))
			break;
		if (i % 100 == 0)
			world_progress(&scene->world);
	}
	world_settle(&scene->world);
	scene_check_others(scene);
	assert_int_equal(scene->raw.losses, 1);
}

/*
 * On the bare socket
 */

static int call_bare(struct scene *scene)
{
	int sock;

	assert_ok(rendezvous_connect(scene_addr(scene), &sock));
	return sock;
}

/* the server has hung up; it may have said why before */
static void expect_hang_up(struct scene *scene, int sock)
{
	uint8_t msg[FD_MESSAGE_MAX];
	ssize_t size;

	scene_settle(scene);
	while ((size = recv(sock, msg, sizeof(msg), MSG_DONTWAIT)) > 0)
		;
	assert_int_equal(size, 0);
	close(sock);
	scene_check_others(scene);
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
	struct handshake hello = raw_hello(scene_addr(scene));
	uint8_t msg[FD_MESSAGE_MAX];

	scene_call(scene);
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
		scene_settle(scene);
		assert_int_equal(scene->raw.losses, ++losses);
	}
	scene_check_others(scene);
}

static void descriptors_in_the_wrong_order(void **state)
{
	struct scene *scene = *state;
	const int fds[] = {scene->raw.bell, scene->raw.inbox->fd};

	introduce_with(scene, fds, 2);
	scene_expect_loss(scene);
}

static void expect_refused_memory(struct scene *scene, int fd)
{
	const int fds[] = {fd, scene->raw.bell};

	assert_true(fd >= 0);
	introduce_with(scene, fds, 2);
	close(fd);
	scene_expect_loss(scene);
	assert_int_equal(scene->server->connects, 1);
}

static void memory_that_is_not_sealed(void **state)
{
	expect_refused_memory(*state, scene_new_memfd(1 << 20, 0));
}

static void memory_that_can_shrink(void **state)
{
	expect_refused_memory(*state, scene_new_memfd(1 << 20, F_SEAL_GROW));
}

static void memory_that_cannot_be_written(void **state)
{
	expect_refused_memory(*state,
			      scene_new_memfd(1 << 20, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_WRITE));
}

static void memory_that_is_all_zero(void **state)
{
	expect_refused_memory(*state, scene_new_memfd(1 << 20, F_SEAL_GROW | F_SEAL_SHRINK));
}

static void memory_of_one_byte(void **state)
{
	expect_refused_memory(*state, scene_new_memfd(1, F_SEAL_GROW | F_SEAL_SHRINK));
}

static void a_file_instead_of_memory(void **state)
{
	expect_refused_memory(*state, open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
}

/* Address space is finite: a thousand of these would leave none for others. */
static void memory_far_beyond_need(void **state)
{
	int fd = scene_new_memfd((size_t)1 << 40, F_SEAL_GROW | F_SEAL_SHRINK);
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
	struct handshake hello = raw_hello(scene_addr(scene));

	shared->line_count = lines;
	shared->slot_size = slot;
	scene_call(scene);
	raw_introduce(&scene->raw, &hello);
	scene_settle(scene);
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
	scene_check_others(scene);
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
	scene_expect_loss(scene);
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
	scene_get_in(scene);
	assert_int_equal(fcntl(bell, F_SETFL, 0), 0);
	sleeper_mark(scene->raw.rx.sleeper.shared);
	assert_ok(side_send(scene->server, "ring", 4)); /* would never return */
	sleeper_mark(scene->raw.rx.sleeper.shared);
	assert_ok(side_send(scene->server, "ring", 4)); /* nor would this: it is empty */
	scene_check_others(scene);
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
	};

	if (!many_descriptors_are_allowed())
		return 77; /* skipped */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
