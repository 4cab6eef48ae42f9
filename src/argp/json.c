/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The configuration file: a JSON object with up to three sections whose keys are the long names of
 * flags. Comments and trailing commas are fine. What the command line says wins.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>
#include "argp/argp.h"
#include "base/cleanup.h"
#include "base/count.h"

#define FILE_SIZE_MAX (16u << 20)
#define DEPTH_MAX     16

struct section {
	const char *name;
	/* whose key it is; NULL: nobody's. DPDK's flags are read elsewhere */
	struct doca_argp_param *(*find)(struct argp *argp, const char *key);
};

const char *json_text(struct json_object *value)
{
	const char *text;

	if (!json_object_is_type(value, json_type_string))
		return NULL;
	text = json_object_get_string(value);
	return strlen(text) == (size_t)json_object_get_string_len(value) ? text : NULL;
}

static doca_error_t take_flag(struct argp *argp, const char *file, struct doca_argp_param *param,
			      struct json_object *value)
{
	if (!value_type_takes_json(param->type, value)) {
		argp_err("%s: key '%s': %s is not %s", file, param->long_name,
			 json_object_to_json_string(value), value_type_expects(param->type));
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (json_object_is_type(value, json_type_string) && !json_text(value)) {
		argp_err("%s: key '%s': a string must not contain \\u0000", file, param->long_name);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (param->type == DOCA_ARGP_TYPE_BOOLEAN && !json_object_get_boolean(value))
		return DOCA_SUCCESS; /* as if it were not there: a flag cannot say "no" */
	/* The text lives as long as the object, and belongs to it. */
	return value_add(argp, param, (char *)json_object_get_string(value), file);
}

static bool is_on_line(const struct argp *argp, const struct doca_argp_param *param)
{
	for (size_t i = 0; i < argp->line_value_count; i++)
		if (argp->values[i].param == param)
			return true;
	return false;
}

static doca_error_t take_values(struct argp *argp, const char *file, struct doca_argp_param *param,
				struct json_object *value)
{
	size_t count;

	if (param->cli_only) {
		argp_err("%s: key '%s' can only be given on the command line", file,
			 param->long_name);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	if (is_on_line(argp, param))
		return DOCA_SUCCESS; /* which wins */
	if (!param->multiple || !json_object_is_type(value, json_type_array))
		return take_flag(argp, file, param, value);
	count = json_object_array_length(value);
	for (size_t i = 0; i < count; i++) {
		doca_error_t err =
			take_flag(argp, file, param, json_object_array_get_idx(value, i));

		if (err)
			return err;
	}
	return DOCA_SUCCESS;
}

static doca_error_t unknown_key(const struct argp *argp, const char *file, const char *section,
				const char *key)
{
	if (argp->lenient)
		return DOCA_SUCCESS;
	argp_err("%s: unknown key '%s' in %s; keys are the long names of flags (see -h)", file, key,
		 section);
	return DOCA_ERROR_NOT_SUPPORTED;
}

static struct doca_argp_param *find_general_flag(struct argp *argp, const char *key)
{
	return param_find_long(&argp->doca, key, strlen(key));
}

/* flags of the program and of the commands on the command line */
static struct doca_argp_param *find_program_flag(struct argp *argp, const char *key)
{
	for (struct doca_argp_cmd *cmd = argp->selected; cmd != &argp->doca; cmd = cmd->parent) {
		struct doca_argp_param *param = param_find_long(cmd, key, strlen(key));

		if (param && param->owner != &argp->doca)
			return param;
	}
	return NULL;
}

static doca_error_t take_flags(struct argp *argp, const char *file, const struct section *section,
			       struct json_object *object)
{
	struct json_object_iterator it = json_object_iter_begin(object);
	struct json_object_iterator end = json_object_iter_end(object);

	for (; !json_object_iter_equal(&it, &end); json_object_iter_next(&it)) {
		const char *key = json_object_iter_peek_name(&it);
		struct doca_argp_param *param = section->find(argp, key);
		doca_error_t err;

		if (param)
			err = take_values(argp, file, param, json_object_iter_peek_value(&it));
		else
			err = unknown_key(argp, file, section->name, key);
		if (err)
			return err;
	}
	return DOCA_SUCCESS;
}

static doca_error_t take_dpdk(struct argp *argp, const char *file, struct json_object *object)
{
	if (argp->dpdk_cb)
		return dpdk_take_json(argp, file, object);
	if (argp->lenient || !json_object_object_length(object))
		return DOCA_SUCCESS;
	argp_err("%s: doca_dpdk_flags: this program takes no flags for DPDK", file);
	return DOCA_ERROR_NOT_SUPPORTED;
}

static const struct section sections[] = {
	{"doca_dpdk_flags", NULL},
	{"doca_general_flags", find_general_flag},
	{"doca_program_flags", find_program_flag},
};

/* Some files have no sections: flags of the program and general ones, side by side. */
static struct doca_argp_param *find_flag(struct argp *argp, const char *key)
{
	struct doca_argp_param *param = find_program_flag(argp, key);

	return param ? param : find_general_flag(argp, key);
}

static doca_error_t take_section(struct argp *argp, const char *file, const char *key,
				 struct json_object *object)
{
	struct doca_argp_param *param;

	for (size_t i = 0; i < COUNT(sections); i++) {
		if (strcmp(sections[i].name, key))
			continue;
		if (json_object_is_type(object, json_type_object))
			return sections[i].find ? take_flags(argp, file, &sections[i], object)
						: take_dpdk(argp, file, object);
		argp_err("%s: %s must be an object", file, key);
		return DOCA_ERROR_INVALID_VALUE;
	}
	param = find_flag(argp, key);
	if (param)
		return take_values(argp, file, param, object);
	if (argp->lenient)
		return DOCA_SUCCESS;
	argp_err("%s: unknown section '%s'; allowed: doca_dpdk_flags, doca_general_flags, "
		 "doca_program_flags, and the long names of flags (see -h)",
		 file, key);
	return DOCA_ERROR_NOT_SUPPORTED;
}

static int line_of(const char *text, size_t offset)
{
	int line = 1;

	for (size_t i = 0; i < offset; i++)
		line += text[i] == '\n';
	return line;
}

/* the object in text. IO_FAILED: it is no JSON object. NO_MEMORY */
static doca_error_t parse_object(const char *file, const char *text, size_t size,
				 struct json_object **ret_object)
{
	struct json_tokener *tokener = json_tokener_new_ex(DEPTH_MAX);
	enum json_tokener_error problem;
	struct json_object *object;
	size_t end;

	if (!tokener)
		return DOCA_ERROR_NO_MEMORY;
	object = json_tokener_parse_ex(tokener, text, size);
	problem = json_tokener_get_error(tokener);
	end = json_tokener_get_parse_end(tokener);
	if (problem == json_tokener_continue) { /* tell it that no more will come */
		object = json_tokener_parse_ex(tokener, "", 1);
		problem = json_tokener_get_error(tokener);
		end = size;
	}
	json_tokener_free(tokener);
	if (problem == json_tokener_success) {
		while (end < size && strchr(" \t\r\n", text[end]) && text[end])
			end++;
		if (end == size && json_object_is_type(object, json_type_object)) {
			*ret_object = object;
			return DOCA_SUCCESS;
		}
	}
	if (problem != json_tokener_success)
		argp_err("%s:%d: %s", file, line_of(text, end), json_tokener_error_desc(problem));
	else if (end < size)
		argp_err("%s:%d: something follows the JSON object", file, line_of(text, end));
	else
		argp_err("%s: not a JSON object", file);
	json_object_put(object);
	return DOCA_ERROR_IO_FAILED;
}

doca_error_t json_take(struct argp *argp, const char *file, const char *text, size_t size)
{
	struct json_object_iterator it, end;
	doca_error_t err;

	if (size > FILE_SIZE_MAX) {
		argp_err("%s: longer than %u bytes", file, FILE_SIZE_MAX);
		return DOCA_ERROR_IO_FAILED;
	}
	json_free(argp);
	argp->line_value_count = argp->value_count;
	err = parse_object(file, text, size, &argp->json);
	if (err)
		return err;
	it = json_object_iter_begin(argp->json);
	end = json_object_iter_end(argp->json);
	for (; !err && !json_object_iter_equal(&it, &end); json_object_iter_next(&it))
		err = take_section(argp, file, json_object_iter_peek_name(&it),
				   json_object_iter_peek_value(&it));
	return err;
}

void json_free(struct argp *argp)
{
	json_object_put(argp->json);
	argp->json = NULL;
}

/* reads to the end: the file may be a pipe. IO_FAILED, NO_MEMORY */
static doca_error_t read_file(const char *path, char **ret_text, size_t *ret_size)
{
	_cleanup_file_ FILE *file = fopen(path, "re");
	_cleanup_free_ char *text = NULL;
	size_t size = 0, capacity = 0, got;

	if (!file) {
		argp_err("%s: %s", path, strerror(errno));
		return DOCA_ERROR_IO_FAILED;
	}
	do {
		if (size == capacity) {
			char *more;

			capacity = capacity ? 2 * capacity : 4096;
			more = realloc(text, capacity);
			if (!more)
				return DOCA_ERROR_NO_MEMORY;
			text = more;
		}
		got = fread(text + size, 1, capacity - size, file);
		size += got;
	} while (got && size <= FILE_SIZE_MAX);
	if (ferror(file)) {
		argp_err("%s: %s", path, strerror(errno));
		return DOCA_ERROR_IO_FAILED;
	}
	*ret_text = text;
	*ret_size = size;
	text = NULL;
	return DOCA_SUCCESS;
}

doca_error_t json_load(struct argp *argp, const char *path)
{
	_cleanup_free_ char *text = NULL;
	size_t size = 0;
	doca_error_t err = read_file(path, &text, &size);

	return err ? err : json_take(argp, path, text, size);
}
