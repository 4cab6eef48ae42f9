/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fast path of one connection: which consumers there are on either side.
 *
 * A connection belongs to one thread, consumers and producers to others. They meet here, under
 * one lock, and tell each other by posting to a poll group. The object outlives the connection
 * as long as somebody holds it; `chan` is NULL then.
 *
 *	consumer's side			producer's side
 *	MEMORY {lane, window, bell}  ->
 *	CONSUMER_NEW {key}	     ->	 maps them; the program learns the id
 *				     <-	 MEMORY {post bell}
 *	runs			     <-	 CONSUMER_ACK {key}
 *	...
 *	CONSUMER_GONE {key}	     ->	 forgets it; the program learns it
 *
 * A local one, of a message queue, has no connection: it is both sides itself, and nobody has to be
 * told (fast_local.c).
 */
#ifndef SOFTFIELD_CHAN_FAST_H
#define SOFTFIELD_CHAN_FAST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/list.h"
#include "base/poll_group.h"
#include "chan/lane.h"
#include "link/window.h"

struct chan;
struct handshake_window;

/* Never 0 nor 0xffff. Each side of a connection counts its own: docs/decisions/0058. */
#define FAST_ID_MAX 0xfffeu

/*
 * Records name a consumer by its key: the id, and above it a count of starts, so that nothing that
 * belongs to one run of a consumer is taken for another's.
 */
#define FAST_KEY_ID(key) ((key)&0xffffu)

/*
 * A parcel is the descriptors of a record. That of a new consumer's has the key as its token: its
 * lane, its window and its bell. The answer travels under a token of its own: the posts' bell.
 */
#define FAST_ACK_TOKEN(key) ((key) | 0x80000000u)
#define FAST_NEW_FDS	    3
#define FAST_ACK_FDS	    1

/* A consumer or producer of this side. */
struct fast_user {
	struct list_node holder_node; /* in fast->holders from init to fini, for its id */
	struct list_node node;	      /* in fast->users from join to leave */
	uint32_t id;
	uint32_t key;
	bool is_consumer;
	struct poll_group *group;
	struct watch notice; /* posted when something happened to it, or to its receiver */
	atomic_bool acked;   /* consumer: the peer knows it */
	atomic_bool lost;    /* the connection is closed */
};

/* A consumer of this side. */
struct fast_consumer {
	struct fast_user user;
	struct lane_consumer lane;
	struct window *window;
	int bell;      /* the peer rings it */
	int post_bell; /* rings the peer's producers; -1 until acked */
};

struct fast {
	atomic_uint refs;
	atomic_uint active; /* consumers and producers that are not idle */
	/* fixed from the beginning */
	uint64_t max_consumers, max_producers; /* of this side */
	bool is_local; /* without a connection, its own peer; no more in a child of fork() */

	/* the connection's thread alone */
	struct list_node parcels; /* descriptors that arrived ahead of their record */
	unsigned int parcel_count;

	pthread_mutex_t lock; /* of everything below; may be taken before a poll group's */
	/* NULL: the connection is closed, or there is none. Its own thread reads it without. */
	struct chan *chan;
	bool shut;   /* it is closing: nobody else may begin */
	bool broken; /* by a fault on purpose: its thread is to end it */
	struct list_node holders, users;
	struct list_node requests;	/* what the connection's thread has to send */
	struct watch wanted;		/* posted to the connection's group: there are requests */
	struct lane_producer **remotes; /* the peer's consumers */
	uint32_t remote_count, remote_capacity;
	uint64_t mapped; /* bytes of the peer's windows */
	uint32_t last_consumer_id, last_producer_id;
};

/* NO_MEMORY */
doca_error_t fast_create(struct chan *chan, struct fast **ret_fast);
/* One without a connection, whose ids are the lowest that are free. NO_MEMORY */
doca_error_t fast_create_local(uint32_t max_consumers, uint32_t max_producers,
			       struct fast **ret_fast);
void fast_ref(struct fast *fast);
void fast_unref(struct fast *fast);
/* in a child of fork(): a thread that is not here may have held the lock */
void fast_disown(struct fast *fast);
/* the connection is closing: nobody else begins */
void fast_shut(struct fast *fast);
/* it is closed: everybody is told */
void fast_close(struct fast *fast);

/*
 * For consumers and producers, from their own thread
 */

/*
 * A new consumer or producer gets its id. BAD_STATE: the connection is closing. NO_MEMORY: it has
 * as many as it can
 */
doca_error_t fast_user_init(struct fast *fast, struct fast_user *user, bool is_consumer);
void fast_user_fini(struct fast *fast, struct fast_user *user);
/* Does anybody have an id? */
bool fast_is_in_use(struct fast *fast);

/* bytes of immediate data, at most */
uint32_t fast_imm_max(const struct fast *fast);
/* the same of message queues */
uint32_t fast_imm_max_local(void);

/*
 * From now on user->notice is posted to the group. NOT_CONNECTED: the connection is closed, or
 * closing
 */
doca_error_t fast_join(struct fast *fast, struct fast_user *user, struct poll_group *group,
		       void (*notice)(struct watch *watch, uint32_t events));
void fast_leave(struct fast *fast, struct fast_user *user);
/*
 * Makes the consumer known to the peer; user.acked is set when it is, and with a local one at once.
 * NO_MEMORY, FULL, NOT_CONNECTED
 */
doca_error_t fast_announce(struct fast *fast, struct fast_consumer *consumer);
/* Tells the peer that the consumer is gone. */
void fast_retire(struct fast *fast, struct fast_consumer *consumer);
/* Ends the connection as if it was lost; its thread does so. */
void fast_break(struct fast *fast);
/* the lane to a consumer of the peer, with one more reference; NULL: there is none */
struct lane_producer *fast_find(struct fast *fast, uint32_t id);

/*
 * For the connection, from its thread
 */

/* sends as many requests as there is room for; true: all */
bool fast_send_requests(struct fast *fast);
/*
 * A record of the peer. AGAIN: its descriptors are still on their way. INVALID_VALUE: nonsense.
 * NO_MEMORY, FULL
 */
doca_error_t fast_consumer_new(struct fast *fast, uint32_t key);
doca_error_t fast_consumer_acked(struct fast *fast, uint32_t key);
doca_error_t fast_consumer_gone(struct fast *fast, uint32_t key);
/* forgets one of the peer's consumers; false: there are none */
bool fast_forget_remote(struct fast *fast, uint32_t *ret_id);

/*
 * Parcels (fast_parcel.c)
 */

/* a message of the link with descriptors, which it takes; INVALID_VALUE: not expected */
doca_error_t fast_take_parcel(struct fast *fast, uint32_t token, const int *fds,
			      unsigned int fd_count);
/* moves out the descriptors that belong to a record. AGAIN: they are still on their way */
doca_error_t fast_open_parcel(struct fast *fast, uint32_t token, int *fds);
void fast_drop_parcels(struct fast *fast);

/*
 * Between fast.c and fast_local.c
 */

/* with the lock held; INVALID_VALUE: there is one with this id. NO_MEMORY, FULL */
doca_error_t fast_add_remote(struct fast *fast, struct lane_producer *lane);
doca_error_t fast_announce_local(struct fast *fast, struct fast_consumer *consumer);

/*
 * For tools
 */

/* this side's, that are not idle */
void fast_count(struct fast *fast, uint32_t *ret_consumers, uint32_t *ret_producers);
/* calls visit for the window of each consumer, this side's and the peer's */
void fast_visit_windows(struct fast *fast,
			void (*visit)(const struct handshake_window *window, void *arg), void *arg);

#endif
