/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What every comch bench needs, through the public API only: a device, a progress engine, a client
 * or a server, and send tasks that are allocated once and submitted again and again.
 */
#ifndef SOFTFIELD_BENCH_COMCH_SIDE_H
#define SOFTFIELD_BENCH_COMCH_SIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_pe.h"
#include "lib/options.h"
#ifdef BENCH_CC
#include "cc_names.h"
#else
#include "doca_comch.h"
#endif

#define COMCH_LAST 1 /* first byte of the last message of a point, as in lib/transport.c */

#define COMCH_POOLS	 16
#define COMCH_CONSUMERS	 8
#define COMCH_SEND_TASKS 1024

struct comch_side;
struct comch_pool;

/* A send task with the memory it sends. */
struct comch_slot {
	struct doca_task *task;
	uint8_t *message;
	struct comch_pool *pool;
};

/* Send tasks of one message size. */
struct comch_pool {
	struct comch_side *side;
	uint32_t size;
	uint32_t count, free_count;
	struct comch_slot *slots;
	struct comch_slot **free; /* a stack: the slot used last is the warmest */
	uint8_t *messages;
};

struct comch_config {
	bool server;	     /* on the DPU; else a client, on the host */
	const char *name;    /* of the server */
	bool event_mode;     /* sleep on the progress engine's descriptor instead of polling */
	uint32_t recv_queue; /* 0: the library's default */
	/* NULL: messages are ignored */
	void (*on_message)(struct comch_side *side, const uint8_t *message, uint32_t size);
	void (*on_sent)(struct comch_slot *slot); /* NULL: the slot goes back to its pool */
	/* server of a pair: what it does once it listens; NULL: makes progress until its client
	 * leaves */
	void (*serve)(struct comch_side *side);
	void *arg;
};

struct comch_side {
	struct comch_config config;
	struct doca_dev *dev;
	struct doca_dev_rep *rep; /* server */
	struct doca_pe *pe;
	struct doca_ctx *ctx;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	/* client: its own; server: the first, or the one that a message came from last */
	struct doca_comch_connection *connection;
	uint32_t consumers[COMCH_CONSUMERS]; /* ids of the first ones of the other side */
	unsigned int consumer_count;
	uint32_t clients; /* server: connected now */
	bool gone;    /* client: not running any more; server: the client of connection has left */
	int epoll_fd; /* -1 until the first sleep */
	struct comch_pool pools[COMCH_POOLS];
	uint32_t pool_count;
};

/* ends the process when the call failed */
void comch_check(doca_error_t result, const char *what);

/* creates and starts; a client's connection is up when it returns, a server listens */
void comch_open(struct comch_side *side, const struct comch_config *config);

/* stops, waits for the end of the handshake, destroys */
void comch_close(struct comch_side *side);

/* the tasks for messages of this size on side->connection; allocated at the first call */
struct comch_pool *comch_pool_get(struct comch_side *side, uint32_t size, uint32_t count);

static inline struct comch_slot *comch_slot_take(struct comch_pool *pool)
{
	return pool->free_count ? pool->free[--pool->free_count] : NULL;
}

static inline void comch_slot_give(struct comch_slot *slot)
{
	slot->pool->free[slot->pool->free_count++] = slot;
}

static inline void comch_submit(struct comch_slot *slot)
{
	doca_error_t result = doca_task_submit(slot->task);

	if (result != DOCA_SUCCESS)
		comch_check(result, "submit a send task");
}

/* makes progress until every task of the pool is free */
void comch_wait_all_sent(const struct comch_pool *pool);

/* sleeps once on the engine's descriptor; *epoll_fd is -1 before the first time */
void comch_sleep_on(struct doca_pe *pe, int *epoll_fd, int timeout_ms);

/* sleeps on the progress engine's descriptor until something has been handled */
void comch_sleep(struct comch_side *side);

static inline void comch_progress(struct comch_side *side)
{
	if (side->config.event_mode)
		comch_sleep(side);
	else
		doca_pe_progress(side->pe);
}

/*
 * The usual pair: a server in a child on options->cpu[1] that runs until its client leaves, and the
 * client in this process. Fills in the names.
 */
struct comch_pair {
	struct comch_side client;
	struct comch_config server_config;
	char name[32];
	_Atomic bool *listening; /* shared */
	pid_t child;
};

void comch_pair_open(struct comch_pair *pair, const struct bench_options *options,
		     const struct comch_config *client, const struct comch_config *server);
void comch_pair_close(struct comch_pair *pair);

#endif
