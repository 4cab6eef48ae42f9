/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completions. A push triggers the completion's thread once for each time that it has asked.
 */
#define LOG_MODULE "dpa"
#include "dpa/completion.h"

#include <assert.h>
#include <stdlib.h>
#include "base/log.h"
#include "doca_dpa_dev.h"
#include "dpa/exec.h"
#include "dpa/thread.h"

static struct completion_element *slot(struct doca_dpa_completion *completion, uint32_t index)
{
	return &completion->ring[index & (completion->queue_size - 1)];
}

void completion_push(struct doca_dpa_completion *completion,
		     const struct completion_element *element)
{
	bool is_full, says_so, triggers = false;

	if (!completion->is_started) /* its thread may be gone */
		return;
	pthread_mutex_lock(&completion->lock);
	is_full = completion->pushed - completion->acked == completion->queue_size;
	says_so = is_full && !completion->has_lost;
	completion->has_lost |= is_full;
	if (!is_full) {
		*slot(completion, completion->pushed) = *element;
		completion->pushed++;
		triggers = completion->is_armed;
		completion->is_armed = false;
	}
	pthread_mutex_unlock(&completion->lock);
	if (says_so)
		LOG_WRN("DPA completion of %u elements is full: reports are lost until "
			"doca_dpa_dev_completion_ack()",
			completion->queue_size);
	if (triggers && completion->thread)
		thread_trigger(completion->thread);
}

void completion_push_send(struct doca_dpa_completion *completion, uint32_t user_data,
			  doca_error_t status)
{
	const struct completion_element element = {
		.type = status ? DOCA_DPA_DEV_COMP_SEND_ERR : DOCA_DPA_DEV_COMP_SEND,
		.user_data = user_data,
	};

	completion_push(completion, &element);
}

doca_error_t completion_attach(struct doca_dpa_completion *completion)
{
	if (!completion->is_started) {
		LOG_ERR("DPA completion cannot take reports: it is not started");
		return DOCA_ERROR_BAD_STATE;
	}
	atomic_fetch_add(&completion->num_attached, 1);
	return DOCA_SUCCESS;
}

void completion_detach(struct doca_dpa_completion *completion)
{
	atomic_fetch_sub(&completion->num_attached, 1);
}

/*
 * From DPA code
 */

static struct doca_dpa_completion *of_handle(doca_dpa_dev_completion_t handle)
{
	return (struct doca_dpa_completion *)(uintptr_t)handle;
}

int doca_dpa_dev_get_completion(doca_dpa_dev_completion_t dpa_comp_handle,
				doca_dpa_dev_completion_element_t *comp_element)
{
	struct doca_dpa_completion *completion = of_handle(dpa_comp_handle);
	bool found;

	pthread_mutex_lock(&completion->lock);
	found = completion->read != completion->pushed;
	if (found)
		*comp_element = (uintptr_t)slot(completion, completion->read++);
	pthread_mutex_unlock(&completion->lock);
	if (found)
		activation_note_found();
	else
		activation_pause();
	return found;
}

static const struct completion_element *element_of(doca_dpa_dev_completion_element_t handle)
{
	return (const struct completion_element *)(uintptr_t)handle;
}

doca_dpa_dev_completion_type_t
doca_dpa_dev_get_completion_type(doca_dpa_dev_completion_element_t comp_element)
{
	return (doca_dpa_dev_completion_type_t)element_of(comp_element)->type;
}

uint32_t doca_dpa_dev_get_completion_user_data(doca_dpa_dev_completion_element_t comp_element)
{
	return element_of(comp_element)->user_data;
}

uint32_t doca_dpa_dev_get_completion_immediate(doca_dpa_dev_completion_element_t comp_element)
{
	return element_of(comp_element)->immediate;
}

void doca_dpa_dev_completion_ack(doca_dpa_dev_completion_t dpa_comp_handle, uint64_t num_comp)
{
	struct doca_dpa_completion *completion = of_handle(dpa_comp_handle);
	uint32_t num_read;

	pthread_mutex_lock(&completion->lock);
	num_read = completion->read - completion->acked;
	completion->acked += num_comp < num_read ? (uint32_t)num_comp : num_read;
	pthread_mutex_unlock(&completion->lock);
	activation_check();
}

void doca_dpa_dev_completion_request_notification(doca_dpa_dev_completion_t dpa_comp_handle)
{
	struct doca_dpa_completion *completion = of_handle(dpa_comp_handle);
	bool triggers;

	pthread_mutex_lock(&completion->lock);
	triggers = completion->read != completion->pushed;
	completion->is_armed = !triggers;
	pthread_mutex_unlock(&completion->lock);
	if (triggers && completion->thread && completion->is_started)
		thread_trigger(completion->thread);
	activation_check();
}

