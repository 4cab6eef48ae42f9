/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Capabilities: without any object, before and after, NULL, and the names of release 2.9.
 */
#include "test.h"

#include "doca_sta_caps.h"
#include "sta/sta.h"

static void numbers_need_no_object(void **state)
{
	static doca_error_t (*const getters[])(uint32_t *) = {
		doca_sta_get_max_devs,	      doca_sta_get_max_subsys,
		doca_sta_get_max_ns_per_subs, doca_sta_get_max_qps,
		doca_sta_get_max_io_threads,  doca_sta_get_max_io_size,
		doca_sta_get_min_ioccsz,      doca_sta_get_max_ioccsz,
		doca_sta_get_min_iorcsz,      doca_sta_get_max_iorcsz,
		doca_sta_get_max_be,	      doca_sta_get_max_qs_per_be,
		doca_sta_cap_get_max_devs,    doca_sta_cap_get_max_be,
		doca_sta_cap_get_max_io_size, doca_sta_cap_get_max_subsys,
	};
	uint32_t value;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(getters); i++) {
		value = 0;
		assert_ok(getters[i](&value));
		assert_int_not_equal(value, 0);
		assert_err(getters[i](NULL), INVALID_VALUE);
	}
	assert_ok(doca_sta_get_max_icdoff(&value));
	assert_int_equal(value, 0);
	assert_err(doca_sta_get_max_io_num_per_dev(NULL, &value), INVALID_VALUE);
	assert_err(doca_sta_get_max_io_queue_size(NULL, &value), INVALID_VALUE);
}

static void block_sizes(void **state)
{
	static const uint32_t good[] = {512, 4096, 65536}, bad[] = {0, 1, 256, 513, 131072};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(good); i++)
		assert_true(doca_sta_is_logical_block_size_supported(good[i]));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(doca_sta_is_logical_block_size_supported(bad[i]));
}

static void devices_of_the_dpu_carry_a_target(void **state)
{
	struct doca_devinfo **list;
	unsigned int yes = 0, no = 0;
	uint32_t count, i;

	(void)state;
	assert_ok(doca_devinfo_create_list(&list, &count));
	for (i = 0; i < count; i++) {
		struct doca_sta *sta;
		struct doca_dev *dev;
		doca_error_t err = doca_sta_cap_is_supported(list[i]);

		assert_ok(doca_dev_open(list[i], &dev));
		assert_int_equal(doca_sta_create(dev, &sta), err);
		if (err)
			no++;
		else
			yes++;
		if (!err)
			assert_ok(doca_sta_destroy(sta));
		doca_dev_close(dev);
	}
	doca_devinfo_destroy_list(list);
	assert_true(yes && no);
	assert_err(doca_sta_cap_is_supported(NULL), INVALID_VALUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_need_no_object),
		cmocka_unit_test(block_sizes),
		cmocka_unit_test(devices_of_the_dpu_carry_a_target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
