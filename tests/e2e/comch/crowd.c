/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many clients of one server, on one progress engine. Reads commands from standard input:
 *
 *	start	all connect; each that is there says its number and awaits the echo
 *	talk N	the first N say it again
 *	stop	all leave
 *
 * and prints "connected N", "answered N", "stopped N" when all have done it.
 *
 * usage: crowd NAME CLIENTS
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_pe.h>
#include "leak.h"

struct member {
	struct doca_comch_client *client;
	uint32_t number;
};

static struct doca_pe *pe;
static struct doca_dev *dev;
static struct member *members;
static unsigned int member_count, connected, expected, answered, stopped;

static void check(doca_error_t err, const char *what)
{
	if (!err || err == DOCA_ERROR_IN_PROGRESS)
		return;
	printf("error %s: %s\n", what, doca_error_get_name(err));
	exit(1);
}

static void talk(struct member *member)
{
	struct doca_comch_connection *connection;
	struct doca_comch_task_send *task;

	check(doca_comch_client_get_connection(member->client, &connection), "get connection");
	check(doca_comch_client_task_send_alloc_init(member->client, connection, &member->number,
						     sizeof(member->number), &task),
	      "allocate");
	check(doca_task_submit(doca_comch_task_send_as_task(task)), "submit");
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
	check(doca_task_get_status(doca_comch_task_send_as_task(task)), "send");
	sent(task, task_data, ctx_data);
}

static void received(struct doca_comch_event_msg_recv *event, uint8_t *message, uint32_t size,
		     struct doca_comch_connection *connection)
{
	struct doca_comch_client *client = doca_comch_client_get_client_ctx(connection);
	union doca_data data;

	(void)event;
	check(doca_ctx_get_user_data(doca_comch_client_as_ctx(client), &data), "get user data");
	if (size != sizeof(uint32_t) || memcmp(message, &((struct member *)data.ptr)->number, size))
		check(DOCA_ERROR_UNEXPECTED, "compare the echo");
	answered++;
}

static void state_changed(const union doca_data data, struct doca_ctx *ctx,
			  enum doca_ctx_states previous, enum doca_ctx_states next)
{
	(void)ctx;
	if (next == DOCA_CTX_STATE_RUNNING) {
		connected++;
		talk(data.ptr);
	} else if (next == DOCA_CTX_STATE_IDLE) {
		if (previous == DOCA_CTX_STATE_STARTING)
			check(DOCA_ERROR_CONNECTION_ABORTED, "connect");
		stopped++;
	}
}

static void open_dev(void)
{
	struct doca_devinfo **list;
	uint32_t count;
	uint8_t equal;

	check(doca_devinfo_create_list(&list, &count), "list devices");
	for (uint32_t i = 0; i < count && !dev; i++) {
		if (!doca_devinfo_is_equal_pci_addr(list[i], "b1:00.0", &equal) && equal)
			check(doca_dev_open(list[i], &dev), "open device");
	}
	doca_devinfo_destroy_list(list);
}

static void open_member(struct member *member, const char *name)
{
	union doca_data data = {.ptr = member};
	struct doca_ctx *ctx;

	check(doca_comch_client_create(dev, name, &member->client), "create");
	check(doca_comch_client_task_send_set_conf(member->client, sent, send_failed, 1),
	      "configure");
	check(doca_comch_client_set_recv_queue_size(member->client, 16), "configure");
	check(doca_comch_client_event_msg_recv_register(member->client, received), "configure");
	ctx = doca_comch_client_as_ctx(member->client);
	check(doca_ctx_set_user_data(ctx, data), "configure");
	check(doca_ctx_set_state_changed_cb(ctx, state_changed), "configure");
	check(doca_pe_connect_ctx(pe, ctx), "connect to the engine");
}

/* sleeps and works until the number is reached */
static void await(const unsigned int *number, unsigned int wanted)
{
	struct epoll_event event = {.events = EPOLLIN};
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	doca_notification_handle_t handle;

	check(doca_pe_get_notification_handle(pe, &handle), "get the handle");
	if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, handle, &event))
		check(DOCA_ERROR_OPERATING_SYSTEM, "epoll");
	while (*number < wanted) {
		while (doca_pe_progress(pe))
			;
		check(doca_pe_request_notification(pe), "request a notification");
		if (*number < wanted)
			epoll_wait(epoll, &event, 1, -1);
		check(doca_pe_clear_notification(pe, handle), "clear the notification");
	}
	close(epoll);
}

static void start(void)
{
	for (unsigned int i = 0; i < member_count; i++)
		check(doca_ctx_start(doca_comch_client_as_ctx(members[i].client)), "start");
	await(&connected, member_count);
	printf("connected %u\n", connected);
	expected += member_count;
	await(&answered, expected);
	printf("answered %u\n", answered);
}

static void talk_again(unsigned int count)
{
	for (unsigned int i = 0; i < count && i < member_count; i++)
		talk(&members[i]);
	expected += count;
	await(&answered, expected);
	printf("answered %u\n", answered);
}

static void stop(void)
{
	for (unsigned int i = 0; i < member_count; i++)
		check(doca_ctx_stop(doca_comch_client_as_ctx(members[i].client)), "stop");
	await(&stopped, member_count);
	printf("stopped %u\n", stopped);
}

static void obey(void)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "start\n"))
			start();
		else if (!strncmp(line, "talk ", 5))
			talk_again((unsigned int)strtoul(line + 5, NULL, 10));
		else if (!strcmp(line, "stop\n"))
			stop();
		else
			printf("error command %s", line);
	}
}

int main(int argc, char **argv)
{
	struct leak before = leak_count();
	struct doca_log_backend *log;

	if (argc != 3) {
		fprintf(stderr, "usage: %s NAME CLIENTS\n", argv[0]);
		return 2;
	}
	setlinebuf(stdout);
	doca_log_backend_create_with_file_sdk(stderr, &log);
	check(doca_pe_create(&pe), "create an engine");
	open_dev();
	member_count = (unsigned int)strtoul(argv[2], NULL, 10);
	members = calloc(member_count, sizeof(*members));
	if (!members)
		return 1;
	for (unsigned int i = 0; i < member_count; i++) {
		members[i].number = i;
		open_member(&members[i], argv[1]);
	}
	obey();
	for (unsigned int i = 0; i < member_count; i++)
		check(doca_comch_client_destroy(members[i].client), "destroy");
	free(members);
	check(doca_pe_destroy(pe), "destroy the engine");
	check(doca_dev_close(dev), "close the device");
	return leak_check(&before) ? 0 : 1;
}
