/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fabric inside one process.
 */
#include "sta/fabric_loop.h"

#include <string.h>
#include "base/copy.h"

struct loop_conn {
	struct sta_qp qp;
	struct mbox *host;
};

struct loop_cmd {
	struct sta_cmd cmd;
	struct loop_req *req;
};

static void tell_host(struct mbox_msg *msg)
{
	struct loop_req *req = container_of(msg, struct loop_req, msg);

	req->done(req);
}

static void answer(struct sta_qp *qp, struct loop_req *req, bool answered)
{
	req->answered = answered;
	mbox_post(container_of(qp, struct loop_conn, qp)->host, &req->msg, tell_host);
}

static void arrive(struct mbox_msg *msg)
{
	struct loop_req *req = container_of(msg, struct loop_req, msg);
	struct sta_qp *qp = req->qp;
	struct sta_cmd *cmd = qp_is_executing(qp) ? qp_take_cmd(qp) : NULL;

	if (!cmd) {
		answer(qp, req, false);
		qp_fail(qp, SOFTFIELD_STA_OVERRUN, 0, 0);
		return;
	}
	container_of(cmd, struct loop_cmd, cmd)->req = req;
	cmd->sqe = req->cmd;
	cmd->in_capsule_size = req->in_capsule_size;
	cmd->receive_status = NVME_SC_SUCCESS;
	if (req->in_capsule_size)
		memcpy(cmd->in_capsule.data, req->in_capsule, req->in_capsule_size);
	cmd_received(cmd);
}

void fabric_loop_set_host(struct sta_qp *qp, struct mbox *host)
{
	container_of(qp, struct loop_conn, qp)->host = host;
}

void fabric_loop_submit(struct sta_qp *qp, struct loop_req *req)
{
	assert(req->in_capsule_size <= STA_IN_CAPSULE);
	req->qp = qp;
	mbox_post(&qp->eu->inbox, &req->msg, arrive);
}

void fabric_loop_set_sgl(struct nvme_cmd *cmd, const void *data, uint32_t size)
{
	const uint32_t key = htole32(LOOP_KEY);

	cmd->flags = NVME_FLAG_PSDT_SGL;
	cmd->sgl.addr = htole64((uint64_t)(uintptr_t)data);
	cmd->sgl.length24[0] = (uint8_t)size;
	cmd->sgl.length24[1] = (uint8_t)(size >> 8);
	cmd->sgl.length24[2] = (uint8_t)(size >> 16);
	memcpy(cmd->sgl.key, &key, sizeof(key));
	cmd->sgl.keyed_type = NVME_SGL_KEYED;
}

static doca_error_t loop_attach(struct sta_qp *qp)
{
	(void)qp;
	return DOCA_SUCCESS;
}

static bool key_is_right(struct sta_cmd *cmd)
{
	if (cmd->where.key == LOOP_KEY)
		return true;
	qp_fail(cmd->qp, SOFTFIELD_STA_KEY, cmd->where.key, 0);
	return false;
}

static void loop_fetch(struct sta_cmd *cmd)
{
	if (!key_is_right(cmd)) {
		cmd_fetched(cmd, NVME_SC_DATA_TRANSFER_ERROR);
		return;
	}
	copy_bytes(cmd->buf->data, (const void *)(uintptr_t)cmd->where.addr, cmd->size);
	cmd_fetched(cmd, NVME_SC_SUCCESS);
}

static void loop_respond(struct sta_cmd *cmd)
{
	struct loop_req *req = container_of(cmd, struct loop_cmd, cmd)->req;
	bool sent = !cmd->size || key_is_right(cmd);

	if (sent && cmd->size)
		copy_bytes((void *)(uintptr_t)cmd->where.addr, cmd->buf->data, cmd->size);
	req->cqe = cmd->cqe;
	answer(cmd->qp, req, sent);
	cmd_responded(cmd, sent);
}

static void loop_stop(struct sta_qp *qp)
{
	(void)qp; /* everything ends within its call */
}

static void loop_detach(struct sta_qp *qp)
{
	(void)qp;
}

static void loop_destroy(struct sta_qp *qp)
{
	(void)qp;
}

const struct fabric_ops fabric_loop_ops = {
	.transport = CAPSULE_RDMA,
	.qp_size = sizeof(struct loop_conn),
	.cmd_size = sizeof(struct loop_cmd),
	.attach = loop_attach,
	.fetch = loop_fetch,
	.respond = loop_respond,
	.stop = loop_stop,
	.detach = loop_detach,
	.destroy = loop_destroy,
};
