/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared receive queues of RDMA: none can be made, either.
 */
#include "doca_rdma.h"

doca_error_t doca_rdma_srq_create(struct doca_dev *dev, struct doca_rdma_srq **rdma_srq)
{
	return dev && rdma_srq ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_rdma_srq_destroy(struct doca_rdma_srq *rdma_srq)
{
	(void)rdma_srq;
	return DOCA_ERROR_NOT_SUPPORTED;
}

struct doca_ctx *doca_rdma_srq_as_ctx(struct doca_rdma_srq *rdma_srq)
{
	(void)rdma_srq;
	return NULL;
}

doca_error_t doca_rdma_srq_set_shared_recv_queue_size(struct doca_rdma_srq *rdma_srq,
						      uint32_t shared_recv_queue_size)
{
	(void)rdma_srq;
	(void)shared_recv_queue_size;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_rdma_srq_task_receive_set_dst_buf_list_len(struct doca_rdma_srq *rdma_srq,
							     uint32_t dst_buf_list_len)
{
	(void)rdma_srq;
	(void)dst_buf_list_len;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_rdma_srq_set_type(struct doca_rdma_srq *rdma_srq,
				    enum doca_rdma_srq_type srq_type)
{
	(void)rdma_srq;
	(void)srq_type;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_rdma_srq_get_dpa_handle(struct doca_rdma_srq *rdma_srq,
					  doca_dpa_dev_rdma_srq_t *dpa_rdma_srq)
{
	(void)rdma_srq;
	(void)dpa_rdma_srq;
	return DOCA_ERROR_NOT_SUPPORTED;
}
