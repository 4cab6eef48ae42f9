/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queue pairs: from set-up to the point where nothing of them is in anybody's hands.
 */
#include "sta/qp.h"

#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "sta/beq.h"
#include "sta/cmd_priv.h"

static const unsigned int qp_next[QP_STATE_COUNT] = {
	[QP_NEW] = TO(QP_LIVE) | TO(QP_ERROR) | TO(QP_CLOSED), /* ERROR: could not be attached */
	[QP_LIVE] = TO(QP_ERROR),
	[QP_ERROR] = TO(QP_CLOSED),
	[QP_CLOSED] = TO(QP_NEW), /* the memory is used again */
};

static void set_state(struct sta_qp *qp, enum sta_qp_state next)
{
	assert(qp_next[qp->state] & TO(next));
	qp->state = next;
}

/*
 * Memory
 */

void sta_qp_release_memory(struct sta_qp *qp, const struct sta_allocator *allocator)
{
	uint32_t i;

	for (i = 0; qp->cmds && i < qp->cmd_count; i++)
		sta_buf_fini(&qp_cmd(qp, i, qp->fabric->cmd_size)->in_capsule, allocator);
	if (qp->in_capsule)
		allocator->free(qp->in_capsule);
	free(qp->cmds);
	free(qp);
}

/*
 * One piece of memory for all slots: most connections use few of them, and what nobody has touched
 * is not there.
 */
static doca_error_t init_cmds(struct sta_qp *qp, const struct sta_allocator *allocator)
{
	doca_error_t err = DOCA_SUCCESS;
	uint64_t phys;
	uint32_t i;

	qp->cmds = calloc(qp->cmd_count, qp->fabric->cmd_size);
	qp->in_capsule =
		allocator->zmalloc((size_t)qp->cmd_count * STA_IN_CAPSULE, NVME_PAGE_SIZE, &phys);
	if (!qp->cmds || !qp->in_capsule)
		return DOCA_ERROR_NO_MEMORY;
	for (i = 0; i < qp->cmd_count && !err; i++) {
		struct sta_cmd *cmd = qp_cmd(qp, i, qp->fabric->cmd_size);

		cmd->qp = qp;
		cmd->index = (uint16_t)i;
		atomic_init(&cmd->generation, 1);
		err = sta_buf_init_part(&cmd->in_capsule, allocator,
					qp->in_capsule + (size_t)i * STA_IN_CAPSULE,
					STA_IN_CAPSULE);
	}
	return err;
}

static struct sta_qp *new_memory(struct sta_engine *engine, const struct fabric_ops *fabric)
{
	struct sta_qp *qp = calloc(1, fabric->qp_size);

	if (!qp)
		return NULL;
	qp->fabric = fabric;
	qp->cmd_count = engine->attr.queue_size;
	if (!init_cmds(qp, &engine->attr.allocator))
		return qp;
	sta_qp_release_memory(qp, &engine->attr.allocator);
	return NULL;
}

static struct sta_qp *take_spare(struct sta_engine *engine, const struct fabric_ops *fabric)
{
	struct list_node *node;
	struct sta_qp *found = NULL;

	pthread_mutex_lock(&engine->lock);
	list_for_each (node, &engine->spare_qps) {
		struct sta_qp *qp = container_of(node, struct sta_qp, node);

		if (qp->fabric == fabric) {
			found = qp;
			list_remove(node);
			break;
		}
	}
	pthread_mutex_unlock(&engine->lock);
	return found;
}

/* Clears everything but the memory itself, also what the fabric has behind struct sta_qp. */
static void clear(struct sta_engine *engine, struct sta_qp *qp)
{
	const struct fabric_ops *fabric = qp->fabric;
	void *cmds = qp->cmds;
	uint8_t *in_capsule = qp->in_capsule;
	uint32_t count = qp->cmd_count, i;

	memset(qp, 0, fabric->qp_size);
	qp->fabric = fabric;
	qp->cmds = cmds;
	qp->cmd_count = count;
	qp->in_capsule = in_capsule;
	list_init(&qp->node);
	list_init(&qp->free);
	list_init(&qp->wait_buffer);
	list_init(&qp->wait_node);
	list_init(&qp->wait_app);
	list_init(&qp->wait_app_node);
	for (i = 0; i < count; i++) {
		struct sta_cmd *cmd = qp_cmd(qp, i, fabric->cmd_size);

		cmd->state = CMD_FREE;
		/* one may have lost its memory to a disk when there was no other */
		if (cmd->in_capsule.data ||
		    !sta_buf_init(&cmd->in_capsule, &engine->attr.allocator, STA_IN_CAPSULE))
			list_add_tail(&qp->free, &cmd->node);
	}
}

