/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Storage target: subsystems and their namespaces. All of it may be done while the target runs.
 */
#ifndef DOCA_STA_SUBSYSTEM_H_
#define DOCA_STA_SUBSYSTEM_H_

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

struct doca_dev;
struct doca_sta;

/**
 * @brief Creates a subsystem without namespaces.
 *
 * @param [in] sta the target, IDLE or RUNNING.
 * @param [in] nqn its name, 1 to 223 bytes without the NUL. Copied.
 * @param [out] subs_handle the subsystem; give it back with doca_sta_subsystem_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the name is empty or too long
 * - DOCA_ERROR_BAD_STATE: the target is starting or stopping
 * - DOCA_ERROR_ALREADY_EXIST: there is a subsystem of that name
 * - DOCA_ERROR_FULL: there are doca_sta_get_max_subsys() already
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 *
 * Only the thread that drives the control progress engine, the one of the doca_sta. Source: spec
 * sta 2, 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_subsystem_create(struct doca_sta *sta, const char *nqn,
				       struct doca_sta_subs_handle **subs_handle);

/**
 * @brief Destroys a subsystem.
 *
 * @param [in] subs_handle the subsystem.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: subs_handle is NULL
 * - DOCA_ERROR_IN_USE: it has namespaces, or queue pairs are connected to it
 *
 * Only the thread that drives the control progress engine, the one of the doca_sta. Source: spec
 * sta 2, 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_subsystem_destroy(struct doca_sta_subs_handle *subs_handle);

/**
 * @brief Lets initiators reach a subsystem through a device. Before the first namespace is added.
 *
 * Programs do it for each device that they listen on. Here nothing depends on it: a queue pair of
 * any device of the target can be connected to the subsystem, which is the program's own decision.
 *
 * @param [in] subs_handle the subsystem.
 * @param [in] dev a device of doca_sta_add_dev().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NOT_FOUND: the device is not one of the target
 * - DOCA_ERROR_ALREADY_EXIST: the device was added before
 * - DOCA_ERROR_BAD_STATE: the subsystem has namespaces
 *
 * Only the thread that drives the control progress engine, the one of the doca_sta. Source: spec
 * sta 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_subsystem_add_dev(struct doca_sta_subs_handle *subs_handle,
					const struct doca_dev *dev);

/**
 * @brief Adds a namespace of a back end to a subsystem.
 *
 * Blocks keep their numbers. Several namespaces may share a back end.
 *
 * @param [in] subs_handle the subsystem.
 * @param [in] fe_ns_id number by which initiators know the namespace; not 0, not 0xffffffff.
 * @param [in] ns_block_size bytes of a block, see doca_sta_is_logical_block_size_supported().
 * @param [in] be_ns_id number by which the back end knows it.
 * @param [in] be_handle the back end; without a queue of it reads and writes are refused for a
 * time.
 * @param [out] ns_handle the namespace; it ends with doca_sta_subsystem_task_rm_ns_alloc_init() or
 *        doca_sta_subsystem_rm_ns().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, a number is not allowed, the block size is not
 *   supported, or the back end is another target's
 * - DOCA_ERROR_ALREADY_EXIST: the subsystem has a namespace of that number
 * - DOCA_ERROR_FULL: it has doca_sta_get_max_ns_per_subs() already
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 *
 * Only the thread that drives the control progress engine, the one of the doca_sta. Source: spec
 * sta 2, 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_subsystem_add_ns(struct doca_sta_subs_handle *subs_handle, uint32_t fe_ns_id,
				       uint32_t ns_block_size, uint32_t be_ns_id,
				       struct doca_sta_be_handle *be_handle,
				       struct doca_sta_ns_handle **ns_handle);

/**
 * @brief doca_sta_subsystem_task_rm_ns_alloc_init() that waits itself. It progresses nothing.
 *
 * @param [in] subs_handle the subsystem.
 * @param [in] ns_handle a namespace of it; invalid afterwards.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the namespace is another one's or has been
 *   removed
 * - DOCA_ERROR_BAD_STATE: it is being removed already
 *
 * Only the thread that drives the control progress engine, the one of the doca_sta. Source: spec
 * sta 2, 12.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_subsystem_rm_ns(struct doca_sta_subs_handle *subs_handle,
				      struct doca_sta_ns_handle *ns_handle);

/**
 * @brief Enables the task that removes namespaces.
 *
 * @param [in] sta the target, IDLE.
 * @param [in] task_completion_cb called for tasks that succeed: the namespace is gone.
 * @param [in] task_error_cb called for tasks that fail: the namespace is still there.
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
doca_sta_subsystem_task_rm_ns_set_conf(struct doca_sta *sta,
				       doca_sta_task_completion_cb_t task_completion_cb,
				       doca_sta_task_completion_cb_t task_error_cb);

/**
 * @brief Allocates a task that removes a namespace from its subsystem.
 *
 * It comes back when the engine has no command in hand that uses the namespace; progressing the
 * control progress engine is enough for that. Commands for it that come later are answered with
 * Invalid Namespace or Format. As soon as the task is submitted, the subsystem does without the
 * namespace: its number is free, and it keeps nobody from destroying the subsystem. The back end
 * stays, and is in use until the task comes back.
 *
 * @param [in] subs_handle the subsystem.
 * @param [in] ns_handle a namespace of it; invalid once the task has succeeded.
 * @param [in] user_data the task's user data.
 * @param [out] task the task; give it back with doca_task_free().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the namespace is another one's or has been
 *   removed
 * - DOCA_ERROR_BAD_STATE: the target is not RUNNING, or the task is not enabled
 * - DOCA_ERROR_NO_MEMORY: too many tasks are in use
 *
 * Only the thread that drives the control progress engine, the one of the doca_sta. Source: spec
 * sta 7e, seed 000.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_subsystem_task_rm_ns_alloc_init(struct doca_sta_subs_handle *subs_handle,
						      struct doca_sta_ns_handle *ns_handle,
						      union doca_data user_data,
						      struct doca_sta_producer_task_send **task);

#endif /* DOCA_STA_LEGACY_2_9 */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_STA_SUBSYSTEM_H_ */
