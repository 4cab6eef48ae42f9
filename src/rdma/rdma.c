/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RDMA contexts: none can be made, so nothing else has an object to work on.
 */
#define LOG_MODULE "rdma"
#include "doca_rdma.h"

#include "base/log.h"

doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma)
{
	if (!dev || !rdma)
		return DOCA_ERROR_INVALID_VALUE;
	LOG_ERR("there is no RDMA here: a software DPU has memory, messages and storage");
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_rdma_create_with_srq(struct doca_dev *dev, struct doca_rdma_srq *rdma_srq,
				       struct doca_rdma **rdma)
{
	return rdma_srq ? doca_rdma_create(dev, rdma) : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_rdma_destroy(struct doca_rdma *rdma)
{
	(void)rdma;
	return DOCA_ERROR_NOT_SUPPORTED;
}

struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma)
{
	(void)rdma;
	return NULL;
}

doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma, uint32_t permissions)
{
	(void)rdma;
	(void)permissions;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, uint8_t grh_enabled)
{
	(void)rdma;
	(void)grh_enabled;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index)
{
	(void)rdma;
	(void)gid_index;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_rdma_set_recv_queue_size(struct doca_rdma *rdma, uint32_t recv_queue_size)
{
	(void)rdma;
	(void)recv_queue_size;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_rdma_set_max_num_connections(struct doca_rdma *rdma, uint16_t max_num_connections)
{
	(void)rdma;
	(void)max_num_connections;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_rdma_task_receive_set_dst_buf_list_len(struct doca_rdma *rdma,
							 uint32_t dst_buf_list_len)
{
	(void)rdma;
	(void)dst_buf_list_len;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_rdma_export(struct doca_rdma *rdma, const void **rdma_conn_details,
			      size_t *rdma_conn_details_size,
			      struct doca_rdma_connection **connection)
{
	(void)rdma;
	(void)rdma_conn_details;
	(void)rdma_conn_details_size;
	(void)connection;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_rdma_connect(struct doca_rdma *rdma, const void *remote_rdma_conn_details,
			       size_t remote_rdma_conn_details_size,
			       struct doca_rdma_connection *connection)
{
	(void)rdma;
	(void)remote_rdma_conn_details;
	(void)remote_rdma_conn_details_size;
	(void)connection;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_rdma_connection_get_id(const struct doca_rdma_connection *connection,
					 uint32_t *connection_id)
{
	(void)connection;
	(void)connection_id;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_rdma_get_dpa_handle(struct doca_rdma *rdma, doca_dpa_dev_rdma_t *dpa_rdma)
{
	(void)rdma;
	(void)dpa_rdma;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_rdma_dpa_completion_attach(struct doca_rdma *rdma,
					     struct doca_dpa_completion *dpa_comp)
{
	(void)rdma;
	(void)dpa_comp;
	return DOCA_ERROR_NOT_SUPPORTED;
}
