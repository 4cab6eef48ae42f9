/* SPDX-License-Identifier: BSD-3-Clause */
/* The types that are there for whoever includes no more than their header. */
#include "test.h"

#include "doca_types.h"

/* Programs up to 2.2 parse addresses where they open no device. */
static void pci_address_is_one_of_them(void **state)
{
	struct doca_pci_bdf address = {.raw = 0};

	(void)state;
	address.bus = 0xb1;
	address.device = 0x1f;
	address.function = 7;
	assert_int_equal(sizeof(address), 2);
	assert_int_equal(address.raw, 0xb1ff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pci_address_is_one_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
