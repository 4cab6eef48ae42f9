/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPA threads: functions that run on a unit when something triggers them.
 */
#define LOG_MODULE "dpa"
#include "dpa/thread.h"

#include <stdlib.h>
#include "base/log.h"
#include "dpa/eu_affinity.h"
#include "dpa/activation.h"
#include "dpa/unit.h"
#include "dpa/thread_group.h"

/* bytes that its one argument may take, whatever its type is called */
#define THREAD_ARGS_SIZE 16u

static void pack(const struct softfield_dpa_func *func, void *args, ...)
{
	va_list ap;

	va_start(ap, args);
	func->pack(args, ap);
	va_end(ap);
}

void thread_activate(struct doca_dpa_thread *thread)
{
	struct activation activation;
	_Alignas(16) char args[THREAD_ARGS_SIZE];
	uint64_t value;
	enum activation_end end;

	/* One by one: the room for leaving it need not be cleared. */
	activation.dpa = dpa_base(thread->dpa);
	activation.thread = thread;
	activation.local_storage = thread->local_storage;
	activation.rank = thread->rank;
	activation.num_threads = thread->num_threads;
	activation.given_up = &thread->given_up;
	pack(thread->func, args, thread->arg);
	end = activation_run(&activation, thread->func, args, &value);
	if (end == ACTIVATION_RETURNED || end == ACTIVATION_FINISHED)
		atomic_store(&thread->finished, true);
}

void thread_trigger(struct doca_dpa_thread *thread)
{
	/* Sequentially consistent: pairs with may_sleep() in exec.c. */
	atomic_store(&thread->triggered, true);
	unit_call(thread->unit);
}

/*
 * Who triggers it
 */

static doca_error_t check_started(const struct doca_dpa_thread *thread)
{
	if (thread_is_started(thread))
		return DOCA_SUCCESS;
	LOG_ERR("DPA thread %u cannot be triggered by anything: it is not started", thread->id);
	return DOCA_ERROR_BAD_STATE;
}

doca_error_t thread_choose(const struct doca_dpa_thread *thread, struct doca_dpa *dpa,
			   uint64_t *ret_handle)
{
	doca_error_t err = dpa_check_same(dpa, thread->dpa, "a DPA thread");

	if (!err)
		err = check_started(thread);
	if (!err)
		*ret_handle = dpa_handle_of(thread->place);
	return err;
}

doca_error_t thread_attach(uint64_t handle, struct doca_dpa_thread **ret_thread)
{
	struct doca_dpa_thread *thread = dpa_object_at(handle, DPA_THREAD);
	doca_error_t err;

	if (!thread) {
		LOG_ERR("the DPA thread that was to be triggered has been destroyed");
		return DOCA_ERROR_BAD_STATE;
	}
	err = check_started(thread);
	if (err)
		return err;
	atomic_fetch_add(&thread->num_attached, 1);
	*ret_thread = thread;
	return DOCA_SUCCESS;
}

void thread_detach(struct doca_dpa_thread *thread)
{
	atomic_fetch_sub(&thread->num_attached, 1);
}

/*
 * Life
 */

doca_error_t doca_dpa_thread_create(struct doca_dpa *dpa, struct doca_dpa_thread **dpa_thread)
{
	struct doca_dpa_thread *thread;
	struct doca_dpa *base;

	if (!dpa || !dpa_thread)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa->is_started)
		return DOCA_ERROR_BAD_STATE;
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return DOCA_ERROR_NO_MEMORY;
	thread->place = priv_dpa_place_take(DPA_THREAD, thread);
	if (!thread->place) {
		free(thread);
		return DOCA_ERROR_NO_MEMORY;
	}
	thread->dpa = dpa;
	thread->num_threads = 1;
	list_init(&thread->unit_node);
	base = dpa_base(dpa);
	pthread_mutex_lock(&base->unit_lock);
	thread->id = base->next_thread_id++;
	pthread_mutex_unlock(&base->unit_lock);
	dpa_ref(dpa);
	*dpa_thread = thread;
	return DOCA_SUCCESS;
}

/* nobody triggers it any more */
static doca_error_t stop(struct doca_dpa_thread *thread)
{
	if (atomic_load(&thread->num_attached)) {
		LOG_ERR("DPA thread %u cannot be stopped: %u started objects are to trigger it",
			thread->id, atomic_load(&thread->num_attached));
		return DOCA_ERROR_IN_USE;
	}
	if (thread_is_grouped(thread)) {
		LOG_ERR("DPA thread %u cannot be stopped: its group is started", thread->id);
		return DOCA_ERROR_IN_USE;
	}
	atomic_store(&thread->given_up, true);
	if (!thread->dpa->is_inherited)
		unit_drop_thread(thread->unit, thread);
	thread->is_started = false;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_destroy(struct doca_dpa_thread *dpa_thread)
{
	doca_error_t err;

	if (!dpa_thread)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_thread->group) {
		LOG_ERR("DPA thread %u cannot be destroyed: it is in a group", dpa_thread->id);
		return DOCA_ERROR_IN_USE;
	}
	if (dpa_thread->is_started) {
		err = stop(dpa_thread);
		if (err)
			return err;
	}
	if (dpa_thread->affinity)
		eu_affinity_unref(dpa_thread->affinity);
	dpa_unref(dpa_thread->dpa);
	priv_dpa_place_give(dpa_thread->place);
	free(dpa_thread);
	return DOCA_SUCCESS;
}

