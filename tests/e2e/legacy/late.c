/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of releases 1.5 to 2.2: devices and representors by their old names, endpoints that
 * never block.
 *
 *	late service|client NAME
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include <doca_comm_channel.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_log.h>

#define MSG_SIZE   4080
#define QUEUE_SIZE 10

static const struct doca_pci_bdf dpu = {.bus = 0x03}, host = {.bus = 0xb1};

static void check(doca_error_t result, const char *what)
{
	if (result == DOCA_SUCCESS)
		return;
	printf("cannot %s: %s\n", what, doca_get_error_string(result));
	exit(EXIT_FAILURE);
}

static struct doca_dev *open_dev(struct doca_pci_bdf wanted)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	struct doca_pci_bdf bdf;
	uint32_t count, i;

	check(doca_devinfo_list_create(&list, &count), "list devices");
	for (i = 0; i < count && !dev; i++)
		if (doca_devinfo_get_pci_addr(list[i], &bdf) == DOCA_SUCCESS &&
		    bdf.raw == wanted.raw)
			check(doca_dev_open(list[i], &dev), "open a device");
	doca_devinfo_list_destroy(list);
	check(dev ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND, "find a device");
	return dev;
}

static struct doca_dev_rep *open_rep(struct doca_dev *dev, struct doca_pci_bdf wanted)
{
	struct doca_devinfo_rep **list;
	struct doca_dev_rep *rep = NULL;
	struct doca_pci_bdf bdf;
	uint32_t count, i;

	check(doca_devinfo_rep_list_create(dev, DOCA_DEV_REP_FILTER_NET, &list, &count),
	      "list representors");
	for (i = 0; i < count && !rep; i++)
		if (doca_devinfo_rep_get_pci_addr(list[i], &bdf) == DOCA_SUCCESS &&
		    bdf.raw == wanted.raw)
			check(doca_dev_rep_open(list[i], &rep), "open a representor");
	doca_devinfo_rep_list_destroy(list);
	check(rep ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND, "find a representor");
	return rep;
}

static void receive(struct doca_comm_channel_ep_t *ep, struct doca_comm_channel_addr_t **peer)
{
	struct epoll_event event = {.events = EPOLLIN};
	doca_event_channel_t channel;
	char msg[MSG_SIZE];
	size_t size = sizeof(msg);
	int epoll_fd = epoll_create1(0);
	doca_error_t result;

	check(doca_comm_channel_ep_get_event_channel(ep, NULL, &channel), "get a channel");
	epoll_ctl(epoll_fd, EPOLL_CTL_ADD, channel, &event);
	while ((result = doca_comm_channel_ep_recvfrom(ep, msg, &size, DOCA_CC_MSG_FLAG_NONE,
						       peer)) == DOCA_ERROR_AGAIN) {
		check(doca_comm_channel_ep_event_handle_arm_recv(ep), "arm the channel");
		epoll_wait(epoll_fd, &event, 1, -1);
		size = sizeof(msg);
	}
	check(result, "receive");
	printf("received %.*s\n", (int)size, msg);
}

static void send_text(struct doca_comm_channel_ep_t *ep, const char *text,
		      struct doca_comm_channel_addr_t *peer)
{
	check(doca_comm_channel_ep_sendto(ep, text, strlen(text), DOCA_CC_MSG_FLAG_NONE, peer),
	      "send");
}

int main(int argc, char **argv)
{
	bool is_service = argc == 3 && strcmp(argv[1], "service") == 0;
	struct doca_dev *dev = open_dev(is_service ? dpu : host);
	struct doca_comm_channel_addr_t *peer;
	struct doca_comm_channel_ep_t *ep;
	struct doca_dev_rep *rep = NULL;
	doca_error_t result;

	setvbuf(stdout, NULL, _IOLBF, 0);
	check(doca_log_create_standard_backend(), "log");
	check(doca_comm_channel_ep_create(&ep), "create an endpoint");
	check(doca_comm_channel_ep_set_device(ep, dev), "set the device");
	check(doca_comm_channel_ep_set_max_msg_size(ep, MSG_SIZE), "set the size");
	check(doca_comm_channel_ep_set_send_queue_size(ep, QUEUE_SIZE), "set the queue");
	check(doca_comm_channel_ep_set_recv_queue_size(ep, QUEUE_SIZE), "set the queue");
	if (is_service) {
		rep = open_rep(dev, host);
		check(doca_comm_channel_ep_set_device_rep(ep, rep), "set the representor");
		check(doca_comm_channel_ep_listen(ep, argv[2]), "listen");
		printf("listening\n");
		receive(ep, &peer);
		send_text(ep, "answer of 2.2", peer);
	} else {
		check(doca_comm_channel_ep_connect(ep, argv[2], &peer), "connect");
		while ((result = doca_comm_channel_peer_addr_update_info(peer)) ==
		       DOCA_ERROR_CONNECTION_INPROGRESS)
			;
		check(result, "connect");
		send_text(ep, "question of 2.2", peer);
		receive(ep, &peer);
	}
	check(doca_comm_channel_ep_disconnect(ep, peer), "disconnect");
	check(doca_comm_channel_ep_destroy(ep), "destroy the endpoint");
	if (rep)
		check(doca_dev_rep_close(rep), "close the representor");
	check(doca_dev_close(dev), "close the device");
	return EXIT_SUCCESS;
}
