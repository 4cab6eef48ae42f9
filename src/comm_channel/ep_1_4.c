/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creation in the form of releases 1.2 to 1.4, which the public header chooses by a macro.
 */
#define LOG_MODULE "comm_channel"
#include "base/log.h"
#include "comm_channel/ep.h"

static uint32_t raised(uint32_t value, uint32_t least, uint64_t limit)
{
	if (value < least)
		value = least;
	return value < limit ? value : (uint32_t)limit; /* least may be above a small limit */
}

static doca_error_t check_attr(const struct doca_comm_channel_init_attr *attr)
{
	const struct topo_limits *limits = priv_topo_limits();

	if (attr->flags & ~(uint32_t)DOCA_CC_INIT_FLAG_NONBLOCK) {
		LOG_ERR("endpoint flags %#x; 0 or DOCA_CC_INIT_FLAG_NONBLOCK are allowed",
			attr->flags);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (attr->msgsize > limits->comch_max_msg_size ||
	    attr->maxmsgs > limits->comch_max_recv_queue_size) {
		LOG_ERR("queue of %u messages of %u bytes; at most %llu of %llu are allowed",
			attr->maxmsgs, attr->msgsize,
			(unsigned long long)limits->comch_max_recv_queue_size,
			(unsigned long long)limits->comch_max_msg_size);
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

doca_error_t softfield_comm_channel_ep_create_1_4(struct doca_comm_channel_init_attr *attr,
						  struct doca_comm_channel_ep_t **ep)
{
	const struct topo_limits *limits = priv_topo_limits();
	const struct topo *topo;
	doca_error_t err;

	if (!attr || !ep)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_attr(attr);
	if (err)
		return err;
	if (priv_topo_get(&topo) || !topo->function_count)
		return DOCA_ERROR_NOT_FOUND;
	err = ep_new(ep);
	if (err)
		return err;
	(*ep)->is_early = true;
	(*ep)->blocks = !(attr->flags & DOCA_CC_INIT_FLAG_NONBLOCK);
	(*ep)->max_msg_size = raised(attr->msgsize, EP_MSG_SIZE_MIN, limits->comch_max_msg_size);
	(*ep)->recv_queue_size =
		raised(attr->maxmsgs, EP_QUEUE_SIZE_MIN, limits->comch_max_recv_queue_size);
	(*ep)->send_queue_size = (*ep)->recv_queue_size;
	(*ep)->recv_signal.cookie = attr->cookie;
	return DOCA_SUCCESS;
}
