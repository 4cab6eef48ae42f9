/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands: their flags, their callbacks, what they see of the flags above them.
 */
#include "argptest.h"

static doca_error_t call_set(void *config)
{
	assert_ptr_equal(config, &program);
	called("set ");
	return DOCA_SUCCESS;
}

static doca_error_t call_limit(void *config)
{
	(void)config;
	called("limit ");
	return DOCA_SUCCESS;
}

static doca_error_t call_failing(void *config)
{
	(void)config;
	return DOCA_ERROR_DRIVER;
}

static struct doca_argp_cmd *new_cmd(const char *name, doca_argp_cmd_cb_t callback)
{
	struct doca_argp_cmd *cmd;

	assert_int_equal(doca_argp_cmd_create(&cmd), DOCA_SUCCESS);
	doca_argp_cmd_set_name(cmd, name);
	doca_argp_cmd_set_description(cmd, "description");
	doca_argp_cmd_set_callback(cmd, callback);
	return cmd;
}

/*
 * prog -t --text (inherited), -y --yes
 *	set -n --number
 *		limit -v --other (mandatory)
 *	get -n --number
 */
static void add_cmds(void)
{
	struct doca_argp_param *text = new_param("t", "text", DOCA_ARGP_TYPE_STRING, take_text);
	struct doca_argp_param *other = new_param("v", "other", DOCA_ARGP_TYPE_STRING, take_other);
	struct doca_argp_cmd *set = new_cmd("set", call_set), *limit = new_cmd("limit", call_limit);
	struct doca_argp_cmd *get = new_cmd("get", NULL);

	doca_argp_param_set_inherited(text);
	doca_argp_param_set_mandatory(other);
	doca_argp_register_param(text);
	doca_argp_register_param(new_param("y", "yes", DOCA_ARGP_TYPE_BOOLEAN, take_yes));
	doca_argp_cmd_register_param(set,
				     new_param("n", "number", DOCA_ARGP_TYPE_INT, take_number));
	assert_int_equal(doca_argp_cmd_register_param(limit, other), DOCA_SUCCESS);
	assert_int_equal(doca_argp_cmd_register_cmd(set, limit), DOCA_SUCCESS);
	assert_int_equal(doca_argp_register_cmd(set), DOCA_SUCCESS);
	assert_int_equal(doca_argp_register_cmd(get), DOCA_SUCCESS);
	assert_int_equal(doca_argp_cmd_register_param(
				 get, new_param("n", "number", DOCA_ARGP_TYPE_INT, take_number)),
			 DOCA_SUCCESS); /* also when it is registered already */
}

