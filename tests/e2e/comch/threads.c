/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Both sides in threads of one process: a server and several clients, each with a progress engine
 * of its own, which connect, talk and leave again and again.
 *
 * usage: threads [fast]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <doca_log.h>
#include "leak.h"
#include "peer.h"
#include "unique.h"

#define CLIENTS 4
#define LIVES	25 /* of each client: connect, chat, stop */

static char name[64];
static struct peer server, clients[CLIENTS];
static int finish; /* eventfd: the server may end */
static unsigned int failures;

static void fail(const char *what)
{
	say("error %s", what);
	__atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);
}

/* works and sleeps until the peer has come to the state, or other_fd is readable */
static void run(struct peer *peer, enum doca_ctx_states wanted, int other_fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = -1};
	struct epoll_event other = {.events = EPOLLIN, .data.fd = other_fd};
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	doca_notification_handle_t handle;

	doca_pe_get_notification_handle(peer->pe, &handle);
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, handle, &event) ||
	    (other_fd >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, other_fd, &other)))
		fail("epoll");
	for (;;) {
		while (doca_pe_progress(peer->pe))
			;
		if (peer_state(peer) == wanted && !peer->stream_count)
			break;
		doca_pe_request_notification(peer->pe);
		if (epoll_wait(epoll, &event, 1, -1) == 1 && event.data.fd >= 0)
			break;
		doca_pe_clear_notification(peer->pe, handle);
	}
	close(epoll);
}

static void *serve(void *arg)
{
	(void)arg;
	run(&server, DOCA_CTX_STATE_IDLE, finish);
	peer_come_to_rest(&server);
	return NULL;
}

static void *chat(void *arg)
{
	struct peer *client = arg;

	for (unsigned int i = 0; i < LIVES; i++) {
		if (peer_start(client) != DOCA_ERROR_IN_PROGRESS)
			fail("start");
		run(client, DOCA_CTX_STATE_IDLE, -1);
		if (!client->config.fast && client->chat_left != UINT32_MAX)
			fail("chat");
	}
	if (peer_close(client))
		fail("close");
	return NULL;
}

static void open_all(bool fast)
{
	struct peer_config config = {.is_server = true,
				     .name = name,
				     .pci_addr = "03:00.0",
				     .rep_pci_addr = "b1:00.0",
				     .echo = true,
				     .fast = fast,
				     .cycle = UINT32_MAX};

	if (peer_open(&server, &config) || peer_start(&server))
		exit(1);
	config = (struct peer_config){
		.name = name, .pci_addr = "b1:00.0", .chat = true, .fast = fast};
	for (unsigned int i = 0; i < CLIENTS; i++) {
		config.random = i;
		if (peer_open(&clients[i], &config))
			exit(1);
	}
}

int main(int argc, char **argv)
{
	struct leak before = leak_count();
	struct doca_log_backend *log;
	pthread_t server_thread, threads[CLIENTS];
	uint64_t one = 1;

	doca_log_backend_create_with_file_sdk(stderr, &log);
	unique_name(name, sizeof(name), "threads");
	finish = eventfd(0, EFD_CLOEXEC);
	open_all(argc == 2 && !strcmp(argv[1], "fast"));
	pthread_create(&server_thread, NULL, serve, NULL);
	for (unsigned int i = 0; i < CLIENTS; i++)
		pthread_create(&threads[i], NULL, chat, &clients[i]);
	for (unsigned int i = 0; i < CLIENTS; i++)
		pthread_join(threads[i], NULL);
	if (write(finish, &one, sizeof(one)) != sizeof(one))
		fail("write");
	pthread_join(server_thread, NULL);
	if (server.connection_count != CLIENTS * LIVES)
		fail("number of connections");
	for (unsigned int i = 0; i < server.connection_count; i++) {
		if (server.connections[i])
			fail("a connection that did not end");
	}
	if (peer_close(&server))
		fail("close");
	close(finish);
	return failures || !leak_check(&before);
}
