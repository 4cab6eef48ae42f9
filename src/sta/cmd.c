/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One command from capsule to response. The table below is the whole story; each handler ends by
 * setting the next state or by giving the command to somebody who will.
 */
#include "sta/cmd_priv.h"

#include <string.h>
#include "sta/beq.h"
#include "sta/sq.h"

const unsigned int cmd_next[CMD_STATE_COUNT] = {
	/* RESPONDING: refused at once. APP: without data or with data in the capsule. */
	[CMD_FREE] = TO(CMD_WAIT_BUFFER) | TO(CMD_FETCHING) | TO(CMD_WAIT_HALF) |
		     TO(CMD_WAIT_QUEUE) | TO(CMD_EXECUTING) | TO(CMD_REMOTE) | TO(CMD_WAIT_APP) |
		     TO(CMD_APP) | TO(CMD_RESPONDING),
	[CMD_WAIT_BUFFER] = TO(CMD_FETCHING) | TO(CMD_WAIT_QUEUE) | TO(CMD_EXECUTING) |
			    TO(CMD_REMOTE) | TO(CMD_WAIT_APP) | TO(CMD_APP) | TO(CMD_RESPONDING) |
			    TO(CMD_FREE),
	[CMD_FETCHING] = TO(CMD_WAIT_HALF) | TO(CMD_WAIT_QUEUE) | TO(CMD_EXECUTING) |
			 TO(CMD_REMOTE) | TO(CMD_APP) | TO(CMD_RESPONDING) | TO(CMD_FREE),
	[CMD_WAIT_HALF] = TO(CMD_WAIT_APP) | TO(CMD_APP) | TO(CMD_RESPONDING) | TO(CMD_FREE),
	[CMD_WAIT_QUEUE] = TO(CMD_EXECUTING) | TO(CMD_RESPONDING) | TO(CMD_FREE),
	[CMD_REMOTE] = TO(CMD_RESPONDING) | TO(CMD_FREE),
	[CMD_EXECUTING] = TO(CMD_RESPONDING) | TO(CMD_FREE),
	[CMD_WAIT_APP] = TO(CMD_APP) | TO(CMD_FREE),
	[CMD_APP] = TO(CMD_FETCHING) | TO(CMD_RESPONDING) | TO(CMD_FREE),
	[CMD_RESPONDING] = TO(CMD_FREE),
};

/* what a notification blames: bytes of the command */
enum { AT_OPCODE = 0, AT_FLAGS = 1, AT_NSID = 4, AT_SGL = 24, AT_NLB = 48, NOWHERE = 0xffff };

/*
 * The end
 */

/* a queue pair that holds none is owed one */
static void count_buffer(struct sta_qp *qp, int change)
{
	qp->eu->pool.owed -= !qp->bufs;
	qp->bufs += (uint32_t)change;
	qp->eu->pool.owed += !qp->bufs;
}

void cmd_give_buffer(struct sta_cmd *cmd)
{
	struct sta_buf *buf = cmd->buf;

	cmd->buf = NULL;
	if (cmd->quarantined) { /* the back end's queue has it */
		cmd->quarantined = false;
		count_buffer(cmd->qp, -1);
		cmd->qp->eu->buffers_returned = true; /* not this one, but its share */
	}
	if (!buf || buf == &cmd->in_capsule)
		return;
	count_buffer(cmd->qp, -1);
	sta_pool_give(&cmd->qp->eu->pool, buf);
	cmd->qp->eu->buffers_returned = true;
}

/* back to the queue pair, which may be waiting for this one */
void cmd_release(struct sta_cmd *cmd)
{
	struct sta_qp *qp = cmd->qp;

	if (cmd->owed)
		cmd_stop_waiting(cmd);
	if (cmd->in_app_count)
		cmd_leave_app(cmd);
	cmd_give_buffer(cmd);
	sta_ns_release(cmd);
	cmd_end_generation(cmd);
	cmd_set_state(cmd, CMD_FREE);
	qp_give_cmd(cmd);
	qp_check_drained(qp);
}

/* Only now: another Connect may be right behind this one, to be refused. */
static void set_connected(const struct sta_cmd *cmd)
{
	struct sta_qp *qp = cmd->qp;

	qp->eu->app_owed -= qp_is_owed_place(qp);
	qp->connected = true;
	qp->is_admin = cmd->to_admin;
	qp->no_sq_flow = cmd->to_no_sq_flow;
	qp->eu->app_owed += qp_is_owed_place(qp);
}

