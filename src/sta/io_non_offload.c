/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands that the application answers.
 */
#include "sta/sta.h"

#include <string.h>
#include "sta/cmd_app.h"
#include "sta/fabric.h"

doca_error_t doca_sta_io_non_offload_register_cb(struct doca_sta_io *sta_io,
						 doca_sta_io_non_offload_cb_t non_offload_cb,
						 union doca_data user_data)
{
	if (!sta_io || !non_offload_cb)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx_check_idle(&sta_io->ctx))
		return DOCA_ERROR_BAD_STATE;
	sta_io->non_offload_cb = non_offload_cb;
	sta_io->non_offload_data = user_data;
	return DOCA_SUCCESS;
}

/* After a disconnect the engine does not know the queue pair any more: the task fails at once. */
static doca_error_t submit(struct doca_task *base, void (*send)(struct sta_op *op))
{
	struct doca_sta_producer_task_send *task = sta_task_of(base);

	task_accept(base);
	if (!task->qp ||
	    (task->qp->state != HANDLE_STARTED && task->qp->state != HANDLE_DISCONNECTING)) {
		task_complete(base, DOCA_ERROR_IO_FAILED);
		return DOCA_SUCCESS;
	}
	send(&task->op);
	return DOCA_SUCCESS;
}

static doca_error_t submit_read(struct doca_task *base, uint32_t flags)
{
	(void)flags;
	return submit(base, cmd_app_fetch);
}

static doca_error_t submit_respond(struct doca_task *base, uint32_t flags)
{
	(void)flags;
	return submit(base, cmd_app_respond);
}

static const struct task_type read_type = {.name = "read", .submit = submit_read};
static const struct task_type respond_type = {.name = "write and send", .submit = submit_respond};

doca_error_t doca_sta_io_task_non_offload_set_rdma_write_send_conf(
	struct doca_sta_io *sta_io, doca_sta_task_completion_cb_t task_completion_cb,
	doca_sta_task_completion_cb_t task_error_cb)
{
	if (!sta_io)
		return DOCA_ERROR_INVALID_VALUE;
	return sta_task_set_conf(&sta_io->respond_pool, &sta_io->ctx, &respond_type,
				 (struct sta_task_conf){task_completion_cb, task_error_cb},
				 (uint32_t)priv_topo_limits()->sta_max_non_offload_tasks,
				 &sta_io->respond_conf);
}

doca_error_t
doca_sta_io_task_non_offload_set_rdma_read_conf(struct doca_sta_io *sta_io,
						doca_sta_task_completion_cb_t task_completion_cb,
						doca_sta_task_completion_cb_t task_error_cb)
{
	if (!sta_io)
		return DOCA_ERROR_INVALID_VALUE;
	return sta_task_set_conf(&sta_io->read_pool, &sta_io->ctx, &read_type,
				 (struct sta_task_conf){task_completion_cb, task_error_cb},
				 (uint32_t)priv_topo_limits()->sta_max_non_offload_tasks,
				 &sta_io->read_conf);
}

/* the command that the token stands for; NULL: no such, or one that the program was not told of */
static struct sta_cmd *find_cmd(const struct doca_sta_io *io, const struct doca_sta_qp_handle *qp,
				union doca_data token)
{
	uint16_t index = (uint16_t)token.u64;
	struct sta_cmd *cmd;

	if (!io || !qp || qp->io != io || index >= qp->qp->cmd_count)
		return NULL;
	cmd = qp_cmd(qp->qp, index, qp->qp->fabric->cmd_size);
	return cmd->told == token.u64 && cmd_token(cmd) == token.u64 ? cmd : NULL;
}

/* How the program names a command. */
struct named_cmd {
	struct doca_sta_io *io;
	struct doca_sta_qp_handle *qp;
	union doca_data token;
};

/* a task about the command that the token stands for */
static doca_error_t alloc_init(const struct named_cmd *named, struct task_pool *pool,
			       const struct sta_task_conf *conf, union doca_data user_data,
			       struct doca_sta_producer_task_send **ret_task)
{
	struct sta_cmd *cmd = find_cmd(named->io, named->qp, named->token);
	struct sta_op *op;
	doca_error_t err;

	if (!cmd || !ret_task)
		return DOCA_ERROR_INVALID_VALUE;
	err = sta_task_alloc(pool, conf, user_data, &named->qp->tasks, ret_task);
	if (err)
		return err;
	(*ret_task)->qp = named->qp;
	op = &(*ret_task)->op;
	op->reply = &named->io->inbox;
	op->done = sta_task_op_done;
	op->qp = named->qp->qp;
	op->cmd = cmd;
	op->generation = (uint32_t)(named->token.u64 >> 32);
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_io_task_non_offload_rdma_read_alloc_init(
	struct doca_sta_io *sta_io, union doca_data user_data, struct doca_sta_qp_handle *qp_handle,
	union doca_data non_offload_user_data, struct doca_sta_producer_task_send **task)
{
	if (!sta_io)
		return DOCA_ERROR_INVALID_VALUE;
	return alloc_init(&(struct named_cmd){sta_io, qp_handle, non_offload_user_data},
			  &sta_io->read_pool, &sta_io->read_conf, user_data, task);
}

/* the completion is copied: the caller's may go */
static doca_error_t alloc_respond(const struct named_cmd *named, const uint8_t *completion,
				  bool with_data, union doca_data user_data,
				  struct doca_sta_producer_task_send **task)
{
	doca_error_t err;

	if (!named->io || !completion)
		return DOCA_ERROR_INVALID_VALUE;
	err = alloc_init(named, &named->io->respond_pool, &named->io->respond_conf, user_data,
			 task);
	if (err)
		return err;
	memcpy(&(*task)->op.cqe, completion, sizeof((*task)->op.cqe));
	(*task)->op.with_data = with_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_io_task_non_offload_rdma_write_send_alloc_init(
	struct doca_sta_io *sta_io, union doca_data user_data, struct doca_sta_qp_handle *qp_handle,
	doca_sta_nvme_completion_t completion, union doca_data non_offload_user_data,
	struct doca_sta_producer_task_send **task)
{
	return alloc_respond(&(struct named_cmd){sta_io, qp_handle, non_offload_user_data},
			     completion, true, user_data, task);
}

doca_error_t doca_sta_io_task_non_offload_rdma_send_alloc_init(
	struct doca_sta_io *sta_io, union doca_data user_data, struct doca_sta_qp_handle *qp_handle,
	doca_sta_nvme_completion_t completion, union doca_data non_offload_user_data,
	struct doca_sta_producer_task_send **task)
{
	return alloc_respond(&(struct named_cmd){sta_io, qp_handle, non_offload_user_data},
			     completion, false, user_data, task);
}

struct drop {
	struct sta_cmd *cmd;
	uint32_t generation;
	bool dropped;
};

static void drop(struct sta_eu *eu, void *arg)
{
	struct drop *d = arg;

	(void)eu;
	d->dropped = cmd_forget(d->cmd, d->generation);
}

doca_error_t softfield_sta_io_drop_command(struct doca_sta_io *sta_io,
					   struct doca_sta_qp_handle *qp_handle,
					   union doca_data non_offload_user_data)
{
	struct drop d = {.cmd = find_cmd(sta_io, qp_handle, non_offload_user_data),
			 .generation = (uint32_t)(non_offload_user_data.u64 >> 32)};

	if (!d.cmd)
		return DOCA_ERROR_INVALID_VALUE;
	sta_eu_call(qp_handle->qp->eu, drop, &d);
	return d.dropped ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}
