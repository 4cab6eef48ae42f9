/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulation of the fast path: random consumers and producers on connections that come and go,
 * under a virtual clock. A run is made of its seed alone, so one that fails fails again.
 *
 *	sim_fast [--seed N | --seeds COUNT] [--steps COUNT]
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "core/pe.h"
#include "ends.h"
#include "seeds.h"

/* Rounds without anything that mean quiet, and rounds in which it must come. */
#define QUIET_ROUNDS 50
#define ROUNDS_MAX   50000

/*
 * Connections
 */

static void open_session(struct actor *actor, struct doca_comch_connection *connection)
{
	struct session *session = calloc(1, sizeof(*session));

	must(session);
	ends_tally.connections++;
	session->actor = actor;
	session->connection = connection;
	session->breaks = actor->cast->breaks[actor->pair];
	list_add_tail(&actor->sessions, &session->node);
	actor->session = session;
	must(!doca_comch_connection_set_user_data(connection, (union doca_data){.ptr = session}));
}

static struct session *session_of(struct doca_comch_connection *connection)
{
	struct session *session = doca_comch_connection_get_user_data(connection).ptr;

	must(session && session->connection == connection && !session->over);
	return session;
}

static void born(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
		 uint32_t id)
{
	struct session *session = session_of(connection);

	(void)event;
	must(session->heard_count < HEARD_MAX);
	for (unsigned int i = 0; i < session->heard_count; i++)
		must(session->heard[i] != id);
	session->heard[session->heard_count++] = id;
}

static void expired(struct doca_comch_event_consumer *event,
		    struct doca_comch_connection *connection, uint32_t id)
{
	struct session *session = session_of(connection);
	unsigned int i = 0;

	(void)event;
	while (i < session->heard_count && session->heard[i] != id)
		i++;
	must(i < session->heard_count);
	session->heard[i] = session->heard[--session->heard_count];
}

static void on_state(struct side *side, enum doca_ctx_states prev, enum doca_ctx_states next)
{
	struct actor *actor = side->arg;

	if (actor->is_server)
		return;
	if (next == DOCA_CTX_STATE_RUNNING)
		open_session(actor, side_connection(side));
	if (prev == DOCA_CTX_STATE_RUNNING)
		actor->session->closing = true;
	/* Between the two it hears that the peer's consumers go. */
	if (next == DOCA_CTX_STATE_IDLE && actor->session)
		actor->session->over = true;
}

static void on_connect(struct side *side, struct doca_comch_connection *connection, bool ok)
{
	if (ok)
		open_session(side->arg, connection);
}

static void on_disconnect(struct side *side, struct doca_comch_connection *connection)
{
	must(session_of(connection)->actor == side->arg);
	session_of(connection)->over = true;
}

/*
 * What programs do
 */

static bool has_active_ends(const struct actor *actor)
{
	const struct cast *cast = actor->cast;
	unsigned int i;

	for (i = 0; i < cast->end_count; i++)
		if (cast->ends[i].actor == actor && end_is_active(&cast->ends[i]))
			return true;
	return false;
}

/* Only what nobody uses can be stopped. */
static void stop(struct actor *actor)
{
	doca_error_t err = side_stop(actor->side);

	if (err == DOCA_ERROR_IN_USE) {
		must(has_active_ends(actor));
		return;
	}
	must(!err || err == DOCA_ERROR_IN_PROGRESS);
	actor->cast->breaks[actor->pair]++;
	if (actor->session)
		actor->session->closing = true;
}

static void disconnect(struct actor *actor)
{
	struct session *session = actor->session;
	doca_error_t err;

	if (!actor->is_server || !session || session->over || session->closing)
		return;
	err = doca_comch_server_disconnect(actor->side->server, session->connection);
	if (err == DOCA_ERROR_IN_USE) {
		must(has_active_ends(actor));
		return;
	}
	must(!err);
	actor->cast->breaks[actor->pair]++;
	session->closing = true;
}

static void die(struct actor *actor)
{
	ends_tally.deaths++;
	actor->cast->breaks[actor->pair]++;
	sim_kill(&actor->cast->world.sim, &actor->side->party);
	actor->dead_for = pick(actor->cast, 1, 100);
}

static void actor_act(struct actor *actor)
{
	enum doca_ctx_states state = side_state(actor->side);
	uint32_t dice = pick(actor->cast, 0, 999);

	if (actor->dead_for)
		return;
	if (state == DOCA_CTX_STATE_IDLE) {
		doca_error_t err = side_start(actor->side);

		must(!err || err == DOCA_ERROR_IN_PROGRESS);
	} else if (dice < 20) {
		stop(actor);
	} else if (dice < 40) {
		disconnect(actor);
	} else if (dice < 50) {
		die(actor);
	}
}

