/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One side of a conversation: see peer.h.
 */
#include "peer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "stream.h"

static const char *const state_names[] = {
	[DOCA_CTX_STATE_IDLE] = "IDLE",
	[DOCA_CTX_STATE_STARTING] = "STARTING",
	[DOCA_CTX_STATE_RUNNING] = "RUNNING",
	[DOCA_CTX_STATE_STOPPING] = "STOPPING",
};

void say(const char *format, ...)
{
	char line[8192];
	va_list arguments;
	int size;

	va_start(arguments, format);
	size = vsnprintf(line, sizeof(line) - 1, format, arguments);
	va_end(arguments);
	if (size < 0 || (size_t)size > sizeof(line) - 2)
		abort();
	line[size++] = '\n';
	/* in one piece: a program that is killed leaves no half lines */
	if (write(STDOUT_FILENO, line, (size_t)size) != size)
		_exit(3);
}

static doca_error_t said(doca_error_t err, const char *what)
{
	if (err && err != DOCA_ERROR_IN_PROGRESS)
		say("error %s %s", what, doca_error_get_name(err));
	return err;
}

/*
 * Sending
 */

static void sent(struct doca_comch_task_send *task, union doca_data task_data,
		 union doca_data ctx_data)
{
	struct peer *peer = ctx_data.ptr;

	doca_task_free(doca_comch_task_send_as_task(task));
	free(task_data.ptr);
	if (!peer->config.chat && !peer->config.echo)
		say("sent");
}

static void send_failed(struct doca_comch_task_send *task, union doca_data task_data,
			union doca_data ctx_data)
{
	doca_error_t status = doca_task_get_status(doca_comch_task_send_as_task(task));

	(void)ctx_data;
	doca_task_free(doca_comch_task_send_as_task(task));
	free(task_data.ptr);
	say("send-failed %s", doca_error_get_name(status));
}

static doca_error_t send_on(struct peer *peer, struct doca_comch_connection *connection,
			    const void *message, uint32_t size)
{
	struct doca_comch_task_send *send;
	union doca_data data = {.ptr = malloc(size)};
	struct doca_task *task;
	doca_error_t err;

	if (!data.ptr)
		return DOCA_ERROR_NO_MEMORY;
	memcpy(data.ptr, message, size);
	if (peer->server)
		err = doca_comch_server_task_send_alloc_init(peer->server, connection, data.ptr,
							     size, &send);
	else
		err = doca_comch_client_task_send_alloc_init(peer->client, connection, data.ptr,
							     size, &send);
	if (err) {
		free(data.ptr);
		return said(err, "alloc");
	}
	task = doca_comch_task_send_as_task(send);
	doca_task_set_user_data(task, data);
	err = doca_task_submit(task);
	if (err) {
		doca_task_free(task);
		free(data.ptr);
	}
	return said(err, "submit");
}

static struct doca_comch_connection *connection_of(struct peer *peer, unsigned int id)
{
	struct doca_comch_connection *connection;

	if (peer->client)
		return doca_comch_client_get_connection(peer->client, &connection) ? NULL
										   : connection;
	return id < peer->connection_count ? peer->connections[id] : NULL;
}

doca_error_t peer_send(struct peer *peer, unsigned int id, const void *message, uint32_t size)
{
	struct doca_comch_connection *connection = connection_of(peer, id);

	if (!connection)
		return said(DOCA_ERROR_NOT_CONNECTED, "send");
	return send_on(peer, connection, message, size);
}

doca_error_t peer_disconnect(struct peer *peer, unsigned int id)
{
	struct doca_comch_connection *connection = connection_of(peer, id);

	if (!connection)
		return said(DOCA_ERROR_NOT_CONNECTED, "disconnect");
	return said(doca_comch_server_disconnect(peer->server, connection), "disconnect");
}

/*
 * A chat: messages of all sizes, the echo of each awaited before the next
 */

