/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of headers and library. */
#include "test.h"

#include <stdio.h>
#include "doca_version.h"

static void library_is_of_the_headers_it_was_built_with(void **state)
{
	(void)state;
	assert_string_equal(doca_version_runtime(), doca_version());
}

static void string_and_numbers_agree(void **state)
{
	char text[32];

	(void)state;
	snprintf(text, sizeof(text), "%d.%d.%04d", DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR,
		 DOCA_VERSION_PATCH);
	assert_string_equal(doca_version_runtime(), text);
}

static void versions_compare_as_numbers(void **state)
{
	(void)state;
	assert_true(DOCA_VERSION_LTE_CURRENT(2, 9, 99));
	assert_true(DOCA_VERSION_EQ_CURRENT(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR,
					    DOCA_VERSION_PATCH));
	assert_false(DOCA_VERSION_LTE_CURRENT(DOCA_VERSION_MAJOR + 1, 0, 0));
	assert_true(DOCA_VERSION_CALC_EXACT(3, 0, 0) > DOCA_VERSION_CALC_EXACT(2, 255, 65535));
}

/* Build files of that age read them as text. */
static void names_of_2_2_are_the_same(void **state)
{
	(void)state;
	assert_int_equal(DOCA_VER_MAJOR, DOCA_VERSION_MAJOR);
	assert_int_equal(DOCA_VER_MINOR, DOCA_VERSION_MINOR);
	assert_int_equal(DOCA_VER_PATCH, DOCA_VERSION_PATCH);
	assert_string_equal(DOCA_VER_STRING, DOCA_VERSION_STRING);
	assert_true(DOCA_CURRENT_VERSION_NUM == DOCA_VERSION_EXACT);
	assert_true(DOCA_VERSION_NUM(2, 2, 80) < DOCA_CURRENT_VERSION_NUM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(library_is_of_the_headers_it_was_built_with),
		cmocka_unit_test(string_and_numbers_agree),
		cmocka_unit_test(versions_compare_as_numbers),
		cmocka_unit_test(names_of_2_2_are_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
