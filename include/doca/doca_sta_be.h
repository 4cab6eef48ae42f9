/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Storage target: back ends. A back end is an NVMe controller; the program makes its queues and
 * hands them over.
 */
#ifndef DOCA_STA_BE_H_
#define DOCA_STA_BE_H_

#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_sta_handle.h>
#include <doca_sta_stats.h>
#include <doca_sta_task.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef DOCA_STA_LEGACY_2_9

#include <softfield_sta_2_9.h>

#else

struct doca_mmap;
struct doca_sta;

/**
 * @brief Creates a back end without queues: one for each NVMe controller.
 *
 * @param [in] sta the target, RUNNING.
 * @param [out] be_handle the back end; give it back with doca_sta_be_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the target is not RUNNING
 * - DOCA_ERROR_FULL: there are doca_sta_get_max_be() already
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 *
 * Only the thread that drives the control progress engine, the one of the doca_sta. Source: spec
 * sta 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_be_create(struct doca_sta *sta, struct doca_sta_be_handle **be_handle);

/**
 * @brief Destroys a back end. Data buffers that its disks may still write to are used again from
 * now on.
 *
 * @param [in] be_handle the back end.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: be_handle is NULL
 * - DOCA_ERROR_IN_USE: it has queues, or namespaces use it
 *
 * Only the thread that drives the control progress engine, the one of the doca_sta. Source: spec
 * sta 7f.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_be_destroy(struct doca_sta_be_handle *be_handle);

/**
 * @brief Hands an NVMe queue pair over to a back end.
 *
 * It must be in its initial state: nothing submitted, heads and tails 0, the completion queue
 * cleared. The engine is the only one that touches it until the queue is destroyed. The maps give
 * the sizes: 64 bytes an entry of the submission queue, 16 of the completion queue; as many of
 * both, a power of two. Doorbells are written as 32-bit little-endian words through the addresses
 * of their maps; both may be in one map.
 *
 * Whoever made the queue answers it: a disk, or the program. With SOFTFIELD_LIMITS=sta_null_rings=1
 * the engine answers as a null disk would, unless the doorbells are memory of a device
 * (doca_mmap_set_dmabuf_memrange()): for programs whose queue nobody serves.
 *
 * @param [in] be_handle the back end.
 * @param [in] sq map of the submission queue, started.
 * @param [in] sq_db_reg map with its doorbell, started.
 * @param [in] sq_db_offset where in that map the doorbell is; a multiple of 4.
 * @param [in] cq map of the completion queue, started.
 * @param [in] cq_db_reg map with its doorbell, started.
 * @param [in] cq_db_offset where in that map the doorbell is; a multiple of 4.
 * @param [out] be_q_handle the queue; it ends with doca_sta_be_destroy_queue_task_alloc_init().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, the sizes are wrong or differ, or a doorbell is
 *   outside of its map
 * - DOCA_ERROR_BAD_STATE: a map is not started
 * - DOCA_ERROR_NOT_PERMITTED: a map may not be written locally
 * - DOCA_ERROR_FULL: the back end has doca_sta_get_max_qs_per_be() already
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 *
 * Only the thread that drives the control progress engine, the one of the doca_sta. Source: spec
 * sta 6 and 11.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_be_add_queue(struct doca_sta_be_handle *be_handle, struct doca_mmap *sq,
				   struct doca_mmap *sq_db_reg, uint16_t sq_db_offset,
				   struct doca_mmap *cq, struct doca_mmap *cq_db_reg,
				   uint16_t cq_db_offset,
				   struct doca_sta_be_q_handle **be_q_handle);

/**
 * @brief Enables the task that destroys queues.
 *
 * @param [in] sta the target, IDLE.
 * @param [in] task_completion_cb called for tasks that succeed: the queue is the program's again.
 * @param [in] task_error_cb called for tasks that fail: the queue is still in use.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the target is not IDLE
 *
 * Only the thread that drives the control progress engine, the one of the doca_sta. Source: spec
 * sta 4, seed 000.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sta_be_task_destroy_queue_set_conf(struct doca_sta *sta,
					doca_sta_task_completion_cb_t task_completion_cb,
					doca_sta_task_completion_cb_t task_error_cb);

/**
 * @brief Allocates a task that takes a queue back from its back end.
 *
 * Commands that are in it are answered with Command Aborted due to SQ Deletion. Progressing the
 * control progress engine is enough for the task to come back. The disk may still complete
 * commands: delete the queue in the controller before its memory is freed.
 *
 * @param [in] be_q_handle the queue; invalid once the task has succeeded.
 * @param [in] user_data the task's user data.
 * @param [out] task the task; give it back with doca_task_free().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 * - DOCA_ERROR_BAD_STATE: the target is not RUNNING, or the task is not enabled
 * - DOCA_ERROR_NO_MEMORY: too many tasks are in use
 *
 * Only the thread that drives the control progress engine, the one of the doca_sta. Source: spec
 * sta 7f, seed 000.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_be_destroy_queue_task_alloc_init(struct doca_sta_be_q_handle *be_q_handle,
						       union doca_data user_data,
						       struct doca_sta_producer_task_send **task);

/**
 * @brief Which parts of the engine handle a queue.
 *
 * @param [in] be_q_handle the queue.
 * @param [out] entries names and values; the library's, valid as long as the queue exists.
 * @param [out] num_entries how many.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Only the thread that drives the control progress engine, the one of the doca_sta. Source: spec
 * sta 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_be_queue_mapping_info(const struct doca_sta_be_q_handle *be_q_handle,
						const struct doca_sta_eu_ctr_entry **entries,
						uint16_t *num_entries);

#endif /* DOCA_STA_LEGACY_2_9 */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_STA_BE_H_ */
