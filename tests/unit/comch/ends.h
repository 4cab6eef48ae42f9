/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consumers of the server's and producers of the client's, for tests of their lives.
 */
#ifndef SOFTFIELD_ENDS_H
#define SOFTFIELD_ENDS_H

#include "fastpath.h"

#define MEMORY ((size_t)1 << 20)

static inline struct side *server_of(struct fastpath *fastpath)
{
	return fastpath->pair.server;
}

static inline struct side *client_of(struct fastpath *fastpath)
{
	return fastpath->pair.client;
}

static inline struct fast_end *run_consumer(struct fastpath *fastpath, size_t memory)
{
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), memory);

	end_run(end);
	return end;
}

static inline struct fast_end *run_producer(struct fastpath *fastpath, size_t memory)
{
	struct fast_end *end = add_producer(fastpath, client_of(fastpath), memory);

	end_run(end);
	return end;
}

#endif
