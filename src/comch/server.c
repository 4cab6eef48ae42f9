/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doca_comch_server: listens under a name for the clients of one host function.
 */
#define LOG_MODULE "comch"
#include <stdlib.h>
#include "base/log.h"
#include "comch/comch.h"

static struct doca_comch_server *server_of(struct chan_server *chan_server)
{
	return container_of(chan_server, struct doca_comch_server, chan_server);
}

static void tell(struct doca_comch_server *server,
		 doca_comch_event_connection_status_changed_cb_t cb,
		 struct doca_comch_connection *connection, bool successful)
{
	server->ep.ctx.pe->has_told = true;
	cb((struct doca_comch_event_connection_status_changed *)server, connection, successful);
}

/*
 * Connections
 */

static void connection_closed(struct chan *chan, doca_error_t reason)
{
	struct doca_comch_connection *connection = comch_connection_of(chan);
	struct doca_comch_server *server = connection->server;
	struct doca_ctx *ctx = &server->ep.ctx;

	(void)reason;
	comch_send_fail_waiting(connection);
	pe_tell_done(ctx->pe); /* what the program keeps for the connection may go with it */
	chan_server_forget(&server->chan_server);
	list_remove(&connection->node);
	chan_fini(chan);
	tell(server, server->disconnect_cb, connection, true);
	list_add_tail(&server->spare, &connection->node);
	if (list_is_empty(&server->connections))
		priv_ctx_stopped(ctx);
}

static const struct chan_ops server_chan_ops = {
	.message = comch_connection_message,
	.room = comch_connection_room,
	.closed = connection_closed,
	.consumer_new = comch_connection_consumer_new,
	.consumer_gone = comch_connection_consumer_gone,
};

static struct chan *connection_alloc(struct chan_server *chan_server)
{
	struct doca_comch_server *server = server_of(chan_server);
	struct list_node *node = list_pop(&server->spare);
	struct doca_comch_connection *connection;

	connection = node ? container_of(node, struct doca_comch_connection, node)
			  : calloc(1, sizeof(*connection));
	if (!connection)
		return NULL;
	comch_connection_init(connection, &server->ep);
	connection->server = server;
	connection->chan.ops = &server_chan_ops;
	return &connection->chan;
}

static void connection_opened(struct chan_server *chan_server, struct chan *chan)
{
	struct doca_comch_server *server = server_of(chan_server);
	struct doca_comch_connection *connection = comch_connection_of(chan);

	list_add_tail(&server->connections, &connection->node);
	tell(server, server->connect_cb, connection, true);
}

static void connection_refused(struct chan_server *chan_server, struct chan *chan)
{
	struct doca_comch_server *server = server_of(chan_server);
	struct doca_comch_connection *connection = comch_connection_of(chan);

	chan_fini(chan);
	tell(server, server->connect_cb, connection, false);
	list_add_tail(&server->spare, &connection->node);
}

static const struct chan_server_ops chan_server_ops = {
	.alloc = connection_alloc,
	.opened = connection_opened,
	.refused = connection_refused,
};

static void visit_connections(struct chan_server *chan_server,
			      void (*visit)(struct chan *chan, void *arg), void *arg)
{
	struct list_node *node;

	list_for_each (node, &server_of(chan_server)->connections)
		visit(&container_of(node, struct doca_comch_connection, node)->chan, arg);
}

/*
 * Context
 */

static doca_error_t server_check(struct doca_ctx *ctx)
{
	struct doca_comch_server *server = container_of(ctx, struct doca_comch_server, ep.ctx);
	doca_error_t err = comch_ep_check(&server->ep, TOPO_DPU);

	if (!err && !server->connect_cb) {
		LOG_ERR("comch server \"%s\": the connection event must be set before start",
			server->ep.name);
		err = DOCA_ERROR_BAD_STATE;
	}
	return err;
}