void cmd_respond(struct sta_cmd *cmd)
{
	struct sta_qp *qp = cmd->qp;

	sta_ns_release(cmd); /* a host that does not read does not hold up its removal */
	cmd_set_state(cmd, CMD_RESPONDING);
	if (cmd->is_connect && !cmd->cqe.status)
		set_connected(cmd);
	cmd->cqe.cid = cmd->sqe.cid;
	cmd->cqe.sqid = 0;
	cmd->cqe.sqhd = htole16(sq_head(cmd));
	sq_answer(qp);
	cmd->cqe.status &= htole16(0xfffe); /* no phase on fabrics */
	STA_COUNT(cmd_counters(cmd)->tx_responses, 1);
	if (cmd->size)
		STA_COUNT(cmd_counters(cmd)->tx_data, cmd->size);
	qp->fabric->respond(cmd);
}

/* answers with a status and no data; a dead queue pair gets no answer */
static void finish(struct sta_cmd *cmd, uint16_t status)
{
	if (!cmd_is_live(cmd)) {
		cmd_release(cmd);
		return;
	}
	cmd->size = 0;
	cmd->cqe = (struct nvme_cqe){.status = htole16((uint16_t)(status << 1))};
	cmd_respond(cmd);
}

/* answers with an error, of which the program is told */
static void fail(struct sta_cmd *cmd, uint16_t status, enum sta_notify_kind kind, uint16_t location)
{
	cmd->cqe = (struct nvme_cqe){
		.sqhd = htole16(sq_head(cmd)),
		.cid = cmd->sqe.cid,
		.status = htole16((uint16_t)(status << 1)),
	};
	eu_notify(cmd, kind, location);
	finish(cmd, status);
}

void cmd_refuse(struct sta_cmd *cmd, uint16_t status, uint16_t location)
{
	STA_COUNT(cmd_counters(cmd)->validation_err, 1);
	fail(cmd, status, STA_NOTIFY_VALIDATION, location);
}

void cmd_responded(struct sta_cmd *cmd, bool sent)
{
	struct sta_op *op = cmd->op;

	cmd->op = NULL;
	if (op) { /* it is told of a token that is used, and not yet of a drained queue pair */
		cmd_end_generation(cmd);
		sta_op_finish(op, sent ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED);
	}
	cmd_release(cmd);
}

/*
 * The back end
 */

/* owner EU: a command of another EU; it does not touch the command's queue pair */
static void remote_submit(struct mbox_msg *msg)
{
	struct sta_cmd *cmd = container_of(msg, struct sta_cmd, msg);
	struct sta_beq *beq = cmd->beq;

	if (!list_is_empty(&beq->waiting) || !sta_beq_submit(beq, cmd))
		list_add_tail(&beq->waiting, &cmd->node);
}

static void execute(struct sta_cmd *cmd)
{
	struct sta_eu *eu = cmd->qp->eu;
	struct sta_beq *beq;

	if (!cmd->ns) { /* removed meanwhile: sta_ns_remove() */
		fail(cmd, NVME_SC_INVALID_NS | NVME_SC_DNR, STA_NOTIFY_COMPLETION, NOWHERE);
		return;
	}
	/* Acquire: pairs with the release in set_routes(). */
	beq = atomic_load_explicit(&cmd->ns->be->route[eu->index], memory_order_acquire);
	if (!beq) { /* the disk is being replaced: the host may try again */
		fail(cmd, NVME_SC_NS_NOT_READY, STA_NOTIFY_COMPLETION, NOWHERE);
		return;
	}
	cmd->beq = beq;
	STA_COUNT(eu->counters.be_submitted, 1);
	if (beq->owner != eu) {
		STA_COUNT(eu->counters.remote, 1);
		cmd_set_state(cmd, CMD_REMOTE);
		mbox_post(&beq->owner->inbox, &cmd->msg, remote_submit);
		return;
	}
	if (list_is_empty(&beq->waiting) && sta_beq_submit(beq, cmd)) {
		cmd_set_state(cmd, CMD_EXECUTING);
		return;
	}
	STA_COUNT(eu->counters.sq_full, 1);
	cmd_set_state(cmd, CMD_WAIT_QUEUE);
	list_add_tail(&beq->waiting, &cmd->node);
}

void cmd_retry_queue(struct sta_cmd *cmd)
{
	bool submitted = sta_beq_submit(cmd->beq, cmd);

	assert(submitted);
	(void)submitted;
	if (cmd->beq->owner == cmd->qp->eu)
		cmd_set_state(cmd, CMD_EXECUTING);
}

