/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The communication engine: connections between a server and its clients. All generations of the
 * API are skins over this; it knows no doca objects, no tasks and no generations.
 *
 * A connection is two rings, one for each direction, each in memory that its receiver owns (its
 * inbox), and a link that brought them together and tells when the peer is gone. A connection
 * belongs to the thread of its poll group.
 *
 *	CONNECTING --accepted--> OPEN --chan_close()--> CLOSING --all sent--> CLOSED
 *	     |                    |                        |
 *	     +--- refused --------+---- peer closed/lost --+----------------> CLOSED
 *
 * Closing is orderly: what was handed to the ring before is delivered, also when the process
 * ends at once, because the ring is the receiver's. It does not wait for the peer to read.
 */
#ifndef SOFTFIELD_CHAN_CHAN_H
#define SOFTFIELD_CHAN_CHAN_H

#include <stdbool.h>
#include <stdint.h>
#include "base/bell.h"
#include "base/clock.h"
#include "base/gather.h"
#include "base/poll_group.h"
#include "base/ring.h"
#include "link/fault.h"
#include "link/link.h"
#include "doca_common_defines.h"

struct chan;
struct chan_server;
struct fast;
struct handshake;

/* CLOSED is also what nobody has touched yet. The state changes in chan.c alone, by its table. */
enum chan_state { CHAN_CLOSED, CHAN_CONNECTING, CHAN_OPEN, CHAN_CLOSING, CHAN_STATE_COUNT };

enum chan_record {
	CHAN_MESSAGE = 1,
	CHAN_FIN,
	CHAN_CONSUMER_NEW,
	CHAN_CONSUMER_ACK,
	CHAN_CONSUMER_GONE
};

struct chan_ops {
	/* a client's connection is open (SUCCESS) or will not be, and is CLOSED; from a poll */
	void (*opened)(struct chan *chan, doca_error_t result);
	/*
	 * A message. msg is valid during the call, and may be written to; a peer of another user
	 * cannot change it. The callee may close the chan.
	 */
	void (*message)(struct chan *chan, uint8_t *msg, uint32_t size);
	/*
	 * Instead of `message`, for owners that fetch messages themselves: the next one is there
	 * and stays until chan_take(). line: for ring_get_stamp() and nothing else. From polls and
	 * chan_look_behind().
	 */
	void (*arrived)(struct chan *chan, const struct ring_line *line);
	/*
	 * there is room after chan_send() said no: send what waits, ask again with chan_want_room()
	 */
	void (*room)(struct chan *chan);
	/*
	 * Once, when an OPEN or CLOSING chan has become CLOSED; from a poll. SUCCESS: closed from
	 * here. CONNECTION_RESET: closed or lost by the peer. INVALID_VALUE: the peer misbehaved
	 * (logged). Others: there was no room for a consumer of the peer (logged). The callee may
	 * give the chan's memory back through its poll-safe way of doing so.
	 */
	void (*closed)(struct chan *chan, doca_error_t reason);
	/* the peer has gone; closed() follows when all that it has sent is read; may be NULL */
	void (*lost)(struct chan *chan);
	/* a consumer of the peer has come or gone; NULL: this generation knows none */
	void (*consumer_new)(struct chan *chan, uint32_t id);
	void (*consumer_gone)(struct chan *chan, uint32_t id);
};

struct chan_counters {
	uint64_t sent_messages, sent_bytes;
	uint64_t received_messages, received_bytes;
};

struct chan_config {
	struct poll_group *group;
	struct link_addr addr;
	uint32_t max_msg_size;
	uint32_t recv_queue_size;
	bool adapts; /* may be connected to a side whose messages have another maximum */
	bool stamps; /* messages are to be stamped from the first one on (ring.h) */
};

struct chan {
	struct poller poller;
	struct ring_receiver rx;
	struct ring_sender tx;
	const struct chan_ops *ops;
	enum chan_state state;
	bool want_room;
	bool want_requests;    /* the fast path has something to tell the peer */
	bool awaits_parcel;    /* the next record's descriptors have not arrived yet */
	bool has_message;      /* told by ops->arrived(), not yet taken */
	bool peer_gone;	       /* no more will come; what is in the ring still counts */
	uint32_t taken;	       /* messages fetched since a look in vain */
	struct gather gather;  /* of what the peer sends */
	bool trusts_peer;      /* it is a process of our own user */
	uint32_t max_msg_size; /* the smaller of the two sides' */
	uint8_t *buffer;       /* for one message */
	struct chan_counters counters;
	struct fault *fault; /* NULL in ordinary life */
	struct fast *fast;   /* NULL unless OPEN or CLOSING; other threads: chan_ref_fast() */

