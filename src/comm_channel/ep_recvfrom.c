/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receiving. A service lets its clients in meanwhile.
 */
#define LOG_MODULE "comm_channel"
#include "base/clock.h"
#include "base/log.h"
#include "comm_channel/ep.h"

/* Nothing to receive: is that all there is to say? AGAIN: yes */
static doca_error_t say_why_nothing(struct doca_comm_channel_ep_t *ep, bool waits)
{
	bool was_refused = ep->has_refused, was_lost = ep->has_lost;

	ep->has_refused = ep->has_lost = false;
	if (ep->role == EP_SERVICE)
		return was_refused && ep->is_early ? DOCA_ERROR_CONNECTION_ABORTED
						   : DOCA_ERROR_AGAIN;
	if (ep->peer->state == PEER_FAILED)
		return DOCA_ERROR_NOT_CONNECTED;
	/*
	 * Said once, unless the call would wait for ever: there are programs that only look for a
	 * reason to end when there is nothing to receive.
	 */
	if (ep->peer->state == PEER_LOST && (was_lost || waits))
		return DOCA_ERROR_CONNECTION_RESET;
	return DOCA_ERROR_AGAIN;
}

/* Keeps the books of believed_stamp() in conn.c. */
static void count_taken(struct conn *conn)
{
	if (++conn->taken <= conn->chan.rx.mask)
		return;
	conn->taken = 0;
	conn->earliest = conn->turned;
	conn->turned = clock_ticks();
}

/* Takes the message of one that has some. Errors: see chan_take() */
static doca_error_t take(struct doca_comm_channel_ep_t *ep, struct conn *conn, void *buf,
			 size_t capacity, uint32_t *ret_size)
{
	doca_error_t err = chan_take(&conn->chan, buf, capacity, ret_size);

	if (err)
		return err;
	list_remove(&conn->node);
	count_taken(conn);
	priv_poll_group_note_work(&ep->group);
	ep->heard = conn;
	if (ep->open_count > 1 || !conn->chan.poller.hot || ep_has_waiters(ep))
		chan_look_behind(&conn->chan);
	/* Unread, it has kept its sender among the peers. */
	if (conn->door && conn->chan.peer_gone)
		signal_raise(&ep->service_signal);
	return DOCA_SUCCESS;
}

static doca_error_t receive_now(struct doca_comm_channel_ep_t *ep, void *msg, size_t *len,
				struct doca_comm_channel_addr_t **ret_peer, bool waits)
{
	struct conn *conn;
	uint32_t size = 0;

	if (ep->role == EP_IDLE)
		return DOCA_ERROR_NOT_CONNECTED;
	while ((conn = ep_next(ep))) {
		struct doca_comm_channel_addr_t *peer = conn->peer;
		doca_error_t err = take(ep, conn, msg, *len, &size);

		if (err == DOCA_ERROR_INVALID_VALUE)
			LOG_ERR("the next message has more than the %zu bytes there is room for; "
				"it can have %u",
				*len, ep->max_msg_size);
		if (err == DOCA_ERROR_CONNECTION_RESET)
			continue; /* the peer is lost */
		if (err)
			return err;
		peer->is_known = true;
		*len = size;
		*ret_peer = peer;
		return DOCA_SUCCESS;
	}
	return say_why_nothing(ep, waits);
}

static doca_error_t receive(struct doca_comm_channel_ep_t *ep, void *msg, size_t *len,
			    struct doca_comm_channel_addr_t **ret_peer, int flags)
{
	bool waits = ep->blocks && flags != DOCA_CC_MSG_FLAG_DONTWAIT;
	struct ep_wait wait = {0};
	doca_error_t err;

	if (doca_unlikely(ep->group.held))
		priv_poll_group_clear(&ep->group);
	while ((err = receive_now(ep, msg, len, ret_peer, waits)) == DOCA_ERROR_AGAIN && waits)
		ep_wait(ep, &wait);
	if (doca_unlikely(ep->recv_armed) && err != DOCA_ERROR_AGAIN)
		ep_end_recv_wait(ep);
	return err;
}

doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *local_ep, void *msg,
					   size_t *len, int flags,
					   struct doca_comm_channel_addr_t **peer_addr)
{
	doca_error_t err;

	if (!local_ep || !msg || !len || !*len || !peer_addr || ep_check_flags(local_ep, flags))
		return DOCA_ERROR_INVALID_VALUE;
	ep_enter(local_ep);
	err = receive(local_ep, msg, len, peer_addr, flags);
	ep_leave(local_ep);
	return err;
}
