/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RDMA for DPA code: not here. Programs with DPA code that calls these functions compile and link;
 * none gets a handle for them, for doca_rdma_create() says that RDMA is not supported. DPA code
 * that calls one all the same changes nothing, and doca_dpa_peek_at_last_error() tells of it.
 */
#ifndef DOCA_DPA_DEV_RDMA_H_
#define DOCA_DPA_DEV_RDMA_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_sync_event.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @brief Would read from memory of another machine.
 *
 * @param [in] rdma not looked at.
 * @param [in] connection_id not looked at.
 * @param [in] dst_mmap_handle not looked at.
 * @param [in] dst_addr not looked at.
 * @param [in] src_mmap_handle not looked at.
 * @param [in] src_addr not looked at.
 * @param [in] length not looked at.
 * @param [in] flags not looked at.
 *
 * There is no RDMA here: see the top of this file.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_read(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				 doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
				 doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr,
				 size_t length, uint32_t flags);

/**
 * @brief Would read from a buffer of another machine.
 *
 * @param [in] rdma not looked at.
 * @param [in] connection_id not looked at.
 * @param [in] dst_buf_handle not looked at.
 * @param [in] src_buf_handle not looked at.
 * @param [in] flags not looked at.
 *
 * There is no RDMA here: see the top of this file.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_buf_read(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				     doca_dpa_dev_buf_t dst_buf_handle,
				     doca_dpa_dev_buf_t src_buf_handle, uint32_t flags);

/**
 * @brief Would write to memory of another machine.
 *
 * @param [in] rdma not looked at.
 * @param [in] connection_id not looked at.
 * @param [in] dst_mmap_handle not looked at.
 * @param [in] dst_addr not looked at.
 * @param [in] src_mmap_handle not looked at.
 * @param [in] src_addr not looked at.
 * @param [in] length not looked at.
 * @param [in] flags not looked at.
 *
 * There is no RDMA here: see the top of this file.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_write(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				  doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
				  doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr,
				  size_t length, uint32_t flags);

/**
 * @brief Would write to a buffer of another machine.
 *
 * @param [in] rdma not looked at.
 * @param [in] connection_id not looked at.
 * @param [in] dst_buf_handle not looked at.
 * @param [in] src_buf_handle not looked at.
 * @param [in] flags not looked at.
 *
 * There is no RDMA here: see the top of this file.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_buf_write(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				      doca_dpa_dev_buf_t dst_buf_handle,
				      doca_dpa_dev_buf_t src_buf_handle, uint32_t flags);

/**
 * @brief Would write to memory of another machine, with immediate data.
 *
 * @param [in] rdma not looked at.
 * @param [in] connection_id not looked at.
 * @param [in] dst_mmap_handle not looked at.
 * @param [in] dst_addr not looked at.
 * @param [in] src_mmap_handle not looked at.
 * @param [in] src_addr not looked at.
 * @param [in] length not looked at.
 * @param [in] immediate not looked at.
 * @param [in] flags not looked at.
 *
 * There is no RDMA here: see the top of this file.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_write_imm(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				      doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
				      doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr,
				      size_t length, uint32_t immediate, uint32_t flags);

/**
 * @brief Would write to a buffer of another machine, with immediate data.
 *
 * @param [in] rdma not looked at.
 * @param [in] connection_id not looked at.
 * @param [in] dst_buf_handle not looked at.
 * @param [in] src_buf_handle not looked at.
 * @param [in] immediate not looked at.
 * @param [in] flags not looked at.
 *
 * There is no RDMA here: see the top of this file.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_buf_write_imm(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
					  doca_dpa_dev_buf_t dst_buf_handle,
					  doca_dpa_dev_buf_t src_buf_handle, uint32_t immediate,
					  uint32_t flags);

/**
 * @brief Would send memory.
 *
 * @param [in] rdma not looked at.
 * @param [in] connection_id not looked at.
 * @param [in] mmap_handle not looked at.
 * @param [in] addr not looked at.
 * @param [in] length not looked at.
 * @param [in] flags not looked at.
 *
 * There is no RDMA here: see the top of this file.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_send(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				 doca_dpa_dev_mmap_t mmap_handle, uint64_t addr, size_t length,
				 uint32_t flags);

/**
 * @brief Would send a buffer.
 *
 * @param [in] rdma not looked at.
 * @param [in] connection_id not looked at.
 * @param [in] send_buf_handle not looked at.
 * @param [in] flags not looked at.
 *
 * There is no RDMA here: see the top of this file.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_buf_send(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				     doca_dpa_dev_buf_t send_buf_handle, uint32_t flags);

/**
 * @brief Would send memory, with immediate data.
 *
 * @param [in] rdma not looked at.
 * @param [in] connection_id not looked at.
 * @param [in] mmap_handle not looked at.
 * @param [in] addr not looked at.
 * @param [in] length not looked at.
 * @param [in] immediate not looked at.
 * @param [in] flags not looked at.
 *
 * There is no RDMA here: see the top of this file.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_send_imm(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				     doca_dpa_dev_mmap_t mmap_handle, uint64_t addr, size_t length,
				     uint32_t immediate, uint32_t flags);

/**
 * @brief Would send a buffer, with immediate data.
 *
 * @param [in] rdma not looked at.
 * @param [in] connection_id not looked at.
 * @param [in] send_buf_handle not looked at.
 * @param [in] immediate not looked at.
 * @param [in] flags not looked at.
 *
 * There is no RDMA here: see the top of this file.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_buf_send_imm(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
					 doca_dpa_dev_buf_t send_buf_handle, uint32_t immediate,
					 uint32_t flags);

/**
 * @brief Would offer memory for a receive.
 *
 * @param [in] rdma not looked at.
 * @param [in] mmap_handle not looked at.
 * @param [in] addr not looked at.
 * @param [in] length not looked at.
 *
 * There is no RDMA here: see the top of this file.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_receive(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_mmap_t mmap_handle,
				    uint64_t addr, size_t length);

/**
 * @brief Would offer a buffer for a receive.
 *
 * @param [in] rdma not looked at.
 * @param [in] receive_buf_handle not looked at.
 *
 * There is no RDMA here: see the top of this file.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_buf_receive(doca_dpa_dev_rdma_t rdma,
					doca_dpa_dev_buf_t receive_buf_handle);

/**
 * @brief Would give receives back to their queue.
 *
 * @param [in] rdma not looked at.
 * @param [in] num_acked not looked at.
 *
 * There is no RDMA here: see the top of this file.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_receive_ack(doca_dpa_dev_rdma_t rdma, uint32_t num_acked);

/**
 * @brief The index of the work request that has been done.
 *
 * @param [in] comp_element not looked at.
 *
 * @return 0: there is no RDMA here.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
uint32_t doca_dpa_dev_rdma_completion_get_wr_index(doca_dpa_dev_completion_element_t comp_element);

/**
 * @brief Would add to memory of another machine.
 *
 * @param [in] rdma not looked at.
 * @param [in] connection_id not looked at.
 * @param [in] dst_mmap_handle not looked at.
 * @param [in] dst_addr not looked at.
 * @param [in] value not looked at.
 * @param [in] flags not looked at.
 *
 * There is no RDMA here: see the top of this file.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_atomic_fetch_add(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
					     doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
					     uint64_t value, uint32_t flags);

/**
 * @brief Would add to a buffer of another machine.
 *
 * @param [in] rdma not looked at.
 * @param [in] connection_id not looked at.
 * @param [in] dst_buf_handle not looked at.
 * @param [in] value not looked at.
 * @param [in] flags not looked at.
 *
 * There is no RDMA here: see the top of this file.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_buf_atomic_fetch_add(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
						 doca_dpa_dev_buf_t dst_buf_handle, uint64_t value,
						 uint32_t flags);

/**
 * @brief Would set a sync event of another machine.
 *
 * @param [in] rdma not looked at.
 * @param [in] connection_id not looked at.
 * @param [in] remote_sync_event not looked at.
 * @param [in] count not looked at.
 *
 * There is no RDMA here: see the top of this file.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_signal_set(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				  doca_dpa_dev_sync_event_remote_net_t remote_sync_event,
				  uint64_t count);

/**
 * @brief Would add to a sync event of another machine.
 *
 * @param [in] rdma not looked at.
 * @param [in] connection_id not looked at.
 * @param [in] remote_sync_event not looked at.
 * @param [in] count not looked at.
 *
 * There is no RDMA here: see the top of this file.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_signal_add(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				  doca_dpa_dev_sync_event_remote_net_t remote_sync_event,
				  uint64_t count);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_DPA_DEV_RDMA_H_ */
