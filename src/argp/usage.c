/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The help text.
 */
#include <errno.h>
#include <stdlib.h>
#include "argp/argp.h"

#define COLUMN 34 /* where descriptions begin, without the indentation */

static void print_entry(FILE *file, const char *left, const char *description)
{
	fprintf(file, "  %-*s %s\n", COLUMN - 1, left, description);
}

static void print_param(const struct doca_argp_param *param, const char *short_name, FILE *file)
{
	char left[512];

	snprintf(left, sizeof(left), "%s%s%s%s%s%s%s", short_name ? "-" : "",
		 short_name ? short_name : "", short_name && param->long_name ? ", " : "",
		 param->long_name ? "--" : "", param->long_name ? param->long_name : "",
		 param->arguments ? " " : "", param->arguments ? param->arguments : "");
	print_entry(file, left, param->description);
}

/*
 * The flags of owner that can be given after cmd. A short name that means something else there is
 * left out.
 */
static bool print_params(const struct doca_argp_cmd *owner, const struct doca_argp_cmd *cmd,
			 const char *title, FILE *file)
{
	struct list_node *node;
	bool any = false;

	list_for_each (node, &owner->params) {
		struct doca_argp_param *param = container_of(node, struct doca_argp_param, node);
		const char *short_name = param->short_name;

		if (param->hidden || (owner != cmd && !param->inherited))
			continue;
		if (short_name && param_find_short(cmd, short_name) != param)
			short_name = NULL;
		if (!any && title)
			fprintf(file, "\n%s\n", title);
		any = true;
		print_param(param, short_name, file);
	}
	return any;
}

static bool has_visible_command(const struct doca_argp_cmd *cmd)
{
	struct list_node *node;

	list_for_each (node, &cmd->cmds)
		if (!container_of(node, struct doca_argp_cmd, node)->hidden)
			return true;
	return false;
}

static void print_commands(const struct doca_argp_cmd *parent, FILE *file)
{
	struct list_node *node;

	if (!has_visible_command(parent))
		return;
	fputs("\nProgram Commands:\n", file);
	list_for_each (node, &parent->cmds) {
		struct doca_argp_cmd *cmd = container_of(node, struct doca_argp_cmd, node);

		if (!cmd->hidden)
			print_entry(file, cmd->name, cmd->description);
	}
}

static void print_path(const struct argp *argp, const struct doca_argp_cmd *cmd, FILE *file)
{
	if (cmd == &argp->root)
		return;
	print_path(argp, cmd->parent, file);
	fprintf(file, " %s", cmd->name);
}

void usage_print(const struct argp *argp, const struct doca_argp_cmd *cmd, FILE *file)
{
	const char *title = "Program Flags:";

	fprintf(file, "Usage: %s",
		argp->program_name ? argp->program_name : program_invocation_short_name);
	if (argp->dpdk_cb)
		fputs(" [DPDK Flags] --", file);
	print_path(argp, cmd, file);
	fprintf(file, " [DOCA Flags] [Program Flags]%s\n",
		has_visible_command(cmd) ? " [Program Command]" : "");
	print_params(&argp->doca, cmd, "DOCA Flags:", file);
	for (const struct doca_argp_cmd *above = cmd; above != &argp->doca; above = above->parent)
		if (print_params(above, cmd, title, file))
			title = NULL;
	print_commands(cmd, file);
	fputc('\n', file);
	fflush(file);
}

void doca_argp_usage(void)
{
	const struct argp *argp = argp_current();

	if (argp)
		usage_print(argp, argp->selected, stdout);
	if (argp && argp->form_1_3) /* whose programs call it when something is wrong */
		exit(EXIT_FAILURE);
}
