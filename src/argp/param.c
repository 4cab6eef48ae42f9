/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parameters: the flags of a program or of one of its commands.
 */
#include <stdlib.h>
#include <string.h>
#include "argp/argp.h"

bool argp_copy_text(const char *text, char **ret_copy)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		return false;
	free(*ret_copy);
	*ret_copy = copy;
	return true;
}

doca_error_t param_new(struct argp *argp, struct doca_argp_param **ret_param)
{
	struct doca_argp_param *param = calloc(1, sizeof(*param));

	if (!param)
		return DOCA_ERROR_NO_MEMORY;
	list_add_tail(&argp->loose_params, &param->node);
	*ret_param = param;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_param_create(struct doca_argp_param **param)
{
	struct argp *argp = argp_configurable();

	if (!param)
		return DOCA_ERROR_INVALID_VALUE;
	if (!argp || argp->form_1_3) /* whose parameters are structures of the program's */
		return DOCA_ERROR_BAD_STATE;
	return param_new(argp, param);
}

void param_free(struct doca_argp_param *param)
{
	list_remove(&param->node);
	free(param->short_name);
	free(param->long_name);
	free(param->arguments);
	free(param->description);
	free(param);
}

doca_error_t doca_argp_param_destroy(struct doca_argp_param *param)
{
	if (!param)
		return DOCA_ERROR_INVALID_VALUE;
	if (!argp_current() || param->owner)
		return DOCA_ERROR_BAD_STATE;
	param_free(param);
	return DOCA_SUCCESS;
}

static bool equals(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static struct doca_argp_param *find_own_short(const struct doca_argp_cmd *cmd, const char *name)
{
	struct list_node *node;

	list_for_each (node, &cmd->params) {
		struct doca_argp_param *param = container_of(node, struct doca_argp_param, node);

		if (equals(param->short_name, name))
			return param;
	}
	return NULL;
}

static struct doca_argp_param *find_own_long(const struct doca_argp_cmd *cmd, const char *name,
					     size_t len)
{
	struct list_node *node;

	list_for_each (node, &cmd->params) {
		struct doca_argp_param *param = container_of(node, struct doca_argp_param, node);

		if (param->long_name && strlen(param->long_name) == len &&
		    !memcmp(param->long_name, name, len))
			return param;
	}
	return NULL;
}

/* a name is something that can be typed after a dash, if need be in quotes, and found again */
static bool is_name(const char *name)
{
	return *name && *name != '-' && !strchr(name, '=');
}

static bool is_short_taken(const struct doca_argp_cmd *cmd, const char *name)
{
	return find_own_short(cmd, name);
}

static bool is_long_taken(const struct doca_argp_cmd *cmd, const char *name)
{
	const struct doca_argp_cmd *doca = &argp_current()->doca;
	size_t len = strlen(name);

	return find_own_long(cmd, name, len) ||
	       (cmd->parent == doca && find_own_long(doca, name, len));
}

static bool may_have_short(const struct doca_argp_cmd *cmd, const char *name)
{
	return name && is_name(name) && !is_short_taken(cmd, name);
}

static bool may_have_long(const struct doca_argp_cmd *cmd, const char *name)
{
	return name && is_name(name) && !is_long_taken(cmd, name);
}

static void set_text(struct doca_argp_param *param, char **member, const char *text)
{
	if (!argp_copy_text(text, member))
		param->no_memory = true; /* told at registration: setters return nothing */
}

/* What registration has checked stays as good as that: here, and what else it looks at. */

void doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name)
{
	if (param && (!param->owner || may_have_short(param->owner, name)))
		set_text(param, &param->short_name, name);
}

void doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name)
{
	if (param && (!param->owner || may_have_long(param->owner, name)))
		set_text(param, &param->long_name, name);
}

void doca_argp_param_set_arguments(struct doca_argp_param *param, const char *arguments)
{
	if (param)
		set_text(param, &param->arguments, arguments);
}

void doca_argp_param_set_description(struct doca_argp_param *param, const char *description)
{
	if (param && (description || !param->owner))
		set_text(param, &param->description, description);
}

void doca_argp_param_set_callback(struct doca_argp_param *param, doca_argp_param_cb_t callback)
{
	if (param && (callback || !param->owner))
		param->callback = callback;
}

