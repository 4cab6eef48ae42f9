/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine: its threads and what they do in each round.
 */
#include "sta/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "sta/beq.h"
#include "sta/cmd_app.h"
#include "sta/fabric.h"
#include "sta/op.h"

#define TICK_NS 1000000000ull
#define OWED_NS 5000000000ull /* hosts may do nothing for so long while others wait */

/*
 * One EU
 */

static unsigned int poll_eu(struct poller *poller)
{
	struct sta_eu *eu = container_of(poller, struct sta_eu, poller);
	struct list_node *node, *tmp;
	unsigned int work = fabric_tcp_poll(eu->tcp);

	work += fabric_rdma_poll(eu->rdma);
	list_for_each_safe (node, tmp, &eu->queues)
		work += sta_beq_poll(container_of(node, struct sta_beq, eu_node));
	if (eu->buffers_returned)
		work += cmd_retry_buffers(eu);
	fabric_tcp_flush(eu->tcp);
	return work;
}

static bool pending(struct poller *poller)
{
	struct sta_eu *eu = container_of(poller, struct sta_eu, poller);
	struct list_node *node;

	if (eu->buffers_returned && !list_is_empty(&eu->wait_buffer))
		return true;
	if (fabric_rdma_must_poll(eu->rdma))
		return true;
	list_for_each (node, &eu->queues)
		if (!sta_beq_wakes(container_of(node, struct sta_beq, eu_node)))
			return true;
	return false;
}

/* Sockets and devices have descriptors that the group watches. */
static const struct poller_ops eu_ops = {
	.poll = poll_eu,
	.pending = pending,
};

static void report_late(struct sta_beq *beq)
{
	const struct sta_engine_attr *attr = &beq->owner->engine->attr;

	beq->late = true;
	/* Acquire: pairs with the release in late(); the message is ours again. */
	if (attr->up && !atomic_exchange_explicit(&beq->late_queued, true, memory_order_acquire))
		mbox_post(attr->control, &beq->late_msg, attr->up->late);
}

static bool check_queues(struct sta_eu *eu)
{
	uint64_t timeout = eu->engine->attr.be_timeout_ns;
	struct list_node *node;
	bool again = false;

	list_for_each (node, &eu->queues) {
		struct sta_beq *beq = container_of(node, struct sta_beq, eu_node);

		if (!nvme_queue_outstanding(&beq->queue))
			continue;
		again = true;
		/* progress_ns is that of the tick before: it may have been later by up to one */
		if (!beq->late && eu->now_ns - beq->progress_ns > timeout + TICK_NS)
			report_late(beq);
	}
	return again;
}

/* If so, the host has done its part: the program, or others before it there, take their time. */
static bool has_sent_connect(const struct sta_qp *qp)
{
	uint32_t i;

	for (i = 0; i < qp->cmd_count; i++) {
		const struct sta_cmd *cmd = qp_cmd(qp, i, qp->fabric->cmd_size);

		if (cmd->is_connect && (cmd->state == CMD_APP || cmd->state == CMD_WAIT_APP ||
					cmd->state == CMD_WAIT_BUFFER))
			return true;
	}
	return false;
}

static bool check_setup(struct sta_eu *eu)
{
	struct list_node *node, *tmp;
	bool again = false;

	list_for_each_safe (node, tmp, &eu->qps) {
		struct sta_qp *qp = container_of(node, struct sta_qp, node);

		if (qp->connected || qp->state != QP_LIVE)
			continue;
		if (eu->now_ns >= qp->deadline_ns && !has_sent_connect(qp))
			qp_fail(qp, SOFTFIELD_STA_SETUP, DOCA_ERROR_TIME_OUT, 0);
		else
			again = true;
	}
	return again;
}

/*
 * Commands wait for the application, which has as many as it may have. A host that sends no data
 * for those of its own, or does not read their answers, must not keep the others waiting.
 */
static bool check_owed(struct sta_eu *eu)
{
	struct list_node *node, *tmp;

	if (!cmd_places_are_wanted(eu))
		return false;
	list_for_each_safe (node, tmp, &eu->qps) {
		struct sta_qp *qp = container_of(node, struct sta_qp, node);
		uint64_t since = qp->owing_ns > eu->app_full_ns ? qp->owing_ns : eu->app_full_ns;

		if (qp->owing && eu->now_ns >= since + OWED_NS)
			qp_fail(qp, SOFTFIELD_STA_KEPT_WAITING, 0, 0);
	}
	return true;
}

