/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * softfield: shows what there is. Sub-commands are in their own files.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/name_list.h"
#include "commands.h"
#include "out.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{"devices", command_devices, "functions and representors that programs can open"},
	{"servers", command_servers, "who listens, and who is connected"},
	{"limits", command_limits, "every limit: its value, what it may be set to"},
	{"topology", command_topology, "checks a topology file"},
	{"target", command_target, "serves disks to NVMe/TCP and NVMe/RDMA hosts"},
	{"version", command_version, "versions of tool and library"},
};

/* what: is wrong */
static int no_command(const char *what, const char *name)
{
	char names[128] = "";

	for (size_t i = 0; i < COUNT(commands); i++)
		name_list_add(names, sizeof(names), commands[i].name);
	return name ? out_misused("%s \"%s\"; there are %s", what, name, names)
		    : out_misused("%s; there are %s", what, names);
}

static int print_help(void)
{
	puts("usage: softfield COMMAND [OPTION...]\n");
	for (size_t i = 0; i < COUNT(commands); i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].summary);
	puts("\n  help COMMAND, COMMAND --help  its options\n"
	     "  -h, --help                    these lines\n"
	     "  -v, --version                 the same as version");
	puts("\nWhat a topology file may hold, and the SOFTFIELD_* variables: softfield(7).");
	return EXIT_SUCCESS;
}

static int run(int argc, char **argv)
{
	static char program[32];

	for (size_t i = 0; i < COUNT(commands); i++) {
		if (strcmp(commands[i].name, argv[0]) != 0)
			continue;
		snprintf(program, sizeof(program), "softfield %s", argv[0]);
		out_program = argv[0] = program; /* getopt_long() prints it as well */
		return commands[i].run(argc, argv);
	}
	return no_command("unknown command", argv[0]);
}

static bool is_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help");
}

int main(int argc, char **argv)
{
	char help[] = "--help";

	if (argc < 2)
		return no_command("no command given", NULL);
	if (is_help(argv[1])) {
		char *command[] = {argv[2], help, NULL}; /* help COMMAND is COMMAND --help */

		return out_finish(argc == 2 ? print_help() : run(2, command));
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-v"))
		return out_finish(command_version(1, argv + 1));
	return out_finish(run(argc - 1, argv + 1));
}
