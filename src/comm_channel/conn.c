/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections of an endpoint: how they come and go, and whose message is next.
 *
 * A service reads its clients' messages in the order in which they were sent, though each client
 * has a queue of its own. When there are several, senders stamp their messages, and whose message
 * is the oldest is first. Messages without a stamp come before: they were sent while their sender
 * was alone. A client that stamps its messages too old gains little: no message can have been sent
 * before there was room for it, which is known to within two turns of the queue.
 */
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "comm_channel/ep.h"

/* So many messages are read without a look at what else there is, be it new clients. */
#define PATIENCE 32

static struct conn *conn_of(struct chan *chan)
{
	return container_of(chan, struct conn, chan);
}

/*
 * Whose message is next
 */

static struct conn *first_ready(struct doca_comm_channel_ep_t *ep)
{
	if (list_is_empty(&ep->ready))
		return NULL;
	return container_of(ep->ready.next, struct conn, node);
}

uint64_t conn_complete_stamp(uint64_t stamp, uint64_t now)
{
	uint64_t later = (stamp - now) & RING_STAMP_MASK;

	if (later <= RING_STAMP_MASK / 2)
		return now + later;
	later = RING_STAMP_MASK + 1 - later; /* it is earlier */
	return later < now ? now - later : 0;
}

/* When a message was sent: the sender's word, but not impossibly early. */
static uint64_t believed_stamp(const struct conn *conn, const struct ring_line *line)
{
	uint64_t stamp;

	if (!ring_get_stamp(line, &stamp))
		return 0;
	stamp = conn_complete_stamp(stamp, clock_ticks());
	return stamp > conn->earliest ? stamp : conn->earliest;
}

/* Keeps the list sorted. A message goes to the end mostly, or to the front in a burst. */
static void insert_ready(struct list_node *ready, struct conn *conn)
{
	struct list_node *before = ready->prev;

	if (!list_is_empty(ready) &&
	    conn->stamp < container_of(ready->next, struct conn, node)->stamp)
		before = ready;
	while (before != ready && container_of(before, struct conn, node)->stamp > conn->stamp)
		before = before->prev;
	list_add_tail(before->next, &conn->node);
}

static void conn_arrived(struct chan *chan, const struct ring_line *line)
{
	struct conn *conn = conn_of(chan);

	conn->peer->ep->has_news = true;
	conn->stamp = believed_stamp(conn, line);
	insert_ready(&conn->peer->ep->ready, conn);
}

/* Can there be no message that was sent before this one? */
static bool is_surely_first(const struct doca_comm_channel_ep_t *ep, const struct conn *conn)
{
	return ep->open_count < 2 || conn->stamp <= ep->seen;
}

struct conn *ep_next(struct doca_comm_channel_ep_t *ep)
{
	struct conn *first = first_ready(ep);

	/* With a single peer there is no order among peers to find out. */
	if (!first && ep->heard && ep->open_count < 2 && chan_has_next(&ep->heard->chan))
		first = ep->heard;
	if (!first || !ep->patience--) {
		ep->patience = PATIENCE;
		if (first)
			ep_glance(ep);
		else
			ep_poll(ep);
		first = first_ready(ep);
	}
	if (first && !is_surely_first(ep, first)) {
		ep_look(ep);
		first = first_ready(ep);
	}
	return first;
}

/*
 * Peers
 */

/*
 * An address that a program still has, though it is invalid, is not soon another peer's: so many
 * others come first.
 */
#define SPARE_PEERS_MIN 1024

static struct doca_comm_channel_addr_t *peer_new(struct doca_comm_channel_ep_t *ep)
{
	struct doca_comm_channel_addr_t *peer;
	struct list_node *node = NULL;

	if (ep->spare_peer_count > SPARE_PEERS_MIN) {
		node = list_pop(&ep->spare_peers);
		ep->spare_peer_count--;
	}
	peer = node ? container_of(node, struct doca_comm_channel_addr_t, node)
		    : malloc(sizeof(*peer));
	if (!peer)
		return NULL;
	memset(peer, 0, sizeof(*peer));
	peer->ep = ep;
	list_add_tail(&ep->peers, &peer->node);
	return peer;
}

static void peer_void(struct doca_comm_channel_addr_t *peer)
{
	peer->state = PEER_VOID;
	list_remove(&peer->node);
	list_add_tail(&peer->ep->spare_peers, &peer->node);
	peer->ep->spare_peer_count++;
}

