/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consumer: the receiving end of the fast path of a connection.
 *
 * A consumer lends buffers to the peer's producers, which write straight into them. It may also be
 * the receiving end of a message queue (doca_comch_msgq.h).
 */
#ifndef DOCA_COMCH_CONSUMER_H_
#define DOCA_COMCH_CONSUMER_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_ctx.h> /* programs count on this and doca_pe.h */
#include <doca_error.h>
#include <doca_pe.h>
#include <doca_types.h>
#include <softfield_dpa_handles.h>
#include <softfield_cast.h>
#include <softfield_inline.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_comch_connection;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_dpa_thread;
struct doca_mmap;
struct doca_task;

/** A consumer; doca_comch_consumer_as_ctx(). */
struct doca_comch_consumer;

/** Where DPA code finds what consumers have received. */
struct doca_comch_consumer_completion;

/** Task: lend a buffer to be received into. */
struct doca_comch_consumer_task_post_recv;

/** doca_task_completion_cb_t for this task. */
typedef void (*doca_comch_consumer_task_post_recv_completion_cb_t)(
	struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
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
 * @param [in] comch_connection an established connection. It must not be closed before the
 *        consumer is IDLE.
 * @param [in] buf_mmap the map that all buffers will lie in, with DOCA_ACCESS_FLAG_PCI_READ_WRITE,
 *        started before the consumer is.
 * @param [out] consumer the consumer; give it back with doca_comch_consumer_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory, or the connection has
 *   doca_comch_consumer_cap_get_max_consumers() already
 * - DOCA_ERROR_BAD_STATE: the connection is not established
 * - DOCA_ERROR_NOT_PERMITTED: the map lacks the permission. On a card also: the peer's library
 *   cannot do it; here, as with a comm_channel endpoint, no producer ever appears then
 *
 * Any thread. Source: spec comch 6, seed 003.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_create(struct doca_comch_connection *comch_connection,
					struct doca_mmap *buf_mmap,
					struct doca_comch_consumer **consumer);

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
DOCA_STABLE
doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer);

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
DOCA_STABLE
struct doca_ctx *doca_comch_consumer_as_ctx(struct doca_comch_consumer *consumer);

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
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo);

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
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
						       uint32_t *max_num_tasks);

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
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
						      uint32_t *max_buf_size);

/**
 * @brief How many buffers a posted buffer may be a list of.
 *
 * @param [in] devinfo the device.
 * @param [out] max_buf_list_len 1: lists are not supported.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * Any thread. Source: spec comch 2.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
							  uint32_t *max_buf_list_len);

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
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
						       uint32_t *max_consumers);

/**
 * @brief Maximum length of a message's immediate data.
 *
 * @param [in] devinfo the device.
 * @param [out] max_imm_data_len bytes.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec comch 2.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_imm_data_len(const struct doca_devinfo *devinfo,
							  uint32_t *max_imm_data_len);

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
DOCA_STABLE
doca_error_t doca_comch_consumer_get_id(const struct doca_comch_consumer *consumer, uint32_t *id);

/**
 * @brief Sets how much immediate data a message may carry.
 *
 * Unless set: 0; of a message queue's consumer, as much as
 * doca_comch_consumer_cap_get_max_imm_data_len() says, or, on a DPA, as its completion has room
 * for.
 *
 * @param [in] consumer the consumer, IDLE.
 * @param [in] imm_data_len bytes, at most doca_comch_consumer_cap_get_max_imm_data_len(); of a
 *        message queue's (doca_comch_msgq.h) 64.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: consumer is NULL, or the length is too large
 * - DOCA_ERROR_BAD_STATE: the consumer is not IDLE
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 2, 6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_set_imm_data_len(struct doca_comch_consumer *consumer,
						  uint32_t imm_data_len);

/**
 * @brief What doca_comch_consumer_set_imm_data_len() has set.
 *
 * @param [in] consumer the consumer.
 * @param [out] imm_data_len bytes.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_get_imm_data_len(const struct doca_comch_consumer *consumer,
						  uint32_t *imm_data_len);

/*
 * Receiving. Getters of a task that is NULL answer 0, and setters do nothing.
 */

