/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What both roles share: options, the device, sending, sleeping, closing.
 */
#include "side.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include <doca_argp.h>
#include <doca_log.h>

DOCA_LOG_REGISTER(SAMPLES::SIDE);

static doca_error_t failed(doca_error_t error, const char *what)
{
	if (error != DOCA_SUCCESS)
		DOCA_LOG_ERR("Failed to %s: %s", what, doca_error_get_descr(error));
	return error;
}

/*
 * Options
 */

static doca_error_t set_text(char *field, size_t size, const char *text, const char *what)
{
	if (strlen(text) >= size) {
		DOCA_LOG_ERR("%s \"%s\": at most %zu characters", what, text, size - 1);
		return DOCA_ERROR_INVALID_VALUE;
	}
	memcpy(field, text, strlen(text) + 1);
	return DOCA_SUCCESS;
}

static doca_error_t set_name(void *param, void *config)
{
	struct side_options *options = config;

	return set_text(options->name, sizeof(options->name), param, "server name");
}

static doca_error_t set_pci_addr(void *param, void *config)
{
	struct side_options *options = config;

	return set_text(options->pci_addr, sizeof(options->pci_addr), param, "PCI address");
}

static doca_error_t set_rep_pci_addr(void *param, void *config)
{
	struct side_options *options = config;

	return set_text(options->rep_pci_addr, sizeof(options->rep_pci_addr), param, "PCI address");
}

static doca_error_t register_option(const char *short_name, const char *long_name,
				    const char *description, doca_argp_param_cb_t callback)
{
	struct doca_argp_param *param;
	doca_error_t error = doca_argp_param_create(&param);

	if (error != DOCA_SUCCESS)
		return error;
	doca_argp_param_set_short_name(param, short_name);
	doca_argp_param_set_long_name(param, long_name);
	doca_argp_param_set_description(param, description);
	doca_argp_param_set_callback(param, callback);
	doca_argp_param_set_type(param, DOCA_ARGP_TYPE_STRING);
	return doca_argp_register_param(param);
}

doca_error_t side_register_options(struct side_options *options)
{
	doca_error_t error;

	*options = side_default_options;
	error = register_option("n", "name", "Name of the server", set_name);
	if (error == DOCA_SUCCESS)
		error = register_option("p", "pci-addr", "PCI address of the device", set_pci_addr);
	if (error == DOCA_SUCCESS && options->rep_pci_addr[0])
		error = register_option("r", "rep-pci", "PCI address of the representor",
					set_rep_pci_addr);
	return failed(error, "register options");
}

/*
 * Opening
 */

/* says which devices would have done */
static void no_device(const char *wanted, struct doca_devinfo **list, uint32_t count,
		      doca_error_t (*is_supported)(const struct doca_devinfo *devinfo))
{
	char addr[DOCA_DEVINFO_PCI_ADDR_SIZE], text[512] = "";
	size_t len = 0;
	uint32_t i;

	for (i = 0; i < count && len + sizeof(addr) < sizeof(text); i++) {
		if (is_supported(list[i]) == DOCA_SUCCESS &&
		    doca_devinfo_get_pci_addr_str(list[i], addr) == DOCA_SUCCESS &&
		    strstr(text, addr) == NULL)
			len += (size_t)snprintf(text + len, sizeof(text) - len, " %s", addr);
	}
	DOCA_LOG_ERR("No device %s for this side; there is%s", wanted, len ? text : " none");
}

doca_error_t side_open_dev(struct side *side,
			   doca_error_t (*is_supported)(const struct doca_devinfo *devinfo))
{
	const char *wanted = side->options->pci_addr;
	struct doca_devinfo **list;
	doca_error_t error;
	uint32_t i, count;
	uint8_t equal;

	error = failed(doca_devinfo_create_list(&list, &count), "list devices");
	if (error != DOCA_SUCCESS)
		return error;
	error = DOCA_ERROR_NOT_FOUND;
	for (i = 0; i < count && error == DOCA_ERROR_NOT_FOUND; i++) {
		if (doca_devinfo_is_equal_pci_addr(list[i], wanted, &equal) == DOCA_SUCCESS &&
		    equal && is_supported(list[i]) == DOCA_SUCCESS)
			error = doca_dev_open(list[i], &side->dev);
	}
	if (error == DOCA_ERROR_NOT_FOUND)
		no_device(wanted, list, count, is_supported);
	doca_devinfo_destroy_list(list);
	return error;
}

static doca_error_t open_epoll(struct side *side)
{
	struct epoll_event event = {.events = EPOLLIN};
	doca_notification_handle_t handle;
	doca_error_t error;

	error = doca_pe_get_notification_handle(side->pe, &handle);
	if (error != DOCA_SUCCESS)
		return error;
	side->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (side->epoll_fd < 0 || epoll_ctl(side->epoll_fd, EPOLL_CTL_ADD, handle, &event) != 0)
		return DOCA_ERROR_OPERATING_SYSTEM;
	return DOCA_SUCCESS;
}

static doca_error_t make_sends(struct side *side)
{
	int i;

	side->sends = calloc(SIDE_SENDS, sizeof(*side->sends));
	if (side->sends == NULL)
		return DOCA_ERROR_NO_MEMORY;
	for (i = 0; i < SIDE_SENDS; i++) {
		side->sends[i].next_free = side->free_sends;
		side->free_sends = &side->sends[i];
	}
	return DOCA_SUCCESS;
}

