/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The configuration file.
 */
#include <sys/stat.h>
#include "argptest.h"

#define PROGRAM(text) "{\"doca_program_flags\": {" text "}}"

static char path[64];

static int create_file(void **state)
{
	(void)state;
	strcpy(path, "/tmp/softfield-argp-XXXXXX");
	return mkstemp(path) < 0;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void write_bytes(const char *text, size_t size)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

/* the usual flags, -m --many (multiple), -c --cli (command line only) */
static void add_params(void)
{
	struct doca_argp_param *many = new_param("m", "many", DOCA_ARGP_TYPE_INT, take_number);
	struct doca_argp_param *cli = new_param("c", "cli", DOCA_ARGP_TYPE_STRING, take_other);

	add_usual_params();
	doca_argp_param_set_multiplicity(many);
	doca_argp_param_set_cli_only(cli);
	doca_argp_register_param(many);
	doca_argp_register_param(cli);
}

static const struct {
	const char *text;
	doca_error_t answer;
	const char *calls, *message;
} file_cases[] = {
	{"{}", DOCA_SUCCESS, "", ""},
	{" \n{ } \n", DOCA_SUCCESS, "", ""},
	{PROGRAM(""), DOCA_SUCCESS, "", ""},
	{PROGRAM("\"text\": \"x\", \"number\": -3"), DOCA_SUCCESS, "text='x' number=-3 ", ""},
	{PROGRAM("\"real\": 2, \"yes\": true"), DOCA_SUCCESS, "real=2 yes=1 ", ""},
	{PROGRAM("\"real\": 0.25, \"yes\": false"), DOCA_SUCCESS, "real=0.25 ", ""},
	{PROGRAM("\"many\": [1, 2, 3]"), DOCA_SUCCESS, "number=1 number=2 number=3 ", ""},
	{PROGRAM("\"many\": 4"), DOCA_SUCCESS, "number=4 ", ""},
	{PROGRAM("\"many\": []"), DOCA_SUCCESS, "", ""},
	{PROGRAM("\"number\": 0, \"real\": 0"), DOCA_SUCCESS, "number=0 real=0 ", ""},
	{"/* licence\n * text */\n{ // note\n\"doca_program_flags\": {\"text\": "
	 "\"x\",},\n}",
	 DOCA_SUCCESS, "text='x' ", ""},
	{"{\"doca_general_flags\": {\"log-level\": 50, \"sdk-log-level\": 40}}", DOCA_SUCCESS, "",
	 ""},
	{"{\"doca_dpdk_flags\": {}}", DOCA_SUCCESS, "", ""},
	{"{\"text\": \"x\", \"many\": [1, 2], \"log-level\": 50}", DOCA_SUCCESS,
	 "text='x' number=1 number=2 ", ""},
	{"{\"number\": 1, \"doca_program_flags\": {\"text\": \"x\"}}", DOCA_SUCCESS,
	 "number=1 text='x' ", ""},
	{"{\"many\": [1, 2], \"doca_program_flags\": {\"many\": 3}}", DOCA_SUCCESS,
	 "number=1 number=2 number=3 ", ""},

	{"", DOCA_ERROR_IO_FAILED, "", ":1: "},
	{"{", DOCA_ERROR_IO_FAILED, "", ":1: unexpected end of data"},
	{"{\n\n\"a\": x}", DOCA_ERROR_IO_FAILED, "", ":3: "},
	{"[]", DOCA_ERROR_IO_FAILED, "", ": not a JSON object"},
	{"null", DOCA_ERROR_IO_FAILED, "", ": not a JSON object"},
	{"3", DOCA_ERROR_IO_FAILED, "", ": not a JSON object"},
	{"{}\n{}", DOCA_ERROR_IO_FAILED, "", ":2: something follows the JSON object"},
	{"{\"a\":[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]}", DOCA_ERROR_IO_FAILED, "", ":1: "},
	{"{\"doca_flags\": {}}", DOCA_ERROR_NOT_SUPPORTED, "",
	 "unknown section 'doca_flags'; allowed: doca_dpdk_flags, doca_general_flags"},
	{"{\"t\": \"x\"}", DOCA_ERROR_NOT_SUPPORTED, "",
	 "unknown section 't'; allowed: doca_dpdk_flags, doca_general_flags, "
	 "doca_program_flags, and the long names of flags"},
	{"{\"number\": \"3\"}", DOCA_ERROR_INVALID_VALUE, "", "is not an integer"},
	{"{\"number\": 1, \"doca_program_flags\": {\"number\": 2}}", DOCA_ERROR_INVALID_VALUE, "",
	 "flag -n/--number is given more than once"},
	{"{\"cli\": \"x\"}", DOCA_ERROR_NOT_SUPPORTED, "", "'cli' can only be given on"},
	{"{\"doca_program_flags\": []}", DOCA_ERROR_INVALID_VALUE, "", "must be an object"},
	{"{\"doca_program_flags\": null}", DOCA_ERROR_INVALID_VALUE, "", "must be an object"},
	{"{\"doca_dpdk_flags\": {\"flags\": \"-a\"}}", DOCA_ERROR_NOT_SUPPORTED, "",
	 "this program takes no flags for DPDK"},
	{"{\"doca_general_flags\": {\"help\": true}}", DOCA_ERROR_NOT_SUPPORTED, "",
	 "key 'help' can only be given on the command line"},
	{"{\"doca_general_flags\": {\"json\": \"x\"}}", DOCA_ERROR_NOT_SUPPORTED, "",
	 "key 'json' can only be given on the command line"},
	{"{\"doca_general_flags\": {\"text\": \"x\"}}", DOCA_ERROR_NOT_SUPPORTED, "",
	 "unknown key 'text' in doca_general_flags"},
	{"{\"doca_general_flags\": {\"log-level\": 45}}", DOCA_ERROR_INVALID_VALUE, "",
	 "45 is not a log level"},
	{PROGRAM("\"log-level\": 50"), DOCA_ERROR_NOT_SUPPORTED, "",
	 "unknown key 'log-level' in doca_program_flags"},
	{PROGRAM("\"t\": \"x\""), DOCA_ERROR_NOT_SUPPORTED, "", "unknown key 't'"},
	{PROGRAM("\"tex\": \"x\""), DOCA_ERROR_NOT_SUPPORTED, "", "unknown key 'tex'"},
	{PROGRAM("\"\": \"x\""), DOCA_ERROR_NOT_SUPPORTED, "", "unknown key ''"},
	{PROGRAM("\"cli\": \"x\""), DOCA_ERROR_NOT_SUPPORTED, "", "'cli' can only be given on"},
	{PROGRAM("\"text\": 3"), DOCA_ERROR_INVALID_VALUE, "", "key 'text': 3 is not a string"},
	{PROGRAM("\"text\": \"a\\u0000b\""), DOCA_ERROR_INVALID_VALUE, "",
	 "key 'text': a string must not contain \\u0000"},
	{PROGRAM("\"text\": null"), DOCA_ERROR_INVALID_VALUE, "", "null is not a string"},
	{PROGRAM("\"text\": [\"x\"]"), DOCA_ERROR_INVALID_VALUE, "", "is not a string"},
	{PROGRAM("\"number\": \"3\""), DOCA_ERROR_INVALID_VALUE, "", "is not an integer"},
	{PROGRAM("\"number\": 3.0"), DOCA_ERROR_INVALID_VALUE, "", "is not an integer"},
	{PROGRAM("\"number\": 3000000000"), DOCA_ERROR_INVALID_VALUE, "", "is not an integer"},
	{PROGRAM("\"number\": 99999999999999999999"), DOCA_ERROR_INVALID_VALUE, "",
	 "is not an integer"},
	{PROGRAM("\"yes\": \"true\""), DOCA_ERROR_INVALID_VALUE, "", "is not true or false"},
	{PROGRAM("\"yes\": 1"), DOCA_ERROR_INVALID_VALUE, "", "is not true or false"},
	{PROGRAM("\"many\": [1, \"2\"]"), DOCA_ERROR_INVALID_VALUE, "", "is not an integer"},
	{PROGRAM("\"many\": [[1]]"), DOCA_ERROR_INVALID_VALUE, "", "is not an integer"},
};

static void files(void **state)
{

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(file_cases); i++) {
		again();
		add_params();
		write_bytes(file_cases[i].text, strlen(file_cases[i].text));
		assert_int_equal(start("-j", path, NULL), file_cases[i].answer);
		assert_string_equal(program.calls, file_cases[i].calls);
		assert_says(file_cases[i].message);
		if (file_cases[i].answer && !strstr(file_cases[i].message, "log level"))
			assert_says(path);
	}
}

