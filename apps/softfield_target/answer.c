/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Answers to hosts, and the data of their commands. Both are tasks of the library, which has a
 * certain number of them, and a task lasts as long as the host likes: until it has read the answer
 * or sent the data. So each connection has a share, and what finds that used up waits.
 */
#include "conn.h"

#include <string.h>
#include "topo/topo.h"

static unsigned int share(void)
{
	const struct topo_limits *limits = priv_topo_limits();
	uint64_t share = limits->sta_max_non_offload_tasks / limits->sta_max_qps;

	return share ? (unsigned int)share : 1;
}

/* NO_MEMORY: the library has none left. Otherwise the command is not the caller's any more. */
static doca_error_t submit(struct cmd *cmd, struct conn_tasks *tasks)
{
	struct doca_sta_producer_task_send *task;
	doca_error_t err = tasks->alloc(cmd, &task);

	if (err == DOCA_ERROR_NO_MEMORY)
		return err;
	if (!err)
		err = doca_task_submit(doca_sta_producer_send_task_as_task(task));
	if (!err) {
		tasks->count++;
		return DOCA_SUCCESS;
	}
	conn_disconnect(cmd->conn, doca_error_get_descr(err));
	conn_done_with(cmd);
	return err;
}

static void start_waiting(struct conn_tasks *tasks)
{
	list_remove(&tasks->node);
	while (tasks->count < share()) {
		struct list_node *node = list_pop(&tasks->waiting);
		doca_error_t err;

		if (!node)
			return;
		err = submit(container_of(node, struct cmd, node), tasks);
		if (!err)
			continue;
		if (err == DOCA_ERROR_NO_MEMORY) {
			list_add_head(&tasks->waiting, node);
			list_add_tail(tasks->without, &tasks->node);
		}
		return; /* the connection may have gone */
	}
}

static void start(struct cmd *cmd, struct conn_tasks *tasks)
{
	list_add_tail(&tasks->waiting, &cmd->node);
	start_waiting(tasks);
}

/* one has ended, and has been freed */
static void ended(struct conn_tasks *tasks)
{
	struct list_node *without = tasks->without;

	tasks->count--;
	start_waiting(tasks);
	if (!list_is_empty(without))
		start_waiting(container_of(without->next, struct conn_tasks, node));
}

/*
 * Answers
 */

static void on_answered(struct doca_sta_producer_task_send *task, union doca_data user_data)
{
	struct cmd *cmd = user_data.ptr;

	doca_task_free(doca_sta_producer_send_task_as_task(task));
	ended(&cmd->conn->answers);
	if (cmd->req.is_last)
		nvmf_auth_is_over(&cmd->conn->queue);
	conn_done_with(cmd);
}

/* the host would wait for this one for ever */
static void on_answer_failed(struct doca_sta_producer_task_send *task, union doca_data user_data)
{
	struct cmd *cmd = user_data.ptr;

	conn_disconnect(cmd->conn, NULL);
	on_answered(task, user_data);
}

/* with data: exactly as much as the host has room for */
static doca_error_t alloc_answer(struct cmd *cmd, struct doca_sta_producer_task_send **ret_task)
{
	const struct nvmf_req *req = &cmd->req;
	union doca_data user_data = {.ptr = cmd};
	struct doca_sta_io *io = cmd->conn->target->io;

	if (req->reply_size && !req->status)
		return doca_sta_io_task_non_offload_rdma_write_send_alloc_init(
			io, user_data, cmd->conn->qp, cmd->cqe, cmd->token, ret_task);
	return doca_sta_io_task_non_offload_rdma_send_alloc_init(io, user_data, cmd->conn->qp,
								 cmd->cqe, cmd->token, ret_task);
}

void conn_answer(struct cmd *cmd)
{
	const struct nvmf_req *req = &cmd->req;
	struct nvme_cqe cqe = {
		.dw0 = htole32(req->dw0),
		.dw1 = htole32(req->dw1),
		.cid = req->cmd.cid,
		.status = htole16((uint16_t)(req->status << 1)),
	};

	memcpy(cmd->cqe, &cqe, sizeof(cqe));
	if (req->reply_size && !req->status)
		memset(req->data + req->reply_size, 0, req->size - req->reply_size);
	start(cmd, &cmd->conn->answers);
}

/*
 * Data of hosts
 */

static void on_fetched(struct doca_sta_producer_task_send *task, union doca_data user_data)
{
	struct cmd *cmd = user_data.ptr;

	doca_task_free(doca_sta_producer_send_task_as_task(task));
	ended(&cmd->conn->reads);
	conn_execute(cmd);
}

/* a wrong data digest, for instance: the host may try again */
static void on_fetch_failed(struct doca_sta_producer_task_send *task, union doca_data user_data)
{
	struct cmd *cmd = user_data.ptr;

	doca_task_free(doca_sta_producer_send_task_as_task(task));
	ended(&cmd->conn->reads);
	cmd->req.status = NVME_SC_TRANSIENT_TRANSPORT;
	conn_answer(cmd);
}

static doca_error_t alloc_read(struct cmd *cmd, struct doca_sta_producer_task_send **ret_task)
{
	union doca_data user_data = {.ptr = cmd};

	return doca_sta_io_task_non_offload_rdma_read_alloc_init(
		cmd->conn->target->io, user_data, cmd->conn->qp, cmd->token, ret_task);
}

void conn_fetch(struct cmd *cmd)
{
	start(cmd, &cmd->conn->reads);
}

/*
 * Connections
 */

void conn_register_tasks(struct doca_sta_io *io)
{
	doca_sta_io_task_non_offload_set_rdma_read_conf(io, on_fetched, on_fetch_failed);
	doca_sta_io_task_non_offload_set_rdma_write_send_conf(io, on_answered, on_answer_failed);
}

void conn_init_tasks(struct conn *conn)
{
	conn->answers = (struct conn_tasks){.alloc = alloc_answer,
					    .without = &conn->target->without_answers};
	conn->reads =
		(struct conn_tasks){.alloc = alloc_read, .without = &conn->target->without_reads};
	list_init(&conn->answers.waiting);
	list_init(&conn->answers.node);
	list_init(&conn->reads.waiting);
	list_init(&conn->reads.node);
}

static void drop_waiting(struct conn_tasks *tasks)
{
	struct list_node *node;

	list_remove(&tasks->node);
	while ((node = list_pop(&tasks->waiting)))
		conn_done_with(container_of(node, struct cmd, node));
}

void conn_drop_unanswered(struct conn *conn)
{
	drop_waiting(&conn->answers);
	drop_waiting(&conn->reads);
}
