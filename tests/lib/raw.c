/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A peer by hand.
 */
#include "raw.h"
#include "test.h"

#include <string.h>
#include <unistd.h>
#include "base/bell.h"
#include "base/clock.h"
#include "base/fd.h"
#include "chan/chan.h"

#define INBOX_LINES 64u

/*
 * What arrives
 */

static void take_inbox(struct raw *raw, const int *fds, unsigned int fd_count)
{
	if (fd_count != 2 || raw->their_inbox) {
		priv_fd_close_all(fds, fd_count);
		return;
	}
	assert_ok(priv_link_mem_attach(fds[0], &raw->their_inbox));
	assert_ok(priv_ring_sender_init(&raw->tx, raw->their_inbox->addr, raw->their_inbox->size));
	raw->their_bell = fds[1];
}

static void got_message(struct link *link, const void *msg, size_t size, const int *fds,
			unsigned int fd_count)
{
	struct raw *raw = link->owner;

	raw->messages++;
	assert_ok(priv_handshake_decode(msg, size, &raw->answer));
	if (fd_count)
		take_inbox(raw, fds, fd_count);
}

static void got_lost(struct link *link, doca_error_t reason)
{
	struct raw *raw = link->owner;

	(void)reason;
	raw->losses++;
	raw_hang_up(raw);
}

static const struct link_handler handler = {.message = got_message, .lost = got_lost};

static void got_call(struct link_listener *listener, struct link *link)
{
	struct raw *raw = listener->owner;

	assert_null(raw->link);
	raw->link = link;
	link->handler = &handler;
	link->owner = raw;
}

static const struct link_listener_handler listener_handler = {.incoming = got_call};

/*
 * The peer
 */

void raw_init(struct raw *raw)
{
	memset(raw, 0, sizeof(*raw));
	raw->their_bell = -1;
	assert_ok(priv_poll_group_init(&raw->group));
	assert_ok(priv_bell_create(&raw->bell));
	assert_ok(priv_link_mem_create(
		"softfield-raw", priv_ring_memory_size(INBOX_LINES, RAW_MSG_SIZE),
		priv_ring_memory_used(INBOX_LINES, RAW_MSG_SIZE), &raw->inbox));
	priv_ring_receiver_init(&raw->rx, raw->inbox->addr, INBOX_LINES, RAW_MSG_SIZE);
}

void raw_hang_up(struct raw *raw)
{
	if (raw->link)
		link_close(raw->link);
	raw->link = NULL;
}

void raw_fini(struct raw *raw)
{
	raw_hang_up(raw);
	if (raw->listener)
		link_unlisten(raw->listener);
	priv_ring_sender_fini(&raw->tx);
	priv_link_mem_unref(raw->their_inbox);
	priv_link_mem_unref(raw->inbox);
	if (raw->their_bell >= 0)
		close(raw->their_bell);
	close(raw->bell);
	priv_poll_group_fini(&raw->group);
}

void raw_poll(struct raw *raw)
{
	priv_clock_virtual.now_ns += 1000000;
	priv_poll_group_poll(&raw->group, 0);
}

doca_error_t raw_call(struct raw *raw, const struct link_addr *addr)
{
	return priv_link_connect(&raw->group, addr, &handler, raw, &raw->link);
}

doca_error_t raw_listen(struct raw *raw, const struct link_addr *addr)
{
	return priv_link_listen(&raw->group, addr, &listener_handler, raw, &raw->listener);
}

/*
 * Handshake
 */

void raw_send(struct raw *raw, const void *msg, size_t size, const int *fds, unsigned int fd_count)
{
	assert_non_null(raw->link);
	assert_ok(link_send(raw->link, msg, size, fds, fd_count));
}

struct handshake raw_hello(const struct link_addr *addr)
{
	struct handshake hello = {.type = HANDSHAKE_HELLO, .hello.max_msg_size = RAW_MSG_SIZE};

	handshake_set_text(hello.hello.card, addr->card->name);
	handshake_set_text(hello.hello.function, addr->function);
	handshake_set_text(hello.hello.service, addr->service);
	return hello;
}

void raw_introduce(struct raw *raw, const struct handshake *handshake)
{
	const int fds[] = {raw->inbox->fd, raw->bell};
	uint8_t msg[FD_MESSAGE_MAX];

	raw_send(raw, msg, priv_handshake_encode(handshake, msg), fds, 2);
}

/*
 * Records
 */

static void ring_their_bell(struct raw *raw)
{
	if (ring_wants_wake(&raw->tx))
		priv_bell_ring(raw->their_bell);
}

bool raw_push(struct raw *raw, uint16_t type, const void *data, uint32_t size)
{
	if (!ring_has_room(&raw->tx))
		return false;
	ring_push(&raw->tx, type, data, size);
	ring_their_bell(raw);
	return true;
}

void raw_forge(struct raw *raw, uint16_t type, uint32_t size, uint32_t offset)
{
	struct ring_line *line = &raw->tx.lines[raw->tx.head & raw->tx.mask];

	line->type = type;
	line->size = size;
	line->offset = offset;
	atomic_store(&line->seq, ++raw->tx.head);
	ring_their_bell(raw);
}
