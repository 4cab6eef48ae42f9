/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Servers and clients in one process.
 */
#include "world.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "core/pe.h"
#include "unique.h"

/* More than any interval at which a poll group looks around. */
#define ROUND_NS 1000000u
/* So many rounds without anything mean that nothing will come any more. */
#define IDLE_ROUNDS 4
#define ROUNDS_MAX  100000

void (*world_failing)(void);

void world_fail(const char *what, const char *file, int line)
{
	print_error("%s:%d: not so: %s\n", file, line, what);
	if (world_failing)
		world_failing();
	_fail(file, line);
	abort(); /* not reached */
}

/*
 * Callbacks
 */

static struct side *side_of(struct doca_comch_connection *connection)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
	struct doca_comch_client *client = doca_comch_client_get_client_ctx(connection);
	union doca_data data;

	must(!server != !client);
	must(!doca_ctx_get_user_data(server ? doca_comch_server_as_ctx(server)
					    : doca_comch_client_as_ctx(client),
				     &data));
	return data.ptr;
}

static void state_changed(const union doca_data user_data, struct doca_ctx *ctx,
			  enum doca_ctx_states prev, enum doca_ctx_states next)
{
	struct side *side = user_data.ptr;

	must(ctx == side->ctx && side_state(side) == next);
	must(prev == (side->state_count ? side->states[(side->state_count - 1) % SIDE_STATES]
					: DOCA_CTX_STATE_IDLE));
	side->states[side->state_count++ % SIDE_STATES] = next;
	if (side->on_state)
		side->on_state(side, prev, next);
}

static void connected(struct doca_comch_event_connection_status_changed *event,
		      struct doca_comch_connection *connection, uint8_t successful)
{
	struct side *side = side_of(connection);

	(void)event;
	if (successful) {
		side->connects++;
		side->connection = connection;
	} else {
		side->refusals++;
	}
	if (side->on_connect)
		side->on_connect(side, connection, successful);
}

static void disconnected(struct doca_comch_event_connection_status_changed *event,
			 struct doca_comch_connection *connection, uint8_t successful)
{
	struct side *side = side_of(connection);

	(void)event;
	must(successful);
	side->disconnects++;
	if (side->connection == connection)
		side->connection = NULL;
	if (side->on_disconnect)
		side->on_disconnect(side, connection);
}

static void received(struct doca_comch_event_msg_recv *event, uint8_t *msg, uint32_t size,
		     struct doca_comch_connection *connection)
{
	struct side *side = side_of(connection);

	(void)event;
	must(size && size <= SIDE_MESSAGE);
	side->messages++;
	memcpy(side->message, msg, size);
	side->message_size = size;
	if (side->on_message)
		side->on_message(side, connection, msg, size);
}

static void told(struct side *side, struct doca_comch_task_send *send)
{
	struct doca_task *task = doca_comch_task_send_as_task(send);

	side->send_status = doca_task_get_status(task);
	if (side->on_sent)
		side->on_sent(side, task, side->send_status);
	else
		doca_task_free(task);
}

static void sent(struct doca_comch_task_send *task, union doca_data task_data,
		 union doca_data ctx_data)
{
	struct side *side = ctx_data.ptr;

	(void)task_data;
	side->sent++;
	told(side, task);
}

static void failed(struct doca_comch_task_send *task, union doca_data task_data,
		   union doca_data ctx_data)
{
	struct side *side = ctx_data.ptr;

	(void)task_data;
	side->failed++;
	told(side, task);
}

/*
 * Sides
 */

static struct side *add_side(struct world *world, const char *dev_pci)
{
	struct side *side = &world->sides[world->side_count++];

	must(world->side_count <= WORLD_SIDES);
	memset(side, 0, sizeof(*side));
	side->world = world;
	if (world->links == WORLD_SIM)
		side->party = (struct party){.link_ops = &sim_link_ops, .link_data = &world->sim};
	side->dev = open_dev(dev_pci);
	must(!doca_pe_create(&side->pe));
	return side;
}

static void set_up_ctx(struct side *side, struct doca_ctx *ctx)
{
	side->ctx = ctx;
	must(!doca_ctx_set_user_data(ctx, (union doca_data){.ptr = side}));
	must(!doca_ctx_set_state_changed_cb(ctx, state_changed));
	must(!doca_pe_connect_ctx(side->pe, ctx));
}

