/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doca_comch_client: one connection to one server.
 */
#define LOG_MODULE "comch"
#include <stdlib.h>
#include "base/log.h"
#include "comch/comch.h"

static struct doca_comch_client *client_of(struct chan *chan)
{
	return comch_connection_of(chan)->client;
}

static void client_opened(struct chan *chan, doca_error_t result)
{
	struct doca_comch_client *client = client_of(chan);

	if (result)
		chan_fini(chan);
	priv_ctx_started(&client->ep.ctx, result);
}

static void client_closed(struct chan *chan, doca_error_t reason)
{
	struct doca_comch_client *client = client_of(chan);
	struct doca_ctx *ctx = &client->ep.ctx;

	(void)reason;
	comch_send_fail_waiting(&client->connection);
	chan_fini(chan);
	priv_ctx_fail(ctx); /* nothing new when the program has stopped it */
	priv_ctx_stopped(ctx);
}

static const struct chan_ops client_chan_ops = {
	.opened = client_opened,
	.message = comch_connection_message,
	.room = comch_connection_room,
	.closed = client_closed,
	.consumer_new = comch_connection_consumer_new,
	.consumer_gone = comch_connection_consumer_gone,
};

static doca_error_t client_check(struct doca_ctx *ctx)
{
	return comch_ep_check(container_of(ctx, struct comch_ep, ctx), TOPO_HOST);
}

static doca_error_t client_start(struct doca_ctx *ctx)
{
	struct doca_comch_client *client = container_of(ctx, struct doca_comch_client, ep.ctx);
	struct chan_config config = comch_ep_config(&client->ep, priv_dev_function(ctx->dev));
	doca_error_t err;

	err = priv_task_pool_start(&client->ep.send_pool);
	if (err)
		return err;
	comch_connection_init(&client->connection, &client->ep);
	client->connection.client = client;
	err = chan_connect(&client->connection.chan, &config, &client_chan_ops);
	return err ? err : DOCA_ERROR_IN_PROGRESS;
}

static doca_error_t client_stop(struct doca_ctx *ctx)
{
	struct doca_comch_client *client = container_of(ctx, struct doca_comch_client, ep.ctx);
	struct chan *chan = &client->connection.chan;

	if (comch_connection_has_fast_users(&client->connection)) {
		LOG_ERR("comch client \"%s\" cannot stop: it has active consumers or producers",
			client->ep.name);
		return DOCA_ERROR_IN_USE;
	}
	chan_close(chan);
	if (chan->state != CHAN_CLOSED)
		return DOCA_ERROR_IN_PROGRESS;
	chan_fini(chan); /* it was still connecting */
	return DOCA_SUCCESS;
}

static void client_disown(struct doca_ctx *ctx)
{
	chan_disown(&container_of(ctx, struct doca_comch_client, ep.ctx)->connection.chan);
}

static const struct ctx_ops client_ctx_ops = {
	.name = "comch client",
	.check = client_check,
	.start = client_start,
	.stop = client_stop,
	.disown = client_disown,
};

doca_error_t doca_comch_client_create(struct doca_dev *dev, const char *name,
				      struct doca_comch_client **comch_client)
{
	struct doca_comch_client *client;
	doca_error_t err;

	if (!dev || !name || !comch_client)
		return DOCA_ERROR_INVALID_VALUE;
	client = calloc(1, sizeof(*client));
	if (!client)
		return DOCA_ERROR_NO_MEMORY;
	err = comch_ep_init(&client->ep, &client_ctx_ops, dev, name);
	if (err) {
		free(client);
		return err;
	}
	*comch_client = client;
	return DOCA_SUCCESS;
}

static void client_release(struct pe_garbage *garbage)
{
	free(container_of(garbage, struct doca_comch_client, ep.garbage));
}

doca_error_t doca_comch_client_destroy(struct doca_comch_client *comch_client)
{
	struct doca_pe *pe;
	doca_error_t err;

	if (!comch_client)
		return DOCA_ERROR_INVALID_VALUE;
	err = priv_ctx_check_destroy(&comch_client->ep.ctx);
	if (err)
		return err;
	pe = comch_client->ep.ctx.pe;
	comch_ep_fini(&comch_client->ep);
	priv_pe_discard(pe, &comch_client->ep.garbage, client_release);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_comch_client_as_ctx(struct doca_comch_client *comch_client)
{
	return comch_client ? &comch_client->ep.ctx : NULL;
}

doca_error_t doca_comch_client_get_connection(const struct doca_comch_client *comch_client,
					      struct doca_comch_connection **connection)
{
	enum doca_ctx_states state;

	if (!comch_client || !connection)
		return DOCA_ERROR_INVALID_VALUE;
	state = comch_client->ep.ctx.state;
	/* A client that is stopped while it connects is idle at once. */
	if (state != DOCA_CTX_STATE_RUNNING && state != DOCA_CTX_STATE_STOPPING) {
		LOG_DBG("%s \"%s\": it is not connected", comch_client->ep.ctx.ops->name,
			comch_client->ep.name);
		return DOCA_ERROR_BAD_STATE;
	}
	*connection = (struct doca_comch_connection *)&comch_client->connection;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_set_max_msg_size(struct doca_comch_client *comch_client,
						uint32_t size)
{
	if (!comch_client)
		return DOCA_ERROR_INVALID_VALUE;
	return comch_ep_set_max_msg_size(&comch_client->ep, size);
}

doca_error_t doca_comch_client_get_max_msg_size(const struct doca_comch_client *comch_client,
						uint32_t *size)
{
	if (!comch_client || !size)
		return DOCA_ERROR_INVALID_VALUE;
	*size = comch_client->ep.max_msg_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_set_recv_queue_size(struct doca_comch_client *comch_client,
						   uint32_t size)
{
	if (!comch_client)
		return DOCA_ERROR_INVALID_VALUE;
	return comch_ep_set_recv_queue_size(&comch_client->ep, size);
}

doca_error_t doca_comch_client_get_recv_queue_size(const struct doca_comch_client *comch_client,
						   uint32_t *size)
{
	if (!comch_client || !size)
		return DOCA_ERROR_INVALID_VALUE;
	*size = comch_client->ep.recv_queue_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_get_device(const struct doca_comch_client *comch_client,
					  struct doca_dev **dev)
{
	if (!comch_client || !dev)
		return DOCA_ERROR_INVALID_VALUE;
	*dev = comch_client->ep.ctx.dev;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_event_msg_recv_register(struct doca_comch_client *comch_client,
						       doca_comch_event_msg_recv_cb_t recv_event_cb)
{
	if (!comch_client)
		return DOCA_ERROR_INVALID_VALUE;
	return comch_ep_register_msg_recv(&comch_client->ep, recv_event_cb);
}

doca_error_t
doca_comch_client_event_consumer_register(struct doca_comch_client *comch_client,
					  doca_comch_event_consumer_cb_t new_consumer_event_cb,
					  doca_comch_event_consumer_cb_t expired_consumer_event_cb)
{
	if (!comch_client)
		return DOCA_ERROR_INVALID_VALUE;
	return comch_ep_register_consumer(&comch_client->ep, new_consumer_event_cb,
					  expired_consumer_event_cb);
}