	/* cold */
	struct chan_config config;
	struct link *link;
	struct link_mem *rx_mem, *tx_mem;
	struct watch bell; /* ours: the peer rings it */
	int peer_bell;
	doca_error_t first_try;	 /* a client's: why it has failed, to be told from a poll */
	uint64_t wait_until_ns;	 /* a client that waits for its server; 0: it does not */
	uint64_t waits_since_ns; /* since its first try */
	struct timer retry;	 /* for that; when OPEN, for requests that the link does not take */
};

/*
 * Client
 */

/* Begins to connect. ops->opened follows in any case unless chan_close() comes first. NO_MEMORY */
doca_error_t chan_connect(struct chan *chan, const struct chan_config *config,
			  const struct chan_ops *ops);

/*
 * Both sides
 */

/* Sends one message of 1..max_msg_size bytes, in the order of the calls. false: no room */
static inline bool chan_send(struct chan *chan, const void *msg, uint32_t size);
/* ops->room will be called as soon as a message might fit */
static inline void chan_want_room(struct chan *chan)
{
	chan->want_room = true;
	priv_poll_group_heat(&chan->poller); /* a cold one has not asked the peer for it */
}
/* the fast path has requests: send them in the next poll */
static inline void chan_want_requests(struct chan *chan)
{
	chan->want_requests = true;
	priv_poll_group_heat(&chan->poller);
}
/* the fast path, with one more reference, from any thread; NULL: the connection is not open */
struct fast *chan_ref_fast(struct chan *chan);
/*
 * Closes after all that waits in ops->room has been sent. ops->closed follows from a poll, but not
 * in CONNECTING: then the chan is CLOSED on return.
 */
void chan_close(struct chan *chan);
/* in a child of fork(): closed, and nothing of it is touched: it is the parent's */
void chan_disown(struct chan *chan);
/*
 * -> CLOSED at once, whatever the state; ops->closed does not follow. The peer is told, and reads
 * what was sent before.
 */
void chan_drop(struct chan *chan);
/*
 * The message that ops->arrived told of, or that chan_has_next() has seen, into buf. INVALID_VALUE:
 * it has more than `capacity` bytes, and stays. CONNECTION_RESET: it was nonsense; ops->closed has
 * come from in here.
 */
static inline doca_error_t chan_take(struct chan *chan, void *buf, size_t capacity,
				     uint32_t *ret_size);
/*
 * After chan_take(), for owners that want to be told of the next message if it is there already;
 * required when the poller is cold: its peer may not ring.
 */
void chan_look_behind(struct chan *chan);
/* After chan_take(), for other owners, instead of a poll: may the next message be taken at once? */
static inline bool chan_has_next(const struct chan *chan);
/* For the same owners: has the peer said, next, what a poll must hear, such as that it goes? */
static inline bool chan_has_notice(const struct chan *chan);
/* messages and other records that the peer has not read yet */
uint32_t chan_in_flight(struct chan *chan);
/* Releases a CLOSED chan, or one that was never used. */
void chan_fini(struct chan *chan);

/* wakes the peer if it sleeps; after every push */
static inline void chan_kick(struct chan *chan)
{
	if (ring_wants_wake(&chan->tx))
		priv_bell_ring(chan->peer_bell);
}

static inline bool chan_send(struct chan *chan, const void *msg, uint32_t size)
{
	debug_assert(chan->state == CHAN_OPEN || chan->state == CHAN_CLOSING);
	if (!ring_has_room(&chan->tx))
		return false;
	if (doca_unlikely(chan->fault) && !priv_fault_lets_send(chan->fault))
		return false;
	if (doca_unlikely(ring_wants_stamps(&chan->tx)))
		priv_ring_push_stamped(&chan->tx, CHAN_MESSAGE, clock_ticks(), msg, size);
	else
		ring_push(&chan->tx, CHAN_MESSAGE, msg, size);
	chan_kick(chan);
	chan->counters.sent_messages++;
	chan->counters.sent_bytes += size;
	return true;
}

/* What has been read is the peer's again. in_stream: and more is coming */
static inline void chan_give_room_back(struct chan *chan, bool in_stream)
{
	if (in_stream)
		ring_release_lines(&chan->rx);
	if (ring_publish_tail(&chan->rx))
		priv_bell_ring(chan->peer_bell);
}

