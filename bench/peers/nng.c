/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Peer: nng, a pair0 socket over ipc.
 */
#include <nng/nng.h>
#include <nng/protocol/pair0/pair.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>
#include "pair.h"
#include "points.h"
#include "transport.h"

#define QUEUE_LENGTH 128

static char address[64];
static nng_socket pair_socket;

static void open_socket(struct transport *transport, enum side side)
{
	int error = nng_pair0_open(&pair_socket);

	(void)transport;
	if (error)
		bench_fail("cannot create a socket: %s", nng_strerror(error));
	nng_socket_set_size(pair_socket, NNG_OPT_RECVMAXSZ, 0);
	nng_socket_set_int(pair_socket, NNG_OPT_SENDBUF, QUEUE_LENGTH);
	nng_socket_set_int(pair_socket, NNG_OPT_RECVBUF, QUEUE_LENGTH);
	if (side == SIDE_ANSWERS) {
		error = nng_listen(pair_socket, address, NULL, 0);
		if (error)
			bench_fail("%s: %s", address, nng_strerror(error));
		return;
	}
	/* the other side may not listen yet; if it never does, its failure ends this process */
	while (nng_dial(pair_socket, address, NULL, 0))
		sched_yield();
}

static void send_message(struct transport *transport, const void *message, size_t size)
{
	int error = nng_send(pair_socket, (void *)(uintptr_t)message, size, 0);

	(void)transport;
	if (error)
		bench_fail("send: %s", nng_strerror(error));
}

static const uint8_t *receive_message(struct transport *transport, void *buffer, size_t size)
{
	size_t received = size;
	int error = nng_recv(pair_socket, buffer, &received, 0);

	(void)transport;
	if (error || received != size)
		bench_fail("receive of %zu bytes: got %zu, %s", size, received,
			   nng_strerror(error));
	return buffer;
}

/* An answering process that left at once would take its last message with it. */
static void say_goodbye(struct transport *transport)
{
	uint8_t goodbye[POINT_ACK_SIZE] = {0};

	if (transport->side == SIDE_MEASURES)
		send_message(transport, goodbye, sizeof(goodbye));
	else
		receive_message(transport, goodbye, sizeof(goodbye));
}

int main(int argc, char **argv)
{
	struct bench_options options;
	struct transport transport = {
		.name = "nng_ipc",
		.max_size = SIZE_MAX,
		.open = open_socket,
		.send = send_message,
		.recv = receive_message,
		.close = say_goodbye,
	};

	options_parse(&options, argc, argv);
	snprintf(address, sizeof(address), "ipc:///tmp/bench-nng-%d", getpid());
	transport_bench(&transport, &options);
	unlink(address + sizeof("ipc://") - 1);
	return 0;
}