static void count_transfer(struct sta_cmd *cmd, uint16_t status)
{
	struct sta_ns_counters *ns = &cmd->ns->use[cmd->qp->eu->index].counters;
	struct sta_eu_counters *eu = cmd_counters(cmd);

	STA_COUNT(eu->be_completed, 1);
	if (status) {
		STA_COUNT(eu->be_err, 1);
		STA_COUNT(ns->errors, 1);
	} else if (cmd->sqe.opcode == NVME_CMD_READ) {
		STA_COUNT(eu->reads, 1);
		STA_COUNT(eu->read_bytes, cmd->size);
		STA_COUNT(ns->reads, 1);
		STA_COUNT(ns->read_bytes, cmd->size);
	} else {
		STA_COUNT(eu->writes, 1);
		STA_COUNT(eu->write_bytes, cmd->size);
		STA_COUNT(ns->writes, 1);
		STA_COUNT(ns->write_bytes, cmd->size);
	}
}

/* The disk's answer is in the command's cqe. The back-end queue may be gone. */
static void come_back(struct sta_cmd *cmd)
{
	uint16_t status = nvme_cqe_status(&cmd->cqe);

	if (status == NVME_SC_ABORT_REQUESTED && !cmd_is_live(cmd)) { /* nobody's error */
		STA_COUNT(cmd_counters(cmd)->be_completed, 1);
		cmd_release(cmd);
		return;
	}
	count_transfer(cmd, status);
	if (status) {
		cmd->cqe.sqhd = htole16(sq_head(cmd));
		eu_notify(cmd, STA_NOTIFY_COMPLETION, NOWHERE);
	}
	if (!cmd_is_live(cmd)) {
		cmd_release(cmd);
		return;
	}
	if (status || cmd->sqe.opcode != NVME_CMD_READ)
		cmd->size = 0;
	cmd_respond(cmd);
}

static void remote_done(struct mbox_msg *msg)
{
	come_back(container_of(msg, struct sta_cmd, msg));
}

void cmd_executed(struct sta_cmd *cmd, uint16_t status, uint32_t dw0, uint32_t dw1)
{
	cmd->cqe = (struct nvme_cqe){
		.dw0 = htole32(dw0),
		.dw1 = htole32(dw1),
		.cid = cmd->sqe.cid,
		.status = htole16((uint16_t)(status << 1)),
	};
	if (cmd->beq->owner == cmd->qp->eu)
		come_back(cmd);
	else
		mbox_post(&cmd->qp->eu->inbox, &cmd->msg, remote_done);
}

/*
 * Data
 */

/* all that has to be there is there */
static void have_data(struct sta_cmd *cmd)
{
	if (cmd->offloaded)
		execute(cmd);
	else
		cmd_give_to_app(cmd);
}

void cmd_fetched(struct sta_cmd *cmd, uint16_t status)
{
	struct sta_op *op = cmd->op;

	if (cmd->is_half) {
		cmd_half_fetched(cmd, status);
		return;
	}
	if (!op) {
		if (!status && cmd->ns) /* the host has taken its time */
			status = sta_ns_refusal(cmd->ns);
		if (!cmd_is_live(cmd))
			cmd_release(cmd);
		else if (status)
			fail(cmd, status, STA_NOTIFY_COMPLETION, NOWHERE);
		else
			execute(cmd);
		return;
	}
	/* the application's read task; the command is its own again */
	cmd->op = NULL;
	if (cmd->owed)
		cmd_stop_waiting(cmd);
	cmd_set_state(cmd, CMD_APP);
	sta_op_finish(op, status ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS);
	qp_check_drained(cmd->qp);
}

static void have_buffer(struct sta_cmd *cmd)
{
	if (!cmd->is_half && (!cmd->offloaded || !cmd->ns || cmd->sqe.opcode == NVME_CMD_READ)) {
		have_data(cmd);
		return;
	}
	cmd_set_state(cmd, CMD_FETCHING);
	STA_COUNT(cmd_counters(cmd)->fetches, 1);
	cmd->qp->fabric->fetch(cmd);
}

/*
 * A host may keep buffers for as long as it likes, by owing data or by not reading: only its own
 * commands may have to wait for it. So a queue pair that holds none always finds one, because the
 * others leave it there, and there is one for each (bring_buffer() in qp.c). Beyond that a queue
 * pair may hold as many as are left for others.
 */
