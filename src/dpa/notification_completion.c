/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notification completions: by which DPA code lets a DPA thread run.
 */
#include <stdlib.h>
#include "doca_dpa_dev.h"
#include "dpa/activation.h"
#include "dpa/thread.h"

struct doca_dpa_notification_completion {
	struct dpa_place *place;
	struct doca_dpa *dpa;
	uint64_t thread_handle;
	struct doca_dpa_thread *thread; /* attached while it is started; of the place's lock */
	bool is_started;		/* of the place's lock */
};

void doca_dpa_dev_thread_notify(doca_dpa_dev_notification_completion_t comp_handle)
{
	const struct doca_dpa_notification_completion *completion =
		dpa_object_lock(comp_handle, DPA_NOTIFICATION);

	if (completion) {
		if (completion->is_started) /* programs stop it before the threads that notify */
			thread_trigger(completion->thread);
		dpa_object_unlock(comp_handle);
	}
	activation_check();
}

doca_error_t
doca_dpa_notification_completion_create(struct doca_dpa *dpa, struct doca_dpa_thread *dpa_thread,
					struct doca_dpa_notification_completion **notify_comp)
{
	struct doca_dpa_notification_completion *completion;
	uint64_t thread_handle;
	doca_error_t err;

	if (!dpa || !dpa_thread || !notify_comp)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa->is_started)
		return DOCA_ERROR_BAD_STATE;
	err = thread_choose(dpa_thread, dpa, &thread_handle);
	if (err)
		return err;
	completion = calloc(1, sizeof(*completion));
	if (!completion)
		return DOCA_ERROR_NO_MEMORY;
	completion->place = priv_dpa_place_take(DPA_NOTIFICATION, completion);
	if (!completion->place) {
		free(completion);
		return DOCA_ERROR_NO_MEMORY;
	}
	completion->dpa = dpa;
	completion->thread_handle = thread_handle;
	dpa_ref(dpa);
	*notify_comp = completion;
	return DOCA_SUCCESS;
}

doca_error_t
doca_dpa_notification_completion_destroy(struct doca_dpa_notification_completion *notify_comp)
{
	if (!notify_comp)
		return DOCA_ERROR_INVALID_VALUE;
	if (notify_comp->is_started)
		doca_dpa_notification_completion_stop(notify_comp);
	priv_dpa_place_give(notify_comp->place);
	dpa_unref(notify_comp->dpa);
	free(notify_comp);
	return DOCA_SUCCESS;
}

doca_error_t
doca_dpa_notification_completion_get_thread(struct doca_dpa_notification_completion *notify_comp,
					    struct doca_dpa_thread **dpa_thread)
{
	if (!notify_comp || !dpa_thread)
		return DOCA_ERROR_INVALID_VALUE;
	*dpa_thread = dpa_object_at(notify_comp->thread_handle, DPA_THREAD);
	return DOCA_SUCCESS;
}

doca_error_t
doca_dpa_notification_completion_start(struct doca_dpa_notification_completion *notify_comp)
{
	struct doca_dpa_thread *thread;
	doca_error_t err;

	if (!notify_comp)
		return DOCA_ERROR_INVALID_VALUE;
	if (notify_comp->is_started)
		return DOCA_ERROR_BAD_STATE;
	err = thread_attach(notify_comp->thread_handle, &thread);
	if (err)
		return err;
	pthread_mutex_lock(&notify_comp->place->lock);
	notify_comp->thread = thread;
	notify_comp->is_started = true;
	pthread_mutex_unlock(&notify_comp->place->lock);
	return DOCA_SUCCESS;
}

doca_error_t
doca_dpa_notification_completion_stop(struct doca_dpa_notification_completion *notify_comp)
{
	if (!notify_comp)
		return DOCA_ERROR_INVALID_VALUE;
	if (!notify_comp->is_started)
		return DOCA_ERROR_BAD_STATE;
	pthread_mutex_lock(&notify_comp->place->lock);
	notify_comp->is_started = false;
	pthread_mutex_unlock(&notify_comp->place->lock);
	thread_detach(notify_comp->thread);
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
	*handle = dpa_handle_of(notify_comp->place);
	return DOCA_SUCCESS;
}
