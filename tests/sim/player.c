/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that do what a seed tells them, and the checks that belong to each event.
 */
#include "player.h"

#include <stdio.h>
#include <stdlib.h>

/* A message on its way, or the one that a task was last used for. */
struct letter {
	struct session *session;
	bool is_stale; /* submitted again after the connection's end: it may reach nobody */
	uint8_t msg[];
};

struct tally tally;

/*
 * Sessions
 */

static struct session *open_session(struct player *player, struct doca_comch_connection *connection)
{
	struct session *session = calloc(1, sizeof(*session));

	must(session);
	tally.connections++;
	session->player = player;
	session->connection = connection;
	session->out.key = (uint64_t)(player->index + 1) << 32 | ++player->runs;
	session->out.max_size = session->in.max_size = player->max_msg_size;
	list_add_tail(&player->sessions, &session->node);
	must(!doca_comch_connection_set_user_data(connection, (union doca_data){.ptr = session}));
	return session;
}

static struct session *session_of(struct doca_comch_connection *connection)
{
	return doca_comch_connection_get_user_data(connection).ptr;
}

static struct session *find_by_key(struct stage *stage, uint64_t key)
{
	struct player *player;
	struct list_node *node;

	for (player = stage->players; player < stage->players + stage->count; player++)
		list_for_each (node, &player->sessions) {
			struct session *session = container_of(node, struct session, node);

			if (session->out.key == key)
				return session;
		}
	return NULL;
}

/*
 * The receiver has heard of the end. Unless it closed itself, or its own faults cut it off, all has
 * arrived that the sender has been told to be sent, and all that was submitted by a sender that
 * closed in order.
 */
static void end_session(struct session *session)
{
	const struct topo_faults *faults = &session->player->faults;
	struct session *sender;

	must(!session->over);
	session->over = true;
	if (!session->in.received || session->closing || session->killed || faults->drop_after)
		return;
	sender = find_by_key(session->player->stage, session->in.key);
	must(sender);
	must(session->in.received >= sender->out.told_sent);
	if (sender->closing && !sender->killed && !sender->player->faults.drop_after)
		must(session->in.received == sender->out.submitted);
}

/* of a client */
static struct session *last_session(const struct player *player)
{
	must(!list_is_empty(&player->sessions));
	return container_of(player->sessions.prev, struct session, node);
}

/*
 * What programs do
 */

static void send_one(struct session *session)
{
	struct player *player = session->player;
	struct letter *letter = malloc(sizeof(*letter) + player->max_msg_size);
	struct doca_task *task;
	doca_error_t err;
	uint32_t size;

	must(letter);
	letter->session = session;
	letter->is_stale = false;
	size = model_next_message(&session->out, letter->msg);
	err = side_alloc(player->side, session->connection, letter->msg, size, &task);
	if (err) {
		must(err == DOCA_ERROR_NO_MEMORY);
		free(letter);
		return;
	}
	doca_task_set_user_data(task, (union doca_data){.ptr = letter});
	must(!doca_task_submit(task));
	session->out.submitted++;
	player->tasks_out++;
}

static bool is_open(const struct session *session)
{
	return !session->over && !session->closing;
}

static void send_burst(struct player *player)
{
	struct stage *stage = player->stage;
	struct list_node *node;

	list_for_each (node, &player->sessions) {
		struct session *session = container_of(node, struct session, node);
		uint32_t count = chance(stage, 20) ? pick(stage, 1, 60) : pick(stage, 0, 4);

		while (is_open(session) && count--)
			send_one(session);
	}
}

void player_stop(struct player *player)
{
	struct list_node *node;
	doca_error_t err;

	list_for_each (node, &player->sessions)
		container_of(node, struct session, node)->closing = true;
	tally.stops++;
	err = side_stop(player->side);
	must(!err || err == DOCA_ERROR_IN_PROGRESS);
}

static void disconnect(struct session *session)
{
	session->closing = true;
	must(!doca_comch_server_disconnect(session->player->side->server, session->connection));
}

static void disconnect_somebody(struct player *player)
{
	struct list_node *node;

	list_for_each (node, &player->sessions) {
		struct session *session = container_of(node, struct session, node);

		if (is_open(session) && chance(player->stage, 50)) {
			disconnect(session);
			return;
		}
	}
}

static void free_task(struct doca_task *task)
{
	free(doca_task_get_user_data(task).ptr);
	doca_task_free(task);
}