/**
 * @brief Enables the receive task. Mandatory before doca_ctx_start().
 *
 * @param [in] consumer the consumer, IDLE.
 * @param [in] task_completion_cb called for tasks that have received.
 * @param [in] task_error_cb called for tasks that fail.
 * @param [in] num_post_recv_tasks how many can be allocated at a time, 1 to
 *        doca_comch_consumer_cap_get_max_num_tasks().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the consumer is not IDLE
 * - DOCA_ERROR_NOT_SUPPORTED: the consumer is one for DPA code
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_task_post_recv_set_conf(
	struct doca_comch_consumer *consumer,
	doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
	doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb,
	uint32_t num_post_recv_tasks);

/**
 * @brief Allocates a task that lends a buffer to be received into.
 *
 * Submitted tasks are used in the order of their submission, one for each message. The task comes
 * back when a producer has written: behind the data that was in the buffer, whose data length has
 * grown by that; by nothing for a message of immediate data alone. A list, a buffer outside of
 * the map, or one with more room than doca_comch_consumer_cap_get_max_buf_size() says, is refused
 * with DOCA_ERROR_INVALID_VALUE when the task is submitted. Status in the error callback:
 * DOCA_ERROR_IO_FAILED when the consumer was stopped or the connection is lost, for a message
 * after the end of a thread-safe map, and for one whose own map ended while it was copied;
 * DOCA_ERROR_NOT_PERMITTED when the program itself may not write to the buffer;
 * DOCA_ERROR_NO_MEMORY or DOCA_ERROR_FULL when there is no memory, or no descriptor, to make it
 * reachable for the producers.
 *
 * @param [in] consumer the consumer, RUNNING.
 * @param [in] buf a single buffer in the map of doca_comch_consumer_create(); NULL: for messages
 *        of immediate data alone. It must not be used before the task comes back.
 * @param [out] task the task, user data zero; give it back with doca_task_free().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: consumer or task is NULL
 * - DOCA_ERROR_BAD_STATE: the consumer is not RUNNING
 * - DOCA_ERROR_NO_MEMORY: all num_post_recv_tasks tasks are in use
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 6.
 */
DOCA_STABLE
doca_error_t
doca_comch_consumer_task_post_recv_alloc_init(struct doca_comch_consumer *consumer,
					      struct doca_buf *buf,
					      struct doca_comch_consumer_task_post_recv **task);

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
DOCA_STABLE
struct doca_task *
doca_comch_consumer_task_post_recv_as_task(struct doca_comch_consumer_task_post_recv *task);

/**
 * @brief The buffer of a task.
 *
 * @param [in] task the task.
 *
 * @return the buffer; NULL when it has none.
 *
 * One thread at a time for a task that the program owns. Source: spec comch 6.
 */
DOCA_STABLE
struct doca_buf *
doca_comch_consumer_task_post_recv_get_buf(const struct doca_comch_consumer_task_post_recv *task);

/**
 * @brief Gives a task that the program owns another buffer, before it is submitted again.
 *
 * @param [in] task the task.
 * @param [in] buf see doca_comch_consumer_task_post_recv_alloc_init().
 *
 * One thread at a time for a task that the program owns. Source: spec comch 6.
 */
DOCA_STABLE
void doca_comch_consumer_task_post_recv_set_buf(struct doca_comch_consumer_task_post_recv *task,
						struct doca_buf *buf);

/**
 * @brief The producer that a message came from. Meaningful in the completion callback.
 *
 * @param [in] task the task.
 *
 * @return doca_comch_producer_get_id() of the peer's producer; 0 when the task has received
 *         nothing.
 *
 * One thread at a time for a task that the program owns. Source: spec comch 6.
 */
DOCA_STABLE
uint32_t doca_comch_consumer_task_post_recv_get_producer_id(
	const struct doca_comch_consumer_task_post_recv *task);

/**
 * @brief Immediate data of a message. Meaningful in the completion callback.
 *
 * @param [in] task the task.
 *
 * @return the data, valid until the task is submitted again or freed; NULL when the message had
 *         none.
 *
 * One thread at a time for a task that the program owns. Source: spec comch 6.
 */
DOCA_STABLE
const uint8_t *doca_comch_consumer_task_post_recv_get_imm_data(
	const struct doca_comch_consumer_task_post_recv *task);

#ifdef DOCA_LEGACY_2_7
/* Not const in 2.7. */
#define doca_comch_consumer_task_post_recv_get_imm_data(task)                                      \
	SOFTFIELD_CAST(                                                                            \
		uint8_t *,                                                                         \
		SOFTFIELD_CAST(uintptr_t, doca_comch_consumer_task_post_recv_get_imm_data(task)))
#endif

/**
 * @brief Length of the immediate data of a message. Meaningful in the completion callback.
 *
 * @param [in] task the task.
 *
 * @return bytes; 0 when the message had none.
 *
 * One thread at a time for a task that the program owns. Source: spec comch 6.
 */
DOCA_STABLE
uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(
	const struct doca_comch_consumer_task_post_recv *task);

