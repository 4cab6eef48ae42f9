/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands that the application answers: their way up, and what it asks for.
 */
#include "sta/cmd_app.h"

#include "base/clock.h"
#include "sta/cmd_priv.h"
#include "sta/sq.h"

/* What a host has to do within OWED_NS: a byte a second would keep others waiting for ever. */
#define OWED_BYTES (32u << 10)

static void deliver_to_app(struct mbox_msg *msg)
{
	struct sta_cmd *cmd = container_of(msg, struct sta_cmd, msg);

	cmd->qp->up->command(cmd);
}

static void deliver(struct sta_cmd *cmd)
{
	cmd_set_state(cmd, CMD_APP);
	mbox_post(cmd->qp->inbox, &cmd->msg, deliver_to_app);
}

/*
 * Places: programs have memory for as many commands as doca_sta_get_max_io_num_per_dev() says, and
 * the others wait. Not those of admin queues, some of which are meant to be kept, asynchronous
 * event requests.
 *
 * A host may hold its places for as long as it likes, by owing data or by not reading: others find
 * some all the same. Whoever has one already leaves as many as there are queue pairs that have
 * none, but not more than half of all.
 */

static void count_place(struct sta_qp *qp, int change)
{
	struct sta_eu *eu = qp->eu;

	eu->app_count += (uint32_t)change;
	eu->app_owed -= qp_is_owed_place(qp);
	qp->in_app += (uint32_t)change;
	eu->app_owed += qp_is_owed_place(qp);
}

/*
 * Who comes later does not go first: the two places that a pair waits for would never be free at
 * the same time.
 */
static bool others_come_first(const struct sta_qp *qp)
{
	const struct sta_eu *eu = qp->eu;

	return !list_is_empty(&eu->wait_first) || (qp->in_app && !list_is_empty(&eu->wait_more));
}

/* The halves of a fused command find two, or none: one would wait for the other. */
static bool finds_place(const struct sta_cmd *cmd)
{
	const struct sta_qp *qp = cmd->qp;
	const struct sta_eu *eu = qp->eu;
	uint32_t max = eu->engine->attr.max_in_app, kept = 0;
	uint32_t wanted = cmd->is_half && max > 1 ? 2 : 1;

	if (qp->in_app)
		kept = eu->app_owed < max / 2 ? eu->app_owed : max / 2;
	return eu->app_count + kept + wanted <= max;
}

static void take_place(struct sta_cmd *cmd)
{
	struct sta_cmd *second = cmd->is_half ? cmd->partner : NULL;

	count_place(cmd->qp, 1);
	cmd->in_app_count = true;
	deliver(cmd);
	if (!second)
		return;
	cmd->partner = second->partner = NULL;
	STA_COUNT(cmd_counters(second)->non_offload, 1);
	take_place(second);
}

/* Queue pairs without a place come first; those with some, and those without, by turns. */
static void queue_for_place(struct sta_qp *qp)
{
	struct sta_eu *eu = qp->eu;

	list_remove(&qp->wait_app_node);
	if (!list_is_empty(&qp->wait_app))
		list_add_tail(qp->in_app ? &eu->wait_more : &eu->wait_first, &qp->wait_app_node);
}

bool cmd_places_are_wanted(const struct sta_eu *eu)
{
	return !list_is_empty(&eu->wait_first) || !list_is_empty(&eu->wait_more);
}

static void wait_for_place(struct sta_cmd *cmd)
{
	struct sta_qp *qp = cmd->qp;
	struct sta_eu *eu = qp->eu;

	STA_COUNT(eu->counters.app_full, 1);
	if (!cmd_places_are_wanted(eu))
		eu->app_full_ns = clock_now_ns();
	eu_need_tick(eu); /* to see who keeps the others */
	cmd_set_state(cmd, CMD_WAIT_APP);
	list_add_tail(&qp->wait_app, &cmd->node);
	if (!list_is_linked(&qp->wait_app_node))
		queue_for_place(qp);
}

void cmd_retry_places(struct sta_eu *eu)
{
	while (cmd_places_are_wanted(eu)) {
		const struct list_node *queue =
			list_is_empty(&eu->wait_first) ? &eu->wait_more : &eu->wait_first;
		struct sta_qp *qp = container_of(queue->next, struct sta_qp, wait_app_node);

		if (!finds_place(container_of(qp->wait_app.next, struct sta_cmd, node)))
			break;
		take_place(container_of(list_pop(&qp->wait_app), struct sta_cmd, node));
		queue_for_place(qp);
	}
}

void cmd_give_to_app(struct sta_cmd *cmd)
{
	struct sta_qp *qp = cmd->qp;

	STA_COUNT(qp->eu->counters.non_offload, 1);
	if (qp->is_admin || cmd->to_admin)
		deliver(cmd);
	else if (!others_come_first(qp) && finds_place(cmd))
		take_place(cmd);
	else
		wait_for_place(cmd);
}

