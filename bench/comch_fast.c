/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fast path: latency, message rate and bandwidth of a producer and a consumer on each side. All
 * posted buffers lie at the same place, as in the benches of others. Mode "batch": sends without
 * the flush flag, flushed once per progress call. Mode "crowd": the server has a thousand consumers
 * on the connection, and on the progress engine, of which one is sent to. Mode "split": producer
 * and consumer of a side have a progress engine each. Mode "turns": there are four of each, and
 * each message goes from another one, or to another one, than that before it. Mode "burst": each
 * exchange is of several messages. Mode "event": both sides sleep on their engine's descriptor when
 * they find nothing. Mode "apart": many receives and sends, each with memory of its own, as
 * programs have them. Mode "fresh": a task and a buffer are taken for each message and given back
 * after it. Mode "imm": immediate data, of one size, and no buffers. Mode "loop": nothing is sent
 * from callbacks, but from the program's loop, when it has polled until nothing is left. Mode
 * "event_loop": both of these.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "comch_fast_side.h"
#include "lib/clock.h"
#include "lib/pair.h"
#include "lib/points.h"
#include "lib/report.h"

#define SERVER_POLLS  1024	  /* of the fast path, per one of the control path */
#define MAX_IN_FLIGHT (64u << 20) /* bytes */
#define CROWD	      999
#define BURST	      8
#define APART	      1024

struct run {
	const struct bench_options *options;
	struct fast_config fast; /* for either side */
	uint32_t flags;
	uint32_t crowd;
	unsigned int burst; /* messages of an exchange */
	const char *peer;
	struct samples samples;
	/* client */
	struct fast_side side;
	uint64_t sent;
	size_t size; /* of the stream's messages */
	bool streaming;
	unsigned int answers; /* messages that have come */
	size_t due;	      /* so long is the answer that is due */
};

/* The first byte tells the server what to do with a message. */
enum { SINK, ECHO };

