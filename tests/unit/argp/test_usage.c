/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The help text, letter by letter: people and scripts know it.
 */
#include "argptest.h"

#define LEVELS "<10=DISABLE, 20=CRITICAL, 30=ERROR, 40=WARNING, 50=INFO, 60=DEBUG, 70=TRACE>"

static const char doca_flags[] =
	"\nDOCA Flags:\n"
	"  -h, --help                        Print a help synopsis\n"
	"  -v, --version                     Print program version information\n"
	"  -l, --log-level                   Set the (numeric) log level for the program " LEVELS
	"\n"
	"  --sdk-log-level                   Set the SDK (numeric) log level for the "
	"program " LEVELS "\n"
	"  -j, --json <path>                 Parse command line flags from an input json file\n";

static void expect(const struct doca_argp_cmd *cmd, const char *first, const char *last)
{
	struct argp *argp = argp_current();
	char *text, *expected;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	usage_print(argp, cmd ? cmd : &argp->root, file);
	fclose(file);
	assert_true(asprintf(&expected, "%s%s%s", first, doca_flags, last) > 0);
	assert_string_equal(text, expected);
	free(text);
	free(expected);
}

static void program_without_flags(void **state)
{
	(void)state;
	expect(NULL, "Usage: prog [DOCA Flags] [Program Flags]\n", "\n");
}

static void flags_of_the_program(void **state)
{
	struct doca_argp_param *hidden = new_param("x", NULL, DOCA_ARGP_TYPE_INT, take_number);
	struct doca_argp_param *wide =
		new_param("rdma_dev", "rdma-device", DOCA_ARGP_TYPE_STRING, take_text);

	(void)state;
	doca_argp_param_set_hidden(hidden);
	doca_argp_register_param(hidden);
	doca_argp_register_param(new_param("p", "pci-addr", DOCA_ARGP_TYPE_STRING, take_text));
	doca_argp_register_param(new_param(NULL, "long-only", DOCA_ARGP_TYPE_STRING, take_text));
	doca_argp_register_param(new_param("ns", NULL, DOCA_ARGP_TYPE_STRING, take_text));
	doca_argp_param_set_arguments(wide, "<RDMA DOCA device name>");
	doca_argp_register_param(wide);
	expect(NULL, "Usage: prog [DOCA Flags] [Program Flags]\n",
	       "\nProgram Flags:\n"
	       "  -p, --pci-addr                    description\n"
	       "  --long-only                       description\n"
	       "  -ns                               description\n"
	       "  -rdma_dev, --rdma-device <RDMA DOCA device name> description\n"
	       "\n");
}

static doca_error_t init_dpdk(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return DOCA_SUCCESS;
}

static void dpdk_program(void **state)
{
	(void)state;
	doca_argp_set_dpdk_program(init_dpdk);
	expect(NULL, "Usage: prog [DPDK Flags] -- [DOCA Flags] [Program Flags]\n", "\n");
}

static void commands(void **state)
{
	struct doca_argp_cmd *set, *secret;
	struct doca_argp_param *inherited = new_param("i", NULL, DOCA_ARGP_TYPE_INT, take_number);

	(void)state;
	doca_argp_cmd_create(&set);
	doca_argp_cmd_set_name(set, "set");
	doca_argp_cmd_set_description(set, "sets it");
	doca_argp_cmd_create(&secret);
	doca_argp_cmd_set_name(secret, "secret");
	doca_argp_cmd_set_description(secret, "is not shown");
	doca_argp_cmd_set_hidden(secret);
	doca_argp_register_cmd(set);
	doca_argp_register_cmd(secret);
	doca_argp_param_set_inherited(inherited);
	doca_argp_register_param(inherited);
	doca_argp_register_param(new_param("o", NULL, DOCA_ARGP_TYPE_INT, take_number));
	doca_argp_cmd_register_param(set, new_param("s", NULL, DOCA_ARGP_TYPE_INT, take_number));
	expect(NULL, "Usage: prog [DOCA Flags] [Program Flags] [Program Command]\n",
	       "\nProgram Flags:\n"
	       "  -i                                description\n"
	       "  -o                                description\n"
	       "\nProgram Commands:\n"
	       "  set                               sets it\n"
	       "\n");
	expect(set, "Usage: prog set [DOCA Flags] [Program Flags]\n",
	       "\nProgram Flags:\n"
	       "  -s                                description\n"
	       "  -i                                description\n"
	       "\n");
}

static void short_name_taken_by_the_command_is_left_out(void **state)
{
	struct doca_argp_cmd *cmd;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	doca_argp_cmd_create(&cmd);
	doca_argp_cmd_set_name(cmd, "go");
	doca_argp_cmd_set_description(cmd, "goes");
	doca_argp_cmd_register_param(cmd, new_param("v", "vf", DOCA_ARGP_TYPE_INT, take_number));
	doca_argp_register_cmd(cmd);
	usage_print(argp_current(), cmd, file);
	fclose(file);
	assert_non_null(strstr(text, "\n  --version                         Print program"));
	assert_non_null(strstr(text, "\n  -v, --vf                          description\n"));
	free(text);
}

static void usage_follows_the_command_line(void **state)
{
	struct doca_argp_cmd *cmd;

	(void)state;
	doca_argp_cmd_create(&cmd);
	doca_argp_cmd_set_name(cmd, "go");
	doca_argp_cmd_set_description(cmd, "goes");
	doca_argp_register_cmd(cmd);
	assert_int_equal(start("go", "-x", NULL), DOCA_ERROR_NOT_SUPPORTED);
	assert_memory_equal(program.usage, "\n\nUsage: prog go [DOCA Flags]", 29);
}

static int init_without_name(void **state)
{
	(void)state;
	memset(&program, 0, sizeof(program));
	return doca_argp_init(NULL, &program);
}

static void name_comes_from_the_command_line(void **state)
{
	(void)state;
	assert_int_equal(start(NULL, NULL), DOCA_SUCCESS); /* argv[0] is /usr/bin/prog */
	expect(NULL, "Usage: prog [DOCA Flags] [Program Flags]\n", "\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(program_without_flags, init, destroy),
		cmocka_unit_test_setup_teardown(flags_of_the_program, init, destroy),
		cmocka_unit_test_setup_teardown(dpdk_program, init, destroy),
		cmocka_unit_test_setup_teardown(commands, init, destroy),
		cmocka_unit_test_setup_teardown(short_name_taken_by_the_command_is_left_out, init,
						destroy),
		cmocka_unit_test_setup_teardown(usage_follows_the_command_line, init, destroy),
		cmocka_unit_test_setup_teardown(name_comes_from_the_command_line, init_without_name,
						destroy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
