/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a server and a client have in common: name, sizes, callbacks.
 */
#define LOG_MODULE "comch"
#include <string.h>
#include "base/log.h"
#include "comch/comch.h"

doca_error_t comch_ep_init(struct comch_ep *ep, const struct ctx_ops *ops, struct doca_dev *dev,
			   const char *name)
{
	const struct topo_limits *limits = priv_topo_limits();
	size_t size = strlen(name) + 1;

	if (size == 1 || size > limits->comch_max_name_len) {
		LOG_ERR("server name of %zu bytes with its NUL; 2 to %llu are allowed", size,
			(unsigned long long)limits->comch_max_name_len);
		return DOCA_ERROR_INVALID_VALUE;
	}
	memset(ep, 0, sizeof(*ep));
	memcpy(ep->name, name, size);
	ep->max_msg_size = (uint32_t)limits->comch_max_msg_size;
	ep->recv_queue_size = (uint32_t)limits->comch_default_recv_queue_size;
	priv_ctx_init(&ep->ctx, ops, dev);
	return DOCA_SUCCESS;
}

void comch_ep_fini(struct comch_ep *ep)
{
	priv_task_pool_fini(&ep->send_pool);
	priv_ctx_fini(&ep->ctx);
}

doca_error_t comch_ep_check(const struct comch_ep *ep, enum topo_side side)
{
	const struct topo_function *function = priv_dev_function(ep->ctx.dev);

	if (function->side != side) {
		LOG_ERR("%s \"%s\": device %s is on the %s side; a server needs one of the DPU, a "
			"client one of the host",
			ep->ctx.ops->name, ep->name, function->pci_addr,
			function->side == TOPO_HOST ? "host" : "DPU");
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	if (!ep->send_pool.count || !ep->msg_recv_cb) {
		LOG_ERR("%s \"%s\": %s must be set before start", ep->ctx.ops->name, ep->name,
			ep->msg_recv_cb ? "the send task" : "the receive event");
		return DOCA_ERROR_BAD_STATE;
	}
	return DOCA_SUCCESS;
}

static doca_error_t set_number(struct comch_ep *ep, uint32_t *number, uint32_t value,
			       uint64_t limit, const char *what)
{
	if (!value || value > limit) {
		LOG_ERR("%s \"%s\": %s %u; 1 to %llu are allowed" LIMITS_HINT, ep->ctx.ops->name,
			ep->name, what, value, (unsigned long long)limit);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (ctx_check_idle(&ep->ctx))
		return DOCA_ERROR_BAD_STATE;
	*number = value;
	return DOCA_SUCCESS;
}

doca_error_t comch_ep_set_max_msg_size(struct comch_ep *ep, uint32_t size)
{
	return set_number(ep, &ep->max_msg_size, size, priv_topo_limits()->comch_max_msg_size,
			  "maximum message size");
}

doca_error_t comch_ep_set_recv_queue_size(struct comch_ep *ep, uint32_t size)
{
	return set_number(ep, &ep->recv_queue_size, size,
			  priv_topo_limits()->comch_max_recv_queue_size, "receive queue size");
}

doca_error_t comch_ep_register_msg_recv(struct comch_ep *ep, doca_comch_event_msg_recv_cb_t cb)
{
	if (!cb)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx_check_idle(&ep->ctx))
		return DOCA_ERROR_BAD_STATE;
	ep->msg_recv_cb = (comch_msg_recv_cb_t)(void (*)(void))cb;
	return DOCA_SUCCESS;
}

doca_error_t comch_ep_register_consumer(struct comch_ep *ep,
					doca_comch_event_consumer_cb_t new_consumer_cb,
					doca_comch_event_consumer_cb_t expired_consumer_cb)
{
	if (!new_consumer_cb || !expired_consumer_cb)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx_check_idle(&ep->ctx))
		return DOCA_ERROR_BAD_STATE;
	ep->new_consumer_cb = new_consumer_cb;
	ep->expired_consumer_cb = expired_consumer_cb;
	return DOCA_SUCCESS;
}

struct chan_config comch_ep_config(const struct comch_ep *ep, const struct topo_function *host)
{
	return (struct chan_config){
		.group = &ep->ctx.pe->group,
		.addr = link_addr(host, ep->name),
		.max_msg_size = ep->max_msg_size,
		.recv_queue_size = ep->recv_queue_size,
	};
}
