/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A server and its clients in two threads over real sockets and shared memory, through the public
 * API: ping-pong in event mode, so many clients that most are cold, and clients that come and go
 * all the time. A lost wake-up is a test that never ends.
 *
 *	storm [ROUNDS]
 */
#include "test.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include "descriptors.h"
#include "unique.h"
#include "world.h"

#define CLIENTS 48u /* more than stay hot without work */

static unsigned int rounds = 100000;

/* One thread's end: a progress engine and what is connected to it. */
struct end {
	struct doca_pe *pe;
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	bool sleeps;
};

static char name[64];

static void end_init(struct end *end, const char *pci, bool sleeps)
{
	*end = (struct end){.dev = open_dev(pci), .sleeps = sleeps};
	must(!doca_pe_create(&end->pe));
}

static void end_fini(struct end *end)
{
	must(!doca_pe_destroy(end->pe));
	if (end->rep)
		must(!doca_dev_rep_close(end->rep));
	must(!doca_dev_close(end->dev));
}

/* one round of a program's loop; in event mode it sleeps when there is nothing to do */
static void work(struct end *end)
{
	struct pollfd pollfd = {.events = POLLIN};
	doca_notification_handle_t handle;

	if (doca_pe_progress(end->pe) || !end->sleeps)
		return;
	must(!doca_pe_request_notification(end->pe));
	must(!doca_pe_get_notification_handle(end->pe, &handle));
	pollfd.fd = handle;
	while (poll(&pollfd, 1, -1) != 1)
		;
	must(!doca_pe_clear_notification(end->pe, handle));
}

/*
 * Callbacks
 */

static void free_sent(struct doca_comch_task_send *task, union doca_data task_data,
		      union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_comch_task_send_as_task(task));
}

/*
 * The server answers every message and ends when all clients have come and gone.
 */

struct service {
	struct doca_comch_server *server;
	unsigned int here, expected;
};

static struct service *service_of(struct doca_comch_connection *connection)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
	union doca_data data;

	must(!doca_ctx_get_user_data(doca_comch_server_as_ctx(server), &data));
	return data.ptr;
}

static void came(struct doca_comch_event_connection_status_changed *event,
		 struct doca_comch_connection *connection, uint8_t successful)
{
	(void)event;
	must(successful);
	service_of(connection)->here++;
}

static void went(struct doca_comch_event_connection_status_changed *event,
		 struct doca_comch_connection *connection, uint8_t successful)
{
	struct service *service = service_of(connection);

	(void)event;
	must(successful && service->here && service->expected);
	service->here--;
	service->expected--;
}

static void answer(struct doca_comch_event_msg_recv *event, uint8_t *msg, uint32_t size,
		   struct doca_comch_connection *connection)
{
	struct doca_comch_task_send *task;

	(void)event;
	must(size == 5 && msg[0] == 'h');
	must(!doca_comch_server_task_send_alloc_init(service_of(connection)->server, connection,
						     "hello", 5, &task));
	must(!doca_task_submit(doca_comch_task_send_as_task(task)));
}

static pthread_barrier_t listening;

static void *serve(void *arg)
{
	struct service *service = arg;
	enum doca_ctx_states state;
	struct doca_ctx *ctx;
	struct end end;

	end_init(&end, DPU_PF0, true);
	end.rep = open_rep(end.dev, HOST_PF0);
	must(!doca_comch_server_create(end.dev, end.rep, name, &service->server));
	ctx = doca_comch_server_as_ctx(service->server);
	must(!doca_ctx_set_user_data(ctx, (union doca_data){.ptr = service}));
	must(!doca_pe_connect_ctx(end.pe, ctx));
	must(!doca_comch_server_task_send_set_conf(service->server, free_sent, free_sent, 1024));
	must(!doca_comch_server_event_msg_recv_register(service->server, answer));
	must(!doca_comch_server_event_connection_status_changed_register(service->server, came,
									 went));
	must(!doca_ctx_start(ctx));
	pthread_barrier_wait(&listening);
	while (service->expected)
		work(&end);
	doca_ctx_stop(ctx);
	do {
		doca_pe_progress(end.pe);
		must(!doca_ctx_get_state(ctx, &state));
	} while (state != DOCA_CTX_STATE_IDLE);
	must(!doca_comch_server_destroy(service->server));
	end_fini(&end);
	return NULL;
}

/*
 * Clients
 */

struct caller {
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	unsigned int answers;
};

static void answered(struct doca_comch_event_msg_recv *event, uint8_t *msg, uint32_t size,
		     struct doca_comch_connection *connection)
{
	struct doca_comch_client *client = doca_comch_client_get_client_ctx(connection);
	union doca_data data;

	(void)event;
	(void)msg;
	must(size == 5);
	must(!doca_ctx_get_user_data(doca_comch_client_as_ctx(client), &data));
	((struct caller *)data.ptr)->answers++;
}

