/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Back ends and their NVMe queues. A queue has one owner EU; commands of other EUs come to it by
 * message.
 */
#include "sta/beq.h"

#include <stdlib.h>
#include <string.h>
#include "sta/ns.h"
#include "sta/op.h"
#include "sta/qp.h"

#define POLL_MAX 64u

void sta_be_init(struct sta_be *be, struct sta_engine *engine)
{
	uint16_t i;

	memset(be, 0, sizeof(*be));
	be->engine = engine;
	list_init(&be->queues);
	list_init(&be->retired);
	for (i = 0; i < STA_EUS_MAX; i++)
		atomic_init(&be->route[i], NULL);
}

/* each EU uses a queue of its own if there is one, else the first one */
static void set_routes(struct sta_be *be)
{
	struct sta_beq *own[STA_EUS_MAX] = {0};
	struct sta_beq *any = NULL;
	struct list_node *node;
	uint16_t i;

	list_for_each (node, &be->queues) {
		struct sta_beq *beq = container_of(node, struct sta_beq, node);

		if (!any)
			any = beq;
		if (!own[beq->owner->index])
			own[beq->owner->index] = beq;
	}
	for (i = 0; i < be->engine->eu_count; i++)
		/* Release: pairs with the acquire in cmd.c; the queue is complete. */
		atomic_store_explicit(&be->route[i], own[i] ? own[i] : any, memory_order_release);
}

/*
 * Adding
 */

static void device_ready(struct watch *watch, uint32_t events)
{
	(void)events;
	priv_poll_group_heat(&container_of(watch, struct sta_beq_watch, watch)->eu->poller);
}

static void attach(struct sta_eu *eu, void *arg)
{
	struct sta_beq *beq = arg;
	int fds[VCTRL_NS_MAX];
	unsigned int i, count;

	list_add_tail(&eu->queues, &beq->eu_node);
	if (!beq->device)
		return;
	count = vctrl_queue_fds(beq->device, fds);
	for (i = 0; i < count; i++) {
		struct sta_beq_watch *w = &beq->watches[beq->watch_count];

		w->eu = eu;
		w->watch = (struct watch){.fd = fds[i], .ready = device_ready};
		if (!priv_poll_group_watch(&eu->worker.group, &w->watch, EPOLLIN))
			beq->watch_count++;
	}
}

/* the EU that has fewest queues of this back end */
static struct sta_eu *choose_owner(const struct sta_be *be)
{
	uint32_t counts[STA_EUS_MAX] = {0};
	struct list_node *node;
	uint16_t i, best = 0;

	list_for_each (node, &be->queues)
		counts[container_of(node, struct sta_beq, node)->owner->index]++;
	for (i = 1; i < be->engine->eu_count; i++)
		if (counts[i] < counts[best])
			best = i;
	return &be->engine->eus[best];
}

doca_error_t sta_beq_create(struct sta_be *be, const struct nvme_queue_attr *rings,
			    struct vctrl_queue *device, bool is_null, void *user,
			    struct sta_beq **ret_beq)
{
	struct sta_beq *beq = calloc(1, sizeof(*beq));
	doca_error_t err;

	if (!beq)
		return DOCA_ERROR_NO_MEMORY;
	err = nvme_queue_init(&beq->queue, rings);
	if (err) {
		free(beq);
		return err;
	}
	beq->be = be;
	beq->owner = choose_owner(be);
	beq->device = device;
	beq->null_ring = (struct sta_null_ring){.is_on = is_null, .phase = 1};
	beq->user = user;
	list_init(&beq->eu_node);
	list_init(&beq->waiting);
	list_init(&beq->quarantine);
	list_add_tail(&be->queues, &beq->node);
	be->queue_count++;
	sta_eu_call(beq->owner, attach, beq);
	set_routes(be);
	*ret_beq = beq;
	return DOCA_SUCCESS;
}

/*
 * Commands
 */

