/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DMA: copying memory, also to and from memory of the other side.
 */
#ifndef DOCA_DMA_H_
#define DOCA_DMA_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_ctx.h> /* programs count on this and doca_pe.h */
#include <doca_error.h>
#include <doca_pe.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_gpu_dma;
struct doca_task;

/** A DMA context; doca_dma_as_ctx(). */
struct doca_dma;

/** Task: copy one buffer to another. */
struct doca_dma_task_memcpy;

/** doca_task_completion_cb_t for this task. */
typedef void (*doca_dma_task_memcpy_completion_cb_t)(struct doca_dma_task_memcpy *task,
						     union doca_data task_user_data,
						     union doca_data ctx_user_data);

/**
 * @brief Creates a DMA context. Its start is done at once; it needs a progress engine.
 *
 * @param [in] dev the device; it must stay open as long as the context exists.
 * @param [out] dma the context; give it back with doca_dma_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 * - DOCA_ERROR_INITIALIZATION: on a card only, never here
 *
 * Any thread. Source: spec core 10.
 */
DOCA_STABLE
doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma);

/**
 * @brief Destroys the context.
 *
 * @param [in] dma the context, IDLE.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dma is NULL
 * - DOCA_ERROR_IN_USE: it is not IDLE, or is in a work queue; nothing has happened
 *
 * Only the thread that drives the context's progress engine. Source: spec core 10.
 */
DOCA_STABLE
doca_error_t doca_dma_destroy(struct doca_dma *dma);

/**
 * @brief The context as a struct doca_ctx.
 *
 * @param [in] dma the context.
 *
 * @return the same object; NULL when dma is NULL.
 *
 * Any thread. Source: spec core 10.
 */
DOCA_STABLE
struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma);

/**
 * @brief Asks for completions in the order of submission. They come in that order in any case.
 *
 * @param [in] dma the context, in any state.
 * @param [in] enable 1: in order; 0, as at first: in whatever order.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dma is NULL
 *
 * Only the thread that drives the context's progress engine. Source: public programs; no table
 * names it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dma_set_ordered_completions(struct doca_dma *dma, uint8_t enable);

/**
 * @brief What doca_dma_set_ordered_completions() was told last.
 *
 * @param [in] dma the context, in any state.
 * @param [out] enabled the value; 0 if it was told nothing.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Only the thread that drives the context's progress engine. Source: public programs; no table
 * names it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dma_get_ordered_completions(struct doca_dma *dma, uint8_t *enabled);

/*
 * Capabilities
 */

/**
 * @brief Whether a device can copy. All can.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_DRIVER, DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * Any thread. Source: spec core 10.
 */
DOCA_STABLE
doca_error_t doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief How many tasks a context may have.
 *
 * @param [in] dma the context.
 * @param [out] max_num_tasks the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec core 10.
 */
DOCA_STABLE
doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma *dma, uint32_t *max_num_tasks);

/**
 * @brief How many buffers the source or the destination may be a list of.
 *
 * @param [in] devinfo the device.
 * @param [out] max_buf_list_len the number, at least 1.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec core 10.
 */
DOCA_STABLE
doca_error_t doca_dma_cap_task_memcpy_get_max_buf_list_len(const struct doca_devinfo *devinfo,
							   uint32_t *max_buf_list_len);

/**
 * @brief How many bytes a task may copy.
 *
 * @param [in] devinfo the device.
 * @param [out] buf_size the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec core 10.
 */
DOCA_STABLE
doca_error_t doca_dma_cap_task_memcpy_get_max_buf_size(const struct doca_devinfo *devinfo,
						       uint64_t *buf_size);

/*
 * Copy task. Getters of a task that is NULL answer NULL, and setters do nothing.
 */

/**
 * @brief Enables the task. Mandatory before doca_ctx_start().
 *
 * @param [in] dma the context, IDLE.
 * @param [in] task_completion_cb called for tasks that succeed.
 * @param [in] task_error_cb called for tasks that fail.
 * @param [in] num_memcpy_tasks how many can be allocated at a time, 1 to
 *        doca_dma_cap_get_max_num_tasks().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * Only the thread that drives the context's progress engine. Source: spec core 10.
 */
DOCA_STABLE
doca_error_t doca_dma_task_memcpy_set_conf(struct doca_dma *dma,
					   doca_dma_task_memcpy_completion_cb_t task_completion_cb,
					   doca_dma_task_memcpy_completion_cb_t task_error_cb,
					   uint32_t num_memcpy_tasks);

