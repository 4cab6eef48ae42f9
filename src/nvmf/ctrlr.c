/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections become queues of controllers; properties; which command goes where.
 */
#include "nvmf/ctrlr.h"

#include <stdlib.h>
#include <string.h>

/* offsets that a refused Connect blames: Base 6.3 */
enum {
	IN_DATA = 1 << 16,
	SQE_QID = 42,
	SQE_SQSIZE = 44,
	DATA_CNTLID = 16 | IN_DATA,
	DATA_SUBNQN = 256 | IN_DATA,
	DATA_HOSTNQN = 512 | IN_DATA,
};

#define CNTLID_DYNAMIC	   0xffffu
#define VERSION		   0x00010400u /* 1.4: what we implement of 2.0 is not announced */
#define READY_TIMEOUT	   30u	       /* CAP.TO, in 500 ms */
#define CC_KNOWN	   0x00fffff1u
#define PCI_PROPERTIES_END 0x40u /* behind CMBSZ */

void nvmf_queue_init(struct nvmf_queue *queue, struct nvmf_port *port, const char *traddr)
{
	memset(queue, 0, sizeof(*queue));
	list_init(&queue->node);
	queue->port = port;
	strncpy(queue->traddr, traddr, sizeof(queue->traddr) - 1);
}

/*
 * Connect
 */

static enum nvmf_verdict blame(struct nvmf_req *req, uint32_t where)
{
	req->dw0 = where;
	return nvmf_refuse(req, NVME_SC_CONNECT_INVALID_PARAM);
}

static struct nvmf_ctrlr *find_ctrlr(const struct nvmf_subsys *subsys, uint16_t cntlid)
{
	struct list_node *node;

	list_for_each (node, &subsys->ctrlrs) {
		struct nvmf_ctrlr *ctrlr = container_of(node, struct nvmf_ctrlr, node);

		if (ctrlr->cntlid == cntlid)
			return ctrlr;
	}
	return NULL;
}

/* ids are used in turn, so that a stale one is not soon somebody else's; 0: all are taken */
static uint16_t new_cntlid(struct nvmf_subsys *subsys)
{
	uint32_t tries;

	for (tries = 0; tries < NVMF_CNTLID_MAX; tries++) {
		subsys->last_cntlid = subsys->last_cntlid % NVMF_CNTLID_MAX + 1;
		if (!find_ctrlr(subsys, subsys->last_cntlid))
			return subsys->last_cntlid;
	}
	return 0;
}

static enum nvmf_verdict connected(struct nvmf_ctrlr *ctrlr, struct nvmf_queue *queue,
				   const struct nvmf_connect_cmd *cmd, struct nvmf_req *req)
{
	queue->ctrlr = ctrlr;
	queue->qid = le16toh(cmd->qid);
	queue->sqsize = le16toh(cmd->sqsize);
	list_add_tail(&ctrlr->queues, &queue->node);
	nvmf_keepalive_heard(ctrlr);
	req->dw0 = ctrlr->cntlid | nvmf_auth_begin(queue);
	return NVMF_RESPOND;
}

static void set_default_features(struct nvmf_ctrlr *ctrlr)
{
	memset(ctrlr->stored, 0, sizeof(ctrlr->stored));
	memset(ctrlr->error_recovery, 0, sizeof(ctrlr->error_recovery));
	ctrlr->temperature[0] = NVMF_WARNING_KELVIN;
	ctrlr->temperature[1] = 0;
}