static void fill_sqe(struct nvme_cmd *sqe, const struct sta_cmd *cmd)
{
	sqe->opcode = cmd->sqe.opcode;
	sqe->nsid = htole32(cmd->ns->be_nsid);
	sqe->cdw2 = cmd->sqe.cdw2; /* 3:2 and 15:14: tags of protection information */
	sqe->cdw3 = cmd->sqe.cdw3;
	sqe->cdw10 = cmd->sqe.cdw10; /* SLBA */
	sqe->cdw11 = cmd->sqe.cdw11;
	sqe->cdw12 = cmd->sqe.cdw12; /* NLB, FUA, limited retry */
	sqe->cdw13 = cmd->sqe.cdw13;
	sqe->cdw14 = cmd->sqe.cdw14;
	sqe->cdw15 = cmd->sqe.cdw15;
	sta_buf_set_prps(cmd->buf, sqe, cmd->size);
}

bool sta_beq_submit(struct sta_beq *beq, struct sta_cmd *cmd)
{
	struct nvme_cmd *sqe = nvme_queue_prepare(&beq->queue, cmd);

	if (!sqe) {
		STA_COUNT(beq->counters.full, 1);
		return false;
	}
	fill_sqe(sqe, cmd);
	if (nvme_queue_outstanding(&beq->queue) == 1) {
		eu_need_tick(beq->owner);
		beq->progress_ns = beq->owner->now_ns;
	}
	STA_COUNT(beq->counters.submitted, 1);
	return true;
}

void sta_beq_abort(struct sta_beq *beq, const struct sta_cmd *cmd)
{
	uint16_t cid;

	/* a disk that is not ours finishes what it has begun */
	if (!beq->device || !nvme_queue_find(&beq->queue, cmd, &cid))
		return;
	nvme_queue_ring(&beq->queue);
	vctrl_queue_abort(beq->device, cid);
}

static void executed(void *owner, const struct nvme_cqe *cqe, void *arg)
{
	struct sta_beq *beq = arg;
	uint16_t status = nvme_cqe_status(cqe);

	STA_COUNT(beq->counters.completed, 1);
	if (status == NVME_SC_ABORT_REQUESTED)
		STA_COUNT(beq->counters.aborted, 1);
	else if (status)
		STA_COUNT(beq->counters.errors, 1);
	cmd_executed(owner, status, le32toh(cqe->dw0), le32toh(cqe->dw1));
}

static void retry_waiting(struct sta_beq *beq)
{
	while (beq->queue.free_count && !list_is_empty(&beq->waiting))
		cmd_retry_queue(container_of(list_pop(&beq->waiting), struct sta_cmd, node));
}

unsigned int sta_beq_poll(struct sta_beq *beq)
{
	unsigned int work = 0, done;

	nvme_queue_ring(&beq->queue);
	if (beq->device)
		work += vctrl_queue_poll(beq->device);
	if (beq->null_ring.is_on)
		work += sta_null_ring_serve(&beq->null_ring, &beq->queue);
	done = nvme_queue_poll(&beq->queue, executed, beq, POLL_MAX);
	if (!done)
		return work;
	beq->progress_ns = beq->owner->now_ns;
	beq->late = false;
	retry_waiting(beq);
	nvme_queue_ring(&beq->queue);
	return work + done;
}

bool sta_beq_wakes(const struct sta_beq *beq)
{
	if (!nvme_queue_outstanding(&beq->queue))
		return true;
	/* A null disk, or a device without descriptors, has finished everything within its poll. */
	if (beq->null_ring.is_on)
		return true;
	return beq->device && !vctrl_queue_must_poll(beq->device);
}

/*
 * Destruction: the commands are answered at once. The disk may still write to the buffers of reads
 * and read those of writes, so they stay out until sta_beq_free(). If there is no memory for that
 * they are lost: better than given to somebody else.
 */

static void quarantine_pooled(struct sta_beq *beq, struct sta_cmd *cmd)
{
	struct sta_quarantined *q = calloc(1, sizeof(*q));

	if (q) {
		q->buf = cmd->buf;
		q->pool = &cmd->qp->eu->pool;
		list_add_tail(&beq->quarantine, &q->node);
	}
	cmd->quarantined = true;
}

/*
 * The data came with the command, whose slot gets other memory, so what it has had stays with its
 * queue pair; a slot without is used no more.
 */
