/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What RDMA can do: nothing, on every device.
 */
#include "doca_rdma.h"

doca_error_t doca_rdma_cap_task_send_is_supported(const struct doca_devinfo *devinfo)
{
	return devinfo ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE;
}
