/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects of libdoca_comm_channel. An endpoint has no progress engine: it owns a poll group and
 * polls it whenever the program calls. There are no callbacks to a program, so nothing here is
 * re-entered.
 *
 *	endpoint --- door, one for each host function that a service listens for
 *	   |
 *	   +-------- peer (doca_comm_channel_addr_t) --- conn, while it is connected
 *
 * A program may hold the address of a peer for as long as it likes, so a peer stays when its
 * connection has gone, until the program disconnects it; and its memory stays, as void, until the
 * endpoint is destroyed. A connection's memory is used again.
 */
#ifndef SOFTFIELD_COMM_CHANNEL_EP_H
#define SOFTFIELD_COMM_CHANNEL_EP_H

#include <sched.h>
#include <stdatomic.h>
#include "base/fork.h"
#include "chan/chan.h"
#include "core/dev.h"
#include "doca_comm_channel.h"

#define EP_MSG_SIZE_MIN	  256u
#define EP_QUEUE_SIZE_MIN 16u

enum peer_state {
	PEER_VOID,	 /* given back */
	PEER_CONNECTING, /* a client's */
	PEER_OPEN,
	PEER_LOST,   /* was open; the peer has gone */
	PEER_FAILED, /* a client that could not connect */
};

struct conn;

struct doca_comm_channel_addr_t {
	struct doca_comm_channel_ep_t *ep;
	struct conn *conn; /* NULL: not connected any more */
	enum peer_state state;
	struct list_node node; /* in ep->peers, or in ep->spare_peers when void */
	bool is_known;	       /* the program has its address */
	uint64_t user_data;
	struct chan_counters counters;		      /* as of the last update_info */
	uint64_t in_flight;			      /* likewise */
	struct doca_comm_channel_peer_addr_info info; /* as of the end of the connection */
};

struct door {
	struct chan_server server;
	struct doca_comm_channel_ep_t *ep;
	const struct topo_function *host;
	struct list_node node; /* in ep->doors */
};

struct conn {
	struct chan chan;
	struct doca_comm_channel_addr_t *peer;
	struct door *door;     /* that a service's came in by */
	struct list_node node; /* in ep->ready while a message waits; in ep->spare_conns */
	uint64_t stamp;	       /* when that message was sent; 0: before all that are stamped */
	uint64_t earliest;     /* the next one cannot have been sent before that */
	uint64_t turned;       /* when all lines of the inbox had been read once more */
	uint32_t taken;	       /* messages since then */
	bool is_short;	       /* the peer had no room when we last sent */
};

/* A descriptor for programs to wait on: readable with the group's own and when raised. */
struct signal_fd {
	int epoll_fd; /* -1: nobody has asked for it */
	int bell;
	uint32_t cookie; /* what epoll_wait() on it tells */
	bool is_raised;
};

enum ep_role { EP_IDLE, EP_SERVICE, EP_CLIENT };

struct doca_comm_channel_ep_t {
	/*
	 * Programs lock by themselves, but call doca_comm_channel_ep_event_handle_arm_*() outside
	 * of it, as the vendor's examples do. This lock protects everything; a leaf but for those
	 * of chan. Nobody else can want it, and nobody sleeps with it; a mutex costs a short
	 * message a fifth of its time.
	 */
	atomic_bool is_locked;
	struct poll_group group;
	enum ep_role role;
	bool is_early; /* made by the two-argument form of create */
	bool blocks;
	bool has_lost;	  /* client: the service has gone, and recvfrom has not said so */
	bool has_refused; /* service: a client could not get in, and recvfrom has not said so */
	struct list_node ready; /* conns with a message; of a service in the order of sending */
	uint64_t looked;	/* for those that have gone, before something was sent */
	uint64_t seen;		/* every message sent before that is in ready */
	unsigned int open_count, patience;
	struct conn *heard; /* whose message was taken last; NULL: it is not connected any more */
	struct doca_comm_channel_addr_t *peer; /* of a client */

	/* cold */
	struct fork_watch fork_watch;
	bool is_inherited; /* a child's copy of one that was in use: cannot be used again */
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	uint32_t max_msg_size, send_queue_size, recv_queue_size;
	struct list_node doors;
	struct list_node peers;
	struct list_node spare_peers, spare_conns;
	uint32_t spare_peer_count;

	/* waiting */
	bool recv_armed, send_armed;
	bool always_armed;  /* the early form's event channel: recv needs no arming */
	bool has_room_news; /* a peer that was short has room again, or has gone */
	unsigned int short_count;
	unsigned int sleepers; /* threads in blocking calls, */
	unsigned int to_wake;  /* and those of them that do not know yet that they are to look */
	bool has_news;	       /* since the last one fell asleep */
	struct signal_fd recv_signal, send_signal, service_signal;

	/* snapshot of update_service_state_info */
	struct doca_comm_channel_addr_t **peer_list;
	uint32_t peer_count, pending_count;
};

