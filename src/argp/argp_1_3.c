/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parser of release 1.3, in terms of today's.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include "argp/argp.h"
#include "core/log.h"

static struct doca_argp_program_general_config general;

void call_1_3(void (*callback)(void), void *config, void *param)
{
	((argp_cb_1_3_t)callback)(config, param);
}

int log_level_from_1_3(int level)
{
	return level >= 0 && level <= 4 ? DOCA_LOG_LEVEL_CRIT + 10 * level : level;
}

/* A program that says that it uses DPDK leaves calling it to the parser. */
static doca_error_t start_dpdk(int argc, char **argv)
{
	int (*start)(int, char **) = (int (*)(int, char **))dlsym(RTLD_DEFAULT, "rte_eal_init");

	if (start && start(argc, argv) >= 0)
		return DOCA_SUCCESS;
	argp_err("%s", start ? "DPDK does not start" : "the program is not linked with DPDK");
	return DOCA_ERROR_INITIALIZATION;
}

doca_error_t softfield_argp_init_1_3(const char *program_name,
				     const struct doca_argp_program_type_config *type,
				     void *program_config)
{
	doca_error_t err = doca_argp_init(program_name, program_config);

	if (err) {
		argp_err("the parser cannot be set up: %s", doca_error_get_descr(err));
		return err;
	}
	priv_log_backend_add_default(); /* programs of that age have made none */
	if (type && type->is_dpdk)
		doca_argp_set_dpdk_program(start_dpdk);
	argp_current()->form_1_3 = true;
	return DOCA_SUCCESS;
}

/* what came later, JSON objects too, is unknown */
static enum doca_argp_type type_of(const struct softfield_argp_param_1_3 *form)
{
	if (form->arg_type > DOCA_ARGP_TYPE_BOOLEAN)
		return DOCA_ARGP_TYPE_UNKNOWN;
	return form->arg_type ? form->arg_type : DOCA_ARGP_TYPE_STRING; /* which was 0 then */
}

doca_error_t param_register_1_3(struct argp *argp, const struct softfield_argp_param_1_3 *form)
{
	struct doca_argp_param *param;
	doca_error_t err = param_new(argp, &param);

	if (err)
		return err;
	doca_argp_param_set_short_name(param, form->short_flag);
	doca_argp_param_set_long_name(param, form->long_flag);
	doca_argp_param_set_arguments(param, form->arguments);
	doca_argp_param_set_description(param, form->description ? form->description : "");
	param->type = type_of(form);
	param->callback_1_3 = form->callback;
	param->mandatory = form->is_mandatory;
	param->cli_only = form->is_cli_only;
	return param_register(&argp->root, param);
}

doca_error_t softfield_argp_start_1_3(int argc, char **argv,
				      struct doca_argp_program_general_config **general_config)
{
	doca_error_t err = doca_argp_start(argc, argv);

	if (err) {
		argp_err("the command line is not accepted: %s", doca_error_get_descr(err));
		exit(EXIT_FAILURE);
	}
	doca_argp_get_log_level(&general.log_level);
	if (general_config)
		*general_config = &general;
	return DOCA_SUCCESS;
}
