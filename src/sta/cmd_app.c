/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands that the application answers: their way up, and what it asks for.
 */
#include "sta/cmd_priv.h"

#include "base/clock.h"

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
 * Programs have memory for as many commands as doca_sta_get_max_io_num_per_dev() says: the others
 * wait. Not those of admin queues, some of which are meant to be kept, asynchronous event requests.
 */
void cmd_give_to_app(struct sta_cmd *cmd)
{
	struct sta_eu *eu = cmd->qp->eu;

	STA_COUNT(eu->counters.non_offload, 1);
	if (cmd->qp->is_admin || cmd->to_admin) {
		deliver(cmd);
	} else if (eu->app_count < eu->engine->attr.max_in_app) {
		eu->app_count++;
		cmd->in_app_count = true;
		deliver(cmd);
	} else {
		STA_COUNT(eu->counters.app_full, 1);
		if (list_is_empty(&eu->wait_app))
			eu->app_full_ns = clock_now_ns();
		eu_need_tick(eu); /* to see who keeps the others */
		cmd_set_state(cmd, CMD_WAIT_APP);
		list_add_tail(&eu->wait_app, &cmd->node);
	}
}

void cmd_leave_app(struct sta_cmd *cmd)
{
	struct sta_eu *eu = cmd->qp->eu;
	struct sta_cmd *next;

	cmd->in_app_count = false;
	if (list_is_empty(&eu->wait_app)) {
		eu->app_count--;
		return;
	}
	next = container_of(list_pop(&eu->wait_app), struct sta_cmd, node);
	next->in_app_count = true;
	deliver(next);
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

/*
 * A command of the application's whose host has to send or to read something: it keeps a place
 * there for as long as the host likes, see check_owed().
 */
static void wait_for_host(struct sta_cmd *cmd)
{
	if (!cmd->in_app_count)
		return;
	if (!cmd->qp->owing++)
		cmd->qp->owing_ns = cmd->qp->eu->now_ns;
	cmd->waits_for_host = true;
}

void cmd_stop_waiting(struct sta_cmd *cmd)
{
	cmd->waits_for_host = false;
	cmd->qp->owing--;
	cmd->qp->owing_ns = cmd->qp->eu->now_ns;
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
	wait_for_host(cmd);
	cmd_set_state(cmd, CMD_FETCHING);
	STA_COUNT(cmd_counters(cmd)->fetches, 1);
	cmd->qp->fabric->fetch(cmd);
}

void sta_cmd_fetch(struct sta_op *op)
{
	mbox_post(&op->qp->eu->inbox, &op->msg, app_fetch);
}

static void app_respond(struct mbox_msg *msg)
{
	struct sta_op *op = container_of(msg, struct sta_op, msg);
	struct sta_cmd *cmd = op->cmd;
	bool data_fits = !op->with_data || (cmd->buf && cmd->buf != &cmd->in_capsule &&
					    cmd->where.size <= cmd->buf->capacity);

	if (!accepts(op) || !data_fits) {
		if (cmd_generation(cmd) == op->generation && cmd->state == CMD_APP &&
		    !cmd_is_live(cmd))
			cmd_release(cmd); /* this was the answer, too late */
		sta_op_finish(op, DOCA_ERROR_IO_FAILED);
		return;
	}
	cmd->op = op;
	cmd->cqe = op->cqe;
	cmd->size = op->with_data ? cmd->where.size : 0;
	wait_for_host(cmd);
	cmd_respond(cmd);
}

bool cmd_forget(struct sta_cmd *cmd, uint32_t generation)
{
	if (cmd_generation(cmd) != generation || cmd->state != CMD_APP || !cmd_is_live(cmd))
		return false;
	cmd->qp->outstanding--;
	if (cmd->qp->since_head) /* no response tells of its entry */
		cmd->qp->since_head--;
	cmd_release(cmd);
	return true;
}

void sta_cmd_respond(struct sta_op *op)
{
	mbox_post(&op->qp->eu->inbox, &op->msg, app_respond);
}
