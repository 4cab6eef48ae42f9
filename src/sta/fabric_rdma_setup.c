/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVMe/RDMA: devices, and connections until they are accepted.
 */
#define LOG_MODULE "sta"
#include "sta/fabric_rdma.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "base/err.h"
#include "base/log.h"
#include "sta/op.h"

/*
 * Devices
 */

void rdma_close_device(struct rdma_device *device)
{
	struct sta_eu *eu = device->rdma->eu;
	uint32_t i;

	for (i = 0; device->bufs && i < eu->pool.capacity; i++)
		if (device->bufs[i])
			ibv_dereg_mr(device->bufs[i]);
	free(device->bufs);
	if (device->watch.fd >= 0)
		priv_poll_group_unwatch(&eu->worker.group, &device->watch);
	if (device->channel)
		ibv_destroy_comp_channel(device->channel);
	if (device->pd)
		ibv_dealloc_pd(device->pd);
	list_remove(&device->node);
	free(device);
}

static doca_error_t read_limits(struct rdma_device *device)
{
	struct ibv_device_attr attr;
	int error = ibv_query_device(device->verbs, &attr);

	if (error)
		return priv_err_from_errno(error);
	device->max_reads_out = (uint32_t)attr.max_qp_init_rd_atom;
	device->max_reads_in = (uint32_t)attr.max_qp_rd_atom;
	device->max_wr = (uint32_t)attr.max_qp_wr;
	device->max_cqe = (uint32_t)attr.max_cqe;
	device->can_invalidate = attr.device_cap_flags & IBV_DEVICE_MEM_MGT_EXTENSIONS;
	device->access = IBV_ACCESS_LOCAL_WRITE;
	/* there the answer to a READ is a write from outside */
	if (device->verbs->device->transport_type == IBV_TRANSPORT_IWARP)
		device->access |= IBV_ACCESS_REMOTE_WRITE;
	return DOCA_SUCCESS;
}

static doca_error_t open_channel(struct rdma_device *device)
{
	struct sta_eu *eu = device->rdma->eu;
	int flags;
	doca_error_t err;

	device->channel = ibv_create_comp_channel(device->verbs);
	if (!device->channel)
		return priv_err_from_errno(errno);
	flags = fcntl(device->channel->fd, F_GETFL);
	if (flags < 0 || fcntl(device->channel->fd, F_SETFL, flags | O_NONBLOCK))
		return priv_err_from_errno(errno);
	device->watch = (struct watch){.fd = device->channel->fd, .ready = rdma_on_events};
	err = priv_poll_group_watch(&eu->worker.group, &device->watch, EPOLLIN);
	if (err)
		device->watch.fd = -1;
	return err;
}

static doca_error_t open_device(struct fabric_rdma *rdma, struct ibv_context *verbs,
				struct rdma_device **ret_device)
{
	struct rdma_device *device = calloc(1, sizeof(*device));
	doca_error_t err = DOCA_ERROR_NO_MEMORY;

	if (!device)
		return DOCA_ERROR_NO_MEMORY;
	device->rdma = rdma;
	device->verbs = verbs;
	device->watch.fd = -1;
	list_add_tail(&rdma->devices, &device->node);
	device->bufs = calloc(rdma->eu->pool.capacity, sizeof(struct ibv_mr *));
	if (device->bufs)
		err = read_limits(device);
	if (!err) {
		device->pd = ibv_alloc_pd(verbs);
		err = device->pd ? open_channel(device) : priv_err_from_errno(errno);
	}
	if (err) {
		rdma_close_device(device);
		return err;
	}
	*ret_device = device;
	return DOCA_SUCCESS;
}

struct device_request {
	struct ibv_context *verbs;
	struct rdma_device *device;
	doca_error_t err;
};

/* EU: the device of a connection, opened for the first one */
static void get_device(struct sta_eu *eu, void *arg)
{
	struct device_request *request = arg;
	struct list_node *node;

	list_for_each (node, &eu->rdma->devices) {
		struct rdma_device *device = container_of(node, struct rdma_device, node);

		if (device->verbs == request->verbs) {
			request->device = device;
			return;
		}
	}
	request->err = open_device(eu->rdma, request->verbs, &request->device);
}

/*
 * Setting up, in the application's thread: the EU does not know the connection yet
 */

void rdma_release_verbs(struct rdma_conn *conn)
{
	if (conn->verbs_qp)
		ibv_destroy_qp(conn->verbs_qp);
	if (conn->cq)
		ibv_destroy_cq(conn->cq);
	if (conn->memory.mr)
		ibv_dereg_mr(conn->memory.mr);
	if (conn->memory.rx)
		munmap(conn->memory.rx, conn->memory.size);
	free(conn->held);
	conn->verbs_qp = NULL;
	conn->cq = NULL;
	conn->memory = (struct rdma_memory){0};
	conn->held = NULL;
}

int rdma_post_receive(struct rdma_conn *conn, uint32_t index)
{
	struct ibv_sge sge = {(uintptr_t)&conn->memory.rx[index], sizeof(struct rdma_rx),
			      conn->memory.mr->lkey};
	struct ibv_recv_wr wr = {
		.wr_id = rdma_wr_id(WR_RECEIVE, index), .sg_list = &sge, .num_sge = 1};
	struct ibv_recv_wr *bad;

	return ibv_post_recv(conn->verbs_qp, &wr, &bad);
}