static bool take_buffer(struct sta_cmd *cmd)
{
	struct sta_qp *qp = cmd->qp;
	struct sta_pool *pool = &qp->eu->pool;

	if (qp->bufs && pool->free_count < pool->owed + qp->bufs)
		return false;
	cmd->buf = sta_pool_take(pool);
	if (!cmd->buf) /* a destroyed queue's disk has not let go of the last ones yet */
		return false;
	count_buffer(qp, 1);
	return true;
}

void cmd_need_buffer(struct sta_cmd *cmd)
{
	struct sta_qp *qp = cmd->qp;

	if (list_is_empty(&qp->wait_buffer) && take_buffer(cmd)) {
		have_buffer(cmd);
		return;
	}
	STA_COUNT(cmd_counters(cmd)->no_buffer, 1);
	cmd_set_state(cmd, CMD_WAIT_BUFFER);
	list_add_tail(&qp->wait_buffer, &cmd->node);
	if (!list_is_linked(&qp->wait_node))
		list_add_tail(&qp->eu->wait_buffer, &qp->wait_node);
}

/* the first one that waits; the queue pair may fail with it */
static bool retry_first(struct sta_qp *qp)
{
	struct sta_cmd *cmd = container_of(qp->wait_buffer.next, struct sta_cmd, node);

	if (!take_buffer(cmd))
		return false;
	list_remove(&cmd->node);
	have_buffer(cmd);
	return true;
}

static void move_all(struct list_node *to, struct list_node *from)
{
	struct list_node *node;

	while ((node = list_pop(from)))
		list_add_tail(to, node);
}

/* One command of each queue pair; those that got nothing come first the next time. */
unsigned int cmd_retry_buffers(struct sta_eu *eu)
{
	struct list_node refused, served;
	unsigned int started = 0;

	list_init(&refused);
	list_init(&served);
	eu->buffers_returned = false;
	while (eu->pool.free_count && !list_is_empty(&eu->wait_buffer)) {
		struct list_node *node = eu->wait_buffer.next;
		struct sta_qp *qp = container_of(node, struct sta_qp, wait_node);
		bool found = retry_first(qp);

		started += found;
		list_remove(node);
		if (!list_is_empty(&qp->wait_buffer))
			list_add_tail(found ? &served : &refused, node);
	}
	move_all(&refused, &eu->wait_buffer);
	move_all(&refused, &served);
	move_all(&eu->wait_buffer, &refused);
	eu->buffers_returned |= started > 0; /* there may be more for them */
	return started;
}

/*
 * The beginning
 */

/* what a Read or Write needs before anything is done; 0: fine */
static uint16_t check_rw(struct sta_cmd *cmd, uint16_t *location)
{
	uint32_t max = cmd->qp->eu->engine->attr.max_io_size;
	uint64_t size = ((le32toh(cmd->sqe.cdw12) & 0xffff) + 1ull) << cmd->ns->block_shift;

	*location = AT_FLAGS;
	if (cmd->sqe.flags & NVME_FLAG_FUSED_MASK || !(cmd->sqe.flags & NVME_FLAG_PSDT_MASK))
		return NVME_SC_INVALID_FIELD | NVME_SC_DNR;
	*location = AT_NLB;
	if (size > max)
		return NVME_SC_INVALID_FIELD | NVME_SC_DNR;
	*location = AT_SGL;
	/* keyed memory may be larger than the data; what a stream carries must fit exactly */
	if (cmd->where.size < size ||
	    (cmd->where.place != CAPSULE_KEYED && cmd->where.size != size))
		return NVME_SC_SGL_DATA_LENGTH | NVME_SC_DNR;
	cmd->size = (uint32_t)size;
	return NVME_SC_SUCCESS;
}

/* Data may begin at any byte behind the command, but PRPs reach only every fourth one. */
void cmd_use_in_capsule(struct sta_cmd *cmd)
{
	cmd->buf = &cmd->in_capsule;
	if (cmd->where.place != CAPSULE_IN_CAPSULE || !cmd->where.addr)
		return;
	memmove(cmd->buf->data, cmd->buf->data + cmd->where.addr, cmd->where.size);
	cmd->where.addr = 0;
}

static void start_in_capsule(struct sta_cmd *cmd)
{
	cmd_use_in_capsule(cmd);
	execute(cmd);
}