/*
 * From the host
 */

doca_error_t doca_dpa_completion_create(struct doca_dpa *dpa, unsigned int queue_size,
					struct doca_dpa_completion **dpa_comp)
{
	struct doca_dpa_completion *completion;

	if (!dpa || !dpa_comp || !dpa_queue_size(queue_size))
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa->is_started)
		return DOCA_ERROR_BAD_STATE;
	completion = calloc(1, sizeof(*completion));
	if (!completion)
		return DOCA_ERROR_NO_MEMORY;
	completion->queue_size = dpa_queue_size(queue_size);
	completion->ring = calloc(completion->queue_size, sizeof(*completion->ring));
	if (!completion->ring) {
		free(completion);
		return DOCA_ERROR_NO_MEMORY;
	}
	completion->dpa = dpa;
	pthread_mutex_init(&completion->lock, NULL);
	dpa_ref(dpa);
	*dpa_comp = completion;
	return DOCA_SUCCESS;
}

static void release(struct dpa_garbage *garbage)
{
	struct doca_dpa_completion *completion =
		container_of(garbage, struct doca_dpa_completion, garbage);

	pthread_mutex_destroy(&completion->lock);
	free(completion->ring);
	free(completion);
}

doca_error_t doca_dpa_completion_destroy(struct doca_dpa_completion *dpa_comp)
{
	doca_error_t err;

	if (!dpa_comp)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_comp->is_started) {
		err = doca_dpa_completion_stop(dpa_comp);
		if (err)
			return err;
	}
	if (dpa_comp->thread)
		thread_unname(dpa_comp->thread);
	dpa_unref(dpa_comp->dpa);
	dpa_comp->garbage.release = release;
	garbage_discard(&dpa_comp->garbage);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_get_queue_size(struct doca_dpa_completion *dpa_comp,
						unsigned int *queue_size)
{
	if (!dpa_comp || !queue_size)
		return DOCA_ERROR_INVALID_VALUE;
	*queue_size = dpa_comp->queue_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_set_thread(struct doca_dpa_completion *dpa_comp,
					    struct doca_dpa_thread *dpa_thread)
{
	doca_error_t err;

	if (!dpa_comp || !dpa_thread)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_comp->is_started)
		return DOCA_ERROR_BAD_STATE;
	err = thread_name(dpa_thread);
	if (err)
		return err;
	if (dpa_comp->thread)
		thread_unname(dpa_comp->thread);
	dpa_comp->thread = dpa_thread;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_get_thread(struct doca_dpa_completion *dpa_comp,
					    struct doca_dpa_thread **dpa_thread)
{
	if (!dpa_comp || !dpa_thread)
		return DOCA_ERROR_INVALID_VALUE;
	*dpa_thread = dpa_comp->thread;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_start(struct doca_dpa_completion *dpa_comp)
{
	doca_error_t err;

	if (!dpa_comp)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_comp->is_started)
		return DOCA_ERROR_BAD_STATE;
	if (dpa_comp->thread) {
		err = thread_attach(dpa_comp->thread);
		if (err)
			return err;
	}
	pthread_mutex_lock(&dpa_comp->lock); /* DPA code may notice a stop late */
	dpa_comp->pushed = dpa_comp->read = dpa_comp->acked = 0;
	dpa_comp->is_armed = true; /* programs post the first work before they ask */
	dpa_comp->has_lost = false;
	pthread_mutex_unlock(&dpa_comp->lock);
	dpa_comp->is_started = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_stop(struct doca_dpa_completion *dpa_comp)
{
	if (!dpa_comp)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa_comp->is_started)
		return DOCA_ERROR_BAD_STATE;
	if (atomic_load(&dpa_comp->num_attached)) {
		LOG_ERR("DPA completion cannot be stopped: %u started objects report to it",
			atomic_load(&dpa_comp->num_attached));
		return DOCA_ERROR_IN_USE;
	}
	if (dpa_comp->thread)
		thread_detach(dpa_comp->thread);
	dpa_comp->is_started = false;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_get_dpa_handle(struct doca_dpa_completion *dpa_comp,
						doca_dpa_dev_completion_t *handle)
{
	if (!dpa_comp || !handle)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa_comp->is_started)
		return DOCA_ERROR_BAD_STATE;
	*handle = (uintptr_t)dpa_comp;
	return DOCA_SUCCESS;
}
