/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPA contexts. What is made from one counts in it, and so do contexts that extend it: it cannot be
 * stopped or destroyed before them.
 */
#define LOG_MODULE "dpa"
#include "dpa/dpa.h"

#include <stdlib.h>
#include "base/log.h"
#include "base/no_cancel.h"
#include "dpa/unit.h"
#include "softfield_dpa_2_7.h"

/* Seconds: as good as for ever, and programs may multiply it. */
#define KERNEL_MAX_RUN_TIME UINT32_MAX

static void disown(struct fork_watch *watch)
{
	struct doca_dpa *dpa = container_of(watch, struct doca_dpa, fork_watch);

	dpa->is_inherited = true;
	dpa->is_started = false;
	pthread_mutex_init(&dpa->mem_lock, NULL); /* whoever had it is not here */
}

static doca_error_t create(struct doca_dev *dev, struct doca_dpa *base, struct doca_dpa **ret_dpa)
{
	struct doca_dpa *dpa = calloc(1, sizeof(*dpa));

	if (!dpa)
		return DOCA_ERROR_NO_MEMORY;
	dpa->dev = dev;
	dpa->base = base;
	dpa->log_level = DOCA_DPA_DEV_LOG_LEVEL_INFO;
	pthread_mutex_init(&dpa->mem_lock, NULL);
	list_init(&dpa->freed);
	list_init(&dpa->launches);
	pthread_mutex_init(&dpa->rpc_lock, NULL);
	priv_dev_use(dev);
	priv_fork_watch(&dpa->fork_watch, disown);
	*ret_dpa = dpa;
	return DOCA_SUCCESS;
}

static void release(struct doca_dpa *dpa)
{
	priv_fork_unwatch(&dpa->fork_watch);
	if (dpa->is_inherited)
		kernels_forget(dpa);
	dpa_mem_free_all(dpa);
	pthread_mutex_destroy(&dpa->mem_lock);
	pthread_mutex_destroy(&dpa->rpc_lock);
	free(dpa->log_path);
	free(dpa->trace_path);
	priv_dev_release(dpa->dev);
	free(dpa);
}

/* one that extends another has none of this: it is the other one's */
static doca_error_t start(struct doca_dpa *dpa)
{
	doca_error_t err;
	NO_CANCEL();

	err = dpa_log_start(dpa);
	if (err)
		return err;
	units_init(dpa);
	return DOCA_SUCCESS;
}

static void stop(struct doca_dpa *dpa)
{
	NO_CANCEL();

	dpa->is_started = false;
	if (dpa->base)
		return;
	units_end(dpa);
	dpa_log_stop(dpa);
}

/* IN_USE: it has children */
static doca_error_t check_unused(struct doca_dpa *dpa, const char *what)
{
	/* Acquire: pairs with the release in dpa_unref(); who was the child is done. */
	uint32_t count = atomic_load_explicit(&dpa->num_children, memory_order_acquire);

	if (!count)
		return DOCA_SUCCESS;
	LOG_ERR("DPA context cannot be %s: %u objects made from it or attached to it exist", what,
		count);
	return DOCA_ERROR_IN_USE;
}

static doca_error_t check_app(const struct doca_dpa_app *app)
{
	if (app->version == SOFTFIELD_DPA_APP_VERSION)
		return DOCA_SUCCESS;
	LOG_ERR("DPA application is in format %u of dpacc, this library knows %u: build it again",
		app->version, SOFTFIELD_DPA_APP_VERSION);
	return DOCA_ERROR_INVALID_VALUE;
}

/* Here and not in hook.c, where nothing refers to it: a static library would leave it out. */
__attribute__((constructor)) static void install_hook(void)
{
	priv_dpa = &dpa_hook_ops;
}

