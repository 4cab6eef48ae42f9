/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Abort: Base 5.1. What it says is what has become of the command, whose own answer comes first; so
 * it waits for a command that the disk has in hand.
 */
#include "nvmf/ctrlr.h"

static uint16_t abort_sqid(const struct nvmf_req *req)
{
	return (uint16_t)le32toh(req->cmd.cdw10);
}

static uint16_t abort_cid(const struct nvmf_req *req)
{
	return (uint16_t)(le32toh(req->cmd.cdw10) >> 16);
}

/* The only commands of the admin queue that wait for something that may never be. */
static bool abort_event_request(struct nvmf_ctrlr *ctrlr, uint16_t cid)
{
	struct list_node *node;

	list_for_each (node, &ctrlr->aers) {
		struct nvmf_req *held = container_of(node, struct nvmf_req, node);

		if (le16toh(held->cmd.cid) != cid)
			continue;
		list_remove(node);
		ctrlr->aer_count--;
		held->status = NVME_SC_ABORT_REQUESTED;
		held->dw0 = 0;
		ctrlr->subsys->target->attr.ops->complete(held);
		return true;
	}
	return false;
}

static struct nvmf_queue *find_queue(struct nvmf_ctrlr *ctrlr, uint16_t qid)
{
	struct list_node *node;

	list_for_each (node, &ctrlr->queues) {
		struct nvmf_queue *queue = container_of(node, struct nvmf_queue, node);

		if (queue->qid == qid && !queue->closing)
			return queue;
	}
	return NULL;
}

static unsigned int count_held(const struct nvmf_ctrlr *ctrlr)
{
	const struct list_node *node;
	unsigned int count = 0;

	list_for_each (node, &ctrlr->aborts)
		count++;
	return count;
}

enum nvmf_verdict nvmf_abort(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	uint16_t sqid = abort_sqid(req), cid = abort_cid(req);
	struct nvmf_queue *queue = find_queue(ctrlr, sqid);
	enum nvmf_abort result = NVMF_ABORT_NOT;

	if (count_held(ctrlr) == NVMF_ABORTS_MAX)
		return nvmf_fail(req, NVME_SC_ABORT_LIMIT);
	if (!sqid)
		result = abort_event_request(ctrlr, cid) ? NVMF_ABORT_DONE : NVMF_ABORT_NOT;
	else if (queue && nvmf_abort_half(queue, cid))
		result = NVMF_ABORT_DONE;
	else if (queue)
		result = ctrlr->subsys->target->attr.ops->abort(queue, cid);
	req->dw0 = result == NVMF_ABORT_NOT;
	if (result != NVMF_ABORT_LATER)
		return NVMF_RESPOND;
	list_add_tail(&ctrlr->aborts, &req->node);
	return NVMF_HOLD;
}

static void answer(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req, bool aborted)
{
	list_remove(&req->node);
	req->dw0 = !aborted;
	ctrlr->subsys->target->attr.ops->complete(req);
}

void nvmf_queue_ended(struct nvmf_queue *queue, uint16_t cid, uint16_t status)
{
	struct list_node *node, *tmp;

	list_for_each_safe (node, tmp, &queue->ctrlr->aborts) {
		struct nvmf_req *req = container_of(node, struct nvmf_req, node);

		if (abort_sqid(req) == queue->qid && abort_cid(req) == cid)
			answer(queue->ctrlr, req, status == NVME_SC_ABORT_REQUESTED);
	}
}

void nvmf_aborts_end(struct nvmf_ctrlr *ctrlr, uint16_t qid)
{
	struct list_node *node, *tmp;

	list_for_each_safe (node, tmp, &ctrlr->aborts) {
		struct nvmf_req *req = container_of(node, struct nvmf_req, node);

		if (abort_sqid(req) == qid)
			answer(ctrlr, req, false);
	}
}

void nvmf_aborts_drop(struct nvmf_ctrlr *ctrlr)
{
	struct list_node *node;

	while ((node = list_pop(&ctrlr->aborts)))
		ctrlr->subsys->target->attr.ops->drop(container_of(node, struct nvmf_req, node));
}
