/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include "base/name_list.h"

static void names_are_separated(void **state)
{
	char list[32] = "";

	(void)state;
	name_list_add(list, sizeof(list), "p0");
	assert_string_equal(list, "p0");
	name_list_add(list, sizeof(list), "p1");
	name_list_add(list, sizeof(list), "en0");
	assert_string_equal(list, "p0, p1, en0");
}

static void what_does_not_fit_is_more(void **state)
{
	char list[16] = "";

	(void)state;
	name_list_add(list, sizeof(list), "0123456789"); /* behind it is room for ", ..." */
	assert_string_equal(list, "0123456789");
	name_list_add(list, sizeof(list), "p0");
	assert_string_equal(list, "0123456789, ...");
	name_list_add(list, sizeof(list), "p1");
	assert_string_equal(list, "0123456789, ...");
}

static void no_name_is_cut(void **state)
{
	char list[16] = "";

	(void)state;
	name_list_add(list, sizeof(list), "0123456789a");
	assert_string_equal(list, "...");
	name_list_add(list, sizeof(list), "p0"); /* the order is that of the calls */
	assert_string_equal(list, "...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_separated),
		cmocka_unit_test(what_does_not_fit_is_more),
		cmocka_unit_test(no_name_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
