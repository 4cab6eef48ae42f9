/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What can be asked of endpoints.
 */
#include "comm_channel/ep.h"

doca_error_t doca_comm_channel_ep_get_device(struct doca_comm_channel_ep_t *ep,
					     struct doca_dev **device)
{
	if (!ep || !device)
		return DOCA_ERROR_INVALID_VALUE;
	if (!ep->dev)
		return DOCA_ERROR_BAD_STATE;
	*device = ep->dev;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_get_device_rep(struct doca_comm_channel_ep_t *ep,
						 struct doca_dev_rep **device_rep)
{
	if (!ep || !device_rep)
		return DOCA_ERROR_INVALID_VALUE;
	if (!ep->rep)
		return DOCA_ERROR_BAD_STATE;
	*device_rep = ep->rep;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_get_max_msg_size(struct doca_comm_channel_ep_t *ep,
						   uint16_t *max_msg_size)
{
	if (!ep || !max_msg_size)
		return DOCA_ERROR_INVALID_VALUE;
	*max_msg_size = (uint16_t)ep->max_msg_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_get_send_queue_size(struct doca_comm_channel_ep_t *ep,
						      uint16_t *send_queue_size)
{
	if (!ep || !send_queue_size)
		return DOCA_ERROR_INVALID_VALUE;
	*send_queue_size = (uint16_t)ep->send_queue_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_get_recv_queue_size(struct doca_comm_channel_ep_t *ep,
						      uint16_t *recv_queue_size)
{
	if (!ep || !recv_queue_size)
		return DOCA_ERROR_INVALID_VALUE;
	*recv_queue_size = (uint16_t)ep->recv_queue_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_get_event_channel(struct doca_comm_channel_ep_t *local_ep,
						    doca_event_channel_t *send_event_channel,
						    doca_event_channel_t *recv_event_channel)
{
	struct doca_comm_channel_ep_t *ep = local_ep;
	doca_error_t err = DOCA_SUCCESS;

	if (!ep || (!send_event_channel && !recv_event_channel))
		return DOCA_ERROR_INVALID_VALUE;
	ep_enter(ep);
	if (ep->role == EP_IDLE)
		err = DOCA_ERROR_BAD_STATE;
	if (!err && send_event_channel)
		err = signal_open(&ep->send_signal, &ep->group);
	if (!err && recv_event_channel)
		err = signal_open(&ep->recv_signal, &ep->group);
	if (!err && send_event_channel)
		*send_event_channel = ep->send_signal.epoll_fd;
	if (!err && recv_event_channel)
		*recv_event_channel = ep->recv_signal.epoll_fd;
	ep_leave(ep);
	return err;
}

static doca_error_t check_service(const struct doca_comm_channel_ep_t *ep)
{
	if (ep->role == EP_IDLE)
		return DOCA_ERROR_BAD_STATE;
	return ep->role == EP_SERVICE ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t
doca_comm_channel_ep_get_service_event_channel(struct doca_comm_channel_ep_t *local_ep,
					       doca_event_channel_t *service_event_channel)
{
	struct doca_comm_channel_ep_t *ep = local_ep;
	doca_error_t err;

	if (!ep || !service_event_channel)
		return DOCA_ERROR_INVALID_VALUE;
	ep_enter(ep);
	err = check_service(ep);
	if (!err)
		err = signal_open(&ep->service_signal, &ep->group);
	if (!err)
		*service_event_channel = ep->service_signal.epoll_fd;
	ep_leave(ep);
	return err;
}

doca_error_t
doca_comm_channel_ep_get_peer_addr_list(const struct doca_comm_channel_ep_t *local_ep,
					struct doca_comm_channel_addr_t ***peer_addr_array,
					uint32_t *peer_addr_array_len)
{
	if (!local_ep || !peer_addr_array || !peer_addr_array_len)
		return DOCA_ERROR_INVALID_VALUE;
	if (local_ep->role != EP_SERVICE)
		return DOCA_ERROR_BAD_STATE;
	*peer_addr_array = local_ep->peer_list;
	*peer_addr_array_len = local_ep->peer_count;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comm_channel_ep_get_pending_connections(const struct doca_comm_channel_ep_t *local_ep,
					     uint32_t *pending_connections)
{
	if (!local_ep || !pending_connections)
		return DOCA_ERROR_INVALID_VALUE;
	if (local_ep->role != EP_SERVICE)
		return DOCA_ERROR_BAD_STATE;
	*pending_connections = local_ep->pending_count;
	return DOCA_SUCCESS;
}
