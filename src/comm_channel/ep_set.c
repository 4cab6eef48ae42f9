/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Configuration of endpoints in the late form.
 */
#define LOG_MODULE "comm_channel"
#include "base/log.h"
#include "base/pow2.h"
#include "comm_channel/ep.h"

static doca_error_t check_configurable(const struct doca_comm_channel_ep_t *ep)
{
	if (ep->role == EP_IDLE)
		return DOCA_SUCCESS;
	LOG_ERR("an endpoint is configured before it %s",
		ep->role == EP_SERVICE ? "listens" : "connects");
	return DOCA_ERROR_BAD_STATE;
}

doca_error_t doca_comm_channel_ep_set_device(struct doca_comm_channel_ep_t *ep,
					     struct doca_dev *device)
{
	doca_error_t err;

	if (!ep || !device)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_configurable(ep);
	if (err)
		return err;
	priv_dev_use(device);
	if (ep->dev)
		priv_dev_release(ep->dev);
	ep->dev = device;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_set_device_rep(struct doca_comm_channel_ep_t *ep,
						 struct doca_dev_rep *device_rep)
{
	doca_error_t err;

	if (!ep || !device_rep)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_configurable(ep);
	if (err)
		return err;
	priv_dev_rep_use(device_rep);
	if (ep->rep)
		priv_dev_rep_release(ep->rep);
	ep->rep = device_rep;
	return DOCA_SUCCESS;
}

static doca_error_t check_size(const struct doca_comm_channel_ep_t *ep, uint16_t value,
			       uint64_t limit, const char *what)
{
	if (!value || value > limit) {
		LOG_ERR("%s %u; 1 to %llu are allowed" LIMITS_HINT, what, value,
			(unsigned long long)limit);
		return DOCA_ERROR_INVALID_VALUE;
	}
	return check_configurable(ep);
}

doca_error_t doca_comm_channel_ep_set_max_msg_size(struct doca_comm_channel_ep_t *ep,
						   uint16_t max_msg_size)
{
	uint64_t limit = priv_topo_limits()->comch_max_msg_size;
	doca_error_t err;

	if (!ep)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_size(ep, max_msg_size, limit, "maximum message size");
	if (err)
		return err;
	ep->max_msg_size = max_msg_size;
	if (max_msg_size < EP_MSG_SIZE_MIN)
		ep->max_msg_size = limit < EP_MSG_SIZE_MIN ? (uint32_t)limit : EP_MSG_SIZE_MIN;
	return DOCA_SUCCESS;
}

static uint32_t round_up_queue(uint16_t size)
{
	return size < EP_QUEUE_SIZE_MIN ? EP_QUEUE_SIZE_MIN : round_up_pow2(size);
}

doca_error_t doca_comm_channel_ep_set_send_queue_size(struct doca_comm_channel_ep_t *ep,
						      uint16_t send_queue_size)
{
	doca_error_t err;

	if (!ep)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_size(ep, send_queue_size, priv_topo_limits()->comch_max_recv_queue_size,
			 "send queue size");
	if (!err)
		ep->send_queue_size = round_up_queue(send_queue_size);
	return err;
}

doca_error_t doca_comm_channel_ep_set_recv_queue_size(struct doca_comm_channel_ep_t *ep,
						      uint16_t recv_queue_size)
{
	doca_error_t err;

	if (!ep)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_size(ep, recv_queue_size, priv_topo_limits()->comch_max_recv_queue_size,
			 "receive queue size");
	if (!err)
		ep->recv_queue_size = round_up_queue(recv_queue_size);
	return err;
}