void cmd_leave_app(struct sta_cmd *cmd)
{
	struct sta_qp *qp = cmd->qp;

	cmd->in_app_count = false;
	count_place(qp, -1);
	if (!qp->in_app)
		queue_for_place(qp);
	cmd_retry_places(qp->eu);
}

void cmd_to_app(struct sta_cmd *cmd)
{
	cmd->offloaded = false;
	cmd->size = 0;
	if (cmd->where.place == CAPSULE_IN_CAPSULE || cmd->where.place == CAPSULE_NO_DATA) {
		cmd_use_in_capsule(cmd);
		cmd_give_to_app(cmd);
		return;
	}
	cmd_need_buffer(cmd);
}

static void note_progress(struct sta_qp *qp)
{
	qp->owing_ns = qp->eu->now_ns;
	qp->owing_bytes = 0;
}

void qp_note_moved(struct sta_qp *qp, size_t size)
{
	qp->owing_bytes += size < OWED_BYTES ? (uint32_t)size : OWED_BYTES;
	if (qp->owing_bytes >= OWED_BYTES)
		note_progress(qp);
}

/*
 * A command of the application's whose host has to send or to read something: it keeps a place
 * there for as long as the host likes, see check_owed().
 */
static void wait_for_host(struct sta_cmd *cmd, enum sta_owed what)
{
	if (!cmd->in_app_count)
		return;
	if (!cmd->qp->owing++)
		note_progress(cmd->qp);
	cmd->qp->unread += what == STA_OWED_READING;
	cmd->owed = what;
}

void cmd_stop_waiting(struct sta_cmd *cmd)
{
	cmd->qp->unread -= cmd->owed == STA_OWED_READING;
	cmd->owed = STA_OWED_NOTHING;
	cmd->qp->owing--;
	note_progress(cmd->qp);
}

/* false: the token is old, or the queue pair does not carry anything any more */
static bool accepts(const struct sta_op *op)
{
	const struct sta_cmd *cmd = op->cmd;

	return cmd_generation(cmd) == op->generation && cmd->state == CMD_APP && cmd_is_live(cmd);
}

static void app_fetch(struct mbox_msg *msg)
{
	struct sta_op *op = container_of(msg, struct sta_op, msg);
	struct sta_cmd *cmd = op->cmd;

	if (!accepts(op) || cmd->buf == &cmd->in_capsule ||
	    !(capsule_direction(&cmd->sqe) & CAPSULE_TO_TARGET) ||
	    cmd->where.size > cmd->buf->capacity) {
		sta_op_finish(op, DOCA_ERROR_IO_FAILED);
		return;
	}
	cmd->op = op;
	cmd->size = cmd->where.size;
	wait_for_host(cmd, STA_OWED_DATA);
	cmd_set_state(cmd, CMD_FETCHING);
	STA_COUNT(cmd_counters(cmd)->fetches, 1);
	cmd->qp->fabric->fetch(cmd);
}

void cmd_app_fetch(struct sta_op *op)
{
	mbox_post(&op->qp->eu->inbox, &op->msg, app_fetch);
}

/* Data that came with the command is in the way of what would go back; nothing always fits. */
static bool data_fits(const struct sta_op *op)
{
	const struct sta_cmd *cmd = op->cmd;

	return !op->with_data || !cmd->where.size ||
	       (cmd->buf && cmd->buf != &cmd->in_capsule && cmd->where.size <= cmd->buf->capacity);
}

static void app_respond(struct mbox_msg *msg)
{
	struct sta_op *op = container_of(msg, struct sta_op, msg);
	struct sta_cmd *cmd = op->cmd;

	if (!accepts(op) || !data_fits(op)) {
		if (cmd_generation(cmd) == op->generation && cmd->state == CMD_APP &&
		    !cmd_is_live(cmd))
			cmd_release(cmd); /* this was the answer, too late */
		sta_op_finish(op, DOCA_ERROR_IO_FAILED);
		return;
	}
	cmd->op = op;
	cmd->cqe = op->cqe;
	cmd->size = op->with_data ? cmd->where.size : 0;
	wait_for_host(cmd, STA_OWED_READING);
	cmd_respond(cmd);
}

bool cmd_forget(struct sta_cmd *cmd, uint32_t generation)
{
	if (cmd_generation(cmd) != generation || cmd->state != CMD_APP || !cmd_is_live(cmd))
		return false;
	sq_forget(cmd->qp);
	cmd_release(cmd);
	return true;
}

void cmd_app_respond(struct sta_op *op)
{
	mbox_post(&op->qp->eu->inbox, &op->msg, app_respond);
}
