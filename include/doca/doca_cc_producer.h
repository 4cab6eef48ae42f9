/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Producer: the sending end of the fast path of a connection, as releases 2.5 and 2.6 had it:
 * doca_comch_producer.h under its earlier names, without immediate data.
 */
#ifndef DOCA_CC_PRODUCER_H_
#define DOCA_CC_PRODUCER_H_

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
struct doca_task;

/** A producer; doca_cc_producer_as_ctx(). */
struct doca_cc_producer;

/** Task: send a buffer to a consumer. */
struct doca_cc_producer_task_send;

/** doca_task_completion_cb_t for this task. */
typedef void (*doca_cc_producer_task_send_completion_cb_t)(struct doca_cc_producer_task_send *task,
							   union doca_data task_user_data,
							   union doca_data ctx_user_data);

/**
 * @brief Creates a producer on a connection.
 *
 * It is a context of its own, with its own progress engine, in any thread. Mandatory before
 * doca_ctx_start(): the send task. The start is done at once. One producer can send to all
 * consumers that the peer has on this connection.
 *
 * @param [in] cc_connection an established connection. It must not be closed before the producer
 *        is IDLE.
 * @param [out] producer the producer; give it back with doca_cc_producer_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory, or the connection has
 *   doca_cc_producer_cap_get_max_producers() already
 * - DOCA_ERROR_BAD_STATE: the connection is not established
 * - DOCA_ERROR_NOT_PERMITTED: on a card only, never here
 *
 * Any thread. Source: spec comch 6, seed 003.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_create(struct doca_cc_connection *cc_connection,
				     struct doca_cc_producer **producer);

/**
 * @brief Destroys a producer. Allowed in callbacks.
 *
 * @param [in] producer the producer, IDLE.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: producer is NULL
 * - DOCA_ERROR_IN_USE: it is not IDLE; nothing has happened
 * - DOCA_ERROR_INITIALIZATION: on a card only, never here
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_destroy(struct doca_cc_producer *producer);

/**
 * @brief The producer as a struct doca_ctx, for doca_ctx_start() and the other doca_ctx_*()
 * functions.
 *
 * @param [in] producer the producer.
 *
 * @return the same object; NULL when it is NULL.
 *
 * Any thread. Source: spec comch 6.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_cc_producer_as_ctx(struct doca_cc_producer *producer);

/**
 * @brief Whether a device can have producers. All can.
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
doca_error_t doca_cc_producer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief How many send tasks a producer can be configured with.
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
doca_error_t doca_cc_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
						    uint32_t *max_num_tasks);

#ifndef DOCA_CC_LEGACY_2_5 /* softfield_cc_2_5.h */

/**
 * @brief Largest buffer that can be sent.
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
doca_error_t doca_cc_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
						   uint32_t *max_buf_size);

#endif

/**
 * @brief How many producers a connection can have.
 *
 * @param [in] devinfo the device.
 * @param [out] max_producers the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec comch 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_cap_get_max_producers(const struct doca_devinfo *devinfo,
						    uint32_t *max_producers);

/**
 * @brief Number by which consumers of the peer know a producer. Never 0.
 *
 * @param [in] producer the producer.
 * @param [out] id the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 2, 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_get_id(const struct doca_cc_producer *producer, uint32_t *id);

/*
 * Sending
 */

/**
 * @brief Enables the send task. Mandatory before doca_ctx_start().
 *
 * @param [in] producer the producer, IDLE.
 * @param [in] task_completion_cb called for tasks that succeed.
 * @param [in] task_error_cb called for tasks that fail.
 * @param [in] num_send_tasks how many can be allocated at a time, 1 to
 *        doca_cc_producer_cap_get_max_num_tasks().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the producer is not IDLE
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_cc_producer_task_send_set_conf(struct doca_cc_producer *producer,
				    doca_cc_producer_task_send_completion_cb_t task_completion_cb,
				    doca_cc_producer_task_send_completion_cb_t task_error_cb,
				    uint32_t num_send_tasks);

/**
 * @brief Allocates a task that sends a buffer to a consumer.
 *
 * It can always be submitted: while the consumer has posted nothing it waits. It comes back when
 * the data is in the consumer's buffer. What one producer sends to one consumer arrives in that
 * order; there is no order between producers. A list, a buffer with data outside of it, with more
 * data than doca_cc_producer_cap_get_max_buf_size() says, or of a map that is imported or not
 * started, or a consumer that was never announced, is refused with DOCA_ERROR_INVALID_VALUE when
 * the task is submitted. Status in the error callback:
 * - DOCA_ERROR_INVALID_VALUE: the data does not fit into the consumer's buffer, which stays posted
 * - DOCA_ERROR_CONNECTION_RESET: the consumer or the connection has gone
 * - DOCA_ERROR_IO_FAILED: the producer was stopped, or the buffer's map, a thread-safe one, was
 *   destroyed before the data was copied
 *
 * @param [in] producer the producer, RUNNING.
 * @param [in] buf a single buffer with the data to send. It must not change before the task comes
 *        back.
 * @param [in] consumer_id the consumer, as the consumer event told it.
 * @param [out] task the task, user data zero; give it back with doca_task_free().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 * - DOCA_ERROR_BAD_STATE: the producer is not RUNNING
 * - DOCA_ERROR_NO_MEMORY: all num_send_tasks tasks are in use
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 6, 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_task_send_alloc_init(struct doca_cc_producer *producer,
						   struct doca_buf *buf, uint32_t consumer_id,
						   struct doca_cc_producer_task_send **task);
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
struct doca_task *doca_cc_producer_task_send_as_task(struct doca_cc_producer_task_send *task);
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
struct doca_buf *doca_cc_producer_task_send_get_buf(struct doca_cc_producer_task_send *task);
/**
 * @brief Gives a task that the program owns another buffer, before it is submitted again.
 *
 * @param [in] task the task.
 * @param [in] buf see doca_cc_producer_task_send_alloc_init().
 *
 * One thread at a time for a task that the program owns. Source: spec comch 6.
 */
