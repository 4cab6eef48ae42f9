/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The DPU's side: a server that takes one client and ends when that has left.
 */
#include <stdio.h>
#include <string.h>
#include <doca_log.h>
#include "side.h"

DOCA_LOG_REGISTER(SAMPLES::DPU);

const struct side_options side_default_options = {
	.name = "sample", .pci_addr = "03:00.0", .rep_pci_addr = "b1:00.0"};

static struct side *server_side(struct doca_comch_connection *connection)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
	union doca_data data = {0};

	(void)doca_ctx_get_user_data(doca_comch_server_as_ctx(server), &data);
	return data.ptr;
}

static void client_came(struct doca_comch_event_connection_status_changed *event,
			struct doca_comch_connection *connection, uint8_t successful)
{
	struct side *side = server_side(connection);

	(void)event;
	if (!successful)
		return;
	if (side->connection != NULL) {
		DOCA_LOG_WARN("A second client came and was sent away");
		(void)doca_comch_server_disconnect(side->server, connection);
		return;
	}
	side_connected(side, connection);
}

static void client_left(struct doca_comch_event_connection_status_changed *event,
			struct doca_comch_connection *connection, uint8_t successful)
{
	struct side *side = server_side(connection);

	(void)event;
	(void)successful;
	if (side->connection != connection)
		return;
	side->connection = NULL;
	side_stop(side);
}

/* says which representors there are */
static void no_rep(const struct side *side, struct doca_devinfo_rep **list, uint32_t count)
{
	char addr[DOCA_DEVINFO_REP_PCI_ADDR_SIZE], text[512] = "";
	size_t len = 0;
	uint32_t i;

	for (i = 0; i < count && len + sizeof(addr) < sizeof(text); i++) {
		if (doca_devinfo_rep_get_pci_addr_str(list[i], addr) == DOCA_SUCCESS &&
		    strstr(text, addr) == NULL)
			len += (size_t)snprintf(text + len, sizeof(text) - len, " %s", addr);
	}
	DOCA_LOG_ERR("No representor %s of device %s; there is%s", side->options->rep_pci_addr,
		     side->options->pci_addr, len ? text : " none");
}

static doca_error_t open_rep(struct side *side)
{
	const char *wanted = side->options->rep_pci_addr;
	struct doca_devinfo_rep **list;
	doca_error_t error;
	uint32_t i, count;
	uint8_t equal;

	error = doca_devinfo_rep_create_list(side->dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &count);
	if (error != DOCA_SUCCESS)
		return error;
	error = DOCA_ERROR_NOT_FOUND;
	for (i = 0; i < count && error == DOCA_ERROR_NOT_FOUND; i++) {
		if (doca_devinfo_rep_is_equal_pci_addr(list[i], wanted, &equal) == DOCA_SUCCESS &&
		    equal)
			error = doca_dev_rep_open(list[i], &side->rep);
	}
	if (error == DOCA_ERROR_NOT_FOUND)
		no_rep(side, list, count);
	doca_devinfo_rep_destroy_list(list);
	return error;
}

static doca_error_t configure(struct side *side)
{
	doca_error_t error;

	error = doca_comch_server_set_max_msg_size(side->server, SIDE_MESSAGE_MAX);
	if (error == DOCA_SUCCESS)
		error = doca_comch_server_task_send_set_conf(side->server, side_sent,
							     side_send_failed, SIDE_SENDS);
	if (error == DOCA_SUCCESS)
		error = doca_comch_server_event_msg_recv_register(side->server, side_received);
	if (error == DOCA_SUCCESS)
		error = doca_comch_server_event_connection_status_changed_register(
			side->server, client_came, client_left);
	if (error != DOCA_SUCCESS)
		DOCA_LOG_ERR("Failed to configure the server: %s", doca_error_get_descr(error));
	return error;
}

doca_error_t side_role_open(struct side *side)
{
	doca_error_t error;

	error = side_open_dev(side, doca_comch_cap_server_is_supported);
	if (error == DOCA_SUCCESS)
		error = open_rep(side);
	if (error == DOCA_SUCCESS)
		error = doca_comch_server_create(side->dev, side->rep, side->options->name,
						 &side->server);
	if (error != DOCA_SUCCESS)
		return error;
	side->ctx = doca_comch_server_as_ctx(side->server);
	return configure(side);
}

doca_error_t side_role_send(struct side *side, const void *message, uint32_t size,
			    struct doca_comch_task_send **ret_task)
{
	return doca_comch_server_task_send_alloc_init(side->server, side->connection, message, size,
						      ret_task);
}

doca_error_t side_role_destroy(struct side *side)
{
	return doca_comch_server_destroy(side->server);
}
