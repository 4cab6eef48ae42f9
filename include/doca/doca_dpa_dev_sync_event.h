/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sync events in DPA code. Where DPA code writes, the DPA is a publisher; where it reads or waits,
 * a subscriber. Any number of threads may use an event at the same time. Handles: doca_dpa_dev.h.
 */
#ifndef DOCA_DPA_DEV_SYNC_EVENT_H_
#define DOCA_DPA_DEV_SYNC_EVENT_H_

#include <stdint.h>

#include <doca_compat.h>
#include <doca_dpa_dev.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @brief Reads an event.
 *
 * @param [in] dpa_dev_se_handle doca_sync_event_get_dpa_handle().
 * @param [out] value its value.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_sync_event_get(doca_dpa_dev_sync_event_t dpa_dev_se_handle, uint64_t *value);

/**
 * @brief Adds to an event, and wakes who waits for it.
 *
 * @param [in] dpa_dev_se_handle doca_sync_event_get_dpa_handle().
 * @param [in] value how much.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_sync_event_update_add(doca_dpa_dev_sync_event_t dpa_dev_se_handle,
					uint64_t value);

/**
 * @brief Sets an event, and wakes who waits for it.
 *
 * @param [in] dpa_dev_se_handle doca_sync_event_get_dpa_handle().
 * @param [in] value the new value.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_sync_event_update_set(doca_dpa_dev_sync_event_t dpa_dev_se_handle,
					uint64_t value);

/**
 * @brief Waits until an event is greater than a value. Others run meanwhile.
 *
 * @param [in] dpa_dev_se_handle doca_sync_event_get_dpa_handle().
 * @param [in] value the value.
 * @param [in] mask bits of the event that are compared.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_sync_event_wait_gt(doca_dpa_dev_sync_event_t dpa_dev_se_handle, uint64_t value,
				     uint64_t mask);

/**
 * @brief Posts a wait until an event is greater than a value; then there is an element of type
 * SEND.
 *
 * @param [in] async_ops_handle doca_dpa_async_ops_get_dpa_handle().
 * @param [in] wait_se_handle doca_sync_event_get_dpa_handle().
 * @param [in] value the value.
 *
 * Thread rule: doca_dpa_dev.h. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_sync_event_post_wait_gt(doca_dpa_dev_async_ops_t async_ops_handle,
					  doca_dpa_dev_sync_event_t wait_se_handle, uint64_t value);

/**
 * @brief Posts a wait until an event is not a value; then there is an element of type SEND.
 *
 * @param [in] async_ops_handle doca_dpa_async_ops_get_dpa_handle().
 * @param [in] wait_se_handle doca_sync_event_get_dpa_handle().
 * @param [in] value the value.
 *
 * Thread rule: doca_dpa_dev.h. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_sync_event_post_wait_ne(doca_dpa_dev_async_ops_t async_ops_handle,
					  doca_dpa_dev_sync_event_t wait_se_handle, uint64_t value);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_DPA_DEV_SYNC_EVENT_H_ */
