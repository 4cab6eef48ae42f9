/* SPDX-License-Identifier: BSD-3-Clause */
#include "device.h"

#include "lib/pair.h"

void device_check(doca_error_t result, const char *what)
{
	if (result != DOCA_SUCCESS)
		bench_fail("%s: %s", what, doca_error_get_descr(result));
}

struct doca_dev *device_open(const char *pci_addr)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint32_t count;

	CHECK(doca_devinfo_create_list(&list, &count));
	for (uint32_t i = 0; i < count && !dev; i++) {
		uint8_t equal = 0;

		if (doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &equal) == DOCA_SUCCESS &&
		    equal)
			CHECK(doca_dev_open(list[i], &dev));
	}
	doca_devinfo_destroy_list(list);
	if (!dev)
		bench_fail("no device %s among %u", pci_addr, count);
	return dev;
}
