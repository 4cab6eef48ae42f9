/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Applications: tables of functions that dpacc has put into the program.
 */
#define LOG_MODULE "dpa"
#include "dpa/dpa.h"

#include <stdlib.h>
#include "base/log.h"
#include "dpa/text.h"

doca_error_t doca_dpa_app_get_name(struct doca_dpa_app *app, char *app_name, uint32_t *app_name_len)
{
	size_t size;
	doca_error_t err;

	if (!app || !app_name_len || (!app_name && *app_name_len))
		return DOCA_ERROR_INVALID_VALUE;
	err = text_give(app->name, app_name, *app_name_len, &size);
	*app_name_len = (uint32_t)size;
	return err;
}

doca_error_t doca_dpa_app_name_get(struct doca_dpa_app *app, char *app_name, size_t *app_name_len)
{
	size_t size;
	doca_error_t err;

	if (!app || !app_name_len || (!app_name && *app_name_len))
		return DOCA_ERROR_INVALID_VALUE;
	err = text_give(app->name, app_name, *app_name_len, &size);
	*app_name_len = size;
	return err;
}

const struct softfield_dpa_func *dpa_find_func(const struct doca_dpa *dpa, doca_dpa_func_t *stub)
{
	const struct doca_dpa_app *app = dpa->base ? dpa->base->app : dpa->app;

	for (uint32_t i = 0; app && i < app->num_funcs; i++) {
		if (app->funcs[i].stub == stub)
			return &app->funcs[i];
	}
	LOG_ERR("application %s of %u functions has none with its stub at %p: is it marked "
		"__dpa_global__ or __dpa_rpc__, and from this application?",
		app ? app->name : "(not set)", app ? app->num_funcs : 0, *(void **)&stub);
	return NULL;
}

void *dpa_alloc_args(const struct softfield_dpa_func *func)
{
	return malloc(func->args_size + 1); /* aligned to 16, as the table promises */
}
