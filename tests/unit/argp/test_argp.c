/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Life of the parser: order of calls, ownership, order of callbacks, their answers.
 */
#include "argptest.h"

static int init_plain(void **state)
{
	(void)state;
	memset(&program, 0, sizeof(program));
	return doca_argp_init(NULL, &program);
}

static doca_error_t never_called(void *config)
{
	(void)config;
	return DOCA_ERROR_UNEXPECTED;
}

static doca_error_t never_opened(struct doca_devinfo *devinfo, void *usr_ctx, struct doca_dev **dev)
{
	(void)devinfo;
	(void)usr_ctx;
	(void)dev;
	return DOCA_ERROR_UNEXPECTED;
}

static void calls_before_init_are_refused(void **state)
{
	struct doca_argp_param *param = (void *)&program;
	struct doca_argp_cmd *cmd = (void *)&program;
	char *argv[] = {(char *)"prog", NULL};
	const doca_error_t answers[] = {
		doca_argp_start(1, argv),
		doca_argp_destroy(),
		doca_argp_param_create(&param),
		doca_argp_param_destroy(param),
		doca_argp_cmd_create(&cmd),
		doca_argp_cmd_destroy(cmd),
		doca_argp_register_param(param),
		doca_argp_register_cmd(cmd),
		doca_argp_cmd_register_param(cmd, param),
		doca_argp_cmd_register_cmd(cmd, cmd),
		doca_argp_register_version_callback(take_text),
		doca_argp_register_validation_callback(never_called),
		doca_argp_register_logger_callback(keep_message),
		doca_argp_disable_logger_callback(),
		doca_argp_register_dev_open_callback(never_opened, NULL),
		doca_argp_disable_pedantic_config_parsing(),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++)
		assert_int_equal(answers[i], DOCA_ERROR_BAD_STATE);
	doca_argp_set_dpdk_program(NULL);
	doca_argp_usage();
}

static void second_init_is_refused(void **state)
{
	(void)state;
	assert_int_equal(doca_argp_init("prog", NULL), DOCA_ERROR_BAD_STATE);
}