struct doca_comm_channel_peer_addr_info peer_info(const struct doca_comm_channel_addr_t *peer)
{
	struct doca_comm_channel_peer_addr_info info = peer->info;
	struct conn *conn = peer->conn;

	if (!conn)
		return info;
	info.msgsize = conn->chan.max_msg_size;
	info.curmsgs = chan_in_flight(&conn->chan);
	info.rx_msgs = conn->chan.counters.received_messages;
	info.rx_bytes = conn->chan.counters.received_bytes;
	info.tx_msgs = conn->chan.counters.sent_messages;
	info.tx_bytes = conn->chan.counters.sent_bytes;
	return info;
}

/*
 * Connections
 */

static struct conn *conn_new(struct doca_comm_channel_ep_t *ep, const struct chan_ops *ops)
{
	struct list_node *node = list_pop(&ep->spare_conns);
	struct conn *conn = node ? container_of(node, struct conn, node) : malloc(sizeof(*conn));

	if (!conn)
		return NULL;
	memset(conn, 0, sizeof(*conn));
	list_init(&conn->node);
	conn->chan.ops = ops;
	conn->peer = peer_new(ep);
	if (!conn->peer) {
		free(conn);
		return NULL;
	}
	conn->peer->conn = conn;
	conn->peer->info.maxmsgs = ep->recv_queue_size;
	return conn;
}

static void forget_shortness(struct conn *conn)
{
	struct doca_comm_channel_ep_t *ep = conn->peer->ep;

	if (!conn->is_short)
		return;
	conn->is_short = false;
	ep->short_count--;
	ep->has_room_news = true;
}

/* Takes a CLOSED connection from its peer. */
static void conn_release(struct conn *conn)
{
	struct doca_comm_channel_addr_t *peer = conn->peer;

	forget_shortness(conn);
	peer->ep->has_news = true;
	if (peer->ep->heard == conn)
		peer->ep->heard = NULL;
	if (peer->state == PEER_OPEN)
		peer->ep->open_count--;
	peer->info = peer_info(peer);
	peer->conn = NULL;
	list_remove(&conn->node);
	chan_fini(&conn->chan);
	list_add_tail(&peer->ep->spare_conns, &conn->node);
}

static void conn_room(struct chan *chan)
{
	conn_of(chan)->peer->ep->has_news = true;
	forget_shortness(conn_of(chan));
}

/*
 * A service's
 */

static void service_closed(struct chan *chan, doca_error_t reason)
{
	struct conn *conn = conn_of(chan);
	struct doca_comm_channel_addr_t *peer = conn->peer;

	(void)reason;
	chan_server_forget(&conn->door->server);
	conn_release(conn);
	signal_raise(&peer->ep->service_signal);
	peer->state = PEER_LOST;
	if (!peer->is_known)
		peer_void(peer);
}

/* A call of any kind may have noticed it, while another thread sleeps until there is news. */
static void service_lost(struct chan *chan)
{
	signal_raise(&conn_of(chan)->peer->ep->service_signal);
}

static const struct chan_ops service_chan_ops = {
	.arrived = conn_arrived,
	.room = conn_room,
	.closed = service_closed,
	.lost = service_lost,
};

static struct door *door_of(struct chan_server *server)
{
	return container_of(server, struct door, server);
}

/* There will be more than one client. */
static void ask_for_stamps(struct doca_comm_channel_ep_t *ep)
{
	struct list_node *node;

	list_for_each (node, &ep->doors)
		container_of(node, struct door, node)->server.config.stamps = true;
	list_for_each (node, &ep->peers) {
		struct doca_comm_channel_addr_t *peer =
			container_of(node, struct doca_comm_channel_addr_t, node);

		if (peer->state == PEER_OPEN)
			ring_ask_for_stamps(&peer->conn->chan.rx);
	}
}

static struct chan *service_alloc(struct chan_server *server)
{
	struct door *door = door_of(server);
	struct conn *conn = conn_new(door->ep, &service_chan_ops);

	if (!conn)
		return NULL;
	conn->door = door;
	conn->peer->info.vport = (uint16_t)door->host->index;
	/* Before it can send anything. */
	if (door->ep->open_count)
		ask_for_stamps(door->ep);
	return &conn->chan;
}

static void service_opened(struct chan_server *server, struct chan *chan)
{
	struct doca_comm_channel_ep_t *ep = door_of(server)->ep;

	ep->open_count++;
	conn_of(chan)->peer->state = PEER_OPEN;
	signal_raise(&ep->service_signal);
}

