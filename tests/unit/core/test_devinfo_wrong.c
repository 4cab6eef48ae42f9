/* SPDX-License-Identifier: BSD-3-Clause */
/* A wrong topology: no device at all, never the built-in ones. */
#include "devtest.h"

#include "topo/topo.h"

static void no_device_is_found(void **state)
{
	struct doca_devinfo **list = NULL;
	uint32_t count = 9;

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(doca_devinfo_create_list(&list, &count), DOCA_ERROR_NOT_FOUND);
	assert_null(list);
	assert_int_equal(count, 9);
}

static void limits_are_the_built_in_ones(void **state)
{
	const struct topo *topo = NULL;

	(void)state;
	assert_int_equal(priv_topo_get(&topo), DOCA_ERROR_BAD_CONFIG);
	assert_null(topo);
	assert_string_equal(priv_topo_why(),
			    "/nonexistent/topology.json: No such file or directory");
	assert_int_equal(priv_topo_limits()->comch_max_msg_size, 4080);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_device_is_found),
		cmocka_unit_test(limits_are_the_built_in_ones),
	};

	setenv("SOFTFIELD_TOPOLOGY", "/nonexistent/topology.json", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