static void keep_spare(struct sta_engine *engine, struct sta_qp *qp)
{
	pthread_mutex_lock(&engine->lock);
	list_add_tail(&engine->spare_qps, &qp->node);
	pthread_mutex_unlock(&engine->lock);
}

/*
 * Each queue pair of an EU brings a buffer, which it is never without: take_buffer(). Those of
 * queue pairs that have gone stay and are kept for new ones, which then bring none.
 */
static doca_error_t bring_buffer(struct sta_qp *qp)
{
	struct sta_eu *eu = qp->eu;
	doca_error_t err = DOCA_SUCCESS;

	pthread_mutex_lock(&eu->engine->pool_lock);
	/* Relaxed: the lock orders this with other additions, and the EU itself does not add. */
	if (atomic_load_explicit(&eu->qp_count, memory_order_relaxed) > eu->pool.added)
		err = sta_pool_add(&eu->pool, &qp->brought);
	pthread_mutex_unlock(&eu->engine->pool_lock);
	return err;
}

doca_error_t sta_qp_create(struct sta_engine *engine, const struct fabric_ops *fabric,
			   const struct sta_qp_up *up, struct mbox *inbox, struct sta_qp **ret_qp)
{
	struct sta_qp *qp;
	doca_error_t err;

	/* Relaxed: a limit, not an order. */
	if (atomic_fetch_add_explicit(&engine->qp_count, 1, memory_order_relaxed) >=
	    engine->attr.max_qps) {
		atomic_fetch_sub_explicit(&engine->qp_count, 1, memory_order_relaxed);
		return DOCA_ERROR_FULL;
	}
	qp = take_spare(engine, fabric);
	if (!qp)
		qp = new_memory(engine, fabric);
	if (!qp) {
		atomic_fetch_sub_explicit(&engine->qp_count, 1, memory_order_relaxed);
		return DOCA_ERROR_NO_MEMORY;
	}
	clear(engine, qp);
	qp->eu = sta_engine_choose_eu(engine);
	err = bring_buffer(qp);
	if (err) {
		atomic_fetch_sub_explicit(&qp->eu->qp_count, 1, memory_order_relaxed);
		keep_spare(engine, qp);
		atomic_fetch_sub_explicit(&engine->qp_count, 1, memory_order_relaxed);
		return err;
	}
	qp->up = up;
	qp->inbox = inbox;
	qp->id = atomic_fetch_add_explicit(&engine->next_qp_id, 1, memory_order_relaxed);
	*ret_qp = qp;
	return DOCA_SUCCESS;
}

/* From now on there is one more, and it is kept for a queue pair that holds none. */
static void hand_over_buffer(struct sta_qp *qp)
{
	if (!qp->brought)
		return;
	sta_pool_give(&qp->eu->pool, qp->brought);
	qp->eu->pool.owed++;
	qp->brought = NULL;
}

/* takes back what the application has never answered */
static void reclaim(struct sta_cmd *cmd)
{
	if (cmd->state == CMD_APP)
		cmd_release(cmd);
	assert(cmd->state == CMD_FREE);
}

/* EU: the last visit; everything that commands still hold goes back */
static void reap(struct mbox_msg *msg)
{
	struct sta_qp *qp = container_of(msg, struct sta_qp, reap_msg);
	struct sta_eu *eu = qp->eu;
	uint32_t i;

	for (i = 0; i < qp->cmd_count; i++)
		reclaim(qp_cmd(qp, i, qp->fabric->cmd_size));
	assert(!qp->bufs);
	assert(!qp->in_app);
	if (qp->state == QP_NEW) { /* never started */
		hand_over_buffer(qp);
	} else {
		eu->app_owed -= qp_is_owed_place(qp);
		cmd_retry_places(eu);
	}
	keep_spare(eu->engine, qp);
}

void sta_qp_close(struct sta_qp *qp)
{
	assert(qp->state == QP_CLOSED || qp->state == QP_NEW);
	qp->fabric->destroy(qp);
}

void sta_qp_free(struct sta_qp *qp)
{
	atomic_fetch_sub_explicit(&qp->eu->qp_count, 1, memory_order_relaxed);
	/* Whoever destroys one may create another at once, before the EU has seen to it. */
	atomic_fetch_sub_explicit(&qp->eu->engine->qp_count, 1, memory_order_relaxed);
	mbox_post(&qp->eu->inbox, &qp->reap_msg, reap);
}

/*
 * Life
 */

static uint16_t free_index(const struct sta_eu *eu)
{
	uint16_t index = 0;
	struct list_node *node;

	/* the list is in the order of the indices */
	list_for_each (node, &eu->qps) {
		if (sta_qp_index(container_of(node, struct sta_qp, node)) != index)
			break;
		index++;
	}
	return index;
}

