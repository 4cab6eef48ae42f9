/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RDMA from DPA code: there is none. A call of these is an error of the DPA code, as on a card one
 * with a handle that names nothing.
 */
#include "doca_dpa_dev_rdma.h"

#include "dpa/exec.h"

static void refuse(const char *what)
{
	activation_check();
	if (activation_here)
		dpa_fail(activation_here->dpa, what);
}

void doca_dpa_dev_rdma_post_read(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				 doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
				 doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr,
				 size_t length, uint32_t flags)
{
	(void)rdma;
	(void)connection_id;
	(void)dst_mmap_handle;
	(void)dst_addr;
	(void)src_mmap_handle;
	(void)src_addr;
	(void)length;
	(void)flags;
	refuse("doca_dpa_dev_rdma_post_read(): there is no RDMA here");
}

void doca_dpa_dev_rdma_post_buf_read(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				     doca_dpa_dev_buf_t dst_buf_handle,
				     doca_dpa_dev_buf_t src_buf_handle, uint32_t flags)
{
	(void)rdma;
	(void)connection_id;
	(void)dst_buf_handle;
	(void)src_buf_handle;
	(void)flags;
	refuse("doca_dpa_dev_rdma_post_buf_read(): there is no RDMA here");
}

void doca_dpa_dev_rdma_post_write(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				  doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
				  doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr,
				  size_t length, uint32_t flags)
{
	(void)rdma;
	(void)connection_id;
	(void)dst_mmap_handle;
	(void)dst_addr;
	(void)src_mmap_handle;
	(void)src_addr;
	(void)length;
	(void)flags;
	refuse("doca_dpa_dev_rdma_post_write(): there is no RDMA here");
}

void doca_dpa_dev_rdma_post_buf_write(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				      doca_dpa_dev_buf_t dst_buf_handle,
				      doca_dpa_dev_buf_t src_buf_handle, uint32_t flags)
{
	(void)rdma;
	(void)connection_id;
	(void)dst_buf_handle;
	(void)src_buf_handle;
	(void)flags;
	refuse("doca_dpa_dev_rdma_post_buf_write(): there is no RDMA here");
}

void doca_dpa_dev_rdma_post_write_imm(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				      doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
				      doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr,
				      size_t length, uint32_t immediate, uint32_t flags)
{
	(void)rdma;
	(void)connection_id;
	(void)dst_mmap_handle;
	(void)dst_addr;
	(void)src_mmap_handle;
	(void)src_addr;
	(void)length;
	(void)immediate;
	(void)flags;
	refuse("doca_dpa_dev_rdma_post_write_imm(): there is no RDMA here");
}

void doca_dpa_dev_rdma_post_buf_write_imm(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
					  doca_dpa_dev_buf_t dst_buf_handle,
					  doca_dpa_dev_buf_t src_buf_handle, uint32_t immediate,
					  uint32_t flags)
{
	(void)rdma;
	(void)connection_id;
	(void)dst_buf_handle;
	(void)src_buf_handle;
	(void)immediate;
	(void)flags;
	refuse("doca_dpa_dev_rdma_post_buf_write_imm(): there is no RDMA here");
}

void doca_dpa_dev_rdma_post_send(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				 doca_dpa_dev_mmap_t mmap_handle, uint64_t addr, size_t length,
				 uint32_t flags)
{
	(void)rdma;
	(void)connection_id;
	(void)mmap_handle;
	(void)addr;
	(void)length;
	(void)flags;
	refuse("doca_dpa_dev_rdma_post_send(): there is no RDMA here");
}

void doca_dpa_dev_rdma_post_buf_send(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				     doca_dpa_dev_buf_t send_buf_handle, uint32_t flags)
{
	(void)rdma;
	(void)connection_id;
	(void)send_buf_handle;
	(void)flags;
	refuse("doca_dpa_dev_rdma_post_buf_send(): there is no RDMA here");
}

void doca_dpa_dev_rdma_post_send_imm(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				     doca_dpa_dev_mmap_t mmap_handle, uint64_t addr, size_t length,
				     uint32_t immediate, uint32_t flags)
{
	(void)rdma;
	(void)connection_id;
	(void)mmap_handle;
	(void)addr;
	(void)length;
	(void)immediate;
	(void)flags;
	refuse("doca_dpa_dev_rdma_post_send_imm(): there is no RDMA here");
}

void doca_dpa_dev_rdma_post_buf_send_imm(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
					 doca_dpa_dev_buf_t send_buf_handle, uint32_t immediate,
					 uint32_t flags)
{
	(void)rdma;
	(void)connection_id;
	(void)send_buf_handle;
	(void)immediate;
	(void)flags;
	refuse("doca_dpa_dev_rdma_post_buf_send_imm(): there is no RDMA here");
}

void doca_dpa_dev_rdma_post_receive(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_mmap_t mmap_handle,
				    uint64_t addr, size_t length)
{
	(void)rdma;
	(void)mmap_handle;
	(void)addr;
	(void)length;
	refuse("doca_dpa_dev_rdma_post_receive(): there is no RDMA here");
}

void doca_dpa_dev_rdma_post_buf_receive(doca_dpa_dev_rdma_t rdma,
					doca_dpa_dev_buf_t receive_buf_handle)
{
	(void)rdma;
	(void)receive_buf_handle;
	refuse("doca_dpa_dev_rdma_post_buf_receive(): there is no RDMA here");
}

void doca_dpa_dev_rdma_receive_ack(doca_dpa_dev_rdma_t rdma, uint32_t num_acked)
{
	(void)rdma;
	(void)num_acked;
	refuse("doca_dpa_dev_rdma_receive_ack(): there is no RDMA here");
}

uint32_t doca_dpa_dev_rdma_completion_get_wr_index(doca_dpa_dev_completion_element_t comp_element)
{
	(void)comp_element;
	return 0;
}

void doca_dpa_dev_rdma_post_atomic_fetch_add(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
					     doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
					     uint64_t value, uint32_t flags)
{
	(void)rdma;
	(void)connection_id;
	(void)dst_mmap_handle;
	(void)dst_addr;
	(void)value;
	(void)flags;
	refuse("doca_dpa_dev_rdma_post_atomic_fetch_add(): there is no RDMA here");
}

void doca_dpa_dev_rdma_post_buf_atomic_fetch_add(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
						 doca_dpa_dev_buf_t dst_buf_handle, uint64_t value,
						 uint32_t flags)
{
	(void)rdma;
	(void)connection_id;
	(void)dst_buf_handle;
	(void)value;
	(void)flags;
	refuse("doca_dpa_dev_rdma_post_buf_atomic_fetch_add(): there is no RDMA here");
}

void doca_dpa_dev_rdma_signal_set(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				  doca_dpa_dev_sync_event_remote_net_t remote_sync_event,
				  uint64_t count)
{
	(void)rdma;
	(void)connection_id;
	(void)remote_sync_event;
	(void)count;
	refuse("doca_dpa_dev_rdma_signal_set(): there is no RDMA here");
}

void doca_dpa_dev_rdma_signal_add(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				  doca_dpa_dev_sync_event_remote_net_t remote_sync_event,
				  uint64_t count)
{
	(void)rdma;
	(void)connection_id;
	(void)remote_sync_event;
	(void)count;
	refuse("doca_dpa_dev_rdma_signal_add(): there is no RDMA here");
}
