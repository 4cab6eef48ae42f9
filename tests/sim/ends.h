/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs with consumers and producers that do what a seed tells them: post, send, hold tasks
 * back, free what is posted, stop, start, destroy and make again, from callbacks too, while their
 * connections come and go and their peers die.
 */
#ifndef SOFTFIELD_TESTS_SIM_ENDS_H
#define SOFTFIELD_TESTS_SIM_ENDS_H

#include "base/list.h"
#include "dice.h"
#include "doca_buf.h"
#include "doca_buf_inventory.h"
#include "doca_comch_consumer.h"
#include "doca_comch_producer.h"
#include "doca_mmap.h"
#include "stream.h"

#define ACTORS_MAX 6u
#define ENGINES	   2u
#define ENDS_MAX   14u
#define SLOTS_MAX  16u
#define HEARD_MAX  64u
/* Bytes of a slot around its message, to see that nobody writes there. */
#define MARGIN 64u

struct cast;
struct actor;
struct end;

/* One side's end of a connection. */
struct session {
	struct list_node node; /* in actor->sessions */
	struct actor *actor;
	struct session *peer; /* NULL: not known yet */
	bool is_broken;	      /* somebody has ended it or died, and that is on its way */
	struct doca_comch_connection *connection;
	bool closing, over;	   /* by its own program; told */
	uint32_t heard[HEARD_MAX]; /* ids of the peer's consumers */
	unsigned int heard_count;
	uint8_t name[sizeof(void *)]; /* what a client says first */
};

/* A program with a server or a client. */
struct actor {
	struct cast *cast;
	struct side *side;
	bool is_server;
	struct topo_faults faults;

	/* how it goes about it; percentages of its chances */
	bool sleeps; /* event mode */
	unsigned int polls, holds, callbacks;

	struct doca_pe *engines[ENGINES]; /* the first is the side's */
	bool asleep[ENGINES];
	unsigned int dead_for;	   /* steps; 0: alive */
	struct list_node sessions; /* all that were ever opened */
};

/* A task that is posted or submitted, or held back. */
struct slot {
	struct end *end;
	struct doca_task *task; /* NULL: there is none */
	bool is_out;		/* submitted and not told of yet */
	bool is_spent;		/* a peer may write there until the consumer stops */
	struct doca_buf *buf;
	uint8_t *bytes; /* all of the slot's memory */
	uint32_t offset, room;
	uint32_t number; /* of a receive: posts before it */
	/* of a send */
	struct stream *stream;
	uint32_t place;
	uint32_t consumer_starts; /* as it was submitted; 0: the consumer was not RUNNING */
};

/* A consumer or a producer. */
struct end {
	struct cast *cast;
	struct actor *actor;
	struct session *session; /* on which it was made */
	bool is_consumer;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	struct doca_ctx *ctx; /* NULL: it has been destroyed */
	enum doca_ctx_states state;
	bool is_stopped; /* by its own program, since the last start */
	uint32_t starts, posts;
	uint32_t id, imm_max;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	uint8_t *memory;
	size_t slot_size, memory_size;
	struct slot slots[SLOTS_MAX];
	bool posts_all;	    /* receives are as large as messages can be */
	bool posts_less;    /* some were not, since the last start */
	bool has_withdrawn; /* freed a receive that was posted: messages may reach nobody */
};

/* What has happened in all runs. */
struct ends_tally {
	uint64_t starts, stops, posts, sends, messages, failed_sends, failed_receives, refused,
		withdrawn, deaths, connections, sleeps;
};

extern struct ends_tally ends_tally;

/* All of them, and the dice. */
struct cast {
	struct world world;
	struct random random;
	struct actor actors[ACTORS_MAX];
	unsigned int actor_count;
	struct end ends[ENDS_MAX];
	unsigned int end_count;
	struct list_node streams;
	size_t slot_size;
	bool calm; /* no new chaos */
};

static inline bool chance(struct cast *cast, unsigned int percent)
{
	return random_percent(&cast->random, percent);
}

static inline uint32_t pick(struct cast *cast, uint32_t from, uint32_t to)
{
	return dice_pick(&cast->random, from, to);
}

/* Is nothing lost on it? Some connections break by themselves. */
static inline bool session_is_whole(const struct session *session)
{
	const struct session *peer = session->peer;

	return !session->is_broken && !session->actor->faults.drop_after && peer &&
	       !peer->is_broken && !peer->actor->faults.drop_after;
}

/* actors.c */
/* the number is that of its server's name */
void actor_init(struct actor *actor, struct cast *cast, bool is_server, unsigned int number);
void actor_fini(struct actor *actor);
/* does something, or nothing */
void actor_act(struct actor *actor);
/* works if it is awake and not busy elsewhere; returns whether anything happened */
bool actor_poll(struct actor *actor);
void actor_stop(struct actor *actor);
/* one of those that are not over; NULL: there is none */
struct session *session_pick(struct actor *actor);

/* ends.c */
void end_init(struct end *end, struct cast *cast);
void end_fini(struct end *end);
/* does something, or nothing */
void end_act(struct end *end);
/* In a callback a program may do what it does elsewhere, with any of its ends. */
void end_act_inside(struct end *end);
/* lets go of what it holds back, and receives as much as it can */
void end_calm_down(struct end *end);
void end_stop(struct end *end);
bool end_is_active(const struct end *end);
/* plays its program; priv_party_switch() back */
struct party *end_enter(const struct end *end);

/* receives.c */
void receive_configure(struct end *consumer, uint32_t count);
void receive_post(struct end *consumer);
/* frees a receive that is posted: its message will reach nobody */
void receive_withdraw(struct end *consumer);
/* The consumer is IDLE: what was sent to it has come, unless its own side ended the connection. */
void receive_check_streams(const struct end *consumer);
/* What the consumer has not received by now may be lost, and what it will be sent. */
void receive_tear_streams(const struct end *consumer);

/* sends.c */
void send_configure(struct end *producer, uint32_t count);
void send_one(struct end *producer);

/* slots.c */
void slots_open(struct end *end);
void slots_close(struct end *end);
/* stops and starts the memory map, if no buffer of it is in use */
void slots_restart(struct end *end);
/* NULL: all are in use */
struct slot *slot_find_free(struct end *end);
void slot_blank(struct slot *slot);
/* Whatever was written, it was written into the message, which has that size. */
void slot_check_margins(const struct slot *slot, uint32_t size);
/* Frees the task. The context may become idle by that, and be destroyed in the callback. */
void slot_free_task(struct slot *slot);
/* A task that was told of and is not used again is held back, or freed. */
bool slot_is_held(struct slot *slot);

#endif
