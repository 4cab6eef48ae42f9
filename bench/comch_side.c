/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opening, pools of tasks, sleeping, closing.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "comch_side.h"
#include "device.h"
#include "doca_error.h"
#include "lib/clock.h"
#include "lib/pair.h"

void comch_check(doca_error_t result, const char *what)
{
	if (result != DOCA_SUCCESS)
		bench_fail("cannot %s: %s", what, doca_error_get_descr(result));
}

static struct comch_side *side_of(const struct doca_comch_connection *connection)
{
	return doca_comch_connection_get_user_data(connection).ptr;
}

static void open_rep(struct comch_side *side, const char *pci_addr)
{
	struct doca_devinfo_rep **list;
	uint32_t count;
	uint8_t equal;

	comch_check(
		doca_devinfo_rep_create_list(side->dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &count),
		"list representors");
	for (uint32_t i = 0; i < count && !side->rep; i++) {
		if (doca_devinfo_rep_is_equal_pci_addr(list[i], pci_addr, &equal) == DOCA_SUCCESS &&
		    equal)
			comch_check(doca_dev_rep_open(list[i], &side->rep), "open a representor");
	}
	doca_devinfo_rep_destroy_list(list);
	if (!side->rep)
		bench_fail("no representor %s among %u", pci_addr, count);
}

static void sent(struct doca_comch_task_send *task, union doca_data task_data,
		 union doca_data ctx_data)
{
	struct comch_slot *slot = task_data.ptr;

	(void)task;
	(void)ctx_data;
	if (slot->pool->side->config.on_sent)
		slot->pool->side->config.on_sent(slot);
	else
		comch_slot_give(slot);
}

static void send_failed(struct doca_comch_task_send *task, union doca_data task_data,
			union doca_data ctx_data)
{
	struct comch_slot *slot = task_data.ptr;
	doca_error_t status = doca_task_get_status(doca_comch_task_send_as_task(task));

	(void)ctx_data;
	if (!slot->pool->side->gone)
		comch_check(status, "send a message");
	comch_slot_give(slot);
}

static void received(struct doca_comch_event_msg_recv *event, uint8_t *message, uint32_t size,
		     struct doca_comch_connection *connection)
{
	struct comch_side *side = side_of(connection);

	(void)event;
	if (!side) /* a server's connection, before its connect event has stored us */
		bench_fail("message on a connection without user data");
	side->connection = connection;
	side->config.on_message(side, message, size);
}

/* A server's connections are told apart only by who sends, so the newest side is static here. */
static struct comch_side *server_side;

static void client_connected(struct doca_comch_event_connection_status_changed *event,
			     struct doca_comch_connection *connection, uint8_t successful)
{
	union doca_data data = {.ptr = server_side};

	(void)event;
	if (!successful)
		bench_fail("a client could not connect");
	comch_check(doca_comch_connection_set_user_data(connection, data), "mark a connection");
	if (!server_side->connection)
		server_side->connection = connection;
	server_side->clients++;
}

static void client_left(struct doca_comch_event_connection_status_changed *event,
			struct doca_comch_connection *connection, uint8_t successful)
{
	(void)event;
	(void)successful;
	server_side->clients--;
	if (connection == server_side->connection)
		server_side->gone = true;
}

static void consumer_appeared(struct doca_comch_event_consumer *event,
			      struct doca_comch_connection *connection, uint32_t id)
{
	struct comch_side *side = side_of(connection);

	(void)event;
	if (side->consumer_count < COMCH_CONSUMERS)
		side->consumers[side->consumer_count++] = id;
}

static void consumer_expired(struct doca_comch_event_consumer *event,
			     struct doca_comch_connection *connection, uint32_t id)
{
	(void)event;
	(void)connection;
	(void)id;
}

static void state_changed(const union doca_data ctx_data, struct doca_ctx *ctx,
			  enum doca_ctx_states previous, enum doca_ctx_states next)
{
	struct comch_side *side = ctx_data.ptr;

	(void)ctx;
	if (previous == DOCA_CTX_STATE_STARTING && next != DOCA_CTX_STATE_RUNNING)
		bench_fail("the connection was refused");
	if (previous == DOCA_CTX_STATE_RUNNING)
		side->gone = true;
}