/**
 * @brief Allocates a task that appends the data of one buffer to that of another one.
 *
 * Either may be a list, and either may be memory of the other side
 * (doca_mmap_create_from_export()). The data length of the destination grows by what was copied.
 * The data of the source may lie anywhere in its map, as doca_buf_set_data() says; that of the
 * destination lies in its buffer. Status in the error callback:
 * - DOCA_ERROR_INVALID_VALUE: the destination has too little room, a buffer is larger or a list
 *   longer than the capabilities say, the source has no data or some outside of its map
 * - DOCA_ERROR_NOT_PERMITTED: the permissions of a map forbid it
 * - DOCA_ERROR_IO_FAILED: memory of the other side can no longer be reached, a thread-safe map was
 *   destroyed meanwhile, or the context was stopped; some or all may have been copied
 * - DOCA_ERROR_NO_MEMORY: no memory to note down a list
 *
 * doca_task_try_submit() refuses at once what can be seen at once, and a source whose data is
 * outside of its buffer. As on a card, a task that fails stops the context: those behind it come
 * back with DOCA_ERROR_IO_FAILED.
 *
 * Tasks are done in the order of submission: up to a MiB inside of the submits, before any
 * progress; what is longer, and what is behind that, inside doca_pe_progress(). (A card copies all
 * of it meanwhile.) The callback, and what the destination's length says, come in
 * doca_pe_progress().
 *
 * Where it copies from and to is settled by the submit: the buffers may be aimed elsewhere then,
 * for the next task. Only what cannot be copied yet is looked at again when its turn has come: its
 * source may be what a task before it writes. (On a card it fails.)
 *
 * @param [in] dma the context, RUNNING.
 * @param [in] src the source; NULL: doca_dma_task_memcpy_set_src() names it before the submit.
 *        Neither buffer may be released before the task comes back.
 * @param [in] dst the destination; NULL: doca_dma_task_memcpy_set_dst() names it.
 * @param [in] user_data the task's user data.
 * @param [out] task the task; give it back with doca_task_free().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dma or task is NULL
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING
 * - DOCA_ERROR_NO_MEMORY: all num_memcpy_tasks tasks are in use
 *
 * Only the thread that drives the context's progress engine. Source: spec core 10.
 */
DOCA_STABLE
doca_error_t doca_dma_task_memcpy_alloc_init(struct doca_dma *dma, const struct doca_buf *src,
					     struct doca_buf *dst, union doca_data user_data,
					     struct doca_dma_task_memcpy **task);

/**
 * @brief The task as a struct doca_task, for doca_task_submit() and doca_task_free().
 *
 * @param [in] task the task.
 *
 * @return the same object.
 *
 * Any thread. Source: spec core 5.
 */
DOCA_STABLE
struct doca_task *doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy *task);

/**
 * @brief Gives a task that the program owns another source.
 *
 * @param [in] task the task.
 * @param [in] src the source.
 *
 * Only the thread that drives the context's progress engine. Source: spec core 10.
 */
DOCA_STABLE
void doca_dma_task_memcpy_set_src(struct doca_dma_task_memcpy *task, const struct doca_buf *src);

/**
 * @brief The source of a task.
 *
 * @param [in] task the task.
 *
 * @return the buffer.
 *
 * Only the thread that drives the context's progress engine. Source: spec core 10.
 */
DOCA_STABLE
const struct doca_buf *doca_dma_task_memcpy_get_src(const struct doca_dma_task_memcpy *task);

/**
 * @brief Gives a task that the program owns another destination.
 *
 * @param [in] task the task.
 * @param [in] dst the destination.
 *
 * Only the thread that drives the context's progress engine. Source: spec core 10.
 */
DOCA_STABLE
void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy *task, struct doca_buf *dst);

/**
 * @brief The destination of a task.
 *
 * @param [in] task the task.
 *
 * @return the buffer.
 *
 * Only the thread that drives the context's progress engine. Source: spec core 10.
 */
DOCA_STABLE
struct doca_buf *doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task);

/**
 * @brief How GPU code names a context. There is no GPU here.
 *
 * @param [in] dma the context.
 * @param [out] gpu_dma never written.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the context does not run on a GPU: always
 *
 * Only the thread that drives the context's progress engine. Source: spec core 10.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dma_get_gpu_handle(struct doca_dma *dma, struct doca_gpu_dma **gpu_dma);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include <softfield_dma_2_2.h>

#endif /* DOCA_DMA_H_ */
