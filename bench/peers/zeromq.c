/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Peer: ZeroMQ, a PAIR socket over ipc.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include <zmq.h>
#include "pair.h"
#include "transport.h"

static char address[64];
static void *context;

static void open_socket(struct transport *transport, enum side side)
{
	void *socket;

	context = zmq_ctx_new();
	socket = context ? zmq_socket(context, ZMQ_PAIR) : NULL;

	if (!socket)
		bench_fail("cannot create a socket: %s", zmq_strerror(zmq_errno()));
	if (side == SIDE_ANSWERS ? zmq_bind(socket, address) : zmq_connect(socket, address))
		bench_fail("%s: %s", address, zmq_strerror(zmq_errno()));
	transport->context = socket;
}

static void send_message(struct transport *transport, const void *message, size_t size)
{
	if (zmq_send(transport->context, message, size, 0) != (int)size)
		bench_fail("send: %s", zmq_strerror(zmq_errno()));
}

static const uint8_t *receive_message(struct transport *transport, void *buffer, size_t size)
{
	int received;

	do
		received = zmq_recv(transport->context, buffer, size, 0);
	while (received < 0 && zmq_errno() == EINTR);
	if (received != (int)size)
		bench_fail("receive: %s", zmq_strerror(zmq_errno()));
	return buffer;
}

static void close_socket(struct transport *transport)
{
	zmq_close(transport->context);
	zmq_ctx_term(context); /* returns when the last message has left */
}

int main(int argc, char **argv)
{
	struct bench_options options;
	struct transport transport = {
		.name = "zeromq_ipc",
		.max_size = SIZE_MAX,
		.open = open_socket,
		.send = send_message,
		.recv = receive_message,
		.close = close_socket,
	};

	options_parse(&options, argc, argv);
	snprintf(address, sizeof(address), "ipc:///tmp/bench-zeromq-%d", getpid());
	transport_bench(&transport, &options);
	unlink(address + sizeof("ipc://") - 1);
	return 0;
}
