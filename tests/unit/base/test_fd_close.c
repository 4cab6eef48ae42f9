/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors of strangers whose close() would wait: for data that nobody takes from a socket.
 */
#include "test.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/fd.h"
#include "leak.h"

#define MANY 20u /* more than a message may have */

/* The first of a pair over TCP that is not closed before the second one reads, which it never does.
 */
struct lingering {
	int sock, reader;
};

static struct lingering make_lingering(void)
{
	static const char data[65536];
	const struct linger forever = {.l_onoff = 1, .l_linger = 3000};
	struct sockaddr_in addr = {.sin_family = AF_INET};
	const int small = 4096;
	socklen_t size = sizeof(addr);
	struct lingering pair;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&addr, size), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&addr, &size), 0);
	pair.sock = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(pair.sock, (struct sockaddr *)&addr, size), 0);
	pair.reader = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	close(listener);
	while (send(pair.sock, data, sizeof(data), MSG_DONTWAIT) > 0)
		;
	assert_int_equal(setsockopt(pair.sock, SOL_SOCKET, SO_LINGER, &forever, sizeof(forever)),
			 0);
	return pair;
}

/* the socket so many times, and nobody else has it then */
static void send_away(int link, int sock, unsigned int count, size_t size)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * MANY)] = {0};
	char byte = 0;
	struct iovec iov = {.iov_base = &byte, .iov_len = size};
	struct msghdr hdr = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control,
			     .msg_controllen = CMSG_SPACE(sizeof(int) * count)};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&hdr);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int) * count);
	for (unsigned int i = 0; i < count; i++)
		memcpy(CMSG_DATA(cmsg) + i * sizeof(int), &sock, sizeof(sock));
	assert_int_equal(sendmsg(link, &hdr, 0), size);
	close(sock);
}

static void receive_and_close(unsigned int count)
{
	struct lingering pair = make_lingering();
	int links[2], fds[FD_MESSAGE_FDS_MAX];
	unsigned int fd_count;
	doca_error_t err;
	size_t size;
	char byte;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, links), 0);
	send_away(links[0], pair.sock, count, 1);
	alarm(20); /* to wait would be to wait for an hour */
	err = priv_fd_receive(links[1], &byte, 1, &size, fds, &fd_count);
	if (!err)
		priv_fd_close_all(fds, fd_count);
	alarm(0);
	assert_int_equal(err, count > FD_MESSAGE_FDS_MAX ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS);
	close(pair.reader);
	close(links[0]);
	close(links[1]);
}

static void what_was_received_is_closed_at_once(void **state)
{
	(void)state;
	receive_and_close(1);
}

static void so_is_what_there_is_no_room_for(void **state)
{
	(void)state;
	receive_and_close(MANY);
}

/* Nobody has received it; and empty messages are no end. */
static void so_is_what_is_still_in_a_socket(void **state)
{
	struct lingering pairs[3];
	int links[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, links), 0);
	for (unsigned int i = 0; i < 3; i++) {
		pairs[i] = make_lingering();
		send_away(links[0], pairs[i].sock, 1 + i * (MANY - 1) / 2, i % 2);
	}
	alarm(20);
	priv_fd_drain(links[1]);
	close(links[1]);
	alarm(0);
	for (unsigned int i = 0; i < 3; i++)
		close(pairs[i].reader);
	close(links[0]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, leak_setup, leak_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_was_received_is_closed_at_once),
		TEST(so_is_what_there_is_no_room_for),
		TEST(so_is_what_is_still_in_a_socket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
