/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * softfield: shows what there is. Sub-commands are in their own files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	{"target", command_target, "serves disks to NVMe/TCP hosts"},
	{"version", command_version, "versions of tool and library"},
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static int print_help(void)
{
	puts("usage: softfield COMMAND [OPTION...]\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].summary);
	puts("\nsoftfield COMMAND --help says more. What a topology file may hold and which "
	     "SOFTFIELD_*\n"
	     "variables there are: softfield(7).");
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	static char program[32];

	if (argc < 2)
		return out_misused("no command given");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return print_help();
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-v"))
		return command_version(1, argv + 1);
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (strcmp(commands[i].name, argv[1]) != 0)
			continue;
		snprintf(program, sizeof(program), "softfield %s", argv[1]);
		out_program = argv[1] = program; /* getopt_long() prints it as well */
		return commands[i].run(argc - 1, argv + 1);
	}
	return out_misused("unknown command \"%s\"", argv[1]);
}
