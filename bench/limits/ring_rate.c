/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limit of a stream of messages inside a ring: one producer, one consumer, sequence number in the
 * line, the consumer's progress published every quarter of the ring.
 */
#include <string.h>
#include <sys/mman.h>
#include "options.h"
#include "pair.h"
#include "report.h"
#include "ring.h"

static const size_t default_sizes[] = {8, 56, 64, 256};

#define MAX_SIZE 8192
#define LAST	 1

struct stream {
	struct ring *ring;
	size_t size;
};

static void consume(void *arg)
{
	struct stream *stream = arg;
	size_t lines = ring_lines_for(stream->size), slots = ring_slots(lines), index = 0;
	struct ring *ring = stream->ring;
	uint8_t first;

	for (uint64_t seq = 1;; seq++) {
		ring_wait(ring, index, lines, seq);
		first = ring_data(ring, index, lines)[0];
		if (seq % (slots / 4) == 0 || first == LAST)
			/* Release: pairs with the acquire in wait_consumed(); slots are free. */
			atomic_store_explicit(&ring->consumed, seq, memory_order_release);
		if (first == LAST)
			return;
		if (++index == slots)
			index = 0;
	}
}

static uint64_t wait_consumed(struct ring *ring, uint64_t at_least)
{
	uint64_t consumed;

	do
		consumed = atomic_load_explicit(&ring->consumed, memory_order_acquire);
	while (consumed < at_least);
	return consumed;
}

static void produce(struct stream *stream, const struct bench_options *options)
{
	size_t lines = ring_lines_for(stream->size), slots = ring_slots(lines), index = 0;
	pid_t child = pair_fork(options->cpu, consume, stream);
	uint64_t start_ns = clock_ns(), end_ns = start_ns + options->point_ns;
	uint64_t consumed = 0, seq = 0;
	uint8_t message[MAX_SIZE] = {0};

	while (message[0] != LAST) {
		seq++;
		if (seq % 1024 == 0 && clock_ns() > end_ns)
			message[0] = LAST;
		if (seq - consumed > slots)
			consumed = wait_consumed(stream->ring, seq - slots);
		/* the usual sizes as constants: a call of memcpy would be the limit */
		if (stream->size == 8)
			memcpy(ring_data(stream->ring, index, lines), message, 8);
		else if (stream->size == 56)
			memcpy(ring_data(stream->ring, index, lines), message, 56);
		else
			memcpy(ring_data(stream->ring, index, lines), message, stream->size);
		ring_publish(stream->ring, index, lines, seq);
		if (++index == slots)
			index = 0;
	}
	wait_consumed(stream->ring, seq);
	report_rate("limit_spsc", stream->size, (double)seq, (double)(clock_ns() - start_ns));
	pair_join(child);
}

int main(int argc, char **argv)
{
	struct bench_options options;

	options_parse(&options, argc, argv);
	options_default_sizes(&options, default_sizes, sizeof(default_sizes) / sizeof(size_t));
	for (size_t i = 0; i < options.size_count; i++) {
		struct stream stream = {.size = options.sizes[i]};

		if (stream.size == 0 || stream.size > MAX_SIZE)
			bench_fail("size %zu: not in 1..%d", stream.size, MAX_SIZE);
		stream.ring = pair_shared(sizeof(*stream.ring));
		produce(&stream, &options);
		munmap(stream.ring, sizeof(*stream.ring));
	}
	return 0;
}