static enum nvmf_verdict connect_admin(struct nvmf_subsys *subsys, struct nvmf_queue *queue,
				       const struct nvmf_connect_cmd *cmd,
				       const struct nvmf_connect_data *data, struct nvmf_req *req)
{
	struct nvmf_ctrlr *ctrlr;
	uint16_t cntlid = le16toh(data->cntlid);

	if (cntlid != CNTLID_DYNAMIC) /* FCATT says that there are no others: Base 6.3 */
		return blame(req, DATA_CNTLID);
	ctrlr = calloc(1, sizeof(*ctrlr));
	if (!ctrlr)
		return nvmf_fail(req, NVME_SC_CONNECT_BUSY);
	ctrlr->cntlid = new_cntlid(subsys);
	if (!ctrlr->cntlid) {
		free(ctrlr);
		return nvmf_fail(req, NVME_SC_CONNECT_BUSY);
	}
	ctrlr->subsys = subsys;
	ctrlr->port = queue->port;
	nvmf_keepalive_set(ctrlr, le32toh(cmd->kato));
	strcpy(ctrlr->hostnqn, data->hostnqn);
	memcpy(ctrlr->hostid, data->hostid, sizeof(ctrlr->hostid));
	list_init(&ctrlr->queues);
	list_init(&ctrlr->connecting);
	list_init(&ctrlr->aers);
	list_init(&ctrlr->aborts);
	set_default_features(ctrlr);
	list_add_tail(&subsys->ctrlrs, &ctrlr->node);
	return connected(ctrlr, queue, cmd, req);
}

static bool has(const struct nvmf_ctrlr *ctrlr, uint16_t qid, bool closing)
{
	struct list_node *node;

	list_for_each (node, &ctrlr->queues) {
		const struct nvmf_queue *queue = container_of(node, struct nvmf_queue, node);

		if (queue->qid == qid && queue->closing == closing)
			return true;
	}
	return false;
}

static bool has_queue(const struct nvmf_ctrlr *ctrlr, uint16_t qid)
{
	return has(ctrlr, qid, false);
}

bool nvmf_ctrlr_is_owed_proof(const struct nvmf_ctrlr *ctrlr)
{
	struct list_node *node;

	list_for_each (node, &ctrlr->queues) {
		const struct nvmf_queue *queue = container_of(node, struct nvmf_queue, node);

		if (!queue->qid && nvmf_auth_is_owed(&queue->auth))
			return true;
	}
	return false;
}

/*
 * A host that has lost its connection may be back before the old one is gone, whose commands may
 * still be on the disk: what it writes now must not be overwritten by them.
 */
static bool must_wait(const struct nvmf_ctrlr *ctrlr, uint16_t qid)
{
	return has(ctrlr, qid, true);
}

/* Commands of such a queue may be on the disk. */
static bool has_closing_io(const struct nvmf_ctrlr *ctrlr)
{
	struct list_node *node;

	list_for_each (node, &ctrlr->queues) {
		const struct nvmf_queue *queue = container_of(node, struct nvmf_queue, node);

		if (queue->qid && queue->closing)
			return true;
	}
	return false;
}

/* of what has been asked for by CC */
static bool is_changing(const struct nvmf_ctrlr *ctrlr)
{
	return has_closing_io(ctrlr) || ctrlr->to_flush || ctrlr->flushing;
}

/*
 * Reset and shutdown have happened when no command of before can run any more: Base 3.1.3.6. A host
 * that enables the controller before that waits for it, too. What it has written is durable after a
 * shutdown: Base 3.6.2.
 */
static uint32_t csts(const struct nvmf_ctrlr *ctrlr)
{
	uint32_t status = ctrlr->csts;

	if (status & NVME_CSTS_SHST_DONE && is_changing(ctrlr))
		status = (status & ~NVME_CSTS_SHST_DONE) | NVME_CSTS_SHST_BUSY;
	if (ctrlr->resetting && has_closing_io(ctrlr))
		status ^= NVME_CSTS_RDY;
	return status;
}

