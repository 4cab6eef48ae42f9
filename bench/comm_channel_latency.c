/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doca_comm_channel, one way: a client sends, the service answers. Both sides poll, or, in mode
 * "block", wait inside the calls, or, in mode "event", sleep on the endpoint's event channel.
 */
#include <string.h>
#include "comm_channel_side.h"
#include "lib/pair.h"
#include "lib/transport.h"

static void open_channel(struct transport *transport, enum side side)
{
	if (side == SIDE_ANSWERS)
		channel_listen(transport->context);
	else
		channel_connect(transport->context);
}

static void send_message(struct transport *transport, const void *message, size_t size)
{
	channel_send(transport->context, message, size);
}

static const uint8_t *receive_message(struct transport *transport, void *buffer, size_t size)
{
	size_t got = channel_receive(transport->context, buffer);

	if (got != size)
		bench_fail("message of %zu bytes instead of %zu", got, size);
	return buffer;
}

static void close_channel(struct transport *transport)
{
	channel_close(transport->context);
}

int main(int argc, char **argv)
{
	struct bench_options options;
	struct channel channel;
	struct transport transport = {
		.name = "softfield_comm_channel",
		.max_size = CHANNEL_MSG_SIZE,
		.open = open_channel,
		.send = send_message,
		.recv = receive_message,
		.close = close_channel,
		.context = &channel,
	};

	options_parse(&options, argc, argv);
	channel_init(&channel);
	if (options.mode && strcmp(options.mode, "block") == 0) {
		channel.blocks = true;
		transport.name = "softfield_comm_channel_block";
	}
	if (options.mode && strcmp(options.mode, "event") == 0) {
		channel.sleeps = true;
		transport.name = "softfield_comm_channel_event";
	}
	transport_bench(&transport, &options);
	return 0;
}
