/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Progress engine and tasks: handing work over, and being told that it is done.
 *
 * A progress engine drives the contexts that are connected to it: all their callbacks run inside
 * doca_pe_progress(), in the thread that calls it. Engines are independent of each other; several
 * threads use one each.
 */
#ifndef DOCA_PE_H_
#define DOCA_PE_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>
#include <softfield_inline.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_devinfo;

/** A progress engine. */
struct doca_pe;

/** A task of any library: <library>_task_<type>_as_task() makes one of the concrete type. */
struct doca_task;

/** Several tasks that are submitted and come back together. */
struct doca_task_batch;

/** Most tasks in a batch. */
enum doca_task_batch_max_tasks_number {
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_16 = 0,
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_32 = 1,
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_64 = 2,
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_128 = 3,
};

/** Number of events reported together. Up to 2.7 the list began with _4, as 0. */
enum doca_event_batch_events_number {
	DOCA_EVENT_BATCH_EVENTS_NUMBER_1 = 0,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_2 = 1,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_4 = 2,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_8 = 3,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_16 = 4,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_32 = 5,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_64 = 6,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_128 = 7,
};

/** Flags of doca_task_submit_ex(); may be combined. */
enum doca_task_submit_flag {
	/** May be held back until a later submit with FLUSH, or doca_ctx_flush_tasks(). */
	DOCA_TASK_SUBMIT_FLAG_NONE = 0U,
	/**
	 * Hand over this task, and all that were held back, now. What a producer sends from the
	 * callback of a task, up to 2 KiB, may wait for the other callbacks that are due.
	 */
	DOCA_TASK_SUBMIT_FLAG_FLUSH = (1U << 0),
	/** The completion may come later, with that of a later task. */
	DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS = (1U << 1),
};

/** What doca_pe_progress() looks at after a notification. */
enum doca_pe_event_mode {
	/** What is cleared (doca_pe_clear_notification()); the default. */
	DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE = 0,
	/** Everything; clearing is not needed. */
	DOCA_PE_EVENT_MODE_PROGRESS_ALL = 1,
};

/**
 * Tells that a task has come back. Called inside doca_pe_progress(), once for each submit that
 * succeeded; every library declares the same with its own task type.
 *
 * The task belongs to the program again: it may be submitted again or freed, also in the callback.
 *
 * @param [in] task the task; its status is doca_task_get_status().
 * @param [in] task_user_data the task's user data.
 * @param [in] ctx_user_data the user data of its context.
 */
typedef void (*doca_task_completion_cb_t)(struct doca_task *task, union doca_data task_user_data,
					  union doca_data ctx_user_data);

/*
 * Progress engine
 */

/**
 * @brief Creates a progress engine.
 *
 * @param [out] pe the progress engine; give it back with doca_pe_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: pe is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory, or no descriptor left
 *
 * Any thread. Source: spec core 4.
 */
DOCA_STABLE
doca_error_t doca_pe_create(struct doca_pe **pe);

/**
 * @brief Destroys a progress engine. Its descriptor is closed.
 *
 * @param [in] pe the progress engine.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: pe is NULL
 * - DOCA_ERROR_IN_USE: a context is connected (it is until its object is destroyed; idle storage
 *   contexts do not count), or the call comes from a callback inside doca_pe_progress(pe)
 *
 * Only the thread that drives the progress engine. Source: spec core 4, spec sta 4.
 */
DOCA_STABLE
doca_error_t doca_pe_destroy(struct doca_pe *pe);

/**
 * @brief Lets a progress engine drive a context, until the context's object is destroyed.
 *
 * @param [in] pe the progress engine.
 * @param [in] ctx the context, in IDLE and not connected.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE
 * - DOCA_ERROR_NOT_PERMITTED: the context is IDLE, and connected already
 * - DOCA_ERROR_NO_MEMORY: on a card only, never here
 *
 * Only the thread that drives the progress engine. Source: spec core 4.
 */
DOCA_STABLE
doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);

