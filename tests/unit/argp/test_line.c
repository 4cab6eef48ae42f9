/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command line: forms of flags and values, and what is said about wrong ones.
 */
#include "argptest.h"

static void forms(void **state)
{
	static const struct {
		const char *args[6];
		const char *calls;
	} cases[] = {
		{{NULL}, ""},
		{{"-t", "x"}, "text='x' "},
		{{"--text", "x"}, "text='x' "},
		{{"--text=x"}, "text='x' "},
		{{"--text="}, "text='' "},
		{{"--text=--yes"}, "text='--yes' "},
		{{"-t", ""}, "text='' "},
		{{"-t", "-"}, "text='-' "},
		{{"-t", "xn"}, "text='xn' "}, /* that it ends like a flag says nothing */
		{{"-t", "-5"}, "text='-5' "},
		{{"-t", "--"}, "text='--' "},
		{{"-t", "--unknown"}, "text='--unknown' "},
		{{"-n", "-5"}, "number=-5 "},
		{{"-no"}, "no=1 "}, /* several letters are one name, not -n o */
		{{"-rl", "1e3"}, "real=1000 "},
		{{"--yes", "-no"}, "yes=1 no=1 "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *const *args = cases[i].args;

		again();
		add_usual_params();
		assert_int_equal(start(args[0], args[1], args[2], args[3], args[4], args[5], NULL),
				 DOCA_SUCCESS);
		assert_string_equal(program.calls, cases[i].calls);
		assert_string_equal(program.usage, "");
	}
}

static void wrong_lines(void **state)
{
	static const struct {
		const char *args[6];
		doca_error_t answer;
		const char *message;
	} cases[] = {
		{{"-x"}, DOCA_ERROR_NOT_SUPPORTED, "unknown flag '-x'"},
		{{"--x=1"}, DOCA_ERROR_NOT_SUPPORTED, "unknown flag '--x=1'"},
		{{"-text", "x"}, DOCA_ERROR_NOT_SUPPORTED, "unknown flag '-text'"},
		{{"--t", "x"}, DOCA_ERROR_NOT_SUPPORTED, "unknown flag '--t'"},
		{{"--tex", "x"}, DOCA_ERROR_NOT_SUPPORTED, "unknown flag '--tex'"},
		{{"-tx"}, DOCA_ERROR_NOT_SUPPORTED, "unknown flag '-tx'"},
		{{"--"}, DOCA_ERROR_NOT_SUPPORTED, "unknown flag '--'"},
		{{"--="}, DOCA_ERROR_NOT_SUPPORTED, "unknown flag '--='"},
		{{"-"}, DOCA_ERROR_INVALID_VALUE, "unexpected argument '-'"},
		{{""}, DOCA_ERROR_INVALID_VALUE, "unexpected argument ''"},
		{{"file"}, DOCA_ERROR_INVALID_VALUE, "unexpected argument 'file'"},
		{{"-y", "true"}, DOCA_ERROR_INVALID_VALUE, "unexpected argument 'true'"},
		{{"--yes=true"},
		 DOCA_ERROR_INVALID_VALUE,
		 "flag -y/--yes takes no value, got 'true'"},
		{{"-t"},
		 DOCA_ERROR_INVALID_VALUE,
		 "flag -t/--text: value missing, expected a string"},
		{{"-t", "-n", "3"},
		 DOCA_ERROR_INVALID_VALUE,
		 "expected a string and not the flag '-n'"},
		{{"-n", "--text=x"}, DOCA_ERROR_INVALID_VALUE, "and not the flag '--text=x'"},
		{{"-t", "a", "-t", "b"},
		 DOCA_ERROR_INVALID_VALUE,
		 "-t/--text is given more than once"},
		{{"-t", "a", "--text=b"},
		 DOCA_ERROR_INVALID_VALUE,
		 "-t/--text is given more than once"},
		{{"-y", "--yes"}, DOCA_ERROR_INVALID_VALUE, "-y/--yes is given more than once"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *const *args = cases[i].args;

		again();
		add_usual_params();
		assert_int_equal(start(args[0], args[1], args[2], args[3], args[4], args[5], NULL),
				 cases[i].answer);
		assert_says(cases[i].message);
		assert_string_equal(program.calls, "");
		assert_non_null(
			strstr(program.usage, "\nUsage: prog [DOCA Flags] [Program Flags]\n"));
	}
}

static void start_with_help_before_a_mistake(void)
{
	start("-h", "-x", NULL);
}

static void start_with_version_before_a_mistake(void)
{
	start("-v", "-x", NULL);
}

static void help_and_version_win_over_what_follows(void **state)
{
	char text[8192];

	(void)state;
	add_usual_params();
	assert_int_equal(in_child(start_with_help_before_a_mistake, text, sizeof(text)), 0);
	assert_int_equal(in_child(start_with_version_before_a_mistake, text, sizeof(text)), 0);
	assert_int_equal(start("-x", "-h", NULL),
			 DOCA_ERROR_NOT_SUPPORTED); /* but not over what precedes */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(forms, init, destroy),
		cmocka_unit_test_setup_teardown(wrong_lines, init, destroy),
		cmocka_unit_test_setup_teardown(help_and_version_win_over_what_follows, init,
						destroy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
