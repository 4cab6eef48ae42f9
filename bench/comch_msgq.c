/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message queues with a DPA: latency of a message there and its answer back, rate of a stream to
 * it. The DPA's code runs on the second CPU: in a thread that is triggered by messages, or, mode
 * "kernel", in a kernel that polls.
 */
#include <string.h>
#include "comch_msgq_side.h"
#include "lib/clock.h"
#include "lib/points.h"
#include "lib/report.h"

extern doca_dpa_func_t serve_once, serve_on;

struct run {
	const struct bench_options *options;
	const char *peer;
	struct samples samples;
	struct msgq_side side;
	bool is_streaming;
};

static void send_again(struct msgq_side *side)
{
	const struct run *run = side->config.arg;

	if (run->is_streaming)
		msgq_submit(side);
}

static void exchange(struct msgq_side *side)
{
	uint64_t before = side->answers;

	while (!side->free_count)
		doca_pe_progress(side->pe);
	msgq_submit(side);
	while (side->answers == before)
		doca_pe_progress(side->pe);
}

static void measure_latency(struct run *run, size_t size)
{
	struct samples *samples = &run->samples;
	struct msgq_side *side = &run->side;
	uint64_t end_ns = clock_ns() + run->options->point_ns;

	msgq_set_message(side, ECHO, size);
	samples->count = 0;
	while (!samples_full(samples) && (samples->count % 16 != 15 || clock_ns() < end_ns)) {
		uint64_t start = clock_ticks();

		exchange(side);
		samples_add(samples, clock_ticks() - start);
	}
	report_latency(run->peer, size, samples);
}

/* The answer to the last message is the receipt for all. */
static void measure_rate(struct run *run, size_t size)
{
	uint64_t start_ns = clock_ns(), end_ns = start_ns + run->options->point_ns;
	struct msgq_side *side = &run->side;

	msgq_set_message(side, SINK, size);
	side->sent = 0;
	run->is_streaming = true;
	while (side->free_count)
		msgq_submit(side);
	for (unsigned int round = 1; round % 64 != 0 || clock_ns() < end_ns; round++)
		doca_pe_progress(side->pe);
	run->is_streaming = false;
	msgq_set_message(side, ECHO, size);
	exchange(side);
	report_rate(run->peer, size, (double)side->sent, (double)(clock_ns() - start_ns));
}

static void measure_point(void *arg, enum point_kind kind, size_t size)
{
	struct run *run = arg;

	if (size > MSGQ_MAX_SIZE)
		bench_fail("size %zu: not in 1..%d", size, MSGQ_MAX_SIZE);
	if (kind == POINT_LATENCY)
		measure_latency(run, size);
	else if (kind == POINT_RATE)
		measure_rate(run, size);
}

int main(int argc, char **argv)
{
	static const size_t default_sizes[] = {8, MSGQ_MAX_SIZE};
	struct bench_options options;
	struct run run = {.options = &options};
	struct msgq_config config = {.on_sent = send_again, .arg = &run};

	options_parse(&options, argc, argv);
	options_default_sizes(&options, default_sizes, 2);
	if (options.mode && strcmp(options.mode, "kernel") == 0)
		config.kernel = serve_on;
	else
		config.thread = serve_once;
	clock_ns_per_tick();
	samples_init(&run.samples);
	pair_pin(options.cpu[1]); /* and the threads that are the DPA */
	msgq_open(&run.side, &config);
	pair_pin(options.cpu[0]);
	run.peer = config.thread ? "softfield_msgq_thread" : "softfield_msgq_kernel";
	if (options.label)
		run.peer = options.label;
	points_for_each(&options, MSGQ_MAX_SIZE, measure_point, &run);
	msgq_close(&run.side);
	samples_fini(&run.samples);
	return 0;
}