static void chat_next(struct peer *peer, struct doca_comch_connection *connection)
{
	uint32_t roll = (uint32_t)rand_r(&peer->config.random);

	if (peer->chat_left-- == 0) {
		peer_stop(peer);
		return;
	}
	peer->chat_size = 1 + (roll % 3 ? roll % 64 : roll % peer->max_msg_size);
	memset(peer->chat_message, (int)roll, peer->chat_size);
	memcpy(peer->chat_message, &roll,
	       peer->chat_size < sizeof(roll) ? peer->chat_size : sizeof(roll));
	send_on(peer, connection, peer->chat_message, peer->chat_size);
}

static void chat_begin(struct peer *peer)
{
	struct doca_comch_connection *connection = connection_of(peer, 0);

	if (!connection)
		abort(); /* it is RUNNING */
	peer->chat_left = (unsigned int)rand_r(&peer->config.random) % 16;
	chat_next(peer, connection);
}

static void chat_echo(struct peer *peer, struct doca_comch_connection *connection,
		      const uint8_t *message, uint32_t size)
{
	if (size != peer->chat_size || memcmp(message, peer->chat_message, size))
		say("error echo of %u bytes, sent were %u", size, peer->chat_size);
	chat_next(peer, connection);
}

/*
 * The same through consumers and producers
 */

/* The chat of a client is over with its stream; and what has ended may begin again. */
static void stream_closed(void *owner)
{
	struct peer_stream *slot = owner;
	struct peer *peer = slot->peer;

	slot->stream = NULL;
	peer->stream_count--;
	if (!peer->client)
		return;
	if (peer_state(peer) == DOCA_CTX_STATE_RUNNING)
		peer_stop(peer);
	else if (peer_state(peer) == DOCA_CTX_STATE_IDLE && peer->config.again)
		peer_start(peer);
}

static void begin_stream(struct peer *peer, struct doca_comch_connection *connection,
			 unsigned int id)
{
	struct peer_stream *slot = &peer->streams[id];
	struct stream_config config = {
		.pe = peer->pe,
		.dev = peer->dev,
		.connection = connection,
		.leads = peer->config.chat,
		.messages = (unsigned int)rand_r(&peer->config.random) % 16,
		.random = peer->config.random,
		.closed = stream_closed,
		.owner = slot,
	};

	slot->peer = peer;
	if (!said(stream_open(&config, &slot->stream), "stream"))
		peer->stream_count++;
}

/*
 * Events
 */

static unsigned int id_of(const struct doca_comch_connection *connection)
{
	return (unsigned int)doca_comch_connection_get_user_data(connection).u64;
}

static struct peer *peer_of(const struct doca_comch_connection *connection)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
	struct doca_ctx *ctx =
		server ? doca_comch_server_as_ctx(server)
		       : doca_comch_client_as_ctx(doca_comch_client_get_client_ctx(connection));
	union doca_data data;

	if (doca_ctx_get_user_data(ctx, &data))
		abort();
	return data.ptr;
}

static void received(struct doca_comch_event_msg_recv *event, uint8_t *message, uint32_t size,
		     struct doca_comch_connection *connection)
{
	struct peer *peer = peer_of(connection);

	(void)event;
	peer->messages++;
	if (peer->config.chat) {
		chat_echo(peer, connection, message, size);
		return;
	}
	if (!peer->config.cycle)
		say("message %u %u %.*s", id_of(connection), size, size < 256 ? (int)size : 256,
		    (const char *)message);
	if (peer->config.echo)
		send_on(peer, connection, message, size);
	if (peer->messages == peer->config.cycle)
		peer_stop(peer);
}

static void connected(struct doca_comch_event_connection_status_changed *event,
		      struct doca_comch_connection *connection, uint8_t successful)
{
	struct peer *peer = peer_of(connection);
	union doca_data id = {.u64 = peer->connection_count};

