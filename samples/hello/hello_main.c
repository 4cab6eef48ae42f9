/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Command line and log of the sample hello.
 */
#include <stdlib.h>
#include <doca_argp.h>
#include <doca_log.h>
#include "hello.h"

DOCA_LOG_REGISTER(HELLO::MAIN);

int main(int argc, char **argv)
{
	struct doca_log_backend *sdk_log;
	struct side_options options;
	doca_error_t error;

	if (doca_log_backend_create_standard() != DOCA_SUCCESS ||
	    doca_log_backend_create_with_file_sdk(stderr, &sdk_log) != DOCA_SUCCESS ||
	    doca_log_backend_set_sdk_level(sdk_log, DOCA_LOG_LEVEL_WARNING) != DOCA_SUCCESS)
		return EXIT_FAILURE;
	error = doca_argp_init("doca_hello", &options);
	if (error != DOCA_SUCCESS)
		return EXIT_FAILURE;
	error = side_register_options(&options);
	if (error == DOCA_SUCCESS)
		error = doca_argp_start(argc, argv);
	if (error == DOCA_SUCCESS) {
		error = hello_run(&options);
		if (error != DOCA_SUCCESS)
			DOCA_LOG_ERR("The conversation failed: %s", doca_error_get_descr(error));
	}
	doca_argp_destroy();
	return error == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
