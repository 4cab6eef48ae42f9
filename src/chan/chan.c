/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A connection, from either side: inbox, polling, sleeping, closing.
 */
#define LOG_MODULE "chan"
#include "chan/chan.h"

#include <stdlib.h>
#include <unistd.h>
#include "base/log.h"
#include "chan/fast.h"
#include "chan/handshake.h"

/* Records handled per poll: bounded, so that one busy peer cannot starve the others. */
#define POLL_MAX 64

/* A peer's inbox is never larger: its size is the peer's word, and address space is finite. */
#define INBOX_SIZE_MAX ((size_t)1 << 30)

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
	chan->group = config->group;
	chan->addr = config->addr;
	chan->max_msg_size = config->max_msg_size;
	chan->adapts = config->adapts;
	chan->recv_queue_size = config->recv_queue_size;
	chan->state = CHAN_CONNECTING;
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
	err = priv_eventfd_create(&chan->bell.fd);
	if (err)
		return err;
	chan->bell.ready = bell_ready;
	return priv_fault_create(&chan->poller, chan->rx.mask + 1, &chan->fault);
}

void chan_fini(struct chan *chan)
{
	assert(!chan->poller.group && !chan->link);
	if (!chan->buffer)
		return; /* never used: its descriptors are not even -1 */
	if (chan->bell.fd >= 0)
		close(chan->bell.fd);
	if (chan->peer_bell >= 0)
		close(chan->peer_bell);
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

/* Consumers and producers are created in any thread, also while the connection is being lost. */
static pthread_mutex_t fast_lock = PTHREAD_MUTEX_INITIALIZER; /* of every chan->fast; a leaf */

static void set_fast(struct chan *chan, struct fast *fast)
{
	pthread_mutex_lock(&fast_lock);
	chan->fast = fast;
	pthread_mutex_unlock(&fast_lock);
}

struct fast *chan_ref_fast(struct chan *chan)
{
	struct fast *fast;

	pthread_mutex_lock(&fast_lock);
	fast = chan->fast;
	if (fast)
		fast_ref(fast);
	pthread_mutex_unlock(&fast_lock);
	return fast;
}

static const struct poller_ops chan_poller_ops;

/* Takes the peer's inbox and bell, also on failure. */
static doca_error_t attach_peer(struct chan *chan, const int *fds, unsigned int fd_count)
{
	size_t size;

	if (fd_count != 2 || priv_eventfd_check(fds[1]) || priv_memfd_check(fds[0], &size) ||
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
	err = fast_create(chan, chan->is_server, &fast);
	if (err)
		return err;
	set_fast(chan, fast);
	err = priv_poll_group_watch(chan->group, &chan->bell, EPOLLIN);
	if (err)
		return err;
	chan->trusts_peer = peer->uid == geteuid();
	chan->poller.ops = &chan_poller_ops;
	priv_poll_group_add(chan->group, &chan->poller);
	chan->state = CHAN_OPEN;
	LOG_DBG("connection of \"%s\": open, to process %d of user %u", chan->addr.service,
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

	chan->state = CHAN_CLOSED;
	priv_poll_group_timer_remove(&chan->retry);
	if (chan->poller.group) {
		priv_poll_group_remove(&chan->poller);
		priv_poll_group_unwatch(chan->group, &chan->bell);
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
	assert(chan->state == CHAN_OPEN || chan->state == CHAN_CLOSING);
	forget_consumers(chan);
	if (chan->state == CHAN_CLOSED)
		return; /* in a child of its callback */
	LOG_DBG("connection of \"%s\": closed: %s", chan->addr.service,
		doca_error_get_descr(reason));
	chan_abandon(chan);
	chan->ops->closed(chan, reason);
}

void chan_drop(struct chan *chan)
{
	if (chan->state == CHAN_OPEN && ring_has_room(&chan->tx)) {
		ring_push(&chan->tx, CHAN_FIN, 0, "", 0);
		chan_kick(chan);
	} /* else the link's end says the same, a little later */
	chan_abandon(chan);
}

void chan_close(struct chan *chan)
{
	switch (chan->state) {
	case CHAN_CONNECTING:
		chan_abandon(chan);
		break;
	case CHAN_OPEN:
		fast_shut(chan->fast);
		chan->state = CHAN_CLOSING;
		priv_poll_group_heat(&chan->poller);
		break;
	case CHAN_CLOSING:
	case CHAN_CLOSED:
		break;
	}
}

void chan_disown(struct chan *chan)
{
	chan->state = CHAN_CLOSED;
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

/*
 * Polling
 */

static void misbehaved(struct chan *chan, const char *what)
{
	LOG_WRN("connection to \"%s\": the peer sent %s; closing it", chan->addr.service, what);
	chan_finish(chan, DOCA_ERROR_INVALID_VALUE);
}

/*
 * A message, in our own memory unless it is a long one of a trusted peer: that stays where it is
 * until the tail is published, after the callback. NULL: impossible
 */
static uint8_t *read_message(struct chan *chan, const struct ring_line *line, uint32_t *ret_size)
{
	uint8_t *msg = NULL;

	*ret_size = line->size; /* what is read below may be another one by then */
	if (chan->trusts_peer)
		msg = ring_view(&chan->rx, line, chan->max_msg_size, ret_size);
	if (msg)
		return msg;
	return ring_copy(&chan->rx, line, chan->buffer, chan->max_msg_size, ret_size) && *ret_size
		       ? chan->buffer
		       : NULL;
}

static void receive_message(struct chan *chan, const struct ring_line *line)
{
	uint32_t size;
	uint8_t *msg = read_message(chan, line, &size);

	if (!msg) {
		misbehaved(chan, "an impossible message");
		return;
	}
	ring_pop(&chan->rx);
	if (__builtin_expect(chan->fault != NULL, 0))
		priv_fault_count(chan->fault);
	chan->counters.received_messages++;
	chan->counters.received_bytes += size;
	chan->ops->message(chan, msg, size);
}

/* Leaves the message where it is until chan_take(). */
static void announce_message(struct chan *chan, const struct ring_line *line)
{
	chan->has_message = true;
	chan->ops->arrived(chan, line);
}

/* Sends what the fast path has to tell, unless messages wait for room already. */
static void send_requests(struct chan *chan)
{
	chan->want_requests = chan->want_room || !fast_send_requests(chan->fast);
}

/* A record about a consumer; stays in the ring while its descriptors are on their way. */
static void receive_consumer(struct chan *chan, const struct ring_line *line, uint16_t type)
{
	doca_error_t err = DOCA_ERROR_INVALID_VALUE;
	uint32_t key, size;

	if (ring_copy(&chan->rx, line, &key, sizeof(key), &size) && size == sizeof(key))
		err = type == CHAN_CONSUMER_NEW	  ? fast_consumer_new(chan->fast, key)
		      : type == CHAN_CONSUMER_ACK ? fast_consumer_acked(chan->fast, key)
						  : fast_consumer_gone(chan->fast, key);
	if (err == DOCA_ERROR_AGAIN) {
		chan->awaits_parcel = true;
		return;
	}
	if (err) {
		LOG_WRN("connection to \"%s\": the peer's consumer cannot be used: %s; closing it",
			chan->addr.service, doca_error_get_descr(err));
		chan_finish(chan, err);
		return;
	}
	ring_pop(&chan->rx);
	if (type != CHAN_CONSUMER_ACK)
		LOG_DBG("connection of \"%s\": the peer's consumer %u has %s", chan->addr.service,
			FAST_KEY_ID(key), type == CHAN_CONSUMER_NEW ? "come" : "gone");
	/* The answer must not wait: the program may poll nothing but its producer from now on. */
	if (type == CHAN_CONSUMER_NEW)
		send_requests(chan);
	if (type == CHAN_CONSUMER_NEW && chan->ops->consumer_new)
		chan->ops->consumer_new(chan, FAST_KEY_ID(key));
	else if (type == CHAN_CONSUMER_GONE && chan->ops->consumer_gone)
		chan->ops->consumer_gone(chan, FAST_KEY_ID(key));
}

static void handle(struct chan *chan, const struct ring_line *line)
{
	uint16_t type = *(const volatile uint16_t *)&line->type;

	switch (type) {
	case CHAN_MESSAGE:
		if (chan->ops->arrived)
			announce_message(chan, line);
		else
			receive_message(chan, line);
		break;
	case CHAN_FIN:
		ring_pop(&chan->rx);
		chan_finish(chan, DOCA_ERROR_CONNECTION_RESET);
		break;
	case CHAN_CONSUMER_NEW:
	case CHAN_CONSUMER_ACK:
	case CHAN_CONSUMER_GONE:
		receive_consumer(chan, line, type);
		break;
	default:
		misbehaved(chan, "a record of an unknown type");
	}
}

/* A closing connection does not deliver any more, but keeps its peer from waiting for room. */
static void discard(struct chan *chan, const struct ring_line *line)
{
	ring_pop(&chan->rx);
	if (line->type == CHAN_FIN)
		chan_finish(chan, DOCA_SUCCESS);
}

static bool is_held_back(struct chan *chan)
{
	return __builtin_expect(chan->fault != NULL, 0) && ring_peek(&chan->rx) &&
	       priv_fault_holds(chan->fault, &chan->rx);
}

static const struct ring_line *next_record(struct chan *chan)
{
	const struct ring_line *line = ring_peek(&chan->rx);

	return line && is_held_back(chan) ? NULL : line;
}

/* Is there something to wait for before the next record can be looked at? */
static bool is_held_up(const struct chan *chan)
{
	return chan->awaits_parcel || chan->has_message;
}

/* after so many records */
static void give_room_back(struct chan *chan, unsigned int count)
{
	if (gather_is_stream(&chan->gather, count))
		ring_release_lines(&chan->rx);
	if (ring_publish_tail(&chan->rx))
		priv_eventfd_ring(chan->peer_bell);
}

static unsigned int receive(struct chan *chan)
{
	struct ring_receiver *rx = &chan->rx;
	const struct ring_line *line;
	unsigned int count = 0;

	if (chan->gather.looks && chan->state == CHAN_OPEN && !chan->peer_gone)
		while (gather_goes_on(&chan->gather, ring_has_record(rx, chan->gather.index)))
			clock_relax();
	while (count < POLL_MAX && chan->state != CHAN_CLOSED && !is_held_up(chan) &&
	       (line = next_record(chan))) {
		if (gather_is_stream(&chan->gather, count + 1))
			ring_expect(rx, line);
		if (chan->state == CHAN_OPEN)
			handle(chan, line);
		else
			discard(chan, line);
		count++;
	}
	if (chan->state == CHAN_CLOSED)
		return count;
	if (count) {
		give_room_back(chan, count);
		if (count < POLL_MAX)
			gather_note(&chan->gather, count, rx->tail, rx->mask + 1);
	} else {
		ring_expect_second(rx);
		gather_note_none(&chan->gather);
	}
	return count;
}

/* After a message was taken: is there another one? What else there is, is for the next poll. */
static void look_behind_message(struct chan *chan)
{
	const struct ring_line *line = next_record(chan);

	if (line && line->type == CHAN_MESSAGE)
		announce_message(chan, line);
	else if (line || chan->peer_gone)
		priv_poll_group_heat(&chan->poller); /* it may be cold, its peer will not ring */
}

doca_error_t chan_take(struct chan *chan, void *buf, uint32_t capacity, uint32_t *ret_size)
{
	const struct ring_line *line = ring_peek(&chan->rx);
	uint32_t size;

	assert(chan->has_message && chan->state == CHAN_OPEN);
	/* The peer may have taken it back since it was announced. */
	size = line ? *(const volatile uint32_t *)&line->size : 0;
	if (size > capacity && size <= chan->max_msg_size)
		return DOCA_ERROR_INVALID_VALUE;
	if (!size || size > chan->max_msg_size ||
	    !ring_copy(&chan->rx, line, buf, capacity, ret_size)) {
		misbehaved(chan, "an impossible message");
		return DOCA_ERROR_CONNECTION_RESET;
	}
	ring_pop(&chan->rx);
	give_room_back(chan, 1);
	if (__builtin_expect(chan->fault != NULL, 0))
		priv_fault_count(chan->fault);
	chan->counters.received_messages++;
	chan->counters.received_bytes += *ret_size;
	chan->has_message = false;
	look_behind_message(chan);
	return DOCA_SUCCESS;
}

uint32_t chan_in_flight(struct chan *chan)
{
	if (chan->state != CHAN_OPEN && chan->state != CHAN_CLOSING)
		return 0;
	priv_ring_refresh(&chan->tx);
	return chan->tx.head - chan->tx.tail;
}

/* Sends what has waited for room; then, when closing, the end. */
static unsigned int send_waiting(struct chan *chan)
{
	if (chan->want_requests)
		send_requests(chan);
	if (chan->want_room) {
		if (!ring_has_room(&chan->tx)) {
			if (chan->tx.broken)
				misbehaved(chan, "an impossible ring index");
			return 0;
		}
		chan->want_room = false;
		chan->ops->room(chan);
	}
	if (chan->state != CHAN_CLOSING || chan->want_room || !ring_has_room(&chan->tx))
		return 0;
	ring_push(&chan->tx, CHAN_FIN, 0, "", 0);
	chan_kick(chan);
	chan_finish(chan, DOCA_SUCCESS);
	return 1;
}

static unsigned int chan_poll(struct poller *poller)
{
	struct chan *chan = container_of(poller, struct chan, poller);
	unsigned int done = receive(chan);

	if (chan->state == CHAN_CLOSED)
		return done;
	if (__builtin_expect(chan->want_room || chan->want_requests || chan->state == CHAN_CLOSING,
			     0))
		done += send_waiting(chan);
	if (chan->state == CHAN_CLOSED)
		return done;
	if ((__builtin_expect(chan->peer_gone, 0) && !done && !chan->has_message &&
	     !is_held_back(chan)) ||
	    (__builtin_expect(chan->fault != NULL, 0) && priv_fault_strike(chan->fault))) {
		chan_finish(chan, DOCA_ERROR_CONNECTION_RESET);
		done = 1;
	}
	return done;
}

/*
 * Sleeping
 */

static bool chan_arm(struct poller *poller, bool often)
{
	struct chan *chan = container_of(poller, struct chan, poller);
	bool waits = chan->want_room || chan->want_requests || chan->state == CHAN_CLOSING;

	gather_stop(&chan->gather);
	if (waits)
		ring_wait_for_room(&chan->tx);
	return sleeper_announce(&chan->rx.sleeper, often) && !waits;
}

static bool chan_pending(struct poller *poller)
{
	struct chan *chan = container_of(poller, struct chan, poller);

	if (!is_held_up(chan) && next_record(chan))
		return true;
	if (chan->peer_gone && !chan->has_message && !is_held_back(chan))
		return true;
	if (chan->want_room)
		return ring_has_room(&chan->tx) || chan->tx.broken;
	return (chan->want_requests || chan->state == CHAN_CLOSING) && ring_has_room(&chan->tx);
}

static void chan_disarm(struct poller *poller)
{
	sleeper_revoke(&container_of(poller, struct chan, poller)->rx.sleeper);
}

static const struct poller_ops chan_poller_ops = {
	.poll = chan_poll,
	.arm = chan_arm,
	.pending = chan_pending,
	.disarm = chan_disarm,
	.polls_memory = true,
};
