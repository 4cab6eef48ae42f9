/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Producer: the sending end of the fast path of a connection.
 *
 * A producer writes into buffers that the peer's consumers have posted. It may also be the sending
 * end of a message queue (doca_comch_msgq.h).
 */
#ifndef DOCA_COMCH_PRODUCER_H_
#define DOCA_COMCH_PRODUCER_H_

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
struct doca_dpa_completion;
struct doca_dpa_thread;
struct doca_task;

/** A producer; doca_comch_producer_as_ctx(). */
struct doca_comch_producer;

/** Task: send a buffer, immediate data, or both to a consumer. */
struct doca_comch_producer_task_send;

/** doca_task_completion_cb_t for this task. */
typedef void (*doca_comch_producer_task_send_completion_cb_t)(
	struct doca_comch_producer_task_send *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * @brief Creates a producer on a connection.
 *
 * It is a context of its own, with its own progress engine, in any thread. Mandatory before
 * doca_ctx_start(): the send task. The start is done at once. One producer can send to all
 * consumers that the peer has on this connection.
 *
 * @param [in] comch_connection an established connection. It must not be closed before the
 *        producer is IDLE.
 * @param [out] producer the producer; give it back with doca_comch_producer_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory, or the connection has
 *   doca_comch_producer_cap_get_max_producers() already
 * - DOCA_ERROR_BAD_STATE: the connection is not established
 * - DOCA_ERROR_NOT_PERMITTED: on a card, the peer's library cannot do it; here, as with a
 *   comm_channel endpoint, no consumer comes then
 *
 * Any thread. Source: spec comch 6, seed 003.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_create(struct doca_comch_connection *comch_connection,
					struct doca_comch_producer **producer);

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
DOCA_STABLE
doca_error_t doca_comch_producer_destroy(struct doca_comch_producer *producer);

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
DOCA_STABLE
struct doca_ctx *doca_comch_producer_as_ctx(struct doca_comch_producer *producer);

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
DOCA_STABLE
doca_error_t doca_comch_producer_cap_is_supported(const struct doca_devinfo *devinfo);

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
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
						       uint32_t *max_num_tasks);

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
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
						      uint32_t *max_buf_size);

/**
 * @brief How many buffers a sent buffer may be a list of.
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
doca_error_t doca_comch_producer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
							  uint32_t *max_buf_list_len);

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
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_producers(const struct doca_devinfo *devinfo,
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
DOCA_STABLE
doca_error_t doca_comch_producer_get_id(const struct doca_comch_producer *producer, uint32_t *id);

/*
 * Sending. Getters of a task that is NULL answer 0, and setters do nothing.
 */

