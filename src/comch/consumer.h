/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doca_comch_consumer: posted receives, answered in their order by the producers of the peer.
 */
#ifndef SOFTFIELD_COMCH_CONSUMER_H
#define SOFTFIELD_COMCH_CONSUMER_H

#include "comch/comch.h"
#include "comch/on_dpa.h"
#include "base/bell.h"
#include "core/buf.h"
#include "core/mmap.h"
#include "doca_comch_consumer.h"
#include "link/fault.h"
#include "link/window.h"

struct doca_comch_consumer_task_post_recv {
	struct doca_task base;
	struct doca_buf *buf;
	char *addr; /* where data goes: fixed at submit */
	/*
	 * Smaller messages are in the line or in the buffer already. 0: the map is thread-safe, or
	 * one was taken in part.
	 */
	uint64_t plain_below;
	uint32_t room;
	uint16_t producer_id;
	uint8_t imm_size;
	bool direct;   /* the peer writes into the buffer itself */
	uint8_t imm[]; /* room for fast_imm_max() */
};
_Static_assert(offsetof(struct doca_comch_consumer_task_post_recv, buf) ==
		       offsetof(struct softfield_comch_task, buf),
	       "ABI: programs are compiled with it (softfield_inline.h)");
_Static_assert(offsetof(struct doca_comch_consumer_task_post_recv, imm) == 64,
	       "an ordinary message needs one cache line of its task");

/* For DPA code that posts receives; all of it is 0 in consumers of the CPU. */
struct consumer_on_dpa {
	struct on_dpa common;
	uint64_t completion_handle;			   /* 0: not set yet */
	struct doca_comch_consumer_completion *completion; /* since the last start */
	/* of the engine's lock; these and the tasks that are not posted are depth in all */
	uint32_t posted;
	uint32_t owed;		       /* they wait for room in the completion */
	struct list_node waiting_node; /* in completion->waiting while there are some */
};

struct doca_comch_consumer {
	struct doca_ctx ctx;
	struct pe_garbage garbage;
	struct poller poller;
	struct fast_consumer fast; /* lane and what the connection knows */
	struct fast *channel;
	struct doca_mmap *mmap;
	struct window *window;
	struct window_known known; /* of the memory of the last receive that was asked about */
	size_t max_size;	   /* of the room of a buffer */
	struct task_pool pool;
	struct doca_comch_consumer_task_post_recv **tasks; /* by place of the post in its ring */
	uint32_t submitted;				   /* tasks taken */
	uint32_t imm_max;
	bool imm_is_set;    /* by the program */
	uint32_t collected; /* bytes of the message being taken that are in the buffer */
	uint32_t size;	    /* of that message */
	struct watch bell;
	struct fault *fault;	       /* NULL in ordinary life */
	struct lane_arrivals arrivals; /* that it knows of */
	bool open;	/* the lane is there; false again before the context is idle */
	bool receiving; /* posts are published by the poll that is under way */
	bool stopping;
	bool flushing; /* what is still posted fails */
	bool counted;  /* among the connection's active ones, which keep it from being closed */
	bool broken;   /* the peer has written nonsense: nothing more is read */
	struct consumer_on_dpa on_dpa;
};

static inline struct doca_comch_consumer *consumer_of(struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_comch_consumer, ctx);
}

/* where the task of a post stands */
static inline struct doca_comch_consumer_task_post_recv **
consumer_slot(struct doca_comch_consumer *consumer, uint32_t index)
{
	return &consumer->tasks[index & consumer->fast.lane.post_mask];
}

/* are there tasks that were submitted and are not known to the producers yet? */
static inline bool consumer_has_unpublished(const struct doca_comch_consumer *consumer)
{
	/* published <= filled <= submitted */
	return consumer->fast.lane.published != consumer->submitted;
}

static inline bool consumer_is_lost(const struct doca_comch_consumer *consumer)
{
	/* Relaxed: a flag; what was in the lane before is looked at first. */
	return atomic_load_explicit(&consumer->fast.user.lost, memory_order_relaxed);
}

