/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host's half of a first program: a client that says something and waits for the answer.
 * docs/guide/first-program.md goes through it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>

#define DEVICE "b1:00.0"

static bool is_answered;

/* Calls that start something answer IN_PROGRESS, which is no failure. */
static void check(doca_error_t result, const char *what)
{
	if (result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS)
		return;
	fprintf(stderr, "cannot %s: %s\n", what, doca_error_get_descr(result));
	exit(EXIT_FAILURE);
}

static struct doca_dev *open_device(const char *pci_addr)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint32_t count;
	uint8_t equal;

	check(doca_devinfo_create_list(&list, &count), "list devices");
	for (uint32_t i = 0; i < count && !dev; i++) {
		check(doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &equal), "compare");
		if (equal)
			check(doca_dev_open(list[i], &dev), "open the device");
	}
	check(doca_devinfo_destroy_list(list), "give the list back");
	check(dev ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND, "find the device");
	return dev;
}

/* The message is valid during the call. */
static void received(struct doca_comch_event_msg_recv *event, uint8_t *message, uint32_t size,
		     struct doca_comch_connection *connection)
{
	(void)event;
	(void)connection;
	printf("the DPU says: %.*s\n", (int)size, (const char *)message);
	is_answered = true;
}

static void sent(struct doca_comch_task_send *task, union doca_data task_data,
		 union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void send_failed(struct doca_comch_task_send *task, union doca_data task_data,
			union doca_data ctx_data)
{
	doca_error_t status = doca_task_get_status(doca_comch_task_send_as_task(task));

	sent(task, task_data, ctx_data);
	check(status, "send");
}

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
	enum doca_ctx_states state;

	check(doca_ctx_get_state(ctx, &state), "read the state");
	return state;
}

static void say(struct doca_comch_client *client, const char *text)
{
	struct doca_comch_connection *connection;
	struct doca_comch_task_send *task;

	check(doca_comch_client_get_connection(client, &connection), "get the connection");
	check(doca_comch_client_task_send_alloc_init(client, connection, text,
						     (uint32_t)strlen(text), &task),
	      "allocate a message");
	check(doca_task_submit(doca_comch_task_send_as_task(task)), "send");
}

int main(void)
{
	struct doca_dev *dev = open_device(DEVICE);
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	struct doca_pe *pe;

	check(doca_pe_create(&pe), "create a progress engine");
	check(doca_comch_client_create(dev, "first", &client), "create a client");
	ctx = doca_comch_client_as_ctx(client);
	check(doca_pe_connect_ctx(pe, ctx), "connect it to the engine");
	check(doca_comch_client_task_send_set_conf(client, sent, send_failed, 8), "set up sends");
	check(doca_comch_client_event_msg_recv_register(client, received), "set up receives");

	check(doca_ctx_start(ctx), "start");
	while (state_of(ctx) == DOCA_CTX_STATE_STARTING)
		doca_pe_progress(pe);
	if (state_of(ctx) == DOCA_CTX_STATE_RUNNING)
		say(client, "Is anybody there?");
	while (state_of(ctx) == DOCA_CTX_STATE_RUNNING && !is_answered)
		doca_pe_progress(pe);

	if (state_of(ctx) == DOCA_CTX_STATE_RUNNING)
		check(doca_ctx_stop(ctx), "stop");
	while (state_of(ctx) != DOCA_CTX_STATE_IDLE)
		doca_pe_progress(pe);
	check(doca_comch_client_destroy(client), "destroy the client");
	check(doca_pe_destroy(pe), "destroy the engine");
	check(doca_dev_close(dev), "close the device");
	check(is_answered ? DOCA_SUCCESS : DOCA_ERROR_CONNECTION_ABORTED, "get an answer");
	return EXIT_SUCCESS;
}
