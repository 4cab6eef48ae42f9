/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consumers and producers of message queues in DPA code. The functions are in libdoca_comch. Thread
 * rule and handles: doca_dpa_dev.h.
 */
#ifndef DOCA_DPA_DEV_COMCH_MSGQ_H_
#define DOCA_DPA_DEV_COMCH_MSGQ_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_dpa_dev.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A message that has come: doca_dpa_dev_comch_consumer_get_completion(). */
typedef uint64_t doca_dpa_dev_comch_consumer_completion_element_t;

/**
 * @brief Lets producers send more messages to a consumer.
 *
 * Once with the depth of the queue before the first one, then with as many as have been handled.
 * More than doca_comch_consumer_set_dev_max_num_recv() are not taken.
 *
 * @param [in] consumer doca_comch_consumer_get_dpa_handle().
 * @param [in] num_msg how many more.
 *
 * One thread of the DPA at a time for an object. Source: spec msgq_dpa 5.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_comch_consumer_ack(doca_dpa_dev_comch_consumer_t consumer, uint32_t num_msg);

/**
 * @brief Takes the next message of the consumers of a completion.
 *
 * @param [in] consumer_comp_handle doca_comch_consumer_completion_get_dpa_handle().
 * @param [out] comp_element the message; it is there until
 * doca_dpa_dev_comch_consumer_completion_ack().
 *
 * @return 1, or 0: there is none.
 *
 * One thread of the DPA at a time for an object. Source: spec msgq_dpa 5.
 */
DOCA_EXPERIMENTAL
int doca_dpa_dev_comch_consumer_get_completion(
	doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle,
	doca_dpa_dev_comch_consumer_completion_element_t *comp_element);

/**
 * @brief Tells where a message is.
 *
 * @param [in] comp_element the message.
 * @param [out] imm_length bytes of it.
 *
 * @return its start; valid as long as the message is there.
 *
 * One thread of the DPA at a time for an object. Source: spec msgq_dpa 5.
 */
DOCA_EXPERIMENTAL
const uint8_t *doca_dpa_dev_comch_consumer_get_completion_imm(
	doca_dpa_dev_comch_consumer_completion_element_t comp_element, uint32_t *imm_length);

/**
 * @brief Tells who has sent a message.
 *
 * @param [in] comp_element the message.
 *
 * @return doca_comch_producer_get_id() of the producer.
 *
 * One thread of the DPA at a time for an object. Source: spec msgq_dpa 5.
 */
DOCA_EXPERIMENTAL
uint32_t doca_dpa_dev_comch_consumer_get_completion_producer_id(
	doca_dpa_dev_comch_consumer_completion_element_t comp_element);

/**
 * @brief Gives the oldest messages of a completion back.
 *
 * @param [in] consumer_comp_handle doca_comch_consumer_completion_get_dpa_handle().
 * @param [in] num_comp how many, at most those that were taken.
 *
 * One thread of the DPA at a time for an object. Source: spec msgq_dpa 5.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_comch_consumer_completion_ack(
	doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle, uint64_t num_comp);

/**
 * @brief Asks that the next message triggers the completion's thread, once.
 *
 * A message that is there already, and was not taken, triggers it at once.
 *
 * @param [in] consumer_comp_handle doca_comch_consumer_completion_get_dpa_handle().
 *
 * One thread of the DPA at a time for an object. Source: spec msgq_dpa 5.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_comch_consumer_completion_request_notification(
	doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle);

/**
 * @brief Tells whether a consumer cannot take a message now.
 *
 * @param [in] producer doca_comch_producer_get_dpa_handle().
 * @param [in] consumer_id doca_comch_consumer_get_id() of the consumer.
 *
 * @return 1: it has no receive left, or there is no such consumer; 0: it takes one.
 *
 * One thread of the DPA at a time for an object. Source: spec msgq_dpa 5.
 */
DOCA_EXPERIMENTAL
int doca_dpa_dev_comch_producer_is_consumer_empty(doca_dpa_dev_comch_producer_t producer,
						  uint32_t consumer_id);

/**
 * @brief Sends a message.
 *
 * What the consumer cannot take yet waits for it. Where as many wait as
 * doca_comch_producer_set_dev_max_num_send() says, the call does, for up to 5 seconds. A message
 * for which there is no place then, or that has no bytes or too many, is not sent, and
 * doca_dpa_peek_at_last_error() tells of it.
 *
 * @param [in] producer doca_comch_producer_get_dpa_handle().
 * @param [in] consumer_id doca_comch_consumer_get_id() of the consumer, which can take it:
 * doca_dpa_dev_comch_producer_is_consumer_empty().
 * @param [in] imm the message; it is copied.
 * @param [in] imm_length bytes of it, at most 32.
 * @param [in] flags enum doca_dpa_dev_submit_flag.
 *
 * One thread of the DPA at a time for an object. Source: spec msgq_dpa 5.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_comch_producer_post_send_imm_only(doca_dpa_dev_comch_producer_t producer,
						    uint32_t consumer_id, const uint8_t *imm,
						    uint32_t imm_length, uint32_t flags);

/**
 * @brief Copies memory, then sends a message: who sees the message sees what was copied.
 *
 * The message is sent as by doca_dpa_dev_comch_producer_post_send_imm_only(). Where the copy is
 * impossible it is not sent, and doca_dpa_peek_at_last_error() tells of it.
 *
 * @param [in] producer doca_comch_producer_get_dpa_handle().
 * @param [in] consumer_id doca_comch_consumer_get_id() of the consumer, which can take it:
 * doca_dpa_dev_comch_producer_is_consumer_empty().
 * @param [in] dst_mmap whose memory is written.
 * @param [in] dst_addr where.
 * @param [in] src_mmap whose memory is read.
 * @param [in] src_addr where.
 * @param [in] length bytes to copy.
 * @param [in] imm the message; it is copied.
 * @param [in] imm_length bytes of it, at most 32.
 * @param [in] flags enum doca_dpa_dev_submit_flag.
 *
 * One thread of the DPA at a time for an object. Source: spec msgq_dpa 5.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_comch_producer_dma_copy(doca_dpa_dev_comch_producer_t producer,
					  uint32_t consumer_id, doca_dpa_dev_mmap_t dst_mmap,
					  uint64_t dst_addr, doca_dpa_dev_mmap_t src_mmap,
					  uint64_t src_addr, size_t length, const uint8_t *imm,
					  uint32_t imm_length, uint32_t flags);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_DPA_DEV_COMCH_MSGQ_H_ */
