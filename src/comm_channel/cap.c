/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a device can do for endpoints. Every number is in core/limits.def.
 */
#include "comm_channel/ep.h"
#include "core/devinfo.h"

doca_error_t doca_comm_channel_get_max_service_name_len(uint32_t *max_service_name_len)
{
	if (!max_service_name_len)
		return DOCA_ERROR_INVALID_VALUE;
	*max_service_name_len = (uint32_t)priv_topo_limits()->comch_max_name_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_get_max_message_size(struct doca_devinfo *devinfo,
						    uint32_t *max_message_size)
{
	return devinfo_tell(devinfo, priv_topo_limits()->comch_max_msg_size, max_message_size);
}

doca_error_t doca_comm_channel_get_max_send_queue_size(struct doca_devinfo *devinfo,
						       uint32_t *max_send_queue_size)
{
	return devinfo_tell(devinfo, priv_topo_limits()->comch_max_recv_queue_size,
			    max_send_queue_size);
}

doca_error_t doca_comm_channel_get_max_recv_queue_size(struct doca_devinfo *devinfo,
						       uint32_t *max_recv_queue_size)
{
	return devinfo_tell(devinfo, priv_topo_limits()->comch_max_recv_queue_size,
			    max_recv_queue_size);
}

doca_error_t doca_comm_channel_get_service_max_num_connections(struct doca_devinfo *devinfo,
							       uint32_t *max_num_connections)
{
	return devinfo_tell(devinfo, priv_topo_limits()->comch_max_clients, max_num_connections);
}
