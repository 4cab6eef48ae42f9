/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a device can do.
 */
#include "cc/cc.h"
#include "doca_comch_consumer.h"
#include "doca_comch_producer.h"

doca_error_t doca_cc_cap_server_is_supported(const struct doca_devinfo *devinfo)
{
	return doca_comch_cap_server_is_supported(devinfo);
}

doca_error_t doca_cc_cap_client_is_supported(const struct doca_devinfo *devinfo)
{
	return doca_comch_cap_client_is_supported(devinfo);
}

doca_error_t doca_cc_cap_get_max_name_len(const struct doca_devinfo *devinfo,
					  uint32_t *max_name_len)
{
	return doca_comch_cap_get_max_name_len(devinfo, max_name_len);
}

doca_error_t doca_cc_cap_get_max_msg_size(const struct doca_devinfo *devinfo, uint32_t *size)
{
	return doca_comch_cap_get_max_msg_size(devinfo, size);
}

doca_error_t doca_cc_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo, uint32_t *size)
{
	return doca_comch_cap_get_max_recv_queue_size(devinfo, size);
}

doca_error_t doca_cc_cap_get_max_clients(const struct doca_devinfo *devinfo, uint32_t *num_clients)
{
	return doca_comch_cap_get_max_clients(devinfo, num_clients);
}

doca_error_t doca_cc_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
					    uint32_t *max_send_tasks)
{
	return doca_comch_cap_get_max_send_tasks(devinfo, max_send_tasks);
}

doca_error_t doca_cc_cap_is_consumer_supported(const struct doca_devinfo *devinfo)
{
	return doca_comch_consumer_cap_is_supported(devinfo);
}

doca_error_t doca_cc_cap_is_producer_supported(const struct doca_devinfo *devinfo)
{
	return doca_comch_producer_cap_is_supported(devinfo);
}
