/* SPDX-License-Identifier: BSD-3-Clause */
/* softfield topology */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "out.h"

static int print_help(void)
{
	puts("usage: softfield topology check FILE...\n\n"
	     "  -h, --help   this text\n\n"
	     "Checks topology files as SOFTFIELD_TOPOLOGY would read them. Prints for each\n"
	     "what it describes, or the first thing that is wrong: line, key, what is allowed.\n"
	     "Exits with 1 when a file is wrong.");
	return EXIT_SUCCESS;
}

static unsigned int count_functions(const struct topo *topo, enum topo_side side)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < topo->function_count; i++)
		count += topo->functions[i].side == side;
	return count;
}

static const char *plural(unsigned int count)
{
	return count == 1 ? "" : "s";
}

static int check_file(const char *path)
{
	unsigned int dpu_count, host_count;
	struct topo_why why;
	struct topo *topo;
	doca_error_t err = priv_topo_load(path, &topo, &why);

	if (err == DOCA_ERROR_BAD_CONFIG)
		return out_fail("%s", why.text);
	if (err)
		return out_fail("%s: %s", path, doca_error_get_descr(err));
	dpu_count = count_functions(topo, TOPO_DPU);
	host_count = count_functions(topo, TOPO_HOST);
	printf("%s: %u card%s, %u DPU function%s, %u host function%s\n", path, topo->card_count,
	       plural(topo->card_count), dpu_count, plural(dpu_count), host_count,
	       plural(host_count));
	priv_topo_free(topo);
	return EXIT_SUCCESS;
}

int command_topology(int argc, char **argv)
{
	static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};
	int option, result = EXIT_SUCCESS;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1)
		return option == 'h' ? print_help() : out_refused();
	if (optind == argc)
		return out_misused("nothing to do; there is \"check\"");
	if (strcmp(argv[optind], "check") != 0)
		return out_misused("unknown \"%s\"; there is \"check\"", argv[optind]);
	if (optind + 1 == argc)
		return out_misused("no file given");
	for (int i = optind + 1; i < argc; i++) {
		if (check_file(argv[i]))
			result = EXIT_FAILURE;
	}
	return result;
}
