/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts: what every object that does work (server, client, consumer, producer, DMA, ...) is as
 * well.
 *
 * A context is configured and connected to a progress engine (doca_pe_connect_ctx()) while it is
 * IDLE, started, used while it is RUNNING, stopped, and destroyed when it is IDLE again. It may be
 * started again instead, with the same configuration.
 *
 * Threads: a context, its tasks and its callbacks belong to the thread that calls
 * doca_pe_progress() on its progress engine. They may move to another thread as a whole, between
 * two calls. A context with its data path on the DPA belongs to one thread of the program at a
 * time.
 *
 * Processes: what has peers (server, client, consumer, producer) stays with the process that has
 * started it. In a child of fork() it is IDLE, as are all contexts of its progress engine, which
 * does nothing there: they may be stopped and destroyed, and not started.
 */
#ifndef DOCA_CTX_H_
#define DOCA_CTX_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_devinfo;
struct doca_dpa;
struct doca_gpu;

/** States of a context. */
enum doca_ctx_states {
	DOCA_CTX_STATE_IDLE = 0,     /**< not started: may be configured, connected, destroyed */
	DOCA_CTX_STATE_STARTING = 1, /**< becomes RUNNING, or IDLE again, in doca_pe_progress() */
	DOCA_CTX_STATE_RUNNING = 2,  /**< tasks may be allocated and submitted */
	DOCA_CTX_STATE_STOPPING = 3, /**< becomes IDLE in doca_pe_progress() */
};

/**
 * Tells that a context has changed its state.
 *
 * Called inside doca_ctx_start() and doca_ctx_stop() for what happens at once, else inside
 * doca_pe_progress(); never by a thread of the DPA. doca_ctx_get_state() says next_state already.
 * No lock is held: tasks may be allocated and submitted, and the context may be stopped.
 *
 * @param [in] user_data what doca_ctx_set_user_data() stored; zero when it was never called.
 * @param [in] ctx the context.
 * @param [in] prev_state the state it leaves.
 * @param [in] next_state the state it is in now.
 */
typedef void (*doca_ctx_state_changed_callback_t)(const union doca_data user_data,
						  struct doca_ctx *ctx,
						  enum doca_ctx_states prev_state,
						  enum doca_ctx_states next_state);

/**
 * @brief Starts a context.
 *
 * What starts at once has gone from IDLE to RUNNING, and the callback has been called, when the
 * function returns. What needs the other side is in STARTING then; doca_pe_progress() makes it
 * RUNNING, or IDLE when the start fails, and only the callback tells.
 *
 * @param [in] ctx the context, in IDLE.
 *
 * @return DOCA_SUCCESS: RUNNING, or
 * - DOCA_ERROR_IN_PROGRESS: not a failure: STARTING
 * - DOCA_ERROR_INVALID_VALUE: ctx is NULL, or a mandatory part of its configuration is missing; a
 *   consumer: or its memory map is not started, or imported
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; a server, client, consumer or producer: or a
 *   mandatory part of its configuration is missing
 * - DOCA_ERROR_BAD_CONFIG: a doca_sta_io: a mandatory part of its configuration is missing
 * - DOCA_ERROR_NOT_CONNECTED: no progress engine is connected to it, or one of the parent of this
 *   process; a consumer or producer: or its connection has ended
 * - DOCA_ERROR_NOT_SUPPORTED: the device lacks what the context needs
 * - DOCA_ERROR_INITIALIZATION: a resource of the system could not be had
 * - DOCA_ERROR_IN_USE: a server with that name exists already (doca_comch_server)
 * - DOCA_ERROR_NO_MEMORY: no memory for the tasks, or no room in the runtime folder
 * - DOCA_ERROR_DRIVER: a sync event that was imported: its exporter cannot be reached any more
 * - DOCA_ERROR_UNEXPECTED: on a card only, never here
 *
 * Only the thread that drives the context's progress engine. Source: spec core 3.
 */
DOCA_STABLE
doca_error_t doca_ctx_start(struct doca_ctx *ctx);

