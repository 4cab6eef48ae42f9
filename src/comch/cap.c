/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a device can do for the control channel. Every number is in core/limits.def.
 */
#include "comch/comch.h"
#include "core/devinfo.h"

static doca_error_t is_on(const struct doca_devinfo *devinfo, enum topo_side side)
{
	if (!devinfo)
		return DOCA_ERROR_INVALID_VALUE;
	return priv_devinfo_function(devinfo)->side == side ? DOCA_SUCCESS
							    : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo)
{
	return is_on(devinfo, TOPO_DPU);
}

doca_error_t doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo)
{
	return is_on(devinfo, TOPO_HOST);
}

doca_error_t doca_comch_cap_get_max_name_len(const struct doca_devinfo *devinfo,
					     uint32_t *max_name_len)
{
	return devinfo_tell(devinfo, priv_topo_limits()->comch_max_name_len, max_name_len);
}

doca_error_t doca_comch_cap_get_max_msg_size(const struct doca_devinfo *devinfo, uint32_t *size)
{
	return devinfo_tell(devinfo, priv_topo_limits()->comch_max_msg_size, size);
}

doca_error_t doca_comch_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
						    uint32_t *size)
{
	return devinfo_tell(devinfo, priv_topo_limits()->comch_max_recv_queue_size, size);
}

doca_error_t doca_comch_cap_get_max_clients(const struct doca_devinfo *devinfo,
					    uint32_t *num_clients)
{
	return devinfo_tell(devinfo, priv_topo_limits()->comch_max_clients, num_clients);
}

doca_error_t doca_comch_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
					       uint32_t *max_send_tasks)
{
	return devinfo_tell(devinfo, priv_topo_limits()->comch_max_send_tasks, max_send_tasks);
}