/*
 * Progress
 */

static bool is_woken(const struct doca_pe *pe)
{
	struct pollfd pollfd = {.events = POLLIN};
	doca_notification_handle_t handle;

	must(!doca_pe_get_notification_handle(pe, &handle));
	pollfd.fd = handle;
	return poll(&pollfd, 1, 0) == 1 ||
	       priv_poll_group_next_deadline(&pe->group) <= clock_now_ns();
}

static bool engine_poll(struct actor *actor, unsigned int number)
{
	struct doca_pe *pe = actor->engines[number];
	struct party *before;
	bool done;

	if (actor->asleep[number]) {
		if (!is_woken(pe))
			return false;
		actor->asleep[number] = false;
		must(!doca_pe_clear_notification(pe, 0));
	}
	if (!actor->cast->calm && !chance(actor->cast, actor->polls))
		return true; /* busy elsewhere */
	before = priv_party_switch(&actor->side->party);
	done = doca_pe_progress(pe);
	priv_party_switch(before);
	if (!done && actor->sleeps) {
		must(!doca_pe_request_notification(pe));
		actor->asleep[number] = true;
		ends_tally.sleeps++;
	}
	return done;
}

static bool actor_poll(struct actor *actor)
{
	bool done = false;
	unsigned int i;

	if (actor->dead_for) {
		actor->dead_for--;
		return true;
	}
	for (i = 0; i < ENGINES; i++)
		done |= engine_poll(actor, i);
	return done;
}

static bool poll_all(struct cast *cast)
{
	unsigned int i, first = pick(cast, 0, cast->actor_count - 1);
	bool done = false;

	for (i = 0; i < cast->actor_count; i++)
		done |= actor_poll(&cast->actors[(first + i) % cast->actor_count]);
	return done;
}

static void step(struct cast *cast)
{
	static const uint64_t most[] = {0, 1000, 300000, 2000000, 30000000};

	priv_clock_virtual.now_ns += random_below(&cast->random, most[pick(cast, 0, 4)] + 1);
	if (chance(cast, 20))
		actor_act(&cast->actors[pick(cast, 0, cast->actor_count - 1)]);
	if (chance(cast, 80))
		end_act(&cast->ends[pick(cast, 0, cast->end_count - 1)]);
	poll_all(cast);
}

/*
 * Beginning and end
 */

static void roll_faults(struct actor *actor)
{
	struct cast *cast = actor->cast;
	struct topo_faults *faults = &actor->faults;

	faults->seed = random_next(&cast->random);
	if (chance(cast, 15))
		faults->delay_ns = pick(cast, 1, 20000000);
	if (chance(cast, 15))
		faults->jitter_ns = pick(cast, 1, 20000000);
	if (chance(cast, 10))
		faults->drop_after = pick(cast, 1, 200);
	if (chance(cast, 15))
		faults->full_percent = chance(cast, 20) ? 100 : pick(cast, 1, 50);
}

static void actor_init(struct actor *actor, struct cast *cast, unsigned int number)
{
	char name[2] = {(char)('a' + number / 2), 0};
	struct side *side;

	actor->cast = cast;
	actor->pair = number / 2;
	actor->is_server = number % 2 == 0;
	list_init(&actor->sessions);
	roll_faults(actor);
	actor->sleeps = chance(cast, 50);
	actor->polls = chance(cast, 30) ? pick(cast, 2, 20) : 90;
	actor->holds = chance(cast, 30) ? pick(cast, 0, 50) : 0;
	actor->callbacks = chance(cast, 50) ? pick(cast, 0, 40) : 0;
	actor->side = side = actor->is_server ? world_add_server(&cast->world, HOST_PF0, name)
					      : world_add_client(&cast->world, HOST_PF0, name);
	if (actor->is_server)
		must(!doca_comch_server_event_consumer_register(side->server, born, expired));
	else
		must(!doca_comch_client_event_consumer_register(side->client, born, expired));
	side->party.faults = &actor->faults;
	side->arg = actor;
	side->on_state = on_state;
	side->on_connect = on_connect;
	side->on_disconnect = on_disconnect;
	actor->engines[0] = side->pe;
	must(!doca_pe_create(&actor->engines[1]));
}

