/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Peer: DPDK's rte_ring between two processes, in a shared mapping, without its environment layer.
 * An element is eight bytes; a larger message is copied into a pool and the element says where.
 */
#include <rte_ring.h>
#include <string.h>
#include "pair.h"
#include "transport.h"

#define RING_COUNT  1024u
#define POOL_COUNT  (RING_COUNT / 2)
#define POOL_STRIDE (4096u + 64u)

struct end {
	struct rte_ring *ring[2]; /* by the sending side */
	uint8_t *pool[2];
	uint64_t sent;
};

static void send_message(struct transport *transport, const void *message, size_t size)
{
	struct end *end = transport->context;
	struct rte_ring *ring = end->ring[transport->side];
	uintptr_t element = 0;

	if (size <= sizeof(element)) {
		memcpy(&element, message, size);
	} else {
		element = end->sent++ % POOL_COUNT;
		while (rte_ring_free_count(ring) < RING_COUNT - POOL_COUNT + 2)
			;
		memcpy(end->pool[transport->side] + element * POOL_STRIDE, message, size);
	}
	while (rte_ring_sp_enqueue(ring, (void *)element))
		;
}

static const uint8_t *receive_message(struct transport *transport, void *buffer, size_t size)
{
	struct end *end = transport->context;
	void *element;

	while (rte_ring_sc_dequeue(end->ring[!transport->side], &element))
		;
	if (size <= sizeof(element))
		memcpy(buffer, &element, size);
	else
		memcpy(buffer, end->pool[!transport->side] + (uintptr_t)element * POOL_STRIDE,
		       size);
	return buffer;
}

int main(int argc, char **argv)
{
	struct bench_options options;
	struct end end = {0};
	struct transport transport = {
		.name = "dpdk_rte_ring",
		.max_size = 4096,
		.send = send_message,
		.recv = receive_message,
		.context = &end,
	};

	options_parse(&options, argc, argv);
	for (int i = 0; i < 2; i++) {
		end.ring[i] = pair_shared((size_t)rte_ring_get_memsize(RING_COUNT));
		if (rte_ring_init(end.ring[i], "bench", RING_COUNT, RING_F_SP_ENQ | RING_F_SC_DEQ))
			bench_fail("cannot initialise a ring");
		end.pool[i] = pair_shared(RING_COUNT * POOL_STRIDE);
	}
	transport_bench(&transport, &options);
	return 0;
}