static void quarantine_in_capsule(struct sta_beq *beq, struct sta_cmd *cmd)
{
	struct sta_quarantined *q = calloc(1, sizeof(*q));

	if (q) {
		q->in_capsule = cmd->in_capsule;
		list_add_tail(&beq->quarantine, &q->node);
	}
	if (sta_buf_init(&cmd->in_capsule, &beq->be->engine->attr.allocator, STA_IN_CAPSULE))
		cmd->in_capsule = (struct sta_buf){0};
}

static void quarantine(struct sta_beq *beq, struct sta_cmd *cmd)
{
	if (!cmd->buf)
		return;
	if (cmd->buf == &cmd->in_capsule)
		quarantine_in_capsule(beq, cmd);
	else
		quarantine_pooled(beq, cmd);
	cmd->buf = NULL;
}

static void abandon(void *owner, void *arg)
{
	struct sta_beq *beq = arg;
	struct sta_cmd *cmd = owner;

	STA_COUNT(beq->counters.aborted, 1);
	quarantine(beq, cmd);
	cmd_executed(cmd, NVME_SC_ABORT_SQ_DELETED, 0, 0);
}

static void destroy(struct mbox_msg *msg)
{
	struct sta_op *op = container_of(msg, struct sta_op, msg);
	struct sta_beq *beq = op->arg;
	struct list_node *node;
	unsigned int i;

	for (i = 0; i < beq->watch_count; i++)
		priv_poll_group_unwatch(&beq->owner->worker.group, &beq->watches[i].watch);
	list_remove(&beq->eu_node);
	nvme_queue_abandon(&beq->queue, abandon, beq);
	while ((node = list_pop(&beq->waiting)))
		cmd_executed(container_of(node, struct sta_cmd, node), NVME_SC_ABORT_SQ_DELETED, 0,
			     0);
	sta_op_finish(op, DOCA_SUCCESS);
}

void sta_beq_destroy(struct sta_beq *beq, struct sta_op *op)
{
	list_remove(&beq->node);
	set_routes(beq->be);
	/* Afterwards nobody sends commands to the queue any more. */
	sta_engine_settle(beq->be->engine);
	op->arg = beq;
	mbox_post(&beq->owner->inbox, &op->msg, destroy);
}

static void release_buffers(struct sta_eu *eu, void *arg)
{
	struct sta_beq *beq = arg;
	struct list_node *node, *tmp;

	list_for_each_safe (node, tmp, &beq->quarantine) {
		struct sta_quarantined *q = container_of(node, struct sta_quarantined, node);

		if (q->pool != &eu->pool)
			continue;
		sta_pool_give(q->pool, q->buf);
		list_remove(node);
		free(q);
		eu->buffers_returned = true;
	}
}

/* Those of slots are nobody's any more. */
static void free_in_capsule(struct sta_beq *beq)
{
	struct list_node *node, *tmp;

	list_for_each_safe (node, tmp, &beq->quarantine) {
		struct sta_quarantined *q = container_of(node, struct sta_quarantined, node);

		if (q->pool)
			continue;
		sta_buf_fini(&q->in_capsule, &beq->be->engine->attr.allocator);
		list_remove(node);
		free(q);
	}
}

static void free_memory(struct sta_beq *beq)
{
	struct sta_engine *engine = beq->be->engine;
	uint16_t i;

	free_in_capsule(beq);
	for (i = 0; i < engine->eu_count && !list_is_empty(&beq->quarantine); i++)
		sta_eu_call(&engine->eus[i], release_buffers, beq);
	nvme_queue_fini(&beq->queue);
	free(beq);
}

void sta_beq_free(struct sta_beq *beq)
{
	beq->be->queue_count--;
	free_memory(beq);
}

void sta_beq_retire(struct sta_beq *beq)
{
	beq->be->queue_count--;
	list_add_tail(&beq->be->retired, &beq->node);
}

void sta_be_release_buffers(struct sta_be *be)
{
	struct list_node *node;

	while ((node = list_pop(&be->retired)))
		free_memory(container_of(node, struct sta_beq, node));
}