static enum nvmf_verdict connect_io(struct nvmf_subsys *subsys, struct nvmf_queue *queue,
				    const struct nvmf_connect_cmd *cmd,
				    const struct nvmf_connect_data *data, struct nvmf_req *req)
{
	static const uint8_t left_out[16]; /* as host identifiers may be here: Base 6.3 */
	struct nvmf_ctrlr *ctrlr = find_ctrlr(subsys, le16toh(data->cntlid));
	uint16_t qid = le16toh(cmd->qid);

	/* who joins after the admin queue is gone would be missed when the others are closed */
	if (!ctrlr || !has_queue(ctrlr, 0))
		return blame(req, DATA_CNTLID);
	/* the states of its paths are those of one port */
	if (subsys->ana && queue->port != ctrlr->port)
		return blame(req, DATA_CNTLID);
	if (strcmp(ctrlr->hostnqn, data->hostnqn))
		return blame(req, DATA_HOSTNQN);
	if (memcmp(data->hostid, left_out, sizeof(left_out)) &&
	    memcmp(ctrlr->hostid, data->hostid, sizeof(ctrlr->hostid)))
		return blame(req, IN_DATA);
	if (nvmf_ctrlr_is_owed_proof(ctrlr))
		return nvmf_refuse(req, NVME_SC_AUTH_REQUIRED);
	if (subsys->is_discovery || ctrlr->idle || !(csts(ctrlr) & NVME_CSTS_RDY) ||
	    NVME_CC_IOSQES(ctrlr->cc) != 6 || NVME_CC_IOCQES(ctrlr->cc) != 4)
		return blame(req, SQE_QID);
	if (qid > (ctrlr->io_queues ? ctrlr->io_queues : subsys->target->attr.max_io_queues) ||
	    has_queue(ctrlr, qid))
		return nvmf_refuse(req, NVME_SC_QUEUE_ID_INVALID);
	if (must_wait(ctrlr, qid)) {
		queue->connecting = req;
		list_add_tail(&ctrlr->connecting, &req->node);
		return NVMF_HOLD;
	}
	return connected(ctrlr, queue, cmd, req);
}

static bool is_terminated(const char field[NVME_NQN_FIELD])
{
	return memchr(field, '\0', NVME_NQN_FIELD);
}

static enum nvmf_verdict connect_queue(struct nvmf_target *target, struct nvmf_queue *queue,
				       struct nvmf_req *req)
{
	struct nvmf_connect_cmd cmd;
	struct nvmf_connect_data data;
	struct nvmf_subsys *subsys;
	uint16_t sqsize;

	memcpy(&cmd, &req->cmd, sizeof(cmd));
	if (queue->ctrlr || queue->connecting)
		return nvmf_refuse(req, NVME_SC_SEQUENCE_ERROR);
	if (cmd.recfmt)
		return nvmf_refuse(req, NVME_SC_CONNECT_FORMAT);
	if (req->size < sizeof(data))
		return nvmf_refuse(req, NVME_SC_SGL_DATA_LENGTH);
	memcpy(&data, req->data, sizeof(data));
	sqsize = le16toh(cmd.sqsize);
	if (!sqsize || sqsize >= target->attr.max_queue_entries)
		return blame(req, SQE_SQSIZE);
	if (!is_terminated(data.subnqn) || !nvmf_nqn_is_valid(data.subnqn))
		return blame(req, DATA_SUBNQN);
	/* SPDK's tools have no name unless they are given one, and other targets let them in */
	if (!is_terminated(data.hostnqn) || (data.hostnqn[0] && !nvmf_nqn_is_valid(data.hostnqn)))
		return blame(req, DATA_HOSTNQN);
	subsys = nvmf_subsys_find(target, data.subnqn);
	if (!subsys)
		return blame(req, DATA_SUBNQN);
	if (!nvmf_subsys_may_connect(subsys, data.hostnqn))
		return nvmf_refuse(req, NVME_SC_CONNECT_INVALID_HOST);
	if (cmd.qid)
		return connect_io(subsys, queue, &cmd, &data, req);
	return connect_admin(subsys, queue, &cmd, &data, req);
}

/*
 * Loss
 */

static void close_queue(struct nvmf_queue *queue, const char *why)
{
	queue->closing = true;
	queue->ctrlr->subsys->target->attr.ops->disconnect(queue, why);
}

