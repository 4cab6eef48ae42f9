/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One side of a connection over which both sides move messages: consumers and producers in threads
 * of their own, on the public interface alone. Every byte is checked, and at the end so is the
 * number of messages: what a producer was told to have sent has been received once, and what it was
 * told to have failed has not been received.
 */
#ifndef SOFTFIELD_E2E_MOVER_H
#define SOFTFIELD_E2E_MOVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#define MOVER_THREADS	16 /* of one kind */
#define MOVER_CONSUMERS 64 /* of the peer's that are known at a time */
#define MOVER_IMM	32
#define MOVER_CANARY	0xa5

struct mover_config {
	bool is_server;
	const char *name;
	unsigned int consumers, producers;
	uint32_t messages; /* that each producer has to send; 0: without end */
	uint32_t size_min, size_max;
	unsigned int window;  /* buffers of each thread */
	unsigned int restart; /* each thread stops and starts again after about so many; 0: never */
	unsigned int report;  /* says so after each so many received messages; 0: never */
	bool sleeps;	      /* in epoll rather than polling */
	unsigned int seed;
};

struct mover {
	struct mover_config config;
	struct doca_pe *pe;
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	struct doca_comch_connection *connection; /* NULL: there is none (any more) */

	pthread_mutex_t lock; /* of the peer's consumers */
	uint32_t remote[MOVER_CONSUMERS];
	unsigned int remote_count;

	_Atomic uint64_t sent, received; /* messages */
	_Atomic uint64_t sent_bytes;
	_Atomic unsigned int givers_left, takers_left;
	atomic_bool takers_may_end, lost;
	_Atomic uint64_t slowest_ns; /* progress call of a running consumer or producer */

	int bell; /* the threads ring it */
	struct mover_thread *givers, *takers;
	bool told, answered, peer_is_done; /* of the end; see mover.c */
	uint64_t peer_sent;
};

/* a thread's own part */
struct mover_thread {
	struct mover *mover;
	pthread_t thread;
	int bell; /* rung when there is something to decide */
	unsigned int index;
	uint64_t random;
	struct doca_pe *pe;
	struct doca_ctx *ctx;
	char *memory;
	size_t memory_size;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	unsigned int out; /* tasks */
	uint64_t own_ns;  /* the program's part of a progress call */
};

/* What a message says of itself, in its immediate data or in front of its data. */
struct mover_head {
	uint32_t giver; /* which thread, and which of its lives */
	uint32_t number;
	uint32_t size;
	uint32_t consumer;
	uint64_t seed;
};

/* says what is wrong and ends the program */
#define mover_check(condition)                                                                     \
	do {                                                                                       \
		if (!(condition))                                                                  \
			mover_fail(#condition, __FILE__, __LINE__);                                \
	} while (0)
_Noreturn void mover_fail(const char *what, const char *file, int line);

/* 0: all has been moved; 1: the peer was lost */
int mover_run(const struct mover_config *config);

/* for the threads */
uint32_t mover_random(struct mover_thread *thread, uint32_t limit);
/* of work of this thread: a machine that is busy with something else makes no call slow */
uint64_t mover_now_ns(void);
/* doca_pe_progress(), whose time is noted, but for what callbacks have added to thread->own_ns */
bool mover_progress(struct mover_thread *thread);
/* sleeps until there is something to do, if the program wants that */
void mover_rest(struct mover_thread *thread);
/* one round of a loop whose time is nobody's concern */
void mover_work(struct mover_thread *thread);
/* the main thread has something to look at */
void mover_ring_main(struct mover_thread *thread);
void mover_thread_init(struct mover_thread *thread, size_t memory_size, uint32_t permissions);
void mover_thread_fini(struct mover_thread *thread);
void mover_connect(struct mover_thread *thread, struct doca_ctx *ctx);
enum doca_ctx_states mover_state(struct doca_ctx *ctx);
bool mover_is_over(struct mover *mover);

/* fills data that only this seed makes; true: it is that data */
void mover_fill(char *data, size_t size, uint64_t seed);
bool mover_matches(const char *data, size_t size, uint64_t seed);

void *mover_give(void *thread); /* give.c */
void *mover_take(void *thread); /* take.c */

#endif
