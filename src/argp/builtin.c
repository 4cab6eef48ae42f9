/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The flags that every program has: help, version, log levels, configuration file.
 */
#include <stdio.h>
#include "argp/argp.h"
#include "base/count.h"
#include "doca_version.h"

#define LEVELS "<10=DISABLE, 20=CRITICAL, 30=ERROR, 40=WARNING, 50=INFO, 60=DEBUG, 70=TRACE>"

static doca_error_t show_help(void *param, void *config)
{
	(void)param;
	(void)config;
	usage_print(argp_current(), argp_current()->selected, stdout);
	argp_leave();
}

static doca_error_t show_version(void *param, void *config)
{
	doca_argp_param_cb_t callback = argp_current()->version_cb;
	doca_error_t err;

	if (callback && argp_current()->form_1_3) {
		call_1_3((void (*)(void))callback, config, param);
	} else if (callback) {
		err = callback(param, config); /* may destroy everything, may leave by itself */
		if (err)
			return err;
	} else {
		printf("DOCA SDK     Version (Compilation): %s\n", doca_version());
		printf("DOCA Runtime Version (Runtime):     %s\n", doca_version_runtime());
	}
	argp_leave();
}

static doca_error_t set_log_level(void *param, void *config)
{
	int given = *(int *)param;
	int level = argp_current()->form_1_3 ? log_level_from_1_3(given) : given;
	doca_error_t err = doca_log_level_set_global_lower_limit(level);

	(void)config;
	if (err)
		argp_err("flag -l/--log-level: %d is not a log level; allowed: " LEVELS, level);
	else
		argp_current()->log_level = level;
	return err;
}

static doca_error_t set_sdk_log_level(void *param, void *config)
{
	int level = *(int *)param;
	doca_error_t err = doca_log_level_set_global_sdk_limit(level);

	(void)config;
	if (err)
		argp_err("flag --sdk-log-level: %d is not a log level; allowed: " LEVELS, level);
	else
		argp_current()->sdk_log_level = level;
	return err;
}

/* loaded by doca_argp_start(), before any callback */
static doca_error_t do_nothing(void *param, void *config)
{
	(void)param;
	(void)config;
	return DOCA_SUCCESS;
}

static const struct {
	const char *short_name, *long_name, *arguments, *description;
	doca_argp_param_cb_t callback;
	enum doca_argp_type type;
	bool cli_only;
} builtins[] = {
	{"h", "help", NULL, "Print a help synopsis", show_help, DOCA_ARGP_TYPE_BOOLEAN, true},
	{"v", "version", NULL, "Print program version information", show_version,
	 DOCA_ARGP_TYPE_BOOLEAN, true},
	{"l", "log-level", NULL, "Set the (numeric) log level for the program " LEVELS,
	 set_log_level, DOCA_ARGP_TYPE_INT, false},
	{NULL, "sdk-log-level", NULL, "Set the SDK (numeric) log level for the program " LEVELS,
	 set_sdk_log_level, DOCA_ARGP_TYPE_INT, false},
	{"j", "json", "<path>", "Parse command line flags from an input json file", do_nothing,
	 DOCA_ARGP_TYPE_STRING, true},
};

doca_error_t builtin_register(struct argp *argp)
{
	for (size_t i = 0; i < COUNT(builtins); i++) {
		struct doca_argp_param *param;
		doca_error_t err = doca_argp_param_create(&param);

		if (err)
			return err;
		doca_argp_param_set_short_name(param, builtins[i].short_name);
		doca_argp_param_set_long_name(param, builtins[i].long_name);
		doca_argp_param_set_arguments(param, builtins[i].arguments);
		doca_argp_param_set_description(param, builtins[i].description);
		doca_argp_param_set_callback(param, builtins[i].callback);
		doca_argp_param_set_type(param, builtins[i].type);
		param->cli_only = builtins[i].cli_only;
		param->inherited = true;
		err = param_register(&argp->doca, param);
		if (err)
			return err;
		if (builtins[i].callback == show_help)
			argp->help = param;
		else if (builtins[i].callback == show_version)
			argp->version = param;
		else if (builtins[i].callback == do_nothing)
			argp->json_path = param;
	}
	return DOCA_SUCCESS;
}