static void reply(struct fast_side *side, size_t size)
{
	struct fast_slot *slot = fast_slot_take(side);

	if (!slot)
		bench_fail("%u replies are not complete, though each was received",
			   side->config.window);
	fast_submit(slot, size, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

static void serve_message(struct fast_side *side, uint8_t first_byte, size_t size)
{
	struct run *run = side->config.arg;

	run->answers++;
	if (first_byte == SINK)
		return;
	if (side->config.loop)
		run->due = size;
	else
		reply(side, size);
}

static void serve_once(struct run *run)
{
	fast_progress(&run->side);
	if (run->due)
		reply(&run->side, run->due);
	run->due = 0;
}

static void await_message(struct run *run)
{
	while (!run->answers && !run->side.control->gone) {
		doca_pe_progress(run->side.control->pe);
		fast_progress(&run->side);
	}
}

static void serve(struct comch_side *control)
{
	struct run *run = control->config.arg;
	struct fast_config config = run->fast;

	config.on_message = serve_message;
	fast_open(&run->side, control, &config);
	if (run->crowd) {
		await_message(run); /* the client knows the consumer that it sends to */
		fast_add_crowd(&run->side, run->crowd);
		fast_submit(fast_slot_take(&run->side), FAST_SMALL_SIZE,
			    DOCA_TASK_SUBMIT_FLAG_FLUSH);
	}
	while (!control->gone) {
		for (int i = 0; i < (config.event ? 1 : SERVER_POLLS); i++)
			serve_once(run);
		doca_pe_progress(control->pe);
	}
	fast_close(&run->side);
}

static void note_answer(struct fast_side *side, uint8_t first_byte, size_t size)
{
	struct run *run = side->config.arg;

	(void)first_byte;
	(void)size;
	run->answers++;
}

static void exchange(struct run *run, size_t size)
{
	struct fast_side *side = &run->side;
	struct fast_slot *slot;

	run->answers = 0;
	for (unsigned int i = 0; i < run->burst; i++) {
		while (!(slot = fast_slot_take(side)))
			fast_progress(side);
		fast_submit(slot, size, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	}
	while (run->answers < run->burst)
		fast_progress(side);
}

static void measure_latency(struct run *run, size_t size)
{
	struct samples *samples = &run->samples;
	uint64_t end_ns = clock_ns() + run->options->point_ns;

	fast_set_first_byte(&run->side, ECHO);
	samples->count = 0;
	while (!samples_full(samples) && (samples->count % 16 != 15 || clock_ns() < end_ns)) {
		uint64_t start = clock_ticks();

		exchange(run, size);
		samples_add(samples, clock_ticks() - start);
	}
	fast_wait_all_sent(&run->side);
	report_latency(run->peer, size, samples);
}

static void send_again(struct fast_slot *slot)
{
	struct run *run = slot->side->config.arg;

	if (!run->streaming || run->fast.loop) {
		fast_slot_give(slot);
		return;
	}
	fast_submit(slot, run->size, run->flags);
	run->sent++;
}

static void send_from_loop(struct run *run)
{
	struct fast_slot *slot;

	while ((slot = fast_slot_take(&run->side))) {
		fast_submit(slot, run->size, run->flags);
		run->sent++;
	}
}

/* large messages need no window, and a full one would outlast the point by far */
static size_t window_of(const struct run *run)
{
	size_t fitting = MAX_IN_FLIGHT / run->size;

	if (fitting > run->fast.window)
		return run->fast.window;
	return fitting > 2 ? fitting : 2;
}

static void fill_window(struct run *run)
{
	for (size_t i = 0; i < window_of(run); i++)
		send_again(fast_slot_take(&run->side));
	fast_flush(&run->side);
}

static void stream(struct run *run, uint64_t end_ns)
{
	bool batch = run->flags == DOCA_TASK_SUBMIT_FLAG_NONE;
	unsigned int look_every = run->size >= 65536 ? 1 : 64;

	run->streaming = true;
	run->sent = 0;
	if (!run->fast.loop)
		fill_window(run);
	for (unsigned int round = 1; round % look_every != 0 || clock_ns() < end_ns; round++) {
		if (run->fast.loop)
			send_from_loop(run);
		if (fast_progress(&run->side) && batch)
			fast_flush(&run->side);
	}
	fast_flush(&run->side);
	run->streaming = false;
	fast_wait_all_sent(&run->side);
}

static void measure_stream(struct run *run, enum point_kind kind, size_t size)
{
	uint64_t start_ns;
	double elapsed_ns;

	/* the memory becomes reachable for the peer when it is first used: not what is measured */
	fast_set_first_byte(&run->side, ECHO);
	exchange(run, size);
	fast_wait_all_sent(&run->side);
	run->size = size;
	start_ns = clock_ns();
	fast_set_first_byte(&run->side, SINK);
	stream(run, start_ns + run->options->point_ns);
	fast_set_first_byte(&run->side, ECHO);
	exchange(run, FAST_SMALL_SIZE);
	elapsed_ns = (double)(clock_ns() - start_ns);
	fast_wait_all_sent(&run->side);
	if (kind == POINT_RATE)
		report_rate(run->peer, size, (double)run->sent, elapsed_ns);
	else
		report_bandwidth(run->peer, size, (double)run->sent, elapsed_ns);
}

static void measure_point(void *arg, enum point_kind kind, size_t size)
{
	if (kind == POINT_LATENCY)
		measure_latency(arg, size);
	else
		measure_stream(arg, kind, size);
}

static void make_room_for_crowd(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		bench_fail("cannot read the descriptor limit");
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit); /* too low: opening says so */
	setenv("SOFTFIELD_LIMITS", "consumer_max_consumers=2000", 1);
}

/* The server says when all are there. */
static void await_crowd(struct run *run)
{
	if (!run->crowd)
		return;
	fast_set_first_byte(&run->side, SINK);
	fast_submit(fast_slot_take(&run->side), FAST_SMALL_SIZE, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	await_message(run);
	fast_wait_all_sent(&run->side);
}

static void choose_mode(struct run *run)
{
	const char *mode = run->options->mode ? run->options->mode : "";

	if (strcmp(mode, "batch") == 0) {
		run->flags = DOCA_TASK_SUBMIT_FLAG_NONE;
		run->peer = "softfield_fast_batch";
	}
	if (strcmp(mode, "crowd") == 0) {
		run->crowd = CROWD;
		run->peer = "softfield_fast_crowd";
		make_room_for_crowd();
	}
	if (strcmp(mode, "split") == 0) {
		run->fast.split = true;
		run->peer = "softfield_fast_split";
	}
	if (strcmp(mode, "turns") == 0) {
		run->fast.turns = FAST_TURNS;
		run->peer = "softfield_fast_turns";
	}
	if (strcmp(mode, "burst") == 0) {
		run->burst = BURST;
		run->peer = "softfield_fast_burst";
	}
	if (strcmp(mode, "event") == 0) {
		run->fast.event = true;
		run->peer = "softfield_fast_event";
	}
	if (strcmp(mode, "apart") == 0) {
		run->fast.window = APART;
		run->fast.apart = true;
		run->peer = "softfield_fast_apart";
	}
	if (strcmp(mode, "fresh") == 0) {
		run->fast.fresh = true;
		run->peer = "softfield_fast_fresh";
	}
	if (strcmp(mode, "imm") == 0) {
		run->fast.imm = true;
		run->peer = "softfield_fast_imm";
	}
	if (strcmp(mode, "loop") == 0) {
		run->fast.loop = true;
		run->peer = "softfield_fast_loop";
	}
	if (strcmp(mode, "event_loop") == 0) {
		run->fast.event = run->fast.loop = true;
		run->peer = "softfield_fast_event_loop";
	}
	if (strcmp(mode, "heap") == 0) {
		run->fast.heap = true;
		run->peer = "softfield_fast_heap";
	}
	if (run->options->label)
		run->peer = run->options->label;
}

int main(int argc, char **argv)
{
	struct bench_options options;
	struct run run = {
		.options = &options,
		.fast = {.arg = &run, .window = FAST_WINDOW},
		.flags = DOCA_TASK_SUBMIT_FLAG_FLUSH,
		.burst = 1,
		.peer = "softfield_fast",
	};
	struct comch_config client = {0};
	struct comch_config server = {.serve = serve, .arg = &run};
	struct fast_config config;
	struct comch_pair pair;

	options_parse(&options, argc, argv);
	run.fast.max_size = options.size_count ? fast_max_size(&options) : POINT_MAX_SIZE;
	choose_mode(&run);
	clock_ns_per_tick();
	samples_init(&run.samples);
	comch_pair_open(&pair, &options, &client, &server);
	config = run.fast;
	config.on_message = note_answer;
	config.on_sent = send_again;
	fast_open(&run.side, &pair.client, &config);
	await_crowd(&run);
	points_for_each(&options, SIZE_MAX, measure_point, &run);
	fast_close(&run.side);
	comch_pair_close(&pair);
	samples_fini(&run.samples);
	return 0;
}