static enum doca_ctx_states state_of(const struct caller *caller)
{
	enum doca_ctx_states state;

	must(!doca_ctx_get_state(caller->ctx, &state));
	return state;
}

static void caller_init(struct caller *caller, struct end *end)
{
	caller->answers = 0;
	must(!doca_comch_client_create(end->dev, name, &caller->client));
	caller->ctx = doca_comch_client_as_ctx(caller->client);
	must(!doca_ctx_set_user_data(caller->ctx, (union doca_data){.ptr = caller}));
	must(!doca_pe_connect_ctx(end->pe, caller->ctx));
	must(!doca_comch_client_task_send_set_conf(caller->client, free_sent, free_sent, 16));
	must(!doca_comch_client_event_msg_recv_register(caller->client, answered));
}

static void wait_for_state(struct caller *caller, struct end *end, enum doca_ctx_states state)
{
	while (state_of(caller) != state)
		work(end);
}

static void connect_caller(struct caller *caller, struct end *end)
{
	must(doca_ctx_start(caller->ctx) == DOCA_ERROR_IN_PROGRESS);
	wait_for_state(caller, end, DOCA_CTX_STATE_RUNNING);
}

static void hang_up(struct caller *caller, struct end *end)
{
	must(doca_ctx_stop(caller->ctx) == DOCA_ERROR_IN_PROGRESS);
	wait_for_state(caller, end, DOCA_CTX_STATE_IDLE);
}

static void say_hello(struct caller *caller)
{
	struct doca_comch_connection *connection;
	struct doca_comch_task_send *task;

	must(!doca_comch_client_get_connection(caller->client, &connection));
	must(!doca_comch_client_task_send_alloc_init(caller->client, connection, "hello", 5,
						     &task));
	must(!doca_task_submit(doca_comch_task_send_as_task(task)));
}

static void exchange(struct caller *caller, struct end *end)
{
	unsigned int before = caller->answers;

	say_hello(caller);
	while (caller->answers == before)
		work(end);
}

/*
 * Storms
 */

static pthread_t open_service(struct service *service, unsigned int expected)
{
	pthread_t thread;

	*service = (struct service){.expected = expected};
	must(!pthread_create(&thread, NULL, serve, service));
	pthread_barrier_wait(&listening);
	return thread;
}

static void ping_pong_asleep(void)
{
	struct service service;
	pthread_t thread = open_service(&service, 1);
	struct caller caller;
	struct end end;
	unsigned int i;

	end_init(&end, HOST_PF0, true);
	caller_init(&caller, &end);
	connect_caller(&caller, &end);
	for (i = 0; i < rounds; i++)
		exchange(&caller, &end);
	hang_up(&caller, &end);
	must(!doca_comch_client_destroy(caller.client));
	end_fini(&end);
	pthread_join(thread, NULL);
}

static void many_clients_mostly_cold(bool sleeps)
{
	static struct caller callers[CLIENTS];
	struct service service;
	pthread_t thread = open_service(&service, CLIENTS);
	struct random random = {.state = 1};
	struct end end;
	unsigned int i;

	end_init(&end, HOST_PF0, sleeps);
	for (i = 0; i < CLIENTS; i++) {
		caller_init(&callers[i], &end);
		connect_caller(&callers[i], &end);
	}
	for (i = 0; i < rounds / 4; i++)
		exchange(&callers[random_below(&random, CLIENTS)], &end);
	for (i = 0; i < CLIENTS; i++) {
		hang_up(&callers[i], &end);
		must(!doca_comch_client_destroy(callers[i].client));
	}
	end_fini(&end);
	pthread_join(thread, NULL);
}

static void clients_that_come_and_go(void)
{
	unsigned int count = rounds / 100 + 1;
	struct service service;
	pthread_t thread = open_service(&service, count);
	struct caller caller;
	struct end end;
	unsigned int i;

	end_init(&end, HOST_PF0, true);
	caller_init(&caller, &end);
	for (i = 0; i < count; i++) {
		connect_caller(&caller, &end);
		if (i % 2)
			exchange(&caller, &end);
		else
			say_hello(&caller); /* and does not wait for the answer */
		hang_up(&caller, &end);
	}
	must(!doca_comch_client_destroy(caller.client));
	end_fini(&end);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	struct leak before = leak_count();

	if (!many_descriptors_are_allowed())
		return 77; /* skipped */
	if (argc > 1)
		rounds = (unsigned int)strtoul(argv[1], NULL, 0);
	pthread_barrier_init(&listening, NULL, 2);
	unique_name(name, sizeof(name), "storm");
	ping_pong_asleep();
	many_clients_mostly_cold(true);
	many_clients_mostly_cold(false);
	clients_that_come_and_go();
	return leak_check(&before) ? 0 : 1;
}