static void open_server(struct comch_side *side)
{
	const struct comch_config *config = &side->config;

	server_side = side;
	side->dev = device_open(DEVICE_DPU);
	open_rep(side, DEVICE_HOST);
	comch_check(doca_comch_server_create(side->dev, side->rep, config->name, &side->server),
		    "create a server");
	if (config->recv_queue)
		comch_check(doca_comch_server_set_recv_queue_size(side->server, config->recv_queue),
			    "set the receive queue");
	comch_check(doca_comch_server_task_send_set_conf(side->server, sent, send_failed,
							 COMCH_SEND_TASKS),
		    "configure send tasks");
	comch_check(doca_comch_server_event_msg_recv_register(side->server, received),
		    "register for messages");
	comch_check(doca_comch_server_event_connection_status_changed_register(
			    side->server, client_connected, client_left),
		    "register for connections");
	comch_check(doca_comch_server_event_consumer_register(side->server, consumer_appeared,
							      consumer_expired),
		    "register for consumers");
	side->ctx = doca_comch_server_as_ctx(side->server);
}

static void open_client(struct comch_side *side)
{
	const struct comch_config *config = &side->config;

	side->dev = device_open(DEVICE_HOST);
	comch_check(doca_comch_client_create(side->dev, config->name, &side->client),
		    "create a client");
	if (config->recv_queue)
		comch_check(doca_comch_client_set_recv_queue_size(side->client, config->recv_queue),
			    "set the receive queue");
	comch_check(doca_comch_client_task_send_set_conf(side->client, sent, send_failed,
							 COMCH_SEND_TASKS),
		    "configure send tasks");
	comch_check(doca_comch_client_event_msg_recv_register(side->client, received),
		    "register for messages");
	comch_check(doca_comch_client_event_consumer_register(side->client, consumer_appeared,
							      consumer_expired),
		    "register for consumers");
	side->ctx = doca_comch_client_as_ctx(side->client);
}

static void start(struct comch_side *side)
{
	union doca_data data = {.ptr = side};
	enum doca_ctx_states state;
	doca_error_t result;

	comch_check(doca_ctx_set_user_data(side->ctx, data), "set user data");
	comch_check(doca_ctx_set_state_changed_cb(side->ctx, state_changed), "watch the state");
	comch_check(doca_pe_connect_ctx(side->pe, side->ctx), "connect to a progress engine");
	result = doca_ctx_start(side->ctx);
	if (result != DOCA_ERROR_IN_PROGRESS)
		comch_check(result, "start");
	do {
		doca_pe_progress(side->pe);
		comch_check(doca_ctx_get_state(side->ctx, &state), "read the state");
	} while (state == DOCA_CTX_STATE_STARTING);
	if (!side->client)
		return;
	comch_check(doca_comch_client_get_connection(side->client, &side->connection),
		    "get the connection");
	comch_check(doca_comch_connection_set_user_data(side->connection, data),
		    "mark the connection");
}

static void ignore(struct comch_side *side, const uint8_t *message, uint32_t size)
{
	(void)side;
	(void)message;
	(void)size;
}

void comch_open(struct comch_side *side, const struct comch_config *config)
{
	*side = (struct comch_side){.config = *config, .epoll_fd = -1};
	if (!config->on_message)
		side->config.on_message = ignore;
	comch_check(doca_pe_create(&side->pe), "create a progress engine");
	if (config->server)
		open_server(side);
	else
		open_client(side);
	start(side);
}

static void *pool_memory(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory)
		bench_fail("no memory for %zu tasks", count);
	return memory;
}

static void slot_init(struct comch_slot *slot, struct comch_pool *pool, uint8_t *message)
{
	struct comch_side *side = pool->side;
	union doca_data data = {.ptr = slot};
	struct doca_comch_task_send *task;
	doca_error_t result;

	if (side->server)
		result = doca_comch_server_task_send_alloc_init(side->server, side->connection,
								message, pool->size, &task);
	else
		result = doca_comch_client_task_send_alloc_init(side->client, side->connection,
								message, pool->size, &task);
	comch_check(result, "allocate a send task");
	*slot = (struct comch_slot){
		.task = doca_comch_task_send_as_task(task),
		.message = message,
		.pool = pool,
	};
	doca_task_set_user_data(slot->task, data);
}

struct comch_pool *comch_pool_get(struct comch_side *side, uint32_t size, uint32_t count)
{
	struct comch_pool *pool;

