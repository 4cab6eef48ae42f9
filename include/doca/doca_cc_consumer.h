/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consumer: the receiving end of the fast path of a connection, as releases 2.5 and 2.6 had it:
 * doca_comch_consumer.h under its earlier names, without immediate data.
 */
#ifndef DOCA_CC_CONSUMER_H_
#define DOCA_CC_CONSUMER_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_cc.h>
#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_cc_connection;
struct doca_ctx;
struct doca_devinfo;
struct doca_mmap;
struct doca_task;

/** A consumer; doca_cc_consumer_as_ctx(). */
struct doca_cc_consumer;

/** Task: lend a buffer to be received into. */
struct doca_cc_consumer_task_post_recv;

/** doca_task_completion_cb_t for this task. */
typedef void (*doca_cc_consumer_task_post_recv_completion_cb_t)(
	struct doca_cc_consumer_task_post_recv *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * @brief Creates a consumer on a connection.
 *
 * It is a context of its own, with its own progress engine, in any thread. Mandatory before
 * doca_ctx_start(): the receive task. The start needs the other side: STARTING, then RUNNING. For
 * that the server or client of the connection must be progressed on both sides. The peer is told
 * by its consumer event, before or after this one is RUNNING, and told again when this one is
 * stopped.
 *
 * @param [in] cc_connection an established connection. It must not be closed before the consumer
 *        is IDLE.
 * @param [in] buf_mmap the map that all buffers will lie in, with DOCA_ACCESS_FLAG_PCI_READ_WRITE,
 *        started before the consumer is.
 * @param [out] consumer the consumer; give it back with doca_cc_consumer_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory, or the connection has
 *   doca_cc_consumer_cap_get_max_consumers() already
 * - DOCA_ERROR_BAD_STATE: the connection is not established
 * - DOCA_ERROR_NOT_PERMITTED: the map lacks the permission. On a card also: the peer's library
 *   cannot do it; here, as with a comm_channel endpoint, no producer ever appears then
 *
 * Any thread. Source: spec comch 6, seed 003.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_create(struct doca_cc_connection *cc_connection,
				     struct doca_mmap *buf_mmap,
				     struct doca_cc_consumer **consumer);

/**
 * @brief Destroys a consumer. Allowed in callbacks.
 *
 * @param [in] consumer the consumer, IDLE.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: consumer is NULL
 * - DOCA_ERROR_IN_USE: it is not IDLE; nothing has happened
 * - DOCA_ERROR_INITIALIZATION: on a card only, never here
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_destroy(struct doca_cc_consumer *consumer);

/**
 * @brief The consumer as a struct doca_ctx, for doca_ctx_start() and the other doca_ctx_*()
 * functions.
 *
 * @param [in] consumer the consumer.
 *
 * @return the same object; NULL when it is NULL.
 *
 * Any thread. Source: spec comch 6.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_cc_consumer_as_ctx(struct doca_cc_consumer *consumer);

/**
 * @brief Whether a device can have consumers. All can.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * Any thread. Source: spec comch 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief How many receive tasks a consumer can be configured with.
 *
 * @param [in] devinfo the device.
 * @param [out] max_num_tasks the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec comch 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
						    uint32_t *max_num_tasks);

#ifndef DOCA_CC_LEGACY_2_5 /* softfield_cc_2_5.h */

/**
 * @brief Largest buffer that can be posted.
 *
 * @param [in] devinfo the device.
 * @param [out] max_buf_size bytes.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * Any thread. Source: spec comch 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
						   uint32_t *max_buf_size);

#endif

/**
 * @brief How many consumers a connection can have.
 *
 * @param [in] devinfo the device.
 * @param [out] max_consumers the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec comch 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
						    uint32_t *max_consumers);

/**
 * @brief Number by which the peer's producers address a consumer: 1 for the first, then 2, and so
 * on, on each side of a connection for itself. Never 0, never 0xffff.
 *
 * @param [in] consumer the consumer.
 * @param [out] id the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 2, 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_get_id(const struct doca_cc_consumer *consumer, uint32_t *id);

/*
 * Receiving
 */

/**
 * @brief Enables the receive task. Mandatory before doca_ctx_start().
 *
 * @param [in] consumer the consumer, IDLE.
 * @param [in] task_completion_cb called for tasks that have received.
 * @param [in] task_error_cb called for tasks that fail.
 * @param [in] num_post_recv_tasks how many can be allocated at a time, 1 to
 *        doca_cc_consumer_cap_get_max_num_tasks().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the consumer is not IDLE
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_task_post_recv_set_conf(
	struct doca_cc_consumer *consumer,
	doca_cc_consumer_task_post_recv_completion_cb_t task_completion_cb,
	doca_cc_consumer_task_post_recv_completion_cb_t task_error_cb,
	uint32_t num_post_recv_tasks);
/**
 * @brief Allocates a task that lends a buffer to be received into.
 *
 * Submitted tasks are used in the order of their submission, one for each message. The task comes
 * back when a producer has written: behind the data that was in the buffer, whose data length has
 * grown by that. A list, a buffer outside of the map, or one with more room than
 * doca_cc_consumer_cap_get_max_buf_size() says, is refused with DOCA_ERROR_INVALID_VALUE when the
 * task is submitted. Status in the error callback: DOCA_ERROR_IO_FAILED when the consumer was
 * stopped or the connection is lost, for a message after the end of a thread-safe map, and for one
 * whose own map ended while it was copied; DOCA_ERROR_NOT_PERMITTED when the program itself may not
 * write to the buffer; DOCA_ERROR_NO_MEMORY or DOCA_ERROR_FULL when there is no memory, or no
 * descriptor, to make it reachable for the producers.
 *
 * @param [in] consumer the consumer, RUNNING.
 * @param [in] buf a single buffer in the map of doca_cc_consumer_create(); NULL: no room for data.
 *        It must not be used before the task comes back.
 * @param [out] task the task, user data zero; give it back with doca_task_free().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: consumer or task is NULL
 * - DOCA_ERROR_BAD_STATE: the consumer is not RUNNING
 * - DOCA_ERROR_NO_MEMORY: all num_post_recv_tasks tasks are in use
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_cc_consumer_task_post_recv_alloc_init(struct doca_cc_consumer *consumer, struct doca_buf *buf,
					   struct doca_cc_consumer_task_post_recv **task);
/**
 * @brief The task as a struct doca_task, for doca_task_submit() and the other doca_task_*()
 * functions.
 *
 * @param [in] task the task.
 *
 * @return the same object.
 *
 * Any thread. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_cc_consumer_task_post_recv_as_task(struct doca_cc_consumer_task_post_recv *task);
/**
 * @brief The buffer of a task.
 *
 * @param [in] task the task.
 *
 * @return the buffer.
 *
 * One thread at a time for a task that the program owns. Source: spec comch 6.
 */
DOCA_EXPERIMENTAL
struct doca_buf *
doca_cc_consumer_task_post_recv_get_buf(struct doca_cc_consumer_task_post_recv *task);
/**
 * @brief Gives a task that the program owns another buffer, before it is submitted again.
 *
 * @param [in] task the task.
 * @param [in] buf see doca_cc_consumer_task_post_recv_alloc_init().
 *
 * One thread at a time for a task that the program owns. Source: spec comch 6.
 */
DOCA_EXPERIMENTAL
void doca_cc_consumer_task_post_recv_set_buf(struct doca_cc_consumer_task_post_recv *task,
					     struct doca_buf *buf);
/**
 * @brief The producer that a message came from. Meaningful in the completion callback.
 *
 * @param [in] task the task.
 *
 * @return doca_cc_producer_get_id() of the peer's producer; 0 when the task has received nothing.
 *
 * One thread at a time for a task that the program owns. Source: spec comch 6.
 */
DOCA_EXPERIMENTAL
uint32_t
doca_cc_consumer_task_post_recv_get_producer_id(struct doca_cc_consumer_task_post_recv *task);

/*
 * Spellings of release 2.5. Numbers of tasks were powers of two there, given by their exponent.
 */

/** Task: lend a buffer to be received into. */
struct doca_cc_consumer_post_recv_task;

/** doca_task_completion_cb_t for this task. */
typedef void (*doca_cc_consumer_post_recv_task_completion_cb_t)(
	struct doca_cc_consumer_post_recv_task *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/** The same type: another name of release 2.5. */
typedef doca_cc_consumer_post_recv_task_completion_cb_t
	doca_cc_consumer_post_recv_task_comp_handler;

#ifndef DOCA_CC_LEGACY_2_5 /* softfield_cc_2_5.h */

/**
 * @brief How many receive tasks a consumer can be configured with, as a power of two.
 *
 * @param [in] devinfo the device.
 * @param [out] max_log_num_tasks the exponent.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec comch 8, public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo,
							uint32_t *max_log_num_tasks);

#endif

/**
 * @brief doca_cc_consumer_task_post_recv_set_conf() in release 2.5.
 *
 * @param [in] consumer see doca_cc_consumer_task_post_recv_set_conf().
 * @param [in] task_completion_cb see there.
 * @param [in] task_error_cb see there.
 * @param [in] log_num_tasks exponent of how many can be allocated at a time; 10: 1024 tasks. At
 *        most doca_cc_consumer_cap_get_max_log_num_tasks().
 *
 * @return see doca_cc_consumer_task_post_recv_set_conf().
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 8, public programs
 * of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_post_recv_task_set_conf(
	struct doca_cc_consumer *consumer,
	doca_cc_consumer_post_recv_task_completion_cb_t task_completion_cb,
	doca_cc_consumer_post_recv_task_completion_cb_t task_error_cb, uint32_t log_num_tasks);

/**
 * @brief doca_cc_consumer_task_post_recv_alloc_init() in release 2.5.
 *
 * @param [in] consumer see doca_cc_consumer_task_post_recv_alloc_init().
 * @param [in] buf see there.
 * @param [out] task the task, user data zero; give it back with doca_task_free().
 *
 * @return see doca_cc_consumer_task_post_recv_alloc_init().
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 8, public programs
 * of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_cc_consumer_post_recv_task_alloc_init(struct doca_cc_consumer *consumer, struct doca_buf *buf,
					   struct doca_cc_consumer_post_recv_task **task);

/**
 * @brief doca_cc_consumer_task_post_recv_get_buf() in release 2.5.
 *
 * @param [in] task the task.
 *
 * @return the buffer.
 *
 * One thread at a time for a task that the program owns. Source: spec comch 8, public
 * programs of that age.
 */
DOCA_EXPERIMENTAL
struct doca_buf *
doca_cc_consumer_post_recv_task_get_buf(struct doca_cc_consumer_post_recv_task *task);

/**
 * @brief doca_cc_consumer_task_post_recv_set_buf() in release 2.5.
 *
 * @param [in] task the task.
 * @param [in] buf see there.
 *
 * One thread at a time for a task that the program owns. Source: spec comch 8, names of that
 * age.
 */
DOCA_EXPERIMENTAL
void doca_cc_consumer_post_recv_task_set_buf(struct doca_cc_consumer_post_recv_task *task,
					     struct doca_buf *buf);

/**
 * @brief doca_cc_consumer_task_post_recv_as_task() in release 2.5.
 *
 * @param [in] task the task.
 *
 * @return the same object.
 *
 * Any thread. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_cc_consumer_post_recv_task_as_task(struct doca_cc_consumer_post_recv_task *task);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_CC_CONSUMER_H_ */
