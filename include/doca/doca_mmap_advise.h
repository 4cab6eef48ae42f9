/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Advice on memory: telling a device that cached copies of a buffer are stale.
 */
#ifndef DOCA_MMAP_ADVISE_H_
#define DOCA_MMAP_ADVISE_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_task;

/** The context that takes advice; doca_mmap_advise_as_ctx(). */
struct doca_mmap_advise;

/** Task: drop what caches hold of a buffer. */
struct doca_mmap_advise_task_invalidate_cache;

/** doca_task_completion_cb_t for this task. */
typedef void (*doca_mmap_advise_task_invalidate_cache_completion_cb_t)(
	struct doca_mmap_advise_task_invalidate_cache *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * @brief Creates a context for advice about memory.
 *
 * @param [in] dev the device; it must stay open as long as the context exists.
 * @param [out] mmap_advise the context; give it back with doca_mmap_advise_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 *
 * Any thread. Source: spec core 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_create(struct doca_dev *dev, struct doca_mmap_advise **mmap_advise);

/**
 * @brief Destroys the context.
 *
 * @param [in] mmap_advise the context, IDLE.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap_advise is NULL
 * - DOCA_ERROR_IN_USE: it is not IDLE
 *
 * Only the thread that drives the context's progress engine. Source: spec core 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_destroy(struct doca_mmap_advise *mmap_advise);

/**
 * @brief The context as a struct doca_ctx.
 *
 * @param [in] mmap_advise the context.
 *
 * @return the same object; NULL when mmap_advise is NULL.
 *
 * Any thread. Source: spec core 3.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_mmap_advise_as_ctx(struct doca_mmap_advise *mmap_advise);

/**
 * @brief Whether a device supports the task. Devices of the DPU side do.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS: it does, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: it does not
 *
 * Any thread. Source: spec samples 6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_mmap_advise_cap_task_cache_invalidate_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Largest buffer of the task.
 *
 * @param [in] devinfo the device.
 * @param [out] buf_size bytes.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec samples 6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_mmap_advise_task_cache_invalidate_get_max_buf_size(const struct doca_devinfo *devinfo,
							uint64_t *buf_size);

/**
 * @brief Enables the task. Mandatory before doca_ctx_start().
 *
 * @param [in] mmap_advise the context, IDLE.
 * @param [in] completion_cb called for tasks that succeed.
 * @param [in] error_cb called for tasks that fail.
 * @param [in] num_tasks how many can be allocated at a time, at least 1.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the number is 0 or too large
 * - DOCA_ERROR_NOT_PERMITTED: the context is not IDLE
 *
 * Only the thread that drives the context's progress engine. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_task_invalidate_cache_set_conf(
	struct doca_mmap_advise *mmap_advise,
	doca_mmap_advise_task_invalidate_cache_completion_cb_t completion_cb,
	doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * @brief Allocates a task that drops what caches hold of a buffer.
 *
 * Caches are coherent between the two sides here: a valid task has nothing to do and succeeds.
 *
 * @param [in] mmap_advise the context, RUNNING.
 * @param [in] buf the buffer: its data, or that of the whole list. It must not be released before
 *        the task comes back.
 * @param [in] user_data the task's user data.
 * @param [out] task the task; give it back with doca_task_free().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap_advise, buf or task is NULL
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING
 * - DOCA_ERROR_NO_MEMORY: all num_tasks tasks are in use
 *
 * Only the thread that drives the context's progress engine. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_task_invalidate_cache_alloc_init(
	struct doca_mmap_advise *mmap_advise, struct doca_buf *buf, union doca_data user_data,
	struct doca_mmap_advise_task_invalidate_cache **task);

/**
 * @brief The task as a struct doca_task, for doca_task_submit() and doca_task_free().
 *
 * @param [in] task the task.
 *
 * @return the same object.
 *
 * Any thread. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_mmap_advise_task_invalidate_cache_as_doca_task(
	struct doca_mmap_advise_task_invalidate_cache *task);

/**
 * @brief Gives a task that the program owns another buffer.
 *
 * @param [in] task the task; NULL: nothing happens.
 * @param [in] buf the buffer.
 *
 * Only the thread that drives the context's progress engine. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
void doca_mmap_advise_task_invalidate_cache_set_buf(
	struct doca_mmap_advise_task_invalidate_cache *task, struct doca_buf *buf);

/**
 * @brief The buffer of a task.
 *
 * @param [in] task the task.
 *
 * @return the buffer; NULL, also: task is NULL.
 *
 * Only the thread that drives the context's progress engine. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_mmap_advise_task_invalidate_cache_get_buf(
	const struct doca_mmap_advise_task_invalidate_cache *task);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_MMAP_ADVISE_H_ */
