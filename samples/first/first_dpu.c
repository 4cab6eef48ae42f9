/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The DPU's half of a first program: a server that answers one client, and ends when that leaves.
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

#define DEVICE	    "03:00.0"
#define REPRESENTOR "b1:00.0" /* of the host's function whose clients may come */

static bool has_left;

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

static struct doca_dev_rep *open_representor(struct doca_dev *dev, const char *pci_addr)
{
	struct doca_devinfo_rep **list;
	struct doca_dev_rep *rep = NULL;
	uint32_t count;
	uint8_t equal;

	check(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &count),
	      "list representors");
	for (uint32_t i = 0; i < count && !rep; i++) {
		check(doca_devinfo_rep_is_equal_pci_addr(list[i], pci_addr, &equal), "compare");
		if (equal)
			check(doca_dev_rep_open(list[i], &rep), "open the representor");
	}
	check(doca_devinfo_rep_destroy_list(list), "give the list back");
	check(rep ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND, "find the representor");
	return rep;
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

/* The message is valid during the call. */
static void received(struct doca_comch_event_msg_recv *event, uint8_t *message, uint32_t size,
		     struct doca_comch_connection *connection)
{
	static const char answer[] = "Yes, on Linux.";
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
	struct doca_comch_task_send *task;

	(void)event;
	printf("the host says: %.*s\n", (int)size, (const char *)message);
	check(doca_comch_server_task_send_alloc_init(server, connection, answer,
						     (uint32_t)strlen(answer), &task),
	      "allocate an answer");
	check(doca_task_submit(doca_comch_task_send_as_task(task)), "send");
}

static void came(struct doca_comch_event_connection_status_changed *event,
		 struct doca_comch_connection *connection, uint8_t successful)
{
	(void)event;
	(void)connection;
	printf("a client has %s\n", successful ? "come" : "been refused");
}

static void left(struct doca_comch_event_connection_status_changed *event,
		 struct doca_comch_connection *connection, uint8_t successful)
{
	(void)event;
	(void)connection;
	(void)successful;
	has_left = true;
}

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
	enum doca_ctx_states state;

	check(doca_ctx_get_state(ctx, &state), "read the state");
	return state;
}

int main(void)
{
	struct doca_dev *dev = open_device(DEVICE);
	struct doca_dev_rep *rep = open_representor(dev, REPRESENTOR);
	struct doca_comch_server *server;
	struct doca_ctx *ctx;
	struct doca_pe *pe;

	check(doca_pe_create(&pe), "create a progress engine");
	check(doca_comch_server_create(dev, rep, "first", &server), "create a server");
	ctx = doca_comch_server_as_ctx(server);
	check(doca_pe_connect_ctx(pe, ctx), "connect it to the engine");
	check(doca_comch_server_task_send_set_conf(server, sent, send_failed, 8), "set up sends");
	check(doca_comch_server_event_msg_recv_register(server, received), "set up receives");
	check(doca_comch_server_event_connection_status_changed_register(server, came, left),
	      "set up connections");

	check(doca_ctx_start(ctx), "start");
	printf("waiting for a client\n");
	fflush(stdout);
	while (!has_left)
		doca_pe_progress(pe);

	check(doca_ctx_stop(ctx), "stop");
	while (state_of(ctx) != DOCA_CTX_STATE_IDLE)
		doca_pe_progress(pe);
	check(doca_comch_server_destroy(server), "destroy the server");
	check(doca_pe_destroy(pe), "destroy the engine");
	check(doca_dev_rep_close(rep), "close the representor");
	check(doca_dev_close(dev), "close the device");
	return EXIT_SUCCESS;
}