/**
 * @brief Enables the send task. Mandatory before doca_ctx_start().
 *
 * @param [in] producer the producer, IDLE.
 * @param [in] task_completion_cb called for tasks that succeed.
 * @param [in] task_error_cb called for tasks that fail.
 * @param [in] num_send_tasks how many can be allocated at a time, 1 to
 *        doca_comch_producer_cap_get_max_num_tasks().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the producer is not IDLE
 * - DOCA_ERROR_NOT_SUPPORTED: the producer is one for DPA code
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 6.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_task_send_set_conf(
	struct doca_comch_producer *producer,
	doca_comch_producer_task_send_completion_cb_t task_completion_cb,
	doca_comch_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * @brief Allocates a task that sends a buffer, immediate data, or both to a consumer.
 *
 * It can always be submitted: while the consumer has posted nothing it waits. It comes back when
 * the data is in the consumer's buffer. What one producer sends to one consumer arrives in that
 * order; there is no order between producers. A list, a buffer with data outside of it, with more
 * data than doca_comch_producer_cap_get_max_buf_size() says, or of a map that is imported or not
 * started, a consumer that was never announced, or more immediate data than it takes, is refused
 * with DOCA_ERROR_INVALID_VALUE when the task is submitted. Status in the error callback:
 * - DOCA_ERROR_INVALID_VALUE: the data does not fit into the consumer's buffer, which stays posted
 * - DOCA_ERROR_CONNECTION_RESET: the consumer or the connection has gone
 * - DOCA_ERROR_IO_FAILED: the producer was stopped, or the buffer's map, a thread-safe one, was
 *   destroyed before the data was copied
 *
 * @param [in] producer the producer, RUNNING.
 * @param [in] buf a single buffer with the data to send; NULL: immediate data alone. It must not
 *        change before the task comes back.
 * @param [in] imm_data immediate data; NULL: none. Copied.
 * @param [in] imm_data_len bytes of it, at most doca_comch_consumer_cap_get_max_imm_data_len(); of
 *        a message queue's producer 64.
 * @param [in] consumer_id the consumer, as the consumer event told it.
 * @param [out] task the task, user data zero; give it back with doca_task_free().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: producer or task is NULL, there is neither a buffer nor immediate
 *   data, too much immediate data, or a length of it without data
 * - DOCA_ERROR_BAD_STATE: the producer is not RUNNING
 * - DOCA_ERROR_NO_MEMORY: all num_send_tasks tasks are in use
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 6.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_task_send_alloc_init(struct doca_comch_producer *producer,
						      const struct doca_buf *buf, uint8_t *imm_data,
						      uint32_t imm_data_len, uint32_t consumer_id,
						      struct doca_comch_producer_task_send **task);

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
struct doca_task *doca_comch_producer_task_send_as_task(struct doca_comch_producer_task_send *task);

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
const struct doca_buf *
doca_comch_producer_task_send_get_buf(const struct doca_comch_producer_task_send *task);

/**
 * @brief Gives a task that the program owns another buffer, before it is submitted again.
 *
 * @param [in] task the task.
 * @param [in] buf see doca_comch_producer_task_send_alloc_init().
 *
 * One thread at a time for a task that the program owns. Source: spec comch 6.
 */
DOCA_STABLE
void doca_comch_producer_task_send_set_buf(struct doca_comch_producer_task_send *task,
					   const struct doca_buf *buf);

/**
 * @brief The consumer a task sends to.
 *
 * @param [in] task the task.
 *
 * @return its number.
 *
 * One thread at a time for a task that the program owns. Source: spec comch 6.
 */
DOCA_STABLE
uint32_t
doca_comch_producer_task_send_get_consumer_id(const struct doca_comch_producer_task_send *task);

/**
 * @brief Sends a task that the program owns to another consumer, when it is submitted again.
 *
 * @param [in] task the task.
 * @param [in] consumer_id the consumer.
 *
 * One thread at a time for a task that the program owns. Source: spec comch 6.
 */
DOCA_STABLE
void doca_comch_producer_task_send_set_consumer_id(struct doca_comch_producer_task_send *task,
						   const uint32_t consumer_id);

/**
 * @brief Immediate data of a task.
 *
 * @param [in] task the task.
 *
 * @return the library's copy; NULL when there is none.
 *
 * One thread at a time for a task that the program owns. Source: spec comch 6.
 */
DOCA_STABLE
uint8_t *
doca_comch_producer_task_send_get_imm_data(const struct doca_comch_producer_task_send *task);

/**
 * @brief Length of the immediate data of a task.
 *
 * @param [in] task the task.
 *
 * @return bytes; 0 when there is none.
 *
 * One thread at a time for a task that the program owns. Source: spec comch 6.
 */
DOCA_STABLE
uint32_t
doca_comch_producer_task_send_get_imm_data_len(const struct doca_comch_producer_task_send *task);

/**
 * @brief Gives a task that the program owns other immediate data, before it is submitted again.
 *
 * @param [in] task the task.
 * @param [in] imm_data immediate data; NULL: none. Copied.
 * @param [in] imm_data_len bytes of it. Too many are refused with INVALID_VALUE when the task is
 *        submitted.
 *
 * One thread at a time for a task that the program owns. Source: spec comch 6.
 */
DOCA_STABLE
void doca_comch_producer_task_send_set_imm_data(struct doca_comch_producer_task_send *task,
						uint8_t *imm_data, uint32_t imm_data_len);

/*
 * Producers that DPA code uses: of a message queue with its producers on a DPA
 * (doca_comch_msgq_set_dpa_producer()). Before doca_ctx_start(): doca_ctx_set_datapath_on_dpa();
 * else it answers DOCA_ERROR_BAD_STATE, as it does when a completion was set and is not started.
 * Start and stop are done when the call returns; messages that wait fail.
 */

