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
#include "dpa/activation.h"
#include "dpa/thread.h"

static struct completion_element *slot(struct doca_dpa_completion *completion, uint32_t index)
{
	return &completion->ring[index & (completion->queue_size - 1)];
}

/* With the lock held. */
static void trigger(struct doca_dpa_completion *completion)
{
	if (completion->is_started && completion->thread)
		thread_trigger(completion->thread);
}

static void push(struct doca_dpa_completion *completion, const struct completion_element *element)
{
	bool is_full, says_so;

	pthread_mutex_lock(&completion->place->lock);
	is_full = completion->pushed - completion->acked == completion->queue_size;
	says_so = is_full && !completion->has_lost;
	completion->has_lost |= is_full;
	if (!is_full) {
		*slot(completion, completion->pushed) = *element;
		completion->pushed++;
		if (completion->is_armed)
			trigger(completion);
		completion->is_armed = false;
	}
	pthread_mutex_unlock(&completion->place->lock);
	if (says_so)
		LOG_WRN("DPA completion of %u elements is full: reports are lost until "
			"doca_dpa_dev_completion_ack()",
			completion->queue_size);
}

void completion_push_send(struct doca_dpa_completion *completion, uint32_t user_data,
			  doca_error_t status)
{
	const struct completion_element element = {
		.type = status ? DOCA_DPA_DEV_COMP_SEND_ERR : DOCA_DPA_DEV_COMP_SEND,
		.user_data = user_data,
	};

	push(completion, &element);
}

doca_error_t completion_attach(uint64_t handle, struct doca_dpa_completion **ret_completion)
{
	struct doca_dpa_completion *completion = dpa_object_at(handle, DPA_COMPLETION);

	if (!completion || !completion->is_started) {
		LOG_ERR("DPA completion cannot take reports: it %s",
			completion ? "is not started" : "has been destroyed");
		return DOCA_ERROR_BAD_STATE;
	}
	atomic_fetch_add(&completion->num_attached, 1);
	*ret_completion = completion;
	return DOCA_SUCCESS;
}

void completion_detach(struct doca_dpa_completion *completion)
{
	atomic_fetch_sub(&completion->num_attached, 1);
}

/*
 * From DPA code
 */

#define IMMEDIATE_BITS 32
#define USER_DATA_BITS DOCA_DPA_COMPLETION_LOG_MAX_USER_DATA

static_assert(IMMEDIATE_BITS + USER_DATA_BITS + 8 == 64, "an element is what its handle says");

/* DPA code may keep it, and look into it when the ring has gone. */
static doca_dpa_dev_completion_element_t pack_element(const struct completion_element *element)
{
	return (uint64_t)element->type << (IMMEDIATE_BITS + USER_DATA_BITS) |
	       (uint64_t)element->user_data << IMMEDIATE_BITS | element->immediate;
}

int doca_dpa_dev_get_completion(doca_dpa_dev_completion_t dpa_comp_handle,
				doca_dpa_dev_completion_element_t *comp_element)
{
	struct doca_dpa_completion *completion = dpa_object_lock(dpa_comp_handle, DPA_COMPLETION);
	bool found = false;

	if (completion) {
		found = completion->read != completion->pushed;
		if (found)
			*comp_element = pack_element(slot(completion, completion->read++));
		dpa_object_unlock(dpa_comp_handle);
	}
	if (found)
		activation_note_found();
	else
		activation_pause();
	return found;
}

doca_dpa_dev_completion_type_t
doca_dpa_dev_get_completion_type(doca_dpa_dev_completion_element_t comp_element)
{
	return (doca_dpa_dev_completion_type_t)(comp_element >> (IMMEDIATE_BITS + USER_DATA_BITS));
}

uint32_t doca_dpa_dev_get_completion_user_data(doca_dpa_dev_completion_element_t comp_element)
{
	return comp_element >> IMMEDIATE_BITS & ((1u << USER_DATA_BITS) - 1);
}

uint32_t doca_dpa_dev_get_completion_immediate(doca_dpa_dev_completion_element_t comp_element)
{
	return (uint32_t)comp_element;
}

