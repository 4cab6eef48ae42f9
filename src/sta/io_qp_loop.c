/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hosts inside the process: the API's side of the loop fabric. Requests come from a pool of the
 * queue pair, as many as it has commands.
 */
#include <stdlib.h>
#include <string.h>
#include "sta/fabric_loop.h"
#include "sta/sta.h"

struct host_req {
	struct loop_req req;
	struct host_req *next; /* in the pool */
	struct sta_loop_host *host;
	softfield_sta_loop_cb_t cb;
	union doca_data user_data;
};

struct sta_loop_host {
	struct doca_pe *pe;
	struct host_req *free; /* most recently used first */
	struct host_req reqs[];
};

static void finish(struct loop_req *req)
{
	struct host_req *r = container_of(req, struct host_req, req);
	struct sta_loop_host *host = r->host;
	struct nvme_cqe cqe = req->cqe;

	r->next = host->free;
	host->free = r;
	host->pe->has_told = true;
	r->cb(req->answered ? (const uint8_t *)&cqe : NULL, r->user_data);
}

static struct sta_loop_host *make_host(struct doca_pe *pe, uint32_t count)
{
	const size_t size = sizeof(struct sta_loop_host) + count * sizeof(struct host_req);
	struct sta_loop_host *host = aligned_alloc(_Alignof(struct sta_loop_host), size);
	uint32_t i;

	if (!host)
		return NULL;
	memset(host, 0, size);
	host->pe = pe;
	for (i = 0; i < count; i++) {
		host->reqs[i].host = host;
		host->reqs[i].req.done = finish;
		host->reqs[i].next = host->free;
		host->free = &host->reqs[i];
	}
	return host;
}

doca_error_t softfield_sta_io_qp_connect_loop(struct doca_sta_io *sta_io,
					      const struct doca_dev *dev,
					      struct doca_sta_subs_handle *subs_handle,
					      struct doca_sta_qp_handle **qp_handle)
{
	struct doca_sta_qp_handle *handle;
	doca_error_t err;

	if (!sta_io || !dev || !qp_handle)
		return DOCA_ERROR_INVALID_VALUE;
	err = sta_qp_handle_create(sta_io, dev, &fabric_loop_ops, subs_handle, &handle);
	if (err)
		return err;
	handle->loop_host = make_host(sta_io->ctx.pe, handle->qp->cmd_count);
	if (!handle->loop_host) {
		sta_qp_handle_destroy(handle);
		return DOCA_ERROR_NO_MEMORY;
	}
	fabric_loop_set_host(handle->qp, &sta_io->inbox);
	atomic_store_explicit(&handle->qp->established, true, memory_order_relaxed);
	sta_qp_handle_start(handle);
	*qp_handle = handle;
	return DOCA_SUCCESS;
}

doca_error_t softfield_sta_io_qp_loop_submit(struct doca_sta_qp_handle *qp_handle,
					     const uint8_t *nvme_cmd, void *data, uint32_t data_len,
					     softfield_sta_loop_cb_t cb, union doca_data user_data)
{
	struct host_req *r;

	if (!qp_handle || !qp_handle->loop_host || !nvme_cmd || !cb || (data_len && !data) ||
	    data_len >= 1u << 24) /* a keyed descriptor's length */
		return DOCA_ERROR_INVALID_VALUE;
	/* answers that come after the end of a disconnect would find nobody */
	if (qp_handle->state != HANDLE_STARTED)
		return DOCA_ERROR_BAD_STATE;
	r = qp_handle->loop_host->free;
	if (!r)
		return DOCA_ERROR_AGAIN;
	qp_handle->loop_host->free = r->next;
	r->cb = cb;
	r->user_data = user_data;
	memcpy(&r->req.cmd, nvme_cmd, sizeof(r->req.cmd));
	fabric_loop_set_sgl(&r->req.cmd, data, data_len);
	fabric_loop_submit(qp_handle->qp, &r->req);
	return DOCA_SUCCESS;
}
