/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Peers as the API sees them: user data and counters.
 */
#include "comm_channel/ep.h"

doca_error_t doca_comm_channel_peer_addr_set_user_data(struct doca_comm_channel_addr_t *peer_addr,
						       uint64_t user_context)
{
	if (!peer_addr)
		return DOCA_ERROR_INVALID_VALUE;
	peer_addr->user_data = user_context;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_peer_addr_get_user_data(struct doca_comm_channel_addr_t *peer_addr,
						       uint64_t *user_context)
{
	if (!peer_addr || !user_context)
		return DOCA_ERROR_INVALID_VALUE;
	*user_context = peer_addr->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_peer_addr_user_data_set(struct doca_comm_channel_addr_t *peer_addr,
						       uint64_t user_context)
{
	return doca_comm_channel_peer_addr_set_user_data(peer_addr, user_context);
}

doca_error_t doca_comm_channel_peer_addr_user_data_get(struct doca_comm_channel_addr_t *peer_addr,
						       uint64_t *user_context)
{
	return doca_comm_channel_peer_addr_get_user_data(peer_addr, user_context);
}

static doca_error_t update_info(struct doca_comm_channel_addr_t *peer)
{
	if (peer->state == PEER_CONNECTING)
		return DOCA_ERROR_CONNECTION_INPROGRESS;
	if (peer->state != PEER_OPEN || peer->conn->chan.peer_gone)
		return DOCA_ERROR_CONNECTION_ABORTED;
	peer->counters = peer->conn->chan.counters;
	peer->in_flight = chan_in_flight(&peer->conn->chan);
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_peer_addr_update_info(struct doca_comm_channel_addr_t *peer_addr)
{
	doca_error_t err;

	if (!peer_addr)
		return DOCA_ERROR_INVALID_VALUE;
	ep_enter(peer_addr->ep);
	ep_look_for_gone(peer_addr->ep, false);
	err = update_info(peer_addr);
	ep_leave(peer_addr->ep);
	return err;
}

doca_error_t
doca_comm_channel_peer_addr_get_send_messages(const struct doca_comm_channel_addr_t *peer_addr,
					      uint64_t *send_messages)
{
	if (!peer_addr || !send_messages)
		return DOCA_ERROR_INVALID_VALUE;
	*send_messages = peer_addr->counters.sent_messages;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comm_channel_peer_addr_get_send_bytes(const struct doca_comm_channel_addr_t *peer_addr,
					   uint64_t *send_bytes)
{
	if (!peer_addr || !send_bytes)
		return DOCA_ERROR_INVALID_VALUE;
	*send_bytes = peer_addr->counters.sent_bytes;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comm_channel_peer_addr_get_recv_messages(const struct doca_comm_channel_addr_t *peer_addr,
					      uint64_t *recv_messages)
{
	if (!peer_addr || !recv_messages)
		return DOCA_ERROR_INVALID_VALUE;
	*recv_messages = peer_addr->counters.received_messages;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comm_channel_peer_addr_get_recv_bytes(const struct doca_comm_channel_addr_t *peer_addr,
					   uint64_t *recv_bytes)
{
	if (!peer_addr || !recv_bytes)
		return DOCA_ERROR_INVALID_VALUE;
	*recv_bytes = peer_addr->counters.received_bytes;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_peer_addr_get_send_in_flight_messages(
	const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_in_flight_messages)
{
	if (!peer_addr || !send_in_flight_messages)
		return DOCA_ERROR_INVALID_VALUE;
	*send_in_flight_messages = peer_addr->in_flight;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_peer_addr_info_get(struct doca_comm_channel_addr_t *peer_addr,
						  struct doca_comm_channel_peer_addr_info *info)
{
	if (!peer_addr || !info)
		return DOCA_ERROR_INVALID_VALUE;
	ep_enter(peer_addr->ep);
	*info = peer_info(peer_addr);
	ep_leave(peer_addr->ep);
	return DOCA_SUCCESS;
}