doca_error_t doca_dpa_create(struct doca_dev *dev, struct doca_dpa **dpa)
{
	return dev && dpa ? create(dev, NULL, dpa) : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_dpa_destroy(struct doca_dpa *dpa)
{
	doca_error_t err;

	if (!dpa)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_unused(dpa, "destroyed");
	if (err)
		return err;
	if (dpa->is_started)
		stop(dpa);
	if (dpa->base)
		dpa_unref(dpa->base);
	release(dpa);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_start(struct doca_dpa *dpa)
{
	doca_error_t err;

	if (!dpa)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa->is_started || dpa->is_inherited || (dpa->base && !dpa->base->is_started))
		return DOCA_ERROR_BAD_STATE;
	if (!dpa_base(dpa)->app) {
		LOG_ERR("DPA context cannot start: doca_dpa_set_app() has not been called");
		return DOCA_ERROR_BAD_STATE;
	}
	err = dpa->base ? DOCA_SUCCESS : start(dpa);
	if (err)
		return err;
	dpa->is_started = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_stop(struct doca_dpa *dpa)
{
	doca_error_t err;

	if (!dpa)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa->is_started)
		return DOCA_ERROR_BAD_STATE;
	err = check_unused(dpa, "stopped");
	if (err)
		return err;
	stop(dpa);
	return DOCA_SUCCESS;
}

doca_error_t softfield_dpa_create_2_7(struct doca_dev *dev, struct doca_dpa_app *app,
				      struct doca_dpa **dpa)
{
	struct doca_dpa *new_dpa;
	doca_error_t err;

	if (!dev || !app || !dpa)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_app(app);
	if (err)
		return err;
	err = create(dev, NULL, &new_dpa);
	if (err)
		return err;
	new_dpa->app = app;
	err = doca_dpa_start(new_dpa);
	if (err) {
		release(new_dpa);
		return err;
	}
	*dpa = new_dpa;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_set_app(struct doca_dpa *dpa, struct doca_dpa_app *app)
{
	doca_error_t err;

	if (!dpa || !app)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa->base)
		return DOCA_ERROR_NOT_PERMITTED;
	if (dpa->is_started)
		return DOCA_ERROR_BAD_STATE;
	err = check_app(app);
	if (err)
		return err;
	dpa->app = app;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_get_app(struct doca_dpa *dpa, struct doca_dpa_app **app)
{
	if (!dpa || !app)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa_base(dpa)->app)
		return DOCA_ERROR_BAD_STATE;
	*app = dpa_base(dpa)->app;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_device_extend(struct doca_dpa *dpa, struct doca_dev *other_dev,
				    struct doca_dpa **extended_dpa)
{
	doca_error_t err;

	if (!dpa || !other_dev || !extended_dpa)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa->base) {
		LOG_ERR("a DPA context that extends another one cannot be extended");
		return DOCA_ERROR_NOT_PERMITTED;
	}
	if (!dpa->is_started)
		return DOCA_ERROR_BAD_STATE;
	err = create(other_dev, dpa, extended_dpa);
	if (err)
		return err;
	(*extended_dpa)->is_started = true;
	dpa_ref(dpa);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_get_dpa_handle(struct doca_dpa *dpa, doca_dpa_dev_t *handle)
{
	if (!dpa || !handle)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa->is_started)
		return DOCA_ERROR_BAD_STATE;
	*handle = (uintptr_t)dpa;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_get_uar_id(const struct doca_dpa *dpa, uint32_t *uar_id)
{
	if (!dpa || !uar_id)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa->is_started)
		return DOCA_ERROR_BAD_STATE;
	*uar_id = 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_get_kernel_max_run_time(const struct doca_dpa *dpa, unsigned long long *value)
{
	if (!dpa || !value)
		return DOCA_ERROR_INVALID_VALUE;
	*value = KERNEL_MAX_RUN_TIME;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_get_core_num(struct doca_dpa *dpa, unsigned int *num_cores)
{
	if (!dpa || !num_cores)
		return DOCA_ERROR_INVALID_VALUE;
	*num_cores = DPA_CORES;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_get_num_eus_per_core(struct doca_dpa *dpa, unsigned int *eus_per_core)
{
	if (!dpa || !eus_per_core)
		return DOCA_ERROR_INVALID_VALUE;
	*eus_per_core = DPA_EUS_PER_CORE;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_get_total_num_eus_available(struct doca_dpa *dpa, unsigned int *total_num_eus)
{
	if (!dpa || !total_num_eus)
		return DOCA_ERROR_INVALID_VALUE;
	*total_num_eus = DPA_EUS;
	return DOCA_SUCCESS;
}

uint32_t dpa_queue_size(uint32_t count, const char *what)
{
	if (count && count <= DPA_MAX_QUEUE_SIZE)
		return round_up_pow2(count);
	LOG_ERR("%s with %u entries; 1 to %u are possible", what, count, DPA_MAX_QUEUE_SIZE);
	return 0;
}

doca_error_t dpa_check_same(struct doca_dpa *dpa, struct doca_dpa *other, const char *what)
{
	if (dpa_base(dpa) == dpa_base(other))
		return DOCA_SUCCESS;
	LOG_ERR("%s of another DPA context, which neither extends this one nor is extended by it",
		what);
	return DOCA_ERROR_INVALID_VALUE;
}

void dpa_fail(struct doca_dpa *dpa, const char *what)
{
	if (!atomic_exchange(&dpa_base(dpa)->has_failed, true))
		LOG_ERR("fatal error of DPA code: %s; on a card, it ends here", what);
}

doca_error_t doca_dpa_peek_at_last_error(const struct doca_dpa *dpa)
{
	if (!dpa)
		return DOCA_ERROR_INVALID_VALUE;
	return atomic_load(&(dpa->base ? dpa->base : dpa)->has_failed) ? DOCA_ERROR_BAD_STATE
								       : DOCA_SUCCESS;
}
