/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The life of a connection, from either side: inbox, opening, closing.
 */
#define LOG_MODULE "chan"
#include "chan/chan.h"

#include <stdlib.h>
#include <unistd.h>
#include "base/bell.h"
#include "base/fd.h"
#include "base/fork.h"
#include "base/log.h"
#include "base/memfd.h"
#include "base/no_cancel.h"
#include "chan/fast.h"
#include "chan/handshake.h"

/* A peer's inbox is never larger: its size is the peer's word, and address space is finite. */
#define INBOX_SIZE_MAX ((size_t)1 << 30)

/*
 * States
 */

#define TO(state) (1u << (state))

static const unsigned int next_states[CHAN_STATE_COUNT] = {
	[CHAN_CLOSED] = TO(CHAN_CONNECTING),
	[CHAN_CONNECTING] = TO(CHAN_OPEN) | TO(CHAN_CLOSED),
	[CHAN_OPEN] = TO(CHAN_CLOSING) | TO(CHAN_CLOSED),
	[CHAN_CLOSING] = TO(CHAN_CLOSED),
};

static void set_state(struct chan *chan, enum chan_state next)
{
	assert(next_states[chan->state] & TO(next));
	chan->state = next;
}

/* From any state. */
static void set_closed(struct chan *chan)
{
	if (chan->state != CHAN_CLOSED)
		set_state(chan, CHAN_CLOSED);
}

/*
 * Set-up
 */

static void bell_ready(struct watch *watch, uint32_t events)
{
	struct chan *chan = container_of(watch, struct chan, bell);

	(void)events;
	priv_poll_group_heat(&chan->poller);
}

doca_error_t chan_init(struct chan *chan, const struct chan_config *config,
		       const struct chan_ops *ops)
{
	uint32_t lines = config->recv_queue_size, max_size = config->max_msg_size;
	doca_error_t err;

	chan->ops = ops;
	chan->config = *config;
	chan->max_msg_size = config->max_msg_size;
	chan->peer_bell = -1;
	chan->bell.fd = -1;
	list_init(&chan->poller.node);
	list_init(&chan->retry.node);
	chan->buffer = malloc(config->max_msg_size);
	if (!chan->buffer)
		return DOCA_ERROR_NO_MEMORY;
	err = priv_link_mem_create("softfield-inbox", priv_ring_memory_size(lines, max_size),
				   priv_ring_memory_used(lines, max_size), &chan->rx_mem);
	if (err)
		return err;
	priv_ring_receiver_init(&chan->rx, chan->rx_mem->addr, lines, max_size);
	if (config->stamps)
		ring_ask_for_stamps(&chan->rx);
	err = priv_bell_create(&chan->bell.fd);
	if (err)
		return err;
	chan->bell.ready = bell_ready;
	err = priv_fault_create(&chan->poller, chan->rx.mask + 1, &chan->fault);
	if (err)
		return err;
	set_state(chan, CHAN_CONNECTING);
	return DOCA_SUCCESS;
}

void chan_fini(struct chan *chan)
{
	assert(!chan->poller.group && !chan->link);
	if (!chan->buffer)
		return; /* never used: its descriptors are not even -1 */
	if (chan->bell.fd >= 0)
		close(chan->bell.fd);
	if (chan->peer_bell >= 0)
		priv_fd_close_at_once(chan->peer_bell);
	chan->bell.fd = chan->peer_bell = -1;
	priv_fault_destroy(chan->fault);
	chan->fault = NULL;
	priv_ring_sender_fini(&chan->tx);
	priv_link_mem_unref(chan->rx_mem);
	priv_link_mem_unref(chan->tx_mem);
	chan->rx_mem = chan->tx_mem = NULL;
	free(chan->buffer);
	chan->buffer = NULL;
}

doca_error_t chan_send_inbox(struct chan *chan, const struct handshake *handshake)
{
	uint8_t msg[FD_MESSAGE_MAX];
	int fds[] = {chan->rx_mem->fd, chan->bell.fd};

	return link_send(chan->link, msg, priv_handshake_encode(handshake, msg), fds, 2);
}

/*
 * Consumers and producers are created in any thread, also while the connection is being lost. What
 * keeps others from forking is the lock, so that a child, which may open connections of its own,
 * never finds it taken.
 */
static void set_fast(struct chan *chan, struct fast *fast)
{
	priv_fork_hold();
	chan->fast = fast;
	priv_fork_release();
}

struct fast *chan_ref_fast(struct chan *chan)
{
	struct fast *fast;

	priv_fork_hold();
	fast = chan->fast;
	if (fast)
		fast_ref(fast);
	priv_fork_release();
	return fast;
}

/* Takes the peer's inbox and bell, also on failure. */
static doca_error_t attach_peer(struct chan *chan, const int *fds, unsigned int fd_count)
{
	size_t size;

	if (fd_count != 2 || priv_bell_check(fds[1]) || priv_memfd_check(fds[0], &size) ||
	    size > INBOX_SIZE_MAX) {
		priv_fd_close_all(fds, fd_count);
		return DOCA_ERROR_INVALID_VALUE;
	}
	chan->peer_bell = fds[1];
	return priv_link_mem_attach(fds[0], &chan->tx_mem);
}

