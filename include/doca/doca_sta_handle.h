/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Storage target: the objects that programs know by handles.
 *
 * A handle is never NULL, stays the same as long as the object exists, and is not used for another
 * one meanwhile.
 */
#ifndef DOCA_STA_HANDLE_H_
#define DOCA_STA_HANDLE_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A queue pair: one connection of an initiator. */
struct doca_sta_qp_handle;

/** A subsystem. */
struct doca_sta_subs_handle;

/** A namespace of a subsystem. */
struct doca_sta_ns_handle;

/** An execution unit: a part of the engine. */
struct doca_sta_eu_handle;

/** A back end: an NVMe controller with disks. */
struct doca_sta_be_handle;

/** A queue of a back end. */
struct doca_sta_be_q_handle;

/** Bytes of an NVMe completion queue entry. */
#define DOCA_STA_COMPLETION_SIZE (16)

/** An NVMe completion queue entry, as it goes to the initiator: little-endian. */
typedef uint8_t doca_sta_nvme_completion_t[DOCA_STA_COMPLETION_SIZE];

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_STA_HANDLE_H_ */
