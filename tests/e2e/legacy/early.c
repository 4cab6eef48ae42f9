/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of releases 1.2 to 1.4: calls that block, no devices.
 *
 *	early service|client NAME
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_comm_channel.h>
#include <doca_error.h>

#define MSG_SIZE 1024

static void check(doca_error_t result, const char *what)
{
	if (result == DOCA_SUCCESS)
		return;
	printf("cannot %s: %s\n", what, doca_get_error_string(result));
	exit(EXIT_FAILURE);
}

static struct doca_comm_channel_addr_t *receive(struct doca_comm_channel_ep_t *ep)
{
	struct doca_comm_channel_addr_t *peer;
	char msg[MSG_SIZE];
	size_t size = sizeof(msg);

	check(doca_comm_channel_ep_recvfrom(ep, msg, &size, 0, &peer), "receive");
	printf("received %.*s\n", (int)size, msg);
	return peer;
}

static void send_text(struct doca_comm_channel_ep_t *ep, const char *text,
		      struct doca_comm_channel_addr_t *peer)
{
	check(doca_comm_channel_ep_sendto(ep, text, strlen(text), 0, peer), "send");
}

int main(int argc, char **argv)
{
	struct doca_comm_channel_init_attr attr = {
		.cookie = 0, .flags = 0, .maxmsgs = 10, .msgsize = MSG_SIZE};
	struct doca_comm_channel_addr_t *peer;
	struct doca_comm_channel_ep_t *ep;

	if (argc != 3)
		return EXIT_FAILURE;
	setvbuf(stdout, NULL, _IOLBF, 0);
	check(doca_comm_channel_ep_create(&attr, &ep), "create an endpoint");
	if (strcmp(argv[1], "service") == 0) {
		check(doca_comm_channel_ep_listen(ep, argv[2]), "listen");
		printf("listening\n");
		peer = receive(ep);
		send_text(ep, "answer of 1.4", peer);
	} else {
		check(doca_comm_channel_ep_connect(ep, argv[2], &peer), "connect");
		send_text(ep, "question of 1.4", peer);
		receive(ep);
	}
	check(doca_comm_channel_ep_disconnect(ep, peer), "disconnect");
	check(doca_comm_channel_ep_destroy(ep), "destroy the endpoint");
	return EXIT_SUCCESS;
}
