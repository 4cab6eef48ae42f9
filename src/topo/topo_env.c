/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The SOFTFIELD_* variables that override single values of the topology. An empty variable is as
 * good as none, except SOFTFIELD_RUNTIME_DIR, where it means the abstract socket namespace.
 */
#include <string.h>

#include "topo/load.h"
#include "base/count.h"
#include "base/name_list.h"

static doca_error_t apply_connect_wait(struct topo *topo, const char *text, struct topo_why *why)
{
	return topo_setting_parse(&topo_wait_settings.rows[0], text, topo, why);
}

static doca_error_t apply_role(struct topo *topo, const char *text, struct topo_why *why)
{
	if (strcmp(text, "host") != 0 && strcmp(text, "dpu") != 0)
		return topo_refuse(why, "\"%.64s\" is neither \"host\" nor \"dpu\"", text);
	topo->side_visible[TOPO_HOST] = !strcmp(text, "host");
	topo->side_visible[TOPO_DPU] = !strcmp(text, "dpu");
	return DOCA_SUCCESS;
}

static doca_error_t apply_faults(struct topo *topo, const char *text, struct topo_why *why)
{
	return topo_settings_parse_list(&topo_fault_settings, text, &topo->faults,
					sizeof(topo->faults), why);
}

static doca_error_t apply_limits(struct topo *topo, const char *text, struct topo_why *why)
{
	doca_error_t err = topo_settings_parse_list(&topo_limit_settings, text, &topo->limits,
						    sizeof(topo->limits), why);

	return err ? err : topo_limits_check(&topo->limits, why);
}

/* link/takeover.c reads it whenever it is about to act; here is where a wrong value is refused */
static doca_error_t check_region(struct topo *topo, const char *text, struct topo_why *why)
{
	(void)topo;
	if (strcmp(text, "auto") != 0 && strcmp(text, "copy") != 0)
		return topo_refuse(why, "\"%.64s\" is neither \"auto\" nor \"copy\"", text);
	return DOCA_SUCCESS;
}

static const struct variable {
	const char *name;
	bool may_be_empty;
	doca_error_t (*apply)(struct topo *topo, const char *text, struct topo_why *why);
} variables[] = {
	{"SOFTFIELD_RUNTIME_DIR", true, topo_set_runtime_dir},
	{"SOFTFIELD_CONNECT_WAIT", false, apply_connect_wait},
	{"SOFTFIELD_ROLE", false, apply_role},
	{"SOFTFIELD_FAULTS", false, apply_faults},
	{"SOFTFIELD_LIMITS", false, apply_limits},
	{"SOFTFIELD_REGION", false, check_region},
};

doca_error_t topo_env_apply(struct topo *topo, char *(*get)(const char *name), struct topo_why *why)
{
	for (size_t i = 0; i < COUNT(variables); i++) {
		const char *text = get(variables[i].name);
		struct topo_why reason;
		doca_error_t err;

		if (!text || (!*text && !variables[i].may_be_empty))
			continue;
		err = variables[i].apply(topo, text, &reason);
		if (err == DOCA_ERROR_BAD_CONFIG)
			return topo_refuse(why, "%s: %.900s", variables[i].name, reason.text);
		if (err)
			return err;
	}
	return DOCA_SUCCESS;
}

/* Is it the name in front of '='? */
static bool is_named(const char *entry, const char *name)
{
	size_t size = strlen(name);

	return !strncmp(entry, name, size) && entry[size] == '=';
}

/* Does anybody read it? The ones below are read by topo.c and by core/log.c. */
static bool is_known(const char *entry)
{
	for (size_t i = 0; i < COUNT(variables); i++)
		if (is_named(entry, variables[i].name))
			return true;
	return is_named(entry, "SOFTFIELD_TOPOLOGY") || is_named(entry, "SOFTFIELD_LOG");
}

static const char *find_unknown(const char *const *environment)
{
	for (; environment && *environment; environment++) /* NULL after clearenv() */
		if (!strncmp(*environment, "SOFTFIELD_", 10) && !is_known(*environment))
			return *environment;
	return NULL;
}

bool topo_env_has_unknown(const char *const *environment, struct topo_why *why)
{
	const char *entry = find_unknown(environment);
	char names[512] = "SOFTFIELD_TOPOLOGY, SOFTFIELD_LOG";
	int size;

	if (!entry)
		return false;
	for (size_t i = 0; i < COUNT(variables); i++)
		name_list_add(names, sizeof(names), variables[i].name);
	size = (int)strcspn(entry, "=");
	topo_refuse(why, "no variable is called %.*s; there are %s", size < 64 ? size : 64, entry,
		    names);
	return true;
}
