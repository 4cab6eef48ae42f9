/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flags for DPDK: from the command line, else from the configuration file.
 */
#include "argptest.h"

static doca_error_t take_dpdk(int argc, char **argv)
{
	assert_null(argv[argc]);
	called("dpdk:");
	for (int i = 0; i < argc; i++)
		called("%s|", argv[i]);
	argv[0] = argv[argc - 1]; /* as DPDK does: the array is its own to permute */
	called(" ");
	return DOCA_SUCCESS;
}

static doca_error_t fail_dpdk(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return DOCA_ERROR_DRIVER;
}

static void lines(void **state)
{
	static const struct {
		const char *args[6];
		doca_error_t answer;
		const char *calls, *message;
	} cases[] = {
		{{NULL}, DOCA_SUCCESS, "dpdk:/usr/bin/prog| ", ""},
		{{"--"}, DOCA_SUCCESS, "dpdk:/usr/bin/prog| ", ""},
		{{"-y"}, DOCA_SUCCESS, "dpdk:/usr/bin/prog| yes=1 ", ""},
		{{"--", "-y"}, DOCA_SUCCESS, "dpdk:/usr/bin/prog| yes=1 ", ""},
		{{"-a", "03:00.0", "--"}, DOCA_SUCCESS, "dpdk:/usr/bin/prog|-a|03:00.0| ", ""},
		{{"-n", "4", "--", "-n", "5"},
		 DOCA_SUCCESS,
		 "dpdk:/usr/bin/prog|-n|4| number=5 ",
		 ""},
		{{"-a", "x", "--", "-t", "--"},
		 DOCA_SUCCESS,
		 "dpdk:/usr/bin/prog|-a|x| text='--' ",
		 ""},
		{{"-a", "03:00.0"},
		 DOCA_ERROR_NOT_SUPPORTED,
		 "",
		 "unknown flag '-a'; flags for DPDK must be followed by '--'"},
		{{"-a", "x", "--", "-x"}, DOCA_ERROR_NOT_SUPPORTED, "", "unknown flag '-x'"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *const *args = cases[i].args;

		again();
		add_usual_params();
		doca_argp_set_dpdk_program(take_dpdk);
		assert_int_equal(start(args[0], args[1], args[2], args[3], args[4], args[5], NULL),
				 cases[i].answer);
		assert_string_equal(program.calls, cases[i].calls);
		assert_says(cases[i].message);
	}
}

static const struct {
	const char *section;
	doca_error_t answer;
	const char *flags, *message; /* the message, when the answer is an error */
} section_cases[] = {
	{"{}", DOCA_SUCCESS, "", ""},
	{"{\"core-mask\": 3}", DOCA_SUCCESS, "-c|0x3|", ""},
	{"{\"core-mask\": \"0xff\"}", DOCA_SUCCESS, "-c|0xff|", ""},
	{"{\"core-list\": \"0-4\"}", DOCA_SUCCESS, "-l|0-4|", ""},
	{"{\"flags\": \" --no-huge  -m 512\\n\"}", DOCA_SUCCESS, "--no-huge|-m|512|", ""},
	{"{\"flags\": \"\"}", DOCA_SUCCESS, "", ""},
	{"{\"devices\": []}", DOCA_SUCCESS, "", ""},
	{"{\"devices\": [{\"device\": \"pf\", \"id\": \"03:00.0\", \"sft\": true}]}", DOCA_SUCCESS,
	 "-a|03:00.0,sft_en=1|", ""},
	{"{\"devices\": [{\"device\": \"sf\", \"id\": \"4\", \"sft\": false}, "
	 "\"b1:00.0,x=1\"]}",
	 DOCA_SUCCESS, "-a|auxiliary:mlx5_core.sf.4|-a|b1:00.0,x=1|", ""},
	{"{\"devices\": [{\"device\": \"regex\", \"id\": \"03:00.0\"}]}", DOCA_SUCCESS,
	 "-a|03:00.0,class=regex|", ""},
	{"{\"devices\": [{\"device\": \"pf\", \"id\": \"03:00.0\", \"hws\": true}]}", DOCA_SUCCESS,
	 "-a|03:00.0,dv_flow_en=2|", ""},
	{"{\"devices\": [{\"device\": \"pf\", \"id\": \"03:00.0\", \"hws\": false}]}", DOCA_SUCCESS,
	 "-a|03:00.0|", ""},
	{"{\"core-mask\": 18446744073709551614}", DOCA_SUCCESS, "-c|0xfffffffffffffffe|", ""},

	{"{\"cores\": 3}", DOCA_ERROR_NOT_SUPPORTED, NULL,
	 "unknown key 'cores' in doca_dpdk_flags; allowed: devices, core-mask, core-list, "
	 "flags"},
	{"{\"core-mask\": []}", DOCA_ERROR_INVALID_VALUE, NULL,
	 "core-mask: [ ] is not a number from 0 to"},
	{"{\"core-mask\": -1}", DOCA_ERROR_INVALID_VALUE, NULL,
	 "core-mask: -1 is not a number from 0"},
	{"{\"core-mask\": 18446744073709551616}", DOCA_ERROR_INVALID_VALUE, NULL,
	 "is not a number from 0 to 18446744073709551614 or a string"},
	{"{\"core-mask\": \"1\\u00002\"}", DOCA_ERROR_INVALID_VALUE, NULL, "core-mask: "},
	{"{\"core-list\": \"0\\u0000\"}", DOCA_ERROR_INVALID_VALUE, NULL, "core-list: "},
	{"{\"flags\": \"-a\\u0000x\"}", DOCA_ERROR_INVALID_VALUE, NULL, "flags: "},
	{"{\"devices\": [\"03:00.0\\u0000\"]}", DOCA_ERROR_INVALID_VALUE, NULL, "devices: "},
	{"{\"devices\": [{\"device\": \"pf\", \"id\": \"x\\u0000\"}]}", DOCA_ERROR_INVALID_VALUE,
	 NULL, "devices: "},
	{"{\"devices\": [{\"device\": \"pf\", \"id\": \"x\", \"sft\": \"no\"}]}",
	 DOCA_ERROR_INVALID_VALUE, NULL, "are true or false"},
	{"{\"devices\": [{\"device\": \"pf\", \"id\": \"x\", \"hws\": 2}]}",
	 DOCA_ERROR_INVALID_VALUE, NULL, "are true or false"},
	{"{\"core-list\": 4}", DOCA_ERROR_INVALID_VALUE, NULL, "core-list: 4 is not a string"},
	{"{\"flags\": [\"-a\"]}", DOCA_ERROR_INVALID_VALUE, NULL,
	 "flags: [ \"-a\" ] is not a string"},
	{"{\"devices\": {}}", DOCA_ERROR_INVALID_VALUE, NULL, "devices: { } is not an array"},
	{"{\"devices\": [3]}", DOCA_ERROR_INVALID_VALUE, NULL, "(pf, vf, sf, gpu or regex)"},
	{"{\"devices\": [{\"device\": \"pf\"}]}", DOCA_ERROR_INVALID_VALUE, NULL, "and \"id\""},
	{"{\"devices\": [{\"device\": \"nic\", \"id\": \"x\"}]}", DOCA_ERROR_INVALID_VALUE, NULL,
	 "(pf, vf, sf, gpu or regex)"},
	{"{\"devices\": [{\"device\": 1, \"id\": \"x\"}]}", DOCA_ERROR_INVALID_VALUE, NULL,
	 "both strings"},
};

static void sections(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(section_cases); i++) {
		char text[512], calls[512];

		again();
		doca_argp_set_dpdk_program(take_dpdk);
		snprintf(text, sizeof(text), "{\"doca_dpdk_flags\": %s}", section_cases[i].section);
		assert_int_equal(json_take(argp_current(), "file", text, strlen(text)),
				 section_cases[i].answer);
		if (section_cases[i].answer) {
			assert_says(section_cases[i].message);
			continue;
		}
		assert_int_equal(dpdk_call(argp_current(), (char *)"prog"), DOCA_SUCCESS);
		snprintf(calls, sizeof(calls), "dpdk:prog|%s ", section_cases[i].flags);
		assert_string_equal(program.calls, calls);
	}
}

