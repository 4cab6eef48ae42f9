/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fused commands: Base 3.4.2. Which two belong together is seen where they come in; from there on
 * one may have to wait for its data and the other not. So they are brought together here, and the
 * application gets both at once, the first one first, with their data.
 *
 * Halves are small: their data has room in their slots. So none keeps a buffer while it waits for
 * the other one, which could wait for a buffer.
 */
#include "sta/cmd_priv.h"

#include <string.h>

enum { AT_FLAGS = 1 }; /* what a notification blames */

/* NVME_FUSED_*; 0: it is none, or goes the way of all that is to be refused */
static unsigned int half_of(const struct sta_cmd *cmd)
{
	const struct sta_qp *qp = cmd->qp;
	unsigned int which = cmd->sqe.flags & NVME_FLAG_FUSED_MASK;

	if (which == NVME_FLAG_FUSED_MASK || cmd->sqe.opcode == NVME_CMD_FABRICS ||
	    !qp->connected || qp->is_admin ||
	    !atomic_load_explicit(&qp->subsys, memory_order_relaxed))
		return 0;
	return which;
}

static void answer(struct sta_cmd *cmd, uint16_t otherwise)
{
	/* the answer to the first one may have ended the queue pair */
	if (cmd->state == CMD_WAIT_HALF)
		cmd_refuse(cmd, cmd->half_status ? cmd->half_status : otherwise, AT_FLAGS);
}

/* a half is all that it will be: what becomes of it? */
static void decide(struct sta_cmd *cmd)
{
	struct sta_cmd *partner = cmd->partner, *first = cmd, *second = partner;

	if (cmd == cmd->qp->half)
		return; /* the other one may come */
	if (!partner) {
		answer(cmd, NVME_SC_MISSING_FUSED);
		return;
	}
	if (partner->state != CMD_WAIT_HALF)
		return;
	if ((cmd->sqe.flags & NVME_FLAG_FUSED_MASK) == NVME_FUSED_SECOND) {
		first = partner;
		second = cmd;
	}
	if (!first->half_status && !second->half_status) {
		cmd_give_to_app(first); /* with the second one */
		return;
	}
	answer(first, NVME_SC_FAILED_FUSED);
	answer(second, NVME_SC_FAILED_FUSED);
}

static void settle(struct sta_cmd *cmd, uint16_t status)
{
	cmd->half_status = status;
	cmd_set_state(cmd, CMD_WAIT_HALF);
	decide(cmd);
}

/* a status */
static uint16_t check(struct sta_cmd *cmd)
{
	uint16_t location, status = cmd->receive_status;

	if (!status)
		status = cmd_find_data(cmd, &location);
	if (!status && (capsule_direction(&cmd->sqe) & CAPSULE_TO_HOST ||
			cmd->where.size > cmd->in_capsule.capacity))
		status = NVME_SC_INVALID_FIELD | NVME_SC_DNR;
	return status;
}

static void begin(struct sta_cmd *cmd)
{
	uint16_t status = check(cmd);

	if (status) {
		settle(cmd, status);
	} else if (cmd->where.place == CAPSULE_IN_CAPSULE || cmd->where.place == CAPSULE_NO_DATA) {
		cmd_use_in_capsule(cmd);
		settle(cmd, NVME_SC_SUCCESS);
	} else {
		cmd->size = cmd->where.size;
		cmd_need_buffer(cmd);
	}
}

bool cmd_take_half(struct sta_cmd *cmd)
{
	struct sta_qp *qp = cmd->qp;
	struct sta_cmd *first = qp->half;
	unsigned int which = half_of(cmd);

	qp->half = NULL;
	if (first && which != NVME_FUSED_SECOND && first->state == CMD_WAIT_HALF)
		decide(first);	 /* else when its data is there */
	if (!cmd_is_live(cmd)) { /* with that answer */
		qp_give_cmd(cmd);
		return true;
	}
	if (!which)
		return false;
	cmd->is_half = true;
	cmd->partner = NULL;
	if (which == NVME_FUSED_FIRST) {
		qp->half = cmd;
	} else if (first) {
		cmd->partner = first;
		first->partner = cmd;
	} else {
		settle(cmd, NVME_SC_MISSING_FUSED);
		return true;
	}
	begin(cmd);
	return true;
}

void cmd_half_fetched(struct sta_cmd *cmd, uint16_t status)
{
	if (!cmd_is_live(cmd)) {
		cmd_release(cmd);
		return;
	}
	if (!status)
		memcpy(cmd->in_capsule.data, cmd->buf->data, cmd->size);
	cmd_give_buffer(cmd);
	cmd->buf = &cmd->in_capsule;
	cmd->size = 0;
	cmd->where.place = CAPSULE_IN_CAPSULE; /* as if it had come so */
	cmd->where.addr = 0;
	settle(cmd, status);
}

bool cmd_abort_half(struct sta_qp *qp, uint16_t cid)
{
	struct sta_cmd *half = qp->half;

	if (!half || half->state != CMD_WAIT_HALF || le16toh(half->sqe.cid) != cid)
		return false;
	qp->half = NULL;
	half->cqe = (struct nvme_cqe){.status = htole16(NVME_SC_ABORT_REQUESTED << 1)};
	cmd_respond(half);
	return true;
}
