/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a DPA can do: the same on every device.
 */
#include "core/devinfo.h"
#include "dpa/dpa.h"

doca_error_t doca_dpa_cap_is_supported(const struct doca_devinfo *devinfo)
{
	return devinfo_always_can(devinfo);
}

doca_error_t doca_devinfo_get_is_dpa_supported(const struct doca_devinfo *devinfo)
{
	return doca_dpa_cap_is_supported(devinfo);
}

doca_error_t doca_dpa_get_max_threads_per_kernel(const struct doca_dpa *dpa, unsigned int *value)
{
	if (!dpa || !value)
		return DOCA_ERROR_INVALID_VALUE;
	*value = DPA_MAX_RANKS;
	return DOCA_SUCCESS;
}
