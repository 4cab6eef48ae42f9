/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doca_comm_channel, one way: a client sends, the service answers. Both sides poll, or, in mode
 * "block", wait inside the calls. The early form is used because it chooses its devices itself;
 * what happens to a message is the same in both.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "doca_comm_channel.h"
#include "lib/pair.h"
#include "lib/transport.h"

#define MSG_SIZE_MAX 4080

struct channel {
	char name[32];
	bool blocks;
	struct doca_comm_channel_ep_t *ep;
	struct doca_comm_channel_addr_t *peer;
};

static void check(doca_error_t result, const char *what)
{
	if (result != DOCA_SUCCESS)
		bench_fail("cannot %s: %s", what, doca_error_get_descr(result));
}

static void open_channel(struct transport *transport, enum side side)
{
	struct channel *channel = transport->context;
	struct doca_comm_channel_init_attr attr = {.maxmsgs = 1024, .msgsize = MSG_SIZE_MAX};

	if (!channel->blocks)
		attr.flags = DOCA_CC_INIT_FLAG_NONBLOCK;
	check(softfield_comm_channel_ep_create_1_4(&attr, &channel->ep), "create an endpoint");
	if (side == SIDE_ANSWERS)
		check(doca_comm_channel_ep_listen(channel->ep, channel->name), "listen");
	else
		check(doca_comm_channel_ep_connect(channel->ep, channel->name, &channel->peer),
		      "connect");
}

static void send_message(struct transport *transport, const void *message, size_t size)
{
	struct channel *channel = transport->context;
	doca_error_t result;

	do
		result = doca_comm_channel_ep_sendto(channel->ep, message, size,
						     DOCA_CC_MSG_FLAG_NONE, channel->peer);
	while (result == DOCA_ERROR_AGAIN);
	check(result, "send");
}

static const uint8_t *receive_message(struct transport *transport, void *buffer, size_t size)
{
	struct channel *channel = transport->context;
	doca_error_t result;
	size_t got;

	do {
		got = MSG_SIZE_MAX;
		result = doca_comm_channel_ep_recvfrom(channel->ep, buffer, &got,
						       DOCA_CC_MSG_FLAG_NONE, &channel->peer);
	} while (result == DOCA_ERROR_AGAIN);
	check(result, "receive");
	if (got != size)
		bench_fail("message of %zu bytes instead of %zu", got, size);
	return buffer;
}

static void close_channel(struct transport *transport)
{
	struct channel *channel = transport->context;

	/* The last answer is in the client's memory already. */
	check(doca_comm_channel_ep_destroy(channel->ep), "destroy the endpoint");
}

int main(int argc, char **argv)
{
	struct bench_options options;
	struct channel channel = {0};
	struct transport transport = {
		.name = "softfield_comm_channel",
		.max_size = MSG_SIZE_MAX,
		.open = open_channel,
		.send = send_message,
		.recv = receive_message,
		.close = close_channel,
		.context = &channel,
	};

	options_parse(&options, argc, argv);
	if (options.mode && strcmp(options.mode, "block") == 0) {
		channel.blocks = true;
		transport.name = "softfield_comm_channel_block";
	}
	snprintf(channel.name, sizeof(channel.name), "bench-%d", getpid());
	setenv("SOFTFIELD_CONNECT_WAIT", "5000", 1); /* the service is just starting */
	transport_bench(&transport, &options);
	return 0;
}
