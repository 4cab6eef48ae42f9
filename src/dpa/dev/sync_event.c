/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sync events: the DPA's side. core/sync_event_dpa.h notices and logs one that is not started.
 */
#include "doca_dpa_dev_sync_event.h"

#include "core/sync_event_dpa.h"
#include "dpa/activation.h"

void doca_dpa_dev_sync_event_get(doca_dpa_dev_sync_event_t dpa_dev_se_handle, uint64_t *value)
{
	activation_check();
	priv_sync_event_dpa_get(dpa_dev_se_handle, value);
}

void doca_dpa_dev_sync_event_update_add(doca_dpa_dev_sync_event_t dpa_dev_se_handle, uint64_t value)
{
	activation_check();
	priv_sync_event_dpa_add(dpa_dev_se_handle, value);
}

void doca_dpa_dev_sync_event_update_set(doca_dpa_dev_sync_event_t dpa_dev_se_handle, uint64_t value)
{
	activation_check();
	priv_sync_event_dpa_set(dpa_dev_se_handle, value);
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
	priv_sync_event_dpa_wait(dpa_dev_se_handle, &condition, is_given_up, activation_here);
	activation_check();
}