void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type)
{
	if (param && (value_type_is_known(type) || !param->owner))
		param->type = type;
}

void doca_argp_param_set_mandatory(struct doca_argp_param *param)
{
	if (param)
		param->mandatory = true;
}

void doca_argp_param_set_cli_only(struct doca_argp_param *param)
{
	if (param)
		param->cli_only = true;
}

void doca_argp_param_set_multiplicity(struct doca_argp_param *param)
{
	if (param)
		param->multiple = true;
}

void doca_argp_param_set_singular(struct doca_argp_param *param)
{
	if (param)
		param->singular = true;
}

void doca_argp_param_set_inherited(struct doca_argp_param *param)
{
	if (param)
		param->inherited = true;
}

void doca_argp_param_set_hidden(struct doca_argp_param *param)
{
	if (param)
		param->hidden = true;
}

const char *param_label(const struct doca_argp_param *param, char buf[ARGP_LABEL_SIZE])
{
	const char *short_name = param->short_name ? param->short_name : "";
	const char *long_name = param->long_name ? param->long_name : "";

	snprintf(buf, ARGP_LABEL_SIZE, "%s%s%s%s%s", *short_name ? "-" : "", short_name,
		 *short_name && *long_name ? "/" : "", *long_name ? "--" : "", long_name);
	return buf;
}

struct doca_argp_param *param_find_short(const struct doca_argp_cmd *cmd, const char *name)
{
	for (const struct doca_argp_cmd *from = cmd; cmd; cmd = cmd->parent) {
		struct doca_argp_param *param = find_own_short(cmd, name);

		if (param && (cmd == from || param->inherited))
			return param;
	}
	return NULL;
}

struct doca_argp_param *param_find_long(const struct doca_argp_cmd *cmd, const char *name,
					size_t len)
{
	for (const struct doca_argp_cmd *from = cmd; cmd; cmd = cmd->parent) {
		struct doca_argp_param *param = find_own_long(cmd, name, len);

		if (param && (cmd == from || param->inherited))
			return param;
	}
	return NULL;
}

static doca_error_t check_names(const struct doca_argp_cmd *cmd,
				const struct doca_argp_param *param)
{
	char label[ARGP_LABEL_SIZE];

	if ((param->short_name && !is_name(param->short_name)) ||
	    (param->long_name && !is_name(param->long_name))) {
		argp_err("flag %s: a name must not be empty, begin with '-' or contain '='",
			 param_label(param, label));
		return DOCA_ERROR_INITIALIZATION;
	}
	/* Programs have a -l or -j of their own; the DOCA flags have long names, too. */
	if (!(param->short_name && is_short_taken(cmd, param->short_name)) &&
	    !(param->long_name && is_long_taken(cmd, param->long_name)))
		return DOCA_SUCCESS;
	argp_err("flag %s: the name is taken, by another flag or by a DOCA flag (see -h)",
		 param_label(param, label));
	return DOCA_ERROR_INITIALIZATION;
}

static doca_error_t check_complete(const struct doca_argp_param *param)
{
	char label[ARGP_LABEL_SIZE];
	bool has_callback;

	if (param->no_memory)
		return DOCA_ERROR_NO_MEMORY;
	if (!param->short_name && !param->long_name) {
		argp_err("a flag needs a short or a long name (description: \"%s\")",
			 param->description ? param->description : "none");
		return DOCA_ERROR_INITIALIZATION;
	}
	has_callback = param->callback || param->callback_1_3;
	if (value_type_is_known(param->type) && has_callback && param->description)
		return DOCA_SUCCESS;
	argp_err("flag %s has no %s", param_label(param, label),
		 !has_callback	       ? "callback"
		 : !param->description ? "description"
				       : "known type");
	return DOCA_ERROR_INITIALIZATION;
}

doca_error_t param_register(struct doca_argp_cmd *cmd, struct doca_argp_param *param)
{
	doca_error_t err;

	if (param->owner)
		return DOCA_ERROR_BAD_STATE; /* it is owned already */
	err = check_complete(param);
	if (!err)
		err = check_names(cmd, param);
	if (err) {
		param_free(param);
		return err;
	}
	list_remove(&param->node);
	list_add_tail(&cmd->params, &param->node);
	param->owner = cmd;
	return DOCA_SUCCESS;
}
