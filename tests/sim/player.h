/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that do what a seed tells them: servers and clients that send, stop, start, disconnect,
 * are destroyed and made again, read slowly, sleep, die.
 */
#ifndef SOFTFIELD_TESTS_SIM_PLAYER_H
#define SOFTFIELD_TESTS_SIM_PLAYER_H

#include "base/list.h"
#include "dice.h"
#include "model.h"

#define PLAYERS_MAX 6u
#define TASKS_MAX   64u

struct stage;
struct player;

/* One end of a connection. */
struct session {
	struct list_node node; /* in player->sessions */
	struct player *player;
	struct doca_comch_connection *connection;
	struct flow out, in;
	bool closing; /* by its own program: what still arrives is discarded */
	bool killed;  /* its program died meanwhile */
	bool over;    /* told by the disconnect event, or the client's state */
};

struct player {
	struct stage *stage;
	struct side *side;
	unsigned int index;
	bool is_server;
	char name[16];
	struct topo_faults faults;
	uint32_t max_msg_size, recv_queue_size, task_count;

	/* how it goes about it; percentages of its chances */
	bool sleeps; /* event mode */
	bool clears; /* calls clear_notification() after a sleep */
	unsigned int polls, echoes, holds;

	/* how it is */
	bool asleep;
	unsigned int dead_for; /* steps; 0: alive */
	uint64_t runs;
	struct list_node sessions; /* all that were ever opened */
	unsigned int tasks_out;	   /* submitted and not told of yet */
	struct doca_task *held[TASKS_MAX];
	unsigned int held_count;
};

/* What has happened in all runs: a simulation in which nothing does proves nothing. */
struct tally {
	uint64_t connections, messages, failed_sends, refusals, stops, deaths, sleeps;
};

extern struct tally tally;

/* All players, and the dice. */
struct stage {
	struct world world;
	struct random random;
	struct player players[PLAYERS_MAX];
	unsigned int count;
	bool calm; /* no new chaos */
};

/* player.c */
void player_init(struct player *player, struct stage *stage, bool is_server);
void player_fini(struct player *player);
/* does something, or nothing */
void player_act(struct player *player);
/* works if it is awake and not busy elsewhere; returns whether anything happened */
bool player_poll(struct player *player);
void player_stop(struct player *player);
void player_revive(struct player *player);
void player_free_held(struct player *player);

static inline bool chance(struct stage *stage, unsigned int percent)
{
	return random_percent(&stage->random, percent);
}

static inline uint32_t pick(struct stage *stage, uint32_t from, uint32_t to)
{
	return dice_pick(&stage->random, from, to);
}

#endif
