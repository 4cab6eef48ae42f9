/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands of I/O queues that the engine leaves to the program.
 */
#include "nvmf/ctrlr.h"

const struct nvmf_io_cmd nvmf_io_cmds[NVMF_IO_CMDS] = {
	{NVME_CMD_FLUSH, .oncs = 0},
	{NVME_CMD_WRITE, .oncs = 0, .writes = true},
	{NVME_CMD_READ, .oncs = 0},
	{NVME_CMD_COMPARE, .oncs = NVME_ONCS_COMPARE},
	{NVME_CMD_WRITE_ZEROES, .oncs = NVME_ONCS_WRITE_ZEROES, .writes = true},
	{NVME_CMD_DSM, .oncs = NVME_ONCS_DSM, .writes = true},
	{NVME_CMD_VERIFY, .oncs = NVME_ONCS_VERIFY},
	{NVME_CMD_COPY, .oncs = NVME_ONCS_COPY, .writes = true},
};

/* NULL: no such */
static const struct nvmf_io_cmd *find_cmd(uint8_t opcode)
{
	unsigned int i;

	for (i = 0; i < NVMF_IO_CMDS; i++)
		if (nvmf_io_cmds[i].opcode == opcode)
			return &nvmf_io_cmds[i];
	return NULL;
}

/* a status; sets req->ns */
static uint16_t check(const struct nvmf_queue *queue, struct nvmf_req *req)
{
	const struct nvmf_io_cmd *cmd = find_cmd(req->cmd.opcode);
	uint32_t nsid = le32toh(req->cmd.nsid);

	if (!cmd)
		return NVME_SC_INVALID_OPCODE | NVME_SC_DNR;
	if (req->cmd.opcode == NVME_CMD_FLUSH && nsid == NVME_NSID_ALL)
		return NVME_SC_INVALID_NS | NVME_SC_DNR; /* VWC says that this is not supported */
	req->ns = nvmf_ctrlr_ns(queue->ctrlr, nsid);
	if (!req->ns)
		return NVME_SC_INVALID_NS | NVME_SC_DNR;
	if (cmd->oncs & ~req->ns->oncs)
		return NVME_SC_INVALID_OPCODE | NVME_SC_DNR;
	return nvmf_ana_status(nvmf_ns_ana(queue->port, req->ns));
}

/*
 * Compare and Write, fused: Base 3.4.2. The engine hands halves over as pairs; those of others may
 * come alone.
 */

static void end_half(struct nvmf_queue *queue, uint16_t status)
{
	struct nvmf_req *half = queue->half;

	queue->half = NULL;
	queue->half_failed = false;
	if (!half)
		return;
	half->status = status;
	queue->ctrlr->subsys->target->attr.ops->complete(half);
}

bool nvmf_abort_half(struct nvmf_queue *queue, uint16_t cid)
{
	if (!queue->half || le16toh(queue->half->cmd.cid) != cid)
		return false;
	end_half(queue, NVME_SC_ABORT_REQUESTED);
	return true;
}

static enum nvmf_verdict take_first(struct nvmf_queue *queue, struct nvmf_req *req)
{
	uint16_t status = check(queue, req);

	if (!status && (req->cmd.opcode != NVME_CMD_COMPARE || !req->ns->can_fuse))
		status = NVME_SC_INVALID_FIELD | NVME_SC_DNR;
	queue->half_failed = status;
	if (status)
		return nvmf_fail(req, status);
	queue->half = req;
	return NVMF_HOLD;
}

static enum nvmf_verdict take_second(struct nvmf_queue *queue, struct nvmf_req *req)
{
	struct nvmf_req *first = queue->half;
	uint16_t status;

	if (!first) {
		status = queue->half_failed ? NVME_SC_FAILED_FUSED : NVME_SC_MISSING_FUSED;
		queue->half_failed = false;
		return nvmf_fail(req, status);
	}
	if (req->cmd.opcode != NVME_CMD_WRITE || !nvme_cmd_same_block(&first->cmd, &req->cmd)) {
		end_half(queue, NVME_SC_INVALID_FIELD | NVME_SC_DNR);
		return nvmf_refuse(req, NVME_SC_INVALID_FIELD);
	}
	status = check(queue, req);
	if (!status && !req->ns->can_fuse)
		status = NVME_SC_INVALID_FIELD | NVME_SC_DNR;
	if (status) {
		end_half(queue, NVME_SC_FAILED_FUSED);
		return nvmf_fail(req, status);
	}
	queue->half = NULL;
	first->ns = req->ns; /* the one that it was held for may have gone */
	req->first = first;
	return NVMF_EXECUTE;
}

enum nvmf_verdict nvmf_io(struct nvmf_queue *queue, struct nvmf_req *req)
{
	unsigned int fused = req->cmd.flags & NVME_FLAG_FUSED_MASK;
	uint16_t status;

	if (fused == NVME_FUSED_SECOND)
		return take_second(queue, req);
	end_half(queue, NVME_SC_MISSING_FUSED);
	if (fused == NVME_FUSED_FIRST)
		return take_first(queue, req);
	if (fused)
		return nvmf_refuse(req, NVME_SC_INVALID_FIELD);
	status = check(queue, req);
	return status ? nvmf_fail(req, status) : NVMF_EXECUTE;
}

uint16_t nvmf_queue_flushed(struct nvmf_queue *queue, const struct nvmf_ns *ns, uint16_t status)
{
	bool *lost = &queue->ctrlr->places[ns->nsid].lost;

	if (status)
		nvmf_ns_has_lost(ns);
	else if (*lost)
		status = NVME_SC_WRITE_FAULT;
	*lost = false;
	return status;
}

bool nvmf_takes_data(const struct nvmf_queue *queue, const struct nvme_cmd *cmd)
{
	uint8_t type = (uint8_t)le32toh(cmd->nsid); /* byte 4 */

	if (cmd->opcode != NVME_CMD_FABRICS && nvmf_auth_is_owed(&queue->auth))
		return false;
	switch (cmd->opcode) {
	case NVME_CMD_FABRICS:
		return type == NVME_FC_CONNECT || type == NVME_FC_AUTH_SEND;
	case NVME_CMD_WRITE:
	case NVME_CMD_COMPARE:
	case NVME_CMD_DSM:
	case NVME_CMD_COPY:
		return queue->qid;
	default: /* also Set Features: those with data are refused */
		return false;
	}
}
