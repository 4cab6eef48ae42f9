/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices as a process with SOFTFIELD_ROLE=dpu sees them. */
#include "devtest.h"

static void only_dpu_functions_are_listed(void **state)
{
	(void)state;
	expect_devs("0000:03:00.0 0000:03:00.1");
	assert_null(find_dev("b1:00.0"));
}

static void representors_of_the_hidden_host_are_there(void **state)
{
	struct doca_dev *dev = open_dev("03:00.0");

	(void)state;
	expect_reps(dev, DOCA_DEVINFO_REP_FILTER_ALL, "pf0hpf pf0vf0 pf0vf1 pf0sf4");
	assert_int_equal(doca_dev_close(dev), DOCA_SUCCESS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_dpu_functions_are_listed),
		cmocka_unit_test(representors_of_the_hidden_host_are_there),
	};

	unsetenv("SOFTFIELD_TOPOLOGY");
	setenv("SOFTFIELD_ROLE", "dpu", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
