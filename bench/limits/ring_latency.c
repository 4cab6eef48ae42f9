/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limit of a message that travels inside a ring: ping-pong, both sides copy in and out.
 */
#include <string.h>
#include <sys/mman.h>
#include "options.h"
#include "pair.h"
#include "report.h"
#include "ring.h"

static const size_t default_sizes[] = {56, 120, 248, 1016, 4088};

#define MAX_SIZE 8192
#define LAST	 1

struct path {
	struct ring *ping, *pong;
	size_t size;
};

static void receive(struct ring *ring, size_t index, size_t size, uint64_t seq, uint8_t *message)
{
	size_t lines = ring_lines_for(size);

	ring_wait(ring, index, lines, seq);
	memcpy(message, ring_data(ring, index, lines), size);
}

static void send(struct ring *ring, size_t index, size_t size, uint64_t seq, const uint8_t *message)
{
	size_t lines = ring_lines_for(size);

	memcpy(ring_data(ring, index, lines), message, size);
	ring_publish(ring, index, lines, seq);
}

static void answer(void *arg)
{
	struct path *path = arg;
	size_t slots = ring_slots(ring_lines_for(path->size)), index = 0;
	uint8_t message[MAX_SIZE];

	for (uint64_t seq = 1;; seq++) {
		receive(path->ping, index, path->size, seq, message);
		send(path->pong, index, path->size, seq, message);
		if (message[0] == LAST)
			return;
		if (++index == slots)
			index = 0;
	}
}

static void measure(struct path *path, const struct bench_options *options, struct samples *samples)
{
	size_t slots = ring_slots(ring_lines_for(path->size)), index = 0;
	pid_t child = pair_fork(options->cpu, answer, path);
	uint64_t end_ns = clock_ns() + options->point_ns;
	uint8_t message[MAX_SIZE] = {0};

	samples->count = 0;
	for (uint64_t seq = 1; message[0] != LAST; seq++) {
		uint64_t start;

		if (samples->count + 1 == samples->capacity ||
		    (seq % 16 == 0 && clock_ns() > end_ns))
			message[0] = LAST;
		start = clock_ticks();
		send(path->ping, index, path->size, seq, message);
		receive(path->pong, index, path->size, seq, message);
		samples_add(samples, clock_ticks() - start);
		if (++index == slots)
			index = 0;
	}
	pair_join(child);
}

int main(int argc, char **argv)
{
	struct bench_options options;
	struct samples samples;

	options_parse(&options, argc, argv);
	options_default_sizes(&options, default_sizes, sizeof(default_sizes) / sizeof(size_t));
	clock_ns_per_tick();
	samples_init(&samples);
	for (size_t i = 0; i < options.size_count; i++) {
		struct path path = {.size = options.sizes[i]};

		if (path.size == 0 || path.size > MAX_SIZE)
			bench_fail("size %zu: not in 1..%d", path.size, MAX_SIZE);
		path.ping = pair_shared(sizeof(*path.ping));
		path.pong = pair_shared(sizeof(*path.pong));
		measure(&path, &options, &samples);
		report_latency("limit_ring", path.size, &samples);
		munmap(path.ping, sizeof(*path.ping));
		munmap(path.pong, sizeof(*path.pong));
	}
	samples_fini(&samples);
	return 0;
}