void player_free_held(struct player *player)
{
	while (player->held_count)
		free_task(player->held[--player->held_count]);
}

/* as a program does that submits from its callback, and learns of the end a moment later */
static void submit_stale(struct player *player)
{
	struct doca_task *task;
	struct letter *letter;

	if (!player->held_count)
		return;
	task = player->held[player->held_count - 1];
	letter = doca_task_get_user_data(task).ptr;
	if (!letter->session->over)
		return;
	player->held_count--;
	letter->is_stale = true;
	must(!doca_task_submit(task));
	player->tasks_out++;
}

static void start(struct player *player)
{
	doca_error_t err = side_start(player->side);

	if (player->is_server)
		must(!err || err == DOCA_ERROR_IN_USE);
	else
		must(err == DOCA_ERROR_IN_PROGRESS);
}

static void configure(struct player *player)
{
	struct side *side = player->side;

	world_set_tasks(side, player->task_count);
	if (player->is_server) {
		must(!doca_comch_server_set_max_msg_size(side->server, player->max_msg_size));
		must(!doca_comch_server_set_recv_queue_size(side->server, player->recv_queue_size));
	} else {
		must(!doca_comch_client_set_max_msg_size(side->client, player->max_msg_size));
		must(!doca_comch_client_set_recv_queue_size(side->client, player->recv_queue_size));
	}
}

static void make_again(struct player *player)
{
	player_free_held(player);
	side_destroy(player->side);
	if (player->is_server)
		world_set_up_server(player->side, player->name);
	else
		world_set_up_client(player->side, player->name);
	configure(player);
}

static void die(struct player *player)
{
	struct list_node *node;

	list_for_each (node, &player->sessions) {
		struct session *session = container_of(node, struct session, node);

		session->killed |= !session->over;
	}
	tally.deaths++;
	sim_kill(&player->stage->world.sim, &player->side->party);
	player->dead_for = pick(player->stage, 1, 100);
}

/* What has died comes back to clean up after itself; others know nothing of that. */
void player_revive(struct player *player)
{
	player->dead_for = 0;
	player->asleep = false;
	player_stop(player);
}

/*
 * What programs are told
 */

static void on_state(struct side *side, enum doca_ctx_states prev, enum doca_ctx_states next)
{
	struct player *player = side->arg;

	if (prev == DOCA_CTX_STATE_IDLE)
		must(next ==
		     (player->is_server ? DOCA_CTX_STATE_RUNNING : DOCA_CTX_STATE_STARTING));
	must(prev != DOCA_CTX_STATE_STOPPING || next == DOCA_CTX_STATE_IDLE);
	must(!player->is_server || next != DOCA_CTX_STATE_STARTING);
	if (player->is_server)
		return;
	if (next == DOCA_CTX_STATE_RUNNING) {
		open_session(player, side_connection(side));
		if (!player->stage->calm && chance(player->stage, 50))
			send_burst(player);
	}
	/* Stopping without having been told to is the news of the loss. */
	if (prev == DOCA_CTX_STATE_RUNNING && !last_session(player)->closing)
		end_session(last_session(player));
	if (prev == DOCA_CTX_STATE_STOPPING && !last_session(player)->over)
		end_session(last_session(player));
}

static void on_connect(struct side *side, struct doca_comch_connection *connection, bool ok)
{
	struct player *player = side->arg;
	struct session *session;

	if (!ok) {
		tally.refusals++;
		return;
	}
	session = open_session(player, connection);
	if (player->stage->calm)
		return;
	if (chance(player->stage, 30))
		send_one(session);
	if (chance(player->stage, 5))
		disconnect(session);
}

static void on_disconnect(struct side *side, struct doca_comch_connection *connection)
{
	struct session *session = session_of(connection);

	must(session && session->player == side->arg);
	end_session(session);
}

static void on_message(struct side *side, struct doca_comch_connection *connection,
		       const uint8_t *msg, uint32_t size)
{
	struct session *session = session_of(connection);
	struct player *player = side->arg;
	const char *reason;

	must(session && session->player == player && is_open(session));
	if (!model_is_next(&session->in, msg, size, &reason))
		world_fail(reason, __FILE__, __LINE__);
	tally.messages++;
	if (player->stage->calm)
		return;
	if (chance(player->stage, player->echoes))
		send_one(session);
	if (random_below(&player->stage->random, 1000) == 0)
		player_stop(player);
	else if (player->is_server && random_below(&player->stage->random, 500) == 0)
		disconnect(session);
}

