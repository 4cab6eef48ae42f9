/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Endpoints, without what goes wrong: that ends the process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "comm_channel_side.h"
#include "lib/pair.h"

static void check(doca_error_t result, const char *what)
{
	if (result != DOCA_SUCCESS)
		bench_fail("cannot %s: %s", what, doca_error_get_descr(result));
}

void channel_init(struct channel *channel)
{
	*channel = (struct channel){0};
	snprintf(channel->name, sizeof(channel->name), "bench-%d", getpid());
	setenv("SOFTFIELD_CONNECT_WAIT", "5000", 1);
}

static void create(struct channel *channel)
{
	struct doca_comm_channel_init_attr attr = {.maxmsgs = 1024, .msgsize = CHANNEL_MSG_SIZE};

	if (!channel->blocks)
		attr.flags = DOCA_CC_INIT_FLAG_NONBLOCK;
	check(softfield_comm_channel_ep_create_1_4(&attr, &channel->ep), "create an endpoint");
}

void channel_listen(struct channel *channel)
{
	create(channel);
	check(doca_comm_channel_ep_listen(channel->ep, channel->name), "listen");
}

void channel_connect(struct channel *channel)
{
	create(channel);
	check(doca_comm_channel_ep_connect(channel->ep, channel->name, &channel->peer), "connect");
}

void channel_close(struct channel *channel)
{
	check(doca_comm_channel_ep_destroy(channel->ep), "destroy the endpoint");
}

void channel_send(struct channel *channel, const void *message, size_t size)
{
	doca_error_t result;

	do
		result = doca_comm_channel_ep_sendto(channel->ep, message, size,
						     DOCA_CC_MSG_FLAG_NONE, channel->peer);
	while (result == DOCA_ERROR_AGAIN);
	check(result, "send");
}

size_t channel_receive(struct channel *channel, void *buffer)
{
	doca_error_t result;
	size_t got;

	do {
		got = CHANNEL_MSG_SIZE;
		result = doca_comm_channel_ep_recvfrom(channel->ep, buffer, &got,
						       DOCA_CC_MSG_FLAG_NONE, &channel->peer);
	} while (result == DOCA_ERROR_AGAIN);
	check(result, "receive");
	return got;
}
