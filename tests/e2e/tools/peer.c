/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A server or a client that the tools can look at: `peer server NAME`, `peer client NAME`. Says
 * "ready" when it is connected or listens, then makes progress until its standard input ends. The
 * client sends one message of seven bytes.
 */
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doca_comch.h"
#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_pe.h"

#define CHECK(call)                                                                                \
	do {                                                                                       \
		doca_error_t err_ = (call);                                                        \
		if (err_ != DOCA_SUCCESS && err_ != DOCA_ERROR_IN_PROGRESS) {                      \
			fprintf(stderr, "%s: %s\n", #call, doca_error_get_name(err_));             \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

static struct doca_dev *open_dev(const char *addr)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint32_t count;

	CHECK(doca_devinfo_create_list(&list, &count));
	for (uint32_t i = 0; i < count && !dev; i++) {
		uint8_t is_equal;

		CHECK(doca_devinfo_is_equal_pci_addr(list[i], addr, &is_equal));
		if (is_equal)
			CHECK(doca_dev_open(list[i], &dev));
	}
	CHECK(doca_devinfo_destroy_list(list));
	return dev;
}

static struct doca_dev_rep *open_rep(struct doca_dev *dev)
{
	struct doca_devinfo_rep **list;
	struct doca_dev_rep *rep;
	uint32_t count;

	CHECK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &count));
	CHECK(doca_dev_rep_open(list[0], &rep));
	CHECK(doca_devinfo_rep_destroy_list(list));
	return rep;
}

static void say_ready(void)
{
	puts("ready");
	fflush(stdout);
}

static void sent(struct doca_comch_task_send *task, union doca_data task_data,
		 union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_comch_task_send_as_task(task));
	say_ready();
}

static void not_sent(struct doca_comch_task_send *task, union doca_data task_data,
		     union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_comch_task_send_as_task(task));
	exit(1);
}

static void received(struct doca_comch_event_msg_recv *event, uint8_t *buf, uint32_t len,
		     struct doca_comch_connection *connection)
{
	(void)event;
	(void)buf;
	(void)len;
	(void)connection;
}

static void connection_changed(struct doca_comch_event_connection_status_changed *event,
			       struct doca_comch_connection *connection, uint8_t successful)
{
	(void)event;
	(void)connection;
	(void)successful;
}

static struct doca_ctx *make_server(struct doca_dev *dev, const char *name)
{
	struct doca_comch_server *server;

	CHECK(doca_comch_server_create(dev, open_rep(dev), name, &server));
	CHECK(doca_comch_server_task_send_set_conf(server, sent, not_sent, 1));
	CHECK(doca_comch_server_event_msg_recv_register(server, received));
	CHECK(doca_comch_server_event_connection_status_changed_register(server, connection_changed,
									 connection_changed));
	return doca_comch_server_as_ctx(server);
}

static struct doca_comch_client *make_client(struct doca_dev *dev, const char *name)
{
	struct doca_comch_client *client;

	CHECK(doca_comch_client_create(dev, name, &client));
	CHECK(doca_comch_client_task_send_set_conf(client, sent, not_sent, 1));
	CHECK(doca_comch_client_event_msg_recv_register(client, received));
	return client;
}

static void send_one(struct doca_comch_client *client)
{
	struct doca_comch_connection *connection;
	struct doca_comch_task_send *task;

	CHECK(doca_comch_client_get_connection(client, &connection));
	CHECK(doca_comch_client_task_send_alloc_init(client, connection, "message", 7, &task));
	CHECK(doca_task_submit(doca_comch_task_send_as_task(task)));
}

/* makes progress until the context is running, or, when it is, until standard input ends */
static void run(struct doca_pe *pe, const struct doca_ctx *ctx, bool until_running)
{
	doca_notification_handle_t handle;

	CHECK(doca_pe_get_notification_handle(pe, &handle));
	for (;;) {
		struct pollfd fds[2] = {{.fd = handle, .events = POLLIN},
					{.fd = STDIN_FILENO, .events = POLLIN}};
		enum doca_ctx_states state;

		while (doca_pe_progress(pe))
			;
		CHECK(doca_ctx_get_state(ctx, &state));
		if (state == DOCA_CTX_STATE_IDLE)
			exit(1);
		if (until_running && state == DOCA_CTX_STATE_RUNNING)
			return;
		CHECK(doca_pe_request_notification(pe));
		poll(fds, 2, -1);
		CHECK(doca_pe_clear_notification(pe, handle));
		if (fds[1].revents)
			exit(0); /* by then the tools have seen what they should */
	}
}

int main(int argc, char **argv)
{
	bool is_server = argc == 3 && !strcmp(argv[1], "server");
	struct doca_dev *dev = open_dev(is_server ? "03:00.0" : "b1:00.0");
	struct doca_comch_client *client = NULL;
	struct doca_ctx *ctx;
	struct doca_pe *pe;

	if (argc != 3)
		return 2;
	if (!is_server)
		client = make_client(dev, argv[2]);
	ctx = is_server ? make_server(dev, argv[2]) : doca_comch_client_as_ctx(client);
	CHECK(doca_pe_create(&pe));
	CHECK(doca_pe_connect_ctx(pe, ctx));
	CHECK(doca_ctx_start(ctx));
	run(pe, ctx, true);
	if (is_server)
		say_ready();
	else
		send_one(client);
	run(pe, ctx, false);
}
