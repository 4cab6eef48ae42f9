/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands of hosts that the engine leaves to the program and that a disk executes.
 */
#include "conn.h"

/* the one of a fused pair, or the only one, that is in the list of those that wait */
static struct cmd *waiting_one(struct cmd *cmd)
{
	return cmd->is_first ? cmd->pair : cmd;
}

/* NVMF_ABORT_DONE: the disk does not have it yet; whoever asks ends it, and its other half */
static enum nvmf_abort take_off_disk(struct cmd *cmd)
{
	union doca_data user_data = {.ptr = cmd};
	struct cmd *waits = waiting_one(cmd);

	if (!list_is_linked(&waits->node))
		return softfield_sta_channel_abort(cmd->ns->channel, user_data) ? NVMF_ABORT_NOT
										: NVMF_ABORT_LATER;
	list_remove(&waits->node);
	return NVMF_ABORT_DONE;
}

void disk_leave_all(struct conn *conn)
{
	struct list_node *node, *tmp;

	list_for_each_safe (node, tmp, &conn->on_disk) {
		struct cmd *cmd = container_of(node, struct cmd, disk_node), *first = cmd->pair;

		if (cmd->is_first) /* it goes with the second, which comes later */
			continue;
		if (take_off_disk(cmd) != NVMF_ABORT_DONE)
			continue;
		if (first) {
			list_remove(&first->disk_node);
			conn_done_with(first);
		}
		list_remove(&cmd->disk_node);
		conn_done_with(cmd);
	}
}

static void on_disk_done(uint16_t status, union doca_data user_data);

static void answer_off_disk(struct cmd *cmd, uint16_t status)
{
	list_remove(&cmd->disk_node);
	if (cmd->pair) { /* which is on its own now: disks answer in any order */
		cmd->pair->pair = NULL;
		cmd->pair->is_first = false;
	}
	cmd->pair = NULL;
	cmd->is_first = false;
	cmd->req.status = status;
	conn_answer(cmd);
}

/* both halves of a fused one, the first one first */
static void answer_pair_off_disk(struct cmd *cmd, uint16_t first_status, uint16_t second_status)
{
	struct cmd *second = waiting_one(cmd), *first = second->pair;

	if (first)
		answer_off_disk(first, first_status);
	answer_off_disk(second, second_status);
}

static struct softfield_sta_request request_for(struct cmd *cmd)
{
	return (struct softfield_sta_request){
		.nvme_cmd = (const uint8_t *)&cmd->req.cmd,
		.payload = cmd->req.data,
		.payload_len = cmd->req.size,
		.cb = on_disk_done,
		.user_data = {.ptr = cmd},
	};
}

static doca_error_t submit(struct cmd *cmd)
{
	const struct softfield_sta_request what = request_for(cmd);
	struct softfield_sta_channel *channel = cmd->ns->channel;

	if (cmd->pair) {
		const struct softfield_sta_request first = request_for(cmd->pair);

		return softfield_sta_channel_submit_fused(channel, &first, &what);
	}
	return softfield_sta_channel_submit(channel, what.nvme_cmd, what.payload, what.payload_len,
					    what.cb, what.user_data);
}

/* false: the channel is full; a command that it refuses is answered */
static bool submit_to_disk(struct cmd *cmd)
{
	doca_error_t err = submit(cmd);

	if (err == DOCA_ERROR_AGAIN)
		return false;
	if (!err) {
		cmd->ns->executing += cmd->pair ? 2 : 1;
		return true;
	}
	/* without DNR: try again */
	answer_pair_off_disk(cmd, NVME_SC_INTERNAL_ERROR, NVME_SC_INTERNAL_ERROR);
	return true;
}

/* first come, first served */
void disk_start_waiting(struct served_ns *ns)
{
	struct list_node *node;

	while ((node = list_pop(&ns->waiting))) {
		if (submit_to_disk(container_of(node, struct cmd, node)))
			continue;
		list_add_head(&ns->waiting, node);
		return;
	}
	flush_start_waiting(ns);
}

static void on_disk_done(uint16_t status, union doca_data user_data)
{
	struct cmd *cmd = user_data.ptr;
	struct served_ns *ns = cmd->ns;
	struct conn *conn = cmd->conn;
	uint16_t cid = le16toh(cmd->req.cmd.cid);
	bool is_closed = conn->disconnected; /* then it may go with the answer */

	ns->executing--;
	if (cmd->req.cmd.opcode == NVME_CMD_FLUSH && ns->ns)
		status = nvmf_queue_flushed(&cmd->conn->queue, ns->ns, status);
	else if (status == NVME_SC_ABORT_REQUESTED && !ns->ns) /* for its removal */
		status = NVME_SC_INVALID_NS | NVME_SC_DNR;
	softfield_sta_channel_get_result(ns->channel, &cmd->req.dw0);
	if (!status && capsule_direction(&cmd->req.cmd) == CAPSULE_TO_HOST)
		cmd->req.reply_size = cmd->req.size;
	answer_off_disk(cmd, status);
	if (!is_closed)
		nvmf_queue_ended(&conn->queue, cid, status);
	disk_start_waiting(ns);
}

