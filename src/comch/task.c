/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Send tasks of the control channel. A task that can be allocated can be submitted: without room in
 * the peer's queue it waits here, in order, and its completion is what is held back.
 */
#define LOG_MODULE "comch"
#include "base/log.h"
#include "comch/comch.h"

static void enqueue(struct doca_comch_connection *connection, struct doca_comch_task_send *task)
{
	task->base.next = NULL;
	if (!connection->waiting)
		connection->waiting_tail = &connection->waiting;
	*connection->waiting_tail = task;
	connection->waiting_tail = (struct doca_comch_task_send **)&task->base.next;
	chan_want_room(&connection->chan);
}

static struct doca_comch_task_send *dequeue(struct doca_comch_connection *connection)
{
	struct doca_comch_task_send *task = connection->waiting;

	connection->waiting = (struct doca_comch_task_send *)task->base.next;
	return task;
}

static doca_error_t send_submit(struct doca_task *base, uint32_t flags)
{
	struct doca_comch_task_send *task = (struct doca_comch_task_send *)base;
	struct doca_comch_connection *connection = task->connection;

	(void)flags; /* a message is published by itself, there is nothing to flush */
	task_accept(base);
	if (doca_unlikely(!comch_connection_is_open(connection) ||
			  task->generation != connection->generation))
		task_complete(base, DOCA_ERROR_CONNECTION_RESET);
	else if (!connection->waiting && chan_send(&connection->chan, task->msg, task->size))
		task_complete(base, DOCA_SUCCESS);
	else
		enqueue(connection, task);
	return DOCA_SUCCESS;
}

static const struct task_type send_type = {.name = "comch send", .submit = send_submit};

void comch_send_waiting(struct doca_comch_connection *connection)
{
	while (connection->waiting) {
		struct doca_comch_task_send *task = connection->waiting;

		if (doca_unlikely(task->base.state == TASK_ABANDONED)) {
			/* and its message may be gone */
			task_complete(&dequeue(connection)->base, DOCA_ERROR_IO_FAILED);
			continue;
		}
		if (!chan_send(&connection->chan, task->msg, task->size)) {
			chan_want_room(&connection->chan);
			return;
		}
		task_complete(&dequeue(connection)->base, DOCA_SUCCESS);
	}
}

void comch_send_fail_waiting(struct doca_comch_connection *connection)
{
	while (connection->waiting)
		task_complete(&dequeue(connection)->base, DOCA_ERROR_CONNECTION_RESET);
}

static doca_error_t send_configure(struct comch_ep *ep,
				   doca_comch_task_send_completion_cb_t completion_cb,
				   doca_comch_task_send_completion_cb_t error_cb, uint32_t count)
{
	return priv_task_pool_configure(
		&ep->send_pool, &ep->ctx,
		&(struct task_pool_config){
			.type = &send_type,
			.task_size = sizeof(struct doca_comch_task_send),
			.completion_cb = (doca_task_completion_cb_t)completion_cb,
			.error_cb = (doca_task_completion_cb_t)error_cb,
			.count = count,
			.max = (uint32_t)priv_topo_limits()->comch_max_send_tasks,
		});
}

static __attribute__((cold)) doca_error_t refuse_size(const struct comch_ep *ep, const void *msg,
						      uint32_t size)
{
	LOG_DBG("a message of %u bytes at %p; 1 to %u are allowed", size, msg, ep->max_msg_size);
	return DOCA_ERROR_INVALID_VALUE;
}

/* Without arguments: each would be kept in a register until here. */
static __attribute__((cold)) doca_error_t refuse_connection(void)
{
	LOG_DBG("a message for a connection that is closed, another's, or takes only shorter ones");
	return DOCA_ERROR_INVALID_VALUE;
}

static __attribute__((cold)) doca_error_t refuse_state(void)
{
	LOG_DBG("a message for a server or client that is not running");
	return DOCA_ERROR_BAD_STATE;
}

static doca_error_t send_alloc(struct comch_ep *ep, struct doca_comch_connection *connection,
			       const void *msg, uint32_t size,
			       struct doca_comch_task_send **ret_task)
{
	struct doca_comch_task_send *task;
	struct doca_task *base;
	doca_error_t err;

	if (doca_unlikely(!msg || !size || size > ep->max_msg_size))
		return refuse_size(ep, msg, size);
	if (doca_unlikely(ep->ctx.state != DOCA_CTX_STATE_RUNNING))
		return refuse_state();
	if (doca_unlikely(connection->ep != ep || !comch_connection_is_open(connection) ||
			  size > connection->chan.max_msg_size))
		return refuse_connection();
	err = task_alloc(&ep->send_pool, &base);
	if (doca_unlikely(err))
		return err;
	task = (struct doca_comch_task_send *)base;
	task->connection = connection;
	task->generation = connection->generation;
	task->msg = msg;
	task->size = size;
	*ret_task = task;
	return DOCA_SUCCESS;
}

/*
 * Public
 */

doca_error_t
doca_comch_server_task_send_set_conf(struct doca_comch_server *comch_server,
				     doca_comch_task_send_completion_cb_t task_completion_cb,
				     doca_comch_task_send_completion_cb_t task_error_cb,
				     uint32_t num_send_tasks)
{
	if (!comch_server)
		return DOCA_ERROR_INVALID_VALUE;
	return send_configure(&comch_server->ep, task_completion_cb, task_error_cb, num_send_tasks);
}

doca_error_t
doca_comch_client_task_send_set_conf(struct doca_comch_client *comch_client,
				     doca_comch_task_send_completion_cb_t task_completion_cb,
				     doca_comch_task_send_completion_cb_t task_error_cb,
				     uint32_t num_send_tasks)
{
	if (!comch_client)
		return DOCA_ERROR_INVALID_VALUE;
	return send_configure(&comch_client->ep, task_completion_cb, task_error_cb, num_send_tasks);
}

doca_error_t doca_comch_server_task_send_alloc_init(struct doca_comch_server *comch_server,
						    struct doca_comch_connection *peer,
						    const void *msg, uint32_t len,
						    struct doca_comch_task_send **task)
{
	if (doca_unlikely(!comch_server || !peer || !task))
		return DOCA_ERROR_INVALID_VALUE;
	return send_alloc(&comch_server->ep, peer, msg, len, task);
}

doca_error_t doca_comch_client_task_send_alloc_init(struct doca_comch_client *comch_client,
						    struct doca_comch_connection *peer,
						    const void *msg, uint32_t len,
						    struct doca_comch_task_send **task)
{
	if (doca_unlikely(!comch_client || !peer || !task))
		return DOCA_ERROR_INVALID_VALUE;
	return send_alloc(&comch_client->ep, peer, msg, len, task);
}

struct doca_task *doca_comch_task_send_as_task(struct doca_comch_task_send *task)
{
	return &task->base;
}
