/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The server's door: who calls, who gets in, and what tools may ask.
 */
#define LOG_MODULE "chan"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/fd.h"
#include "base/log.h"
#include "chan/chan.h"
#include "chan/fast.h"
#include "chan/handshake.h"

/* Callers who have not said what they want. Beyond this, the one who has waited longest goes. */
#define PENDING_MAX 4096
/* How many go when there are no more descriptors, of those that were silent the last time, too. */
#define ROOM 8

struct pending {
	struct list_node node;
	struct chan_server *server;
	struct link *link;
	bool has_asked; /* a tool, that has got its answer */
	bool is_stale;	/* it was there when there were no more descriptors */
};

static void drop(struct pending *pending)
{
	list_remove(&pending->node);
	pending->server->pending_count--;
	if (pending->link)
		link_close(pending->link);
	free(pending);
}

static void hung_up(struct link *link, doca_error_t reason)
{
	(void)reason;
	drop(link->owner);
}

/* A caller who is gone, or does not read, is noticed by the hang-up, or gets no more. */
static void send_handshake(struct link *link, const struct handshake *handshake)
{
	uint8_t msg[FD_MESSAGE_MAX];

	(void)link_send(link, msg, priv_handshake_encode(handshake, msg), NULL, 0);
}

static void reject(struct link *link, doca_error_t error, const char *reason)
{
	struct handshake answer = {.type = HANDSHAKE_REJECT, .reject.error = error};

	handshake_set_text(answer.reject.reason, reason);
	send_handshake(link, &answer);
}

/*
 * Tools
 */

static void describe_window(const struct handshake_window *window, void *link)
{
	send_handshake(link, &(struct handshake){.type = HANDSHAKE_WINDOW, .window = *window});
}

static void describe_connection(struct chan *chan, void *arg)
{
	struct handshake answer = {.type = HANDSHAKE_CONNECTION,
				   .connection = {
					   .pid = chan->link ? (uint32_t)chan->link->peer.pid : 0,
					   .uid = chan->link ? (uint32_t)chan->link->peer.uid : 0,
					   .sent_messages = chan->counters.sent_messages,
					   .sent_bytes = chan->counters.sent_bytes,
					   .received_messages = chan->counters.received_messages,
					   .received_bytes = chan->counters.received_bytes,
				   }};

	if (chan->fast)
		fast_count(chan->fast, &answer.connection.consumer_count,
			   &answer.connection.producer_count);
	send_handshake(arg, &answer);
	if (chan->fast)
		fast_visit_windows(chan->fast, describe_window, arg);
}

static void describe(struct chan_server *server, struct link *link)
{
	struct handshake answer = {.type = HANDSHAKE_SERVER,
				   .server = {.pid = (uint32_t)getpid(),
					      .max_msg_size = server->config.max_msg_size,
					      .max_clients = server->max_clients,
					      .client_count = server->client_count}};

	handshake_set_text(answer.server.card, server->config.addr.card->name);
	handshake_set_text(answer.server.function, server->config.addr.function);
	handshake_set_text(answer.server.service, server->config.addr.service);
	send_handshake(link, &answer);
	if (server->visit)
		server->visit(server, describe_connection, link);
	send_handshake(link, &(struct handshake){.type = HANDSHAKE_END});
}

/*
 * Clients
 */

/* why a caller cannot get in; NULL: it can */
static const char *why_refused(const struct chan_server *server, const struct handshake *hello,
			       char text[HANDSHAKE_TEXT_SIZE], doca_error_t *ret_error)
{
	const struct link_addr *addr = &server->config.addr;

	if (strcmp(hello->hello.service, addr->service) ||
	    strcmp(hello->hello.function, addr->function) ||
	    strcmp(hello->hello.card, addr->card->name)) {
		*ret_error = DOCA_ERROR_NOT_FOUND;
		return "another server listens here";
	}
	if (hello->hello.max_msg_size != server->config.max_msg_size && !server->config.adapts &&
	    !(hello->hello.flags & HANDSHAKE_ADAPTS)) {
		*ret_error = DOCA_ERROR_INVALID_VALUE;
		snprintf(text, HANDSHAKE_TEXT_SIZE,
			 "max_msg_size must be equal on both sides: server %u, client %u",
			 server->config.max_msg_size, hello->hello.max_msg_size);
		return text;
	}
	if (server->client_count >= server->max_clients) {
		*ret_error = DOCA_ERROR_FULL;
		snprintf(text, HANDSHAKE_TEXT_SIZE,
			 "all %u places are taken (comch_max_clients of the topology)",
			 server->max_clients);
		return text;
	}
	return NULL;
}

/* Sets up the connection; its link is the caller's. Takes the descriptors. */
static doca_error_t admit(struct chan_server *server, struct chan *chan, struct link *link,
			  uint32_t max_msg_size, const int *fds, unsigned int fd_count)
{
	struct handshake accept = {.type = HANDSHAKE_ACCEPT,
				   .accept.max_msg_size = server->config.max_msg_size};
	doca_error_t err;

	err = chan_init(chan, &server->config, chan->ops);
	if (err) {
		priv_fd_close_all(fds, fd_count);
		return err;
	}
	err = chan_open(chan, &link->peer, max_msg_size, fds, fd_count);
	if (err)
		return err;
	link->handler = &chan_link_handler;
	link->owner = chan;
	chan->link = link;
	return chan_send_inbox(chan, &accept);
}