static void empty_program_name_is_refused(void **state)
{
	(void)state;
	assert_int_equal(doca_argp_init("", NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_destroy(), DOCA_ERROR_BAD_STATE);
}

static void wrong_arguments_are_refused(void **state)
{
	char *argv[] = {(char *)"prog", NULL}, *nothing[] = {NULL};
	const doca_error_t answers[] = {
		doca_argp_start(0, argv),
		doca_argp_start(1, NULL),
		doca_argp_start(1, nothing),
		doca_argp_start(2, argv), /* there is one */
		doca_argp_register_param(NULL),
		doca_argp_register_cmd(NULL),
		doca_argp_register_version_callback(NULL),
		doca_argp_register_validation_callback(NULL),
		doca_argp_register_logger_callback(NULL),
		doca_argp_register_dev_open_callback(NULL, NULL),
		doca_argp_get_log_level(NULL),
		doca_argp_get_sdk_log_level(NULL),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++)
		assert_int_equal(answers[i], DOCA_ERROR_INVALID_VALUE);
}

static void nothing_can_be_changed_after_start(void **state)
{
	struct doca_argp_param *param = new_param("t", NULL, DOCA_ARGP_TYPE_STRING, take_text),
			       *later;
	struct doca_argp_cmd *cmd, *cmd_later;

	(void)state;
	assert_int_equal(doca_argp_cmd_create(&cmd), DOCA_SUCCESS);
	assert_int_equal(start(NULL, NULL), DOCA_SUCCESS);
	assert_int_equal(start(NULL, NULL), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_register_param(param), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_register_cmd(cmd), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_param_create(&later), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_cmd_create(&cmd_later), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_register_version_callback(take_text), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_disable_pedantic_config_parsing(), DOCA_ERROR_BAD_STATE);
}

/* one public program starts it so, for the defaults of what it has registered */
static void no_arguments_at_all_are_none(void **state)
{
	(void)state;
	add_usual_params();
	assert_int_equal(doca_argp_start(0, NULL), DOCA_SUCCESS);
	assert_string_equal(program.calls, "");
	assert_int_equal(doca_argp_start(0, NULL), DOCA_ERROR_BAD_STATE);
}

static void failed_start_can_be_repeated(void **state)
{
	(void)state;
	add_usual_params();
	assert_int_equal(start("-t", "a", "-x", NULL), DOCA_ERROR_NOT_SUPPORTED);
	assert_string_equal(program.calls, "");
	assert_int_equal(start("-t", "b", NULL), DOCA_SUCCESS);
	assert_string_equal(program.calls, "text='b' ");
}

static void wrong_line_runs_no_callback(void **state)
{
	(void)state;
	add_usual_params();
	assert_int_equal(start("-t", "a", "-n", "many", NULL), DOCA_ERROR_INVALID_VALUE);
	assert_string_equal(program.calls, "");
}

static doca_error_t validate(void *config)
{
	assert_ptr_equal(config, &program);
	called("validate ");
	return DOCA_SUCCESS;
}

static void callbacks_run_in_the_order_of_the_line(void **state)
{
	(void)state;
	add_usual_params();
	assert_int_equal(doca_argp_register_validation_callback(validate), DOCA_SUCCESS);
	assert_int_equal(start("-no", "-n", "-5", "--yes", "--text=x=y", "-rl", "2.5", NULL),
			 DOCA_SUCCESS);
	assert_string_equal(program.calls, "no=1 number=-5 yes=1 text='x=y' real=2.5 validate ");
}

static doca_error_t refuse(void *param, void *config)
{
	(void)param;
	(void)config;
	called("refused ");
	return DOCA_ERROR_FULL;
}

static doca_error_t refuse_all(void *config)
{
	(void)config;
	return DOCA_ERROR_EMPTY;
}

static void answer_of_a_callback_is_returned(void **state)
{
	(void)state;
	add_usual_params();
	doca_argp_register_param(new_param("r", NULL, DOCA_ARGP_TYPE_STRING, refuse));
	doca_argp_register_validation_callback(refuse_all);
	assert_int_equal(start("-y", "-r", "x", "-no", NULL), DOCA_ERROR_FULL);
	assert_string_equal(program.calls, "yes=1 refused ");
	assert_says("flag -r: the program refuses 'x': ");
	assert_string_equal(program.usage, ""); /* the callback has said what it had to say */
	assert_int_equal(start("-y", NULL), DOCA_ERROR_EMPTY);
}

static doca_error_t destroy_from_callback(void *param, void *config)
{
	(void)config;
	assert_string_equal(param, "value");
	assert_int_equal(doca_argp_destroy(), DOCA_SUCCESS);
	assert_string_equal(param, "value"); /* still there */
	return DOCA_SUCCESS;
}

static void callback_may_destroy_the_parser(void **state)
{
	(void)state;
	add_usual_params();
	doca_argp_register_param(
		new_param("d", NULL, DOCA_ARGP_TYPE_STRING, destroy_from_callback));
	assert_int_equal(start("-d", "value", "-y", NULL), DOCA_ERROR_BAD_STATE);
	assert_string_equal(program.calls, "");
	assert_int_equal(doca_argp_destroy(), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_init("prog", &program), DOCA_SUCCESS);
}

static void unregistered_objects_are_freed(void **state)
{
	struct doca_argp_cmd *cmd;

	(void)state;
	new_param("t", "text", DOCA_ARGP_TYPE_STRING, take_text);
	assert_int_equal(doca_argp_cmd_create(&cmd), DOCA_SUCCESS);
	doca_argp_cmd_set_name(cmd, "left over");
	doca_argp_cmd_register_param(cmd, new_param("t", NULL, DOCA_ARGP_TYPE_STRING, take_text));
}

static void logger_callback_is_unique(void **state)
{
	(void)state;
	assert_int_equal(doca_argp_register_logger_callback(keep_message),
			 DOCA_ERROR_ALREADY_EXIST);
	assert_int_equal(doca_argp_disable_logger_callback(), DOCA_SUCCESS);
	assert_int_equal(doca_argp_disable_logger_callback(), DOCA_SUCCESS);
	assert_int_equal(start("-x", NULL), DOCA_ERROR_NOT_SUPPORTED);
	assert_string_equal(program.messages, "");
	assert_memory_equal(program.usage, "unknown flag '-x'\n",
			    18); /* nobody else would show it */
	assert_int_equal(doca_argp_register_logger_callback(keep_message), DOCA_SUCCESS);
}

static char log_line[256];

static void keep_line(char *buf)
{
	(void)buf;
}

/* last: backends are for ever */
static void messages_go_to_the_sdk_log(void **state)
{
	struct doca_log_backend *backend;

	(void)state;
	doca_log_backend_create_with_buf_sdk(log_line, sizeof(log_line), keep_line, &backend);
	assert_int_equal(doca_argp_disable_logger_callback(), DOCA_SUCCESS);
	assert_int_equal(start("-x", NULL), DOCA_ERROR_NOT_SUPPORTED);
	assert_non_null(strstr(log_line, "[DOCA][ERR][argp/line.c:"));
	assert_non_null(strstr(log_line, "unknown flag '-x'\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_before_init_are_refused),
		cmocka_unit_test(empty_program_name_is_refused),
		cmocka_unit_test_setup_teardown(second_init_is_refused, init_plain, destroy),
		cmocka_unit_test_setup_teardown(wrong_arguments_are_refused, init, destroy),
		cmocka_unit_test_setup_teardown(nothing_can_be_changed_after_start, init, destroy),
		cmocka_unit_test_setup_teardown(no_arguments_at_all_are_none, init, destroy),
		cmocka_unit_test_setup_teardown(failed_start_can_be_repeated, init, destroy),
		cmocka_unit_test_setup_teardown(wrong_line_runs_no_callback, init, destroy),
		cmocka_unit_test_setup_teardown(callbacks_run_in_the_order_of_the_line, init,
						destroy),
		cmocka_unit_test_setup_teardown(answer_of_a_callback_is_returned, init, destroy),
		cmocka_unit_test_setup_teardown(callback_may_destroy_the_parser, init, destroy),
		cmocka_unit_test_setup_teardown(unregistered_objects_are_freed, init, destroy),
		cmocka_unit_test_setup_teardown(logger_callback_is_unique, init, destroy),
		cmocka_unit_test_setup_teardown(messages_go_to_the_sdk_log, init, destroy),
	};

	unsetenv("SOFTFIELD_LOG");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
