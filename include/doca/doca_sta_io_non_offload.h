/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Storage target: commands that the program answers: all but reads and writes of its namespaces.
 *
 * A callback brings the command. The program reads its data when there is some to come (read
 * task), and answers it by exactly one task: send, or write and send when data goes to the
 * initiator.
 */
#ifndef DOCA_STA_IO_NON_OFFLOAD_H_
#define DOCA_STA_IO_NON_OFFLOAD_H_

#include <stdbool.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_sta_handle.h>
#include <doca_sta_task.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef DOCA_STA_LEGACY_2_9

#include <softfield_sta_2_9.h>

#else

struct doca_sta_io;

/** DOCA_STA_COMPLETION_SIZE up to release 3.0. */
#define DOCA_STA_NVMEF_COMPLETION_SIZE (16)

/** doca_sta_nvme_completion_t up to release 3.0. */
typedef uint8_t doca_sta_nvmef_completion_t[DOCA_STA_NVMEF_COMPLETION_SIZE];

/**
 * Tells of a command to be answered. Called inside doca_pe_progress().
 *
 * Of I/O queues no more than doca_sta_get_max_io_num_per_dev() times the engine's threads are told
 * of before answers are finished; the others wait. Admin queues do not count.
 *
 * @param [in] qp_handle the queue pair it came by.
 * @param [in] user_data what doca_sta_io_non_offload_register_cb() got.
 * @param [in] nvme_cmd the command, 64 bytes; valid until it is answered.
 * @param [in] payload its data, or room for it; valid until it is answered.
 * @param [in] payload_len bytes of data when payload_valid, else bytes of room.
 * @param [in] payload_valid the data has come with the command.
 * @param [in] non_offload_user_data names the command to the tasks below.
 */
typedef void (*doca_sta_io_non_offload_cb_t)(struct doca_sta_qp_handle *qp_handle,
					     union doca_data user_data, const uint8_t *nvme_cmd,
					     uint8_t *payload, uint32_t payload_len,
					     bool payload_valid,
					     union doca_data non_offload_user_data);

/**
 * @brief Registers the callback for commands that the program answers. Mandatory before
 * doca_ctx_start().
 *
 * @param [in] sta_io the object, IDLE.
 * @param [in] non_offload_cb the callback.
 * @param [in] user_data given to the callback.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 * - DOCA_ERROR_BAD_STATE: the object is not IDLE
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 4, 7d.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_non_offload_register_cb(struct doca_sta_io *sta_io,
						 doca_sta_io_non_offload_cb_t non_offload_cb,
						 union doca_data user_data);

/**
 * @brief Enables the tasks that answer commands, with data and without. Mandatory before
 * doca_ctx_start().
 *
 * @param [in] sta_io the object, IDLE.
 * @param [in] task_completion_cb called for tasks that succeed.
 * @param [in] task_error_cb called for tasks that fail; the queue pair is to be disconnected then.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the object is not IDLE
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 4.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_task_non_offload_set_rdma_write_send_conf(
	struct doca_sta_io *sta_io, doca_sta_task_completion_cb_t task_completion_cb,
	doca_sta_task_completion_cb_t task_error_cb);

/**
 * @brief Enables the task that reads the data of a command. Mandatory before doca_ctx_start().
 *
 * @param [in] sta_io the object, IDLE.
 * @param [in] task_completion_cb called for tasks that succeed.
 * @param [in] task_error_cb called for tasks that fail; the queue pair is to be disconnected then.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the object is not IDLE
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 4.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sta_io_task_non_offload_set_rdma_read_conf(struct doca_sta_io *sta_io,
						doca_sta_task_completion_cb_t task_completion_cb,
						doca_sta_task_completion_cb_t task_error_cb);

/**
 * @brief Allocates a task that reads the data of a command from the initiator.
 *
 * The data is in payload, from its start, when the task has succeeded. Where it is at the
 * initiator is in the command. The task fails when the command moves no data to the target, or has
 * brought it along.
 *
 * @param [in] sta_io the object, RUNNING.
 * @param [in] user_data the task's user data.
 * @param [in] qp_handle the queue pair of the command.
 * @param [in] non_offload_user_data the command, as doca_sta_io_non_offload_cb_t told it.
 * @param [out] task the task; give it back with doca_task_free().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, the queue pair is another one's, or there is no
 *   such command
 * - DOCA_ERROR_BAD_STATE: the object is not RUNNING
 * - DOCA_ERROR_NO_MEMORY: too many tasks are in use
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 7d, seed
 * 000.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_task_non_offload_rdma_read_alloc_init(
	struct doca_sta_io *sta_io, union doca_data user_data, struct doca_sta_qp_handle *qp_handle,
	union doca_data non_offload_user_data, struct doca_sta_producer_task_send **task);

/**
 * @brief Allocates a task that sends the data in payload to the initiator and answers the command.
 *
 * As many bytes go as the command says. The command and its payload are invalid once the task has
 * come back.
 *
 * @param [in] sta_io the object, RUNNING.
 * @param [in] user_data the task's user data.
 * @param [in] qp_handle the queue pair of the command.
 * @param [in] completion the entry of the completion queue. Copied; the queue head in it is filled
 *        in.
 * @param [in] non_offload_user_data the command, as doca_sta_io_non_offload_cb_t told it.
 * @param [out] task the task; give it back with doca_task_free().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, the queue pair is another one's, or there is no
 *   such command
 * - DOCA_ERROR_BAD_STATE: the object is not RUNNING
 * - DOCA_ERROR_NO_MEMORY: too many tasks are in use
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 7d, seed
 * 000.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_task_non_offload_rdma_write_send_alloc_init(
	struct doca_sta_io *sta_io, union doca_data user_data, struct doca_sta_qp_handle *qp_handle,
	doca_sta_nvme_completion_t completion, union doca_data non_offload_user_data,
	struct doca_sta_producer_task_send **task);

/**
 * @brief Allocates a task that answers a command without data.
 *
 * The command and its payload are invalid once the task has come back.
 *
 * @param [in] sta_io the object, RUNNING.
 * @param [in] user_data the task's user data.
 * @param [in] qp_handle the queue pair of the command.
 * @param [in] completion the entry of the completion queue. Copied; the queue head in it is filled
 *        in.
 * @param [in] non_offload_user_data the command, as doca_sta_io_non_offload_cb_t told it.
 * @param [out] task the task; give it back with doca_task_free().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, the queue pair is another one's, or there is no
 *   such command
 * - DOCA_ERROR_BAD_STATE: the object is not RUNNING
 * - DOCA_ERROR_NO_MEMORY: too many tasks are in use
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 7d, seed
 * 000.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_task_non_offload_rdma_send_alloc_init(
	struct doca_sta_io *sta_io, union doca_data user_data, struct doca_sta_qp_handle *qp_handle,
	doca_sta_nvme_completion_t completion, union doca_data non_offload_user_data,
	struct doca_sta_producer_task_send **task);

#endif /* DOCA_STA_LEGACY_2_9 */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_STA_IO_NON_OFFLOAD_H_ */