doca_error_t chan_open(struct chan *chan, const struct link_peer *peer, uint32_t max_msg_size,
		       const int *fds, unsigned int fd_count)
{
	struct fast *fast;
	doca_error_t err;

	err = attach_peer(chan, fds, fd_count);
	if (err)
		return err;
	if (!max_msg_size)
		return DOCA_ERROR_INVALID_VALUE;
	if (max_msg_size < chan->max_msg_size)
		chan->max_msg_size = max_msg_size;
	err = priv_ring_sender_init(&chan->tx, chan->tx_mem->addr, chan->tx_mem->size);
	if (err)
		return err;
	if (chan->max_msg_size > RING_INLINE && chan->max_msg_size > chan->tx.slot_size)
		return DOCA_ERROR_INVALID_VALUE; /* the largest message would not fit */
	err = fast_create(chan, &fast);
	if (err)
		return err;
	set_fast(chan, fast);
	err = priv_poll_group_watch_bell(chan->config.group, &chan->bell);
	if (err)
		return err;
	chan->trusts_peer = peer->uid == geteuid();
	chan->poller.ops = chan->ops->arrived ? &chan_fetched_poller_ops : &chan_poller_ops;
	priv_poll_group_add(chan->config.group, &chan->poller);
	set_state(chan, CHAN_OPEN);
	LOG_DBG("connection of \"%s\": open, to process %d of user %u", chan->config.addr.service,
		(int)peer->pid, (unsigned int)peer->uid);
	return DOCA_SUCCESS;
}

/*
 * Closing
 */

static void break_link(struct chan *chan)
{
	if (chan->link)
		link_close(chan->link);
	chan->link = NULL;
}

void chan_abandon(struct chan *chan)
{
	struct fast *fast = chan->fast;

	set_closed(chan);
	priv_poll_group_timer_remove(&chan->retry);
	if (chan->poller.group) {
		priv_poll_group_remove(&chan->poller);
		priv_poll_group_unwatch(chan->config.group, &chan->bell);
	}
	break_link(chan);
	if (!fast)
		return;
	set_fast(chan, NULL);
	fast_close(fast);
	fast_unref(fast);
}

/* Consumers of the peer end with the connection. */
static void forget_consumers(struct chan *chan)
{
	uint32_t id;

	while (chan->ops->consumer_gone && chan->state != CHAN_CLOSED &&
	       fast_forget_remote(chan->fast, &id))
		chan->ops->consumer_gone(chan, id);
}

void chan_finish(struct chan *chan, doca_error_t reason)
{
	NO_CANCEL();

	assert(chan->state == CHAN_OPEN || chan->state == CHAN_CLOSING);
	forget_consumers(chan);
	if (chan->state == CHAN_CLOSED)
		return; /* in a child of its callback */
	LOG_DBG("connection of \"%s\": closed: %s", chan->config.addr.service,
		doca_error_get_descr(reason));
	chan_abandon(chan);
	chan->ops->closed(chan, reason);
}

void chan_drop(struct chan *chan)
{
	NO_CANCEL();

	if (chan->state == CHAN_OPEN && ring_has_room(&chan->tx)) {
		ring_push(&chan->tx, CHAN_FIN, "", 0);
		chan_kick(chan);
	} /* else the link's end says the same, a little later */
	chan_abandon(chan);
}

void chan_close(struct chan *chan)
{
	if (chan->state == CHAN_CONNECTING)
		chan_abandon(chan);
	if (chan->state != CHAN_OPEN)
		return;
	fast_shut(chan->fast);
	set_state(chan, CHAN_CLOSING);
	priv_poll_group_heat(&chan->poller);
}

void chan_disown(struct chan *chan)
{
	set_closed(chan);
	if (!chan->fast)
		return;
	chan->fast->chan = NULL;
	fast_disown(chan->fast);
}

static void link_lost(struct link *link, doca_error_t reason)
{
	struct chan *chan = link->owner;

	(void)reason;
	chan->peer_gone = true;
	break_link(chan);
	/* What the peer sent before is still to be read. */
	priv_poll_group_heat(&chan->poller);
	if (chan->ops->lost)
		chan->ops->lost(chan);
}

static void link_message(struct link *link, const void *msg, size_t size, const int *fds,
			 unsigned int fd_count)
{
	struct chan *chan = link->owner;
	struct handshake handshake;
	doca_error_t err = priv_handshake_decode(msg, size, &handshake);

	if (err || handshake.type != HANDSHAKE_MEMORY) {
		priv_fd_close_all(fds, fd_count);
		err = DOCA_ERROR_INVALID_VALUE;
	} else {
		err = fast_take_parcel(chan->fast, handshake.memory.token, fds, fd_count);
		chan->awaits_parcel = false;
		priv_poll_group_heat(&chan->poller);
	}
	if (!err)
		return;
	LOG_WRN("connection of process %d: unexpected message of %zu bytes, closing it",
		(int)link->peer.pid, size);
	link_lost(link, DOCA_ERROR_INVALID_VALUE);
}

const struct link_handler chan_link_handler = {.message = link_message, .lost = link_lost};
