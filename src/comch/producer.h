/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doca_comch_producer: copies buffers straight into those that a consumer of the peer has posted.
 */
#ifndef SOFTFIELD_COMCH_PRODUCER_H
#define SOFTFIELD_COMCH_PRODUCER_H

#include "chan/fast.h"
#include "comch/comch.h"
#include "comch/on_dpa.h"
#include "core/buf.h"
#include "core/mmap.h"
#include "doca_comch_producer.h"
#include "link/fault.h"

/* Longer sends are copied in the polls, a piece in each: no call blocks for long. */
#define PRODUCER_SUBMIT_MAX (256u << 10)

/* So many sends, at most, wait for others to share a line with. */
#define PRODUCER_DEFERRED_MAX 64u

/* Rows that the queues of a producer are in, for one that sends to many consumers by turns. */
#define PRODUCER_ROWS 256u

struct send_queue;

struct doca_comch_producer_task_send {
	struct doca_task base;
	const struct doca_buf *buf;
	uint64_t target; /* send_consumer(); above it send_imm_size() */
	/* of a task that waits: its buffer may have been given back when it is freed */
	const char *data;
	uint64_t plain_size; /* as send_pack_size() says */
	uint8_t imm[];	     /* room for fast_imm_max() */
};

#define SEND_IS_GUARDED (UINT64_C(1) << 40) /* the map is thread-safe: mmap_begin_access() */

_Static_assert(offsetof(struct doca_comch_producer_task_send, buf) ==
		       offsetof(struct softfield_comch_task, buf),
	       "ABI: programs are compiled with it (softfield_inline.h)");
_Static_assert(offsetof(struct doca_comch_producer_task_send, imm) == 64,
	       "what has no immediate data needs one cache line of its task");

static inline uint32_t send_consumer(const struct doca_comch_producer_task_send *task)
{
	return (uint32_t)task->target;
}

static inline uint8_t send_imm_size(const struct doca_comch_producer_task_send *task)
{
	return (uint8_t)(task->target >> 32);
}

static inline void send_set_target(struct doca_comch_producer_task_send *task, uint32_t consumer_id,
				   uint8_t imm_size)
{
	task->target = consumer_id | (uint64_t)imm_size << 32;
}

/*
 * Sizes of a task that waits, or is about to: data and immediate data, later with SEND_IS_GUARDED.
 * With data alone this is the size of the data.
 */
static inline uint64_t send_pack_size(uint32_t size, uint8_t imm_size)
{
	return size | (uint64_t)imm_size << 32;
}

static inline uint32_t send_size(const struct doca_comch_producer_task_send *task)
{
	return (uint32_t)task->plain_size;
}

static inline uint8_t send_packed_imm_size(const struct doca_comch_producer_task_send *task)
{
	return (uint8_t)(task->plain_size >> 32);
}

/* How much it takes in a line, if that has all of it; of what is guarded: more than there is. */
static inline uint64_t send_line_size(const struct doca_comch_producer_task_send *task)
{
	return (uint32_t)task->plain_size + (task->plain_size >> 32);
}

/* What this producer has to do with one consumer of the peer. */
struct send_queue {
	struct lane_producer *lane;
	struct doca_comch_producer *producer;
	struct send_queue *next;    /* in producer->queues */
	struct send_queue *in_row;  /* the next one in its row */
	struct list_node busy_node; /* in producer->busy while something waits */
	struct doca_comch_producer_task_send *waiting;
	struct doca_comch_producer_task_send **waiting_tail; /* where the next one is linked */
	struct watch post_bell; /* of our own copy of lane->post_bell; watched when first needed */
	bool copying; /* the first one that waits has claimed, and has been copied up to `copied` */
	uint32_t copied;
	struct doca_mmap *source; /* of the copy, held */
	struct lane_claim claim;
};

/* For DPA code that sends; all of it is 0 in producers of the CPU. */
struct producer_on_dpa {
	struct on_dpa common;
	uint64_t imm_max;			/* since the last start: it may send so much */
	uint64_t completion_handle;		/* 0: nobody is told what is done */
	struct doca_dpa_completion *completion; /* while it is not idle; NULL: nobody is told */
};

/* A message of DPA code. */
struct producer_message {
	uint32_t consumer_id;
	const uint8_t *imm;
	uint32_t imm_size;
	bool is_reported; /* also when it has succeeded */
};