/*
 * A tick that comes so late means that we slept, not the hosts or the disks: a stopped process, a
 * paused machine. What they have sent meanwhile is still to be read.
 */
static void forgive(struct sta_eu *eu, uint64_t late)
{
	struct list_node *node;

	list_for_each (node, &eu->qps) {
		struct sta_qp *qp = container_of(node, struct sta_qp, node);

		qp->deadline_ns += late;
		qp->owing_ns += late;
	}
	list_for_each (node, &eu->queues)
		container_of(node, struct sta_beq, eu_node)->progress_ns += late;
	eu->app_full_ns += late;
}

static void tick(struct timer *timer)
{
	struct sta_eu *eu = container_of(timer, struct sta_eu, tick);
	uint64_t since_ns = eu->now_ns; /* when the timer was set */
	bool again;

	eu->now_ns = clock_now_ns();
	if (eu->now_ns - since_ns > 2 * TICK_NS)
		forgive(eu, eu->now_ns - since_ns - TICK_NS);
	again = check_queues(eu);
	again |= check_setup(eu);
	again |= check_owed(eu);
	again |= fabric_tcp_tick(eu->tcp, eu->now_ns);
	if (again)
		eu_need_tick(eu);
}

/* Once a second while there is something to watch over. */
void eu_need_tick(struct sta_eu *eu)
{
	if (list_is_linked(&eu->tick.node))
		return;
	eu->now_ns = clock_now_ns();
	priv_poll_group_timer_add(&eu->worker.group, &eu->tick, TICK_NS);
}

void eu_notify(const struct sta_cmd *cmd, enum sta_notify_kind kind, uint16_t location)
{
	struct sta_eu *eu = cmd->qp->eu;
	const struct sta_engine_attr *attr = &eu->engine->attr;
	struct sta_notify *n;
	unsigned int i;

	if (!attr->up)
		return;
	for (i = 0; i < STA_NOTIFY_MAX; i++)
		/* Acquire: pairs with the release of whoever gave it back. */
		if (!atomic_load_explicit(&eu->notify[i].taken, memory_order_acquire))
			break;
	if (i == STA_NOTIFY_MAX) { /* nobody polls the control side: the first ones are kept */
		STA_COUNT(eu->counters.notify_dropped, 1);
		return;
	}
	n = &eu->notify[i];
	atomic_store_explicit(&n->taken, true, memory_order_relaxed);
	n->eu = eu;
	n->kind = kind;
	n->cqe = cmd->cqe;
	n->qp_user = cmd->qp->user;
	n->qp_id = cmd->qp->id;
	n->subsys = atomic_load_explicit(&cmd->qp->subsys, memory_order_relaxed);
	n->opcode = cmd->sqe.opcode;
	n->cid = le16toh(cmd->sqe.cid);
	n->nsid = le32toh(cmd->sqe.nsid);
	n->lba = le32toh(cmd->sqe.cdw10) | (uint64_t)le32toh(cmd->sqe.cdw11) << 32;
	n->location = location;
	mbox_post(attr->control, &n->msg, attr->up->notify);
}

static void prepare_eu(struct sta_eu *eu, struct sta_engine *engine, uint16_t index)
{
	eu->engine = engine;
	eu->index = index;
	eu->tick.fire = tick;
	eu->poller.ops = &eu_ops;
	eu->now_ns = clock_now_ns();
	list_init(&eu->tick.node);
	list_init(&eu->wait_buffer);
	list_init(&eu->wait_first);
	list_init(&eu->wait_more);
	list_init(&eu->qps);
	list_init(&eu->queues);
}

static doca_error_t init_eu(struct sta_engine *engine, uint16_t index)
{
	struct sta_eu *eu = &engine->eus[index];
	char name[16];
	doca_error_t err;

	prepare_eu(eu, engine, index);
	err = sta_pool_init(&eu->pool, &engine->attr.allocator, engine->attr.buffers,
			    engine->attr.max_qps, engine->attr.max_io_size);
	if (err)
		return err;
	err = priv_worker_init(&eu->worker, engine->attr.spin_ns);
	if (err)
		goto free_pool;
	err = mbox_init(&eu->inbox, &eu->worker.group);
	if (err)
		goto free_worker;
	err = fabric_tcp_create(eu, &eu->tcp);
	if (err)
		goto free_inbox;
	err = fabric_rdma_create(eu, &eu->rdma);
	if (err)
		goto destroy_tcp;
	priv_poll_group_add(&eu->worker.group, &eu->poller);
	eu->inbox.companion = &eu->poller; /* what messages start, it sends off */
	snprintf(name, sizeof(name), "sta-eu-%u", index);
	err = priv_worker_start(&eu->worker, name);
	if (!err)
		return DOCA_SUCCESS;

	priv_poll_group_remove(&eu->poller);
	fabric_rdma_destroy(eu->rdma);
destroy_tcp:
	fabric_tcp_destroy(eu->tcp);
free_inbox:
	mbox_fini(&eu->inbox);
free_worker:
	priv_worker_fini(&eu->worker);
free_pool:
	sta_pool_fini(&eu->pool);
	return err;
}

