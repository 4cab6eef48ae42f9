/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and descriptions of error codes. */
#include "test.h"

#include <string.h>
#include "doca_error.h"

#define COUNT 32

static void name_is_the_spelling_of_the_enumerator(void **state)
{
	(void)state;
	assert_string_equal(doca_error_get_name(DOCA_SUCCESS), "DOCA_SUCCESS");
	assert_string_equal(doca_error_get_name(DOCA_ERROR_UNKNOWN), "DOCA_ERROR_UNKNOWN");
	assert_string_equal(doca_error_get_name(DOCA_ERROR_AGAIN), "DOCA_ERROR_AGAIN");
	assert_string_equal(doca_error_get_name((doca_error_t)14), "DOCA_ERROR_NOT_CONNECTED");
	assert_string_equal(doca_error_get_name((doca_error_t)22), "DOCA_ERROR_UNEXPECTED");
	assert_string_equal(doca_error_get_name((doca_error_t)27), "DOCA_ERROR_TOO_BIG");
	assert_string_equal(doca_error_get_name((doca_error_t)31), "DOCA_ERROR_DEVICE_FATAL_ERROR");
}

static void every_code_has_its_own_name_and_description(void **state)
{
	(void)state;
	for (int i = 0; i < COUNT; i++) {
		const char *name = doca_error_get_name((doca_error_t)i);
		const char *descr = doca_error_get_descr((doca_error_t)i);

		assert_memory_equal(name, i ? "DOCA_ERROR_" : "DOCA_SUCCESS", 11);
		assert_true(strlen(descr) > 3);
		for (int k = 0; k < i; k++) {
			assert_string_not_equal(name, doca_error_get_name((doca_error_t)k));
			assert_string_not_equal(descr, doca_error_get_descr((doca_error_t)k));
		}
	}
}

static void unknown_code_is_named_as_such(void **state)
{
	static const int codes[] = {COUNT, 1000, -1, INT32_MIN, INT32_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		doca_error_t code = (doca_error_t)codes[i];

		assert_string_equal(doca_error_get_name(code), "unrecognized error code");
		assert_string_equal(doca_error_get_descr(code), "unrecognized error code");
	}
}

static void old_spellings_say_the_same(void **state)
{
	(void)state;
	for (int i = -1; i <= COUNT; i++) {
		doca_error_t code = (doca_error_t)i;

		assert_string_equal(doca_get_error_name(code), doca_error_get_name(code));
		assert_string_equal(doca_get_error_string(code), doca_error_get_descr(code));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(name_is_the_spelling_of_the_enumerator),
		cmocka_unit_test(every_code_has_its_own_name_and_description),
		cmocka_unit_test(unknown_code_is_named_as_such),
		cmocka_unit_test(old_spellings_say_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
