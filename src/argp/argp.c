/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Life of the argument parser: set up, start (read everything, then call back), destroy.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#define LOG_MODULE "argp"
#include "argp/argp.h"
#include "base/log.h"
#include "core/log.h"

static struct argp *current;
static struct argp *destroyed; /* by one of its own callbacks, see doca_argp_destroy() */

struct argp *argp_current(void)
{
	return current;
}

struct argp *argp_configurable(void)
{
	return current && !current->started && !current->running ? current : NULL;
}

void argp_log(enum doca_log_level level, const struct log_place *place, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (current && current->logger_cb) {
		current->logger_cb(level, format, args);
	} else if (priv_log_has_reader()) {
		priv_log_vwrite(level, place, format, args);
	} else { /* nobody would see it, and the user has to */
		vfprintf(stderr, format, args);
		fputc('\n', stderr);
	}
	va_end(args);
}

static void free_all(struct argp *argp)
{
	cmd_fini(&argp->root);
	cmd_fini(&argp->doca);
	while (!list_is_empty(&argp->loose_params))
		param_free(container_of(argp->loose_params.next, struct doca_argp_param, node));
	while (!list_is_empty(&argp->loose_cmds))
		cmd_free(container_of(argp->loose_cmds.next, struct doca_argp_cmd, node));
	device_close_all(argp);
	dpdk_free(argp);
	json_free(argp);
	free(argp->values);
	free(argp->program_name);
	free(argp);
}

doca_error_t doca_argp_init(const char *program_name, void *program_config)
{
	struct argp *argp;
	doca_error_t err;

	if (current)
		return DOCA_ERROR_BAD_STATE;
	if (program_name && !*program_name)
		return DOCA_ERROR_INVALID_VALUE;
	argp = calloc(1, sizeof(*argp));
	if (!argp)
		return DOCA_ERROR_NO_MEMORY;
	argp->config = program_config;
	cmd_init(&argp->doca, NULL);
	cmd_init(&argp->root, &argp->doca);
	argp->selected = &argp->root;
	list_init(&argp->loose_params);
	list_init(&argp->loose_cmds);
	list_init(&argp->devices);
	current = argp;
	err = argp_copy_text(program_name, &argp->program_name) ? builtin_register(argp)
								: DOCA_ERROR_NO_MEMORY;
	if (err) {
		current = NULL;
		free_all(argp);
	}
	return err;
}

doca_error_t doca_argp_destroy(void)
{
	struct argp *argp = current;

	if (!argp)
		return DOCA_ERROR_BAD_STATE;
	current = NULL;
	if (argp->running)
		destroyed = argp; /* doca_argp_start() still needs it, unless the callback exits */
	else
		free_all(argp);
	return DOCA_SUCCESS;
}

_Noreturn void argp_leave(void)
{
	struct argp *argp = current ? current : destroyed;

	current = destroyed = NULL;
	if (argp)
		free_all(argp);
	exit(EXIT_SUCCESS);
}

doca_error_t doca_argp_register_param(struct doca_argp_param *input_param)
{
	struct argp *argp = argp_configurable();

	if (!input_param)
		return DOCA_ERROR_INVALID_VALUE;
	if (!argp)
		return DOCA_ERROR_BAD_STATE;
	if (argp->form_1_3)
		return param_register_1_3(argp, (const void *)input_param);
	return param_register(&argp->root, input_param);
}

doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback)
{
	struct argp *argp = argp_configurable();

	if (!callback)
		return DOCA_ERROR_INVALID_VALUE;
	if (!argp)
		return DOCA_ERROR_BAD_STATE;
	argp->version_cb = callback;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback)
{
	struct argp *argp = argp_configurable();

	if (!callback)
		return DOCA_ERROR_INVALID_VALUE;
	if (!argp)
		return DOCA_ERROR_BAD_STATE;
	argp->validation_cb = callback;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback)
{
	struct argp *argp = argp_configurable();

	if (!callback)
		return DOCA_ERROR_INVALID_VALUE;
	if (!argp)
		return DOCA_ERROR_BAD_STATE;
	if (argp->logger_cb)
		return DOCA_ERROR_ALREADY_EXIST;
	argp->logger_cb = callback;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_disable_logger_callback(void)
{
	struct argp *argp = argp_configurable();

	if (!argp)
		return DOCA_ERROR_BAD_STATE;
	argp->logger_cb = NULL;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_dev_open_callback(doca_argp_dev_open_cb_t callback, void *usr_ctx)
{
	struct argp *argp = argp_configurable();

	if (!callback)
		return DOCA_ERROR_INVALID_VALUE;
	if (!argp)
		return DOCA_ERROR_BAD_STATE;
	argp->dev_open_cb = callback;
	argp->dev_open_arg = usr_ctx;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_disable_pedantic_config_parsing(void)
{
	struct argp *argp = argp_configurable();

	if (!argp)
		return DOCA_ERROR_BAD_STATE;
	argp->lenient = true;
	return DOCA_SUCCESS;
}

void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback)
{
	struct argp *argp = argp_configurable();

	if (argp)
		argp->dpdk_cb = callback;
}

/* Everything that can be wrong with what was given, but for devices, is found out here. */
static doca_error_t read_all(struct argp *argp, int argc, char **argv)
{
	doca_error_t err = line_parse(argp, argc, argv);

	for (size_t i = 0; !err && i < argp->value_count; i++)
		if (argp->values[i].param == argp->json_path) {
			err = json_load(argp, argp->values[i].text);
			break;
		}
	return err ? err : value_check_all(argp);
}

static bool is_doca_flag(const struct argp *argp, const struct argp_value *value)
{
	return value->param->owner == &argp->doca;
}

/* a callback's answer, unless it has destroyed the parser */
static doca_error_t answer(const struct argp *argp, doca_error_t err)
{
	return err || destroyed != argp ? err : DOCA_ERROR_BAD_STATE;
}

static doca_error_t call_values(struct argp *argp, bool doca_flags)
{
	for (size_t i = 0; i < argp->value_count; i++) {
		doca_error_t err;

		if (is_doca_flag(argp, &argp->values[i]) != doca_flags)
			continue;
		err = answer(argp, value_call(argp, &argp->values[i]));
		if (err)
			return err;
	}
	return DOCA_SUCCESS;
}

/* from the outermost command to cmd */
static doca_error_t call_cmds(struct argp *argp, const struct doca_argp_cmd *cmd)
{
	doca_error_t err;

	if (cmd == &argp->root)
		return DOCA_SUCCESS;
	err = call_cmds(argp, cmd->parent);
	if (!err && cmd->callback)
		err = answer(argp, cmd->callback(argp->config));
	return err;
}

/*
 * Log levels come first, so that they hold for all that follows; then DPDK, which owns the devices.
 */
static doca_error_t call_all(struct argp *argp, char *program)
{
	doca_error_t err = call_values(argp, true);

	if (!err && argp->dpdk_cb)
		err = answer(argp, dpdk_call(argp, program));
	if (!err)
		err = call_values(argp, false);
	if (!err)
		err = call_cmds(argp, argp->selected);
	if (err || !argp->validation_cb)
		return err;
	if (!argp->form_1_3)
		return answer(argp, argp->validation_cb(argp->config));
	call_1_3((void (*)(void))argp->validation_cb, argp->config, NULL);
	return answer(argp, DOCA_SUCCESS);
}

static void forget_values(struct argp *argp)
{
	for (size_t i = 0; i < argp->value_count; i++)
		argp->values[i].param->uses = 0;
	argp->value_count = 0;
	argp->selected = &argp->root;
	json_free(argp);
	dpdk_free(argp);
}

static doca_error_t start(struct argp *argp, int argc, char **argv)
{
	doca_error_t err = read_all(argp, argc, argv);

	if (!err)
		return call_all(argp, argv[0]);
	if (err == DOCA_ERROR_INVALID_VALUE || err == DOCA_ERROR_NOT_SUPPORTED) {
		fputs("\n\n", stderr);
		usage_print(argp, argp->selected, stderr);
	}
	return err;
}

static bool is_command_line(int argc, char **argv)
{
	if (argc < 1 || !argv)
		return false;
	for (int i = 0; i < argc; i++)
		if (!argv[i])
			return false;
	return true;
}

doca_error_t doca_argp_start(int argc, char **argv)
{
	struct argp *argp = argp_configurable();
	char *bare[] = {program_invocation_name, NULL};
	doca_error_t err;

	if (!argc && !argv) { /* from code whose program has a command line of its own */
		argc = 1;
		argv = bare;
	}
	if (!is_command_line(argc, argv))
		return DOCA_ERROR_INVALID_VALUE;
	if (!argp)
		return DOCA_ERROR_BAD_STATE;
	if (!argp->program_name) {
		const char *slash = strrchr(argv[0], '/');

		if (!argp_copy_text(slash ? slash + 1 : argv[0], &argp->program_name))
			return DOCA_ERROR_NO_MEMORY;
	}
	argp->running = true;
	err = start(argp, argc, argv);
	argp->running = false;
	if (destroyed == argp) {
		destroyed = NULL;
		free_all(argp);
		return err;
	}
	if (err)
		forget_values(argp);
	argp->started = !err;
	return err;
}

doca_error_t doca_argp_get_log_level(int *log_level)
{
	if (!log_level)
		return DOCA_ERROR_INVALID_VALUE;
	*log_level = current && current->log_level ? current->log_level
						   : (int)doca_log_level_get_global_lower_limit();
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_get_sdk_log_level(int *log_level)
{
	if (!log_level)
		return DOCA_ERROR_INVALID_VALUE;
	*log_level = current && current->sdk_log_level ? current->sdk_log_level
						       : (int)doca_log_level_get_global_sdk_limit();
	return DOCA_SUCCESS;
}