/**
 * @brief Works on everything that is pending, without blocking, and calls the program's callbacks.
 *
 * One call does a bounded amount of work: call it until it returns 0 before going to sleep. It goes
 * on for up to 300 microseconds while there is work and nothing to tell of. Called from one of its
 * own callbacks, or while another thread is inside, it does nothing. Where other processes want the
 * CPU, one that has found nothing for long lets them have it for a moment. One that finds nothing
 * looks on for up to 16 microseconds while the program sleeps between messages that come sooner
 * than that.
 * When all calls of some milliseconds have found something, and no notification was requested
 * meanwhile, one does nothing and returns 0, for programs that look at other things then; what is
 * there comes in the next one.
 *
 * @param [in] pe the progress engine.
 *
 * @return 1 when a task came back, an event was told or a state changed, else 0: also when only a
 *         part of a long copy was done.
 *
 * Only the thread that drives the progress engine. Source: spec core 4.
 */
DOCA_STABLE
uint8_t doca_pe_progress(struct doca_pe *pe);

/**
 * @brief How many tasks of all contexts of a progress engine have been submitted and have not come
 * back.
 *
 * @param [in] pe the progress engine.
 * @param [out] num_inflight_tasks the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Only the thread that drives the progress engine. Source: spec core 4.
 */
DOCA_STABLE
doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe, size_t *num_inflight_tasks);

/*
 * Sleeping: request a notification, wait until the descriptor is readable, clear, and progress
 * until nothing is left. Everything wakes: completions, messages, connects, losses, states.
 */

/**
 * @brief The descriptor to wait on until there is something to do.
 *
 * It stays the same as long as the progress engine lives, and belongs to it: wait for EPOLLIN (or
 * POLLIN), never read or close it.
 *
 * @param [in] pe the progress engine.
 * @param [out] handle the descriptor.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: this is a child of fork(), and the contexts are the parent's (doca_ctx.h)
 *
 * Only the thread that drives the progress engine. Source: spec core 4.
 */
DOCA_STABLE
doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe,
					     doca_notification_handle_t *handle);

/**
 * @brief Arms the descriptor: it becomes readable when there is something to do.
 *
 * What is pending already makes it readable at once, so that nothing is missed between the last
 * doca_pe_progress() and this call. Needed once before each wait. After a wait that was short, it
 * may look for more for up to 160 microseconds.
 *
 * @param [in] pe the progress engine.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: pe is NULL
 * - DOCA_ERROR_BAD_STATE: this is a child of fork(), and the contexts are the parent's (doca_ctx.h)
 *
 * Only the thread that drives the progress engine. Source: spec core 4.
 */
DOCA_STABLE
doca_error_t doca_pe_request_notification(struct doca_pe *pe);

/**
 * @brief Acknowledges a notification. To be called after the wait, before doca_pe_progress().
 *
 * @param [in] pe the progress engine.
 * @param [in] handle not looked at; 0 will do.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: pe is NULL
 * - DOCA_ERROR_BAD_STATE: this is a child of fork(), and the contexts are the parent's (doca_ctx.h)
 * - DOCA_ERROR_OPERATING_SYSTEM: on a card only, never here
 *
 * Only the thread that drives the progress engine. Source: spec core 4.
 */
DOCA_STABLE
doca_error_t doca_pe_clear_notification(struct doca_pe *pe, doca_notification_handle_t handle);

/**
 * @brief Chooses whether doca_pe_progress() needs doca_pe_clear_notification() after a wait.
 *
 * Here it never does: everything pending is always worked on, in both modes.
 *
 * @param [in] pe the progress engine.
 * @param [in] event_mode the mode.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: pe is NULL, or there is no such mode
 *
 * Only the thread that drives the progress engine. Source: spec core 4.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_pe_set_event_mode(struct doca_pe *pe, enum doca_pe_event_mode event_mode);

/*
 * Tasks. A program owns a task from the library's alloc_init on; submit hands it to the library;
 * the completion callback (success) or the error callback gives it back.
 */

/**
 * @brief Hands a task to its library: doca_task_submit_ex() with DOCA_TASK_SUBMIT_FLAG_FLUSH.
 *
 * When it fails, the program still owns the task and no callback comes. AGAIN never waits for the
 * caller's own doca_pe_progress(): submitting in a loop until it works is sound.
 *
 * @param [in] task a task that the program owns.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: task is NULL or submitted already, or it can never work (the
 *   library's own checks)
 * - DOCA_ERROR_BAD_STATE: its context is not RUNNING, or what it would end has been ended already
 *   (tasks of the storage target that remove, destroy or disconnect)
 * - DOCA_ERROR_AGAIN: no room just now; nothing has changed, submit again later (on a card only)
 * - DOCA_ERROR_NO_MEMORY: no memory for it (on a card only)
 *
 * Only the thread that drives the progress engine of the task's context. Source: spec core 5.
 */
