/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values: types and their ranges; mandatory, multiple and singular flags.
 */
#include "argptest.h"

#include <locale.h>

static void integers(void **state)
{
	static const struct {
		const char *text, *calls; /* NULL: refused */
	} cases[] = {
		{"0", "number=0 "},
		{"-1", "number=-1 "},
		{"+7", "number=7 "},
		{"2147483647", "number=2147483647 "},
		{"0x10", "number=16 "},
		{"-2147483648", "number=-2147483648 "},
		{"-0x10", "number=-16 "},
		{"010", "number=10 "},
		{"2147483648", NULL},
		{"-2147483649", NULL},
		{"99999999999999999999", NULL},
		{"", NULL},
		{"1.5", NULL},
		{"12a", NULL},
		{"a12", NULL},
		{"1 ", NULL},
		{"0x", NULL},
		{"--1", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		again();
		add_usual_params();
		assert_int_equal(start("-n", cases[i].text, NULL),
				 cases[i].calls ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
		assert_string_equal(program.calls, cases[i].calls ? cases[i].calls : "");
		if (!cases[i].calls)
			assert_says("' is not an integer from -2147483648 to 2147483647");
	}
}

static void doubles(void **state)
{
	static const struct {
		const char *text, *calls; /* NULL: refused */
	} cases[] = {
		{"0", "real=0 "},	 {"-1.5", "real=-1.5 "},
		{"1e-3", "real=0.001 "}, {".5", "real=0.5 "},
		{"1e999", NULL},	 {"inf", NULL},
		{"nan", NULL},		 {"", NULL},
		{"1,5", NULL},		 {"x", NULL},
		{"1.5x", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		again();
		add_usual_params();
		assert_int_equal(start("--real", cases[i].text, NULL),
				 cases[i].calls ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
		assert_string_equal(program.calls, cases[i].calls ? cases[i].calls : "");
		if (!cases[i].calls)
			assert_says("flag -rl/--real: '");
	}
}

/* Makes a locale with a decimal comma and uses it; false if this machine cannot. */
static bool use_commas(char *folder)
{
	char file[64], command[256];
	FILE *text;

	assert_non_null(mkdtemp(folder));
	snprintf(file, sizeof(file), "%s/numeric", folder);
	text = fopen(file, "w");
	assert_non_null(text);
	fputs("LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3\nEND LC_NUMERIC\n",
	      text);
	assert_int_equal(fclose(text), 0);
	/* It fails because the rest of the locale is not there, and writes what is. */
	snprintf(command, sizeof(command),
		 "localedef -c -f UTF-8 -i %s %s/xx_XX.utf8 >/dev/null 2>&1", file, folder);
	(void)!system(command);
	assert_int_equal(setenv("LOCPATH", folder, 1), 0);
	return setlocale(LC_NUMERIC, "xx_XX.utf8");
}

static void doubles_are_the_same_in_every_language(void **state)
{
	char folder[] = "/tmp/argp-locale-XXXXXX", command[64];
	const bool commas = use_commas(folder);

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
	if (!commas)
		skip();
	add_usual_params();
	assert_int_equal(start("--real", "2.5", NULL), DOCA_SUCCESS);
	assert_string_equal(program.calls, "real=2,5 "); /* written by printf() */
	again();
	add_usual_params();
	assert_int_equal(start("--real", "2,5", NULL), DOCA_ERROR_INVALID_VALUE);
	assert_non_null(setlocale(LC_NUMERIC, "C"));
}

static void mandatory_flag_must_be_given(void **state)
{
	struct doca_argp_param *param = new_param("t", "text", DOCA_ARGP_TYPE_STRING, take_text);

	(void)state;
	doca_argp_param_set_mandatory(param);
	doca_argp_register_param(param);
	assert_int_equal(start(NULL, NULL), DOCA_ERROR_INVALID_VALUE);
	assert_says("flag -t/--text is missing, expected a string");
	assert_int_equal(start("-t", "x", NULL), DOCA_SUCCESS);
}

static void multiple_flag_calls_for_each(void **state)
{
	struct doca_argp_param *param = new_param("t", "text", DOCA_ARGP_TYPE_STRING, take_text);

	(void)state;
	doca_argp_param_set_multiplicity(param);
	doca_argp_param_set_mandatory(param);
	doca_argp_register_param(param);
	assert_int_equal(start("-t", "a", "--text=b", "-t", "a", NULL), DOCA_SUCCESS);
	assert_string_equal(program.calls, "text='a' text='b' text='a' ");
}

static void more_values_than_fit_at_first(void **state)
{
	struct doca_argp_param *param = new_param("t", NULL, DOCA_ARGP_TYPE_STRING, take_text);
	char expected[512] = "";

	(void)state;
	doca_argp_param_set_multiplicity(param);
	doca_argp_register_param(param);
	for (int i = 0; i < 14; i++)
		strcat(expected, "text='x' ");
	assert_int_equal(start("-t", "x", "-t", "x", "-t", "x", "-t", "x", "-t", "x", "-t", "x",
			       "-t", "x", "-t", "x", "-t", "x", "-t", "x", "-t", "x", "-t", "x",
			       "-t", "x", "-t", "x", NULL),
			 DOCA_SUCCESS);
	assert_string_equal(program.calls, expected);
}

static void singular_flag_is_alone(void **state)
{
	static const struct {
		const char *args[4];
		doca_error_t answer;
	} cases[] = {
		{{"--list"}, DOCA_SUCCESS}, /* the mandatory one is not asked for */
		{{"--list", "-l", "50"}, DOCA_SUCCESS},
		{{"--list", "-y"}, DOCA_ERROR_INVALID_VALUE},
		{{"-m", "1", "--list"}, DOCA_ERROR_INVALID_VALUE},
		{{"-m", "1", "-y"}, DOCA_SUCCESS},
		{{"-y"}, DOCA_ERROR_INVALID_VALUE},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct doca_argp_param *list, *mandatory;
		const char *const *args = cases[i].args;

		again();
		add_usual_params();
		list = new_param(NULL, "list", DOCA_ARGP_TYPE_BOOLEAN, take_no);
		mandatory = new_param("m", NULL, DOCA_ARGP_TYPE_STRING, take_other);
		doca_argp_param_set_singular(list);
		doca_argp_param_set_mandatory(mandatory);
		doca_argp_register_param(list);
		doca_argp_register_param(mandatory);
		assert_int_equal(start(args[0], args[1], args[2], args[3], NULL), cases[i].answer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(integers, init, destroy),
		cmocka_unit_test_setup_teardown(doubles, init, destroy),
		cmocka_unit_test_setup_teardown(doubles_are_the_same_in_every_language, init,
						destroy),
		cmocka_unit_test_setup_teardown(mandatory_flag_must_be_given, init, destroy),
		cmocka_unit_test_setup_teardown(multiple_flag_calls_for_each, init, destroy),
		cmocka_unit_test_setup_teardown(more_values_than_fit_at_first, init, destroy),
		cmocka_unit_test_setup_teardown(singular_flag_is_alone, init, destroy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
