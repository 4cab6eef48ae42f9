/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A host over NVMe/RDMA, with a queue pair of its own on the same device as the target's.
 */
#include "sta_host.h"

#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>

struct capsule {
	struct nvme_cmd sqe;
	uint8_t data[STA_IN_CAPSULE];
};

/* there is one host at a time */
static struct {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *listener, *id;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *capsules_mr, *cqes_mr;
	struct ibv_mr *data[HOST_CMDS];
	struct capsule capsules[HOST_CMDS];
	struct nvme_cqe cqes[HOST_CMDS];
	unsigned int established;
	bool to_refuse, refused;
	uint8_t reason; /* why, in the private data of the answer */
	bool has_left;	/* answers do not matter any more */
} peer;

static void receive(uint32_t index)
{
	struct ibv_sge sge = {(uintptr_t)&peer.cqes[index], sizeof(peer.cqes[0]),
			      peer.cqes_mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = index, .sg_list = &sge, .num_sge = 1}, *bad;

	assert_int_equal(ibv_post_recv(peer.id->qp, &wr, &bad), 0);
}

static void ask(void)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = HOST_CMDS,
			.max_recv_wr = HOST_CMDS,
			.max_send_sge = 1,
			.max_recv_sge = 1},
	};
	/* record format 0, queue 1, 64 receives, 64 entries counted from 0 */
	static const uint8_t wish[32] = {0, 0, 1, 0, HOST_CMDS, 0, HOST_CMDS - 1, 0};
	struct rdma_conn_param param = {.private_data = wish,
					.private_data_len = sizeof(wish),
					.responder_resources = 4,
					.initiator_depth = 4,
					.retry_count = 7,
					.rnr_retry_count = 7};
	uint32_t i;

	peer.pd = ibv_alloc_pd(peer.id->verbs);
	peer.cq = ibv_create_cq(peer.id->verbs, 2 * HOST_CMDS, NULL, NULL, 0);
	assert_non_null(peer.pd);
	assert_non_null(peer.cq);
	attr.send_cq = attr.recv_cq = peer.cq;
	assert_int_equal(rdma_create_qp(peer.id, peer.pd, &attr), 0);
	peer.capsules_mr = ibv_reg_mr(peer.pd, peer.capsules, sizeof(peer.capsules), 0);
	peer.cqes_mr = ibv_reg_mr(peer.pd, peer.cqes, sizeof(peer.cqes), IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(peer.capsules_mr);
	assert_non_null(peer.cqes_mr);
	for (i = 0; i < HOST_CMDS; i++)
		receive(i);
	assert_int_equal(rdma_connect(peer.id, &param), 0);
}

static void accept_at(struct host *host, struct doca_sta_io *io, struct doca_dev *dev,
		      struct rdma_cm_id *id)
{
	static const uint8_t answer[32] = {0, 0, HOST_CMDS};

	assert_ok(doca_sta_io_qp_alloc(io, dev, &host->qp));
	assert_ok(doca_sta_io_qp_accept(io, host->qp, dev, id, answer, sizeof(answer), NULL));
}

/* the program promises more receives than there are */
static void refuse_at(struct doca_sta_io *io, struct doca_dev *dev, struct rdma_cm_id *id)
{
	static const uint8_t answer[32] = {0, 0, 0xff, 0xff};
	struct doca_sta_qp_handle *qp;

	assert_int_equal(doca_sta_io_qp_connect(io, dev, id, answer, sizeof(answer), NULL, &qp),
			 DOCA_ERROR_INVALID_VALUE);
}

static void handle_event(struct host *host, struct doca_sta_io *io, struct doca_dev *dev)
{
	struct rdma_cm_event *event;
	enum rdma_cm_event_type type;
	struct rdma_cm_id *id;

	assert_int_equal(rdma_get_cm_event(peer.channel, &event), 0);
	type = event->event;
	id = event->id;
	if (type == RDMA_CM_EVENT_REJECTED && event->param.conn.private_data_len > 2)
		peer.reason = ((const uint8_t *)event->param.conn.private_data)[2];
	rdma_ack_cm_event(event);
	if (type == RDMA_CM_EVENT_ADDR_RESOLVED) {
		assert_int_equal(rdma_resolve_route(id, 2000), 0);
	} else if (type == RDMA_CM_EVENT_ROUTE_RESOLVED) {
		ask();
	} else if (type == RDMA_CM_EVENT_CONNECT_REQUEST && peer.to_refuse) {
		refuse_at(io, dev, id);
	} else if (type == RDMA_CM_EVENT_CONNECT_REQUEST) {
		accept_at(host, io, dev, id);
	} else if (peer.to_refuse) {
		assert_int_equal(type, RDMA_CM_EVENT_REJECTED);
		peer.refused = true;
	} else {
		assert_int_equal(type, RDMA_CM_EVENT_ESTABLISHED);
		peer.established++;
		if (id != peer.id)
			assert_ok(doca_sta_io_qp_connect_established(io, host->qp));
	}
}