DOCA_EXPERIMENTAL
void doca_cc_producer_task_send_set_buf(struct doca_cc_producer_task_send *task,
					struct doca_buf *buf);

/**
 * @brief The consumer a task sends to.
 *
 * @param [in] task the task.
 *
 * @return its number.
 *
 * One thread at a time for a task that the program owns. Source: spec comch 6.
 */
DOCA_EXPERIMENTAL
uint32_t doca_cc_producer_task_send_get_consumer_id(struct doca_cc_producer_task_send *task);

/**
 * @brief Sends a task that the program owns to another consumer, when it is submitted again.
 *
 * @param [in] task the task.
 * @param [in] consumer_id the consumer.
 *
 * One thread at a time for a task that the program owns. Source: spec comch 6.
 */
DOCA_EXPERIMENTAL
void doca_cc_producer_task_send_set_consumer_id(struct doca_cc_producer_task_send *task,
						const uint32_t consumer_id);

/*
 * Spellings of release 2.5. Numbers of tasks were powers of two there, given by their exponent.
 */

/** Task: send a buffer to a consumer. */
struct doca_cc_producer_send_task;

/** doca_task_completion_cb_t for this task. */
typedef void (*doca_cc_producer_send_task_completion_cb_t)(struct doca_cc_producer_send_task *task,
							   union doca_data task_user_data,
							   union doca_data ctx_user_data);

/** The same type: another name of release 2.5. */
typedef doca_cc_producer_send_task_completion_cb_t doca_cc_producer_send_task_comp_handler;

#ifndef DOCA_CC_LEGACY_2_5 /* softfield_cc_2_5.h */

/**
 * @brief How many send tasks a producer can be configured with, as a power of two.
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
doca_error_t doca_cc_producer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo,
							uint32_t *max_log_num_tasks);

#endif

/**
 * @brief doca_cc_producer_task_send_set_conf() in release 2.5.
 *
 * @param [in] producer see doca_cc_producer_task_send_set_conf().
 * @param [in] task_completion_cb see there.
 * @param [in] task_error_cb see there.
 * @param [in] log_num_tasks exponent of how many can be allocated at a time; 10: 1024 tasks. At
 *        most doca_cc_producer_cap_get_max_log_num_tasks().
 *
 * @return see doca_cc_producer_task_send_set_conf().
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 8, public programs
 * of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_cc_producer_send_task_set_conf(struct doca_cc_producer *producer,
				    doca_cc_producer_send_task_completion_cb_t task_completion_cb,
				    doca_cc_producer_send_task_completion_cb_t task_error_cb,
				    uint32_t log_num_tasks);

/**
 * @brief doca_cc_producer_task_send_alloc_init() in release 2.5.
 *
 * @param [in] producer see doca_cc_producer_task_send_alloc_init().
 * @param [in] buf see there.
 * @param [in] consumer_id see there.
 * @param [out] task the task, user data zero; give it back with doca_task_free().
 *
 * @return see doca_cc_producer_task_send_alloc_init().
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 8, public programs
 * of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_send_task_alloc_init(struct doca_cc_producer *producer,
						   struct doca_buf *buf, uint32_t consumer_id,
						   struct doca_cc_producer_send_task **task);

/**
 * @brief doca_cc_producer_task_send_get_buf() in release 2.5.
 *
 * @param [in] task the task.
 *
 * @return the buffer.
 *
 * One thread at a time for a task that the program owns. Source: spec comch 8, public
 * programs of that age.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_cc_producer_send_task_get_buf(const struct doca_cc_producer_send_task *task);

/**
 * @brief doca_cc_producer_task_send_set_buf() in release 2.5.
 *
 * @param [in] task the task.
 * @param [in] buf see there.
 *
 * One thread at a time for a task that the program owns. Source: spec comch 8, names of that
 * age.
 */
DOCA_EXPERIMENTAL
void doca_cc_producer_send_task_set_buf(struct doca_cc_producer_send_task *task,
					struct doca_buf *buf);

/**
 * @brief doca_cc_producer_task_send_get_consumer_id() in release 2.5.
 *
 * @param [in] task the task.
 *
 * @return its number.
 *
 * One thread at a time for a task that the program owns. Source: spec comch 8, names of that
 * age.
 */
DOCA_EXPERIMENTAL
uint32_t doca_cc_producer_send_task_get_consumer_id(const struct doca_cc_producer_send_task *task);

/**
 * @brief doca_cc_producer_task_send_set_consumer_id() in release 2.5.
 *
 * @param [in] task the task.
 * @param [in] consumer_id see there.
 *
 * One thread at a time for a task that the program owns. Source: spec comch 8, names of that
 * age.
 */
DOCA_EXPERIMENTAL
void doca_cc_producer_send_task_set_consumer_id(struct doca_cc_producer_send_task *task,
						uint32_t consumer_id);

/**
 * @brief doca_cc_producer_task_send_as_task() in release 2.5.
 *
 * @param [in] task the task.
 *
 * @return the same object.
 *
 * Any thread. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_cc_producer_send_task_as_task(struct doca_cc_producer_send_task *task);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_CC_PRODUCER_H_ */
