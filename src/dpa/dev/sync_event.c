/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sync events: the DPA's side. A handle is the event's address; core/sync_event_dpa.h notices and
 * logs one that is not started.
 */
#include "doca_dpa_dev_sync_event.h"

#include "core/sync_event_dpa.h"
#include "dpa/exec.h"

static struct doca_sync_event *event_of(doca_dpa_dev_sync_event_t handle)
{
	return (struct doca_sync_event *)(uintptr_t)handle;
}

void doca_dpa_dev_sync_event_get(doca_dpa_dev_sync_event_t dpa_dev_se_handle, uint64_t *value)
{
	activation_check();
	priv_sync_event_dpa_get(event_of(dpa_dev_se_handle), value);
}

void doca_dpa_dev_sync_event_update_add(doca_dpa_dev_sync_event_t dpa_dev_se_handle, uint64_t value)
{
	activation_check();
	priv_sync_event_dpa_add(event_of(dpa_dev_se_handle), value);
}

void doca_dpa_dev_sync_event_update_set(doca_dpa_dev_sync_event_t dpa_dev_se_handle, uint64_t value)
{
	activation_check();
	priv_sync_event_dpa_set(event_of(dpa_dev_se_handle), value);
}

static bool is_given_up(void *arg)
{
	return arg && activation_is_given_up(arg);
}

void doca_dpa_dev_sync_event_wait_gt(doca_dpa_dev_sync_event_t dpa_dev_se_handle, uint64_t value,
				     uint64_t mask)
{
	const struct event_condition condition = {EVENT_GT, value, mask};

	activation_check();
	priv_sync_event_dpa_wait(event_of(dpa_dev_se_handle), &condition, is_given_up,
				 activation_here);
	activation_check();
}
