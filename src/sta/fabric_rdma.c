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
#include "sta/fabric_rdma.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"

#define WC_BATCH    32
#define IDLE_ROUNDS 256u /* without a completion before a connection waits for an event */

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

	assert(buf >= pool->bufs && buf < pool->bufs + pool->capacity);
	if (!*mr)
		*mr = ibv_reg_mr(device->pd, buf->data, buf->capacity, device->access);
	if (!*mr)
		LOG_ERR("%s: cannot register a data buffer of %u bytes: %s",
			ibv_get_device_name(device->verbs->device), buf->capacity, strerror(errno));
	return *mr ? (*mr)->lkey : 0;
}

static void rdma_fetch(struct sta_cmd *cmd)
{
	struct rdma_conn *conn = rdma_conn_of(cmd->qp);
	struct ibv_sge sge = {.addr = (uintptr_t)cmd->buf->data,
			      .length = cmd->size,
			      .lkey = buf_lkey(conn->device, cmd->buf)};
	struct ibv_send_wr read = {.wr_id = rdma_wr_id(WR_READ, cmd->index),
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
	struct ibv_send_wr send = {.wr_id = rdma_wr_id(WR_SEND, cmd->index),
				   .opcode = invalidate ? IBV_WR_SEND_WITH_INV : IBV_WR_SEND,
				   .send_flags = IBV_SEND_SIGNALED,
				   .sg_list = &cqe_sge,
				   .num_sge = 1,
				   .invalidate_rkey = invalidate ? cmd->where.key : 0};
	struct ibv_sge data_sge = {.length = cmd->size};
	struct ibv_send_wr write = {.wr_id = rdma_wr_id(WR_WRITE, cmd->index),
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
	struct rdma_conn *conn = rdma_conn_of(cmd->qp);
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

static void start_command(struct rdma_conn *conn, struct sta_cmd *cmd, uint32_t index,
			  uint32_t size)
{
	const struct rdma_rx *rx = &conn->memory.rx[index];
	int error;

	cmd->sqe = rx->sqe;
	cmd->in_capsule_size = size - (uint32_t)sizeof(rx->sqe);
	cmd->receive_status = NVME_SC_SUCCESS;
	memcpy(cmd->in_capsule.data, rx->data, cmd->in_capsule_size);
	error = rdma_post_receive(conn, index);
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

/* see rdma_stop(): nothing completes any more */
static void end_all(struct rdma_conn *conn)
{
	struct fabric_rdma *rdma = conn->device->rdma;
	uint32_t i;

	list_remove(&conn->node);
	rdma->current = conn;
	for (i = 0; i < conn->qp.cmd_count && rdma->current; i++) {
		struct sta_cmd *cmd = qp_cmd(&conn->qp, i, sizeof(struct sta_cmd));

		if (cmd->state == CMD_FETCHING)
			cmd_fetched(cmd, NVME_SC_DATA_TRANSFER_ERROR);
		else if (cmd->state == CMD_RESPONDING)
			cmd_responded(cmd, false);
	}
	rdma->current = NULL;
}

static void poll_conn(struct rdma_conn *conn, unsigned int *work)
{
	unsigned int before = *work;

	if (!conn->verbs_qp) {
		end_all(conn);
		++*work;
		return;
	}
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

void rdma_on_events(struct watch *watch, uint32_t events)
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
 * Life of a connection
 */

static doca_error_t rdma_attach(struct sta_qp *qp)
{
	heat(rdma_conn_of(qp));
	return DOCA_SUCCESS;
}

static void rdma_established(struct sta_qp *qp)
{
	heat(rdma_conn_of(qp)); /* the next round starts what is held */
}

static void rdma_stop(struct sta_qp *qp)
{
	struct rdma_conn *conn = rdma_conn_of(qp);
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};

	conn->held_count = 0;
	/* everything under way completes, flushed, or ends with that of a removed device */
	if (ibv_modify_qp(conn->verbs_qp, &attr, IBV_QP_STATE) && !ibv_destroy_qp(conn->verbs_qp))
		conn->verbs_qp = NULL;
	rdma_disconnect(conn->id); /* tells the host, unless it has hung up */
	heat(conn);
}

static void rdma_detach(struct sta_qp *qp)
{
	struct rdma_conn *conn = rdma_conn_of(qp);
	struct fabric_rdma *rdma = conn->device->rdma;

	list_remove(&conn->node);
	if (rdma->current == conn)
		rdma->current = NULL;
	/* here, where events are taken: none is left that names the connection */
	rdma_release_verbs(conn);
}

static void rdma_destroy(struct sta_qp *qp)
{
	struct rdma_conn *conn = rdma_conn_of(qp);

	if (conn->id)
		rdma_destroy_id(conn->id);
	conn->id = NULL;
}

const struct fabric_ops fabric_rdma_ops = {
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
		rdma_close_device(container_of(rdma->devices.next, struct rdma_device, node));
	free(rdma);
}
