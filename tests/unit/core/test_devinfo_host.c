/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices as a process with SOFTFIELD_ROLE=host sees them. */
#include "devtest.h"

static void only_host_functions_are_listed(void **state)
{
	(void)state;
	expect_devs("0000:b1:00.0 0000:b1:00.1 0000:b1:00.2 0000:b1:00.3 0000:b1:00.0");
}

static void dpu_functions_cannot_be_found(void **state)
{
	(void)state;
	assert_null(find_dev("03:00.0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_host_functions_are_listed),
		cmocka_unit_test(dpu_functions_cannot_be_found),
	};

	unsetenv("SOFTFIELD_TOPOLOGY");
	setenv("SOFTFIELD_ROLE", "host", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