DOCA_STABLE
doca_error_t doca_task_submit(struct doca_task *task);

/**
 * @brief Hands a task to its library, with flags.
 *
 * @param [in] task a task that the program owns.
 * @param [in] flags enum doca_task_submit_flag.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: flags has unknown bits, or see doca_task_submit()
 * - DOCA_ERROR_BAD_STATE: see doca_task_submit()
 * - DOCA_ERROR_AGAIN: no room just now; nothing has changed, submit again later (on a card only)
 * - DOCA_ERROR_NO_MEMORY: no memory for it (on a card only)
 *
 * Only the thread that drives the progress engine of the task's context. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags);

/**
 * @brief Checks a task thoroughly, then hands it to its library.
 *
 * doca_task_submit() may leave it to the error callback to tell what is wrong with a task; this
 * one refuses it at once.
 *
 * @param [in] task a task that the program owns.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: task is NULL, submitted already, or its arguments are wrong
 * - DOCA_ERROR_BAD_STATE: see doca_task_submit()
 * - DOCA_ERROR_AGAIN: no room just now; nothing has changed, submit again later (on a card only)
 * - DOCA_ERROR_NO_MEMORY: no memory for it (on a card only)
 *
 * Only the thread that drives the progress engine of the task's context. Source: spec core 5.
 */
DOCA_STABLE
doca_error_t doca_task_try_submit(struct doca_task *task);

/**
 * @brief Gives a task back to the pool of its context. Buffers in it are not touched.
 *
 * @param [in] task a task that the program owns, or NULL. A submitted task gets no callback any
 *        more; it returns to the pool when the library is done with it.
 *
 * Only the thread that drives the progress engine of the task's context. Source: spec core 5.
 */
DOCA_STABLE
void doca_task_free(struct doca_task *task);

/**
 * @brief How a task ended. Meaningful in its callback and until it is submitted again.
 *
 * @param [in] task the task.
 *
 * @return DOCA_SUCCESS in the completion callback, the cause in the error callback:
 *         DOCA_ERROR_IO_FAILED when the context was stopped, else what the library's documentation
 *         of the task says. DOCA_ERROR_INVALID_VALUE when task is NULL.
 *
 * Only the thread that drives the progress engine of the task's context. Source: spec core 5.
 */
DOCA_STABLE
doca_error_t doca_task_get_status(const struct doca_task *task);

/**
 * @brief Stores a value of the program's own with a task that the program owns.
 *
 * @param [in] task the task.
 * @param [in] user_data the value; its callback gets it.
 *
 * Only the thread that drives the progress engine of the task's context. Source: spec core 5.
 */
DOCA_STABLE
void doca_task_set_user_data(struct doca_task *task, union doca_data user_data);

/**
 * @brief What doca_task_set_user_data() or alloc_init has stored.
 *
 * @param [in] task the task.
 *
 * @return the value; zero when task is NULL.
 *
 * Only the thread that drives the progress engine of the task's context. Source: spec core 5.
 */
DOCA_STABLE
union doca_data doca_task_get_user_data(const struct doca_task *task);

/**
 * @brief The context a task comes from.
 *
 * @param [in] task the task.
 *
 * @return the context; NULL when task is NULL.
 *
 * Only the thread that drives the progress engine of the task's context. Source: spec core 5.
 */
DOCA_STABLE
struct doca_ctx *doca_task_get_ctx(const struct doca_task *task);

/*
 * Batches. No library here makes any yet, so that there is nothing valid to call these with.
 */

