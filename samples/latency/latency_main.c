/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Command line and log of the sample latency.
 */
#include <stdlib.h>
#include <doca_argp.h>
#include <doca_log.h>
#include "latency.h"

DOCA_LOG_REGISTER(LATENCY::MAIN);

#define COUNT	  100000
#define COUNT_MIN 1000
#define COUNT_MAX 10000000

static doca_error_t set_count(void *param, void *config)
{
	struct latency_options *options = config;
	int count = *(int *)param;

	if (count < COUNT_MIN || count > COUNT_MAX) {
		DOCA_LOG_ERR("%d ping-pongs; %d to %d are possible", count, COUNT_MIN, COUNT_MAX);
		return DOCA_ERROR_INVALID_VALUE;
	}
	options->count = count;
	return DOCA_SUCCESS;
}

static doca_error_t register_options(struct latency_options *options)
{
	struct doca_argp_param *param;
	doca_error_t error = side_register_options(&options->side);

	options->count = COUNT;
	if (error == DOCA_SUCCESS)
		error = doca_argp_param_create(&param);
	if (error != DOCA_SUCCESS)
		return error;
	doca_argp_param_set_short_name(param, "c");
	doca_argp_param_set_long_name(param, "count");
	doca_argp_param_set_description(param, "How many ping-pongs the host measures");
	doca_argp_param_set_callback(param, set_count);
	doca_argp_param_set_type(param, DOCA_ARGP_TYPE_INT);
	return doca_argp_register_param(param);
}

int main(int argc, char **argv)
{
	struct doca_log_backend *sdk_log;
	struct latency_options options;
	doca_error_t error;

	if (doca_log_backend_create_standard() != DOCA_SUCCESS ||
	    doca_log_backend_create_with_file_sdk(stderr, &sdk_log) != DOCA_SUCCESS ||
	    doca_log_backend_set_sdk_level(sdk_log, DOCA_LOG_LEVEL_WARNING) != DOCA_SUCCESS)
		return EXIT_FAILURE;
	error = doca_argp_init("doca_latency", &options);
	if (error != DOCA_SUCCESS)
		return EXIT_FAILURE;
	error = register_options(&options);
	if (error == DOCA_SUCCESS)
		error = doca_argp_start(argc, argv);
	if (error == DOCA_SUCCESS) {
		error = latency_run(&options);
		if (error != DOCA_SUCCESS)
			DOCA_LOG_ERR("The measurement failed: %s", doca_error_get_descr(error));
	}
	doca_argp_destroy();
	return error == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
