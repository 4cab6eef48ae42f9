/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flags that a DPDK program hands to DPDK: what stands before "--" on the command line, or else the
 * section doca_dpdk_flags of the configuration file.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>
#include "argp/argp.h"
#include "base/cleanup.h"
#include "base/count.h"

static doca_error_t append(struct argp *argp, char *flag)
{
	char **flags;

	if (!flag)
		return DOCA_ERROR_NO_MEMORY;
	flags = realloc(argp->dpdk_flags, (argp->dpdk_flag_count + 1) * sizeof(*flags));
	if (!flags) {
		free(flag);
		return DOCA_ERROR_NO_MEMORY;
	}
	flags[argp->dpdk_flag_count++] = flag;
	argp->dpdk_flags = flags;
	return DOCA_SUCCESS;
}

doca_error_t dpdk_add_flag(struct argp *argp, const char *flag)
{
	return append(argp, strdup(flag));
}

__attribute__((format(printf, 2, 3))) static doca_error_t add_format(struct argp *argp,
								     const char *format, ...)
{
	va_list args;
	char *flag;
	int size;

	va_start(args, format);
	size = vasprintf(&flag, format, args);
	va_end(args);
	return append(argp, size < 0 ? NULL : flag);
}

static doca_error_t refuse(const char *file, const char *key, struct json_object *value,
			   const char *expected)
{
	argp_err("%s: doca_dpdk_flags: %s: %s is not %s", file, key,
		 json_object_to_json_string(value), expected);
	return DOCA_ERROR_INVALID_VALUE;
}

static const char *get_text(struct json_object *object, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(object, key, &value) ? json_text(value) : NULL;
}

/* what DPDK is told of a member that is true; NULL: it is neither true nor false */
static const char *get_option(struct json_object *object, const char *key, const char *option)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value))
		return "";
	if (!json_object_is_type(value, json_type_boolean))
		return NULL;
	return json_object_get_boolean(value) ? option : "";
}

static doca_error_t add_option(struct argp *argp, const char *name, const char *text)
{
	doca_error_t err = dpdk_add_flag(argp, name);

	return err ? err : dpdk_add_flag(argp, text);
}

/* {"device": "sf", "id": "4", "hws": true}, or the text that DPDK's own -a takes */
static doca_error_t take_device(struct argp *argp, const char *file, struct json_object *object)
{
	static const struct {
		const char *kind, *before, *after;
	} kinds[] = {{"pf", "", ""},
		     {"vf", "", ""},
		     {"gpu", "", ""},
		     {"regex", "", ",class=regex"},
		     {"sf", "auxiliary:mlx5_core.sf.", ""}};
	const char *text = json_text(object);
	const char *kind, *id, *sft, *hws;
	doca_error_t err;

	if (text)
		return add_option(argp, "-a", text);
	kind = get_text(object, "device");
	id = get_text(object, "id");
	sft = get_option(object, "sft", ",sft_en=1");
	hws = get_option(object, "hws", ",dv_flow_en=2");
	if (!sft || !hws)
		return refuse(file, "devices", object,
			      "an object whose \"sft\" and \"hws\" are true or false");
	for (size_t i = 0; kind && id && i < COUNT(kinds); i++) {
		if (strcmp(kinds[i].kind, kind))
			continue;
		err = dpdk_add_flag(argp, "-a");
		return err ? err
			   : add_format(argp, "%s%s%s%s%s", kinds[i].before, id, kinds[i].after,
					sft, hws);
	}
	return refuse(
		file, "devices", object,
		"an object with \"device\" (pf, vf, sf, gpu or regex) and \"id\", both strings");
}

static doca_error_t take_devices(struct argp *argp, const char *file, struct json_object *value)
{
	size_t count;

	if (!json_object_is_type(value, json_type_array))
		return refuse(file, "devices", value, "an array");
	count = json_object_array_length(value);
	for (size_t i = 0; i < count; i++) {
		doca_error_t err = take_device(argp, file, json_object_array_get_idx(value, i));

		if (err)
			return err;
	}
	return DOCA_SUCCESS;
}