static void disconnect_io(const struct nvmf_ctrlr *ctrlr, const char *why)
{
	struct list_node *node, *tmp;

	list_for_each_safe (node, tmp, &ctrlr->queues) {
		struct nvmf_queue *queue = container_of(node, struct nvmf_queue, node);

		if (queue->qid && !queue->closing)
			close_queue(queue, why);
	}
}

/* The admin queue comes last: with it the controller may disappear. */
void nvmf_ctrlr_disconnect(struct nvmf_ctrlr *ctrlr, const char *why)
{
	struct list_node *node;

	disconnect_io(ctrlr, why);
	list_for_each (node, &ctrlr->queues) {
		struct nvmf_queue *queue = container_of(node, struct nvmf_queue, node);

		if (!queue->qid && !queue->closing) {
			close_queue(queue, why);
			return;
		}
	}
}

void nvmf_queue_violated(struct nvmf_queue *queue, const char *why)
{
	if (!queue->ctrlr)
		return;
	queue->ctrlr->csts |= NVME_CSTS_CFS;
	nvmf_ctrlr_disconnect(queue->ctrlr, why);
}

/* The queues that were there before a reset or shutdown are gone. */
static void finish_change(struct nvmf_ctrlr *ctrlr)
{
	struct nvmf_req *req = ctrlr->changing_cc;

	ctrlr->resetting = false;
	if (ctrlr->to_flush) {
		ctrlr->to_flush = false;
		ctrlr->flushing = true;
		ctrlr->subsys->target->attr.ops->flush(ctrlr->subsys, ctrlr->cntlid);
		return; /* again when that has happened */
	}
	if (ctrlr->flushing)
		return;
	ctrlr->changing_cc = NULL;
	if (req)
		ctrlr->subsys->target->attr.ops->complete(req);
}

void nvmf_ctrlr_flushed(struct nvmf_subsys *subsys, uint16_t cntlid)
{
	struct nvmf_ctrlr *ctrlr = find_ctrlr(subsys, cntlid);

	if (!ctrlr || !ctrlr->flushing)
		return;
	ctrlr->flushing = false;
	if (!is_changing(ctrlr))
		finish_change(ctrlr);
}

/* Those whose time has come, and those whose time never will. */
static void retry_connects(struct nvmf_ctrlr *ctrlr)
{
	struct nvmf_target *target = ctrlr->subsys->target;
	struct list_node waiting, *node;

	list_init(&waiting);
	while ((node = list_pop(&ctrlr->connecting)))
		list_add_tail(&waiting, node);
	while ((node = list_pop(&waiting))) {
		struct nvmf_req *req = container_of(node, struct nvmf_req, node);

		req->queue->connecting = NULL;
		if (connect_queue(target, req->queue, req) != NVMF_HOLD)
			target->attr.ops->complete(req);
	}
}

static void free_ctrlr(struct nvmf_ctrlr *ctrlr)
{
	list_remove(&ctrlr->node);
	free(ctrlr);
}

void nvmf_queue_closed(struct nvmf_queue *queue)
{
	struct nvmf_ctrlr *ctrlr = queue->ctrlr;

	if (queue->connecting)
		list_remove(&queue->connecting->node);
	queue->connecting = NULL;
	queue->half = NULL;
	if (!ctrlr)
		return;
	nvmf_auth_end(queue);
	queue->ctrlr = NULL;
	queue->closing = true;
	list_remove(&queue->node);
	if (!queue->qid) {
		while (list_pop(&ctrlr->aers))
			; /* the connection that could carry the answers is gone */
		ctrlr->aer_count = 0;
		while (list_pop(&ctrlr->aborts))
			;
		ctrlr->changing_cc = NULL;
	} else {
		nvmf_aborts_end(ctrlr, queue->qid);
	}
	if (!has_closing_io(ctrlr))
		finish_change(ctrlr);
	retry_connects(ctrlr);
	if (list_is_empty(&ctrlr->queues))
		free_ctrlr(ctrlr);
	else if (!queue->qid)
		disconnect_io(ctrlr, "the admin queue is gone");
}

