/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command line: [DPDK flags --] flags [command flags [command flags ...]]
 */
#include <string.h>
#include "argp/argp.h"

struct cursor {
	struct argp *argp;
	char **args;
	int count, next;
};

/* a flag that the program has, but not here: above the command in hand */
static const struct doca_argp_cmd *owner_above(struct doca_argp_cmd *cmd, const char *name,
					       size_t len)
{
	for (cmd = cmd->parent; cmd; cmd = cmd->parent)
		if (param_find_long(cmd, name, len) || param_find_short(cmd, name))
			return cmd;
	return NULL;
}

static doca_error_t refuse_flag(const struct argp *argp, const char *flag)
{
	const char *name = flag + strspn(flag, "-");
	const struct doca_argp_cmd *above = owner_above(argp->selected, name, strcspn(name, "="));

	if (above)
		argp_err("flag '%s' must come before the command '%s'", flag, argp->selected->name);
	else if (argp->dpdk_cb && !argp->dpdk_flag_count)
		argp_err("unknown flag '%s'; flags for DPDK must be followed by '--'", flag);
	else
		argp_err("unknown flag '%s'", flag);
	return DOCA_ERROR_NOT_SUPPORTED;
}

static struct doca_argp_param *find_flag(struct doca_argp_cmd *cmd, const char *flag)
{
	if (flag[0] != '-')
		return NULL;
	if (flag[1] != '-')
		return param_find_short(cmd, flag + 1);
	return param_find_long(cmd, flag + 2, strcspn(flag + 2, "="));
}

/* the text of a flag's value: after the '=', or the next argument. INVALID_VALUE: there is none */
static doca_error_t take_value(struct cursor *cursor, const struct doca_argp_param *param,
			       char *after_equals, char **ret_text)
{
	char label[ARGP_LABEL_SIZE];
	char *next;

	if (after_equals) {
		*ret_text = after_equals;
		return DOCA_SUCCESS;
	}
	if (cursor->next == cursor->count) {
		argp_err("flag %s: value missing, expected %s", param_label(param, label),
			 value_type_expects(param->type));
		return DOCA_ERROR_INVALID_VALUE;
	}
	next = cursor->args[cursor->next];
	if (find_flag(cursor->argp->selected, next)) {
		argp_err("flag %s: value missing, expected %s and not the flag '%s'",
			 param_label(param, label), value_type_expects(param->type), next);
		return DOCA_ERROR_INVALID_VALUE;
	}
	cursor->next++;
	*ret_text = next;
	return DOCA_SUCCESS;
}

static doca_error_t parse_flag(struct cursor *cursor, char *flag)
{
	struct argp *argp = cursor->argp;
	struct doca_argp_param *param = find_flag(argp->selected, flag);
	char *after_equals = flag[1] == '-' ? strchr(flag, '=') : NULL;
	char label[ARGP_LABEL_SIZE];
	char *text = flag;
	doca_error_t err;

	if (!param)
		return refuse_flag(argp, flag);
	if (param->type != DOCA_ARGP_TYPE_BOOLEAN) {
		err = take_value(cursor, param, after_equals ? after_equals + 1 : NULL, &text);
		if (err)
			return err;
	} else if (after_equals) {
		argp_err("flag %s takes no value, got '%s'", param_label(param, label),
			 after_equals + 1);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (param == argp->help || param == argp->version)
		return param->callback(NULL, argp->config); /* does not come back, if all is well */
	return value_add(argp, param, text, NULL);
}

static doca_error_t parse_command(struct argp *argp, const char *name)
{
	struct doca_argp_cmd *cmd = cmd_find(argp->selected, name);

	if (!cmd) {
		bool has_commands = !list_is_empty(&argp->selected->cmds);

		argp_err(has_commands ? "unknown command '%s'"
				      : "unexpected argument '%s': neither a flag nor its value",
			 name);
		return has_commands ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE;
	}
	argp->selected = cmd;
	return DOCA_SUCCESS;
}

static doca_error_t take_dpdk_flags(struct cursor *cursor)
{
	int end = 1;
	doca_error_t err = DOCA_SUCCESS;

	while (end < cursor->count && strcmp(cursor->args[end], "--"))
		end++;
	if (end == cursor->count)
		return DOCA_SUCCESS;
	for (int i = 1; i < end && !err; i++)
		err = dpdk_add_flag(cursor->argp, cursor->args[i]);
	cursor->next = end + 1;
	return err;
}

doca_error_t line_parse(struct argp *argp, int argc, char **argv)
{
	struct cursor cursor = {.argp = argp, .args = argv, .count = argc, .next = 1};
	doca_error_t err = argp->dpdk_cb ? take_dpdk_flags(&cursor) : DOCA_SUCCESS;

	while (!err && cursor.next < cursor.count) {
		char *arg = cursor.args[cursor.next++];

		if (arg[0] == '-' && arg[1])
			err = parse_flag(&cursor, arg);
		else
			err = parse_command(argp, arg);
	}
	return err;
}
