/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doca_devinfo_get_active_rate() as programs up to 2.7 call it.
 */
#define DOCA_LEGACY_2_7
#include "test.h"

#include "doca_dev.h"

static void the_rate_is_a_double(void **state)
{
	struct doca_devinfo **devinfos;
	uint32_t count;
	uint64_t bits;
	double rate = 0;

	(void)state;
	assert_ok(doca_devinfo_create_list(&devinfos, &count));
	assert_true(count > 0);
	assert_ok(doca_devinfo_get_active_rate(devinfos[0], &rate));
#undef doca_devinfo_get_active_rate
	assert_ok(doca_devinfo_get_active_rate(devinfos[0], &bits));
	assert_true(bits > 0 && rate == (double)bits);
	assert_ok(doca_devinfo_destroy_list(devinfos));
}

static void null_is_refused(void **state)
{
	double rate = 0;

	(void)state;
	assert_err(softfield_devinfo_get_active_rate(NULL, &rate), INVALID_VALUE);
	assert_err(softfield_devinfo_get_active_rate(NULL, NULL), INVALID_VALUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rate_is_a_double),
		cmocka_unit_test(null_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