/*
 * consumer.c: a consumer whose buffers are in the map. It holds the map, the channel and the
 * device. BAD_STATE: the channel is closing. NO_MEMORY, also: it has as many as it can
 */
doca_error_t consumer_create(struct fast *channel, struct doca_dev *dev, struct doca_mmap *mmap,
			     struct doca_comch_consumer **ret_consumer);
/* consumer.c: what one does as a context, also on a DPA */
doca_error_t consumer_start(struct doca_ctx *ctx);
doca_error_t consumer_stop(struct doca_ctx *ctx);
void consumer_idle(struct doca_ctx *ctx);
void consumer_disown(struct doca_ctx *ctx);
extern const struct poller_ops consumer_poller_ops; /* consumer_poll.c */
/* consumer.c: the peer has broken the rules: no message of it will be read any more */
void consumer_distrust(struct doca_comch_consumer *consumer, const char *what);
/* does the peer write no more? */
bool consumer_is_quiet(struct doca_comch_consumer *consumer);
/* Stops, one step a poll: tells the program, waits for the peer, fails what is still posted. */
unsigned int consumer_end(struct doca_comch_consumer *consumer);
/*
 * consumer_task.c: fills posts for more of the tasks, as far as that takes no more than so many new
 * pieces of memory; how much it did
 */
unsigned int consumer_fill_posts(struct doca_comch_consumer *consumer, unsigned int budget);

/*
 * Posts so many receives of one on a DPA, which have no buffers. Its producers learn of all of them
 * at once.
 */
void consumer_post_bare(struct doca_comch_consumer *consumer, uint32_t count);

/* what doca_comch_consumer_task_post_recv_set_conf() does; max: how many can be asked for */
doca_error_t
consumer_configure_receives(struct doca_comch_consumer *consumer,
			    doca_comch_consumer_task_post_recv_completion_cb_t completion_cb,
			    doca_comch_consumer_task_post_recv_completion_cb_t error_cb,
			    uint32_t count, uint32_t max);

/*
 * consumer_on_dpa.c: a new consumer becomes one for code of the queue's DPA. What else there is to
 * be done with it is done to it as a context. NO_MEMORY: there is no handle for it
 */
doca_error_t consumer_put_on_dpa(struct doca_comch_consumer *consumer, struct doca_dpa *dpa);
/* INVALID_VALUE, and logged: the completion's thread is another DPA's */
doca_error_t consumer_set_completion(struct doca_comch_consumer *consumer,
				     const struct doca_comch_consumer_completion *completion);
/* DPA code has count more receives for it; the engine's lock is held, and it is RUNNING */
void consumer_add_receives(struct doca_comch_consumer *consumer, uint32_t count);
/* posts what its consumers are owed, as far as there is room; the engine's lock is held */
void consumer_post_owed(struct doca_comch_consumer_completion *completion);

/* Has every task that was submitted its post? */
static inline bool consumer_has_filled_all(const struct doca_comch_consumer *consumer)
{
	return consumer->fast.lane.filled == consumer->submitted;
}

/*
 * Pieces of memory that are made reachable in one call. Those of a submit are a MiB, wherever that
 * begins: whoever posts so much need not poll for a message to come.
 */
#define POLL_PIECES   1
#define SUBMIT_PIECES 5

/* Fills the posts that can be filled now, and publishes them; how much there was to do. */
static inline unsigned int consumer_post(struct doca_comch_consumer *consumer, unsigned int budget)
{
	struct lane_consumer *lane = &consumer->fast.lane;
	unsigned int done = 0;

	if (doca_unlikely(!consumer_has_filled_all(consumer)))
		done = consumer_fill_posts(consumer, budget);
	if (lane->published == lane->filled)
		return done;
	if (doca_unlikely(lane_post_publish(lane)))
		priv_bell_ring(consumer->fast.post_bell);
	return done + 1;
}

#endif
