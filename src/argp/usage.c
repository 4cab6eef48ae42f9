/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The help text.
 */
#include <errno.h>
#include "argp/argp.h"

#define COLUMN 34 /* where descriptions begin, without the indentation */

static void print_entry(FILE *file, const char *left, const char *description)
{
	fprintf(file, "  %-*s %s\n", COLUMN - 1, left, description);
}

static void print_param(const struct doca_argp_param *param, FILE *file)
{
	char left[512];

	snprintf(left, sizeof(left), "%s%s%s%s%s%s%s", param->short_name ? "-" : "",
		 param->short_name ? param->short_name : "",
		 param->short_name && param->long_name ? ", " : "", param->long_name ? "--" : "",
		 param->long_name ? param->long_name : "", param->arguments ? " " : "",
		 param->arguments ? param->arguments : "");
	print_entry(file, left, param->description);
}

/* the visible flags of cmd; those of a command above it only as far as they are inherited */
static bool print_params(const struct doca_argp_cmd *cmd, const char *title, bool inherited_only,
			 FILE *file)
{
	struct list_node *node;
	bool any = false;

	list_for_each (node, &cmd->params) {
		struct doca_argp_param *param = container_of(node, struct doca_argp_param, node);

		if (param->hidden || (inherited_only && !param->inherited))
			continue;
		if (!any && title)
			fprintf(file, "\n%s\n", title);
		any = true;
		print_param(param, file);
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
	print_params(&argp->doca, "DOCA Flags:", false, file);
	for (const struct doca_argp_cmd *above = cmd; above != &argp->doca; above = above->parent)
		if (print_params(above, title, above != cmd, file))
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
}