const char *world_unique(const char *name)
{
	static char unique[128];

	unique_name(unique, sizeof(unique), name);
	return unique;
}

void world_set_up_server(struct side *side, const char *name)
{
	must(!doca_comch_server_create(side->dev, side->rep, name, &side->server));
	set_up_ctx(side, doca_comch_server_as_ctx(side->server));
	must(!doca_comch_server_task_send_set_conf(side->server, sent, failed, SIDE_TASKS));
	must(!doca_comch_server_event_msg_recv_register(side->server, received));
	must(!doca_comch_server_event_connection_status_changed_register(side->server, connected,
									 disconnected));
}

struct side *world_add_server(struct world *world, const char *host_pci, const char *name)
{
	struct side *side = add_side(world, DPU_PF0);

	if (!strcmp(host_pci, HOST_PF1)) { /* which the other port represents */
		must(!doca_dev_close(side->dev));
		side->dev = open_dev(DPU_PF1);
	}
	side->rep = open_rep(side->dev, host_pci);
	world_set_up_server(side, name);
	return side;
}

void world_set_tasks(struct side *side, uint32_t count)
{
	if (side->server)
		must(!doca_comch_server_task_send_set_conf(side->server, sent, failed, count));
	else
		must(!doca_comch_client_task_send_set_conf(side->client, sent, failed, count));
}

void world_set_up_client(struct side *side, const char *name)
{
	must(!doca_comch_client_create(side->dev, name, &side->client));
	set_up_ctx(side, doca_comch_client_as_ctx(side->client));
	must(!doca_comch_client_task_send_set_conf(side->client, sent, failed, SIDE_TASKS));
	must(!doca_comch_client_event_msg_recv_register(side->client, received));
}

struct side *world_add_client(struct world *world, const char *host_pci, const char *name)
{
	struct side *side = add_side(world, host_pci);

	world_set_up_client(side, name);
	return side;
}

enum doca_ctx_states side_state(const struct side *side)
{
	enum doca_ctx_states state;

	must(!doca_ctx_get_state(side->ctx, &state));
	return state;
}

doca_error_t side_start(struct side *side)
{
	struct party *before = priv_party_switch(&side->party);
	doca_error_t err = doca_ctx_start(side->ctx);

	priv_party_switch(before);
	return err;
}

doca_error_t side_stop(struct side *side)
{
	struct party *before = priv_party_switch(&side->party);
	doca_error_t err = doca_ctx_stop(side->ctx);

	priv_party_switch(before);
	return err;
}

void side_run(struct side *side)
{
	must(side_start(side) == (side->server ? DOCA_SUCCESS : DOCA_ERROR_IN_PROGRESS));
	world_settle(side->world);
	must(side_state(side) == DOCA_CTX_STATE_RUNNING);
}

void side_destroy(struct side *side)
{
	if (side->server)
		must(!doca_comch_server_destroy(side->server));
	if (side->client)
		must(!doca_comch_client_destroy(side->client));
	side->server = NULL;
	side->client = NULL;
	side->ctx = NULL;
}

struct doca_comch_connection *side_connection(const struct side *side)
{
	struct doca_comch_connection *connection = side->connection;

	if (side->client)
		must(!doca_comch_client_get_connection(side->client, &connection));
	must(connection);
	return connection;
}

/*
 * Sending
 */

doca_error_t side_alloc(struct side *side, struct doca_comch_connection *connection,
			const void *msg, uint32_t size, struct doca_task **ret_task)
{
	struct doca_comch_task_send *task;
	doca_error_t err;

	if (side->server)
		err = doca_comch_server_task_send_alloc_init(side->server, connection, msg, size,
							     &task);
	else
		err = doca_comch_client_task_send_alloc_init(side->client, connection, msg, size,
							     &task);
	if (!err)
		*ret_task = doca_comch_task_send_as_task(task);
	return err;
}

doca_error_t side_send_to(struct side *side, struct doca_comch_connection *connection,
			  const void *msg, uint32_t size)
{
	struct doca_task *task;
	doca_error_t err;

	err = side_alloc(side, connection, msg, size, &task);
	if (err)
		return err;
	err = doca_task_submit(task);
	if (err)
		doca_task_free(task);
	return err;
}

