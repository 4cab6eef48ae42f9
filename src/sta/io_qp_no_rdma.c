/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queue pairs over RDMA in a build without librdmacm: there cannot be a connection to take over.
 */
#include "sta/sta.h"

doca_error_t doca_sta_io_qp_connect(struct doca_sta_io *sta_io, const struct doca_dev *dev,
				    struct rdma_cm_id *cm_id, const void *priv_data,
				    uint32_t priv_size, struct doca_sta_subs_handle *subs_handle,
				    struct doca_sta_qp_handle **qp_handle)
{
	doca_error_t err;

	(void)subs_handle;
	if (!sta_io || !dev || !cm_id || !priv_data || !priv_size || !qp_handle)
		return DOCA_ERROR_INVALID_VALUE;
	err = sta_io_check(sta_io, dev);
	return err ? err : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_sta_io_qp_alloc(struct doca_sta_io *sta_io, const struct doca_dev *dev,
				  struct doca_sta_qp_handle **qp_handle)
{
	doca_error_t err;

	if (!sta_io || !dev || !qp_handle)
		return DOCA_ERROR_INVALID_VALUE;
	err = sta_io_check(sta_io, dev);
	return err ? err : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_sta_io_qp_accept(struct doca_sta_io *sta_io, struct doca_sta_qp_handle *qp_handle,
				   const struct doca_dev *dev, struct rdma_cm_id *cm_id,
				   const void *priv_data, uint32_t priv_size,
				   struct doca_sta_subs_handle *subs_handle)
{
	(void)subs_handle;
	if (!sta_io || !qp_handle || !dev || !cm_id || !priv_data || !priv_size ||
	    qp_handle->io != sta_io || qp_handle->dev != dev)
		return DOCA_ERROR_INVALID_VALUE;
	return qp_handle->state == HANDLE_NEW ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_BAD_STATE;
}
