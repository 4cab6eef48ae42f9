/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What can be asked about exporting memory maps.
 */
#include "doca_mmap.h"

static doca_error_t always_capable(const struct doca_devinfo *devinfo, uint8_t *capable)
{
	if (!devinfo || !capable)
		return DOCA_ERROR_INVALID_VALUE;
	*capable = 1;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo,
						   uint8_t *mmap_export)
{
	return always_capable(devinfo, mmap_export);
}

doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(const struct doca_devinfo *devinfo,
							       uint8_t *from_export)
{
	return always_capable(devinfo, from_export);
}