static void service_refused(struct chan_server *server, struct chan *chan)
{
	struct doca_comm_channel_addr_t *peer = conn_of(chan)->peer;

	conn_release(conn_of(chan));
	peer_void(peer);
	door_of(server)->ep->has_refused = true;
}

static const struct chan_server_ops service_ops = {
	.alloc = service_alloc,
	.opened = service_opened,
	.refused = service_refused,
};

static void visit_conns(struct chan_server *server, void (*visit)(struct chan *chan, void *arg),
			void *arg)
{
	const struct door *door = door_of(server);
	struct list_node *node;

	list_for_each (node, &door->ep->peers) {
		struct conn *conn = container_of(node, struct doca_comm_channel_addr_t, node)->conn;

		if (conn && conn->door == door)
			visit(&conn->chan, arg);
	}
}

struct chan_config ep_chan_config(struct doca_comm_channel_ep_t *ep,
				  const struct topo_function *host, const char *name)
{
	return (struct chan_config){
		.group = &ep->group,
		.addr = link_addr(host, name),
		.max_msg_size = ep->max_msg_size,
		.recv_queue_size = ep->recv_queue_size,
		.adapts = true,
	};
}

/* A card that is strict has one client of a service for each function, as early releases had. */
static uint32_t max_clients(const struct topo_card *card)
{
	return card->strict ? 1 : (uint32_t)priv_topo_limits()->comch_max_clients;
}

doca_error_t door_open(struct doca_comm_channel_ep_t *ep, const struct topo_function *host,
		       const char *name)
{
	struct chan_config config = ep_chan_config(ep, host, name);
	struct door *door = calloc(1, sizeof(*door));
	doca_error_t err;

	if (!door)
		return DOCA_ERROR_NO_MEMORY;
	door->ep = ep;
	door->host = host;
	door->server.visit = visit_conns;
	err = chan_server_start(&door->server, &config, &service_ops, max_clients(host->card));
	if (err) {
		free(door);
		return err;
	}
	list_add_tail(&ep->doors, &door->node);
	return DOCA_SUCCESS;
}

void door_close(struct door *door)
{
	chan_server_stop(&door->server);
	list_remove(&door->node);
	free(door);
}

/*
 * A client's
 */

static void client_opened(struct chan *chan, doca_error_t result)
{
	struct conn *conn = conn_of(chan);
	struct doca_comm_channel_addr_t *peer = conn->peer;

	if (!result) {
		peer->state = PEER_OPEN;
		peer->ep->open_count++;
		peer->ep->has_news = true;
		return;
	}
	conn_release(conn);
	peer->state = PEER_FAILED;
}

static void client_closed(struct chan *chan, doca_error_t reason)
{
	struct conn *conn = conn_of(chan);
	struct doca_comm_channel_addr_t *peer = conn->peer;

	(void)reason;
	conn_release(conn);
	peer->state = PEER_LOST;
	peer->ep->has_lost = true;
}

static const struct chan_ops client_chan_ops = {
	.opened = client_opened,
	.arrived = conn_arrived,
	.room = conn_room,
	.closed = client_closed,
};

doca_error_t conn_open(struct doca_comm_channel_ep_t *ep, const struct topo_function *host,
		       const char *name, struct doca_comm_channel_addr_t **ret_peer)
{
	struct chan_config config = ep_chan_config(ep, host, name);
	struct conn *conn = conn_new(ep, &client_chan_ops);
	struct doca_comm_channel_addr_t *peer;
	doca_error_t err;

	if (!conn)
		return DOCA_ERROR_NO_MEMORY;
	peer = conn->peer;
	peer->state = PEER_CONNECTING;
	if (host->rep)
		peer->info.vport = (uint16_t)host->rep->dpu->index;
	err = chan_connect(&conn->chan, &config, &client_chan_ops);
	if (err) {
		conn_release(conn);
		peer_void(peer);
		return err;
	}
	*ret_peer = peer;
	return DOCA_SUCCESS;
}

void peer_drop(struct doca_comm_channel_addr_t *peer)
{
	struct conn *conn = peer->conn;

	if (conn && !peer->ep->is_inherited) {
		chan_drop(&conn->chan);
		if (conn->door)
			chan_server_forget(&conn->door->server);
		conn_release(conn);
	}
	peer_void(peer);
}
