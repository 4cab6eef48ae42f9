/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Storage target: tasks. There is one type for all of them.
 */
#ifndef DOCA_STA_TASK_H_
#define DOCA_STA_TASK_H_

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_sta;
struct doca_task;

/** A task of a doca_sta or a doca_sta_io. */
struct doca_sta_producer_task_send;

/**
 * Tells that a task has come back. Called inside doca_pe_progress() of the context it belongs to.
 * The task belongs to the program again: doca_task_free() it, or submit it again.
 *
 * @param [in] task the task; its status is doca_task_get_status().
 * @param [in] task_user_data the task's user data.
 */
typedef void (*doca_sta_task_completion_cb_t)(struct doca_sta_producer_task_send *task,
					      union doca_data task_user_data);

/**
 * @brief The task as a struct doca_task, for doca_task_submit() and doca_task_free().
 *
 * doca_task_submit() of these tasks never answers DOCA_ERROR_AGAIN.
 *
 * @param [in] task the task.
 *
 * @return the same object.
 *
 * Any thread. Source: spec sta 2, 4.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_sta_producer_send_task_as_task(struct doca_sta_producer_task_send *task);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_STA_TASK_H_ */
