/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVMe/RDMA on any verbs provider: reliable connections of the application's connection manager.
 *
 * A connection has a completion queue of its own: nothing of one host can fill another one's, and
 * it goes with the connection. Busy connections are polled; one that has been quiet for a while
 * asks for an event and costs nothing until then.
 *
 * Capsules are received into memory of the connection and copied to a command: the receive is
 * posted again at once, so a host that keeps to its queue's size never meets an empty queue. A
 * capsule stays in its receive until the connection is established and a command is free.
 */
#define LOG_MODULE "sta"
#include "sta/fabric.h"

#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "base/fd.h"
#include "base/log.h"

#define WC_BATCH    32
#define IDLE_ROUNDS 256u /* without a completion before a connection waits for an event */

/* One device as one EU sees it; lives as long as the EU. */
struct rdma_device {
	struct list_node node; /* in fabric_rdma.devices */
	struct fabric_rdma *rdma;
	struct ibv_context *verbs; /* librdmacm's, as long as the process lives */
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct watch watch;
	struct ibv_mr **bufs; /* of the EU's pool, registered when they are used first */
	int access;	      /* of those */
	bool can_invalidate;
	uint32_t max_reads_out, max_reads_in; /* RDMA READs under way */
	uint32_t max_wr, max_cqe;
};

struct fabric_rdma {
	struct sta_eu *eu;
	struct list_node devices;
	struct list_node hot; /* connections that are polled */
	struct rdma_conn *current;
};

/* what hosts and we send, as it is in registered memory */
struct rdma_rx {
	struct nvme_cmd sqe;
	uint8_t data[STA_IN_CAPSULE];
};

struct rdma_memory {
	size_t size;
	struct ibv_mr *mr;
	struct rdma_rx *rx;  /* one for each command that a host may have under way */
	struct nvme_cqe *tx; /* one for each command */
};

struct rdma_conn {
	struct sta_qp qp;
	struct rdma_device *device;
	struct rdma_cm_id *id;
	struct ibv_cq *cq;
	struct ibv_qp *verbs_qp;
	struct rdma_memory memory;
	struct list_node node; /* in fabric_rdma.hot; unlinked: waits for an event */
	unsigned int idle_rounds;
	/* capsules that wait in their receives, oldest first */
	struct {
		uint32_t rx, size;
	} * held;
	uint32_t held_head, held_count;
};

/* the low bits of a work request's id; the rest is the index of a receive or a command */
enum wr_kind { WR_RECEIVE, WR_READ, WR_WRITE, WR_SEND, WR_KINDS };

static struct rdma_conn *conn_of(struct sta_qp *qp)
{
	return container_of(qp, struct rdma_conn, qp);
}

static uint64_t wr_id(enum wr_kind kind, uint32_t index)
{
	return (uint64_t)index * WR_KINDS + kind;
}

static void heat(struct rdma_conn *conn)
{
	struct fabric_rdma *rdma = conn->device->rdma;

	conn->idle_rounds = 0;
	if (list_is_linked(&conn->node))
		return;
	list_add_tail(&rdma->hot, &conn->node);
	priv_poll_group_heat(&rdma->eu->poller);
}

/*
 * Sending
 */

/* 0: the device does not take the buffer */
static uint32_t buf_lkey(struct rdma_device *device, struct sta_buf *buf)
{
	struct sta_pool *pool = &device->rdma->eu->pool;
	struct ibv_mr **mr = &device->bufs[buf - pool->bufs];

	assert(buf >= pool->bufs && buf < pool->bufs + pool->count);
	if (!*mr)
		*mr = ibv_reg_mr(device->pd, buf->data, buf->capacity, device->access);
	if (!*mr)
		LOG_ERR("%s: cannot register a data buffer of %u bytes: %s",
			ibv_get_device_name(device->verbs->device), buf->capacity, strerror(errno));
	return *mr ? (*mr)->lkey : 0;
}