	for (uint32_t i = side->pool_count; i > 0; i--) {
		if (side->pools[i - 1].size == size)
			return &side->pools[i - 1];
	}
	if (side->pool_count == COMCH_POOLS)
		bench_fail("more than %d message sizes", COMCH_POOLS);
	pool = &side->pools[side->pool_count++];
	*pool = (struct comch_pool){.side = side, .size = size, .count = count};
	pool->slots = pool_memory(count, sizeof(*pool->slots));
	pool->free = pool_memory(count, sizeof(struct comch_slot *));
	pool->messages = pool_memory(count, size);
	for (uint32_t i = 0; i < count; i++) {
		slot_init(&pool->slots[i], pool, pool->messages + (size_t)i * size);
		comch_slot_give(&pool->slots[i]);
	}
	return pool;
}

void comch_wait_all_sent(const struct comch_pool *pool)
{
	while (pool->free_count < pool->count)
		doca_pe_progress(pool->side->pe);
}

static void pool_fini(struct comch_pool *pool)
{
	for (uint32_t i = 0; i < pool->count; i++)
		doca_task_free(pool->slots[i].task);
	free(pool->slots);
	free(pool->free);
	free(pool->messages);
}

static int notification_epoll(struct doca_pe *pe)
{
	struct epoll_event event = {.events = EPOLLIN};
	doca_notification_handle_t handle;
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);

	comch_check(doca_pe_get_notification_handle(pe, &handle), "get the notification handle");
	if (epoll_fd < 0 || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, handle, &event))
		bench_fail("cannot watch the notification handle");
	return epoll_fd;
}

void comch_sleep_on(struct doca_pe *pe, int *epoll_fd, int timeout_ms)
{
	struct epoll_event event;

	if (*epoll_fd < 0)
		*epoll_fd = notification_epoll(pe);
	comch_check(doca_pe_request_notification(pe), "request a notification");
	epoll_wait(*epoll_fd, &event, 1, timeout_ms);
	comch_check(doca_pe_clear_notification(pe, 0), "clear a notification");
}

void comch_sleep(struct comch_side *side)
{
	while (!doca_pe_progress(side->pe))
		comch_sleep_on(side->pe, &side->epoll_fd, -1);
}

void comch_close(struct comch_side *side)
{
	enum doca_ctx_states state;
	doca_error_t result;

	side->gone = true;
	for (uint32_t i = 0; i < side->pool_count; i++) {
		comch_wait_all_sent(&side->pools[i]);
		pool_fini(&side->pools[i]);
	}
	result = doca_ctx_stop(side->ctx);
	if (result != DOCA_ERROR_IN_PROGRESS && result != DOCA_ERROR_BAD_STATE)
		comch_check(result, "stop");
	do {
		doca_pe_progress(side->pe);
		comch_check(doca_ctx_get_state(side->ctx, &state), "read the state");
	} while (state != DOCA_CTX_STATE_IDLE);
	if (side->server)
		comch_check(doca_comch_server_destroy(side->server), "destroy the server");
	else
		comch_check(doca_comch_client_destroy(side->client), "destroy the client");
	comch_check(doca_pe_destroy(side->pe), "destroy the progress engine");
	if (side->epoll_fd >= 0)
		close(side->epoll_fd);
	if (side->rep)
		doca_dev_rep_close(side->rep);
	doca_dev_close(side->dev);
}

static void serve(void *arg)
{
	struct comch_pair *pair = arg;
	struct comch_side side;

	comch_open(&side, &pair->server_config);
	atomic_store(pair->listening, true);
	if (side.config.serve)
		side.config.serve(&side);
	while (!side.gone)
		comch_progress(&side);
	comch_close(&side);
}

void comch_pair_open(struct comch_pair *pair, const struct bench_options *options,
		     const struct comch_config *client, const struct comch_config *server)
{
	struct comch_config config = *client;

	snprintf(pair->name, sizeof(pair->name), "bench-%d", getpid());
	config.name = pair->name;
	pair->server_config = *server;
	pair->server_config.name = pair->name;
	pair->server_config.server = true;
	pair->listening = pair_shared(sizeof(*pair->listening));
	pair->child = pair_fork(options->cpu, serve, pair);
	while (!atomic_load(pair->listening))
		clock_relax();
	comch_open(&pair->client, &config);
}

void comch_pair_close(struct comch_pair *pair)
{
	comch_close(&pair->client);
	pair_join(pair->child);
}
