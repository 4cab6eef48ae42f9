/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sync events as DPA code uses them, from its own threads, by their handles. An event that is not
 * started, or has been stopped or destroyed meanwhile, is noticed, and logged once.
 */
#ifndef SOFTFIELD_CORE_SYNC_EVENT_DPA_H
#define SOFTFIELD_CORE_SYNC_EVENT_DPA_H

#include <stdbool.h>
#include <stdint.h>
#include "base/export.h"
#include "core/event_cell.h"
#include "doca_sync_event.h"

/* 0: NULL, or it has never been started with an end on the DPA */
PRIV_EXPORT doca_dpa_dev_sync_event_t
priv_sync_event_dpa_handle(const struct doca_sync_event *event);

/* BAD_STATE: the handle of none, or not started */
PRIV_EXPORT doca_error_t priv_sync_event_dpa_get(doca_dpa_dev_sync_event_t handle,
						 uint64_t *ret_value);
PRIV_EXPORT doca_error_t priv_sync_event_dpa_set(doca_dpa_dev_sync_event_t handle, uint64_t value);
PRIV_EXPORT doca_error_t priv_sync_event_dpa_add(doca_dpa_dev_sync_event_t handle, uint64_t value);
/*
 * Until the condition holds: looks for a while, then sleeps. It is asked every tenth of a second,
 * if nothing changes, whether it is to give up. AGAIN: it has been. IO_FAILED: the event has been
 * stopped. BAD_STATE: as above.
 */
PRIV_EXPORT doca_error_t priv_sync_event_dpa_wait(doca_dpa_dev_sync_event_t handle,
						  const struct event_condition *condition,
						  bool (*is_given_up)(void *arg), void *arg);
/* until it is value or more */
PRIV_EXPORT doca_error_t priv_sync_event_dpa_wait_ge(doca_dpa_dev_sync_event_t handle,
						     uint64_t value, bool (*is_given_up)(void *arg),
						     void *arg);

/* Is it started, and may DPA code wait for it, that is, is the DPA a subscriber? */
PRIV_EXPORT bool priv_sync_event_dpa_may_wait(const struct doca_sync_event *event);
/* Is it started, and the DPA a publisher? */
PRIV_EXPORT bool priv_sync_event_dpa_may_update(const struct doca_sync_event *event);

/* The event is about to be started. NO_MEMORY: there is no handle for it */
doca_error_t event_dpa_prepare(struct doca_sync_event *event);
/* The event has been started; it is about to be stopped: DPA code lets go of it. */
void event_dpa_begin(struct doca_sync_event *event);
void event_dpa_end(struct doca_sync_event *event);
/* The event, which is stopped, is destroyed. */
void event_dpa_forget(struct doca_sync_event *event);

#endif