static doca_error_t server_start(struct doca_ctx *ctx)
{
	struct doca_comch_server *server = container_of(ctx, struct doca_comch_server, ep.ctx);
	struct chan_config config =
		comch_ep_config(&server->ep, priv_dev_rep_topo(server->rep)->host);
	doca_error_t err;

	err = priv_task_pool_start(&server->ep.send_pool);
	if (err)
		return err;
	return chan_server_start(&server->chan_server, &config, &chan_server_ops,
				 (uint32_t)priv_topo_limits()->comch_max_clients);
}

static bool has_fast_users(const struct doca_comch_server *server)
{
	const struct list_node *node;

	list_for_each (node, &server->connections) {
		if (comch_connection_has_fast_users(
			    container_of(node, struct doca_comch_connection, node)))
			return true;
	}
	return false;
}

static doca_error_t server_stop(struct doca_ctx *ctx)
{
	struct doca_comch_server *server = container_of(ctx, struct doca_comch_server, ep.ctx);
	struct list_node *node;

	if (has_fast_users(server)) {
		LOG_ERR("comch server \"%s\" cannot stop: it has active consumers or producers",
			server->ep.name);
		return DOCA_ERROR_IN_USE;
	}
	chan_server_stop(&server->chan_server);
	list_for_each (node, &server->connections)
		chan_close(&container_of(node, struct doca_comch_connection, node)->chan);
	return list_is_empty(&server->connections) ? DOCA_SUCCESS : DOCA_ERROR_IN_PROGRESS;
}

static void server_disown(struct doca_ctx *ctx)
{
	struct doca_comch_server *server = container_of(ctx, struct doca_comch_server, ep.ctx);
	struct list_node *node;

	list_for_each (node, &server->connections)
		chan_disown(&container_of(node, struct doca_comch_connection, node)->chan);
}

static const struct ctx_ops server_ctx_ops = {
	.name = "comch server",
	.check = server_check,
	.start = server_start,
	.stop = server_stop,
	.disown = server_disown,
};

/*
 * Public
 */

doca_error_t doca_comch_server_create(struct doca_dev *dev, struct doca_dev_rep *repr,
				      const char *name, struct doca_comch_server **comch_server)
{
	struct doca_comch_server *server;
	doca_error_t err;

	if (!dev || !repr || !name || !comch_server)
		return DOCA_ERROR_INVALID_VALUE;
	if (priv_dev_rep_topo(repr)->dpu != priv_dev_function(dev)) {
		LOG_ERR("comch server \"%s\": representor %s is not one of device %s", name,
			priv_dev_rep_topo(repr)->pci_addr, priv_dev_function(dev)->pci_addr);
		return DOCA_ERROR_INVALID_VALUE;
	}
	server = calloc(1, sizeof(*server));
	if (!server)
		return DOCA_ERROR_NO_MEMORY;
	err = comch_ep_init(&server->ep, &server_ctx_ops, dev, name);
	if (err) {
		free(server);
		return err;
	}
	server->rep = repr;
	priv_dev_rep_use(repr);
	server->chan_server.visit = visit_connections;
	list_init(&server->connections);
	list_init(&server->spare);
	*comch_server = server;
	return DOCA_SUCCESS;
}

static void server_release(struct pe_garbage *garbage)
{
	struct doca_comch_server *server =
		container_of(garbage, struct doca_comch_server, ep.garbage);
	struct list_node *node;

	while ((node = list_pop(&server->spare)))
		free(container_of(node, struct doca_comch_connection, node));
	free(server);
}

