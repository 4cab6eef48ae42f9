/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a device can do for producers. Every number is in core/limits.def.
 */
#include "comch/comch.h"
#include "core/devinfo.h"
#include "doca_comch_producer.h"

doca_error_t doca_comch_producer_cap_is_supported(const struct doca_devinfo *devinfo)
{
	return devinfo_always_can(devinfo);
}

doca_error_t doca_comch_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
						       uint32_t *max_num_tasks)
{
	return devinfo_tell(devinfo, priv_topo_limits()->producer_max_num_tasks, max_num_tasks);
}

doca_error_t doca_comch_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
						      uint32_t *max_buf_size)
{
	return devinfo_tell(devinfo, priv_topo_limits()->producer_max_buf_size, max_buf_size);
}

doca_error_t doca_comch_producer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
							  uint32_t *max_buf_list_len)
{
	return devinfo_tell(devinfo, priv_topo_limits()->producer_max_buf_list_len,
			    max_buf_list_len);
}

doca_error_t doca_comch_producer_cap_get_max_producers(const struct doca_devinfo *devinfo,
						       uint32_t *max_producers)
{
	return devinfo_tell(devinfo, priv_topo_limits()->producer_max_producers, max_producers);
}
