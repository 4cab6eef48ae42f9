/* SPDX-License-Identifier: BSD-3-Clause */
/* softfield version */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "doca_version.h"
#include "out.h"

static int print_help(void)
{
	puts("usage: softfield version [-j]\n\n"
	     "  -j, --json   as JSON\n"
	     "  -h, --help   this text\n\n"
	     "Prints the version of softfield, the SDK release whose interface it has, and the "
	     "version\n"
	     "that programs see: DOCA_VERSION_* of the headers, doca_version_runtime() of the "
	     "library.");
	return EXIT_SUCCESS;
}

static int print_json(void)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "softfield", json_object_new_string(SOFTFIELD_VERSION));
	json_object_object_add(object, "interface", json_object_new_string(SOFTFIELD_INTERFACE));
	json_object_object_add(object, "headers", json_object_new_string(doca_version()));
	json_object_object_add(object, "library", json_object_new_string(doca_version_runtime()));
	out_json(object);
	return EXIT_SUCCESS;
}

int command_version(int argc, char **argv)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
	bool json = false;
	int option;

	while ((option = getopt_long(argc, argv, "jh", options, NULL)) != -1) {
		if (option == 'h')
			return print_help();
		if (option != 'j')
			return out_refused();
		json = true;
	}
	if (optind < argc)
		return out_misused("unexpected \"%s\"", argv[optind]);
	if (json)
		return print_json();
	printf("softfield %s: the interface of SDK %s, and that of older ones\n"
	       "programs see version %s in the headers, %s in the library\n",
	       SOFTFIELD_VERSION, SOFTFIELD_INTERFACE, doca_version(), doca_version_runtime());
	return EXIT_SUCCESS;
}
