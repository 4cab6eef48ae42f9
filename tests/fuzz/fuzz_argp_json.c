/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a configuration file of a program: it is accepted or refused with a message, and
 * what is accepted reaches the callbacks with values of the right types. The first byte selects the
 * program: bit 0, it uses DPDK; bit 1, unknown keys are ignored.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "argp/argp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned int messages;

__attribute__((format(printf, 2, 0))) static doca_error_t
count_message(enum doca_log_level level, const char *format, va_list args)
{
	char text[256];

	assert(level == DOCA_LOG_LEVEL_ERROR);
	vsnprintf(text, sizeof(text), format, args);
	assert(text[0]);
	messages++;
	return DOCA_SUCCESS;
}

static doca_error_t take_text(void *param, void *config)
{
	assert(config && param && strlen(param) < SIZE_MAX);
	return DOCA_SUCCESS;
}

static doca_error_t take_number(void *param, void *config)
{
	int number;

	assert(config);
	memcpy(&number, param, sizeof(number));
	return DOCA_SUCCESS;
}

static doca_error_t take_real(void *param, void *config)
{
	assert(config && isfinite(*(double *)param));
	return DOCA_SUCCESS;
}

static doca_error_t take_yes(void *param, void *config)
{
	assert(config && *(bool *)param);
	return DOCA_SUCCESS;
}

static doca_error_t take_dpdk(int argc, char **argv)
{
	assert(argc > 0 && !argv[argc]);
	for (int i = 0; i < argc; i++)
		assert(argv[i]);
	return DOCA_SUCCESS;
}

static void add_params(void)
{
	static const struct {
		const char *name;
		enum doca_argp_type type;
		doca_argp_param_cb_t callback;
		bool multiple, cli_only;
	} params[] = {
		{"text", DOCA_ARGP_TYPE_STRING, take_text, false, false},
		{"number", DOCA_ARGP_TYPE_INT, take_number, false, false},
		{"real", DOCA_ARGP_TYPE_DOUBLE, take_real, true, false},
		{"yes", DOCA_ARGP_TYPE_BOOLEAN, take_yes, false, false},
		{"many", DOCA_ARGP_TYPE_STRING, take_text, true, false},
		{"cli", DOCA_ARGP_TYPE_STRING, take_text, false, true},
	};

	for (size_t i = 0; i < sizeof(params) / sizeof(params[0]); i++) {
		struct doca_argp_param *param;

		assert(!doca_argp_param_create(&param));
		doca_argp_param_set_long_name(param, params[i].name);
		doca_argp_param_set_description(param, "fuzzed");
		doca_argp_param_set_type(param, params[i].type);
		doca_argp_param_set_callback(param, params[i].callback);
		param->multiple = params[i].multiple;
		param->cli_only = params[i].cli_only;
		assert(!doca_argp_register_param(param));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct argp *argp;

	if (!size)
		return 0;
	messages = 0;
	assert(!doca_argp_init("fuzz", &messages));
	argp = argp_current();
	assert(!doca_argp_register_logger_callback(count_message));
	add_params();
	if (data[0] & 1)
		doca_argp_set_dpdk_program(take_dpdk);
	if (data[0] & 2)
		assert(!doca_argp_disable_pedantic_config_parsing());
	if (json_take(argp, "fuzz", (const char *)data + 1, size - 1)) {
		assert(messages == 1);
	} else {
		assert(!messages && !value_check_all(argp));
		for (size_t i = 0; i < argp->value_count; i++)
			/* a wrong log level is found here */
			assert(!value_call(argp, &argp->values[i]) || messages);
		if (argp->dpdk_cb)
			assert(!dpdk_call(argp, (char *)"fuzz"));
	}
	assert(!doca_argp_destroy());
	return 0;
}
