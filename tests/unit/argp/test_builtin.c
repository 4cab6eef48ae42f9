/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The flags that every program has.
 */
#include "argptest.h"
#include "doca_version.h"

static int reset_levels(void **state)
{
	doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_INFO);
	doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_INFO);
	return init(state);
}

static void start_with_help(void)
{
	start("-h", NULL);
}

static void start_with_help_of_command(void)
{
	start("go", "--help", NULL);
}

static void start_with_version(void)
{
	start("--version", NULL);
}

static void help_prints_and_leaves(void **state)
{
	char text[8192];

	(void)state;
	add_usual_params();
	assert_int_equal(in_child(start_with_help, text, sizeof(text)), 0);
	assert_memory_equal(text, "Usage: prog [DOCA Flags] [Program Flags]\n", 41);
}

static void help_is_that_of_the_command(void **state)
{
	struct doca_argp_cmd *cmd;
	char text[8192];

	(void)state;
	doca_argp_cmd_create(&cmd);
	doca_argp_cmd_set_name(cmd, "go");
	doca_argp_cmd_set_description(cmd, "goes");
	assert_int_equal(doca_argp_register_cmd(cmd), DOCA_SUCCESS);
	assert_int_equal(in_child(start_with_help_of_command, text, sizeof(text)), 0);
	assert_memory_equal(text, "Usage: prog go [DOCA Flags]", 27);
}

static void version_prints_and_leaves(void **state)
{
	char text[8192], expected[256];

	(void)state;
	snprintf(expected, sizeof(expected),
		 "DOCA SDK     Version (Compilation): %s\nDOCA Runtime Version (Runtime):     %s\n",
		 doca_version(), doca_version_runtime());
	assert_int_equal(in_child(start_with_version, text, sizeof(text)), 0);
	assert_string_equal(text, expected);
}

/* as NVIDIA's applications do it */
static doca_error_t print_own_version(void *param, void *config)
{
	(void)param;
	(void)config;
	printf("own version\n");
	doca_argp_destroy();
	exit(7);
}

static doca_error_t print_and_return(void *param, void *config)
{
	(void)param;
	assert_ptr_equal(config, &program);
	printf("own version\n");
	return DOCA_SUCCESS;
}

static doca_error_t refuse_version(void *param, void *config)
{
	(void)param;
	(void)config;
	return DOCA_ERROR_UNEXPECTED;
}

static void version_callback_replaces_it(void **state)
{
	char text[8192];

	(void)state;
	doca_argp_register_version_callback(print_own_version);
	assert_int_equal(in_child(start_with_version, text, sizeof(text)), 7);
	assert_string_equal(text, "own version\n");
	doca_argp_register_version_callback(print_and_return);
	assert_int_equal(in_child(start_with_version, text, sizeof(text)), 0);
	assert_string_equal(text, "own version\n");
	doca_argp_register_version_callback(refuse_version);
	assert_int_equal(start("-v", NULL), DOCA_ERROR_UNEXPECTED);
}

static void log_levels_are_set(void **state)
{
	int level;

	(void)state;
	assert_int_equal(start("-l", "60", "--sdk-log-level=30", NULL), DOCA_SUCCESS);
	assert_int_equal(doca_log_level_get_global_lower_limit(), 60);
	assert_int_equal(doca_log_level_get_global_sdk_limit(), 30);
	doca_log_level_set_global_lower_limit(20); /* what was given stays what was given */
	doca_log_level_set_global_sdk_limit(20);
	assert_int_equal(doca_argp_get_log_level(&level), DOCA_SUCCESS);
	assert_int_equal(level, 60);
	assert_int_equal(doca_argp_get_sdk_log_level(&level), DOCA_SUCCESS);
	assert_int_equal(level, 30);
}

