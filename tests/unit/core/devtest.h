/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of devices share: looking things up as programs do. */
#ifndef SOFTFIELD_DEVTEST_H
#define SOFTFIELD_DEVTEST_H

#include "test.h"

#include <stdlib.h>
#include <string.h>
#include "devices.h"

/* addresses of all listed devices, with a space between */
static inline void expect_devs(const char *expected)
{
	struct doca_devinfo **list;
	char all[512] = "";
	uint32_t count;

	assert_int_equal(doca_devinfo_create_list(&list, &count), DOCA_SUCCESS);
	for (uint32_t i = 0; i < count; i++) {
		char addr[DOCA_DEVINFO_PCI_ADDR_SIZE];

		assert_int_equal(doca_devinfo_get_pci_addr_str(list[i], addr), DOCA_SUCCESS);
		strcat(strcat(all, i ? " " : ""), addr);
	}
	assert_null(list[count]);
	assert_int_equal(doca_devinfo_destroy_list(list), DOCA_SUCCESS);
	assert_string_equal(all, expected);
}

/* interface names of the representors that a filter lists */
static inline void expect_reps(struct doca_dev *dev, int filter, const char *expected)
{
	struct doca_devinfo_rep **list;
	char all[512] = "";
	uint32_t count;

	assert_int_equal(doca_devinfo_rep_create_list(dev, filter, &list, &count), DOCA_SUCCESS);
	for (uint32_t i = 0; i < count; i++) {
		char name[DOCA_DEVINFO_IFACE_NAME_SIZE];

		assert_int_equal(doca_devinfo_rep_get_iface_name(list[i], name, sizeof(name)),
				 DOCA_SUCCESS);
		strcat(strcat(all, i ? " " : ""), name);
	}
	assert_int_equal(doca_devinfo_rep_destroy_list(list), DOCA_SUCCESS);
	assert_string_equal(all, expected);
}

#endif
