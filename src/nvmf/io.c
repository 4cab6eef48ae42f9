/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands of I/O queues that the engine leaves to the program.
 */
#include "nvmf/ctrlr.h"

enum nvmf_verdict nvmf_io(struct nvmf_queue *queue, struct nvmf_req *req)
{
	uint32_t nsid = le32toh(req->cmd.nsid);
	bool is_flush = req->cmd.opcode == NVME_CMD_FLUSH;
	uint16_t status;

	switch (req->cmd.opcode) {
	case NVME_CMD_FLUSH:
	case NVME_CMD_WRITE:
	case NVME_CMD_READ:
	case NVME_CMD_COMPARE:
	case NVME_CMD_WRITE_ZEROES:
	case NVME_CMD_DSM:
		break;
	default:
		return nvmf_refuse(req, NVME_SC_INVALID_OPCODE);
	}
	if (req->cmd.flags & NVME_FLAG_FUSED_MASK)
		return nvmf_refuse(req, NVME_SC_INVALID_FIELD);
	if (is_flush && nsid == NVME_NSID_ALL) { /* VWC says that this is not supported */
		return nvmf_refuse(req, NVME_SC_INVALID_NS);
	}
	req->ns = nvmf_ctrlr_ns(queue->ctrlr, nsid);
	if (!req->ns)
		return nvmf_refuse(req, NVME_SC_INVALID_NS);
	status = nvmf_ana_status(nvmf_ns_ana(queue->port, req->ns));
	if (status)
		return nvmf_fail(req, status);
	return NVMF_EXECUTE;
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
		return queue->qid;
	default: /* also Set Features: those with data are refused */
		return false;
	}
}
