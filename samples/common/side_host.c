/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host's side: a client.
 */
#include <doca_log.h>
#include "side.h"

DOCA_LOG_REGISTER(SAMPLES::HOST);

const struct side_options side_default_options = {.name = "sample", .pci_addr = "b1:00.0"};

static void state_changed(const union doca_data user_data, struct doca_ctx *ctx,
			  enum doca_ctx_states previous, enum doca_ctx_states next)
{
	struct doca_comch_connection *connection;
	struct side *side = user_data.ptr;

	(void)ctx;
	if (next == DOCA_CTX_STATE_RUNNING) {
		if (doca_comch_client_get_connection(side->client, &connection) == DOCA_SUCCESS)
			side_connected(side, connection);
	} else if (next == DOCA_CTX_STATE_IDLE && previous == DOCA_CTX_STATE_STARTING) {
		DOCA_LOG_ERR("No server \"%s\" lets us in", side->options->name);
		side->error = DOCA_ERROR_NOT_CONNECTED;
	} else if (next == DOCA_CTX_STATE_IDLE) {
		side->connection = NULL;
	}
}

doca_error_t side_role_open(struct side *side)
{
	doca_error_t error;

	error = side_open_dev(side, doca_comch_cap_client_is_supported);
	if (error == DOCA_SUCCESS)
		error = doca_comch_client_create(side->dev, side->options->name, &side->client);
	if (error != DOCA_SUCCESS)
		return error;
	side->ctx = doca_comch_client_as_ctx(side->client);
	error = doca_comch_client_set_max_msg_size(side->client, SIDE_MESSAGE_MAX);
	if (error == DOCA_SUCCESS)
		error = doca_comch_client_task_send_set_conf(side->client, side_sent,
							     side_send_failed, SIDE_SENDS);
	if (error == DOCA_SUCCESS)
		error = doca_comch_client_event_msg_recv_register(side->client, side_received);
	if (error == DOCA_SUCCESS)
		error = doca_ctx_set_state_changed_cb(side->ctx, state_changed);
	if (error != DOCA_SUCCESS)
		DOCA_LOG_ERR("Failed to configure the client: %s", doca_error_get_descr(error));
	return error;
}

doca_error_t side_role_send(struct side *side, const void *message, uint32_t size,
			    struct doca_comch_task_send **ret_task)
{
	return doca_comch_client_task_send_alloc_init(side->client, side->connection, message, size,
						      ret_task);
}

doca_error_t side_role_destroy(struct side *side)
{
	return doca_comch_client_destroy(side->client);
}