static void open_cast(struct cast *cast, uint64_t seed)
{
	static const uint64_t delays[] = {0, 10000, 1000000, 50000000};
	static const size_t sizes[] = {200, 3000, 20000, 20000, 300000, 1500000};
	unsigned int i;

	memset(cast, 0, sizeof(*cast));
	cast->random.state = seed;
	list_init(&cast->streams);
	world_init(&cast->world, WORLD_SIM);
	cast->world.sim.random.state = random_next(&cast->random);
	cast->world.sim.delay_max_ns = delays[pick(cast, 0, 3)];
	cast->world.sim.busy_percent = chance(cast, 20) ? 50 : 0;
	cast->slot_size = sizes[pick(cast, 0, 5)];
	cast->actor_count = 2 * pick(cast, 1, PAIRS_MAX);
	for (i = 0; i < cast->actor_count; i++)
		actor_init(&cast->actors[i], cast, i);
	cast->end_count = pick(cast, 2, ENDS_MAX);
	for (i = 0; i < cast->end_count; i++)
		end_init(&cast->ends[i], cast);
}

static bool awaits_timer(const struct cast *cast)
{
	unsigned int i;

	for (i = 0; i < cast->actor_count * ENGINES; i++) {
		const struct doca_pe *pe = cast->actors[i / ENGINES].engines[i % ENGINES];

		if (priv_poll_group_next_deadline(&pe->group) != UINT64_MAX)
			return true;
	}
	return false;
}

/* Who sleeps is woken, or sleeps for ever and is found out. */
static void quieten(struct cast *cast, void (*each)(struct end *end))
{
	unsigned int rounds = 0, quiet = 0, i;

	while (quiet < QUIET_ROUNDS) {
		for (i = 0; i < cast->end_count; i++)
			each(&cast->ends[i]);
		priv_clock_virtual.now_ns += 1000000;
		quiet = poll_all(cast) || awaits_timer(cast) ? 0 : quiet + 1;
		must(rounds++ < ROUNDS_MAX);
	}
}

/* Has the connection been there all the time? Some break by themselves. */
static bool is_whole(const struct cast *cast, const struct stream *stream)
{
	unsigned int number = 2 * stream->pair;

	return session_is_whole(stream->session) && !cast->actors[number].faults.drop_after &&
	       !cast->actors[number + 1].faults.drop_after;
}

static void check_streams(struct cast *cast)
{
	struct list_node *node;

	list_for_each (node, &cast->streams) {
		const struct stream *stream = container_of(node, struct stream, node);
		const char *fault = stream_end(stream, is_whole(cast, stream));

		if (fault)
			world_fail(fault, __FILE__, __LINE__);
	}
}

static void close_actor(struct actor *actor)
{
	struct list_node *node;

	must(side_state(actor->side) == DOCA_CTX_STATE_IDLE);
	must(!doca_pe_destroy(actor->engines[1]));
	while ((node = list_pop(&actor->sessions))) {
		must(container_of(node, struct session, node)->over);
		free(container_of(node, struct session, node));
	}
}

static void leave_alone(struct end *end)
{
	(void)end;
}

static void close_cast(struct cast *cast)
{
	unsigned int i;

	cast->calm = true;
	quieten(cast, end_calm_down);
	check_streams(cast);
	for (i = 0; i < cast->end_count; i++)
		end_stop(&cast->ends[i]);
	quieten(cast, leave_alone);
	for (i = 0; i < cast->end_count; i++) {
		must(!end_is_active(&cast->ends[i]));
		end_fini(&cast->ends[i]);
	}
	for (i = 0; i < cast->actor_count; i++)
		stop(&cast->actors[i]);
	quieten(cast, leave_alone);
	stream_destroy_all(&cast->streams);
	for (i = 0; i < cast->actor_count; i++)
		close_actor(&cast->actors[i]);
	must(world_fini(&cast->world));
}

static void run(uint64_t seed, uint64_t steps)
{
	static struct cast cast;

	open_cast(&cast, seed);
	for (seeds_step = 0; seeds_step < steps; seeds_step++)
		step(&cast);
	close_cast(&cast);
}

int main(int argc, char **argv)
{
	seeds_run(argc, argv, run);
	printf("%llu connections, %llu messages of %llu sends (%llu failed, %llu refused), %llu "
	       "receives (%llu failed, %llu freed), %llu starts, %llu stops, %llu deaths, %llu "
	       "sleeps\n",
	       (unsigned long long)ends_tally.connections, (unsigned long long)ends_tally.messages,
	       (unsigned long long)ends_tally.sends, (unsigned long long)ends_tally.failed_sends,
	       (unsigned long long)ends_tally.refused, (unsigned long long)ends_tally.posts,
	       (unsigned long long)ends_tally.failed_receives,
	       (unsigned long long)ends_tally.withdrawn, (unsigned long long)ends_tally.starts,
	       (unsigned long long)ends_tally.stops, (unsigned long long)ends_tally.deaths,
	       (unsigned long long)ends_tally.sleeps);
	return 0;
}