static doca_error_t make_memory(struct rdma_conn *conn)
{
	struct rdma_memory *memory = &conn->memory;
	uint32_t count = conn->qp.cmd_count;
	size_t size = count * (sizeof(*memory->rx) + sizeof(*memory->tx));
	void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (base == MAP_FAILED)
		return DOCA_ERROR_NO_MEMORY;
	memory->size = size;
	memory->rx = base;
	memory->tx = (struct nvme_cqe *)(memory->rx + count);
	memory->mr = ibv_reg_mr(conn->device->pd, base, size, IBV_ACCESS_LOCAL_WRITE);
	if (!memory->mr)
		return priv_err_from_errno(errno);
	conn->held = calloc(count, sizeof(*conn->held));
	return conn->held ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

static doca_error_t make_queues(struct rdma_conn *conn)
{
	struct rdma_device *device = conn->device;
	uint32_t count = conn->qp.cmd_count;
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		/* of each command at most an RDMA WRITE and a SEND are under way */
		.cap = {.max_send_wr = 2 * count,
			.max_recv_wr = count,
			.max_send_sge = 1,
			.max_recv_sge = 1},
	};

	if (2 * count > device->max_wr || 3 * count > device->max_cqe) {
		LOG_ERR("%s has queues of %u requests and %u completions: %u commands need %u and "
			"%u",
			ibv_get_device_name(device->verbs->device), device->max_wr, device->max_cqe,
			count, 2 * count, 3 * count);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	conn->cq = ibv_create_cq(device->verbs, (int)(3 * count), conn, device->channel, 0);
	if (!conn->cq)
		return priv_err_from_errno(errno);
	attr.send_cq = attr.recv_cq = conn->cq;
	conn->verbs_qp = ibv_create_qp(device->pd, &attr);
	return conn->verbs_qp ? DOCA_SUCCESS : priv_err_from_errno(errno);
}

static uint8_t at_most(uint8_t value, uint32_t max)
{
	return value < max ? value : (uint8_t)max;
}

/* CONNECTION_ABORTED: there is no request any more, the host has given it up */
static doca_error_t cm_error(void)
{
	return errno == EINVAL ? DOCA_ERROR_CONNECTION_ABORTED : priv_err_from_errno(errno);
}

static doca_error_t move_to(struct rdma_conn *conn, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = {.qp_state = state};
	int mask, error;

	if (rdma_init_qp_attr(conn->id, &attr, &mask))
		return cm_error();
	/* the host's wishes, as far as the device can: what rdma_accept() will tell it */
	attr.max_rd_atomic = at_most(attr.max_rd_atomic, conn->device->max_reads_out);
	attr.max_dest_rd_atomic = at_most(attr.max_dest_rd_atomic, conn->device->max_reads_in);
	error = ibv_modify_qp(conn->verbs_qp, &attr, mask);
	return error ? priv_err_from_errno(error) : DOCA_SUCCESS;
}

/* Ready for the first capsule before the host hears that it may send one. */
static doca_error_t make_ready(struct rdma_conn *conn)
{
	doca_error_t err = move_to(conn, IBV_QPS_INIT);
	uint32_t i;

	for (i = 0; !err && i < conn->qp.cmd_count; i++) {
		int error = rdma_post_receive(conn, i);

		err = error ? priv_err_from_errno(error) : DOCA_SUCCESS;
	}
	if (!err)
		err = move_to(conn, IBV_QPS_RTR);
	return err ? err : move_to(conn, IBV_QPS_RTS);
}

static doca_error_t accept_host(struct rdma_conn *conn, const void *priv_data, uint32_t priv_size)
{
	struct rdma_conn_param param = {
		.private_data = priv_data,
		.private_data_len = (uint8_t)priv_size,
		.responder_resources = RDMA_MAX_RESP_RES, /* the host's wishes, see above */
		.initiator_depth = RDMA_MAX_INIT_DEPTH,
		.rnr_retry_count = 7,
		.qp_num = conn->verbs_qp->qp_num,
	};

	return rdma_accept(conn->id, &param) ? cm_error() : DOCA_SUCCESS;
}

/* hosts come and go as they like: that is nothing to act on */
static void report(const struct rdma_conn *conn, doca_error_t err)
{
	const char *device = ibv_get_device_name(conn->device->verbs->device);

	if (err == DOCA_ERROR_CONNECTION_ABORTED)
		LOG_DBG("%s: a host has given up its request to connect", device);
	else
		LOG_ERR("%s: a connection could not be made: %s", device,
			doca_error_get_descr(err));
}

doca_error_t fabric_rdma_accept(struct sta_qp *qp, struct rdma_cm_id *id, const void *priv_data,
				uint32_t priv_size)
{
	struct rdma_conn *conn = rdma_conn_of(qp);
	struct device_request request = {.verbs = id->verbs};
	doca_error_t err;

	assert(qp->state == QP_NEW && !conn->id);
	sta_eu_call(qp->eu, get_device, &request);
	if (request.err) {
		LOG_ERR("%s cannot be used: %s", ibv_get_device_name(id->verbs->device),
			doca_error_get_descr(request.err));
		return DOCA_ERROR_CONNECTION_ABORTED;
	}
	conn->device = request.device;
	conn->id = id;
	list_init(&conn->node);
	err = make_memory(conn);
	if (!err)
		err = make_queues(conn);
	if (!err)
		err = make_ready(conn);
	if (!err)
		err = accept_host(conn, priv_data, priv_size);
	if (!err)
		return DOCA_SUCCESS;
	report(conn, err);
	rdma_release_verbs(conn);
	conn->id = NULL;
	return err == DOCA_ERROR_NO_MEMORY ? err : DOCA_ERROR_CONNECTION_ABORTED;
}
