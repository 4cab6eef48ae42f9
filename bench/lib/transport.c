/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver. The first byte of a message is 1 in the last one of a point, so both sides leave
 * a point together without another channel.
 */
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "pair.h"
#include "points.h"
#include "report.h"
#include "transport.h"

struct run {
	struct transport *transport;
	const struct bench_options *options;
	uint8_t *buffer;
	struct samples samples;
};

static void release(struct transport *transport)
{
	if (transport->release)
		transport->release(transport);
}

static void echo(struct run *run, size_t size)
{
	struct transport *transport = run->transport;
	uint8_t last;

	do {
		last = transport->recv(transport, run->buffer, size)[0];
		release(transport);
		run->buffer[0] = last;
		transport->send(transport, run->buffer, size);
	} while (last != 1);
}

static void ping_pong(struct run *run, size_t size)
{
	struct transport *transport = run->transport;
	struct samples *samples = &run->samples;
	uint64_t end_ns = clock_ns() + run->options->point_ns;
	bool last;

	samples->count = 0;
	do {
		uint64_t start;

		last = samples->count + 1 == samples->capacity ||
		       (samples->count % 16 == 15 && clock_ns() > end_ns);
		run->buffer[0] = last;
		start = clock_ticks();
		transport->send(transport, run->buffer, size);
		transport->recv(transport, run->buffer, size);
		samples_add(samples, clock_ticks() - start);
		release(transport);
	} while (!last);
	report_latency(transport->name, size, samples);
}

static void sink(struct run *run, size_t size)
{
	struct transport *transport = run->transport;
	uint8_t last;

	do {
		last = transport->recv(transport, run->buffer, size)[0];
		release(transport);
	} while (last != 1);
	transport->send(transport, run->buffer, POINT_ACK_SIZE);
}

static void stream(struct run *run, size_t size, enum point_kind kind)
{
	struct transport *transport = run->transport;
	uint64_t look_every = size >= 65536 ? 1 : 64;
	uint64_t start_ns = clock_ns(), end_ns = start_ns + run->options->point_ns;
	uint64_t sent = 0;
	double elapsed_ns;

	run->buffer[0] = 0;
	while (sent % look_every != 0 || clock_ns() < end_ns) {
		transport->send(transport, run->buffer, size);
		sent++;
	}
	run->buffer[0] = 1;
	transport->send(transport, run->buffer, size);
	sent++;
	transport->recv(transport, run->buffer, POINT_ACK_SIZE);
	elapsed_ns = (double)(clock_ns() - start_ns);
	release(transport);
	if (kind == POINT_RATE)
		report_rate(transport->name, size, (double)sent, elapsed_ns);
	else
		report_bandwidth(transport->name, size, (double)sent, elapsed_ns);
}

static void measure_point(void *arg, enum point_kind kind, size_t size)
{
	if (kind == POINT_LATENCY)
		ping_pong(arg, size);
	else
		stream(arg, size, kind);
}

static void answer_point(void *arg, enum point_kind kind, size_t size)
{
	if (kind == POINT_LATENCY)
		echo(arg, size);
	else
		sink(arg, size);
}

/* One message each way: some open a connection when there is something to send. */
static void meet(struct run *run)
{
	struct transport *transport = run->transport;

	if (transport->side == SIDE_MEASURES)
		transport->send(transport, run->buffer, POINT_ACK_SIZE);
	transport->recv(transport, run->buffer, POINT_ACK_SIZE);
	release(transport);
	if (transport->side == SIDE_ANSWERS)
		transport->send(transport, run->buffer, POINT_ACK_SIZE);
}

static void all_points(struct run *run, enum side side)
{
	struct transport *transport = run->transport;

	memset(run->buffer, 2, POINT_MAX_SIZE); /* own pages, present before anything is measured */
	transport->side = side;
	if (transport->open)
		transport->open(transport, side);
	meet(run);
	points_for_each(run->options, transport->max_size,
			side == SIDE_MEASURES ? measure_point : answer_point, run);
	if (transport->close)
		transport->close(transport);
}

static void answer(void *arg)
{
	all_points(arg, SIDE_ANSWERS);
}

void transport_bench(struct transport *transport, const struct bench_options *options)
{
	struct run run = {.transport = transport, .options = options};
	pid_t child;

	if (options->label)
		transport->name = options->label;
	if (transport->max_size > POINT_MAX_SIZE)
		transport->max_size = POINT_MAX_SIZE;
	run.buffer = aligned_alloc(4096, POINT_MAX_SIZE);
	if (!run.buffer)
		bench_fail("no memory for messages");
	clock_ns_per_tick();
	child = pair_fork(options->cpu, answer, &run);
	samples_init(&run.samples);
	all_points(&run, SIDE_MEASURES);
	pair_join(child);
	samples_fini(&run.samples);
	free(run.buffer);
}
