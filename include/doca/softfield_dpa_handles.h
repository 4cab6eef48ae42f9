/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles: how DPA code names an object; 0 is none. Headers of the CPU and of the DPA include it,
 * so each type is defined once. Not to be included by programs.
 */
#ifndef SOFTFIELD_DPA_HANDLES_H_
#define SOFTFIELD_DPA_HANDLES_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How DPA code names a struct doca_dpa. */
typedef uint64_t doca_dpa_dev_t;
/** How DPA code names a struct doca_dpa_hash_table. */
typedef uint64_t doca_dpa_dev_hash_table_t;
/** How DPA code names a struct doca_dpa_completion. */
typedef uint64_t doca_dpa_dev_completion_t;
/** How DPA code names a struct doca_dpa_async_ops. */
typedef uint64_t doca_dpa_dev_async_ops_t;
/** How DPA code names a struct doca_dpa_notification_completion. */
typedef uint64_t doca_dpa_dev_notification_completion_t;
/** How DPA code names a struct doca_mmap. */
typedef uint32_t doca_dpa_dev_mmap_t;
/** How DPA code names a buffer of a struct doca_buf_arr. */
typedef uint64_t doca_dpa_dev_buf_t;
/** How DPA code names a struct doca_buf_arr. */
typedef uint64_t doca_dpa_dev_buf_arr_t;
/** How DPA code names a struct doca_sync_event. */
typedef uint64_t doca_dpa_dev_sync_event_t;
/** How DPA code names a struct doca_sync_event_remote_net. */
typedef uint64_t doca_dpa_dev_sync_event_remote_net_t;
/** How DPA code names a struct doca_comch_consumer. */
typedef uint64_t doca_dpa_dev_comch_consumer_t;
/** How DPA code names a struct doca_comch_consumer_completion. */
typedef uint64_t doca_dpa_dev_comch_consumer_completion_t;
/** How DPA code names a struct doca_comch_producer. */
typedef uint64_t doca_dpa_dev_comch_producer_t;
/** How DPA code names a struct doca_rdma. */
typedef uint64_t doca_dpa_dev_rdma_t;
/** How DPA code names a struct doca_rdma_srq. */
typedef uint64_t doca_dpa_dev_rdma_srq_t;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTFIELD_DPA_HANDLES_H_ */
