/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notification completions: by which DPA code lets a DPA thread run.
 */
#define LOG_MODULE "dpa"
#include <stdlib.h>
#include "base/log.h"
#include "doca_dpa_dev.h"
#include "dpa/exec.h"
#include "dpa/thread.h"

struct doca_dpa_notification_completion {
	struct dpa_garbage garbage;
	struct doca_dpa *dpa;
	struct doca_dpa_thread *thread;
	atomic_bool is_started;
};

void doca_dpa_dev_thread_notify(doca_dpa_dev_notification_completion_t comp_handle)
{
	const struct doca_dpa_notification_completion *completion =
		(const struct doca_dpa_notification_completion *)(uintptr_t)comp_handle;

	if (completion->is_started) /* programs stop it before the threads that notify */
		thread_trigger(completion->thread);
	activation_check();
}

doca_error_t
doca_dpa_notification_completion_create(struct doca_dpa *dpa, struct doca_dpa_thread *dpa_thread,
					struct doca_dpa_notification_completion **notify_comp)
{
	struct doca_dpa_notification_completion *completion;
	doca_error_t err;

	if (!dpa || !dpa_thread || !notify_comp)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa->is_started)
		return DOCA_ERROR_BAD_STATE;
	completion = calloc(1, sizeof(*completion));
	if (!completion)
		return DOCA_ERROR_NO_MEMORY;
	err = thread_name(dpa_thread);
	if (err) {
		free(completion);
		return err;
	}
	completion->dpa = dpa;
	completion->thread = dpa_thread;
	dpa_ref(dpa);
	*notify_comp = completion;
	return DOCA_SUCCESS;
}

static void release(struct dpa_garbage *garbage)
{
	free(container_of(garbage, struct doca_dpa_notification_completion, garbage));
}

doca_error_t
doca_dpa_notification_completion_destroy(struct doca_dpa_notification_completion *notify_comp)
{
	if (!notify_comp)
		return DOCA_ERROR_INVALID_VALUE;
	if (notify_comp->is_started)
		doca_dpa_notification_completion_stop(notify_comp);
	thread_unname(notify_comp->thread);
	dpa_unref(notify_comp->dpa);
	notify_comp->garbage.release = release;
	garbage_discard(&notify_comp->garbage);
	return DOCA_SUCCESS;
}

doca_error_t
doca_dpa_notification_completion_get_thread(struct doca_dpa_notification_completion *notify_comp,
					    struct doca_dpa_thread **dpa_thread)
{
	if (!notify_comp || !dpa_thread)
		return DOCA_ERROR_INVALID_VALUE;
	*dpa_thread = notify_comp->thread;
	return DOCA_SUCCESS;
}

doca_error_t
doca_dpa_notification_completion_start(struct doca_dpa_notification_completion *notify_comp)
{
	doca_error_t err;

	if (!notify_comp)
		return DOCA_ERROR_INVALID_VALUE;
	if (notify_comp->is_started)
		return DOCA_ERROR_BAD_STATE;
	err = thread_attach(notify_comp->thread);
	if (err)
		return err;
	notify_comp->is_started = true;
	return DOCA_SUCCESS;
}

doca_error_t
doca_dpa_notification_completion_stop(struct doca_dpa_notification_completion *notify_comp)
{
	if (!notify_comp)
		return DOCA_ERROR_INVALID_VALUE;
	if (!notify_comp->is_started)
		return DOCA_ERROR_BAD_STATE;
	thread_detach(notify_comp->thread);
	notify_comp->is_started = false;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_notification_completion_get_dpa_handle(
	struct doca_dpa_notification_completion *notify_comp,
	doca_dpa_dev_notification_completion_t *handle)
{
	if (!notify_comp || !handle)
		return DOCA_ERROR_INVALID_VALUE;
	if (!notify_comp->is_started)
		return DOCA_ERROR_BAD_STATE;
	*handle = (uintptr_t)notify_comp;
	return DOCA_SUCCESS;
}
