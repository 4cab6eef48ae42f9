/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message queue between CPU and DPA: consumers and producers without a connection.
 *
 * A queue carries one direction. Its consumers or its producers are on the DPA, the others on the
 * CPU; when neither is set, both are on the CPU, and when both are, DPA code talks to DPA code. Two
 * queues make a channel both ways.
 *
 * The ends of a queue are in one process: a child of fork() makes queues of its own, and can only
 * destroy what it inherits. Each end on the CPU may have a progress engine and a thread of its own.
 */
#ifndef DOCA_COMCH_MSGQ_H_
#define DOCA_COMCH_MSGQ_H_

#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_comch_consumer;
struct doca_comch_producer;
struct doca_dev;
struct doca_dpa;

/** A message queue. */
struct doca_comch_msgq;

/**
 * @brief Creates a message queue.
 *
 * @param [in] dev the device; it must stay open as long as the queue exists.
 * @param [out] msgq the queue; give it back with doca_comch_msgq_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 *
 * Any thread. Source: spec msgq_dpa 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_create(struct doca_dev *dev, struct doca_comch_msgq **msgq);

/**
 * @brief Destroys a queue.
 *
 * @param [in] msgq the queue, not started.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: msgq is NULL
 * - DOCA_ERROR_BAD_STATE: the queue is started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_destroy(struct doca_comch_msgq *msgq);

/**
 * @brief Puts the consumers of a queue on a DPA. The producers are on the CPU, unless they are put
 * there, too.
 *
 * @param [in] msgq the queue, not started.
 * @param [in] dpa the DPA, started, on the device of the queue; it cannot be stopped before the
 * queue is destroyed.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the DPA is on another device
 * - DOCA_ERROR_BAD_STATE: the queue is started, or the DPA is not
 * - DOCA_ERROR_NOT_SUPPORTED: the program has no library of the DPA
 *
 * One thread at a time for an object. Source: spec msgq_dpa 1, 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_dpa_consumer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa);

/**
 * @brief Sets how many consumers a queue can have. 1 unless set.
 *
 * @param [in] msgq the queue, not started.
 * @param [in] max_num_consumers the number: 1 to what
 * doca_comch_consumer_cap_get_max_consumers() says.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: msgq is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the queue is started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_max_num_consumers(struct doca_comch_msgq *msgq,
						   uint32_t max_num_consumers);

/**
 * @brief Puts the producers of a queue on a DPA. The consumers are on the CPU, unless they are put
 * there, too.
 *
 * @param [in] msgq the queue, not started.
 * @param [in] dpa the DPA, started, on the device of the queue; it cannot be stopped before the
 * queue is destroyed.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the DPA is on another device
 * - DOCA_ERROR_BAD_STATE: the queue is started, or the DPA is not
 * - DOCA_ERROR_NOT_SUPPORTED: the program has no library of the DPA
 *
 * One thread at a time for an object. Source: spec msgq_dpa 1, 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_dpa_producer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa);

/**
 * @brief Sets how many producers a queue can have. 1 unless set.
 *
 * @param [in] msgq the queue, not started.
 * @param [in] max_num_producers the number: 1 to what
 * doca_comch_producer_cap_get_max_producers() says.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: msgq is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the queue is started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_max_num_producers(struct doca_comch_msgq *msgq,
						   uint32_t max_num_producers);

/**
 * @brief Starts a queue: its configuration is fixed, and consumers and producers can be made.
 *
 * @param [in] msgq the queue.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: msgq is NULL
 * - DOCA_ERROR_BAD_STATE: the queue is started
 * - DOCA_ERROR_NO_MEMORY: no memory for the queue
 *
 * One thread at a time for an object. Source: spec msgq_dpa 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_start(struct doca_comch_msgq *msgq);

/**
 * @brief Stops a queue.
 *
 * @param [in] msgq the queue.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: msgq is NULL
 * - DOCA_ERROR_BAD_STATE: the queue is not started
 * - DOCA_ERROR_IN_USE: consumers or producers of it exist
 *
 * One thread at a time for an object. Source: spec msgq_dpa 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_stop(struct doca_comch_msgq *msgq);

/**
 * @brief Creates a consumer of a queue. Its number is the lowest one that is free, from 1 on.
 *
 * On the CPU it is used like one of a connection; its start is done at once, and messages are of
 * immediate data: a task with a buffer is refused. On a DPA it needs, in any order,
 * doca_ctx_set_datapath_on_dpa() and doca_comch_consumer_set_completion(), and no progress engine;
 * DPA code gets doca_comch_consumer_get_dpa_handle(), and there are no tasks. Before it is started
 * producers do not know it. Destroy it with doca_comch_consumer_destroy().
 *
 * @param [in] msgq the queue, started.
 * @param [out] consumer the consumer.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the queue is not started
 * - DOCA_ERROR_NO_MEMORY: no memory, or the queue has as many as were set
 *
 * One thread at a time for an object. Source: spec msgq_dpa 2, 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_consumer_create(struct doca_comch_msgq *msgq,
					     struct doca_comch_consumer **consumer);

/**
 * @brief Creates a producer of a queue. Its number is the lowest one that is free, from 1 on.
 *
 * On the CPU it is used like one of a connection; its start is done at once, and messages are of
 * immediate data: a task with a buffer of data fails. On a DPA it needs
 * doca_ctx_set_datapath_on_dpa() and no progress engine; DPA code gets
 * doca_comch_producer_get_dpa_handle(), and there are no tasks. Destroy it with
 * doca_comch_producer_destroy().
 *
 * @param [in] msgq the queue, started.
 * @param [out] producer the producer.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the queue is not started
 * - DOCA_ERROR_NO_MEMORY: no memory, or the queue has as many as were set
 *
 * One thread at a time for an object. Source: spec msgq_dpa 2, 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_producer_create(struct doca_comch_msgq *msgq,
					     struct doca_comch_producer **producer);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_COMCH_MSGQ_H_ */