static void levels_not_given_are_the_global_ones(void **state)
{
	int level;

	(void)state;
	assert_int_equal(start(NULL, NULL), DOCA_SUCCESS);
	doca_log_level_set_global_lower_limit(40);
	doca_log_level_set_global_sdk_limit(20);
	doca_argp_get_log_level(&level);
	assert_int_equal(level, 40);
	doca_argp_get_sdk_log_level(&level);
	assert_int_equal(level, 20);
}

static doca_error_t look_at_level(void *param, void *config)
{
	(void)param;
	(void)config;
	called("level=%u ", doca_log_level_get_global_lower_limit());
	return DOCA_SUCCESS;
}

static void levels_hold_before_the_program_is_called(void **state)
{
	(void)state;
	doca_argp_register_param(new_param("a", NULL, DOCA_ARGP_TYPE_BOOLEAN, look_at_level));
	assert_int_equal(start("-a", "-l", "20", NULL), DOCA_SUCCESS);
	assert_string_equal(program.calls, "level=20 ");
}

static void wrong_levels_are_refused(void **state)
{
	static const char *const flags[] = {"-l", "--log-level", "--sdk-log-level"};
	static const char *const levels[] = {"0", "5", "15", "80", "-10", "warning", ""};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		for (size_t j = 0; j < ARRAY_SIZE(levels); j++) {
			assert_int_equal(start(flags[i], levels[j], NULL),
					 DOCA_ERROR_INVALID_VALUE);
			assert_says("flag");
			assert_int_equal(doca_log_level_get_global_lower_limit(),
					 DOCA_LOG_LEVEL_INFO);
			assert_int_equal(doca_log_level_get_global_sdk_limit(),
					 DOCA_LOG_LEVEL_INFO);
		}
	again();
	assert_int_equal(start("-l", "80", NULL), DOCA_ERROR_INVALID_VALUE);
	assert_says("80 is not a log level; allowed: <10=DISABLE, 20=CRITICAL");
}

static void names_are_taken(void **state)
{
	static const struct {
		const char *short_name, *long_name;
	} cases[] = {{NULL, "help"},
		     {NULL, "version"},
		     {"x", "json"},
		     {"x", "log-level"},
		     {"l", "sdk-log-level"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct doca_argp_param *param = new_param(cases[i].short_name, cases[i].long_name,
							  DOCA_ARGP_TYPE_STRING, take_text);

		assert_int_equal(doca_argp_register_param(param), DOCA_ERROR_INITIALIZATION);
	}
}

static void a_short_name_may_be_the_programs(void **state)
{
	struct doca_argp_param *param = new_param("l", "loops", DOCA_ARGP_TYPE_STRING, take_text);

	(void)state;
	assert_int_equal(doca_argp_register_param(param), DOCA_SUCCESS);
	assert_int_equal(start("-l", "10000", "--log-level", "60", NULL), DOCA_SUCCESS);
	called("10000");
	assert_int_equal(doca_log_level_get_global_lower_limit(), DOCA_LOG_LEVEL_DEBUG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(help_prints_and_leaves, init, destroy),
		cmocka_unit_test_setup_teardown(help_is_that_of_the_command, init, destroy),
		cmocka_unit_test_setup_teardown(version_prints_and_leaves, init, destroy),
		cmocka_unit_test_setup_teardown(version_callback_replaces_it, init, destroy),
		cmocka_unit_test_setup_teardown(log_levels_are_set, reset_levels, destroy),
		cmocka_unit_test_setup_teardown(levels_not_given_are_the_global_ones, reset_levels,
						destroy),
		cmocka_unit_test_setup_teardown(levels_hold_before_the_program_is_called,
						reset_levels, destroy),
		cmocka_unit_test_setup_teardown(wrong_levels_are_refused, reset_levels, destroy),
		cmocka_unit_test_setup_teardown(names_are_taken, init, destroy),
		cmocka_unit_test_setup_teardown(a_short_name_may_be_the_programs, reset_levels,
						destroy),
	};

	unsetenv("SOFTFIELD_LOG");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