struct doca_comch_producer {
	struct doca_ctx ctx;
	struct pe_garbage garbage;
	struct poller poller;
	struct lane_key key; /* as the owner of lanes */
	struct fast_user user;
	struct fast *channel;
	struct task_pool pool;
	uint64_t max_size;
	uint32_t imm_max;	 /* bytes of immediate data */
	size_t submit_below;	 /* sends of fewer bytes are tried inside of the submit, */
	size_t line_below;	 /* of so few in a line of their own, */
	size_t share_below;	 /* so few may share a line with others, */
	size_t batch_below;	 /* or, without immediate data, so few */
	struct send_queue *last; /* the one used last; no_queue: none */
	struct send_queue *queues;
	struct list_node busy;
	struct fault *fault; /* NULL in ordinary life */
	bool open;
	bool stopping;
	bool is_deaf;	    /* while armed: a bell could not be watched */
	uint32_t may_defer; /* so many tasks, of PRODUCER_DEFERRED_MAX, may still be put off */
	struct producer_on_dpa on_dpa;
	struct send_queue *rows[PRODUCER_ROWS]; /* of the queues, by consumer */
};

static inline struct doca_comch_producer *producer_of(struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_comch_producer, ctx);
}

/*
 * producer.c: a producer, which holds channel and device. BAD_STATE: the channel is closing.
 * NO_MEMORY, also: it has as many as it can
 */
doca_error_t producer_create(struct fast *channel, struct doca_dev *dev,
			     struct doca_comch_producer **ret_producer);
/* producer.c: what one does as a context, also on a DPA */
doca_error_t producer_start(struct doca_ctx *ctx);
doca_error_t producer_stop(struct doca_ctx *ctx);
void producer_idle(struct doca_ctx *ctx);
void producer_disown(struct doca_ctx *ctx);
/* producer.c: the queue for a consumer of the peer; NULL: there is none. Not the one used last. */
struct send_queue *producer_find_queue(struct doca_comch_producer *producer, uint32_t consumer_id);

/*
 * producer_task.c: what doca_comch_producer_task_send_set_conf() does; max: how many can be asked
 * for
 */
doca_error_t producer_configure_sends(struct doca_comch_producer *producer,
				      doca_comch_producer_task_send_completion_cb_t completion_cb,
				      doca_comch_producer_task_send_completion_cb_t error_cb,
				      uint32_t count, uint32_t max);

/*
 * producer_on_dpa.c: a new producer becomes one for code of the queue's DPA. What else there is to
 * be done with it is done to it as a context. NO_MEMORY: there is no handle for it
 */
doca_error_t producer_put_on_dpa(struct doca_comch_producer *producer, struct doca_dpa *dpa);
/* These with the engine's lock held. false: all tasks are in flight */
bool producer_submit_on_dpa(struct doca_comch_producer *producer,
			    const struct producer_message *message);
static inline void producer_report(struct doca_comch_producer *producer, bool is_wanted,
				   doca_error_t status)
{
	struct doca_dpa_completion *completion = producer->on_dpa.completion;

	/* What has gone wrong is always reported. */
	if (completion && (is_wanted || status))
		priv_dpa->completion_push(completion, producer->user.id, status);
}

/*
 * producer_queue.c: what waits. The task is accepted, and is sent in its turn, when there is a post
 */
void producer_enqueue(struct send_queue *queue, struct doca_comch_producer_task_send *task);
/*
 * After queue_append() of a task that could have been sent at once: if it is the first in its
 * queue, or enough of them wait. SUCCESS
 */
doca_error_t producer_note_deferred(struct send_queue *queue,
				    const struct doca_comch_producer_task_send *task);
/*
 * After messages were sent and their tasks are done: wakes whoever sleeps for one of these.
 */
void producer_end_sleeps(struct lane_producer *lane, struct doca_pe *pe);
/* goes on with what waits; returns how much was done */
unsigned int producer_work(struct doca_comch_producer *producer);
/* sends what was put off, as far as there are posts */
void producer_send_deferred(struct doca_comch_producer *producer);
/* the same, if there is anything */
static inline void producer_flush(struct doca_comch_producer *producer)
{
	if (doca_unlikely(producer->may_defer != PRODUCER_DEFERRED_MAX))
		producer_send_deferred(producer);
}
/* fails all that waits */
void producer_fail_all(struct doca_comch_producer *producer, doca_error_t status);

#endif