/*
 * Properties: Base 3.1.3
 */

static uint64_t property_value(const struct nvmf_ctrlr *ctrlr, uint32_t offset, bool *known)
{
	uint64_t mqes = ctrlr->subsys->target->attr.max_queue_entries - 1u;

	*known = true;
	switch (offset) {
	case NVME_PROP_CAP: /* contiguous queues, NVM command set */
		return mqes | 1ull << 16 | (uint64_t)READY_TIMEOUT << 24 | 1ull << 37;
	case NVME_PROP_VS:
		return VERSION;
	case NVME_PROP_CC:
		return ctrlr->cc;
	case NVME_PROP_CSTS:
		return csts(ctrlr);
	default:
		*known = false;
		return 0;
	}
}

/*
 * What only controllers on PCI have is reserved here, and reads as 0 (Base 3.1.3): tools of hosts
 * that show registers show all of these or none.
 */
static bool is_reserved(uint32_t offset, bool is_long)
{
	return offset < PCI_PROPERTIES_END && offset % (is_long ? 8 : 4) == 0;
}

static enum nvmf_verdict get_property(struct nvmf_queue *queue, struct nvmf_req *req)
{
	struct nvmf_property_cmd cmd;
	uint32_t offset;
	bool is_long, known;
	uint64_t value;

	memcpy(&cmd, &req->cmd, sizeof(cmd));
	offset = le32toh(cmd.offset);
	is_long = (cmd.attrib & 7) == 1;
	value = property_value(queue->ctrlr, offset, &known);
	if (!known && offset == NVME_PROP_CAP + 4 && !is_long) /* the upper half */
		value = property_value(queue->ctrlr, NVME_PROP_CAP, &known) >> 32;
	if ((cmd.attrib & 7) > 1 || (known && is_long && offset != NVME_PROP_CAP) ||
	    (!known && !is_reserved(offset, is_long)))
		return nvmf_refuse(req, NVME_SC_CONNECT_INVALID_PARAM);
	req->dw0 = (uint32_t)value;
	req->dw1 = is_long ? (uint32_t)(value >> 32) : 0;
	return NVMF_RESPOND;
}

static bool cc_is_supported(uint32_t cc)
{
	/* the NVM command set, or all there are: hosts ask for these without looking at CAP */
	bool css = !NVME_CC_CSS(cc) || NVME_CC_CSS(cc) == NVME_CC_CSS_ALL;

	return css && !NVME_CC_MPS(cc) && !NVME_CC_AMS(cc) && NVME_CC_SHN(cc) != 3;
}

static void enable(struct nvmf_ctrlr *ctrlr)
{
	ctrlr->csts = NVME_CSTS_RDY;
	nvmf_keepalive_set_idle(ctrlr, false);
}

/* EN 1 -> 0: the I/O queues go, the admin queue stays: Base 3.5 */
static void reset(struct nvmf_ctrlr *ctrlr)
{
	ctrlr->csts = 0;
	ctrlr->event_config = 0;
	ctrlr->pending = ctrlr->masked = 0;
	ctrlr->changed_count = 0;
	ctrlr->io_queues = 0;
	set_default_features(ctrlr);
	nvmf_keepalive_set_idle(ctrlr, true);
	nvmf_event_drop_all(ctrlr); /* Base 5.2: silently */
	nvmf_aborts_drop(ctrlr);
	disconnect_io(ctrlr, "the host has reset the controller");
	nvmf_places_forget(ctrlr); /* queues that are ending go on refusing */
	ctrlr->resetting = has_closing_io(ctrlr);
}

/* Abruptly: as if the power were cut. */
static void shut_down(struct nvmf_ctrlr *ctrlr, bool abruptly)
{
	ctrlr->to_flush = !abruptly && !ctrlr->subsys->is_discovery;
	ctrlr->csts |= NVME_CSTS_SHST_DONE;
	nvmf_keepalive_set_idle(ctrlr, true);
	disconnect_io(ctrlr, "the host has shut the controller down");
	if (!has_closing_io(ctrlr))
		finish_change(ctrlr);
}

