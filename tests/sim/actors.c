/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs with a server or a client, whose connections come and go under their consumers and
 * producers.
 */
#include <stdlib.h>
#include <string.h>
#include "ends.h"

/*
 * Connections
 */

static struct session *open_session(struct actor *actor, struct doca_comch_connection *connection)
{
	struct session *session = calloc(1, sizeof(*session));

	must(session);
	ends_tally.connections++;
	session->actor = actor;
	session->connection = connection;
	list_add_tail(&actor->sessions, &session->node);
	must(!doca_comch_connection_set_user_data(connection, (union doca_data){.ptr = session}));
	return session;
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

/* of a client; NULL: it has had none yet */
static struct session *last_session(const struct actor *actor)
{
	return list_is_empty(&actor->sessions)
		       ? NULL
		       : container_of(actor->sessions.prev, struct session, node);
}

/* The client says which session it is, so that both sides' are known to be one. */
static void introduce(struct session *session)
{
	memcpy(session->name, &session, sizeof(session));
	must(!side_send_to(session->actor->side, session->connection, session->name,
			   sizeof(session->name)));
}

static void on_message(struct side *side, struct doca_comch_connection *connection,
		       const uint8_t *msg, uint32_t size)
{
	struct session *session = session_of(connection), *peer;

	must(session->actor == side->arg && size == sizeof(peer) && !session->peer);
	memcpy(&peer, msg, sizeof(peer));
	session->peer = peer;
	peer->peer = session;
}

static void on_state(struct side *side, enum doca_ctx_states prev, enum doca_ctx_states next)
{
	struct actor *actor = side->arg;

	if (actor->is_server)
		return;
	if (next == DOCA_CTX_STATE_RUNNING)
		introduce(open_session(actor, side_connection(side)));
	if (prev == DOCA_CTX_STATE_RUNNING)
		last_session(actor)->closing = true;
	/* Between the two it hears that the peer's consumers go. */
	if (next == DOCA_CTX_STATE_IDLE && last_session(actor))
		last_session(actor)->over = true;
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

struct session *session_pick(struct actor *actor)
{
	struct session *found = NULL;
	struct list_node *node;
	uint32_t count = 0;

	list_for_each (node, &actor->sessions) {
		struct session *session = container_of(node, struct session, node);

		if (!session->over && pick(actor->cast, 0, count++) == 0)
			found = session;
	}
	return found;
}

/* Does it keep its connection, to which nothing has happened, from being closed? */
static bool is_in_the_way(const struct end *end)
{
	/* A consumer that stops may wait for a peer that does nothing. */
	return end_is_active(end) && session_is_whole(end->session) &&
	       !(end->is_consumer && end->state == DOCA_CTX_STATE_STOPPING);
}

/* Has it any that is so? session: NULL: on any */
static bool has_ends(const struct actor *actor, const struct session *session,
		     bool (*is_so)(const struct end *end))
{
	const struct cast *cast = actor->cast;
	const struct end *end;

	for (end = cast->ends; end < cast->ends + cast->end_count; end++)
		if (end->actor == actor && (!session || end->session == session) && is_so(end))
			return true;
	return false;
}

static void break_all(struct actor *actor)
{
	struct list_node *node;

	list_for_each (node, &actor->sessions)
		container_of(node, struct session, node)->is_broken = true;
}

/* Only what nobody uses can be stopped. */
void actor_stop(struct actor *actor)
{
	doca_error_t err = side_stop(actor->side);
	struct list_node *node;

	if (err == DOCA_ERROR_IN_USE) {
		must(has_ends(actor, NULL, end_is_active));
		return;
	}
	must(!err || err == DOCA_ERROR_IN_PROGRESS);
	must(!has_ends(actor, NULL, is_in_the_way));
	break_all(actor);
	list_for_each (node, &actor->sessions)
		container_of(node, struct session, node)->closing = true;
}

static void disconnect(struct actor *actor)
{
	struct session *session = session_pick(actor);
	doca_error_t err;

	if (!actor->is_server || !session || session->closing)
		return;
	err = doca_comch_server_disconnect(actor->side->server, session->connection);
	if (err == DOCA_ERROR_IN_USE) {
		must(has_ends(actor, session, end_is_active));
		return;
	}
	must(!err && !has_ends(actor, session, is_in_the_way));
	session->is_broken = session->closing = true;
}

static void die(struct actor *actor)
{
	ends_tally.deaths++;
	break_all(actor);
	sim_kill(&actor->cast->world.sim, &actor->side->party);
	actor->dead_for = pick(actor->cast, 1, 100);
}

void actor_act(struct actor *actor)
{
	enum doca_ctx_states state = side_state(actor->side);
	uint32_t dice = pick(actor->cast, 0, 999);

	if (actor->dead_for)
		return;
	if (state == DOCA_CTX_STATE_IDLE) {
		doca_error_t err = side_start(actor->side);

		must(!err || err == DOCA_ERROR_IN_PROGRESS);
	} else if (dice < 20) {
		actor_stop(actor);
	} else if (dice < 40) {
		disconnect(actor);
	} else if (dice < 50) {
		die(actor);
	}
}

/*
 * Progress
 */

static bool engine_poll(struct actor *actor, unsigned int number)
{
	struct doca_pe *pe = actor->engines[number];
	struct party *before;
	bool done;

	if (actor->asleep[number]) {
		if (!engine_is_woken(pe))
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

bool actor_poll(struct actor *actor)
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

/*
 * Beginning and end
 */

void actor_init(struct actor *actor, struct cast *cast, bool is_server, unsigned int number)
{
	char name[2] = {(char)('a' + number), 0};
	struct side *side;

	actor->cast = cast;
	actor->is_server = is_server;
	list_init(&actor->sessions);
	dice_roll_faults(&cast->random, &actor->faults, 15);
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
	side->on_message = on_message;
	actor->engines[0] = side->pe;
	must(!doca_pe_create(&actor->engines[1]));
}

void actor_fini(struct actor *actor)
{
	struct list_node *node;

	must(side_state(actor->side) == DOCA_CTX_STATE_IDLE);
	must(!doca_pe_destroy(actor->engines[1]));
	while ((node = list_pop(&actor->sessions))) {
		must(container_of(node, struct session, node)->over);
		free(container_of(node, struct session, node));
	}
}