/* Why chan_take() does not. */
doca_error_t chan_refuse(struct chan *chan, const struct ring_line *line, size_t capacity);

static inline doca_error_t chan_take(struct chan *chan, void *buf, size_t capacity,
				     uint32_t *ret_size)
{
	/* The peer may have taken it back since it was seen. */
	const struct ring_line *line = ring_peek(&chan->rx);
	uint32_t most = capacity < chan->max_msg_size ? (uint32_t)capacity : chan->max_msg_size;
	bool in_stream = gather_is_stream(&chan->gather, chan->taken + 1);
	uint32_t size;

	debug_assert(chan->state == CHAN_OPEN);
	if (line && in_stream) {
		ring_expect(&chan->rx, line);
		ring_expect_payload(&chan->rx, line);
	}
	if (!line || !ring_copy(&chan->rx, line, buf, most, &size) || !size)
		return chan_refuse(chan, line, capacity);
	ring_pop(&chan->rx);
	chan_give_room_back(chan, in_stream);
	if (doca_unlikely(chan->fault))
		priv_fault_count(chan->fault);
	chan->taken++;
	chan->has_message = false;
	chan->counters.received_messages++;
	chan->counters.received_bytes += size;
	*ret_size = size;
	return DOCA_SUCCESS;
}

static inline bool chan_has_next(const struct chan *chan)
{
	const struct ring_line *line;

	if (!chan->taken || !chan->poller.hot || doca_unlikely(chan->fault))
		return false;
	line = ring_peek(&chan->rx);
	return line && read_once(line->type) == CHAN_MESSAGE;
}

static inline bool chan_has_notice(const struct chan *chan)
{
	const struct ring_line *line;

	if (doca_unlikely(chan->peer_gone || chan->fault))
		return true; /* what is at its end, or held back, is for a poll to say */
	line = ring_peek(&chan->rx);
	return doca_unlikely(line != NULL) && read_once(line->type) != CHAN_MESSAGE;
}

/*
 * Server
 */

struct chan_server_ops {
	/* memory for one more client's connection, zeroed and with its ops set; NULL: none */
	struct chan *(*alloc)(struct chan_server *server);
	/* a client's connection is OPEN */
	void (*opened)(struct chan_server *server, struct chan *chan);
	/* the client's connection failed after alloc; the chan is CLOSED; release it */
	void (*refused)(struct chan_server *server, struct chan *chan);
};

struct chan_server {
	const struct chan_server_ops *ops;
	struct chan_config config;
	uint32_t max_clients;
	uint32_t client_count; /* open ones */
	struct link_listener *listener;
	struct list_node pending; /* links that have not said HELLO yet, and tools that ask */
	unsigned int pending_count;
	/* calls visit for each open connection, for tools */
	void (*visit)(struct chan_server *server, void (*visit)(struct chan *chan, void *arg),
		      void *arg);
};

/* IN_USE: the name is taken. NOT_PERMITTED, OPERATING_SYSTEM, ...: see link_ops.listen */
doca_error_t chan_server_start(struct chan_server *server, const struct chan_config *config,
			       const struct chan_server_ops *ops, uint32_t max_clients);
/* No more clients get in, the name is free. Open connections live on until they are closed. */
void chan_server_stop(struct chan_server *server);
/* told by the owner when a connection that was opened is closed */
static inline void chan_server_forget(struct chan_server *server)
{
	assert(server->client_count);
	server->client_count--;
}

/*
 * Between the files of this folder
 */

/* makes the inbox and the bell */
doca_error_t chan_init(struct chan *chan, const struct chan_config *config,
		       const struct chan_ops *ops);
/* sends a handshake message together with the inbox and the bell */
doca_error_t chan_send_inbox(struct chan *chan, const struct handshake *handshake);
/*
 * Takes the peer's inbox and bell (also on failure) and opens; max_msg_size is the peer's.
 * INVALID_VALUE: nonsense
 */
doca_error_t chan_open(struct chan *chan, const struct link_peer *peer, uint32_t max_msg_size,
		       const int *fds, unsigned int fd_count);
/* OPEN or CLOSING -> CLOSED; from a poll */
void chan_finish(struct chan *chan, doca_error_t reason);
/* -> CLOSED without a word, whatever the state; nobody is told */
void chan_abandon(struct chan *chan);
/* the link of an open connection */
extern const struct link_handler chan_link_handler;
/* chan_poll.c; by whether messages are brought to the owner, or it fetches them (ops->arrived) */
extern const struct poller_ops chan_poller_ops, chan_fetched_poller_ops;

#endif