static void start_rw(struct sta_cmd *cmd, const struct sta_subsys *subsys)
{
	struct sta_ns *ns = sta_ns_find(subsys, le32toh(cmd->sqe.nsid));
	uint16_t location = AT_NSID, status;

	if (!ns || qp_hides(cmd->qp, ns->fe_nsid)) {
		cmd_refuse(cmd, NVME_SC_INVALID_NS | NVME_SC_DNR, AT_NSID);
		return;
	}
	status = sta_ns_refusal(ns);
	if (status) {
		fail(cmd, status, STA_NOTIFY_COMPLETION, NOWHERE);
		return;
	}
	cmd->ns = ns;
	cmd->offloaded = true;
	ns->use[cmd->qp->eu->index].inflight++;
	status = check_rw(cmd, &location);
	if (status)
		cmd_refuse(cmd, status, location);
	else if (cmd->where.place == CAPSULE_IN_CAPSULE)
		start_in_capsule(cmd);
	else
		cmd_need_buffer(cmd);
}

static void note_connect(struct sta_cmd *cmd)
{
	struct nvmf_connect_cmd connect;

	memcpy(&connect, &cmd->sqe, sizeof(connect));
	if (connect.opcode != NVME_CMD_FABRICS || connect.fctype != NVME_FC_CONNECT)
		return;
	cmd->is_connect = true;
	cmd->to_admin = connect.qid == 0;
	cmd->to_no_sq_flow = connect.cattr & NVMF_CATTR_NO_SQFLOW;
}

uint16_t cmd_find_data(struct sta_cmd *cmd, uint16_t *location)
{
	enum capsule_direction direction = capsule_direction(&cmd->sqe);
	uint16_t status;

	*location = AT_FLAGS;
	/* reserved; of fabrics commands hosts may leave anything there */
	if (cmd->sqe.opcode != NVME_CMD_FABRICS &&
	    (cmd->sqe.flags & NVME_FLAG_PSDT_MASK) == NVME_FLAG_PSDT_MASK)
		return NVME_SC_INVALID_FIELD | NVME_SC_DNR;
	*location = AT_SGL;
	status = capsule_parse_sgl(&cmd->sqe, cmd->qp->fabric->transport, cmd->in_capsule_size,
				   &cmd->where);
	if (direction == CAPSULE_NONE) { /* hosts may leave anything there */
		cmd->where = (struct capsule_data){0};
		return NVME_SC_SUCCESS;
	}
	if (!status && cmd->where.place == CAPSULE_IN_CAPSULE && direction & CAPSULE_TO_HOST)
		return NVME_SC_SGL_TYPE | NVME_SC_DNR; /* there is no way back into a capsule */
	return status;
}

/* What the command before it in this place has left. */
static void reset(struct sta_cmd *cmd)
{
	cmd->ns = NULL;
	cmd->buf = NULL;
	cmd->op = NULL;
	cmd->size = 0;
	cmd->is_connect = cmd->to_admin = cmd->offloaded = cmd->is_half = false;
	cmd->where = (struct capsule_data){0};
}

/* Commands of a host that has connected, and the one that connects it. */
static void dispatch(struct sta_cmd *cmd)
{
	const struct sta_qp *qp = cmd->qp;
	const struct sta_subsys *subsys = atomic_load_explicit(&qp->subsys, memory_order_acquire);
	bool is_rw = cmd->sqe.opcode == NVME_CMD_READ || cmd->sqe.opcode == NVME_CMD_WRITE;
	uint16_t status, location;

	status = cmd_find_data(cmd, &location);
	if (status)
		cmd_refuse(cmd, status, location);
	else if (is_rw && subsys && !qp->is_admin)
		start_rw(cmd, subsys);
	else
		cmd_to_app(cmd);
}

void cmd_received(struct sta_cmd *cmd)
{
	struct sta_qp *qp = cmd->qp;

	reset(cmd);
	STA_COUNT(cmd_counters(cmd)->rx_capsules, 1);
	if (!sq_take(qp)) {
		qp_give_cmd(cmd);
		qp_fail(qp, SOFTFIELD_STA_OVERRUN, 0, 0);
		return;
	}
	if ((qp->half || cmd->sqe.flags & NVME_FLAG_FUSED_MASK) && cmd_take_half(cmd))
		return;
	if (cmd->receive_status) {
		finish(cmd, cmd->receive_status);
		return;
	}
	if (!qp->connected)
		note_connect(cmd);
	if (!qp->connected && cmd->sqe.opcode != NVME_CMD_FABRICS)
		cmd_refuse(cmd, NVME_SC_SEQUENCE_ERROR | NVME_SC_DNR, AT_OPCODE);
	else
		dispatch(cmd);
}
