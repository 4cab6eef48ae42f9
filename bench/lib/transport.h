/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same three measurements over any way to pass messages between two processes: ping-pong
 * latency, message rate and bandwidth of a stream. A peer brings the operations, the driver the
 * rest.
 */
#ifndef SOFTFIELD_BENCH_TRANSPORT_H
#define SOFTFIELD_BENCH_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>
#include "options.h"

enum side { SIDE_MEASURES, SIDE_ANSWERS };

struct transport {
	const char *name;
	size_t max_size;
	/* called after the fork, once in each process, already pinned; may be NULL */
	void (*open)(struct transport *transport, enum side side);
	/* returns when the buffer may be used again; waits for room */
	void (*send)(struct transport *transport, const void *message, size_t size);
	/* waits for a message of exactly this size; returns buffer or memory of the transport */
	const uint8_t *(*recv)(struct transport *transport, void *buffer, size_t size);
	/* gives back what recv returned; may be NULL */
	void (*release)(struct transport *transport);
	/* may be NULL */
	void (*close)(struct transport *transport);
	void *context;
	enum side side; /* set by the driver before open() */
};

/* measures what the options ask for; sizes over max_size are left out */
void transport_bench(struct transport *transport, const struct bench_options *options);

#endif