doca_error_t doca_comch_server_destroy(struct doca_comch_server *comch_server)
{
	struct doca_pe *pe;
	doca_error_t err;

	if (!comch_server)
		return DOCA_ERROR_INVALID_VALUE;
	err = priv_ctx_check_destroy(&comch_server->ep.ctx);
	if (err)
		return err;
	pe = comch_server->ep.ctx.pe;
	priv_dev_rep_release(comch_server->rep);
	comch_ep_fini(&comch_server->ep);
	priv_pe_discard(pe, &comch_server->ep.garbage, server_release);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_comch_server_as_ctx(struct doca_comch_server *comch_server)
{
	return comch_server ? &comch_server->ep.ctx : NULL;
}

doca_error_t doca_comch_server_disconnect(struct doca_comch_server *comch_server,
					  struct doca_comch_connection *connection)
{
	if (!comch_server || !connection || connection->server != comch_server ||
	    !comch_connection_is_open(connection))
		return DOCA_ERROR_INVALID_VALUE;
	if (comch_connection_has_fast_users(connection)) {
		LOG_ERR("comch server \"%s\": cannot disconnect a client that has active "
			"consumers or producers",
			comch_server->ep.name);
		return DOCA_ERROR_IN_USE;
	}
	chan_close(&connection->chan);
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_set_max_msg_size(struct doca_comch_server *comch_server,
						uint32_t size)
{
	if (!comch_server)
		return DOCA_ERROR_INVALID_VALUE;
	return comch_ep_set_max_msg_size(&comch_server->ep, size);
}

doca_error_t doca_comch_server_get_max_msg_size(const struct doca_comch_server *comch_server,
						uint32_t *size)
{
	if (!comch_server || !size)
		return DOCA_ERROR_INVALID_VALUE;
	*size = comch_server->ep.max_msg_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_set_recv_queue_size(struct doca_comch_server *comch_server,
						   uint32_t size)
{
	if (!comch_server)
		return DOCA_ERROR_INVALID_VALUE;
	return comch_ep_set_recv_queue_size(&comch_server->ep, size);
}

doca_error_t doca_comch_server_get_recv_queue_size(const struct doca_comch_server *comch_server,
						   uint32_t *size)
{
	if (!comch_server || !size)
		return DOCA_ERROR_INVALID_VALUE;
	*size = comch_server->ep.recv_queue_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_get_device(const struct doca_comch_server *comch_server,
					  struct doca_dev **dev)
{
	if (!comch_server || !dev)
		return DOCA_ERROR_INVALID_VALUE;
	*dev = comch_server->ep.ctx.dev;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_get_device_rep(const struct doca_comch_server *comch_server,
					      struct doca_dev_rep **rep)
{
	if (!comch_server || !rep)
		return DOCA_ERROR_INVALID_VALUE;
	*rep = comch_server->rep;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_get_device_repr(const struct doca_comch_server *comch_server,
					       struct doca_dev_rep **repr)
{
	return doca_comch_server_get_device_rep(comch_server, repr);
}

doca_error_t doca_comch_server_event_msg_recv_register(struct doca_comch_server *comch_server,
						       doca_comch_event_msg_recv_cb_t recv_event_cb)
{
	if (!comch_server)
		return DOCA_ERROR_INVALID_VALUE;
	return comch_ep_register_msg_recv(&comch_server->ep, recv_event_cb);
}

doca_error_t doca_comch_server_event_connection_status_changed_register(
	struct doca_comch_server *comch_server,
	doca_comch_event_connection_status_changed_cb_t connect_event_cb,
	doca_comch_event_connection_status_changed_cb_t disconnect_event_cb)
{
	if (!comch_server || !connect_event_cb || !disconnect_event_cb)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx_check_idle(&comch_server->ep.ctx))
		return DOCA_ERROR_BAD_STATE;
	comch_server->connect_cb = connect_event_cb;
	comch_server->disconnect_cb = disconnect_event_cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_event_connection_register(
	struct doca_comch_server *comch_server,
	doca_comch_event_connection_status_changed_cb_t connect_event_cb,
	doca_comch_event_connection_status_changed_cb_t disconnect_event_cb)
{
	return doca_comch_server_event_connection_status_changed_register(
		comch_server, connect_event_cb, disconnect_event_cb);
}

doca_error_t
doca_comch_server_event_consumer_register(struct doca_comch_server *comch_server,
					  doca_comch_event_consumer_cb_t new_consumer_event_cb,
					  doca_comch_event_consumer_cb_t expired_consumer_event_cb)
{
	if (!comch_server)
		return DOCA_ERROR_INVALID_VALUE;
	return comch_ep_register_consumer(&comch_server->ep, new_consumer_event_cb,
					  expired_consumer_event_cb);
}
