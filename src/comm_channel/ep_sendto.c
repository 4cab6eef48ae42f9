/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sending. A message goes straight into the peer's queue.
 */
#define LOG_MODULE "comm_channel"
#include "base/clock.h"
#include "base/log.h"
#include "comm_channel/ep.h"

/* AGAIN: the connection of an early endpoint does not stand yet */
static doca_error_t check_peer(const struct doca_comm_channel_addr_t *peer)
{
	switch (peer->state) {
	case PEER_OPEN:
		/* It may have gone and have left messages that nobody has read yet. */
		return peer->conn->chan.peer_gone ? DOCA_ERROR_CONNECTION_RESET : DOCA_SUCCESS;
	case PEER_LOST:
		return DOCA_ERROR_CONNECTION_RESET;
	case PEER_CONNECTING:
		if (peer->ep->is_early) /* whose program has nothing else to ask by */
			return DOCA_ERROR_AGAIN;
		return DOCA_ERROR_NOT_CONNECTED;
	default:
		return DOCA_ERROR_NOT_CONNECTED;
	}
}

static doca_error_t try_send(struct doca_comm_channel_addr_t *peer, const void *msg, size_t size)
{
	doca_error_t err = check_peer(peer);

	if (err)
		return err;
	if (size > peer->conn->chan.max_msg_size) {
		LOG_ERR("message of %zu bytes; this connection carries 1 to %u", size,
			peer->conn->chan.max_msg_size);
		return DOCA_ERROR_INVALID_VALUE;
	}
	return chan_send(&peer->conn->chan, msg, (uint32_t)size) ? DOCA_SUCCESS : DOCA_ERROR_AGAIN;
}

/*
 * So many ticks (clock.h) after its last look at the clock an endpoint asks the kernel before it
 * sends: nothing is sent to a peer that has died meanwhile. In a conversation that is rare.
 */
#define STALE_TICKS 50000

static bool is_stale(const struct doca_comm_channel_ep_t *ep, uint64_t now)
{
	return now - ep->group.timed >= STALE_TICKS && now - ep->looked >= STALE_TICKS;
}

/* Before something is sent: are those that have gone known to be? */
static void look_around(struct doca_comm_channel_ep_t *ep, struct doca_comm_channel_addr_t *peer)
{
	struct conn *conn = peer->state == PEER_OPEN ? peer->conn : NULL;
	/* Who only tries again because there was no room waits for others to run. */
	bool is_busy = !conn || !conn->is_short;
	uint64_t now = clock_ticks();

	if (doca_unlikely(is_stale(ep, now))) {
		ep->looked = now;
		ep_look_for_gone(ep, is_busy);
	} else if (doca_unlikely(!is_busy)) {
		ep_poll(ep);
	} else if (doca_unlikely(!conn)) {
		ep_glance(ep);
	} else if (doca_unlikely(chan_has_notice(&conn->chan))) {
		poller_look(&conn->chan.poller);
	}
}

static doca_error_t send_now(struct doca_comm_channel_ep_t *ep,
			     struct doca_comm_channel_addr_t *peer, const void *msg, size_t size)
{
	bool has_looked = false;
	doca_error_t err;

	look_around(ep, peer);
	while (doca_unlikely((err = try_send(peer, msg, size)) == DOCA_ERROR_AGAIN) &&
	       peer->state == PEER_OPEN && !has_looked) {
		ep_look_for_gone(ep, false); /* whoever has gone makes no room any more */
		has_looked = true;
	}
	if (doca_likely(err != DOCA_ERROR_AGAIN) || peer->state != PEER_OPEN)
		return err;
	if (!peer->conn->is_short) {
		peer->conn->is_short = true;
		ep->short_count++;
	}
	chan_want_room(&peer->conn->chan);
	return DOCA_ERROR_AGAIN;
}

static doca_error_t send_to(struct doca_comm_channel_ep_t *ep,
			    struct doca_comm_channel_addr_t *peer, const void *msg, size_t size,
			    int flags)
{
	bool waits = ep->blocks && flags != DOCA_CC_MSG_FLAG_DONTWAIT;
	struct ep_wait wait = {0};
	doca_error_t err;

	signal_clear(&ep->send_signal);
	while ((err = send_now(ep, peer, msg, size)) == DOCA_ERROR_AGAIN && waits)
		ep_wait(ep, &wait);
	return err;
}

doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *local_ep, const void *msg,
					 size_t len, int flags,
					 struct doca_comm_channel_addr_t *peer_addr)
{
	doca_error_t err;

	if (!local_ep || !msg || !peer_addr || peer_addr->ep != local_ep ||
	    ep_check_flags(local_ep, flags))
		return DOCA_ERROR_INVALID_VALUE;
	if (!len || len > local_ep->max_msg_size) {
		LOG_ERR("message of %zu bytes; the endpoint's limits are 1 to %u", len,
			local_ep->max_msg_size);
		return DOCA_ERROR_INVALID_VALUE;
	}
	ep_enter(local_ep);
	err = send_to(local_ep, peer_addr, msg, len, flags);
	ep_leave(local_ep);
	return err;
}