static void fini_eu(struct sta_eu *eu)
{
	mbox_deliver(&eu->inbox); /* the thread has ended: what was still sent to it is done here */
	assert(list_is_empty(&eu->queues) && list_is_empty(&eu->qps));
	priv_poll_group_timer_remove(&eu->tick);
	priv_poll_group_remove(&eu->poller);
	fabric_rdma_destroy(eu->rdma);
	fabric_tcp_destroy(eu->tcp);
	mbox_fini(&eu->inbox);
	priv_worker_fini(&eu->worker);
	sta_pool_fini(&eu->pool);
}

/*
 * All of them
 */

static void release_engine(struct sta_engine *engine)
{
	const struct sta_allocator *allocator = &engine->attr.allocator;
	struct list_node *node;

	while ((node = list_pop(&engine->spare_qps)))
		sta_qp_release_memory(container_of(node, struct sta_qp, node), allocator);
	pthread_mutex_destroy(&engine->lock);
	pthread_mutex_destroy(&engine->pool_lock);
	free(engine->eus);
	free(engine);
}

static void stop_eus(struct sta_engine *engine)
{
	uint16_t i;

	/* all of them before anything is released: they post to each other */
	for (i = 0; i < engine->eu_count; i++)
		priv_worker_stop(&engine->eus[i].worker);
	while (engine->eu_count)
		fini_eu(&engine->eus[--engine->eu_count]);
}

doca_error_t sta_engine_start(const struct sta_engine_attr *attr, struct sta_engine **ret_engine)
{
	struct sta_engine *engine = calloc(1, sizeof(*engine));
	doca_error_t err;

	assert(attr->eus && attr->eus <= STA_EUS_MAX);
	if (!engine)
		return DOCA_ERROR_NO_MEMORY;
	engine->attr = *attr;
	if (!attr->allocator.zmalloc)
		engine->attr.allocator = sta_own_allocator;
	pthread_mutex_init(&engine->lock, NULL);
	pthread_mutex_init(&engine->pool_lock, NULL);
	list_init(&engine->spare_qps);
	atomic_init(&engine->next_qp_id, 1);
	engine->eus = aligned_alloc(_Alignof(struct sta_eu), attr->eus * sizeof(*engine->eus));
	if (!engine->eus) {
		release_engine(engine);
		return DOCA_ERROR_NO_MEMORY;
	}
	memset(engine->eus, 0, attr->eus * sizeof(*engine->eus));
	for (; engine->eu_count < attr->eus; engine->eu_count++) {
		err = init_eu(engine, engine->eu_count);
		if (err) {
			stop_eus(engine);
			release_engine(engine);
			return err;
		}
	}
	*ret_engine = engine;
	return DOCA_SUCCESS;
}

void sta_engine_stop(struct sta_engine *engine)
{
	stop_eus(engine);
	release_engine(engine);
}

static void nothing(struct sta_eu *eu, void *arg)
{
	(void)eu;
	(void)arg;
}

void sta_engine_settle(struct sta_engine *engine)
{
	uint16_t i;

	for (i = 0; i < engine->eu_count; i++)
		sta_eu_call(&engine->eus[i], nothing, NULL);
}

struct sta_eu *sta_engine_choose_eu(struct sta_engine *engine)
{
	struct sta_eu *best = &engine->eus[0];
	uint16_t i;

	/* Relaxed: any choice is right, a recent count gives a good one. */
	for (i = 1; i < engine->eu_count; i++)
		if (atomic_load_explicit(&engine->eus[i].qp_count, memory_order_relaxed) <
		    atomic_load_explicit(&best->qp_count, memory_order_relaxed))
			best = &engine->eus[i];
	atomic_fetch_add_explicit(&best->qp_count, 1, memory_order_relaxed);
	return best;
}