static doca_error_t start(struct side *side)
{
	union doca_data data = {.ptr = side};
	doca_error_t error;

	error = doca_ctx_set_user_data(side->ctx, data);
	if (error == DOCA_SUCCESS)
		error = doca_pe_connect_ctx(side->pe, side->ctx);
	if (error == DOCA_SUCCESS)
		error = doca_ctx_start(side->ctx);
	return error == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : error;
}

doca_error_t side_open(struct side *side, const struct side_options *options,
		       const struct side_events *events, void *user)
{
	doca_error_t error;

	*side = (struct side){.options = options, .events = events, .user = user, .epoll_fd = -1};
	error = failed(doca_pe_create(&side->pe), "create a progress engine");
	if (error == DOCA_SUCCESS)
		error = failed(open_epoll(side), "watch the progress engine");
	if (error == DOCA_SUCCESS)
		error = failed(make_sends(side), "allocate messages");
	if (error == DOCA_SUCCESS)
		error = side_role_open(side);
	if (error == DOCA_SUCCESS)
		error = failed(start(side), "start");
	return error;
}

/*
 * Talking
 */

static void give_back(struct side *side, struct doca_comch_task_send *task, struct side_send *send)
{
	doca_task_free(doca_comch_task_send_as_task(task));
	send->next_free = side->free_sends;
	side->free_sends = send;
}

void side_sent(struct doca_comch_task_send *task, union doca_data task_data,
	       union doca_data ctx_data)
{
	give_back(ctx_data.ptr, task, task_data.ptr);
}

void side_send_failed(struct doca_comch_task_send *task, union doca_data task_data,
		      union doca_data ctx_data)
{
	doca_error_t error = doca_task_get_status(doca_comch_task_send_as_task(task));

	give_back(ctx_data.ptr, task, task_data.ptr);
	side_fail(ctx_data.ptr, failed(error, "send a message"));
}

doca_error_t side_send(struct side *side, const void *message, uint32_t size)
{
	struct side_send *send = side->free_sends;
	union doca_data data = {.ptr = send};
	struct doca_comch_task_send *task;
	doca_error_t error;

	if (side->connection == NULL)
		return DOCA_ERROR_NOT_CONNECTED;
	if (size > SIDE_MESSAGE_MAX)
		return DOCA_ERROR_INVALID_VALUE;
	if (send == NULL)
		return DOCA_ERROR_AGAIN;
	memcpy(send->message, message, size);
	error = side_role_send(side, send->message, size, &task);
	if (error != DOCA_SUCCESS)
		return failed(error, "allocate a send task");
	side->free_sends = send->next_free;
	doca_task_set_user_data(doca_comch_task_send_as_task(task), data);
	error = doca_task_submit(doca_comch_task_send_as_task(task));
	if (error != DOCA_SUCCESS)
		give_back(side, task, send);
	return failed(error, "submit a send task");
}

void side_connected(struct side *side, struct doca_comch_connection *connection)
{
	union doca_data data = {.ptr = side};

	side->connection = connection;
	(void)doca_comch_connection_set_user_data(connection, data);
	side->events->connected(side);
}

void side_received(struct doca_comch_event_msg_recv *event, uint8_t *message, uint32_t size,
		   struct doca_comch_connection *connection)
{
	struct side *side = doca_comch_connection_get_user_data(connection).ptr;

	(void)event;
	side->events->message(side, message, size);
}

void side_sleep(struct side *side)
{
	struct epoll_event event;

	/* Whatever has come since the last look makes epoll_wait() return at once. */
	(void)doca_pe_request_notification(side->pe);
	(void)epoll_wait(side->epoll_fd, &event, 1, -1);
	(void)doca_pe_clear_notification(side->pe, 0);
}

/*
 * Closing
 */

void side_count(struct side *side)
{
	if (doca_comch_connection_update_info(side->connection) != DOCA_SUCCESS)
		return;
	(void)doca_comch_connection_get_counter(side->connection, DOCA_COMCH_COUNTER_SENT_MESSAGES,
						&side->sent);
	(void)doca_comch_connection_get_counter(side->connection, DOCA_COMCH_COUNTER_RECV_MESSAGES,
						&side->received);
}

void side_fail(struct side *side, doca_error_t error)
{
	if (side->error == DOCA_SUCCESS)
		side->error = error;
	side_stop(side);
}

void side_stop(struct side *side)
{
	doca_error_t error = doca_ctx_stop(side->ctx);

	if (error != DOCA_ERROR_IN_PROGRESS && failed(error, "stop") != DOCA_SUCCESS)
		side->error = error;
}

bool side_is_done(const struct side *side)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

	(void)doca_ctx_get_state(side->ctx, &state);
	return state == DOCA_CTX_STATE_IDLE;
}

static void keep_first(doca_error_t *kept, doca_error_t error)
{
	if (*kept == DOCA_SUCCESS)
		*kept = error;
}

doca_error_t side_close(struct side *side, doca_error_t error)
{
	keep_first(&error, side->error);
	if (side->ctx != NULL)
		keep_first(&error, failed(side_role_destroy(side), "destroy the context"));
	if (side->pe != NULL)
		keep_first(&error, failed(doca_pe_destroy(side->pe), "destroy the engine"));
	if (side->rep != NULL)
		keep_first(&error, failed(doca_dev_rep_close(side->rep), "close the representor"));
	if (side->dev != NULL)
		keep_first(&error, failed(doca_dev_close(side->dev), "close the device"));
	if (side->epoll_fd >= 0)
		close(side->epoll_fd);
	free(side->sends);
	return error;
}
