/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values of flags: from text to the type that the callback takes, and the rules on how often.
 */
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>
#include "argp/argp.h"
#include "base/count.h"

static doca_error_t parse_text(struct argp_value *value)
{
	(void)value;
	return DOCA_SUCCESS;
}

static doca_error_t parse_int(struct argp_value *value)
{
	const char *digits = value->text + strspn(value->text, "+-");
	char *end;
	long number;

	errno = 0;
	number = strtol(value->text, &end, !strncasecmp(digits, "0x", 2) ? 16 : 10);
	if (end == value->text || *end || errno || number < INT_MIN || number > INT_MAX)
		return DOCA_ERROR_INVALID_VALUE;
	value->number = number;
	return DOCA_SUCCESS;
}

/* Always with a point, also in a program that speaks German: files and scripts do not change. */
static doca_error_t parse_double(struct argp_value *value)
{
	locale_t plain = newlocale(LC_ALL_MASK, "C", NULL);
	char *end;

	value->real = strtod_l(value->text, &end, plain);
	freelocale(plain);
	if (end == value->text || *end || !isfinite(value->real))
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_SUCCESS;
}

static doca_error_t parse_boolean(struct argp_value *value)
{
	value->boolean = true;
	return DOCA_SUCCESS;
}

static doca_error_t call(struct argp *argp, struct argp_value *value, void *param)
{
	char label[ARGP_LABEL_SIZE];
	doca_error_t err;

	if (value->param->callback_1_3) {
		value->param->callback_1_3(argp->config, param);
		return DOCA_SUCCESS;
	}
	err = value->param->callback(param, argp->config);
	if (err && value->param->owner != &argp->doca)
		argp_err("flag %s: the program refuses '%s': %s", param_label(value->param, label),
			 value->text, doca_error_get_descr(err));
	return err;
}

static doca_error_t call_text(struct argp *argp, struct argp_value *value)
{
	return call(argp, value, value->text);
}

static doca_error_t call_int(struct argp *argp, struct argp_value *value)
{
	return call(argp, value, &value->number);
}

static doca_error_t call_double(struct argp *argp, struct argp_value *value)
{
	return call(argp, value, &value->real);
}

static doca_error_t call_boolean(struct argp *argp, struct argp_value *value)
{
	return call(argp, value, &value->boolean);
}

static doca_error_t call_device(struct argp *argp, struct argp_value *value)
{
	return device_call(argp, value->param, value->text);
}

static doca_error_t call_device_rep(struct argp *argp, struct argp_value *value)
{
	return device_rep_call(argp, value->param, value->text);
}

#define JSON(type) (1u << json_type_##type)

static const struct value_type {
	const char *expects;
	unsigned int json_types;
	doca_error_t (*parse)(struct argp_value *value);
	doca_error_t (*call)(struct argp *argp, struct argp_value *value);
} types[] = {
	[DOCA_ARGP_TYPE_STRING] = {"a string", JSON(string), parse_text, call_text},
	[DOCA_ARGP_TYPE_INT] = {"an integer from -2147483648 to 2147483647", JSON(int), parse_int,
				call_int},
	[DOCA_ARGP_TYPE_BOOLEAN] = {"true or false", JSON(boolean), parse_boolean, call_boolean},
	[DOCA_ARGP_TYPE_DEVICE] = {"a device such as pci/0000:03:00.0", JSON(string), parse_text,
				   call_device},
	[DOCA_ARGP_TYPE_DEVICE_REP] = {"a representor such as pci/0000:03:00.0,pf0vf0",
				       JSON(string), parse_text, call_device_rep},
	[DOCA_ARGP_TYPE_DOUBLE] = {"a number", JSON(int) | JSON(double), parse_double, call_double},
};

bool value_type_is_known(enum doca_argp_type type)
{
	return type < COUNT(types) && types[type].parse;
}

bool value_type_takes_json(enum doca_argp_type type, const struct json_object *object)
{
	return types[type].json_types >> json_object_get_type(object) & 1;
}

const char *value_type_expects(enum doca_argp_type type)
{
	return types[type].expects;
}

static doca_error_t append(struct argp *argp, const struct argp_value *value)
{
	if (argp->value_count == argp->value_capacity) {
		size_t capacity = argp->value_capacity ? 2 * argp->value_capacity : 16;
		struct argp_value *values = realloc(argp->values, capacity * sizeof(*values));

		if (!values)
			return DOCA_ERROR_NO_MEMORY;
		argp->values = values;
		argp->value_capacity = capacity;
	}
	argp->values[argp->value_count++] = *value;
	return DOCA_SUCCESS;
}

doca_error_t value_add(struct argp *argp, struct doca_argp_param *param, char *text,
		       const char *file)
{
	struct argp_value value = {.param = param, .text = text};
	char label[ARGP_LABEL_SIZE];

	if (param->uses && !param->multiple) {
		argp_err("%s%sflag %s is given more than once", file ? file : "", file ? ": " : "",
			 param_label(param, label));
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (types[param->type].parse(&value)) {
		argp_err("%s%sflag %s: '%s' is not %s", file ? file : "", file ? ": " : "",
			 param_label(param, label), text, types[param->type].expects);
		return DOCA_ERROR_INVALID_VALUE;
	}
	param->uses++;
	return append(argp, &value);
}

static const struct doca_argp_param *find_singular(const struct argp *argp)
{
	for (size_t i = 0; i < argp->value_count; i++)
		if (argp->values[i].param->singular)
			return argp->values[i].param;
	return NULL;
}

/* DOCA flags do not count: a log level is nothing that a program could be asked to do */
static doca_error_t check_alone(const struct argp *argp, const struct doca_argp_param *singular)
{
	char label[ARGP_LABEL_SIZE];

	for (size_t i = 0; i < argp->value_count; i++) {
		const struct doca_argp_param *other = argp->values[i].param;

		if (other == singular || other->owner == &argp->doca)
			continue;
		argp_err("flag %s must be the only one", param_label(singular, label));
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

static doca_error_t check_mandatory(const struct doca_argp_cmd *cmd)
{
	char label[ARGP_LABEL_SIZE];
	struct list_node *node;

	list_for_each (node, &cmd->params) {
		struct doca_argp_param *param = container_of(node, struct doca_argp_param, node);

		if (!param->mandatory || param->uses)
			continue;
		argp_err("flag %s is missing, expected %s", param_label(param, label),
			 types[param->type].expects);
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

doca_error_t value_check_all(const struct argp *argp)
{
	const struct doca_argp_param *singular = find_singular(argp);

	if (singular)
		return check_alone(argp, singular);
	for (const struct doca_argp_cmd *cmd = argp->selected; cmd; cmd = cmd->parent) {
		doca_error_t err = check_mandatory(cmd);

		if (err)
			return err;
	}
	return DOCA_SUCCESS;
}

doca_error_t value_call(struct argp *argp, struct argp_value *value)
{
	return types[value->param->type].call(argp, value);
}