static void command_line_wins(void **state)
{
	static const char text[] =
		"{\"doca_general_flags\": {\"log-level\": 20, \"sdk-log-level\": 20},"
		"\"doca_program_flags\": {\"text\": \"file\", \"number\": 1,"
		"\"many\": [7, 8], \"yes\": true}}";

	(void)state;
	add_params();
	write_bytes(text, strlen(text));
	assert_int_equal(start("-t", "line", "--json", path, "-m", "9", "-l", "30", NULL),
			 DOCA_SUCCESS);
	assert_string_equal(program.calls, "text='line' number=9 number=1 yes=1 ");
	assert_int_equal(doca_log_level_get_global_lower_limit(), 30);
	assert_int_equal(doca_log_level_get_global_sdk_limit(), 20);
}

static void file_satisfies_mandatory_and_breaks_singular(void **state)
{
	struct doca_argp_param *must = new_param(NULL, "must", DOCA_ARGP_TYPE_STRING, take_other);
	struct doca_argp_param *alone = new_param("a", NULL, DOCA_ARGP_TYPE_BOOLEAN, take_no);
	static const char text[] = PROGRAM("\"must\": \"x\"");

	(void)state;
	doca_argp_param_set_mandatory(must);
	doca_argp_param_set_singular(alone);
	doca_argp_register_param(must);
	doca_argp_register_param(alone);
	write_bytes(text, strlen(text));
	assert_int_equal(start("-j", path, "-a", NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(start("-j", path, NULL), DOCA_SUCCESS);
	assert_string_equal(program.calls, "other='x' ");
}

static void lenient_parsing_ignores_what_is_unknown(void **state)
{
	static const char text[] = "{\"mine\": 1, \"doca_dpdk_flags\": {\"flags\": \"-a\"}, "
				   "\"doca_general_flags\": {\"x\": 1},"
				   "\"doca_program_flags\": {\"unknown\": [], \"text\": \"x\"}}";
	static const char wrong[] = PROGRAM("\"text\": 3");

	(void)state;
	add_params();
	assert_int_equal(doca_argp_disable_pedantic_config_parsing(), DOCA_SUCCESS);
	write_bytes(wrong, strlen(wrong));
	assert_int_equal(start("-j", path, NULL), DOCA_ERROR_INVALID_VALUE); /* known and wrong */
	write_bytes(text, strlen(text));
	assert_int_equal(start("-j", path, NULL), DOCA_SUCCESS);
	assert_string_equal(program.calls, "text='x' ");
}

static void keys_of_the_given_command(void **state)
{
	static const char text[] = PROGRAM("\"text\": \"x\", \"limit\": 5");
	struct doca_argp_cmd *cmd;

	(void)state;
	add_params();
	doca_argp_cmd_create(&cmd);
	doca_argp_cmd_set_name(cmd, "set");
	doca_argp_cmd_set_description(cmd, "sets");
	doca_argp_cmd_register_param(cmd,
				     new_param(NULL, "limit", DOCA_ARGP_TYPE_INT, take_number));
	doca_argp_register_cmd(cmd);
	write_bytes(text, strlen(text));
	assert_int_equal(start("-j", path, NULL), DOCA_ERROR_NOT_SUPPORTED);
	assert_int_equal(start("set", "-j", path, NULL), DOCA_SUCCESS);
	assert_string_equal(program.calls, "text='x' number=5 ");
}

static void unreadable_files(void **state)
{
	(void)state;
	assert_int_equal(start("-j", "/nonexistent/file.json", NULL), DOCA_ERROR_IO_FAILED);
	assert_says("/nonexistent/file.json: No such file or directory");
	assert_int_equal(start("-j", "/tmp", NULL), DOCA_ERROR_IO_FAILED);
	assert_says("/tmp: Is a directory");
	assert_string_equal(program.usage, ""); /* the line itself was right */
}

static void binary_and_huge_files(void **state)
{
	static char text[(16 << 20) + 1];

	(void)state;
	write_bytes("{}\0", 3);
	assert_int_equal(start("-j", path, NULL), DOCA_ERROR_IO_FAILED);
	memset(text, ' ', sizeof(text));
	memcpy(text, "{}", 2);
	write_bytes(text, sizeof(text));
	assert_int_equal(start("-j", path, NULL), DOCA_ERROR_IO_FAILED);
	assert_says("longer than 16777216 bytes");
	write_bytes(text, sizeof(text) - 1);
	assert_int_equal(start("-j", path, NULL), DOCA_SUCCESS);
}

static char *kept;

static doca_error_t keep_pointer(void *param, void *config)
{
	(void)config;
	kept = param;
	return DOCA_SUCCESS;
}

/* Programs keep the pointer although they should not; with the command line that works as well. */
static void text_lives_until_destroy(void **state)
{
	static const char text[] = PROGRAM("\"kept\": \"value\"");

	(void)state;
	doca_argp_register_param(new_param(NULL, "kept", DOCA_ARGP_TYPE_STRING, keep_pointer));
	write_bytes(text, strlen(text));
	assert_int_equal(start("-j", path, NULL), DOCA_SUCCESS);
	assert_string_equal(kept, "value");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(files, init, destroy),
		cmocka_unit_test_setup_teardown(command_line_wins, init, destroy),
		cmocka_unit_test_setup_teardown(file_satisfies_mandatory_and_breaks_singular, init,
						destroy),
		cmocka_unit_test_setup_teardown(lenient_parsing_ignores_what_is_unknown, init,
						destroy),
		cmocka_unit_test_setup_teardown(keys_of_the_given_command, init, destroy),
		cmocka_unit_test_setup_teardown(unreadable_files, init, destroy),
		cmocka_unit_test_setup_teardown(binary_and_huge_files, init, destroy),
		cmocka_unit_test_setup_teardown(text_lives_until_destroy, init, destroy),
	};

	return cmocka_run_group_tests(tests, create_file, remove_file);
}
