/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One end of the fast path: a consumer and a producer on an open connection, with a progress engine
 * of their own, receives that are posted again as soon as they complete, and a window of send
 * tasks.
 */
#ifndef SOFTFIELD_BENCH_COMCH_FAST_SIDE_H
#define SOFTFIELD_BENCH_COMCH_FAST_SIDE_H

#include "comch_side.h"
#include "doca_buf.h"
#include "doca_buf_inventory.h"
#include "doca_comch_consumer.h"
#include "doca_comch_producer.h"
#include "doca_mmap.h"
#include "lib/pair.h"

#define FAST_WINDOW	64 /* receives, and sends: as of the peers that have a window */
#define FAST_SMALL_SIZE 8  /* of the last message of a point and of its receipt */
#define FAST_TURNS	4  /* at most */

struct fast_side;

#define FAST_NO_SIZE SIZE_MAX

/* A send task, and the buffer it sends, at an address of its side's memory. */
struct fast_slot {
	struct fast_side *side;
	struct doca_comch_producer *producer;
	uint32_t consumer_id;
	struct doca_comch_producer_task_send *send;
	struct doca_task *task; /* the same */
	struct doca_buf *buf;
	uint8_t *address;
	size_t size; /* FAST_NO_SIZE: it has no task */
};

struct fast_memory {
	uint8_t *address;
	size_t size;
	struct doca_mmap *mmap;
};

struct fast_config {
	size_t max_size;
	uint32_t window; /* receives posted, and sends in flight */
	bool apart;	 /* each of them has memory of its own: otherwise, they share it */
	bool heap;	 /* memory is malloc()'s: of its first and last page a part is others' */
	bool fresh;	 /* each message has a task and a buffer of its own on either side */
	bool imm;	 /* immediate data only: of max_size, and as fast_set_first_byte() says */
	uint32_t turns;	 /* so many consumers, and producers, each used in its turn; 0: one */
	bool split;	 /* the producer has a progress engine of its own */
	bool loop;	 /* it polls until nothing is left, and sends then */
	bool event; /* sleep on the engine's descriptor while there is nothing to do; not split */
	void (*on_message)(struct fast_side *side, uint8_t first_byte, size_t size);
	void (*on_sent)(struct fast_slot *slot); /* NULL: fast_slot_give() */
	void *arg;
};

struct fast_side {
	struct fast_config config;
	struct comch_side *control;
	struct doca_pe *pe;
	struct doca_pe *send_pe; /* the producer's: the same one unless split */
	struct fast_memory out, in;
	struct doca_buf_inventory *inventory;
	struct doca_comch_consumer *consumers[FAST_TURNS];
	struct doca_comch_producer *producers[FAST_TURNS];
	struct fast_slot *slots;
	struct fast_slot **free;
	unsigned int free_count;
	bool closing;
	int epoll_fd;			    /* -1 until the first sleep */
	struct doca_comch_consumer **crowd; /* that nobody sends to */
	uint32_t crowd_count;
};

/* the largest size of the options; at least FAST_SMALL_SIZE */
size_t fast_max_size(const struct bench_options *options);

/* Starts so many more consumers beside the one, each with a posted receive. The peer must make
 * progress on its connection meanwhile. */
void fast_add_crowd(struct fast_side *side, uint32_t count);

/* returns when both sides can send; both must be inside this function at the same time */
void fast_open(struct fast_side *side, struct comch_side *control,
	       const struct fast_config *config);
void fast_close(struct fast_side *side);

/* the first byte of the messages that follow; all tasks must be free */
void fast_set_first_byte(struct fast_side *side, uint8_t first_byte);

static inline struct fast_slot *fast_slot_take(struct fast_side *side)
{
	return side->free_count ? side->free[--side->free_count] : NULL;
}

static inline void fast_slot_give(struct fast_slot *slot)
{
	slot->side->free[slot->side->free_count++] = slot;
}

/* sleeps until there is something to do, or for a moment, and does it */
bool fast_sleep(struct fast_side *side);

/* did any engine have something to do? */
static inline bool fast_progress(struct fast_side *side)
{
	bool done = doca_pe_progress(side->pe);

	while (side->config.loop && done && doca_pe_progress(side->pe))
		continue;
	if (side->send_pe != side->pe)
		done |= doca_pe_progress(side->send_pe);
	if (side->config.event && !done)
		done = fast_sleep(side);
	return done;
}

/* the slot's task sends so much, or it gets one that does */
void fast_slot_set_size(struct fast_slot *slot, size_t size);

/* flags as of doca_task_submit_ex() */
static inline void fast_submit(struct fast_slot *slot, size_t size, uint32_t flags)
{
	doca_error_t result;

	if (slot->size != size)
		fast_slot_set_size(slot, size);
	result = doca_task_submit_ex(slot->task, flags);
	if (result != DOCA_SUCCESS)
		comch_check(result, "submit a producer's send task");
}

void fast_wait_all_sent(struct fast_side *side);
/* sends what was submitted without the flush flag */
void fast_flush(struct fast_side *side);

#endif
