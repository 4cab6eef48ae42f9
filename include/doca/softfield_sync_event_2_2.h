/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sync events up to release 2.2: other names, and jobs on a work queue (softfield_core_2_2.h).
 * doca_sync_event.h brings it. Not to be included by programs.
 *
 * An event is in one work queue, and a context without a device.
 */
#ifndef SOFTFIELD_SYNC_EVENT_2_2_H_
#define SOFTFIELD_SYNC_EVENT_2_2_H_

#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_sync_event.h>
#include <softfield_core_2_2.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_devinfo;

/** Types of jobs: in release 2.2 the upper half named the library. */
enum doca_sync_event_job_types {
	DOCA_SYNC_EVENT_JOB_WAIT_GT = (2 << 16) + 1, /**< struct doca_sync_event_job_wait */
	DOCA_SYNC_EVENT_JOB_GET,		     /**< struct doca_sync_event_job_get */
	DOCA_SYNC_EVENT_JOB_UPDATE_SET,		     /**< struct doca_sync_event_job_update_set */
	DOCA_SYNC_EVENT_JOB_UPDATE_ADD,		     /**< struct doca_sync_event_job_update_add */
};

/** Waits until (counter & mask) > value. */
struct doca_sync_event_job_wait {
	struct doca_job base; /**< type DOCA_SYNC_EVENT_JOB_WAIT_GT */
	uint64_t value;	      /**< what it is to exceed */
	uint64_t mask;	      /**< the bits that count */
};

/** Reads the counter. */
struct doca_sync_event_job_get {
	struct doca_job base; /**< type DOCA_SYNC_EVENT_JOB_GET */
	uint64_t *fetched;    /**< where it goes */
};

/** Sets the counter. */
struct doca_sync_event_job_update_set {
	struct doca_job base; /**< type DOCA_SYNC_EVENT_JOB_UPDATE_SET */
	uint64_t value;	      /**< the counter from now on */
};

/** Adds to the counter. */
struct doca_sync_event_job_update_add {
	struct doca_job base; /**< type DOCA_SYNC_EVENT_JOB_UPDATE_ADD */
	uint64_t value;	      /**< how much */
	uint64_t *fetched;    /**< where the counter of before goes, or NULL */
};

/**
 * @brief Whether a device does jobs of a type.
 *
 * @param [in] devinfo the device.
 * @param [in] type of the job.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: there is no such type
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sync_event_job_get_supported(const struct doca_devinfo *devinfo,
						    enum doca_sync_event_job_types type);

#define doca_sync_event_job_get_supported(devinfo, type)                                           \
	softfield_sync_event_job_get_supported(devinfo, type)

#define doca_sync_event_publisher_add_location_cpu(event, dev)                                     \
	doca_sync_event_add_publisher_location_cpu(event, dev)
#define doca_sync_event_publisher_add_location_dpa(event, dpa)                                     \
	doca_sync_event_add_publisher_location_dpa(event, dpa)
#define doca_sync_event_publisher_add_location_gpu(event, gpu)                                     \
	doca_sync_event_add_publisher_location_gpu(event, gpu)
#define doca_sync_event_publisher_add_location_dpu(event)                                          \
	doca_sync_event_add_publisher_location_remote_pci(event)
#define doca_sync_event_subscriber_add_location_cpu(event, dev)                                    \
	doca_sync_event_add_subscriber_location_cpu(event, dev)
#define doca_sync_event_subscriber_add_location_dpa(event, dpa)                                    \
	doca_sync_event_add_subscriber_location_dpa(event, dpa)
#define doca_sync_event_subscriber_add_location_gpu(event, gpu)                                    \
	doca_sync_event_add_subscriber_location_gpu(event, gpu)
#define doca_sync_event_subscriber_add_location_dpu(event)                                         \
	doca_sync_event_add_subscriber_location_remote_pci(event)

#define doca_sync_event_get_create_from_export_supported(devinfo)                                  \
	doca_sync_event_cap_is_create_from_export_supported(devinfo)
#define doca_sync_event_get_export_to_dpu_supported(devinfo)                                       \
	doca_sync_event_cap_is_export_to_remote_pci_supported(devinfo)
#define doca_sync_event_get_export_to_dpa_supported(devinfo)                                       \
	doca_sync_event_cap_is_export_to_dpa_supported(devinfo)

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTFIELD_SYNC_EVENT_2_2_H_ */