static void rdma_fetch(struct sta_cmd *cmd)
{
	struct rdma_conn *conn = conn_of(cmd->qp);
	struct ibv_sge sge = {.addr = (uintptr_t)cmd->buf->data,
			      .length = cmd->size,
			      .lkey = buf_lkey(conn->device, cmd->buf)};
	struct ibv_send_wr read = {.wr_id = wr_id(WR_READ, cmd->index),
				   .opcode = IBV_WR_RDMA_READ,
				   .send_flags = IBV_SEND_SIGNALED,
				   .sg_list = &sge,
				   .num_sge = 1,
				   .wr.rdma = {cmd->where.addr, cmd->where.key}};
	struct ibv_send_wr *bad;
	int error = sge.lkey ? ibv_post_send(conn->verbs_qp, &read, &bad) : ENOMEM;

	if (!error) {
		heat(conn);
		return;
	}
	qp_fail(cmd->qp, IBV_WC_RDMA_READ, IBV_WC_GENERAL_ERR, (uint32_t)error);
	cmd_fetched(cmd, NVME_SC_DATA_TRANSFER_ERROR);
}

static int post_response(struct rdma_conn *conn, struct sta_cmd *cmd)
{
	struct nvme_cqe *cqe = &conn->memory.tx[cmd->index];
	bool invalidate = conn->device->can_invalidate && cmd->where.place == CAPSULE_KEYED &&
			  cmd->where.invalidate;
	struct ibv_sge cqe_sge = {(uintptr_t)cqe, sizeof(*cqe), conn->memory.mr->lkey};
	struct ibv_send_wr send = {.wr_id = wr_id(WR_SEND, cmd->index),
				   .opcode = invalidate ? IBV_WR_SEND_WITH_INV : IBV_WR_SEND,
				   .send_flags = IBV_SEND_SIGNALED,
				   .sg_list = &cqe_sge,
				   .num_sge = 1,
				   .invalidate_rkey = invalidate ? cmd->where.key : 0};
	struct ibv_sge data_sge = {.length = cmd->size};
	struct ibv_send_wr write = {.wr_id = wr_id(WR_WRITE, cmd->index),
				    .next = &send,
				    .opcode = IBV_WR_RDMA_WRITE,
				    .sg_list = &data_sge,
				    .num_sge = 1,
				    .wr.rdma = {cmd->where.addr, cmd->where.key}};
	struct ibv_send_wr *bad;

	*cqe = cmd->cqe;
	if (!cmd->size)
		return ibv_post_send(conn->verbs_qp, &send, &bad);
	data_sge.addr = (uintptr_t)cmd->buf->data;
	data_sge.lkey = buf_lkey(conn->device, cmd->buf);
	return data_sge.lkey ? ibv_post_send(conn->verbs_qp, &write, &bad) : ENOMEM;
}

static void rdma_respond(struct sta_cmd *cmd)
{
	struct rdma_conn *conn = conn_of(cmd->qp);
	int error = post_response(conn, cmd);

	if (!error) {
		heat(conn);
		return;
	}
	qp_fail(cmd->qp, IBV_WC_SEND, IBV_WC_GENERAL_ERR, (uint32_t)error);
	cmd_responded(cmd, false);
}

/*
 * Receiving
 */

static int post_receive(struct rdma_conn *conn, uint32_t index)
{
	struct ibv_sge sge = {(uintptr_t)&conn->memory.rx[index], sizeof(struct rdma_rx),
			      conn->memory.mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = wr_id(WR_RECEIVE, index), .sg_list = &sge, .num_sge = 1};
	struct ibv_recv_wr *bad;

	return ibv_post_recv(conn->verbs_qp, &wr, &bad);
}

static void start_command(struct rdma_conn *conn, struct sta_cmd *cmd, uint32_t index,
			  uint32_t size)
{
	const struct rdma_rx *rx = &conn->memory.rx[index];
	int error;

	cmd->sqe = rx->sqe;
	cmd->in_capsule_size = size - (uint32_t)sizeof(rx->sqe);
	cmd->receive_status = NVME_SC_SUCCESS;
	memcpy(cmd->in_capsule.data, rx->data, cmd->in_capsule_size);
	error = post_receive(conn, index);
	if (error) {
		qp_give_cmd(cmd);
		qp_fail(&conn->qp, IBV_WC_RECV, IBV_WC_GENERAL_ERR, (uint32_t)error);
		return;
	}
	cmd_received(cmd);
}

static bool may_start(const struct rdma_conn *conn)
{
	return atomic_load_explicit(&conn->qp.established, memory_order_relaxed) &&
	       qp_is_executing(&conn->qp);
}