static void forget_last_run(struct doca_dpa_thread *thread)
{
	atomic_store(&thread->runs, false);
	atomic_store(&thread->triggered, false);
	atomic_store(&thread->finished, false);
	atomic_store(&thread->given_up, false);
}

doca_error_t doca_dpa_thread_start(struct doca_dpa_thread *dpa_thread)
{
	unsigned int eu_id = DPA_EUS;
	struct unit *unit;
	doca_error_t err;

	if (!dpa_thread)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_thread->is_started || !dpa_thread->dpa->is_started)
		return DOCA_ERROR_BAD_STATE;
	if (!dpa_thread->func) {
		LOG_ERR("DPA thread %u cannot be started: it has no function, see "
			"doca_dpa_thread_set_func_arg()",
			dpa_thread->id);
		return DOCA_ERROR_BAD_STATE;
	}
	if (dpa_thread->affinity) {
		if (!dpa_thread->affinity->is_set) {
			LOG_ERR("DPA thread %u cannot be started: its affinity names no unit",
				dpa_thread->id);
			return DOCA_ERROR_BAD_STATE;
		}
		eu_id = dpa_thread->affinity->eu_id;
	}
	forget_last_run(dpa_thread);
	err = unit_take_thread(dpa_thread, eu_id, &unit);
	if (err) {
		LOG_ERR("DPA thread %u: no unit to run on: %s", dpa_thread->id,
			doca_error_get_name(err));
		return err;
	}
	dpa_thread->unit = unit;
	dpa_thread->is_started = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_stop(struct doca_dpa_thread *dpa_thread)
{
	if (!dpa_thread)
		return DOCA_ERROR_INVALID_VALUE;
	return dpa_thread->is_started ? stop(dpa_thread) : DOCA_ERROR_BAD_STATE;
}

doca_error_t doca_dpa_thread_run(struct doca_dpa_thread *dpa_thread)
{
	if (!dpa_thread)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa_thread->is_started || !dpa_thread->dpa->is_started)
		return DOCA_ERROR_BAD_STATE;
	atomic_store(&dpa_thread->runs, true);
	unit_call(dpa_thread->unit); /* it may have been triggered already */
	return DOCA_SUCCESS;
}

/*
 * Configuration
 */

doca_error_t doca_dpa_thread_set_func_arg(struct doca_dpa_thread *dpa_thread, doca_dpa_func_t *func,
					  uint64_t arg)
{
	const struct softfield_dpa_func *found;

	if (!dpa_thread || !func)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_thread->is_started)
		return DOCA_ERROR_BAD_STATE;
	found = dpa_find_func(dpa_thread->dpa, func);
	if (!found)
		return DOCA_ERROR_INVALID_VALUE;
	if (found->is_rpc || found->num_params > 1 || found->args_size > THREAD_ARGS_SIZE) {
		LOG_ERR("%s() cannot be a DPA thread's function: that is __dpa_global__ and takes "
			"one 64-bit argument",
			found->name);
		return DOCA_ERROR_INVALID_VALUE;
	}
	dpa_thread->func = found;
	dpa_thread->stub = func;
	dpa_thread->arg = arg;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_get_func_arg(struct doca_dpa_thread *dpa_thread,
					  doca_dpa_func_t **func, uint64_t *arg)
{
	if (!dpa_thread || !func || !arg)
		return DOCA_ERROR_INVALID_VALUE;
	*func = dpa_thread->stub;
	*arg = dpa_thread->arg;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_set_local_storage(struct doca_dpa_thread *dpa_thread,
					       doca_dpa_dev_uintptr_t dev_ptr)
{
	if (!dpa_thread)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_thread->is_started)
		return DOCA_ERROR_BAD_STATE;
	dpa_thread->local_storage = dev_ptr;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_get_local_storage(struct doca_dpa_thread *dpa_thread,
					       doca_dpa_dev_uintptr_t *dev_ptr)
{
	if (!dpa_thread || !dev_ptr)
		return DOCA_ERROR_INVALID_VALUE;
	*dev_ptr = dpa_thread->local_storage;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_set_affinity(struct doca_dpa_thread *dpa_thread,
					  const struct doca_dpa_eu_affinity *affinity)
{
	doca_error_t err;

	if (!dpa_thread || !affinity)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_thread->is_started)
		return DOCA_ERROR_BAD_STATE;
	err = dpa_check_same(dpa_thread->dpa, affinity->dpa, "an affinity");
	if (err)
		return err;
	eu_affinity_ref(affinity);
	if (dpa_thread->affinity)
		eu_affinity_unref(dpa_thread->affinity);
	dpa_thread->affinity = affinity;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_get_affinity(struct doca_dpa_thread *dpa_thread,
					  const struct doca_dpa_eu_affinity **affinity)
{
	if (!dpa_thread || !affinity)
		return DOCA_ERROR_INVALID_VALUE;
	*affinity = dpa_thread->affinity;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_get_id(struct doca_dpa_thread *dpa_thread, uint32_t *dpa_thread_id)
{
	if (!dpa_thread || !dpa_thread_id)
		return DOCA_ERROR_INVALID_VALUE;
	*dpa_thread_id = dpa_thread->id;
	return DOCA_SUCCESS;
}