/* ep.c */
/* INVALID_VALUE: not a flag of this form */
doca_error_t ep_check_flag(const struct doca_comm_channel_ep_t *ep, int flag);
static inline doca_error_t ep_check_flags(const struct doca_comm_channel_ep_t *ep, int flags)
{
	return flags == DOCA_CC_MSG_FLAG_NONE ? DOCA_SUCCESS : ep_check_flag(ep, flags);
}
/* NO_MEMORY */
doca_error_t ep_new(struct doca_comm_channel_ep_t **ret_ep);

static inline void ep_lock(struct doca_comm_channel_ep_t *ep)
{
	/* Acquire: pairs with the release in ep_unlock(). */
	while (doca_unlikely(atomic_exchange_explicit(&ep->is_locked, true, memory_order_acquire)))
		sched_yield();
}

static inline void ep_unlock(struct doca_comm_channel_ep_t *ep)
{
	atomic_store_explicit(&ep->is_locked, false, memory_order_release);
}

/* Every public call that uses connections, or what waits for them, is between these two. */
static inline void ep_enter(struct doca_comm_channel_ep_t *ep)
{
	ep_lock(ep);
}
void ep_rearm(struct doca_comm_channel_ep_t *ep);
static inline bool ep_has_waiters(const struct doca_comm_channel_ep_t *ep)
{
	return ep->recv_armed || ep->send_armed || ep->sleepers;
}
/* Other threads may wait for what this one has come across. */
static inline void ep_tell_waiters(struct doca_comm_channel_ep_t *ep)
{
	if (doca_unlikely(ep_has_waiters(ep)))
		ep_rearm(ep);
}
/* Gives the lock back and lets others run. */
void ep_let_others_run(struct doca_comm_channel_ep_t *ep);
/* Gives the lock back, and lets others run if that is due. */
static inline void ep_let_go(struct doca_comm_channel_ep_t *ep)
{
	if (doca_likely(!ep->group.wants_yield))
		ep_unlock(ep);
	else
		ep_let_others_run(ep);
}

static inline void ep_leave(struct doca_comm_channel_ep_t *ep)
{
	ep_tell_waiters(ep);
	ep_let_go(ep);
}

/* wait.c */
/* What a blocking call knows of its waiting; zeros at first. */
struct ep_wait {
	uint64_t until_ns; /* it polls */
	bool has_yielded;
};

/* one quick round, by somebody who has something else to do: without a pause */
static inline void ep_glance(struct doca_comm_channel_ep_t *ep)
{
	priv_poll_group_poll(&ep->group, 1);
}
/* one round */
static inline void ep_poll(struct doca_comm_channel_ep_t *ep)
{
	priv_poll_group_poll(&ep->group, 0);
}
/* one round after which every message that was sent before it is in ep->ready */
void ep_look(struct doca_comm_channel_ep_t *ep);
/* one round after which every peer that had gone before it is lost; is_busy: as ep_glance() */
void ep_look_for_gone(struct doca_comm_channel_ep_t *ep, bool is_busy);
/*
 * One step of a blocking call that has polled in vain: polls on for a while, then sleeps, without
 * the lock.
 */
void ep_wait(struct doca_comm_channel_ep_t *ep, struct ep_wait *wait);
/* Threads that sleep look at what this one has come across, or go on sleeping. */
void ep_pass_on(struct doca_comm_channel_ep_t *ep);

/* conn.c */
/* what a connection or a listener of the endpoint is configured with; name is valid */
struct chan_config ep_chan_config(struct doca_comm_channel_ep_t *ep,
				  const struct topo_function *host, const char *name);
/* Lets clients of the host function in; kept in ep->doors. Errors: see chan_server_start() */
doca_error_t door_open(struct doca_comm_channel_ep_t *ep, const struct topo_function *host,
		       const char *name);
void door_close(struct door *door);
/* Begins to connect; the peer is in ep->peers. NO_MEMORY and others */
doca_error_t conn_open(struct doca_comm_channel_ep_t *ep, const struct topo_function *host,
		       const char *name, struct doca_comm_channel_addr_t **ret_peer);
/* What a record has of a stamp in all its bits: it was made not long before or after now. */
uint64_t conn_complete_stamp(uint64_t stamp, uint64_t now);
/* the next one in order with a message, or NULL; polls if need be. It need not be in ep->ready. */
struct conn *ep_next(struct doca_comm_channel_ep_t *ep);
/* Disconnects, if it is connected, and makes the peer void. */
void peer_drop(struct doca_comm_channel_addr_t *peer);
/* counters and sizes of now, or of the end */
struct doca_comm_channel_peer_addr_info peer_info(const struct doca_comm_channel_addr_t *peer);

/* ep_event.c */
/* Who waits for something to receive finds out, until it is armed again. */
void ep_end_recv_wait(struct doca_comm_channel_ep_t *ep);
doca_error_t signal_open(struct signal_fd *signal, struct poll_group *group);
void signal_close(struct signal_fd *signal);
void signal_raise(struct signal_fd *signal);
void signal_lower(struct signal_fd *signal);
static inline void signal_clear(struct signal_fd *signal)
{
	if (doca_unlikely(signal->is_raised))
		signal_lower(signal);
}

#endif