/**
 * @brief Sets how many sends of DPA code may wait for a receive. 256 unless set.
 *
 * @param [in] producer the producer, IDLE.
 * @param [in] dev_num_send the number: 1 to what doca_comch_producer_cap_get_max_num_tasks() says;
 *        rounded up to a power of two.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: producer is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the producer is not IDLE
 * - DOCA_ERROR_NOT_SUPPORTED: the producer is not one for DPA code
 *
 * One thread at a time for an object. Source: spec msgq_dpa 4.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_set_dev_max_num_send(struct doca_comch_producer *producer,
						      uint32_t dev_num_send);

/**
 * @brief doca_comch_producer_set_dev_max_num_send() in release 2.7.
 *
 * @param [in] producer see doca_comch_producer_set_dev_max_num_send().
 * @param [in] dev_num_send see doca_comch_producer_set_dev_max_num_send().
 *
 * @return see doca_comch_producer_set_dev_max_num_send().
 *
 * One thread at a time for an object. Source: spec comch 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_set_dev_num_send(struct doca_comch_producer *producer,
						  uint32_t dev_num_send);

/**
 * @brief Sets where DPA code finds that sends are done, by the producer's id. Those with
 * DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS are there only if they have failed.
 *
 * @param [in] producer the producer, IDLE.
 * @param [in] dpa_comp the completion; it must be started when the producer is, and cannot be
 *        stopped while that runs.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the completion is of another DPA context than
 *   the queue's
 * - DOCA_ERROR_BAD_STATE: the producer is not IDLE
 * - DOCA_ERROR_NOT_SUPPORTED: the producer is not one for DPA code
 *
 * One thread at a time for an object. Source: spec msgq_dpa 4.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_dpa_completion_attach(struct doca_comch_producer *producer,
						       struct doca_dpa_completion *dpa_comp);

/**
 * @brief How DPA code names a producer.
 *
 * @param [in] producer the producer, RUNNING.
 * @param [out] dpa_producer the handle; valid until the producer is IDLE.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the producer is not RUNNING, or not one for DPA code
 *
 * One thread at a time for an object. Source: spec msgq_dpa 4.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_get_dpa_handle(struct doca_comch_producer *producer,
						doca_dpa_dev_comch_producer_t *dpa_producer);

#ifdef SOFTFIELD_INLINE

SOFTFIELD_CALLED(struct doca_task *, doca_comch_producer_task_send_as_task,
		 (struct doca_comch_producer_task_send * task));
SOFTFIELD_CALLED(const struct doca_buf *, doca_comch_producer_task_send_get_buf,
		 (const struct doca_comch_producer_task_send *task));
SOFTFIELD_CALLED(void, doca_comch_producer_task_send_set_buf,
		 (struct doca_comch_producer_task_send * task, const struct doca_buf *buf));

SOFTFIELD_INLINE struct doca_task *
doca_comch_producer_task_send_as_task(struct doca_comch_producer_task_send *task)
{
	void *same = task; /* of which no compiler warns: -Wstrict-aliasing=1 */

	if (SOFTFIELD_INTERPOSED)
		return softfield_called_doca_comch_producer_task_send_as_task(task);
	return SOFTFIELD_CAST(struct doca_task *, same);
}

SOFTFIELD_INLINE const struct doca_buf *
doca_comch_producer_task_send_get_buf(const struct doca_comch_producer_task_send *task)
{
	if (SOFTFIELD_LEFT_TO_LIBRARY(task))
		return softfield_called_doca_comch_producer_task_send_get_buf(task);
	return SOFTFIELD_CAST(const struct softfield_comch_task *, task)->buf.sent;
}

SOFTFIELD_INLINE void
doca_comch_producer_task_send_set_buf(struct doca_comch_producer_task_send *task,
				      const struct doca_buf *buf)
{
	if (SOFTFIELD_INTERPOSED) {
		softfield_called_doca_comch_producer_task_send_set_buf(task, buf);
		return;
	}
	if (task)
		SOFTFIELD_CAST(struct softfield_comch_task *, task)->buf.sent = buf;
}

#endif /* SOFTFIELD_INLINE */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_COMCH_PRODUCER_H_ */
