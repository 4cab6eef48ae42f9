/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver. The first byte of a message is 1 in the last round of a point.
 */
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "pair.h"
#include "points.h"
#include "report.h"
#include "window.h"

struct run {
	const struct window *window;
	const struct bench_options *options;
	uint8_t *out, *in;
	struct samples samples;
};

static void echo(struct run *run, size_t size)
{
	const struct window *window = run->window;

	do {
		window->start_recv(run->in, size, 0);
		window->wait_recvs(1);
		run->out[0] = run->in[0];
		window->start_send(run->out, size, 0);
		window->wait_sends(1);
	} while (run->in[0] != 1);
}

static void ping_pong(struct run *run, size_t size)
{
	const struct window *window = run->window;
	struct samples *samples = &run->samples;
	uint64_t end_ns = clock_ns() + run->options->point_ns;
	bool last;

	samples->count = 0;
	do {
		uint64_t start;

		last = samples->count + 1 == samples->capacity ||
		       (samples->count % 16 == 15 && clock_ns() > end_ns);
		run->out[0] = last;
		start = clock_ticks();
		window->start_recv(run->in, size, 0);
		window->start_send(run->out, size, 0);
		window->wait_recvs(1);
		samples_add(samples, clock_ticks() - start);
		window->wait_sends(1);
	} while (!last);
	report_latency(window->name, size, samples);
}

static void sink(struct run *run, size_t size)
{
	const struct window *window = run->window;

	do {
		for (unsigned int slot = 0; slot < WINDOW_SIZE; slot++)
			window->start_recv(run->in, size, slot);
		window->wait_recvs(WINDOW_SIZE);
		window->start_send(run->out, POINT_ACK_SIZE, 0);
		window->wait_sends(1);
	} while (run->in[0] != 1);
}

static void stream(struct run *run, size_t size, enum point_kind kind)
{
	const struct window *window = run->window;
	uint64_t start_ns = clock_ns(), end_ns = start_ns + run->options->point_ns;
	uint64_t sent = 0;
	double elapsed_ns;

	do {
		run->out[0] = clock_ns() > end_ns;
		window->start_recv(run->in, POINT_ACK_SIZE, 0);
		for (unsigned int slot = 0; slot < WINDOW_SIZE; slot++)
			window->start_send(run->out, size, slot);
		window->wait_sends(WINDOW_SIZE);
		window->wait_recvs(1);
		sent += WINDOW_SIZE;
	} while (run->out[0] != 1);
	elapsed_ns = (double)(clock_ns() - start_ns);
	if (kind == POINT_RATE)
		report_rate(window->name, size, (double)sent, elapsed_ns);
	else
		report_bandwidth(window->name, size, (double)sent, elapsed_ns);
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

void window_bench(struct window *window, enum side side, const struct bench_options *options)
{
	struct run run = {
		.window = window,
		.options = options,
		.out = aligned_alloc(4096, POINT_MAX_SIZE),
		.in = aligned_alloc(4096, POINT_MAX_SIZE),
	};

	if (options->label)
		window->name = options->label;
	if (!run.out || !run.in)
		bench_fail("no memory for messages");
	clock_ns_per_tick();
	memset(run.out, 2, POINT_MAX_SIZE);
	memset(run.in, 2, POINT_MAX_SIZE);
	samples_init(&run.samples);
	points_for_each(options, POINT_MAX_SIZE,
			side == SIDE_MEASURES ? measure_point : answer_point, &run);
	samples_fini(&run.samples);
	free(run.out);
	free(run.in);
}