/**
 * @brief Hands all tasks of a batch to their library.
 *
 * @param [in] task_batch a batch that the program owns.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: task_batch is NULL or submitted already
 * - DOCA_ERROR_BAD_STATE: its context is not RUNNING
 * - DOCA_ERROR_AGAIN: no room just now; nothing has changed (on a card only)
 *
 * Only the thread that drives the progress engine of the task's context. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_submit(struct doca_task_batch *task_batch);

/**
 * @brief Checks all tasks of a batch, then hands them to their library.
 *
 * @param [in] task_batch a batch that the program owns.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: task_batch is NULL, submitted already, or the arguments of a task
 *   are wrong
 * - DOCA_ERROR_BAD_STATE: its context is not RUNNING
 * - DOCA_ERROR_AGAIN: no room just now; nothing has changed (on a card only)
 *
 * Only the thread that drives the progress engine of the task's context. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_try_submit(struct doca_task_batch *task_batch);

/**
 * @brief Gives a batch and its tasks back.
 *
 * @param [in] task_batch a batch that the program owns, or NULL.
 *
 * Only the thread that drives the progress engine of the task's context. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
void doca_task_batch_free(struct doca_task_batch *task_batch);

/**
 * @brief How a batch ended.
 *
 * @param [in] task_batch the batch.
 *
 * @return DOCA_SUCCESS when all tasks have succeeded, else the status of the first one that has
 *         not; DOCA_ERROR_INVALID_VALUE when task_batch is NULL.
 *
 * Only the thread that drives the progress engine of the task's context. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_get_status(const struct doca_task_batch *task_batch);

/**
 * @brief Stores a value of the program's own with a batch.
 *
 * @param [in] task_batch the batch.
 * @param [in] user_data the value.
 *
 * Only the thread that drives the progress engine of the task's context. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
void doca_task_batch_set_user_data(struct doca_task_batch *task_batch, union doca_data user_data);

/**
 * @brief What doca_task_batch_set_user_data() has stored.
 *
 * @param [in] task_batch the batch.
 *
 * @return the value; zero when task_batch is NULL.
 *
 * Only the thread that drives the progress engine of the task's context. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
union doca_data doca_task_batch_get_user_data(const struct doca_task_batch *task_batch);

/**
 * @brief The context a batch comes from.
 *
 * @param [in] task_batch the batch.
 *
 * @return the context; NULL when task_batch is NULL.
 *
 * Only the thread that drives the progress engine of the task's context. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_task_batch_get_ctx(const struct doca_task_batch *task_batch);

/**
 * @brief User data of the context a batch comes from.
 *
 * @param [in] task_batch the batch.
 *
 * @return the value; zero when task_batch is NULL.
 *
 * Only the thread that drives the progress engine of the task's context. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
union doca_data doca_task_batch_get_ctx_user_data(const struct doca_task_batch *task_batch);

/**
 * @brief How many tasks are in a batch.
 *
 * @param [in] task_batch the batch.
 *
 * @return the number; 0 when task_batch is NULL.
 *
 * Only the thread that drives the progress engine of the task's context. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *task_batch);

#ifdef SOFTFIELD_INLINE

SOFTFIELD_CALLED(doca_error_t, doca_task_get_status, (const struct doca_task *task));
SOFTFIELD_CALLED(void, doca_task_set_user_data,
		 (struct doca_task * task, union doca_data user_data));
SOFTFIELD_CALLED(union doca_data, doca_task_get_user_data, (const struct doca_task *task));

SOFTFIELD_INLINE doca_error_t doca_task_get_status(const struct doca_task *task)
{
	if (SOFTFIELD_LEFT_TO_LIBRARY(task))
		return softfield_called_doca_task_get_status(task);
	return SOFTFIELD_CAST(const struct softfield_task *, task)->status;
}

SOFTFIELD_INLINE void doca_task_set_user_data(struct doca_task *task, union doca_data user_data)
{
	if (SOFTFIELD_INTERPOSED) {
		softfield_called_doca_task_set_user_data(task, user_data);
		return;
	}
	if (task)
		SOFTFIELD_CAST(struct softfield_task *, task)->user_data = user_data;
}

SOFTFIELD_INLINE union doca_data doca_task_get_user_data(const struct doca_task *task)
{
	if (SOFTFIELD_LEFT_TO_LIBRARY(task))
		return softfield_called_doca_task_get_user_data(task);
	return SOFTFIELD_CAST(const struct softfield_task *, task)->user_data;
}

#endif /* SOFTFIELD_INLINE */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_PE_H_ */