doca_error_t side_send(struct side *side, const void *msg, uint32_t size)
{
	return side_send_to(side, side_connection(side), msg, size);
}

/*
 * Progress
 */

bool side_progress(struct side *side)
{
	struct party *before = priv_party_switch(&side->party);
	bool done = priv_pe_work(side->pe);

	priv_party_switch(before);
	return done;
}

bool world_progress(struct world *world)
{
	bool done = false;
	unsigned int i;

	priv_clock_virtual.now_ns += ROUND_NS;
	for (i = 0; i < world->side_count; i++)
		done |= world->sides[i].pe && side_progress(&world->sides[i]);
	return done;
}

static bool awaits_timer(const struct side *side)
{
	return side->pe && priv_poll_group_next_deadline(&side->pe->group) != UINT64_MAX;
}

static bool somebody_awaits_timer(const struct world *world)
{
	unsigned int i;

	for (i = 0; i < world->side_count; i++)
		if (awaits_timer(&world->sides[i]))
			return true;
	return false;
}

void side_settle(struct side *side)
{
	unsigned int rounds = 0, idle = 0;

	while (idle < IDLE_ROUNDS) {
		priv_clock_virtual.now_ns += ROUND_NS;
		idle = side_progress(side) || awaits_timer(side) ? 0 : idle + 1;
		must(rounds++ < ROUNDS_MAX);
	}
}

void world_settle(struct world *world)
{
	unsigned int rounds = 0, idle = 0;

	while (idle < IDLE_ROUNDS) {
		idle = world_progress(world) || somebody_awaits_timer(world) ? 0 : idle + 1;
		must(rounds++ < ROUNDS_MAX);
	}
}

struct pair world_connect(struct world *world, const char *name)
{
	struct pair pair = {.server = world_add_server(world, HOST_PF0, name),
			    .client = world_add_client(world, HOST_PF0, name)};

	side_run(pair.server);
	side_run(pair.client);
	must(pair.server->connects == 1);
	return pair;
}

/*
 * Beginning and end
 */

void world_init(struct world *world, enum world_links links)
{
	memset(world, 0, sizeof(*world));
	priv_party_switch(NULL);
	world->links = links;
	world->before = leak_count();
	sim_init(&world->sim, 1);
	priv_clock_virtual.on = true;
	priv_clock_virtual.now_ns = 1000000000;
}

static void stop_side(struct side *side)
{
	side->on_state = NULL;
	side->on_connect = NULL;
	side->on_disconnect = NULL;
	side->on_message = NULL;
	side->on_sent = NULL;
	if (side->ctx && side_state(side) != DOCA_CTX_STATE_IDLE)
		side_stop(side);
}

static void close_side(struct side *side)
{
	if (side->ctx) {
		must(side_state(side) == DOCA_CTX_STATE_IDLE);
		side_destroy(side);
	}
	if (side->pe)
		must(!doca_pe_destroy(side->pe));
	if (side->rep)
		must(!doca_dev_rep_close(side->rep));
	must(!doca_dev_close(side->dev));
}

bool world_fini(struct world *world)
{
	unsigned int i;

	for (i = 0; i < world->side_count; i++)
		stop_side(&world->sides[i]);
	world_settle(world);
	for (i = 0; i < world->side_count; i++)
		close_side(&world->sides[i]);
	sim_fini(&world->sim);
	priv_clock_virtual.on = false;
	return leak_check(&world->before);
}

static int set_up(void **state, enum world_links links)
{
	struct world *world = malloc(sizeof(*world));

	world_init(world, links);
	*state = world;
	return 0;
}

int world_setup(void **state)
{
	return set_up(state, WORLD_SIM);
}

int world_setup_shm(void **state)
{
	return set_up(state, WORLD_SHM);
}

int world_teardown(void **state)
{
	struct world *world = *state;
	bool clean = world_fini(world);

	free(world);
	return clean ? 0 : -1;
}

void ignore_message(struct doca_comch_event_msg_recv *event, uint8_t *msg, uint32_t size,
		    struct doca_comch_connection *connection)
{
	(void)event;
	(void)msg;
	(void)size;
	(void)connection;
}

void ignore_consumer(struct doca_comch_event_consumer *event,
		     struct doca_comch_connection *connection, uint32_t id)
{
	(void)event;
	(void)connection;
	(void)id;
}
