/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Devices and representors by their address, as programs look for them.
 */
#include "devices.h"
#include "test.h"

struct doca_dev *find_dev(const char *pci)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint32_t count, i;

	assert_ok(doca_devinfo_create_list(&list, &count));
	for (i = 0; i < count && !dev; i++) {
		uint8_t equal = 9;

		assert_ok(doca_devinfo_is_equal_pci_addr(list[i], pci, &equal));
		if (equal)
			assert_ok(doca_dev_open(list[i], &dev));
	}
	assert_ok(doca_devinfo_destroy_list(list));
	return dev;
}

struct doca_dev_rep *find_rep(struct doca_dev *dev, const char *host_pci)
{
	struct doca_devinfo_rep **list;
	struct doca_dev_rep *rep = NULL;
	uint32_t count, i;

	assert_ok(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &list, &count));
	for (i = 0; i < count && !rep; i++) {
		uint8_t equal = 9;

		assert_ok(doca_devinfo_rep_is_equal_pci_addr(list[i], host_pci, &equal));
		if (equal)
			assert_ok(doca_dev_rep_open(list[i], &rep));
	}
	assert_ok(doca_devinfo_rep_destroy_list(list));
	return rep;
}

struct doca_dev *open_dev(const char *pci)
{
	struct doca_dev *dev = find_dev(pci);

	assert_non_null(dev);
	return dev;
}

struct doca_dev_rep *open_rep(struct doca_dev *dev, const char *host_pci)
{
	struct doca_dev_rep *rep = find_rep(dev, host_pci);

	assert_non_null(rep);
	return rep;
}
