/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds servers and asks them: the QUERY of chan/handshake.h. What comes back is input of
 * strangers.
 */
#include "server_list.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "link/address.h"
#include "link/rendezvous.h"

#define CLIENTS_MAX 65536  /* of one server; it says more: nonsense */
#define WINDOWS_MAX 131072 /* of one client, likewise */

/* Servers that are being asked; places in both arrays belong together. */
struct inquiry {
	struct server *servers;
	struct pollfd *polls; /* fd -1: done with it */
	size_t count;
	bool out_of_memory;
};

static uint32_t pid_of_peer(int sock)
{
	struct ucred cred;
	socklen_t size = sizeof(cred);

	return getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &cred, &size) ? 0 : (uint32_t)cred.pid;
}

/* An abstract address tells name and function, maybe cut, of a server that does not answer. */
static void read_address(int sock, struct server *server)
{
	struct sockaddr_un un = {0};
	socklen_t size = sizeof(un);
	char text[sizeof(un.sun_path)];

	if (getpeername(sock, (struct sockaddr *)&un, &size) || un.sun_path[0])
		return;
	snprintf(text, sizeof(text), "%.*s", (int)sizeof(un.sun_path) - 1, un.sun_path + 1);
	sscanf(text, ADDRESS_PREFIX "%*u/%*16[0-9a-f]/%107[^/]/%107[^\n]", server->function,
	       server->name);
}

static bool grow(struct inquiry *inquiry)
{
	size_t count = inquiry->count + 1;
	struct server *servers = reallocarray(inquiry->servers, count, sizeof(*servers));
	struct pollfd *polls;

	if (!servers)
		return false;
	inquiry->servers = servers;
	polls = reallocarray(inquiry->polls, count, sizeof(*polls));
	if (!polls)
		return false;
	inquiry->polls = polls;
	return true;
}

static bool take_server(struct server *server, const struct handshake *answer)
{
	if (server->clients || answer->server.client_count > CLIENTS_MAX)
		return false;
	server->pid = answer->server.pid;
	server->max_msg_size = answer->server.max_msg_size;
	server->max_clients = answer->server.max_clients;
	memcpy(server->card, answer->server.card, sizeof(server->card));
	memcpy(server->function, answer->server.function, sizeof(server->function));
	memcpy(server->name, answer->server.service, sizeof(server->name));
	server->clients = calloc(CLIENTS_MAX, sizeof(*server->clients));
	return server->clients;
}

static bool take_client(struct server *server, const struct handshake *answer)
{
	if (!server->clients || server->client_count == CLIENTS_MAX)
		return false;
	server->clients[server->client_count++] =
		(struct server_client){.connection = answer->connection};
	return true;
}

static bool take_window(struct server *server, const struct handshake *answer)
{
	struct server_client *client;
	struct handshake_window *windows;

	if (!server->client_count)
		return false;
	client = &server->clients[server->client_count - 1];
	if (client->window_count == WINDOWS_MAX)
		return false;
	windows = reallocarray(client->windows, client->window_count + 1, sizeof(*windows));
	if (!windows)
		return false;
	client->windows = windows;
	windows[client->window_count++] = answer->window;
	return true;
}

/* true: more will follow */
static bool take_answer(struct server *server, const struct handshake *answer)
{
	switch (answer->type) {
	case HANDSHAKE_SERVER:
		return take_server(server, answer);
	case HANDSHAKE_CONNECTION:
		return take_client(server, answer);
	case HANDSHAKE_WINDOW:
		return take_window(server, answer);
	case HANDSHAKE_END:
		server->answered = server->clients;
		return false;
	default:
		return false;
	}
}

static bool is_refusal(const uint8_t *msg, size_t size)
{
	return size == sizeof(RENDEZVOUS_REFUSAL) && !memcmp(msg, RENDEZVOUS_REFUSAL, size);
}

/* of a server that has hung up before it was asked */
static bool has_refused(int sock)
{
	int fds[FD_MESSAGE_FDS_MAX];
	uint8_t msg[FD_MESSAGE_MAX];
	unsigned int fd_count;
	size_t size;

	if (priv_fd_receive(sock, msg, sizeof(msg), &size, fds, &fd_count))
		return false;
	priv_fd_close_all(fds, fd_count);
	return is_refusal(msg, size);
}

/* reads what is there; true: more will follow */
static bool listen_to(struct server *server, int sock)
{
	for (;;) {
		int fds[FD_MESSAGE_FDS_MAX];
		uint8_t msg[FD_MESSAGE_MAX];
		struct handshake answer;
		unsigned int fd_count;
		size_t size;
		doca_error_t err = priv_fd_receive(sock, msg, sizeof(msg), &size, fds, &fd_count);

		if (err)
			return err == DOCA_ERROR_AGAIN;
		priv_fd_close_all(fds, fd_count);
		server->refused = is_refusal(msg, size);
		if (server->refused)
			return false;
		if (priv_handshake_decode(msg, size, &answer) || !take_answer(server, &answer))
			return false;
	}
}

static void ask(int sock, void *arg)
{
	struct handshake query = {.type = HANDSHAKE_QUERY};
	struct inquiry *inquiry = arg;
	struct server *server;
	uint8_t msg[FD_MESSAGE_MAX];

	if (!grow(inquiry)) {
		inquiry->out_of_memory = true;
		close(sock);
		return;
	}
	server = &inquiry->servers[inquiry->count];
	*server = (struct server){.pid = pid_of_peer(sock)};
	if (priv_fd_send(sock, msg, priv_handshake_encode(&query, msg), NULL, 0)) {
		server->refused = has_refused(sock);
		if (!server->refused) {
			close(sock); /* it has just gone */
			return;
		}
	}
	read_address(sock, server);
	inquiry->polls[inquiry->count++] = (struct pollfd){.fd = sock, .events = POLLIN};
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void gather(struct inquiry *inquiry, unsigned int wait_ms)
{
	uint64_t deadline = now_ms() + wait_ms, now;
	size_t open = inquiry->count;

	while (open && (now = now_ms()) < deadline &&
	       poll(inquiry->polls, inquiry->count, (int)(deadline - now)) > 0) {
		for (size_t i = 0; i < inquiry->count; i++) {
			struct pollfd *item = &inquiry->polls[i];

			if (item->fd < 0 || !item->revents ||
			    listen_to(&inquiry->servers[i], item->fd))
				continue;
			close(item->fd);
			item->fd = -1;
			open--;
		}
	}
	for (size_t i = 0; i < inquiry->count; i++) {
		if (inquiry->polls[i].fd >= 0)
			close(inquiry->polls[i].fd);
	}
}

doca_error_t server_list_create(unsigned int wait_ms, struct server_list *ret_list)
{
	struct inquiry inquiry = {0};
	doca_error_t err = priv_rendezvous_visit(ask, &inquiry);

	gather(&inquiry, wait_ms);
	free(inquiry.polls);
	*ret_list = (struct server_list){.servers = inquiry.servers, .count = inquiry.count};
	if (!err && inquiry.out_of_memory)
		err = DOCA_ERROR_NO_MEMORY;
	if (err)
		server_list_destroy(ret_list);
	return err;
}

void server_list_destroy(struct server_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct server *server = &list->servers[i];

		for (uint32_t j = 0; j < server->client_count; j++)
			free(server->clients[j].windows);
		free(server->clients);
	}
	free(list->servers);
	*list = (struct server_list){0};
}
