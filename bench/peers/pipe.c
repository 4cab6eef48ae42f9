/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Peer: a pipe in each direction.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "pair.h"
#include "transport.h"

#define PIPE_SIZE (1 << 20)

struct pipes {
	int from[2][2]; /* by the writing side: read end, write end */
};

static void send_message(struct transport *transport, const void *message, size_t size)
{
	struct pipes *pipes = transport->context;
	const char *rest = message;

	while (size > 0) {
		ssize_t count = write(pipes->from[transport->side][1], rest, size);

		if (count < 0)
			bench_fail("write: %s", strerror(errno));
		rest += count;
		size -= (size_t)count;
	}
}

static const uint8_t *receive_message(struct transport *transport, void *buffer, size_t size)
{
	struct pipes *pipes = transport->context;
	char *rest = buffer;

	while (size > 0) {
		ssize_t count = read(pipes->from[!transport->side][0], rest, size);

		if (count <= 0)
			bench_fail("read: %s", count ? strerror(errno) : "the other side is gone");
		rest += count;
		size -= (size_t)count;
	}
	return buffer;
}

int main(int argc, char **argv)
{
	struct bench_options options;
	struct pipes pipes;
	struct transport transport = {
		.name = "pipe",
		.max_size = SIZE_MAX,
		.send = send_message,
		.recv = receive_message,
		.context = &pipes,
	};

	options_parse(&options, argc, argv);
	for (int i = 0; i < 2; i++) {
		if (pipe(pipes.from[i]))
			bench_fail("cannot create a pipe: %s", strerror(errno));
		fcntl(pipes.from[i][1], F_SETPIPE_SZ, PIPE_SIZE); /* a refusal leaves the default */
	}
	transport_bench(&transport, &options);
	return 0;
}
