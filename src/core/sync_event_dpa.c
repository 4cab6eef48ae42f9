/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sync events in threads of the DPA. A program that sees the value it waits for stops the event
 * while the thread that has changed it may still be busy waking others: who uses an event is
 * counted, and stopping it waits for them.
 */
#define LOG_MODULE "core"
#include "core/sync_event_dpa.h"

#include <sched.h>
#include <unistd.h>
#include "base/log.h"
#include "core/sync_event.h"

/* How long a wait polls before it sleeps. */
#define WAIT_SPIN_NS 50000

doca_error_t event_dpa_prepare(struct doca_sync_event *event)
{
	if (!event->dpa_place)
		event->dpa_place = priv_dpa_place_take(DPA_SYNC_EVENT, event);
	return event->dpa_place ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

void event_dpa_forget(struct doca_sync_event *event)
{
	if (event->dpa_place)
		priv_dpa_place_give(event->dpa_place);
}

void event_dpa_begin(struct doca_sync_event *event)
{
	pthread_mutex_lock(&event->dpa_place->lock);
	if (event->dpa_pid != getpid())
		atomic_store(&event->dpa_uses, 0); /* those of a parent are not here */
	event->dpa_pid = getpid();
	event->dpa_has_told = false;
	atomic_store(&event->dpa_is_open, true);
	pthread_mutex_unlock(&event->dpa_place->lock);
}

void event_dpa_end(struct doca_sync_event *event)
{
	pthread_mutex_lock(&event->dpa_place->lock);
	atomic_store(&event->dpa_is_open, false);
	pthread_mutex_unlock(&event->dpa_place->lock);
	if (event->dpa_pid != getpid())
		return;
	while (atomic_load(&event->dpa_uses)) {
		event_cell_wake(&event->cell);
		sched_yield();
	}
}

static void leave(struct doca_sync_event *event)
{
	atomic_fetch_sub(&event->dpa_uses, 1); /* from here on it may be gone */
}

/* An event that is not stopped before leave(). NULL: it is not started */
static struct doca_sync_event *enter(doca_dpa_dev_sync_event_t handle)
{
	struct doca_sync_event *event = dpa_object_lock(handle, DPA_SYNC_EVENT);
	bool is_open, tells;

	if (!event)
		return NULL;
	is_open = atomic_load(&event->dpa_is_open);
	tells = !is_open && !event->dpa_has_told;
	event->dpa_has_told |= tells;
	if (is_open)
		atomic_fetch_add(&event->dpa_uses, 1);
	dpa_object_unlock(handle);
	if (tells)
		LOG_ERR("DPA code: the sync event 0x%llx is not started",
			(unsigned long long)handle);
	return is_open ? event : NULL;
}

doca_dpa_dev_sync_event_t priv_sync_event_dpa_handle(const struct doca_sync_event *event)
{
	return event && event->dpa_place ? dpa_handle_of(event->dpa_place) : 0;
}

doca_error_t priv_sync_event_dpa_get(doca_dpa_dev_sync_event_t handle, uint64_t *ret_value)
{
	struct doca_sync_event *event = enter(handle);

	if (!event)
		return DOCA_ERROR_BAD_STATE;
	*ret_value = event_cell_get(&event->cell);
	leave(event);
	return DOCA_SUCCESS;
}

doca_error_t priv_sync_event_dpa_set(doca_dpa_dev_sync_event_t handle, uint64_t value)
{
	struct doca_sync_event *event = enter(handle);

	if (!event)
		return DOCA_ERROR_BAD_STATE;
	event_cell_set(&event->cell, value);
	leave(event);
	return DOCA_SUCCESS;
}

doca_error_t priv_sync_event_dpa_add(doca_dpa_dev_sync_event_t handle, uint64_t value)
{
	struct doca_sync_event *event = enter(handle);

	if (!event)
		return DOCA_ERROR_BAD_STATE;
	event_cell_add(&event->cell, value);
	leave(event);
	return DOCA_SUCCESS;
}

/*
 * Waiting
 */

struct waiter {
	struct doca_sync_event *event;
	bool (*is_given_up)(void *arg);
	void *arg;
};

static bool is_over(void *arg)
{
	const struct waiter *waiter = arg;

	return !atomic_load(&waiter->event->dpa_is_open) || waiter->is_given_up(waiter->arg);
}

doca_error_t priv_sync_event_dpa_wait(doca_dpa_dev_sync_event_t handle,
				      const struct event_condition *condition,
				      bool (*is_given_up)(void *arg), void *arg)
{
	struct doca_sync_event *event = enter(handle);
	struct waiter waiter = {event, is_given_up, arg};
	const struct event_patience patience = {is_over, &waiter};
	doca_error_t err;

	if (!event)
		return DOCA_ERROR_BAD_STATE;
	err = event_cell_wait(&event->cell, condition, WAIT_SPIN_NS, &patience);
	if (err && !atomic_load(&event->dpa_is_open)) {
		LOG_ERR("DPA code: the sync event that it waits for has been stopped");
		err = DOCA_ERROR_IO_FAILED;
	}
	leave(event);
	return err;
}

doca_error_t priv_sync_event_dpa_wait_ge(doca_dpa_dev_sync_event_t handle, uint64_t value,
					 bool (*is_given_up)(void *arg), void *arg)
{
	const struct event_condition condition = {EVENT_GT, value - 1, UINT64_MAX};

	if (!value)
		return DOCA_SUCCESS;
	return priv_sync_event_dpa_wait(handle, &condition, is_given_up, arg);
}

/*
 * Locations
 */

bool priv_sync_event_dpa_may_wait(const struct doca_sync_event *event)
{
	return event->started && (event->subscribers.locations & EVENT_ON_DPA);
}

bool priv_sync_event_dpa_may_update(const struct doca_sync_event *event)
{
	return event->started && (event->publishers.locations & EVENT_ON_DPA);
}
