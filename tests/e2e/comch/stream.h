/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fast path of a peer's connection: a consumer, and a producer as soon as the other side has a
 * consumer. A client sends buffers of all sizes and compares what comes back; a server sends back.
 */
#ifndef SOFTFIELD_E2E_STREAM_H
#define SOFTFIELD_E2E_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <doca_comch.h>
#include <doca_dev.h>
#include <doca_pe.h>

struct stream;

struct stream_config {
	struct doca_pe *pe;
	struct doca_dev *dev;
	struct doca_comch_connection *connection;
	bool leads; /* the client's end: sends on its own, and closes after its messages */
	unsigned int messages; /* then it closes */
	unsigned int random;
	/* consumer and producer are gone; the stream is freed after this */
	void (*closed)(void *owner);
	void *owner;
};

doca_error_t stream_open(const struct stream_config *config, struct stream **ret_stream);
/* the other side has a consumer now */
void stream_meet(struct stream *stream, uint32_t consumer_id);
/* closed() follows, from doca_pe_progress() */
void stream_close(struct stream *stream);

#endif