/**
 * @brief Stops a context. May be called from every callback.
 *
 * Tasks that are submitted come back through their error callback, with status
 * DOCA_ERROR_IO_FAILED, from doca_pe_progress(); messages that were submitted before still go out.
 * The context is IDLE when those tasks and everything that the program still holds from earlier
 * completions have been freed. Tasks that were never submitted do not hold it up.
 *
 * @param [in] ctx the context.
 *
 * @return DOCA_SUCCESS: IDLE; the callback has been called, unless it was IDLE before, or
 * - DOCA_ERROR_IN_PROGRESS: not a failure: STOPPING, or it was STOPPING before and nothing has
 *   happened; with its data path on the DPA: what it waits for was not done in time, call again
 * - DOCA_ERROR_INVALID_VALUE: ctx is NULL
 * - DOCA_ERROR_IN_USE: a consumer or producer on a connection of it is not IDLE; nothing has
 *   happened
 * - DOCA_ERROR_NOT_CONNECTED, DOCA_ERROR_UNEXPECTED: on a card only, never here
 *
 * Only the thread that drives the context's progress engine. Source: spec core 3, spec comch 5.
 */
DOCA_STABLE
doca_error_t doca_ctx_stop(struct doca_ctx *ctx);

/**
 * @brief How many tasks of a context have been submitted and have not come back.
 *
 * @param [in] ctx the context.
 * @param [out] num_inflight_tasks the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Only the thread that drives the context's progress engine. Source: spec core 3.
 */
DOCA_STABLE
doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx,
					     size_t *num_inflight_tasks);

/**
 * @brief Stores a value of the program's own with a context, in any state.
 *
 * All callbacks of the context and of its tasks get it. The library never looks at it.
 *
 * @param [in] ctx the context.
 * @param [in] user_data the value.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: ctx is NULL
 *
 * Only the thread that drives the context's progress engine. Source: spec core 3.
 */
DOCA_STABLE
doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data);

/**
 * @brief What doca_ctx_set_user_data() has stored; zero before.
 *
 * @param [in] ctx the context.
 * @param [out] user_data the value.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Only the thread that drives the context's progress engine. Source: spec core 3.
 */
DOCA_STABLE
doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data);

/**
 * @brief Sets the callback for changes of the state. A context has one such callback; the last one
 * set counts.
 *
 * @param [in] ctx the context, in IDLE.
 * @param [in] cb the callback.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE
 *
 * Only the thread that drives the context's progress engine. Source: spec core 3.
 */
DOCA_STABLE
doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx,
					   doca_ctx_state_changed_callback_t cb);

/**
 * @brief State of a context.
 *
 * @param [in] ctx the context.
 * @param [out] state the state.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Only the thread that drives the context's progress engine. Source: spec core 3.
 */
DOCA_STABLE
doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state);

/**
 * @brief Hands over tasks that were submitted without DOCA_TASK_SUBMIT_FLAG_FLUSH.
 *
 * Cannot fail; nothing happens when there are none, or when the context is not RUNNING.
 *
 * @param [in] ctx the context.
 *
 * Only the thread that drives the context's progress engine. Source: spec core 3.
 */
DOCA_EXPERIMENTAL
void doca_ctx_flush_tasks(struct doca_ctx *ctx);

/*
 * Other places to run on
 */

/**
 * @brief Lets a GPU submit a context's tasks. There is no GPU here.
 *
 * @param [in] ctx the context, in IDLE.
 * @param [in] gpu_dev the GPU.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE
 * - DOCA_ERROR_NOT_SUPPORTED: always
 *
 * Only the thread that drives the context's progress engine. Source: spec core 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu_dev);

/**
 * @brief Lets DPA code use a context instead of the CPU. For consumers and producers of a message
 * queue.
 *
 * Such a context needs no progress engine and has no tasks; connecting one has no effect. It starts
 * and stops inside doca_ctx_start() and doca_ctx_stop(), which call the callback once, at their
 * end. There is no way back.
 *
 * @param [in] ctx the context, in IDLE.
 * @param [in] dpa_dev the DPA. It must outlive the context.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the context is not on a device of this DPA,
 * or its queue was set to another one
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE
 * - DOCA_ERROR_NOT_SUPPORTED: the context is of a kind that cannot be used from a DPA
 *
 * One thread at a time for a context. Source: spec core 3, spec msgq_dpa 4.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa_dev);

/**
 * @brief Chooses the interrupt that completions of a context raise. There is one, number 0.
 *
 * @param [in] ctx the context, in IDLE.
 * @param [in] comp_vector below doca_ctx_cap_get_num_completion_vectors().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: ctx is NULL, or there is no such vector
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * Only the thread that drives the context's progress engine. Source: spec core 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx, uint32_t comp_vector);

/**
 * @brief How many completion vectors a device has.
 *
 * @param [in] devinfo the device.
 * @param [out] num_comp_vectors the number, at least 1.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec core 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_cap_get_num_completion_vectors(const struct doca_devinfo *devinfo,
						     uint32_t *num_comp_vectors);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include <softfield_core_2_2.h>

#endif /* DOCA_CTX_H_ */
