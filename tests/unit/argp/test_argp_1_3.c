/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parser as programs of release 1.3 use it.
 */
#include "argptest.h"

static void take_text_1_3(void *config, void *param)
{
	take_text(param, config);
}

static void take_number_1_3(void *config, void *param)
{
	take_number(param, config);
}

static void take_yes_1_3(void *config, void *param)
{
	take_yes(param, config);
}

static void validate_1_3(void *config, void *param)
{
	(void)param;
	assert_ptr_equal(config, &program);
	called("valid ");
}

static doca_error_t reg(struct softfield_argp_param_1_3 form)
{
	doca_error_t err = doca_argp_register_param((void *)&form);

	memset(&form, 'x', sizeof(form)); /* it is the program's, and was copied */
	return err;
}

static int init_1_3(void **state)
{
	struct doca_argp_program_type_config type = {.is_dpdk = false, .is_grpc = false};

	if (init(state) || destroy(state))
		return -1;
	may_not_leave = true;
	doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_INFO);
	if (doca_argp_init("prog", &type, &program) ||
	    doca_argp_register_logger_callback(keep_message))
		return -1;
	if (reg((struct softfield_argp_param_1_3){.short_flag = "t",
						  .long_flag = "text",
						  .description = "kind left out",
						  .callback = take_text_1_3}) ||
	    reg((struct softfield_argp_param_1_3){.short_flag = "n",
						  .long_flag = "number",
						  .arguments = "<n>",
						  .description = "a number",
						  .callback = take_number_1_3,
						  .arg_type = DOCA_ARGP_TYPE_INT,
						  .is_mandatory = true,
						  .is_cli_only = true}))
		return -1;
	return reg((struct softfield_argp_param_1_3){
		.short_flag = "y", .callback = take_yes_1_3, .arg_type = DOCA_ARGP_TYPE_BOOLEAN});
}

static void callbacks_get_the_configuration_first(void **state)
{
	char *argv[] = {(char *)"prog", (char *)"-y",	  (char *)"-n",
			(char *)"3",	(char *)"--text", (char *)"words"};
	struct doca_argp_program_general_config *general = NULL;

	(void)state;
	doca_argp_register_validation_callback(
		(doca_argp_validation_cb_t)(void (*)(void))validate_1_3);
	assert_int_equal(doca_argp_start(ARRAY_SIZE(argv), argv, &general), DOCA_SUCCESS);
	assert_string_equal(program.calls, "yes=1 number=3 text='words' valid ");
	assert_int_equal(general->log_level, DOCA_LOG_LEVEL_INFO);
	assert_string_equal(general->grpc_address, "");
}

static void levels_count_from_zero(void **state)
{
	static const struct {
		const char *given;
		int level;
	} cases[] = {{"0", DOCA_LOG_LEVEL_CRIT},    {"1", DOCA_LOG_LEVEL_ERROR},
		     {"2", DOCA_LOG_LEVEL_WARNING}, {"3", DOCA_LOG_LEVEL_INFO},
		     {"4", DOCA_LOG_LEVEL_DEBUG},   {"50", DOCA_LOG_LEVEL_INFO}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *argv[] = {(char *)"prog", (char *)"-n", (char *)"1", (char *)"-l",
				(char *)cases[i].given};
		struct doca_argp_program_general_config *general;

		assert_int_equal(destroy(state), DOCA_SUCCESS);
		assert_int_equal(init_1_3(state), 0);
		doca_argp_start(ARRAY_SIZE(argv), argv, &general);
		assert_int_equal(general->log_level, cases[i].level);
		assert_int_equal(doca_log_level_get_global_lower_limit(), cases[i].level);
	}
}

static void start_without_the_mandatory_one(void)
{
	char *argv[] = {(char *)"prog", NULL};

	dup2(STDOUT_FILENO, STDERR_FILENO);
	doca_argp_start(1, argv, NULL);
}

static void wrong_command_line_ends_the_program(void **state)
{
	char text[8192];

	(void)state;
	assert_int_equal(in_child(start_without_the_mandatory_one, text, sizeof(text)),
			 EXIT_FAILURE);
	assert_non_null(strstr(text, "-n, --number <n>"));
}