static void start(void)
{
	struct sockaddr_in addr = {.sin_family = AF_INET};

	assert_int_equal(inet_pton(AF_INET, getenv("CONTRACT_RDMA"), &addr.sin_addr), 1);
	memset(&peer, 0, sizeof(peer));
	peer.channel = rdma_create_event_channel();
	assert_non_null(peer.channel);
	assert_int_equal(rdma_create_id(peer.channel, &peer.listener, NULL, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_bind_addr(peer.listener, (struct sockaddr *)&addr), 0);
	assert_int_equal(rdma_listen(peer.listener, 1), 0);
	addr.sin_port = rdma_get_src_port(peer.listener);
	assert_int_equal(rdma_create_id(peer.channel, &peer.id, NULL, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_resolve_addr(peer.id, NULL, (struct sockaddr *)&addr, 2000), 0);
}

static void rdma_host_connect(struct host *host, struct doca_sta_io *io, struct doca_dev *dev)
{
	start();
	while (peer.established < 2)
		handle_event(host, io, dev);
}

static void post(struct host *host, struct host_cmd *cmd, uint32_t wrong)
{
	uint32_t cid = host_take_cid(host, cmd);
	struct capsule *capsule = &peer.capsules[cid];
	struct ibv_sge sge = {(uintptr_t)capsule, sizeof(cmd->sqe), peer.capsules_mr->lkey};
	struct ibv_send_wr wr = {.wr_id = HOST_CMDS,
				 .opcode = IBV_WR_SEND,
				 .send_flags = IBV_SEND_SIGNALED,
				 .sg_list = &sge,
				 .num_sge = 1};
	struct ibv_send_wr *bad;
	uint32_t key;

	fabric_loop_set_sgl(&cmd->sqe, cmd->data, cmd->size);
	if (cmd->in_capsule) {
		memset(&cmd->sqe.sgl, 0, sizeof(cmd->sqe.sgl));
		cmd->sqe.sgl.length = htole32(cmd->size);
		cmd->sqe.sgl.type = NVME_SGL_DATA_OFFSET;
		memcpy(capsule->data, cmd->data, cmd->size);
		sge.length += cmd->size;
	} else if (cmd->size) {
		peer.data[cid] = ibv_reg_mr(peer.pd, cmd->data, cmd->size,
					    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
						    IBV_ACCESS_REMOTE_READ);
		assert_non_null(peer.data[cid]);
		key = htole32(peer.data[cid]->rkey ^ wrong);
		memcpy(cmd->sqe.sgl.key, &key, sizeof(key));
	}
	cmd->sqe.flags |= cmd->fused;
	capsule->sqe = cmd->sqe;
	cmd->received = cmd->size; /* written straight into its memory */
	assert_int_equal(ibv_post_send(peer.id->qp, &wr, &bad), 0);
}

static void rdma_host_submit(struct host *host, struct host_cmd *cmd)
{
	post(host, cmd, 0);
}

static void rdma_host_cut(struct host *host, struct host_cmd *cmd)
{
	post(host, cmd, 0x100);
}

static void drop_data(uint32_t cid)
{
	if (peer.data[cid])
		ibv_dereg_mr(peer.data[cid]);
	peer.data[cid] = NULL;
}

static void rdma_host_poll(struct host *host)
{
	struct ibv_wc wc;

	if (ibv_poll_cq(peer.cq, 1, &wc) != 1 || wc.status || wc.wr_id >= HOST_CMDS ||
	    peer.has_left)
		return;
	drop_data(le16toh(peer.cqes[wc.wr_id].cid) % HOST_CMDS);
	host_finish(host, &peer.cqes[wc.wr_id]);
	receive((uint32_t)wc.wr_id);
}

static void rdma_host_close(struct host *host)
{
	uint32_t i;

	(void)host;
	rdma_destroy_qp(peer.id);
	for (i = 0; i < HOST_CMDS; i++)
		drop_data(i);
	ibv_dereg_mr(peer.capsules_mr);
	ibv_dereg_mr(peer.cqes_mr);
	ibv_destroy_cq(peer.cq);
	ibv_dealloc_pd(peer.pd);
	rdma_destroy_id(peer.id);
	rdma_destroy_id(peer.listener);
	rdma_destroy_event_channel(peer.channel);
}

const struct host_ops host_rdma = {
	.connect = rdma_host_connect,
	.submit = rdma_host_submit,
	.poll = rdma_host_poll,
	.cut = rdma_host_cut,
	.close = rdma_host_close,
};

/*
 * What no host should send
 */

void host_rdma_send(struct host_rdma_raw raw)
{
	struct ibv_sge sge = {(uintptr_t)peer.capsules, raw.size, peer.capsules_mr->lkey};
	struct ibv_send_wr wr = {.wr_id = HOST_CMDS,
				 .opcode = raw.write ? IBV_WR_RDMA_WRITE : IBV_WR_SEND,
				 .send_flags = IBV_SEND_SIGNALED,
				 .sg_list = &sge,
				 .num_sge = 1,
				 .wr.rdma = {raw.addr, raw.key}};
	struct ibv_send_wr *bad;

	assert_true(raw.size <= sizeof(peer.capsules));
	if (raw.sqe)
		memcpy(peer.capsules, raw.sqe, sizeof(*raw.sqe));
	assert_int_equal(ibv_post_send(peer.id->qp, &wr, &bad), 0);
}

uint32_t host_rdma_register(void *data, size_t size)
{
	peer.data[HOST_CMDS - 1] = ibv_reg_mr(peer.pd, data, size,
					      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
						      IBV_ACCESS_REMOTE_READ);
	assert_non_null(peer.data[HOST_CMDS - 1]);
	return peer.data[HOST_CMDS - 1]->rkey;
}

bool host_rdma_is_broken(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct ibv_wc wc;

	if (ibv_poll_cq(peer.cq, 1, &wc) == 1 && wc.status)
		return true;
	assert_int_equal(ibv_query_qp(peer.id->qp, &attr, IBV_QP_STATE, &init), 0);
	return attr.qp_state == IBV_QPS_ERR;
}

void host_rdma_leave(void)
{
	peer.has_left = true;
	assert_int_equal(rdma_disconnect(peer.id), 0);
}

uint8_t host_rdma_refused(struct host *host, struct doca_sta_io *io, struct doca_dev *dev)
{
	uint8_t reason;

	start();
	peer.to_refuse = true;
	while (!peer.refused)
		handle_event(host, io, dev);
	reason = peer.reason;
	rdma_host_close(host);
	return reason;
}
