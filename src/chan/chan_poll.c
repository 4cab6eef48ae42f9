/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A connection's polls: records are taken out of its inbox, what waits for room is sent; and its
 * sleep.
 */
#define LOG_MODULE "chan"
#include "base/log.h"
#include "base/no_cancel.h"
#include "chan/chan.h"
#include "chan/fast.h"

/* Records handled per poll: bounded, so that one busy peer cannot starve the others. */
#define POLL_MAX 64
/* When there were no descriptors for what the fast path has to tell, it is tried again so late. */
#define REQUESTS_AGAIN_NS 10000000u

static void misbehaved(struct chan *chan, const char *what)
{
	LOG_WRN("connection to \"%s\": the peer sent %s; closing it", chan->config.addr.service,
		what);
	chan_finish(chan, DOCA_ERROR_INVALID_VALUE);
}

/*
 * A message, in our own memory unless it is a long one of a trusted peer: that stays where it is
 * until the tail is published, after the callback. NULL: impossible
 */
static uint8_t *read_message(struct chan *chan, const struct ring_line *line, uint32_t *ret_size)
{
	uint8_t *msg = NULL;

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
	if (doca_unlikely(chan->fault))
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

static void requests_due(struct timer *timer)
{
	struct chan *chan = container_of(timer, struct chan, retry);

	chan_want_requests(chan);
}

/* Is it the link that has to be asked again, some time later? */
static bool are_requests_put_off(const struct chan *chan)
{
	return list_is_linked(&chan->retry.node);
}

/* Sends what the fast path has to tell, unless messages wait for room already. */
static void send_requests(struct chan *chan)
{
	NO_CANCEL();

	if (are_requests_put_off(chan))
		return;
	chan->want_requests = chan->want_room || !fast_send_requests(chan->fast);
	/* Nobody tells us of room in the link, as they do of room in the ring. */
	if (chan->want_requests && !chan->want_room && ring_has_room(&chan->tx)) {
		chan->retry.fire = requests_due;
		priv_poll_group_timer_add(chan->config.group, &chan->retry, REQUESTS_AGAIN_NS);
	}
}

static doca_error_t tell_fast(struct chan *chan, uint16_t type, uint32_t key)
{
	switch (type) {
	case CHAN_CONSUMER_NEW:
		return fast_consumer_new(chan->fast, key);
	case CHAN_CONSUMER_ACK:
		return fast_consumer_acked(chan->fast, key);
	default:
		return fast_consumer_gone(chan->fast, key);
	}
}

/* A record about a consumer; stays in the ring while its descriptors are on their way. */
static __attribute__((noinline)) void receive_consumer(struct chan *chan,
						       const struct ring_line *line, uint16_t type)
{
	doca_error_t err = DOCA_ERROR_INVALID_VALUE;
	uint32_t key, size;
	NO_CANCEL();

	if (ring_copy(&chan->rx, line, &key, sizeof(key), &size) && size == sizeof(key))
		err = tell_fast(chan, type, key);
	if (err == DOCA_ERROR_AGAIN) {
		chan->awaits_parcel = true;
		return;
	}
	if (err) {
		LOG_WRN("connection to \"%s\": the peer's consumer cannot be used: %s; closing it",
			chan->config.addr.service, doca_error_get_descr(err));
		chan_finish(chan, err);
		return;
	}
	ring_pop(&chan->rx);
	if (type != CHAN_CONSUMER_ACK)
		LOG_DBG("connection of \"%s\": the peer's consumer %u has %s",
			chan->config.addr.service, FAST_KEY_ID(key),
			type == CHAN_CONSUMER_NEW ? "come" : "gone");
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
	uint16_t type = read_once(line->type);

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
	if (read_once(line->type) == CHAN_FIN)
		chan_finish(chan, DOCA_SUCCESS);
}

static bool is_held_back(struct chan *chan)
{
	return doca_unlikely(chan->fault) && ring_peek(&chan->rx) &&
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

/*
 * Has all been read that the peer had sent before it went? What is held back on purpose has not; of
 * what waits for descriptors nothing more will come.
 */
static bool is_at_end(const struct chan *chan)
{
	return !chan->has_message && (!ring_peek(&chan->rx) || chan->awaits_parcel);
}

/* after so many records */
static void give_room_back(struct chan *chan, unsigned int count)
{
	chan_give_room_back(chan, gather_is_stream(&chan->gather, count));
}

/* A callback is left by an exception: chan, or NULL */
static inline void let_go(struct chan *const *left)
{
	if (*left && (*left)->state != CHAN_CLOSED)
		give_room_back(*left, 1);
}

static unsigned int receive(struct chan *chan)
{
	__attribute__((cleanup(let_go))) struct chan *left = chan;
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
	left = NULL;
	if (chan->state == CHAN_CLOSED)
		return count;
	if (count) {
		give_room_back(chan, count);
		if (count < POLL_MAX && !chan->has_message)
			gather_note(&chan->gather, count, rx->tail, rx->mask + 1);
	} else {
		ring_expect_second(rx);
		gather_note_none(&chan->gather);
	}
	return count;
}

/* Those that were fetched since the last look in vain are a bundle. */
static void end_row(struct chan *chan)
{
	if (!chan->taken)
		return;
	gather_note(&chan->gather, chan->taken, chan->rx.tail, chan->rx.mask + 1);
	chan->taken = 0;
}

void chan_look_behind(struct chan *chan)
{
	const struct ring_line *line = next_record(chan);

	if (!line)
		end_row(chan);
	if (line && read_once(line->type) == CHAN_MESSAGE)
		announce_message(chan, line);
	else if (line || chan->peer_gone)
		priv_poll_group_heat(&chan->poller); /* what else there is, is for the next poll */
}

doca_error_t chan_refuse(struct chan *chan, const struct ring_line *line, size_t capacity)
{
	uint32_t size = line ? read_once(line->size) : 0;

	if (size > capacity && size <= chan->max_msg_size)
		return DOCA_ERROR_INVALID_VALUE;
	misbehaved(chan, "an impossible message");
	return DOCA_ERROR_CONNECTION_RESET;
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
	ring_push(&chan->tx, CHAN_FIN, "", 0);
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
	if (doca_unlikely(chan->want_room || chan->want_requests || chan->state == CHAN_CLOSING))
		done += send_waiting(chan);
	if (chan->state == CHAN_CLOSED)
		return done;
	if ((doca_unlikely(chan->peer_gone) && !done && is_at_end(chan)) ||
	    (doca_unlikely(chan->fault) && priv_fault_strike(chan->fault))) {
		chan_finish(chan, DOCA_ERROR_CONNECTION_RESET);
		done = 1;
	}
	return done;
}

/* Is there more to see to than the next record? */
static inline bool is_occupied(const struct chan *chan)
{
	return chan->want_room || chan->want_requests || chan->awaits_parcel || chan->has_message ||
	       chan->peer_gone || chan->state != CHAN_OPEN || chan->gather.looks || chan->fault;
}

/* For an owner that fetches its messages: there is none, or it is told of the next one. */
static unsigned int chan_poll_fetched(struct poller *poller)
{
	struct chan *chan = container_of(poller, struct chan, poller);
	const struct ring_line *line;

	if (doca_unlikely(is_occupied(chan)))
		return chan_poll(poller);
	line = ring_peek(&chan->rx);
	if (!line) {
		end_row(chan);
		ring_expect_second(&chan->rx);
		gather_note_none(&chan->gather);
		return 0;
	}
	if (doca_unlikely(read_once(line->type) != CHAN_MESSAGE))
		return chan_poll(poller);
	announce_message(chan, line);
	return 1;
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
	if (chan->peer_gone && is_at_end(chan))
		return true;
	if (chan->want_room)
		return ring_has_room(&chan->tx) || chan->tx.broken;
	return ((chan->want_requests && !are_requests_put_off(chan)) ||
		chan->state == CHAN_CLOSING) &&
	       ring_has_room(&chan->tx);
}

static void chan_disarm(struct poller *poller)
{
	sleeper_revoke(&container_of(poller, struct chan, poller)->rx.sleeper);
}

const struct poller_ops chan_poller_ops = {
	.poll = chan_poll,
	.arm = chan_arm,
	.pending = chan_pending,
	.disarm = chan_disarm,
	.polls_memory = true,
};

const struct poller_ops chan_fetched_poller_ops = {
	.poll = chan_poll_fetched,
	.arm = chan_arm,
	.pending = chan_pending,
	.disarm = chan_disarm,
	.polls_memory = true,
};
