/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What DMA can do: the same on every device, as the topology limits it.
 */
#include "doca_dma.h"

#include "core/devinfo.h"
#include "topo/topo.h"

doca_error_t doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo)
{
	return devinfo_always_can(devinfo);
}

doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma *dma, uint32_t *max_num_tasks)
{
	if (!dma || !max_num_tasks)
		return DOCA_ERROR_INVALID_VALUE;
	*max_num_tasks = (uint32_t)priv_topo_limits()->dma_max_num_tasks;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_cap_task_memcpy_get_max_buf_list_len(const struct doca_devinfo *devinfo,
							   uint32_t *max_buf_list_len)
{
	if (!devinfo || !max_buf_list_len)
		return DOCA_ERROR_INVALID_VALUE;
	*max_buf_list_len = (uint32_t)priv_topo_limits()->dma_max_buf_list_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_cap_task_memcpy_get_max_buf_size(const struct doca_devinfo *devinfo,
						       uint64_t *buf_size)
{
	if (!devinfo || !buf_size)
		return DOCA_ERROR_INVALID_VALUE;
	*buf_size = priv_topo_limits()->dma_max_buf_size;
	return DOCA_SUCCESS;
}