static void on_sent(struct side *side, struct doca_task *task, doca_error_t status)
{
	struct letter *letter = doca_task_get_user_data(task).ptr;
	struct player *player = side->arg;

	must(letter && letter->session->player == player && player->tasks_out);
	must(status == DOCA_ERROR_CONNECTION_RESET || (!status && !letter->is_stale));
	player->tasks_out--;
	tally.failed_sends += status != DOCA_SUCCESS;
	if (status && !letter->is_stale)
		letter->session->out.told_failed++;
	else if (!status)
		letter->session->out.told_sent++;
	if (!player->stage->calm && player->held_count < TASKS_MAX &&
	    chance(player->stage, player->holds))
		player->held[player->held_count++] = task;
	else
		free_task(task);
}

/*
 * A program's chances
 */

static void act_when_running(struct player *player)
{
	uint32_t dice = pick(player->stage, 0, 99);

	if (dice < 65)
		send_burst(player);
	else if (dice < 70)
		submit_stale(player);
	else if (dice < 90)
		player_free_held(player);
	else if (dice < 93)
		player_stop(player);
	else if (dice < 96 && player->is_server)
		disconnect_somebody(player);
	else if (dice < 97)
		die(player);
}

void player_act(struct player *player)
{
	struct stage *stage = player->stage;

	if (player->dead_for)
		return;
	switch (side_state(player->side)) {
	case DOCA_CTX_STATE_IDLE:
		if (chance(stage, 10))
			make_again(player);
		if (chance(stage, 50))
			start(player);
		break;
	case DOCA_CTX_STATE_STARTING:
		if (chance(stage, 5))
			player_stop(player);
		else if (chance(stage, 5))
			die(player);
		break;
	case DOCA_CTX_STATE_RUNNING:
		act_when_running(player);
		break;
	case DOCA_CTX_STATE_STOPPING:
		if (chance(stage, 50))
			player_free_held(player);
		break;
	}
}

bool player_poll(struct player *player)
{
	struct stage *stage = player->stage;
	bool done;

	if (player->dead_for) {
		if (!--player->dead_for)
			player_revive(player);
		return true;
	}
	if (player->asleep) {
		if (!engine_is_woken(player->side->pe))
			return false;
		player->asleep = false;
		if (player->clears)
			must(!doca_pe_clear_notification(player->side->pe, 0));
	}
	if (!stage->calm && !chance(stage, player->polls))
		return true; /* busy elsewhere */
	done = side_progress(player->side);
	if (!done && player->sleeps) {
		must(!doca_pe_request_notification(player->side->pe));
		player->asleep = true;
		tally.sleeps++;
	}
	return done;
}

/*
 * Cast
 */

static void roll_manners(struct player *player)
{
	static const uint32_t queues[] = {1, 16, 64, 1024};
	struct stage *stage = player->stage;

	player->recv_queue_size = queues[pick(stage, 0, 3)];
	player->task_count = pick(stage, 1, TASKS_MAX);
	player->sleeps = chance(stage, 50);
	player->clears = chance(stage, 50);
	player->polls = chance(stage, 30) ? pick(stage, 2, 20) : 90;
	player->echoes = chance(stage, 50) ? pick(stage, 0, 60) : 0;
	player->holds = chance(stage, 30) ? pick(stage, 0, 50) : 0;
}

void player_init(struct player *player, struct stage *stage, bool is_server)
{
	player->stage = stage;
	player->index = (unsigned int)(player - stage->players);
	player->is_server = is_server;
	list_init(&player->sessions);
	dice_roll_faults(&stage->random, &player->faults, 30);
	roll_manners(player);
	player->side = is_server ? world_add_server(&stage->world, HOST_PF0, player->name)
				 : world_add_client(&stage->world, HOST_PF0, player->name);
	player->side->party.faults = &player->faults;
	player->side->arg = player;
	player->side->on_state = on_state;
	player->side->on_connect = on_connect;
	player->side->on_disconnect = on_disconnect;
	player->side->on_message = on_message;
	player->side->on_sent = on_sent;
	configure(player);
}

void player_fini(struct player *player)
{
	struct list_node *node;

	while ((node = list_pop(&player->sessions)))
		free(container_of(node, struct session, node));
}