static void insert(struct sta_eu *eu, struct sta_qp *qp)
{
	uint16_t index = free_index(eu);
	struct list_node *node;

	/* Relaxed: see sta_qp_index(). */
	atomic_store_explicit(&qp->index, index, memory_order_relaxed);
	list_for_each (node, &eu->qps)
		if (sta_qp_index(container_of(node, struct sta_qp, node)) > index)
			break;
	list_add_tail(node, &qp->node); /* before it */
}

static void add(struct mbox_msg *msg)
{
	struct sta_qp *qp = container_of(msg, struct sta_qp, add_msg);
	struct sta_eu *eu = qp->eu;
	doca_error_t err;

	insert(eu, qp);
	hand_over_buffer(qp);
	qp->deadline_ns = clock_now_ns() + eu->engine->attr.setup_timeout_ns;
	eu_need_tick(eu);
	set_state(qp, QP_LIVE);
	err = qp->fabric->attach(qp);
	if (err)
		qp_fail(qp, SOFTFIELD_STA_SETUP, (uint32_t)err, 0);
}

void sta_qp_start(struct sta_qp *qp)
{
	mbox_post(&qp->eu->inbox, &qp->add_msg, add);
}

static void tell_fabric(struct sta_eu *eu, void *arg)
{
	struct sta_qp *qp = arg;

	(void)eu;
	if (qp->state == QP_LIVE && qp->fabric->established)
		qp->fabric->established(qp);
}

void sta_qp_set_established(struct sta_qp *qp)
{
	atomic_store_explicit(&qp->established, true, memory_order_relaxed);
	sta_eu_call(qp->eu, tell_fabric, qp);
}

static void report_failure(struct mbox_msg *msg)
{
	struct sta_qp *qp = container_of(msg, struct sta_qp, failed_msg);

	qp->up->failed(qp);
}

/* gives up a command that nobody else has in hand; a disk is told that it is not wanted */
static void drop(struct sta_cmd *cmd)
{
	struct sta_qp *qp = cmd->qp;

	if (cmd->state == CMD_EXECUTING)
		sta_beq_abort(cmd->beq, cmd);
	if (cmd->state != CMD_WAIT_BUFFER && cmd->state != CMD_WAIT_APP &&
	    cmd->state != CMD_WAIT_HALF &&
	    (cmd->state != CMD_WAIT_QUEUE || cmd->beq->owner != qp->eu))
		return;
	list_remove(&cmd->node);
	if (list_is_empty(&qp->wait_buffer))
		list_remove(&qp->wait_node);
	if (list_is_empty(&qp->wait_app))
		list_remove(&qp->wait_app_node);
	cmd_release(cmd);
}

/* ends what is in our own hands; what disks have comes back by itself */
static void stop(struct sta_qp *qp)
{
	uint32_t i;

	set_state(qp, QP_ERROR);
	qp->half = NULL;
	/* First those that wait: the places of the others are not for them. */
	for (i = 0; i < qp->cmd_count; i++)
		drop(qp_cmd(qp, i, qp->fabric->cmd_size));
	cmd_retry_places(qp->eu); /* a pair wanted two: behind it others wait that want one */
	qp->fabric->stop(qp);
}

void qp_fail(struct sta_qp *qp, uint32_t operation, uint32_t syndrome, uint32_t vendor)
{
	if (qp->state != QP_LIVE)
		return;
	STA_COUNT(qp->eu->counters.transport_err, 1);
	qp->error = (struct sta_qp_error){operation, syndrome, vendor};
	atomic_store_explicit(&qp->failed, true, memory_order_relaxed);
	stop(qp);
	mbox_post(qp->inbox, &qp->failed_msg, report_failure);
	qp_check_drained(qp);
}

void qp_check_drained(struct sta_qp *qp)
{
	struct sta_op *op = qp->disconnect;

	if (!op || qp->state != QP_ERROR || qp->busy)
		return;
	set_state(qp, QP_CLOSED);
	qp->fabric->detach(qp);
	list_remove(&qp->node);
	qp->disconnect = NULL;
	sta_op_finish(op, DOCA_SUCCESS); /* the queue pair is the application's from here on */
}

static void disconnect(struct mbox_msg *msg)
{
	struct sta_op *op = container_of(msg, struct sta_op, msg);
	struct sta_qp *qp = op->qp;

	assert(!qp->disconnect);
	if (qp->state == QP_LIVE)
		stop(qp);
	qp->disconnect = op; /* only now: the queue pair may be the application's after a drop */
	qp_check_drained(qp);
}

void sta_qp_disconnect(struct sta_qp *qp, struct sta_op *op)
{
	op->qp = qp;
	mbox_post(&qp->eu->inbox, &op->msg, disconnect);
}
