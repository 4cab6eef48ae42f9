/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands of a program: "prog set --limit 4K". Each has flags and commands of its own.
 */
#include <stdlib.h>
#include <string.h>
#include "argp/argp.h"

void cmd_init(struct doca_argp_cmd *cmd, struct doca_argp_cmd *parent)
{
	list_init(&cmd->node);
	list_init(&cmd->params);
	list_init(&cmd->cmds);
	cmd->parent = parent;
}

void cmd_fini(struct doca_argp_cmd *cmd)
{
	while (!list_is_empty(&cmd->params))
		param_free(container_of(cmd->params.next, struct doca_argp_param, node));
	while (!list_is_empty(&cmd->cmds))
		cmd_free(container_of(cmd->cmds.next, struct doca_argp_cmd, node));
	free(cmd->name);
	free(cmd->description);
}

void cmd_free(struct doca_argp_cmd *cmd)
{
	list_remove(&cmd->node);
	cmd_fini(cmd);
	free(cmd);
}

struct doca_argp_cmd *cmd_find(struct doca_argp_cmd *parent, const char *name)
{
	struct list_node *node;

	list_for_each (node, &parent->cmds) {
		struct doca_argp_cmd *cmd = container_of(node, struct doca_argp_cmd, node);

		if (!strcmp(cmd->name, name))
			return cmd;
	}
	return NULL;
}

doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd)
{
	struct argp *argp = argp_configurable();
	struct doca_argp_cmd *created;

	if (!cmd)
		return DOCA_ERROR_INVALID_VALUE;
	if (!argp)
		return DOCA_ERROR_BAD_STATE;
	created = calloc(1, sizeof(*created));
	if (!created)
		return DOCA_ERROR_NO_MEMORY;
	cmd_init(created, NULL);
	list_add_tail(&argp->loose_cmds, &created->node);
	*cmd = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd)
{
	if (!cmd)
		return DOCA_ERROR_INVALID_VALUE;
	if (!argp_current() || cmd->parent)
		return DOCA_ERROR_BAD_STATE;
	cmd_free(cmd);
	return DOCA_SUCCESS;
}

static bool is_name(const char *name)
{
	return *name && *name != '-' && !strpbrk(name, " \t\n");
}

static bool may_have(struct doca_argp_cmd *parent, const char *name)
{
	return name && is_name(name) && !cmd_find(parent, name);
}

void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name)
{
	if (!cmd || (cmd->parent && !may_have(cmd->parent, name)))
		return; /* it is registered, and has a good one */
	if (!argp_copy_text(name, &cmd->name))
		cmd->no_memory = true;
}

void doca_argp_cmd_set_description(struct doca_argp_cmd *cmd, const char *description)
{
	if (!cmd || (cmd->parent && !description))
		return;
	if (!argp_copy_text(description, &cmd->description))
		cmd->no_memory = true;
}

void doca_argp_cmd_set_callback(struct doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback)
{
	if (cmd)
		cmd->callback = callback;
}

void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd)
{
	if (cmd)
		cmd->hidden = true;
}

static doca_error_t check(struct doca_argp_cmd *parent, const struct doca_argp_cmd *cmd)
{
	if (cmd->no_memory)
		return DOCA_ERROR_NO_MEMORY;
	if (!cmd->name || !cmd->description) {
		argp_err("command '%s' has no %s", cmd->name ? cmd->name : "",
			 cmd->name ? "description" : "name");
		return DOCA_ERROR_INITIALIZATION;
	}
	if (!is_name(cmd->name)) {
		argp_err(
			"command '%s': a name must not be empty, begin with '-' or contain a blank",
			cmd->name);
		return DOCA_ERROR_INITIALIZATION;
	}
	if (cmd_find(parent, cmd->name)) {
		argp_err("command '%s': there is one of this name already", cmd->name);
		return DOCA_ERROR_INITIALIZATION;
	}
	return DOCA_SUCCESS;
}

/* takes ownership whatever the answer */
static doca_error_t add(struct doca_argp_cmd *parent, struct doca_argp_cmd *cmd)
{
	doca_error_t err;

	if (cmd->parent)
		return DOCA_ERROR_BAD_STATE; /* it is owned already */
	/* a command that becomes its own descendant would never be found, nor freed */
	for (const struct doca_argp_cmd *above = parent; above; above = above->parent)
		if (above == cmd)
			return DOCA_ERROR_INVALID_VALUE;
	err = check(parent, cmd);
	if (err) {
		cmd_free(cmd);
		return err;
	}
	list_remove(&cmd->node);
	list_add_tail(&parent->cmds, &cmd->node);
	cmd->parent = parent;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd)
{
	struct argp *argp = argp_configurable();

	if (!input_cmd)
		return DOCA_ERROR_INVALID_VALUE;
	if (!argp)
		return DOCA_ERROR_BAD_STATE;
	return add(&argp->root, input_cmd);
}

doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd, struct doca_argp_cmd *input_cmd)
{
	if (!cmd || !input_cmd)
		return DOCA_ERROR_INVALID_VALUE;
	if (!argp_configurable())
		return DOCA_ERROR_BAD_STATE;
	return add(cmd, input_cmd);
}

doca_error_t doca_argp_cmd_register_param(struct doca_argp_cmd *cmd,
					  struct doca_argp_param *input_param)
{
	if (!cmd || !input_param)
		return DOCA_ERROR_INVALID_VALUE;
	if (!argp_configurable())
		return DOCA_ERROR_BAD_STATE;
	return param_register(cmd, input_param);
}