/* begins what has been held back, in its order, as far as there are commands */
static unsigned int start_held(struct rdma_conn *conn)
{
	unsigned int started = 0;

	while (conn->held_count && may_start(conn)) {
		struct sta_cmd *cmd = qp_take_cmd(&conn->qp);
		uint32_t at = conn->held_head;

		if (!cmd)
			break;
		conn->held_head = (at + 1) % conn->qp.cmd_count;
		conn->held_count--;
		start_command(conn, cmd, conn->held[at].rx, conn->held[at].size);
		started++;
	}
	return started;
}

static void received(struct rdma_conn *conn, uint32_t index, uint32_t size)
{
	uint32_t at = (conn->held_head + conn->held_count) % conn->qp.cmd_count;

	if (!qp_is_executing(&conn->qp))
		return;
	if (size < sizeof(struct nvme_cmd)) {
		qp_fail(&conn->qp, IBV_WC_RECV, IBV_WC_LOC_LEN_ERR, 0);
		return;
	}
	assert(conn->held_count < conn->qp.cmd_count); /* there are no more receives */
	conn->held[at].rx = index;
	conn->held[at].size = size;
	conn->held_count++;
	start_held(conn);
}

/*
 * Completions
 */

static void completed(struct rdma_conn *conn, const struct ibv_wc *wc)
{
	/* that of a failed completion is undefined */
	static const enum ibv_wc_opcode opcodes[WR_KINDS] = {IBV_WC_RECV, IBV_WC_RDMA_READ,
							     IBV_WC_RDMA_WRITE, IBV_WC_SEND};
	uint32_t index = (uint32_t)(wc->wr_id / WR_KINDS);
	enum wr_kind kind = (enum wr_kind)(wc->wr_id % WR_KINDS);
	struct sta_cmd *cmd = qp_cmd(&conn->qp, index, sizeof(struct sta_cmd));
	bool ok = wc->status == IBV_WC_SUCCESS;

	if (!ok)
		qp_fail(&conn->qp, opcodes[kind], wc->status, wc->vendor_err);
	if (kind == WR_RECEIVE && ok)
		received(conn, index, wc->byte_len);
	else if (kind == WR_READ)
		cmd_fetched(cmd, ok ? NVME_SC_SUCCESS : NVME_SC_DATA_TRANSFER_ERROR);
	else if (kind == WR_SEND)
		cmd_responded(cmd, ok);
}

/* false: the connection is gone */
static bool take_completions(struct rdma_conn *conn, unsigned int *work)
{
	struct fabric_rdma *rdma = conn->device->rdma;
	struct ibv_wc wc[WC_BATCH];
	int count = ibv_poll_cq(conn->cq, WC_BATCH, wc), i;

	rdma->current = conn;
	for (i = 0; i < count && rdma->current; i++) {
		completed(conn, &wc[i]);
		++*work;
	}
	if (!rdma->current)
		return false;
	*work += start_held(conn);
	rdma->current = NULL;
	return true;
}

static void poll_conn(struct rdma_conn *conn, unsigned int *work)
{
	unsigned int before = *work;

	if (!take_completions(conn, work))
		return;
	if (*work != before || (conn->held_count && may_start(conn))) {
		conn->idle_rounds = 0;
		return;
	}
	if (++conn->idle_rounds < IDLE_ROUNDS || ibv_req_notify_cq(conn->cq, 0))
		return;
	/* what came before the request raises no event: look once more */
	list_remove(&conn->node);
	if (take_completions(conn, work) && *work != before)
		heat(conn);
}

unsigned int fabric_rdma_poll(struct fabric_rdma *rdma)
{
	struct list_node *node, *tmp;
	unsigned int work = 0;

	/* a connection may go while it is polled, but takes no other one with it */
	list_for_each_safe (node, tmp, &rdma->hot)
		poll_conn(container_of(node, struct rdma_conn, node), &work);
	return work;
}

bool fabric_rdma_must_poll(const struct fabric_rdma *rdma)
{
	return !list_is_empty(&rdma->hot);
}

static void on_events(struct watch *watch, uint32_t events)
{
	struct rdma_device *device = container_of(watch, struct rdma_device, watch);
	struct ibv_cq *cq;
	void *conn;

	(void)events;
	while (!ibv_get_cq_event(device->channel, &cq, &conn)) {
		ibv_ack_cq_events(cq, 1);
		heat(conn);
	}
}