	(void)event;
	if (!successful) {
		say("connect-failed");
		return;
	}
	if (peer->connection_count == PEER_CONNECTIONS)
		abort();
	peer->connections[peer->connection_count++] = connection;
	doca_comch_connection_set_user_data(connection, id);
	say("connect %u", id_of(connection));
	if (peer->config.fast)
		begin_stream(peer, connection, id_of(connection));
}

static void disconnected(struct doca_comch_event_connection_status_changed *event,
			 struct doca_comch_connection *connection, uint8_t successful)
{
	struct peer *peer = peer_of(connection);
	unsigned int id = id_of(connection);

	(void)event;
	if (id >= peer->connection_count || peer->connections[id] != connection || !successful)
		say("error disconnect of %u", id);
	peer->connections[id] = NULL;
	say("disconnect %u", id);
}

static void consumer_came(struct doca_comch_event_consumer *event,
			  struct doca_comch_connection *connection, uint32_t consumer_id)
{
	struct peer_stream *slot = &peer_of(connection)->streams[id_of(connection)];

	(void)event;
	if (slot->stream)
		stream_meet(slot->stream, consumer_id);
}

static void consumer_went(struct doca_comch_event_consumer *event,
			  struct doca_comch_connection *connection, uint32_t consumer_id)
{
	struct peer_stream *slot = &peer_of(connection)->streams[id_of(connection)];

	(void)event;
	(void)consumer_id;
	if (slot->stream)
		stream_close(slot->stream);
}

static void state_changed(const union doca_data data, struct doca_ctx *ctx,
			  enum doca_ctx_states previous, enum doca_ctx_states next)
{
	struct peer *peer = data.ptr;

	(void)ctx;
	say("state %s %s", state_names[previous], state_names[next]);
	if (next == DOCA_CTX_STATE_RUNNING) {
		peer->messages = 0;
		if (peer->config.chat && peer->config.fast)
			begin_stream(peer, connection_of(peer, 0), 0);
		else if (peer->config.chat)
			chat_begin(peer);
	}
	if (next == DOCA_CTX_STATE_IDLE && peer->config.again && !peer->stream_count)
		peer_start(peer);
}

enum doca_ctx_states peer_state(const struct peer *peer)
{
	enum doca_ctx_states state;

	if (doca_ctx_get_state(peer->ctx, &state))
		abort();
	return state;
}

/*
 * Life
 */

static doca_error_t open_dev(struct peer *peer)
{
	struct doca_devinfo **list;
	doca_error_t err;
	uint8_t equal;
	uint32_t i, count;

	err = doca_devinfo_create_list(&list, &count);
	if (err)
		return said(err, "list");
	err = DOCA_ERROR_NOT_FOUND;
	for (i = 0; i < count && !peer->dev; i++) {
		if (!doca_devinfo_is_equal_pci_addr(list[i], peer->config.pci_addr, &equal) &&
		    equal)
			err = doca_dev_open(list[i], &peer->dev);
	}
	doca_devinfo_destroy_list(list);
	return said(err, "device");
}

static doca_error_t open_rep(struct peer *peer)
{
	struct doca_devinfo_rep **list;
	doca_error_t err;
	uint8_t equal;
	uint32_t i, count;

	err = doca_devinfo_rep_create_list(peer->dev, DOCA_DEVINFO_REP_FILTER_ALL, &list, &count);
	if (err)
		return said(err, "list");
	err = DOCA_ERROR_NOT_FOUND;
	for (i = 0; i < count && !peer->rep; i++) {
		if (!doca_devinfo_rep_is_equal_pci_addr(list[i], peer->config.rep_pci_addr,
							&equal) &&
		    equal)
			err = doca_dev_rep_open(list[i], &peer->rep);
	}
	doca_devinfo_rep_destroy_list(list);
	return said(err, "representor");
}

