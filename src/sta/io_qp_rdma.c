/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queue pairs that take over a connection request of the application's connection manager. The
 * identifier is the library's from the call on, also when it fails, unless a pointer is NULL.
 */
#define LOG_MODULE "sta"
#include "sta/sta.h"

#include <rdma/rdma_cma.h>
#include "base/log.h"
#include "base/wire.h"
#include "nvmf/capsule.h"
#include "sta/fabric.h"

/* a host that cannot be served now is told so; it may come again */
static void refuse(struct rdma_cm_id *id)
{
	uint8_t answer[4];

	capsule_encode_cm_reject(answer, CAPSULE_CM_RESOURCES);
	rdma_reject(id, answer, sizeof(answer));
	rdma_destroy_id(id);
}

/* A host's connect request, as the program has got it from the connection manager. */
struct cm_request {
	struct rdma_cm_id *id;
	const void *priv_data;
	uint32_t priv_size;
};

static doca_error_t accept_request(struct doca_sta_qp_handle *handle,
				   const struct cm_request *request)
{
	struct wire_reader r = wire_reader(request->priv_data, request->priv_size);
	uint32_t receives = handle->qp->cmd_count;
	uint16_t recfmt = wire_get_u16(&r), crqsize = wire_get_u16(&r);

	if (r.failed || recfmt || request->priv_size > UINT8_MAX || !request->id->verbs)
		return DOCA_ERROR_INVALID_VALUE;
	if (crqsize > receives) {
		LOG_ERR("the private data promise %u receives (CRQSIZE): there are at most %u",
			crqsize, receives);
		return DOCA_ERROR_INVALID_VALUE;
	}
	return fabric_rdma_accept(handle->qp, request->id, request->priv_data, request->priv_size);
}

static doca_error_t connect_qp(struct doca_sta_io *io, const struct doca_dev *dev,
			       const struct cm_request *request, struct doca_sta_subs_handle *subs,
			       struct doca_sta_qp_handle **ret_handle)
{
	struct doca_sta_qp_handle *handle;
	doca_error_t err = sta_qp_handle_create(io, dev, &fabric_rdma_ops, subs, &handle);

	if (err)
		return err;
	err = accept_request(handle, request);
	if (err) {
		sta_qp_handle_destroy(handle);
		return err;
	}
	sta_qp_handle_start(handle);
	*ret_handle = handle;
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_io_qp_connect(struct doca_sta_io *sta_io, const struct doca_dev *dev,
				    struct rdma_cm_id *cm_id, const void *priv_data,
				    uint32_t priv_size, struct doca_sta_subs_handle *subs_handle,
				    struct doca_sta_qp_handle **qp_handle)
{
	doca_error_t err;

	if (!sta_io || !dev || !cm_id || !priv_data || !qp_handle)
		return DOCA_ERROR_INVALID_VALUE;
	err = connect_qp(sta_io, dev, &(struct cm_request){cm_id, priv_data, priv_size},
			 subs_handle, qp_handle);
	if (err)
		refuse(cm_id);
	return err;
}

doca_error_t doca_sta_io_qp_alloc(struct doca_sta_io *sta_io, const struct doca_dev *dev,
				  struct doca_sta_qp_handle **qp_handle)
{
	if (!sta_io || !dev || !qp_handle)
		return DOCA_ERROR_INVALID_VALUE;
	return sta_qp_handle_create(sta_io, dev, &fabric_rdma_ops, NULL, qp_handle);
}

static doca_error_t accept_qp(struct doca_sta_io *io, struct doca_sta_qp_handle *handle,
			      const struct doca_dev *dev, const struct cm_request *request,
			      struct doca_sta_subs_handle *subs)
{
	doca_error_t err;

	if (handle->io != io || handle->dev != dev || (subs && subs->sta != io->sta))
		return DOCA_ERROR_INVALID_VALUE;
	if (handle->state != HANDLE_NEW || io->ctx.state != DOCA_CTX_STATE_RUNNING)
		return DOCA_ERROR_BAD_STATE;
	err = accept_request(handle, request);
	if (err)
		return err;
	if (subs)
		sta_qp_handle_bind(handle, subs);
	sta_qp_handle_start(handle);
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_io_qp_accept(struct doca_sta_io *sta_io, struct doca_sta_qp_handle *qp_handle,
				   const struct doca_dev *dev, struct rdma_cm_id *cm_id,
				   const void *priv_data, uint32_t priv_size,
				   struct doca_sta_subs_handle *subs_handle)
{
	doca_error_t err;

	if (!sta_io || !qp_handle || !dev || !cm_id || !priv_data)
		return DOCA_ERROR_INVALID_VALUE;
	err = accept_qp(sta_io, qp_handle, dev, &(struct cm_request){cm_id, priv_data, priv_size},
			subs_handle);
	if (err)
		refuse(cm_id);
	return err;
}
