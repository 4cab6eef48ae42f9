/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consumers and producers that do what a seed tells them, and the checks of how they live.
 */
#include "ends.h"

#include <string.h>

struct ends_tally ends_tally;

struct party *end_enter(const struct end *end)
{
	return priv_party_switch(&end->actor->side->party);
}

/*
 * Life
 */

static void destroy(struct end *end)
{
	struct slot *slot;
	doca_error_t err;

	for (slot = end->slots; slot < end->slots + SLOTS_MAX; slot++)
		if (slot->task)
			slot_free_task(slot);
	err = end->is_consumer ? doca_comch_consumer_destroy(end->consumer)
			       : doca_comch_producer_destroy(end->producer);
	must(!err);
	slots_close(end);
	end->ctx = NULL;
}

static void state_changed(const union doca_data user_data, struct doca_ctx *ctx,
			  enum doca_ctx_states prev, enum doca_ctx_states next)
{
	struct end *end = user_data.ptr;
	struct slot *slot;

	must(ctx == end->ctx && prev == end->state && prev != next);
	must(prev != DOCA_CTX_STATE_IDLE ||
	     next == (end->is_consumer ? DOCA_CTX_STATE_STARTING : DOCA_CTX_STATE_RUNNING));
	must(prev != DOCA_CTX_STATE_STOPPING || next == DOCA_CTX_STATE_IDLE);
	/* Nobody stops by itself while its connection stands. */
	must(prev == DOCA_CTX_STATE_IDLE || next == DOCA_CTX_STATE_RUNNING || end->is_stopped ||
	     !session_is_whole(end->session));
	end->state = next;
	if (end->is_consumer && next == DOCA_CTX_STATE_IDLE)
		receive_check_streams(end);
	if (end->is_consumer && next == DOCA_CTX_STATE_IDLE && !session_is_whole(end->session))
		receive_tear_streams(end);
	for (slot = end->slots; slot < end->slots + SLOTS_MAX; slot++)
		must(next != DOCA_CTX_STATE_IDLE || !slot->is_out);
	if (next == DOCA_CTX_STATE_IDLE && !end->cast->calm && chance(end->cast, 10))
		destroy(end);
}

static void set_up(struct end *end)
{
	struct cast *cast = end->cast;
	uint32_t count = chance(cast, 50) ? SLOTS_MAX : pick(cast, SLOTS_MAX, 40);

	if (end->is_consumer) {
		must(!doca_comch_consumer_create(end->session->connection, end->mmap,
						 &end->consumer));
		end->ctx = doca_comch_consumer_as_ctx(end->consumer);
		receive_configure(end, count);
	} else {
		must(!doca_comch_producer_create(end->session->connection, &end->producer));
		end->ctx = doca_comch_producer_as_ctx(end->producer);
		send_configure(end, count);
	}
	end->state = DOCA_CTX_STATE_IDLE;
	must(!doca_ctx_set_user_data(end->ctx, (union doca_data){.ptr = end}));
	must(!doca_ctx_set_state_changed_cb(end->ctx, state_changed));
	must(!doca_pe_connect_ctx(end->actor->engines[pick(cast, 0, ENGINES - 1)], end->ctx));
}

/* Somebody with a connection that stands gets a consumer or a producer on it. */
static void make(struct end *end)
{
	struct cast *cast = end->cast;
	struct actor *actor = &cast->actors[pick(cast, 0, cast->actor_count - 1)];
	struct session *session = session_pick(actor);

	if (!session || !session->peer || session->closing || actor->dead_for)
		return;
	end->actor = actor;
	end->session = session;
	end->is_consumer = chance(cast, 50);
	end->posts_all = chance(cast, 60);
	end->has_withdrawn = false;
	slots_open(end);
	set_up(end);
}

static void start(struct end *end)
{
	struct party *before = end_enter(end);
	doca_error_t err;

	end->starts++;
	end->is_stopped = end->posts_less = false;
	err = doca_ctx_start(end->ctx);
	priv_party_switch(before);
	ends_tally.starts++;
	if (err == (end->is_consumer ? DOCA_ERROR_IN_PROGRESS : DOCA_SUCCESS))
		return;
	/* It is closed before the program is told, which hears of its consumers first. */
	must(!session_is_whole(end->session));
}

void end_stop(struct end *end)
{
	struct party *before;
	doca_error_t err;

	if (!end->ctx || end->state == DOCA_CTX_STATE_IDLE)
		return;
	end->is_stopped = true;
	before = end_enter(end);
	err = doca_ctx_stop(end->ctx);
	priv_party_switch(before);
	must(!err || err == DOCA_ERROR_IN_PROGRESS);
	ends_tally.stops++;
}

bool end_is_active(const struct end *end)
{
	return end->ctx && end->state != DOCA_CTX_STATE_IDLE;
}

/*
 * What programs do
 */

static void free_held(struct end *end)
{
	struct slot *slot;

	for (slot = end->slots; end->ctx && slot < end->slots + SLOTS_MAX; slot++)
		if (slot->task && !slot->is_out)
			slot_free_task(slot);
}

static void flush(struct end *end)
{
	struct party *before = end_enter(end);

	doca_ctx_flush_tasks(end->ctx);
	priv_party_switch(before);
}

static void act_when_running(struct end *end)
{
	uint32_t dice = pick(end->cast, 0, 99), count = pick(end->cast, 1, 6);

	if (dice < 70)
		while (count-- && end->ctx && end->state == DOCA_CTX_STATE_RUNNING) {
			if (end->is_consumer)
				receive_post(end);
			else
				send_one(end);
		}
	else if (dice < 80)
		free_held(end);
	else if (dice < 92)
		flush(end);
	else if (dice < 95)
		end_stop(end);
	else if (dice < 96)
		receive_withdraw(end);
	else
		slots_restart(end);
}

void end_act(struct end *end)
{
	struct cast *cast = end->cast;

	if (!end->ctx) {
		if (chance(cast, 50))
			make(end);
		return;
	}
	if (end->actor->dead_for)
		return;
	switch (end->state) {
	case DOCA_CTX_STATE_IDLE:
		if (end->session->over || chance(cast, 10))
			destroy(end);
		else if (chance(cast, 60))
			start(end);
		break;
	case DOCA_CTX_STATE_STARTING:
		if (chance(cast, 5))
			end_stop(end);
		break;
	case DOCA_CTX_STATE_RUNNING:
		act_when_running(end);
		break;
	case DOCA_CTX_STATE_STOPPING:
		if (chance(cast, 50))
			free_held(end);
		break;
	}
}

void end_act_inside(struct end *end)
{
	struct cast *cast = end->cast;
	struct end *other = &cast->ends[pick(cast, 0, cast->end_count - 1)];

	if (cast->calm || !chance(cast, end->actor->callbacks))
		return;
	if (chance(cast, 10))
		end_stop(end);
	else if (other->ctx && other->actor == end->actor)
		end_act(other);
}

void end_calm_down(struct end *end)
{
	unsigned int i;

	if (!end->ctx)
		return;
	free_held(end);
	end->posts_all = true;
	if (!end->is_consumer && end->state == DOCA_CTX_STATE_RUNNING)
		flush(end);
	for (i = 0; i < SLOTS_MAX && end->is_consumer && end->state == DOCA_CTX_STATE_RUNNING; i++)
		receive_post(end);
}

void end_init(struct end *end, struct cast *cast)
{
	memset(end, 0, sizeof(*end));
	end->cast = cast;
}

void end_fini(struct end *end)
{
	if (end->ctx)
		destroy(end);
}
