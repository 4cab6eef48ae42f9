/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tasks of all kinds have in common.
 */
#include "sta/sta.h"

/* Callbacks of this library get no user data of the context, unlike those of the others. */
static void completed(struct doca_task *task, union doca_data task_data, union doca_data ctx_data)
{
	struct doca_sta_producer_task_send *send = sta_task_of(task);

	(void)ctx_data;
	send->conf->completed(send, task_data);
}

static void failed(struct doca_task *task, union doca_data task_data, union doca_data ctx_data)
{
	struct doca_sta_producer_task_send *send = sta_task_of(task);

	(void)ctx_data;
	send->conf->failed(send, task_data);
}

doca_error_t sta_task_set_conf(struct task_pool *pool, struct doca_ctx *ctx,
			       const struct task_type *type, struct sta_task_conf conf,
			       uint32_t count, struct sta_task_conf *ret_conf)
{
	doca_error_t err;

	if (!conf.completed || !conf.failed)
		return DOCA_ERROR_INVALID_VALUE;
	err = priv_task_pool_configure(
		pool, ctx,
		&(struct task_pool_config){
			.type = type,
			.task_size = sizeof(struct doca_sta_producer_task_send),
			.completion_cb = completed,
			.error_cb = failed,
			.count = count,
			.max = count,
		});
	if (!err)
		*ret_conf = conf;
	return err;
}

doca_error_t sta_task_alloc(struct task_pool *pool, const struct sta_task_conf *conf,
			    union doca_data user_data, struct list_node *tasks,
			    struct doca_sta_producer_task_send **ret_task)
{
	struct doca_sta_producer_task_send *send;
	struct doca_task *task;
	doca_error_t err = task_alloc(pool, &task);

	if (err)
		return err;
	task->user_data = user_data;
	send = sta_task_of(task);
	send->conf = conf;
	send->op = (struct sta_op){0};
	if (send->node.next) /* it has been about something before */
		list_remove(&send->node);
	list_add_tail(tasks, &send->node);
	*ret_task = send;
	return DOCA_SUCCESS;
}

void sta_tasks_forget(struct list_node *tasks)
{
	struct list_node *node;

	while ((node = list_pop(tasks))) {
		struct doca_sta_producer_task_send *task =
			container_of(node, struct doca_sta_producer_task_send, node);

		task->qp = NULL;
		task->ns = NULL;
		task->be_q = NULL;
	}
}

void sta_task_op_done(struct sta_op *op)
{
	struct doca_sta_producer_task_send *send =
		container_of(op, struct doca_sta_producer_task_send, op);

	task_report(&send->base, op->result);
}

struct doca_task *doca_sta_producer_send_task_as_task(struct doca_sta_producer_task_send *task)
{
	return task ? &task->base : NULL;
}
