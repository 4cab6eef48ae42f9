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

/* Data tells whose it is: that of message number n is n, n + 1, ... */
static inline void number_data(void *data, size_t size, uint32_t number)
{
	for (size_t i = 0; i < size; i++)
		((char *)data)[i] = (char)(number + i);
}

static inline void expect_number(const void *data, size_t size, uint32_t number)
{
	for (size_t i = 0; i < size; i++)
		assert_int_equal(((const char *)data)[i], (char)(number + i));
}

/* The same of a buffer; how many bytes it has of the message. */
static inline size_t expect_number_in(const struct doca_buf *buf, uint32_t number)
{
	void *data;
	size_t size;

	assert_ok(doca_buf_get_data(buf, &data));
	assert_ok(doca_buf_get_data_len(buf, &size));
	expect_number(data, size, number);
	return size;
}

#endif
