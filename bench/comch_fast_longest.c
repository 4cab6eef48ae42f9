/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long the longest call takes while a very large message is sent for the first time: the
 * memory of both sides is made reachable meanwhile, too. A thread's own time, so that others on the
 * machine do not count. The receiver tells for itself.
 */
#include <time.h>
#include "comch_fast_side.h"
#include "lib/pair.h"
#include "lib/report.h"

#define CONTROL_EVERY 256 /* polls of the fast path per one of the control path */

struct run {
	struct fast_config fast;
	struct fast_side side;
	uint64_t longest_ns;
	unsigned int received, sent;
};

static uint64_t own_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void note(struct run *run, uint64_t start_ns)
{
	uint64_t ns = own_ns() - start_ns;

	if (ns > run->longest_ns)
		run->longest_ns = ns;
}

static void progress(struct run *run)
{
	uint64_t start_ns = own_ns();

	doca_pe_progress(run->side.pe);
	note(run, start_ns);
}

static void report(const struct run *run, const char *peer)
{
	report_row(peer, "longest_call", run->fast.max_size, (double)run->longest_ns / 1e3, "us");
}

static void note_message(struct fast_side *side, uint8_t first_byte, size_t size)
{
	struct run *run = side->config.arg;

	(void)first_byte;
	(void)size;
	run->received++;
}

static void note_sent(struct fast_slot *slot)
{
	struct run *run = slot->side->config.arg;

	run->sent++;
	fast_slot_give(slot);
}

static void serve(struct comch_side *control)
{
	struct run *run = control->config.arg;

	fast_open(&run->side, control, &run->fast);
	for (unsigned int i = 0; !control->gone; i++) {
		progress(run);
		if (i % CONTROL_EVERY == 0)
			doca_pe_progress(control->pe);
	}
	if (run->received != 1)
		bench_fail("%u messages have arrived, not one", run->received);
	report(run, "softfield_fast_receiver");
	fast_close(&run->side);
}

static void send_one(struct run *run)
{
	uint64_t start_ns = own_ns();

	fast_submit(fast_slot_take(&run->side), run->fast.max_size, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	note(run, start_ns);
	while (!run->sent)
		progress(run);
}

int main(int argc, char **argv)
{
	static const size_t gigabyte[] = {(size_t)1 << 30};
	struct bench_options options;
	struct run run = {
		.fast =
			{
				.window = FAST_WINDOW,
				.on_message = note_message,
				.on_sent = note_sent,
				.arg = &run,
			},
	};
	struct comch_config client = {0};
	struct comch_config server = {.serve = serve, .arg = &run};
	struct comch_pair pair;

	options_parse(&options, argc, argv);
	options_default_sizes(&options, gigabyte, 1);
	run.fast.max_size = fast_max_size(&options);
	comch_pair_open(&pair, &options, &client, &server);
	fast_open(&run.side, &pair.client, &run.fast);
	run.longest_ns = 0; /* what is asked is what the message costs */
	send_one(&run);
	report(&run, "softfield_fast_sender");
	fast_close(&run.side);
	comch_pair_close(&pair);
	return 0;
}
