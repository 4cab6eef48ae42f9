/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands of hosts that the engine leaves to the program and that a disk executes.
 */
#include "conn.h"

/* NVMF_ABORT_DONE: the disk does not have it yet; whoever asks ends it */
static enum nvmf_abort take_off_disk(struct cmd *cmd)
{
	union doca_data user_data = {.ptr = cmd};

	if (!list_is_linked(&cmd->node))
		return softfield_sta_channel_abort(cmd->ns->channel, user_data) ? NVMF_ABORT_NOT
										: NVMF_ABORT_LATER;
	list_remove(&cmd->node);
	list_remove(&cmd->disk_node);
	return NVMF_ABORT_DONE;
}

void disk_leave_all(struct conn *conn)
{
	struct list_node *node, *tmp;

	list_for_each_safe (node, tmp, &conn->on_disk) {
		struct cmd *cmd = container_of(node, struct cmd, disk_node);

		if (take_off_disk(cmd) == NVMF_ABORT_DONE)
			conn_done_with(cmd);
	}
}

static void on_disk_done(uint16_t status, union doca_data user_data);

static void answer_off_disk(struct cmd *cmd, uint16_t status)
{
	list_remove(&cmd->disk_node);
	cmd->req.status = status;
	conn_answer(cmd);
}

/* false: the channel is full; a command that it refuses is answered */
static bool submit_to_disk(struct cmd *cmd)
{
	struct served_ns *ns = cmd->ns;
	union doca_data user_data = {.ptr = cmd};
	doca_error_t err =
		softfield_sta_channel_submit(ns->channel, (const uint8_t *)&cmd->req.cmd,
					     cmd->req.data, cmd->req.size, on_disk_done, user_data);

	if (err == DOCA_ERROR_AGAIN)
		return false;
	if (!err) {
		ns->executing++;
		return true;
	}
	answer_off_disk(cmd, NVME_SC_INTERNAL_ERROR); /* without DNR: try again */
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
	uint64_t blocks = (le32toh(req->cmd.cdw12) & 0xffff) + 1ull;

	switch (req->cmd.opcode) {
	case NVME_CMD_COMPARE:
	case NVME_CMD_READ:
	case NVME_CMD_WRITE:
		return req->size == blocks << req->ns->block_shift;
	case NVME_CMD_DSM:
		return req->size >=
		       ((le32toh(req->cmd.cdw10) & 0xff) + 1) * sizeof(struct nvme_dsm_range);
	default:
		return true;
	}
}

void disk_execute(struct cmd *cmd)
{
	struct served_ns *ns = cmd->req.ns->user;

	if (!data_fits(cmd)) {
		cmd->req.status = NVME_SC_SGL_DATA_LENGTH | NVME_SC_DNR;
		conn_answer(cmd);
		return;
	}
	cmd->ns = ns;
	list_add_tail(&cmd->conn->on_disk, &cmd->disk_node);
	/* Legal, however many there are: what finds no room waits, and nothing overtakes it. */
	if (!list_is_empty(&ns->waiting) || !submit_to_disk(cmd))
		list_add_tail(&ns->waiting, &cmd->node);
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
		answer_off_disk(container_of(node, struct cmd, node),
				NVME_SC_INVALID_NS | NVME_SC_DNR);
	abort_all(ns);
}

enum nvmf_abort disk_abort(struct nvmf_queue *queue, uint16_t cid)
{
	struct list_node *node;

	list_for_each (node, &container_of(queue, struct conn, queue)->on_disk) {
		struct cmd *cmd = container_of(node, struct cmd, disk_node);
		enum nvmf_abort result;

		if (le16toh(cmd->req.cmd.cid) != cid)
			continue;
		result = take_off_disk(cmd);
		if (result == NVMF_ABORT_DONE)
			answer_off_disk(cmd, NVME_SC_ABORT_REQUESTED);
		return result;
	}
	return NVMF_ABORT_NOT;
}