/*
 * Consumers that DPA code uses: of a message queue with its consumers on a DPA
 * (doca_comch_msgq_set_dpa_consumer()). Before doca_ctx_start(), in any order:
 * doca_ctx_set_datapath_on_dpa(), doca_comch_consumer_set_completion(). doca_ctx_start() then also
 * answers DOCA_ERROR_BAD_STATE: one of them was not called, or the completion is not started, or
 * has been destroyed; DOCA_ERROR_INVALID_VALUE: the consumer's immediate data is longer than the
 * completion's, or the completion has a thread or consumers of another DPA; DOCA_ERROR_NO_MEMORY:
 * the completion has as many consumers as it was set to. Start and stop are done when the call
 * returns. Consumers of one completion may be started and stopped in several threads.
 */

/**
 * @brief Sets where DPA code finds what a consumer has received.
 *
 * @param [in] consumer the consumer, IDLE.
 * @param [in] consumer_comp the completion; it must be started when the consumer is.
 * @param [in] user_data a number of the program's, which no call tells.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the completion's thread is of another DPA
 * context than the queue's
 * - DOCA_ERROR_BAD_STATE: the consumer is not IDLE
 * - DOCA_ERROR_NOT_SUPPORTED: the consumer is not one for DPA code
 *
 * One thread at a time for an object. Source: spec msgq_dpa 4.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_set_completion(struct doca_comch_consumer *consumer,
				   struct doca_comch_consumer_completion *consumer_comp,
				   uint32_t user_data);

/**
 * @brief Sets how many receives DPA code may have posted. 256 unless set.
 *
 * @param [in] consumer the consumer, IDLE.
 * @param [in] dev_num_recv the number: 1 to what doca_comch_consumer_cap_get_max_num_tasks() says;
 *        rounded up to a power of two.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: consumer is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the consumer is not IDLE
 * - DOCA_ERROR_NOT_SUPPORTED: the consumer is not one for DPA code
 *
 * One thread at a time for an object. Source: spec msgq_dpa 4.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_set_dev_max_num_recv(struct doca_comch_consumer *consumer,
						      uint32_t dev_num_recv);

/**
 * @brief doca_comch_consumer_set_dev_max_num_recv() in release 2.7.
 *
 * @param [in] consumer see doca_comch_consumer_set_dev_max_num_recv().
 * @param [in] dev_num_recv see doca_comch_consumer_set_dev_max_num_recv().
 *
 * @return see doca_comch_consumer_set_dev_max_num_recv().
 *
 * One thread at a time for an object. Source: spec comch 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_set_dev_num_recv(struct doca_comch_consumer *consumer,
						  uint32_t dev_num_recv);

/**
 * @brief How DPA code names a consumer.
 *
 * @param [in] consumer the consumer, RUNNING.
 * @param [out] dpa_consumer the handle; valid until the consumer is IDLE.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the consumer is not RUNNING, or not one for DPA code
 *
 * One thread at a time for an object. Source: spec msgq_dpa 4.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_get_dpa_handle(struct doca_comch_consumer *consumer,
						doca_dpa_dev_comch_consumer_t *dpa_consumer);

/**
 * @brief Creates a place where DPA code finds what consumers have received.
 *
 * @param [out] consumer_comp the completion; give it back with
 *        doca_comch_consumer_completion_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 * - DOCA_ERROR_NOT_SUPPORTED: the program has no library of the DPA
 *
 * Any thread. Source: spec msgq_dpa 4.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_completion_create(struct doca_comch_consumer_completion **consumer_comp);

/**
 * @brief Destroys a completion. Consumers that were told to use it need another one.
 *
 * @param [in] consumer_comp the completion, stopped.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL
 * - DOCA_ERROR_BAD_STATE: it is started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 4.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_completion_destroy(struct doca_comch_consumer_completion *consumer_comp);

/**
 * @brief Sets the DPA thread that runs when something has come: the first message triggers it, then
 * what comes after doca_dpa_dev_comch_consumer_completion_request_notification(), once.
 *
 * The thread cannot be stopped while the completion is started. Without one, DPA code has to look.
 *
 * @param [in] consumer_comp the completion, not started.
 * @param [in] dpa_thread the thread, started.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the completion is started, or the thread is not
 *
 * One thread at a time for an object. Source: spec msgq_dpa 4.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_completion_set_dpa_thread(struct doca_comch_consumer_completion *consumer_comp,
					      struct doca_dpa_thread *dpa_thread);

/**
 * @brief Sets how many consumers can use a completion at a time. As many as a queue can have,
 * unless set.
 *
 * @param [in] consumer_comp the completion, not started.
 * @param [in] max_num_consumers the number, at least 1; rounded up to a power of two.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the completion is started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 4.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_max_num_consumers(
	struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_consumers);

/**
 * @brief How many consumers can use a completion.
 *
 * @param [in] consumer_comp the completion.
 * @param [out] max_num_consumers the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an object. Source: spec msgq_dpa 4.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_max_num_consumers(
	const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_consumers);

/**
 * @brief Sets how many messages fit: the sum of what the consumers may have posted. 1024 unless
 * set. Receives that find no room are posted when DPA code gives messages back.
 *
 * @param [in] consumer_comp the completion, not started.
 * @param [in] max_num_recv the number, at least 1; rounded up to a power of two.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the completion is started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 4.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_max_num_recv(
	struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_recv);

/**
 * @brief How many messages fit.
 *
 * @param [in] consumer_comp the completion.
 * @param [out] max_num_recv the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an object. Source: spec msgq_dpa 4.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_max_num_recv(
	const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_recv);

/**
 * @brief Sets how much immediate data fits with a message: at least that of each of the consumers.
 *
 * Without this call: doca_comch_consumer_cap_get_max_imm_data_len().
 *
 * @param [in] consumer_comp the completion, not started.
 * @param [in] imm_data_len bytes, at most 64, or doca_comch_consumer_cap_get_max_imm_data_len() if
 *        that is more.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL, or the length is too large
 * - DOCA_ERROR_BAD_STATE: the completion is started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 4.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_imm_data_len(
	struct doca_comch_consumer_completion *consumer_comp, uint32_t imm_data_len);

/**
 * @brief How much immediate data fits with a message.
 *
 * @param [in] consumer_comp the completion.
 * @param [out] imm_data_len bytes.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an object. Source: spec msgq_dpa 4.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_imm_data_len(
	const struct doca_comch_consumer_completion *consumer_comp, uint32_t *imm_data_len);

/**
 * @brief Starts a completion: its configuration is fixed, and its handle can be obtained.
 *
 * @param [in] consumer_comp the completion.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL
 * - DOCA_ERROR_BAD_STATE: it is started, or its thread is not, or has been destroyed
 * - DOCA_ERROR_NO_MEMORY: no memory for the messages
 *
 * One thread at a time for an object. Source: spec msgq_dpa 4.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_completion_start(struct doca_comch_consumer_completion *consumer_comp);

/**
 * @brief Stops a completion. Its handle is invalid from then on.
 *
 * @param [in] consumer_comp the completion.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL
 * - DOCA_ERROR_BAD_STATE: it is not started
 * - DOCA_ERROR_IN_USE: a consumer that uses it is not IDLE
 *
 * One thread at a time for an object. Source: spec msgq_dpa 4.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_completion_stop(struct doca_comch_consumer_completion *consumer_comp);

/**
 * @brief How DPA code names a completion.
 *
 * @param [in] consumer_comp the completion, started.
 * @param [out] consumer_comp_handle the handle; valid until the completion is stopped.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the completion is not started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 4.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_dpa_handle(
	struct doca_comch_consumer_completion *consumer_comp,
	doca_dpa_dev_comch_consumer_completion_t *consumer_comp_handle);

#ifdef SOFTFIELD_INLINE

SOFTFIELD_CALLED(struct doca_task *, doca_comch_consumer_task_post_recv_as_task,
		 (struct doca_comch_consumer_task_post_recv * task));
SOFTFIELD_CALLED(struct doca_buf *, doca_comch_consumer_task_post_recv_get_buf,
		 (const struct doca_comch_consumer_task_post_recv *task));
SOFTFIELD_CALLED(void, doca_comch_consumer_task_post_recv_set_buf,
		 (struct doca_comch_consumer_task_post_recv * task, struct doca_buf *buf));

SOFTFIELD_INLINE struct doca_task *
doca_comch_consumer_task_post_recv_as_task(struct doca_comch_consumer_task_post_recv *task)
{
	void *same = task; /* of which no compiler warns: -Wstrict-aliasing=1 */

	if (SOFTFIELD_INTERPOSED)
		return softfield_called_doca_comch_consumer_task_post_recv_as_task(task);
	return SOFTFIELD_CAST(struct doca_task *, same);
}

SOFTFIELD_INLINE struct doca_buf *
doca_comch_consumer_task_post_recv_get_buf(const struct doca_comch_consumer_task_post_recv *task)
{
	if (SOFTFIELD_LEFT_TO_LIBRARY(task))
		return softfield_called_doca_comch_consumer_task_post_recv_get_buf(task);
	return SOFTFIELD_CAST(const struct softfield_comch_task *, task)->buf.received;
}

SOFTFIELD_INLINE void
doca_comch_consumer_task_post_recv_set_buf(struct doca_comch_consumer_task_post_recv *task,
					   struct doca_buf *buf)
{
	if (SOFTFIELD_INTERPOSED) {
		softfield_called_doca_comch_consumer_task_post_recv_set_buf(task, buf);
		return;
	}
	if (task)
		SOFTFIELD_CAST(struct softfield_comch_task *, task)->buf.received = buf;
}

#endif /* SOFTFIELD_INLINE */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_COMCH_CONSUMER_H_ */