static doca_error_t make_server(struct peer *peer)
{
	doca_error_t err;

	err = doca_comch_server_create(peer->dev, peer->rep, peer->config.name, &peer->server);
	if (err)
		return said(err, "create");
	peer->ctx = doca_comch_server_as_ctx(peer->server);
	doca_comch_server_get_max_msg_size(peer->server, &peer->max_msg_size);
	err = doca_comch_server_task_send_set_conf(peer->server, sent, send_failed,
						   PEER_SEND_TASKS);
	if (!err)
		err = doca_comch_server_event_msg_recv_register(peer->server, received);
	if (!err)
		err = doca_comch_server_event_connection_status_changed_register(
			peer->server, connected, disconnected);
	if (!err)
		err = doca_comch_server_event_consumer_register(peer->server, consumer_came,
								consumer_went);
	return said(err, "configure");
}

static doca_error_t make_client(struct peer *peer)
{
	doca_error_t err;

	err = doca_comch_client_create(peer->dev, peer->config.name, &peer->client);
	if (err)
		return said(err, "create");
	peer->ctx = doca_comch_client_as_ctx(peer->client);
	doca_comch_client_get_max_msg_size(peer->client, &peer->max_msg_size);
	err = doca_comch_client_task_send_set_conf(peer->client, sent, send_failed,
						   PEER_SEND_TASKS);
	if (!err)
		err = doca_comch_client_event_msg_recv_register(peer->client, received);
	if (!err)
		err = doca_comch_client_event_consumer_register(peer->client, consumer_came,
								consumer_went);
	return said(err, "configure");
}

doca_error_t peer_open(struct peer *peer, const struct peer_config *config)
{
	union doca_data data = {.ptr = peer};
	doca_error_t err;

	*peer = (struct peer){.config = *config};
	err = said(doca_pe_create(&peer->pe), "engine");
	if (!err)
		err = open_dev(peer);
	if (!err && config->is_server)
		err = open_rep(peer);
	if (!err)
		err = config->is_server ? make_server(peer) : make_client(peer);
	if (err)
		return err;
	peer->chat_message = malloc(peer->max_msg_size);
	if (!peer->chat_message)
		return DOCA_ERROR_NO_MEMORY;
	err = doca_ctx_set_user_data(peer->ctx, data);
	if (!err)
		err = doca_ctx_set_state_changed_cb(peer->ctx, state_changed);
	if (!err)
		err = doca_pe_connect_ctx(peer->pe, peer->ctx);
	return said(err, "configure");
}

doca_error_t peer_start(struct peer *peer)
{
	return said(doca_ctx_start(peer->ctx), "start");
}

doca_error_t peer_stop(struct peer *peer)
{
	return said(doca_ctx_stop(peer->ctx), "stop");
}

void peer_come_to_rest(struct peer *peer)
{
	peer->config.again = false;
	peer->config.chat = false;
	for (unsigned int i = 0; i < PEER_CONNECTIONS; i++) {
		if (peer->streams[i].stream)
			stream_close(peer->streams[i].stream);
	}
	while (peer->stream_count)
		doca_pe_progress(peer->pe);
	if (peer_state(peer) != DOCA_CTX_STATE_IDLE)
		peer_stop(peer);
	while (peer_state(peer) != DOCA_CTX_STATE_IDLE)
		doca_pe_progress(peer->pe);
}

doca_error_t peer_close(struct peer *peer)
{
	doca_error_t err = DOCA_SUCCESS;

	free(peer->chat_message);
	if (peer->server)
		err = doca_comch_server_destroy(peer->server);
	if (peer->client)
		err = doca_comch_client_destroy(peer->client);
	if (!err && peer->pe)
		err = doca_pe_destroy(peer->pe);
	if (!err && peer->rep)
		err = doca_dev_rep_close(peer->rep);
	if (!err && peer->dev)
		err = doca_dev_close(peer->dev);
	return said(err, "close");
}