static void refuse(struct pending *pending, doca_error_t err, const char *why)
{
	const struct link *link = pending->link;

	LOG_WRN("\"%s\" refused process %d of user %u: %s", pending->server->config.addr.service,
		(int)link->peer.pid, (unsigned int)link->peer.uid, why);
	reject(pending->link, err, why);
	drop(pending);
}

/* Takes the link. */
static void let_in(struct chan_server *server, struct chan *chan, struct link *link,
		   uint32_t max_msg_size, const int *fds, unsigned int fd_count)
{
	doca_error_t err = admit(server, chan, link, max_msg_size, fds, fd_count);

	if (!err) {
		server->client_count++;
		server->ops->opened(server, chan);
		return;
	}
	LOG_WRN("a client of \"%s\" could not get in: %s", server->config.addr.service,
		doca_error_get_descr(err));
	if (!chan->link) {
		reject(link, err, doca_error_get_descr(err));
		link_close(link);
	}
	chan_abandon(chan);
	server->ops->refused(server, chan);
}

static void greet(struct pending *pending, const struct handshake *hello, const int *fds,
		  unsigned int fd_count)
{
	struct chan_server *server = pending->server;
	struct link *link = pending->link;
	doca_error_t err = DOCA_ERROR_NO_MEMORY;
	char text[HANDSHAKE_TEXT_SIZE];
	const char *why = why_refused(server, hello, text, &err);
	struct chan *chan = server->ops->alloc(server);

	if (why || !chan) {
		priv_fd_close_all(fds, fd_count);
		refuse(pending, err, why ? why : "out of memory");
		if (chan)
			server->ops->refused(server, chan);
		return;
	}
	pending->link = NULL;
	drop(pending);
	let_in(server, chan, link, hello->hello.max_msg_size, fds, fd_count);
}

static void called(struct link *link, const void *msg, size_t size, const int *fds,
		   unsigned int fd_count)
{
	struct pending *pending = link->owner;
	struct handshake handshake;
	doca_error_t err = priv_handshake_decode(msg, size, &handshake);

	if (!err && handshake.type == HANDSHAKE_HELLO) {
		greet(pending, &handshake, fds, fd_count);
		return;
	}
	priv_fd_close_all(fds, fd_count);
	if (!err && handshake.type == HANDSHAKE_QUERY && !pending->has_asked) {
		pending->has_asked =
			true; /* once: the answers wait for a tool that does not read */
		describe(pending->server, link);
		return; /* the tool hangs up */
	}
	reject(link, err ? err : DOCA_ERROR_INVALID_VALUE,
	       err == DOCA_ERROR_UNSUPPORTED_VERSION ? "other version of the protocol"
						     : "not a greeting");
	drop(pending);
}

static const struct link_handler caller_handler = {.message = called, .lost = hung_up};

static void incoming(struct link_listener *listener, struct link *link)
{
	struct chan_server *server = listener->owner;
	struct pending *pending = calloc(1, sizeof(*pending));

	if (!pending) {
		link_close(link);
		return;
	}
	if (server->pending_count >= PENDING_MAX)
		drop(container_of(server->pending.next, struct pending, node));
	pending->server = server;
	pending->link = link;
	list_add_tail(&server->pending, &pending->node);
	server->pending_count++;
	link->handler = &caller_handler;
	link->owner = pending;
}

/* Those who have been silent for longest go, but nobody who has just come. */
static bool make_room(struct link_listener *listener)
{
	struct chan_server *server = listener->owner;
	struct list_node *node, *tmp;
	unsigned int dropped = 0;

	list_for_each_safe (node, tmp, &server->pending) {
		struct pending *pending = container_of(node, struct pending, node);

		if (pending->is_stale && dropped < ROOM) {
			drop(pending);
			dropped++;
		} else {
			pending->is_stale = true;
		}
	}
	return dropped;
}

static const struct link_listener_handler listener_handler = {.incoming = incoming,
							      .make_room = make_room};

doca_error_t chan_server_start(struct chan_server *server, const struct chan_config *config,
			       const struct chan_server_ops *ops, uint32_t max_clients)
{
	doca_error_t err;

	server->ops = ops;
	server->config = *config;
	server->max_clients = max_clients;
	server->client_count = 0;
	server->pending_count = 0;
	list_init(&server->pending);
	err = priv_link_listen(config->group, &config->addr, &listener_handler, server,
			       &server->listener);
	if (!err)
		LOG_INFO("listening as \"%s\" for function %s", config->addr.service,
			 config->addr.function);
	return err;
}

void chan_server_stop(struct chan_server *server)
{
	if (!server->listener)
		return;
	link_unlisten(server->listener);
	server->listener = NULL;
	while (!list_is_empty(&server->pending))
		drop(container_of(server->pending.next, struct pending, node));
}
