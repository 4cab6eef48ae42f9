/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parameters: what makes one complete, whose it is, which names it can have.
 */
#include "argptest.h"

static void create_and_destroy(void **state)
{
	struct doca_argp_param *param;

	(void)state;
	assert_int_equal(doca_argp_param_create(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_param_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_param_create(&param), DOCA_SUCCESS);
	doca_argp_param_set_short_name(param, "a");
	doca_argp_param_set_short_name(param, "b"); /* replaces */
	doca_argp_param_set_arguments(param, "<x>");
	assert_int_equal(doca_argp_param_destroy(param), DOCA_SUCCESS);
}

static void setters_take_null(void **state)
{
	(void)state;
	doca_argp_param_set_short_name(NULL, "a");
	doca_argp_param_set_long_name(NULL, "a");
	doca_argp_param_set_arguments(NULL, "a");
	doca_argp_param_set_description(NULL, "a");
	doca_argp_param_set_callback(NULL, take_text);
	doca_argp_param_set_type(NULL, DOCA_ARGP_TYPE_INT);
	doca_argp_param_set_mandatory(NULL);
	doca_argp_param_set_cli_only(NULL);
	doca_argp_param_set_multiplicity(NULL);
	doca_argp_param_set_singular(NULL);
	doca_argp_param_set_inherited(NULL);
	doca_argp_param_set_hidden(NULL);
}

static void registered_param_is_the_parsers(void **state)
{
	struct doca_argp_param *param = new_param("t", NULL, DOCA_ARGP_TYPE_STRING, take_text);

	(void)state;
	assert_int_equal(doca_argp_register_param(param), DOCA_SUCCESS);
	assert_int_equal(doca_argp_register_param(param), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_param_destroy(param), DOCA_ERROR_BAD_STATE);
	assert_int_equal(start("-t", "x", NULL), DOCA_SUCCESS);
	assert_string_equal(program.calls, "text='x' ");
}

static void registered_param_stays_complete(void **state)
{
	struct doca_argp_param *param = new_param("t", NULL, DOCA_ARGP_TYPE_STRING, take_text);

	(void)state;
	assert_int_equal(doca_argp_register_param(param), DOCA_SUCCESS);
	doca_argp_param_set_callback(param, NULL);
	doca_argp_param_set_type(param, DOCA_ARGP_TYPE_UNKNOWN);
	doca_argp_param_set_type(param, (enum doca_argp_type)99);
	doca_argp_param_set_description(param, NULL);
	assert_int_equal(start("-t", "x", NULL), DOCA_SUCCESS);
	assert_string_equal(program.calls, "text='x' ");
	assert_string_equal(param->description, "description");
}

static void registered_param_keeps_a_good_name(void **state)
{
	struct doca_argp_param *param = new_param("v", "value", DOCA_ARGP_TYPE_STRING, take_text);
	static const char *const bad_short[] = {NULL, "", "-v", "a=b", "n"},
				 *const bad_long[] = {NULL, "", "--v", "a=b", "number", "help"};

	(void)state;
	assert_int_equal(doca_argp_register_param(param), DOCA_SUCCESS);
	assert_int_equal(
		doca_argp_register_param(new_param("n", "number", DOCA_ARGP_TYPE_INT, take_number)),
		DOCA_SUCCESS);
	for (size_t i = 0; i < ARRAY_SIZE(bad_short); i++) {
		doca_argp_param_set_short_name(param, bad_short[i]);
		assert_string_equal(param->short_name, "v");
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad_long); i++) {
		doca_argp_param_set_long_name(param, bad_long[i]);
		assert_string_equal(param->long_name, "value");
	}
	doca_argp_param_set_short_name(param, "w");
	doca_argp_param_set_long_name(param, "worth");
	assert_int_equal(start("-w", "x", NULL), DOCA_SUCCESS);
	assert_string_equal(program.calls, "text='x' ");
}

static void incomplete_params_are_refused(void **state)
{
	struct doca_argp_param *param;

	(void)state;
	assert_int_equal(
		doca_argp_register_param(new_param(NULL, NULL, DOCA_ARGP_TYPE_STRING, take_text)),
		DOCA_ERROR_INITIALIZATION);
	assert_says("needs a short or a long name");
	assert_int_equal(
		doca_argp_register_param(new_param("t", "text", DOCA_ARGP_TYPE_STRING, NULL)),
		DOCA_ERROR_INITIALIZATION);
	assert_says("flag -t/--text has no callback");
	param = new_param("t", NULL, DOCA_ARGP_TYPE_STRING, take_text);
	doca_argp_param_set_description(param, NULL);
	assert_int_equal(doca_argp_register_param(param), DOCA_ERROR_INITIALIZATION);
	assert_says("flag -t has no description");
	for (int type = -1; type < 9; type++) {
		bool known = type >= DOCA_ARGP_TYPE_STRING && type <= DOCA_ARGP_TYPE_DOUBLE;

		again();
		param = new_param(NULL, "text", (enum doca_argp_type)type, take_text);
		assert_int_equal(doca_argp_register_param(param),
				 known ? DOCA_SUCCESS : DOCA_ERROR_INITIALIZATION);
		if (!known)
			assert_says("flag --text has no known type");
	}
}

static void names(void **state)
{
	static const struct {
		const char *short_name, *long_name;
		doca_error_t answer;
	} cases[] = {
		{"rdma_dev", "rdma-device", DOCA_SUCCESS},
		{"rp-st", NULL, DOCA_SUCCESS},
		{"1", "2", DOCA_SUCCESS},
		{"", NULL, DOCA_ERROR_INITIALIZATION},
		{NULL, "", DOCA_ERROR_INITIALIZATION},
		{"-p", NULL, DOCA_ERROR_INITIALIZATION},
		{NULL, "--pci", DOCA_ERROR_INITIALIZATION},
		{NULL, "a=b", DOCA_ERROR_INITIALIZATION},
		{NULL, "file size", DOCA_SUCCESS},
		{"t", "fine", DOCA_ERROR_INITIALIZATION},
		{"u", "text", DOCA_ERROR_INITIALIZATION},
		{"text", "t", DOCA_SUCCESS},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		again();
		add_usual_params(); /* -t --text */
		assert_int_equal(
			doca_argp_register_param(new_param(cases[i].short_name, cases[i].long_name,
							   DOCA_ARGP_TYPE_STRING, take_other)),
			cases[i].answer);
	}
}

static void label_of_a_long_name_is_cut(void **state)
{
	char name[300];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(
		doca_argp_register_param(new_param(name, name, DOCA_ARGP_TYPE_INT, take_number)),
		DOCA_SUCCESS);
	name[0] = '-';
	assert_int_equal(start(name, NULL), DOCA_ERROR_NOT_SUPPORTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(create_and_destroy, init, destroy),
		cmocka_unit_test(setters_take_null),
		cmocka_unit_test_setup_teardown(registered_param_is_the_parsers, init, destroy),
		cmocka_unit_test_setup_teardown(registered_param_stays_complete, init, destroy),
		cmocka_unit_test_setup_teardown(registered_param_keeps_a_good_name, init, destroy),
		cmocka_unit_test_setup_teardown(incomplete_params_are_refused, init, destroy),
		cmocka_unit_test_setup_teardown(names, init, destroy),
		cmocka_unit_test_setup_teardown(label_of_a_long_name_is_cut, init, destroy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