static enum nvmf_verdict set_property(struct nvmf_queue *queue, struct nvmf_req *req)
{
	struct nvmf_ctrlr *ctrlr = queue->ctrlr;
	struct nvmf_property_cmd cmd;
	uint32_t old = ctrlr->cc, cc;

	memcpy(&cmd, &req->cmd, sizeof(cmd));
	cc = (uint32_t)le64toh(cmd.value) & CC_KNOWN;
	if (le32toh(cmd.offset) != NVME_PROP_CC || (cmd.attrib & 7) != 0 || !cc_is_supported(cc))
		return nvmf_refuse(req, NVME_SC_CONNECT_INVALID_PARAM);
	ctrlr->cc = cc;
	if ((cc & NVME_CC_EN) && !(old & NVME_CC_EN))
		enable(ctrlr);
	else if (!(cc & NVME_CC_EN) && (old & NVME_CC_EN))
		reset(ctrlr);
	if (NVME_CC_SHN(cc) && !NVME_CC_SHN(old))
		shut_down(ctrlr, NVME_CC_SHN(cc) == 2);
	if (cc == old || ctrlr->changing_cc || !is_changing(ctrlr))
		return NVMF_RESPOND;
	/* Not all hosts ask twice whether it has happened. */
	ctrlr->changing_cc = req;
	return NVMF_HOLD;
}

/*
 * Which command goes where
 */

static enum nvmf_verdict fabrics(struct nvmf_target *target, struct nvmf_queue *queue,
				 struct nvmf_req *req)
{
	uint8_t type = (uint8_t)le32toh(req->cmd.nsid); /* byte 4 */

	if (type == NVME_FC_CONNECT)
		return connect_queue(target, queue, req);
	if (!queue->ctrlr)
		return nvmf_refuse(req, NVME_SC_SEQUENCE_ERROR);
	if (queue->auth.standing != NVMF_AUTH_NOT_ASKED && type == NVME_FC_AUTH_SEND)
		return nvmf_auth_send(queue, req);
	if (queue->auth.standing != NVMF_AUTH_NOT_ASKED && type == NVME_FC_AUTH_RECEIVE)
		return nvmf_auth_receive(queue, req);
	if (nvmf_auth_is_owed(&queue->auth))
		return nvmf_refuse(req, NVME_SC_AUTH_REQUIRED);
	if (queue->qid == 0 && type == NVME_FC_PROPERTY_GET)
		return get_property(queue, req);
	if (queue->qid == 0 && type == NVME_FC_PROPERTY_SET)
		return set_property(queue, req);
	return nvmf_refuse(req, NVME_SC_INVALID_OPCODE);
}

enum nvmf_verdict nvmf_execute(struct nvmf_target *target, struct nvmf_queue *queue,
			       struct nvmf_req *req)
{
	list_init(&req->node);
	req->queue = queue;
	req->status = NVME_SC_SUCCESS;
	req->dw0 = req->dw1 = 0;
	req->reply_size = 0;
	req->is_last = false;
	req->ns = NULL;
	req->first = NULL;
	if (queue->closing)
		return nvmf_fail(req, NVME_SC_ABORT_SQ_DELETED);
	if (req->cmd.opcode == NVME_CMD_FABRICS)
		return fabrics(target, queue, req);
	if (nvmf_auth_is_owed(&queue->auth))
		return nvmf_refuse(req, NVME_SC_AUTH_REQUIRED);
	if (!queue->ctrlr || !(queue->ctrlr->cc & NVME_CC_EN))
		return nvmf_refuse(req, NVME_SC_SEQUENCE_ERROR);
	if ((req->cmd.flags & NVME_FLAG_PSDT_MASK) == 0)
		return nvmf_refuse(req, NVME_SC_INVALID_FIELD);
	if (queue->qid)
		return nvmf_io(queue, req);
	return nvmf_admin(queue->ctrlr, req);
}