/* json-c makes UINT64_MAX of all that is larger, for which there is the string. */
static bool is_mask(struct json_object *value)
{
	return json_object_is_type(value, json_type_int) && json_object_get_int64(value) >= 0 &&
	       json_object_get_uint64(value) != UINT64_MAX;
}

static doca_error_t take_core_mask(struct argp *argp, const char *file, struct json_object *value)
{
	const char *text = json_text(value);
	doca_error_t err;

	if (text)
		return add_option(argp, "-c", text);
	if (!is_mask(value))
		return refuse(file, "core-mask", value,
			      "a number from 0 to 18446744073709551614 or a string");
	err = dpdk_add_flag(argp, "-c");
	if (err)
		return err;
	return add_format(argp, "0x%llx", (unsigned long long)json_object_get_uint64(value));
}

static doca_error_t take_core_list(struct argp *argp, const char *file, struct json_object *value)
{
	const char *text = json_text(value);

	if (!text)
		return refuse(file, "core-list", value, "a string such as \"0-4\"");
	return add_option(argp, "-l", text);
}

static doca_error_t take_flags(struct argp *argp, const char *file, struct json_object *value)
{
	const char *text = json_text(value);
	_cleanup_free_ char *copy = NULL;
	doca_error_t err = DOCA_SUCCESS;
	char *rest, *flag;

	if (!text)
		return refuse(file, "flags", value, "a string");
	copy = strdup(text);
	if (!copy)
		return DOCA_ERROR_NO_MEMORY;
	for (flag = strtok_r(copy, " \t\n", &rest); flag && !err;
	     flag = strtok_r(NULL, " \t\n", &rest))
		err = dpdk_add_flag(argp, flag);
	return err;
}

static const struct {
	const char *name;
	doca_error_t (*take)(struct argp *argp, const char *file, struct json_object *value);
} keys[] = {
	{"devices", take_devices},
	{"core-mask", take_core_mask},
	{"core-list", take_core_list},
	{"flags", take_flags},
};

static doca_error_t take_key(struct argp *argp, const char *file, const char *name,
			     struct json_object *value)
{
	for (size_t i = 0; i < COUNT(keys); i++)
		if (!strcmp(keys[i].name, name))
			return keys[i].take(argp, file, value);
	if (argp->lenient)
		return DOCA_SUCCESS;
	argp_err("%s: unknown key '%s' in doca_dpdk_flags; allowed: devices, core-mask, core-list, "
		 "flags",
		 file, name);
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t dpdk_take_json(struct argp *argp, const char *file, struct json_object *section)
{
	struct json_object_iterator it = json_object_iter_begin(section);
	struct json_object_iterator end = json_object_iter_end(section);
	doca_error_t err = DOCA_SUCCESS;

	if (argp->dpdk_flag_count)
		return DOCA_SUCCESS; /* the command line has them */
	for (; !err && !json_object_iter_equal(&it, &end); json_object_iter_next(&it))
		err = take_key(argp, file, json_object_iter_peek_name(&it),
			       json_object_iter_peek_value(&it));
	return err;
}

doca_error_t dpdk_call(struct argp *argp, char *program)
{
	/* An array of its own: DPDK moves the entries about. */
	_cleanup_free_ char **argv = calloc(argp->dpdk_flag_count + 2, sizeof(*argv));

	if (!argv)
		return DOCA_ERROR_NO_MEMORY;
	argv[0] = program;
	for (size_t i = 0; i < argp->dpdk_flag_count; i++)
		argv[i + 1] = argp->dpdk_flags[i];
	return argp->dpdk_cb(argp->dpdk_flag_count + 1, argv);
}

void dpdk_free(struct argp *argp)
{
	for (size_t i = 0; i < argp->dpdk_flag_count; i++)
		free(argp->dpdk_flags[i]);
	free(argp->dpdk_flags);
	argp->dpdk_flags = NULL;
	argp->dpdk_flag_count = 0;
}