static void command_line_wins(void **state)
{
	static const char text[] = "{\"doca_dpdk_flags\": {\"flags\": \"-a file\"}}";

	(void)state;
	doca_argp_set_dpdk_program(take_dpdk);
	assert_int_equal(dpdk_add_flag(argp_current(), "-a"), DOCA_SUCCESS);
	assert_int_equal(json_take(argp_current(), "file", text, strlen(text)), DOCA_SUCCESS);
	assert_int_equal(dpdk_call(argp_current(), (char *)"prog"), DOCA_SUCCESS);
	assert_string_equal(program.calls, "dpdk:prog|-a| ");
}

static void lenient_parsing_ignores_unknown_keys(void **state)
{
	static const char text[] = "{\"doca_dpdk_flags\": {\"unknown\": 1, \"core-list\": \"0\"}}";

	(void)state;
	doca_argp_set_dpdk_program(take_dpdk);
	doca_argp_disable_pedantic_config_parsing();
	assert_int_equal(json_take(argp_current(), "file", text, strlen(text)), DOCA_SUCCESS);
	assert_int_equal(dpdk_call(argp_current(), (char *)"prog"), DOCA_SUCCESS);
	assert_string_equal(program.calls, "dpdk:prog|-l|0| ");
}

static void failure_ends_the_start(void **state)
{
	(void)state;
	add_usual_params();
	doca_argp_set_dpdk_program(fail_dpdk);
	assert_int_equal(start("--", "-y", NULL), DOCA_ERROR_DRIVER);
	assert_string_equal(program.calls, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lines, init, destroy),
		cmocka_unit_test_setup_teardown(sections, init, destroy),
		cmocka_unit_test_setup_teardown(command_line_wins, init, destroy),
		cmocka_unit_test_setup_teardown(lenient_parsing_ignores_unknown_keys, init,
						destroy),
		cmocka_unit_test_setup_teardown(failure_ends_the_start, init, destroy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
