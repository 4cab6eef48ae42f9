/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Endpoints, without what goes wrong: that ends the process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
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
	*channel = (struct channel){.epoll_fd = -1};
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
	if (channel->epoll_fd >= 0)
		close(channel->epoll_fd);
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

static void watch(struct channel *channel)
{
	struct epoll_event event = {.events = EPOLLIN};
	doca_event_channel_t receives;

	check(doca_comm_channel_ep_get_event_channel(channel->ep, NULL, &receives),
	      "get the event channel");
	channel->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (channel->epoll_fd < 0 || epoll_ctl(channel->epoll_fd, EPOLL_CTL_ADD, receives, &event))
		bench_fail("cannot watch the event channel");
}

static void fall_asleep(struct channel *channel)
{
	struct epoll_event event;

	if (channel->epoll_fd < 0)
		watch(channel);
	check(doca_comm_channel_ep_event_handle_arm_recv(channel->ep), "arm the event channel");
	epoll_wait(channel->epoll_fd, &event, 1, -1);
}

size_t channel_receive(struct channel *channel, void *buffer)
{
	doca_error_t result;
	size_t got;

	for (;;) {
		got = CHANNEL_MSG_SIZE;
		result = doca_comm_channel_ep_recvfrom(channel->ep, buffer, &got,
						       DOCA_CC_MSG_FLAG_NONE, &channel->peer);
		if (result != DOCA_ERROR_AGAIN)
			break;
		if (channel->sleeps)
			fall_asleep(channel);
	}
	check(result, "receive");
	return got;
}
