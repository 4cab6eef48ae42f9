/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Storage target: one thread's part of it. Each thread that serves initiators has a doca_sta_io
 * with a progress engine of its own, and alone uses the queue pairs in it.
 */
#ifndef DOCA_STA_IO_H_
#define DOCA_STA_IO_H_

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

struct doca_ctx;
struct doca_sta;

/** One thread's part of a target; doca_sta_io_as_ctx(). */
struct doca_sta_io;

/**
 * @brief Creates one thread's part of a target.
 *
 * Mandatory before doca_ctx_start(), which answers DOCA_ERROR_BAD_CONFIG otherwise: the disconnect
 * task, the non-offload callback, and the read and the write-and-send tasks
 * (doca_sta_io_non_offload.h).
 *
 * @param [in] sta the target, RUNNING.
 * @param [out] sta_io the object; give it back with doca_sta_io_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the target is not RUNNING
 * - DOCA_ERROR_FULL: there are doca_sta_get_max_sta_io() already
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 *
 * Any thread. Source: spec sta 2, 4.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_create(struct doca_sta *sta, struct doca_sta_io **sta_io);

/**
 * @brief Destroys one thread's part of a target.
 *
 * @param [in] sta_io the object, IDLE.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: sta_io is NULL
 * - DOCA_ERROR_IN_USE: it is not IDLE, or has queue pairs; nothing has happened
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_destroy(struct doca_sta_io *sta_io);

/**
 * @brief The object as a struct doca_ctx, for doca_ctx_start() and the other doca_ctx_*()
 * functions.
 *
 * @param [in] sta_io the object.
 *
 * @return the same object; NULL when it is NULL.
 *
 * Any thread. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_sta_io_as_ctx(struct doca_sta_io *sta_io);

/**
 * @brief doca_sta_io_as_ctx() in release 2.9.
 *
 * @param [in] sta_io the object.
 *
 * @return see doca_sta_io_as_ctx().
 *
 * Any thread. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_sta_io_as_doca_ctx(struct doca_sta_io *sta_io);

/**
 * @brief Enables the task that disconnects queue pairs. Mandatory before doca_ctx_start().
 *
 * @param [in] sta_io the object, IDLE.
 * @param [in] task_completion_cb called for tasks that succeed: the queue pair may be destroyed.
 * @param [in] task_error_cb called for tasks that fail: it was not disconnected.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the object is not IDLE
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 4, seed
 * 000.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_task_disconnect_set_conf(struct doca_sta_io *sta_io,
						  doca_sta_task_completion_cb_t task_completion_cb,
						  doca_sta_task_completion_cb_t task_error_cb);

/**
 * @brief Allocates a task that disconnects a queue pair.
 *
 * It comes back when nothing of the queue pair is under way any more. No callback tells of a
 * command of it afterwards. doca_task_submit() answers DOCA_ERROR_BAD_STATE when
 * that has been asked for already, or the queue pair was never accepted.
 *
 * @param [in] sta_io the object, RUNNING.
 * @param [in] user_data the task's user data.
 * @param [in] qp_handle a queue pair of it.
 * @param [out] task the task; give it back with doca_task_free().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the queue pair is another one's
 * - DOCA_ERROR_BAD_STATE: the object is not RUNNING
 * - DOCA_ERROR_NO_MEMORY: too many tasks are in use
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 7g, seed
 * 000.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_task_disconnect_alloc_init(struct doca_sta_io *sta_io,
						    union doca_data user_data,
						    struct doca_sta_qp_handle *qp_handle,
						    struct doca_sta_producer_task_send **task);

#endif /* DOCA_STA_LEGACY_2_9 */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_STA_IO_H_ */