static bool data_fits(const struct cmd *cmd)
{
	const struct nvmf_req *req = &cmd->req;
	uint32_t cdw12 = le32toh(req->cmd.cdw12);
	uint64_t blocks = (cdw12 & 0xffff) + 1ull;

	switch (req->cmd.opcode) {
	case NVME_CMD_COMPARE:
	case NVME_CMD_READ:
	case NVME_CMD_WRITE:
		return req->size == blocks << req->ns->block_shift;
	case NVME_CMD_DSM:
		return req->size >=
		       ((le32toh(req->cmd.cdw10) & 0xff) + 1) * sizeof(struct nvme_dsm_range);
	case NVME_CMD_COPY:
		return req->size >= ((cdw12 & 0xff) + 1) * sizeof(struct nvme_copy_range);
	default:
		return true;
	}
}

static void refuse(struct cmd *cmd, uint16_t status)
{
	cmd->req.status = status;
	conn_answer(cmd);
}

static void take_on_disk(struct cmd *cmd)
{
	cmd->ns = cmd->req.ns->user;
	list_add_tail(&cmd->conn->on_disk, &cmd->disk_node);
}

/* Legal, however many there are: what finds no room waits, and nothing overtakes it. */
static void submit_or_wait(struct cmd *cmd)
{
	struct served_ns *ns = cmd->ns;

	if (!list_is_empty(&ns->waiting) || !submit_to_disk(cmd))
		list_add_tail(&ns->waiting, &cmd->node);
}

void disk_execute(struct cmd *cmd)
{
	if (!data_fits(cmd)) {
		refuse(cmd, NVME_SC_SGL_DATA_LENGTH | NVME_SC_DNR);
		return;
	}
	take_on_disk(cmd);
	submit_or_wait(cmd);
}

void disk_execute_fused(struct cmd *first, struct cmd *second)
{
	bool first_fits = data_fits(first), second_fits = data_fits(second);

	if (!first_fits || !second_fits) {
		refuse(first,
		       first_fits ? NVME_SC_FAILED_FUSED : NVME_SC_SGL_DATA_LENGTH | NVME_SC_DNR);
		refuse(second,
		       second_fits ? NVME_SC_FAILED_FUSED : NVME_SC_SGL_DATA_LENGTH | NVME_SC_DNR);
		return;
	}
	take_on_disk(first);
	take_on_disk(second);
	first->pair = second;
	second->pair = first;
	first->is_first = true;
	submit_or_wait(second);
}

/* what the disk has of it, of all hosts */
static void abort_all(const struct served_ns *ns)
{
	struct list_node *c, *node;

	list_for_each (c, &ns->subsys->target->conns) {
		list_for_each (node, &container_of(c, struct conn, node)->on_disk) {
			struct cmd *cmd = container_of(node, struct cmd, disk_node);

			if (cmd->ns == ns)
				take_off_disk(cmd);
		}
	}
}

void disk_refuse_waiting(struct served_ns *ns)
{
	struct list_node *node;

	flush_drop_waiting(ns);
	while ((node = list_pop(&ns->waiting)))
		answer_pair_off_disk(container_of(node, struct cmd, node),
				     NVME_SC_INVALID_NS | NVME_SC_DNR,
				     NVME_SC_INVALID_NS | NVME_SC_DNR);
	abort_all(ns);
}

enum nvmf_abort disk_abort(struct nvmf_queue *queue, uint16_t cid)
{
	const struct conn *conn = container_of(queue, struct conn, queue);
	struct list_node *node;

	list_for_each (node, &conn->on_disk) {
		struct cmd *cmd = container_of(node, struct cmd, disk_node);
		enum nvmf_abort result;

		if (le16toh(cmd->req.cmd.cid) != cid)
			continue;
		result = take_off_disk(cmd);
		if (result == NVMF_ABORT_DONE)
			answer_pair_off_disk(cmd, NVME_SC_ABORT_REQUESTED, NVME_SC_ABORT_REQUESTED);
		return result;
	}
	/* that is not here yet */
	return softfield_sta_io_qp_abort_half(conn->target->io, conn->qp, cid) ? NVMF_ABORT_NOT
									       : NVMF_ABORT_DONE;
}