static void lines(void **state)
{
	static const struct {
		const char *args[6];
		doca_error_t answer;
		const char *calls, *message;
	} cases[] = {
		{{NULL}, DOCA_SUCCESS, "", ""},
		{{"-y"}, DOCA_SUCCESS, "yes=1 ", ""},
		{{"get"}, DOCA_SUCCESS, "", ""},
		{{"set", "-n", "3"}, DOCA_SUCCESS, "number=3 set ", ""},
		{{"-y", "set", "--number=3"}, DOCA_SUCCESS, "yes=1 number=3 set ", ""},
		{{"set", "-t", "x"}, DOCA_SUCCESS, "text='x' set ", ""},
		{{"set", "limit", "-v", "1", "--text=y"},
		 DOCA_SUCCESS,
		 "other='1' text='y' set limit ",
		 ""},
		{{"set", "limit"}, DOCA_ERROR_INVALID_VALUE, "", "flag -v/--other is missing"},
		{{"set", "-y"},
		 DOCA_ERROR_NOT_SUPPORTED,
		 "",
		 "'-y' must come before the command 'set'"},
		{{"set", "--yes"},
		 DOCA_ERROR_NOT_SUPPORTED,
		 "",
		 "'--yes' must come before the command 'set'"},
		{{"set", "limit", "-v", "1", "-n", "3"},
		 DOCA_ERROR_NOT_SUPPORTED,
		 "",
		 "'-n' must come before the command 'limit'"},
		{{"set", "-q"}, DOCA_ERROR_NOT_SUPPORTED, "", "unknown flag '-q'"},
		{{"-n", "3", "set"}, DOCA_ERROR_NOT_SUPPORTED, "", "unknown flag '-n'"},
		{{"put"}, DOCA_ERROR_NOT_SUPPORTED, "", "unknown command 'put'"},
		{{"set", "put"}, DOCA_ERROR_NOT_SUPPORTED, "", "unknown command 'put'"},
		{{"set", "set"}, DOCA_ERROR_NOT_SUPPORTED, "", "unknown command 'set'"},
		{{"get", "set"}, DOCA_ERROR_INVALID_VALUE, "", "unexpected argument 'set'"},
		{{"-t", "a", "set", "-t", "b"},
		 DOCA_ERROR_INVALID_VALUE,
		 "",
		 "-t/--text is given more than once"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *const *args = cases[i].args;

		again();
		add_cmds();
		assert_int_equal(start(args[0], args[1], args[2], args[3], args[4], args[5], NULL),
				 cases[i].answer);
		assert_string_equal(program.calls, cases[i].calls);
		assert_says(cases[i].message);
	}
}

static void failed_start_forgets_its_command(void **state)
{
	(void)state;
	add_cmds();
	assert_int_equal(start("set", "-q", NULL), DOCA_ERROR_NOT_SUPPORTED);
	assert_int_equal(start("-y", NULL), DOCA_SUCCESS);
	assert_string_equal(program.calls, "yes=1 ");
}

static void answer_of_a_callback_is_returned(void **state)
{
	(void)state;
	doca_argp_register_cmd(new_cmd("fail", call_failing));
	assert_int_equal(start("fail", NULL), DOCA_ERROR_DRIVER);
}

static void incomplete_cmds_are_refused(void **state)
{
	struct doca_argp_cmd *cmd = new_cmd("x", call_set);

	(void)state;
	assert_int_equal(doca_argp_register_cmd(new_cmd(NULL, call_set)),
			 DOCA_ERROR_INITIALIZATION);
	doca_argp_cmd_set_description(cmd, NULL);
	assert_int_equal(doca_argp_register_cmd(cmd), DOCA_ERROR_INITIALIZATION);
	assert_int_equal(doca_argp_register_cmd(new_cmd("", call_set)), DOCA_ERROR_INITIALIZATION);
	assert_int_equal(doca_argp_register_cmd(new_cmd("-x", call_set)),
			 DOCA_ERROR_INITIALIZATION);
	assert_int_equal(doca_argp_register_cmd(new_cmd("a b", call_set)),
			 DOCA_ERROR_INITIALIZATION);
	assert_int_equal(doca_argp_register_cmd(new_cmd("x", call_set)), DOCA_SUCCESS);
	assert_int_equal(doca_argp_register_cmd(new_cmd("x", call_set)), DOCA_ERROR_INITIALIZATION);
}

static void wrong_arguments_are_refused(void **state)
{
	struct doca_argp_cmd *cmd = new_cmd("x", call_set);
	struct doca_argp_param *param = new_param("t", NULL, DOCA_ARGP_TYPE_STRING, take_text);

	(void)state;
	assert_int_equal(doca_argp_cmd_create(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_cmd_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_cmd_register_cmd(NULL, cmd), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_cmd_register_cmd(cmd, NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_cmd_register_param(NULL, param), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_cmd_register_param(cmd, NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_cmd_register_cmd(cmd, cmd), DOCA_ERROR_INVALID_VALUE);
	doca_argp_cmd_set_name(NULL, "x");
	doca_argp_cmd_set_description(NULL, "x");
	doca_argp_cmd_set_callback(NULL, call_set);
	doca_argp_cmd_set_hidden(NULL);
}

static void registered_cmd_is_the_parsers(void **state)
{
	struct doca_argp_cmd *above = new_cmd("above", call_set),
			     *below = new_cmd("below", call_set);

	(void)state;
	assert_int_equal(doca_argp_cmd_register_cmd(above, below), DOCA_SUCCESS);
	assert_int_equal(doca_argp_cmd_register_cmd(below, above),
			 DOCA_ERROR_INVALID_VALUE); /* a circle */
	assert_int_equal(doca_argp_cmd_destroy(below), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_register_cmd(below), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_register_cmd(above), DOCA_SUCCESS);
	assert_int_equal(doca_argp_register_cmd(above), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_cmd_destroy(above), DOCA_ERROR_BAD_STATE);
}

static void registered_cmd_stays_complete(void **state)
{
	struct doca_argp_cmd *cmd = new_cmd("set", call_set);
	static const char *const bad[] = {NULL, "", "-s", "a b", "limit"};

	(void)state;
	assert_int_equal(doca_argp_register_cmd(cmd), DOCA_SUCCESS);
	assert_int_equal(doca_argp_register_cmd(new_cmd("limit", call_limit)), DOCA_SUCCESS);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		doca_argp_cmd_set_name(cmd, bad[i]);
	doca_argp_cmd_set_description(cmd, NULL);
	assert_string_equal(cmd->name, "set");
	assert_string_equal(cmd->description, "description");
	assert_int_equal(start("set", NULL), DOCA_SUCCESS);
	assert_string_equal(program.calls, "set ");
}

static void destroy_takes_all_below(void **state)
{
	struct doca_argp_cmd *above = new_cmd("above", call_set),
			     *below = new_cmd("below", call_set);

	(void)state;
	doca_argp_cmd_register_param(below, new_param("t", NULL, DOCA_ARGP_TYPE_STRING, take_text));
	doca_argp_cmd_register_cmd(above, below);
	assert_int_equal(doca_argp_cmd_destroy(above), DOCA_SUCCESS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lines, init, destroy),
		cmocka_unit_test_setup_teardown(failed_start_forgets_its_command, init, destroy),
		cmocka_unit_test_setup_teardown(answer_of_a_callback_is_returned, init, destroy),
		cmocka_unit_test_setup_teardown(incomplete_cmds_are_refused, init, destroy),
		cmocka_unit_test_setup_teardown(wrong_arguments_are_refused, init, destroy),
		cmocka_unit_test_setup_teardown(registered_cmd_is_the_parsers, init, destroy),
		cmocka_unit_test_setup_teardown(registered_cmd_stays_complete, init, destroy),
		cmocka_unit_test_setup_teardown(destroy_takes_all_below, init, destroy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
