/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections as the API sees them: whose they are, user data, counters.
 */
#define LOG_MODULE "comch"
#include "comch/comch.h"

#include <string.h>
#include "base/log.h"

void comch_connection_init(struct doca_comch_connection *connection, struct comch_ep *ep)
{
	uint32_t generation = connection->generation;

	memset(connection, 0, sizeof(*connection));
	connection->generation = generation + 1;
	list_init(&connection->node);
	connection->ep = ep;
}

void comch_connection_message(struct chan *chan, uint8_t *msg, uint32_t size)
{
	struct doca_comch_connection *connection = comch_connection_of(chan);
	struct comch_ep *ep = connection->ep;

	pe_tell_done(ep->ctx.pe);
	if (!comch_connection_is_open(connection))
		return; /* one of those who were told has closed it */
	ep->ctx.pe->has_told = true;
	ep->msg_recv_cb((struct doca_comch_event_msg_recv *)ep, msg, size, connection);
}

void comch_connection_consumer_new(struct chan *chan, uint32_t id)
{
	struct doca_comch_connection *connection = comch_connection_of(chan);
	struct comch_ep *ep = connection->ep;

	if (!ep->new_consumer_cb)
		return;
	ep->ctx.pe->has_told = true;
	ep->new_consumer_cb((struct doca_comch_event_consumer *)ep, connection, id);
}

void comch_connection_consumer_gone(struct chan *chan, uint32_t id)
{
	struct doca_comch_connection *connection = comch_connection_of(chan);
	struct comch_ep *ep = connection->ep;

	if (!ep->expired_consumer_cb)
		return;
	ep->ctx.pe->has_told = true;
	ep->expired_consumer_cb((struct doca_comch_event_consumer *)ep, connection, id);
}

bool comch_connection_has_fast_users(const struct doca_comch_connection *connection)
{
	return connection->chan.fast && atomic_load(&connection->chan.fast->active);
}

doca_error_t comch_connection_refuse(void)
{
	LOG_ERR("no consumer or producer: the connection is not open yet, or not any more");
	return DOCA_ERROR_BAD_STATE;
}

void comch_connection_room(struct chan *chan)
{
	comch_send_waiting(comch_connection_of(chan));
}

doca_error_t doca_comch_connection_set_user_data(struct doca_comch_connection *connection,
						 union doca_data user_data)
{
	if (!connection)
		return DOCA_ERROR_INVALID_VALUE;
	connection->user_data = user_data;
	return DOCA_SUCCESS;
}

union doca_data doca_comch_connection_get_user_data(const struct doca_comch_connection *connection)
{
	return connection ? connection->user_data : (union doca_data){0};
}

struct doca_comch_server *
doca_comch_server_get_server_ctx(const struct doca_comch_connection *connection)
{
	return connection ? connection->server : NULL;
}

struct doca_comch_client *
doca_comch_client_get_client_ctx(const struct doca_comch_connection *connection)
{
	return connection ? connection->client : NULL;
}

doca_error_t doca_comch_connection_update_info(struct doca_comch_connection *comch_connection)
{
	if (!comch_connection)
		return DOCA_ERROR_INVALID_VALUE;
	switch (comch_connection->chan.state) {
	case CHAN_CONNECTING:
		return DOCA_ERROR_CONNECTION_INPROGRESS;
	case CHAN_OPEN:
		comch_connection->snapshot = comch_connection->chan.counters;
		return DOCA_SUCCESS;
	default:
		return DOCA_ERROR_CONNECTION_ABORTED;
	}
}

doca_error_t doca_comch_connection_get_counter(const struct doca_comch_connection *comch_connection,
					       enum doca_comch_counter counter_type,
					       uint64_t *counter_value)
{
	if (!comch_connection || !counter_value)
		return DOCA_ERROR_INVALID_VALUE;
	switch (counter_type) {
	case DOCA_COMCH_COUNTER_SENT_MESSAGES:
		*counter_value = comch_connection->snapshot.sent_messages;
		return DOCA_SUCCESS;
	case DOCA_COMCH_COUNTER_SENT_BYTES:
		*counter_value = comch_connection->snapshot.sent_bytes;
		return DOCA_SUCCESS;
	case DOCA_COMCH_COUNTER_RECV_MESSAGES:
		*counter_value = comch_connection->snapshot.received_messages;
		return DOCA_SUCCESS;
	case DOCA_COMCH_COUNTER_RECV_BYTES:
		*counter_value = comch_connection->snapshot.received_bytes;
		return DOCA_SUCCESS;
	default:
		return DOCA_ERROR_INVALID_VALUE;
	}
}
