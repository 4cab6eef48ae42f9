/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A consumer and a producer that run, for tests of what goes from one to the other.
 */
#ifndef SOFTFIELD_BOTH_H
#define SOFTFIELD_BOTH_H

#include "test.h"

#include "fastpath.h"

/* a consumer of the server's and a producer of the client's, which both run */
struct both {
	struct fastpath *fastpath;
	struct fast_end *consumer, *producer;
};

static inline struct both run_both(struct fastpath *fastpath, uint32_t imm_size, size_t memory)
{
	struct both both = {.fastpath = fastpath,
			    .consumer = add_consumer(fastpath, fastpath->pair.server, memory),
			    .producer = add_producer(fastpath, fastpath->pair.client, memory)};

	assert_ok(doca_comch_consumer_set_imm_data_len(both.consumer->consumer, imm_size));
	end_run(both.consumer);
	end_run(both.producer);
	return both;
}

#endif
