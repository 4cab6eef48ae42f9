/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects of libdoca_comch. A server and a client share what makes them an endpoint of the engine;
 * a connection is the engine's, with what the API adds to it.
 */
#ifndef SOFTFIELD_COMCH_COMCH_H
#define SOFTFIELD_COMCH_COMCH_H

#include "chan/chan.h"
#include "chan/fast.h"
#include "core/ctx.h"
#include "core/dev.h"
#include "core/pe.h"
#include "core/task.h"
#include "doca_comch.h"

/*
 * The program's doca_comch_event_msg_recv_cb_t as we call it. Programs of release 2.5 (cc) declare
 * the size as size_t, all others as uint32_t: both find theirs in the register that we fill.
 */
typedef void (*comch_msg_recv_cb_t)(struct doca_comch_event_msg_recv *event, uint8_t *msg,
				    size_t size, struct doca_comch_connection *connection);

/* The part that servers and clients have in common. */
struct comch_ep {
	struct doca_ctx ctx;
	struct pe_garbage garbage;
	char name[LINK_SERVICE_SIZE];
	uint32_t max_msg_size;
	uint32_t recv_queue_size;
	struct task_pool send_pool;
	comch_msg_recv_cb_t msg_recv_cb;
	doca_comch_event_consumer_cb_t new_consumer_cb,
		expired_consumer_cb; /* NULL: not asked for */
};

struct doca_comch_connection {
	struct chan chan;
	struct comch_ep *ep;
	struct doca_comch_server *server; /* NULL on the client's side */
	struct doca_comch_client *client; /* NULL on the server's side */
	struct list_node node;		  /* in server->connections or server->spare */
	uint32_t generation;		  /* tells the lives of this memory apart */
	union doca_data user_data;
	struct chan_counters snapshot;
	struct doca_comch_task_send *waiting,
		**waiting_tail; /* tasks that wait for room, in order */
};

struct doca_comch_client {
	struct comch_ep ep;
	struct doca_comch_connection connection;
};

struct doca_comch_server {
	struct comch_ep ep;
	struct doca_dev_rep *rep;
	struct chan_server chan_server;
	/*
	 * Memory of closed connections is used again, and not freed before the server is: a stale
	 * pointer in a program is answered with INVALID_VALUE rather than with a crash.
	 */
	struct list_node connections, spare;
	doca_comch_event_connection_status_changed_cb_t connect_cb, disconnect_cb;
};

struct doca_comch_task_send {
	struct doca_task base;
	struct doca_comch_connection *connection;
	uint32_t generation; /* the connection's at alloc */
	uint32_t size;
	const void *msg;
};
_Static_assert(offsetof(struct doca_comch_task_send, base) == 0,
	       "ABI: programs are compiled with it (softfield_inline.h)");

/* endpoint.c */
doca_error_t comch_ep_init(struct comch_ep *ep, const struct ctx_ops *ops, struct doca_dev *dev,
			   const char *name);
void comch_ep_fini(struct comch_ep *ep);
/* is everything there that start needs? BAD_STATE; NOT_SUPPORTED on the wrong side */
doca_error_t comch_ep_check(const struct comch_ep *ep, enum topo_side side);
doca_error_t comch_ep_set_max_msg_size(struct comch_ep *ep, uint32_t size);
doca_error_t comch_ep_set_recv_queue_size(struct comch_ep *ep, uint32_t size);
doca_error_t comch_ep_register_msg_recv(struct comch_ep *ep, doca_comch_event_msg_recv_cb_t cb);
doca_error_t comch_ep_register_consumer(struct comch_ep *ep,
					doca_comch_event_consumer_cb_t new_consumer_cb,
					doca_comch_event_consumer_cb_t expired_consumer_cb);
struct chan_config comch_ep_config(const struct comch_ep *ep, const struct topo_function *host);

/* task.c */
/* sends what waits as far as there is room */
void comch_send_waiting(struct doca_comch_connection *connection);
/* the connection is closed: what still waits fails */
void comch_send_fail_waiting(struct doca_comch_connection *connection);

/* connection.c */
/* begins another life of memory that was zeroed once */
void comch_connection_init(struct doca_comch_connection *connection, struct comch_ep *ep);
/* for both sides' chan_ops */
void comch_connection_message(struct chan *chan, uint8_t *msg, uint32_t size);
void comch_connection_room(struct chan *chan);
void comch_connection_consumer_new(struct chan *chan, uint32_t id);
void comch_connection_consumer_gone(struct chan *chan, uint32_t id);
/* BAD_STATE, and logged: it has no consumers or producers now */
doca_error_t comch_connection_refuse(void);
/* are there consumers or producers on it that are not idle? */
bool comch_connection_has_fast_users(const struct doca_comch_connection *connection);

static inline struct doca_comch_connection *comch_connection_of(struct chan *chan)
{
	return container_of(chan, struct doca_comch_connection, chan);
}

static inline bool comch_connection_is_open(const struct doca_comch_connection *connection)
{
	return connection->chan.state == CHAN_OPEN;
}

#endif
