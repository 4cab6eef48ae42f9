/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Peer: a unix SOCK_SEQPACKET socket pair, blocking, or (mode "spin") read and written in a loop
 * without sleeping.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "pair.h"
#include "transport.h"

#define BUFFER_SIZE (4 << 20)

static void open_socket(struct transport *transport, enum side side)
{
	int *fd = transport->context;

	close(fd[!side]);
}

static bool would_block(void)
{
	return errno == EAGAIN || errno == EINTR;
}

static void send_message(struct transport *transport, const void *message, size_t size)
{
	int *fd = transport->context;
	ssize_t sent;

	do
		sent = send(fd[transport->side], message, size, MSG_NOSIGNAL);
	while (sent < 0 && would_block());
	if (sent != (ssize_t)size)
		bench_fail("send of %zu bytes: %s", size, strerror(errno));
}

static const uint8_t *receive_message(struct transport *transport, void *buffer, size_t size)
{
	int *fd = transport->context;
	ssize_t received;

	do
		received = recv(fd[transport->side], buffer, size, 0);
	while (received < 0 && would_block());
	if (received != (ssize_t)size)
		bench_fail("receive of %zu bytes: got %zd", size, received);
	return buffer;
}

int main(int argc, char **argv)
{
	struct bench_options options;
	int fd[2], size = BUFFER_SIZE;
	struct transport transport = {
		.name = "unix_seqpacket",
		.max_size = 1048576,
		.open = open_socket,
		.send = send_message,
		.recv = receive_message,
		.context = fd,
	};

	options_parse(&options, argc, argv);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fd))
		bench_fail("cannot create a socket pair: %s", strerror(errno));
	for (int i = 0; i < 2; i++) {
		/* FORCE needs privilege; without it the system's maximum has to do */
		if (setsockopt(fd[i], SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size)))
			setsockopt(fd[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
		if (options.mode && strcmp(options.mode, "spin") == 0) {
			fcntl(fd[i], F_SETFL, O_NONBLOCK);
			transport.name = "unix_seqpacket_spin";
		}
	}
	transport_bench(&transport, &options);
	return 0;
}