static void usage_ends_the_program(void **state)
{
	char text[8192];

	(void)state;
	assert_int_equal(in_child(doca_argp_usage, text, sizeof(text)), EXIT_FAILURE);
	assert_memory_equal(text, "Usage: prog", 11);
}

static void start_with_help(void)
{
	char *argv[] = {(char *)"prog", (char *)"-h"};

	doca_argp_start(ARRAY_SIZE(argv), argv, NULL);
}

static void help_is_no_failure(void **state)
{
	char text[8192];

	(void)state;
	assert_int_equal(in_child(start_with_help, text, sizeof(text)), EXIT_SUCCESS);
}

static void print_version_1_3(void *config, void *param)
{
	(void)param;
	printf("version of %s\n", config == &program ? "the program" : "nobody");
}

static void start_with_version(void)
{
	char *argv[] = {(char *)"prog", (char *)"-v"};

	doca_argp_register_version_callback(
		(doca_argp_param_cb_t)(void (*)(void))print_version_1_3);
	doca_argp_start(ARRAY_SIZE(argv), argv, NULL);
}

static void version_is_the_programs(void **state)
{
	char text[8192];

	(void)state;
	assert_int_equal(in_child(start_with_version, text, sizeof(text)), EXIT_SUCCESS);
	assert_string_equal(text, "version of the program\n");
}

static void what_is_no_flag_of_that_age_is_refused(void **state)
{
	struct doca_argp_param *param;

	(void)state;
	assert_int_equal(doca_argp_param_create(&param), DOCA_ERROR_BAD_STATE);
	assert_int_equal(reg((struct softfield_argp_param_1_3){.short_flag = "d",
							       .callback = take_text_1_3,
							       .arg_type = DOCA_ARGP_TYPE_DEVICE}),
			 DOCA_ERROR_INITIALIZATION);
	assert_says("flag -d has no known type");
	assert_int_equal(reg((struct softfield_argp_param_1_3){.short_flag = "c"}),
			 DOCA_ERROR_INITIALIZATION);
	assert_says("flag -c has no callback");
}

/* DPDK's, as the parser looks for it */
__attribute__((visibility("default"))) int rte_eal_init(int argc, char **argv);

int rte_eal_init(int argc, char **argv)
{
	called("dpdk:");
	for (int i = 0; i < argc; i++)
		called("%s|", argv[i]);
	return strcmp(argv[argc - 1], "bad") ? 0 : -1;
}

static void start_dpdk(const char *last)
{
	char *argv[] = {(char *)"prog", (char *)"-a", (char *)last,
			(char *)"--",	(char *)"-n", (char *)"2"};
	struct doca_argp_program_type_config type = {.is_dpdk = true, .is_grpc = false};

	doca_argp_destroy();
	doca_argp_init("prog", &type, &program);
	reg((struct softfield_argp_param_1_3){
		.short_flag = "n", .callback = take_number_1_3, .arg_type = DOCA_ARGP_TYPE_INT});
	doca_argp_start(ARRAY_SIZE(argv), argv, NULL);
}

static void start_bad_dpdk(void)
{
	start_dpdk("bad");
}

static void dpdk_is_started(void **state)
{
	char text[8192];

	(void)state;
	start_dpdk("03:00.0");
	assert_string_equal(program.calls, "dpdk:prog|-a|03:00.0|number=2 ");
	assert_int_equal(in_child(start_bad_dpdk, text, sizeof(text)), EXIT_FAILURE);
}

static void next_program_has_todays_form(void **state)
{
	assert_int_equal(destroy(state), DOCA_SUCCESS);
	assert_int_equal(init(state), 0);
	add_usual_params();
	assert_int_equal(start("-n", "1", "-l", "3", NULL), DOCA_ERROR_INVALID_VALUE);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, init_1_3, destroy)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(callbacks_get_the_configuration_first),
		TEST(levels_count_from_zero),
		TEST(wrong_command_line_ends_the_program),
		TEST(usage_ends_the_program),
		TEST(help_is_no_failure),
		TEST(version_is_the_programs),
		TEST(what_is_no_flag_of_that_age_is_refused),
		TEST(dpdk_is_started),
		TEST(next_program_has_todays_form),
	};

	return cmocka_run_group_tests_name("argp_1_3", tests, NULL, NULL);
}
