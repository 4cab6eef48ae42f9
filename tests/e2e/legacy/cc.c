/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of release 2.5: doca_cc under its first names.
 *
 *	cc service|client NAME
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_cc.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_pe.h>

static struct {
	bool is_service;
	struct doca_pe *pe;
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_cc_server *server;
	struct doca_cc_client *client;
	bool has_received;
	unsigned int unsent;
} self;

static void check(doca_error_t result, const char *what)
{
	if (result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS)
		return;
	printf("cannot %s: %s\n", what, doca_error_get_descr(result));
	exit(EXIT_FAILURE);
}

static void sent(struct doca_cc_send_task *task, union doca_data task_data,
		 union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	check(doca_task_get_status(doca_cc_send_task_as_task(task)), "send");
	doca_task_free(doca_cc_send_task_as_task(task));
	self.unsent--;
}

static void send_text(struct doca_cc_connection *peer, const char *text)
{
	struct doca_cc_send_task *task;
	uint32_t size = (uint32_t)strlen(text);

	if (self.is_service)
		check(doca_cc_server_send_task_alloc_init(self.server, peer, text, size, &task),
		      "make a task");
	else
		check(doca_cc_client_send_task_alloc_init(self.client, peer, text, size, &task),
		      "make a task");
	self.unsent++;
	check(doca_task_submit(doca_cc_send_task_as_task(task)), "send");
}

static void received(struct doca_cc_event_msg_recv *event, uint8_t *msg, size_t size,
		     struct doca_cc_connection *peer)
{
	(void)event;
	printf("received %.*s\n", (int)size, (const char *)msg);
	if (self.is_service)
		send_text(peer, "answer of 2.5");
	self.has_received = true;
}

static void connection_changed(struct doca_cc_event_connection_status_changed *event,
			       struct doca_cc_connection *peer, bool successful)
{
	(void)event;
	(void)peer;
	check(successful ? DOCA_SUCCESS : DOCA_ERROR_CONNECTION_ABORTED, "change a connection");
}

static void open_dev(const char *pci_addr)
{
	struct doca_devinfo **list;
	uint32_t count, i;
	uint8_t equal;

	check(doca_devinfo_create_list(&list, &count), "list devices");
	for (i = 0; i < count && !self.dev; i++)
		if (!doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &equal) && equal)
			check(doca_dev_open(list[i], &self.dev), "open a device");
	doca_devinfo_destroy_list(list);
}

static void open_rep(void)
{
	struct doca_devinfo_rep **list;
	uint32_t count;

	check(doca_devinfo_rep_create_list(self.dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &count),
	      "list representors");
	check(doca_dev_rep_open(list[0], &self.rep), "open a representor");
	doca_devinfo_rep_destroy_list(list);
}

static struct doca_ctx *open_service(const char *name)
{
	open_dev("03:00.0");
	open_rep();
	check(doca_cc_server_create(self.dev, self.rep, name, &self.server), "create a server");
	check(doca_cc_server_send_task_set_conf(self.server, sent, sent, 4), "configure tasks");
	check(doca_cc_server_event_msg_recv_register(self.server, received), "register");
	check(doca_cc_server_event_connection_register(self.server, connection_changed,
						       connection_changed),
	      "register");
	return doca_cc_server_as_ctx(self.server);
}

static struct doca_ctx *open_client(const char *name)
{
	open_dev("b1:00.0");
	check(doca_cc_client_create(self.dev, name, &self.client), "create a client");
	check(doca_cc_client_send_task_set_conf(self.client, sent, sent, 4), "configure tasks");
	check(doca_cc_client_event_msg_recv_register(self.client, received), "register");
	return doca_cc_client_as_ctx(self.client);
}

static enum doca_ctx_states progress(struct doca_ctx *ctx)
{
	enum doca_ctx_states state;

	doca_pe_progress(self.pe);
	check(doca_ctx_get_state(ctx, &state), "ask for the state");
	return state;
}

static void ask(struct doca_ctx *ctx)
{
	struct doca_cc_connection *peer;
	enum doca_ctx_states state;

	while ((state = progress(ctx)) == DOCA_CTX_STATE_STARTING)
		;
	check(state == DOCA_CTX_STATE_RUNNING ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND, "connect");
	check(doca_cc_client_get_connection(self.client, &peer), "get the connection");
	send_text(peer, "question of 2.5");
}

int main(int argc, char **argv)
{
	struct doca_ctx *ctx;

	setvbuf(stdout, NULL, _IOLBF, 0);
	self.is_service = argc == 3 && strcmp(argv[1], "service") == 0;
	check(doca_pe_create(&self.pe), "create a progress engine");
	ctx = self.is_service ? open_service(argv[2]) : open_client(argv[2]);
	check(doca_pe_connect_ctx(self.pe, ctx), "connect to the progress engine");
	check(doca_ctx_start(ctx), "start");
	if (self.is_service)
		printf("listening\n");
	else
		ask(ctx);
	while (!self.has_received || self.unsent)
		progress(ctx);
	check(doca_ctx_stop(ctx), "stop");
	while (progress(ctx) != DOCA_CTX_STATE_IDLE)
		;
	if (self.is_service)
		check(doca_cc_server_destroy(self.server), "destroy the server");
	else
		check(doca_cc_client_destroy(self.client), "destroy the client");
	if (self.rep)
		check(doca_dev_rep_close(self.rep), "close the representor");
	check(doca_dev_close(self.dev), "close the device");
	check(doca_pe_destroy(self.pe), "destroy the progress engine");
	return EXIT_SUCCESS;
}