void doca_dpa_dev_completion_ack(doca_dpa_dev_completion_t dpa_comp_handle, uint64_t num_comp)
{
	struct doca_dpa_completion *completion = dpa_object_lock(dpa_comp_handle, DPA_COMPLETION);
	uint32_t num_read;

	if (completion) {
		num_read = completion->read - completion->acked;
		completion->acked += num_comp < num_read ? (uint32_t)num_comp : num_read;
		dpa_object_unlock(dpa_comp_handle);
	}
	activation_check();
}

void doca_dpa_dev_completion_request_notification(doca_dpa_dev_completion_t dpa_comp_handle)
{
	struct doca_dpa_completion *completion = dpa_object_lock(dpa_comp_handle, DPA_COMPLETION);

	if (completion) {
		completion->is_armed = completion->read == completion->pushed;
		if (!completion->is_armed)
			trigger(completion);
		dpa_object_unlock(dpa_comp_handle);
	}
	activation_check();
}

/*
 * From the host
 */

doca_error_t doca_dpa_completion_create(struct doca_dpa *dpa, unsigned int queue_size,
					struct doca_dpa_completion **dpa_comp)
{
	struct doca_dpa_completion *completion;
	uint32_t size;

	if (!dpa || !dpa_comp)
		return DOCA_ERROR_INVALID_VALUE;
	size = dpa_queue_size(queue_size, "a DPA completion");
	if (!size)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa->is_started)
		return DOCA_ERROR_BAD_STATE;
	completion = calloc(1, sizeof(*completion));
	if (!completion)
		return DOCA_ERROR_NO_MEMORY;
	completion->queue_size = size;
	completion->ring = calloc(completion->queue_size, sizeof(*completion->ring));
	if (completion->ring)
		completion->place = priv_dpa_place_take(DPA_COMPLETION, completion);
	if (!completion->place) {
		free(completion->ring);
		free(completion);
		return DOCA_ERROR_NO_MEMORY;
	}
	completion->dpa = dpa;
	dpa_ref(dpa);
	*dpa_comp = completion;
	return DOCA_SUCCESS;
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
	priv_dpa_place_give(dpa_comp->place);
	dpa_unref(dpa_comp->dpa);
	free(dpa_comp->ring);
	free(dpa_comp);
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
	if (!dpa_comp || !dpa_thread)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_comp->is_started)
		return DOCA_ERROR_BAD_STATE;
	return thread_choose(dpa_thread, dpa_comp->dpa, &dpa_comp->thread_handle);
}

doca_error_t doca_dpa_completion_get_thread(struct doca_dpa_completion *dpa_comp,
					    struct doca_dpa_thread **dpa_thread)
{
	if (!dpa_comp || !dpa_thread)
		return DOCA_ERROR_INVALID_VALUE;
	*dpa_thread = dpa_object_at(dpa_comp->thread_handle, DPA_THREAD);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_start(struct doca_dpa_completion *dpa_comp)
{
	struct doca_dpa_thread *thread = NULL;
	doca_error_t err;

	if (!dpa_comp)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_comp->is_started)
		return DOCA_ERROR_BAD_STATE;
	if (dpa_comp->thread_handle) {
		err = thread_attach(dpa_comp->thread_handle, &thread);
		if (err)
			return err;
	}
	pthread_mutex_lock(&dpa_comp->place->lock); /* DPA code may notice a stop late */
	dpa_comp->thread = thread;
	dpa_comp->pushed = dpa_comp->read = dpa_comp->acked = 0;
	dpa_comp->is_armed = true; /* programs post the first work before they ask */
	dpa_comp->has_lost = false;
	dpa_comp->is_started = true;
	pthread_mutex_unlock(&dpa_comp->place->lock);
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
	pthread_mutex_lock(&dpa_comp->place->lock);
	dpa_comp->is_started = false;
	pthread_mutex_unlock(&dpa_comp->place->lock);
	if (dpa_comp->thread)
		thread_detach(dpa_comp->thread);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_get_dpa_handle(struct doca_dpa_completion *dpa_comp,
						doca_dpa_dev_completion_t *handle)
{
	if (!dpa_comp || !handle)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa_comp->is_started)
		return DOCA_ERROR_BAD_STATE;
	*handle = dpa_handle_of(dpa_comp->place);
	return DOCA_SUCCESS;
}