/*
 * Devices
 */

static void close_device(struct rdma_device *device)
{
	struct sta_eu *eu = device->rdma->eu;
	uint32_t i;

	for (i = 0; device->bufs && i < eu->pool.count; i++)
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
	device->watch = (struct watch){.fd = device->channel->fd, .ready = on_events};
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
	device->bufs = calloc(rdma->eu->pool.count, sizeof(struct ibv_mr *));
	if (device->bufs)
		err = read_limits(device);
	if (!err) {
		device->pd = ibv_alloc_pd(verbs);
		err = device->pd ? open_channel(device) : priv_err_from_errno(errno);
	}
	if (err) {
		close_device(device);
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

static void release_verbs(struct rdma_conn *conn)
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

static doca_error_t move_to(struct rdma_conn *conn, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = {.qp_state = state};
	int mask, error;

	if (rdma_init_qp_attr(conn->id, &attr, &mask))
		return priv_err_from_errno(errno);
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
		int error = post_receive(conn, i);

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

	return rdma_accept(conn->id, &param) ? priv_err_from_errno(errno) : DOCA_SUCCESS;
}

doca_error_t fabric_rdma_accept(struct sta_qp *qp, struct rdma_cm_id *id, const void *priv_data,
				uint32_t priv_size)
{
	struct rdma_conn *conn = conn_of(qp);
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
	LOG_ERR("%s: a connection could not be made: %s", ibv_get_device_name(id->verbs->device),
		doca_error_get_descr(err));
	release_verbs(conn);
	conn->id = NULL;
	return err == DOCA_ERROR_NO_MEMORY ? err : DOCA_ERROR_CONNECTION_ABORTED;
}

/*
 * Life of a connection
 */

static doca_error_t rdma_attach(struct sta_qp *qp)
{
	heat(conn_of(qp));
	return DOCA_SUCCESS;
}

static void rdma_established(struct sta_qp *qp)
{
	heat(conn_of(qp)); /* the next round starts what is held */
}

static void rdma_stop(struct sta_qp *qp)
{
	struct rdma_conn *conn = conn_of(qp);
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};

	conn->held_count = 0;
	/* everything under way completes, flushed; the host is told unless it has hung up */
	ibv_modify_qp(conn->verbs_qp, &attr, IBV_QP_STATE);
	rdma_disconnect(conn->id);
	heat(conn);
}

static void rdma_detach(struct sta_qp *qp)
{
	struct rdma_conn *conn = conn_of(qp);
	struct fabric_rdma *rdma = conn->device->rdma;

	list_remove(&conn->node);
	if (rdma->current == conn)
		rdma->current = NULL;
	/* here, where events are taken: none is left that names the connection */
	release_verbs(conn);
}

static void rdma_destroy(struct sta_qp *qp)
{
	struct rdma_conn *conn = conn_of(qp);

	if (conn->id)
		rdma_destroy_id(conn->id);
	conn->id = NULL;
}

const struct fabric_ops fabric_rdma_ops = {
	.name = "rdma",
	.transport = CAPSULE_RDMA,
	.qp_size = sizeof(struct rdma_conn),
	.cmd_size = sizeof(struct sta_cmd),
	.attach = rdma_attach,
	.established = rdma_established,
	.fetch = rdma_fetch,
	.respond = rdma_respond,
	.stop = rdma_stop,
	.detach = rdma_detach,
	.destroy = rdma_destroy,
};

/*
 * The fabric of one EU
 */

doca_error_t fabric_rdma_create(struct sta_eu *eu, struct fabric_rdma **ret_rdma)
{
	struct fabric_rdma *rdma = calloc(1, sizeof(*rdma));

	if (!rdma)
		return DOCA_ERROR_NO_MEMORY;
	rdma->eu = eu;
	list_init(&rdma->devices);
	list_init(&rdma->hot);
	*ret_rdma = rdma;
	return DOCA_SUCCESS;
}

void fabric_rdma_destroy(struct fabric_rdma *rdma)
{
	assert(list_is_empty(&rdma->hot));
	while (!list_is_empty(&rdma->devices))
		close_device(container_of(rdma->devices.next, struct rdma_device, node));
	free(rdma);
}
