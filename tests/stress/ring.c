/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ring and its sleeping protocol with a thread at each end of one mapping. Rings of the
 *smallest size, so that both ends meet all the time: empty, full, and at the wrap. A lost wake-up
 *is a test that never ends; a race is the thread sanitizer's to find.
 *
 *	ring [--without-membarrier] [ROUNDS]
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/barrier.h"
#include "base/bell.h"
#include "base/random.h"
#include "base/ring.h"
#include "membarrier.h"

#define LINES 16u
#define MOST  512u

/* One direction. */
struct lane {
	void *memory;
	struct ring_sender tx;
	struct ring_receiver rx;
	int bell;	 /* of the receiver */
	int sender_bell; /* of the sender, who waits for room */
};

static unsigned int rounds = 100000;

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "not so: %s\n", what);
	abort();
}

static void lane_init(struct lane *lane)
{
	size_t size = priv_ring_memory_size(LINES, MOST);

	lane->memory = aligned_alloc(128, (size + 127) / 128 * 128);
	check(lane->memory, "memory");
	memset(lane->memory, 0, size);
	priv_ring_receiver_init(&lane->rx, lane->memory, LINES, MOST);
	check(!priv_ring_sender_init(&lane->tx, lane->memory, size), "sender");
	check(!priv_eventfd_create(&lane->bell) && !priv_eventfd_create(&lane->sender_bell),
	      "eventfds");
}

static void lane_fini(struct lane *lane)
{
	priv_ring_sender_fini(&lane->tx);
	free(lane->memory);
	close(lane->bell);
	close(lane->sender_bell);
}

static void wait_for_ring(int bell)
{
	struct pollfd pollfd = {.fd = bell, .events = POLLIN};
	uint64_t count;

	while (poll(&pollfd, 1, -1) != 1)
		;
	check(read(bell, &count, sizeof(count)) == sizeof(count), "bell");
}

/*
 * The two halves of the protocol, as the poller and the connection do it
 */

static void wait_for_record(struct lane *lane)
{
	while (!ring_peek(&lane->rx)) {
		/* now often, now rarely: the barrier changes under way */
		if (sleeper_announce(&lane->rx.sleeper, lane->rx.tail & 512))
			atomic_thread_fence(memory_order_seq_cst);
		else
			priv_barrier_heavy();
		if (!ring_peek(&lane->rx))
			wait_for_ring(lane->bell);
		sleeper_revoke(&lane->rx.sleeper);
	}
}

static void wait_for_room(struct lane *lane)
{
	while (!ring_has_room(&lane->tx)) {
		check(!lane->tx.broken, "the ring is sound");
		ring_wait_for_room(&lane->tx);
		priv_barrier_heavy();
		if (!ring_has_room(&lane->tx))
			wait_for_ring(lane->sender_bell);
	}
}

static uint8_t pattern(uint32_t number, uint32_t at)
{
	return (uint8_t)(number * 31 + at * 7 + 5);
}

static uint32_t size_of(uint32_t number)
{
	struct random random = {.state = number};

	return (uint32_t)random_below(&random, number % 3 ? 60 : MOST + 1);
}

static void send_one(struct lane *lane, uint32_t number)
{
	uint32_t size = size_of(number), i;
	uint8_t data[MOST];

	for (i = 0; i < size; i++)
		data[i] = pattern(number, i);
	wait_for_room(lane);
	ring_push(&lane->tx, (uint16_t)number, data, size);
	if (ring_wants_wake(&lane->tx))
		priv_eventfd_ring(lane->bell);
}

static void receive_one(struct lane *lane, uint32_t number)
{
	const struct ring_line *line;
	uint8_t data[MOST];
	uint32_t size, i;

	wait_for_record(lane);
	line = ring_peek(&lane->rx);
	check(line->type == (uint16_t)number, "order");
	check(ring_copy(&lane->rx, line, data, sizeof(data), &size), "record");
	check(size == size_of(number), "size");
	for (i = 0; i < size; i++)
		check(data[i] == pattern(number, i), "content");
	ring_pop(&lane->rx);
	/* Sometimes in batches, as a poll does. */
	if ((number % 7 || number + 1 == rounds) && ring_publish_tail(&lane->rx))
		priv_eventfd_ring(lane->sender_bell);
}

/*
 * A stream: the sender meets the full ring, the receiver the empty one
 */

static void *stream_out(void *arg)
{
	unsigned int i;

	for (i = 0; i < rounds; i++)
		send_one(arg, i);
	return NULL;
}

static void stream(void)
{
	struct lane lane;
	pthread_t thread;
	unsigned int i;

	lane_init(&lane);
	check(!pthread_create(&thread, NULL, stream_out, &lane), "thread");
	for (i = 0; i < rounds; i++)
		receive_one(&lane, i);
	pthread_join(thread, NULL);
	lane_fini(&lane);
}

/*
 * Ping-pong: both go to sleep for every message
 */

struct lanes {
	struct lane there, back;
};

static void *answer(void *arg)
{
	struct lanes *lanes = arg;
	unsigned int i;

	for (i = 0; i < rounds; i++) {
		receive_one(&lanes->there, i);
		send_one(&lanes->back, i);
	}
	return NULL;
}

static void ping_pong(void)
{
	struct lanes lanes;
	pthread_t thread;
	unsigned int i;

	lane_init(&lanes.there);
	lane_init(&lanes.back);
	check(!pthread_create(&thread, NULL, answer, &lanes), "thread");
	for (i = 0; i < rounds; i++) {
		send_one(&lanes.there, i);
		receive_one(&lanes.back, i);
	}
	pthread_join(thread, NULL);
	lane_fini(&lanes.there);
	lane_fini(&lanes.back);
}

int main(int argc, char **argv)
{
	int arg = 1;

	if (arg < argc && !strcmp(argv[arg], "--without-membarrier")) {
		forbid_membarrier();
		arg++;
	}
	if (arg < argc)
		rounds = (unsigned int)strtoul(argv[arg], NULL, 0);
	ping_pong();
	stream();
	return 0;
}
