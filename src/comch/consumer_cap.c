/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a device can do for consumers. Every number is in core/limits.def.
 */
#include "comch/comch.h"
#include "core/devinfo.h"
#include "doca_comch_consumer.h"

doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo)
{
	return devinfo_always_can(devinfo);
}

doca_error_t doca_comch_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
						       uint32_t *max_num_tasks)
{
	return devinfo_tell(devinfo, priv_topo_limits()->consumer_max_num_tasks, max_num_tasks);
}

doca_error_t doca_comch_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
						      uint32_t *max_buf_size)
{
	return devinfo_tell(devinfo, priv_topo_limits()->consumer_max_buf_size, max_buf_size);
}

doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
							  uint32_t *max_buf_list_len)
{
	return devinfo_tell(devinfo, priv_topo_limits()->consumer_max_buf_list_len,
			    max_buf_list_len);
}

doca_error_t doca_comch_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
						       uint32_t *max_consumers)
{
	return devinfo_tell(devinfo, priv_topo_limits()->consumer_max_consumers, max_consumers);
}

doca_error_t doca_comch_consumer_cap_get_max_imm_data_len(const struct doca_devinfo *devinfo,
							  uint32_t *max_imm_data_len)
{
	return devinfo_tell(devinfo, priv_topo_limits()->consumer_max_imm_data_len,
			    max_imm_data_len);
}
