/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message queues in turns, for counting instructions: CPU and DPA wait for each other in pipes, so
 * that nobody polls in vain. A stream to DPA code that polls; mode "thread": one message at a time,
 * each of which triggers a DPA thread; mode "back": a stream to the CPU. See `run.py instructions`.
 */
#include <string.h>
#include <unistd.h>
#include "comch_msgq_side.h"
#include "lib/options.h"

#define BATCH	 (MSGQ_DEPTH / 2) /* messages of a turn */
#define MESSAGES 3200		  /* unless --messages says otherwise */

extern doca_dpa_func_t take_in_turns, serve_in_turns, send_in_turns;

struct run {
	struct msgq_side side;
	int to_dpa[2], to_cpu[2]; /* pipes */
};

static void wait_for_dpa(const struct run *run)
{
	uint8_t nothing;

	if (read(run->to_cpu[0], &nothing, 1) != 1)
		bench_fail("the DPA has left");
}

static void give_turn(const struct run *run, uint8_t count)
{
	if (write(run->to_dpa[1], &count, 1) != 1)
		bench_fail("cannot pass the turn");
}

static void send(struct run *run, uint8_t count)
{
	struct msgq_side *side = &run->side;

	for (int i = 0; i < count; i++)
		msgq_submit(side);
	give_turn(run, count);
	wait_for_dpa(run);
	while (side->free_count < MSGQ_SENDS)
		doca_pe_progress(side->pe);
}

static void receive(struct run *run, uint8_t count)
{
	struct msgq_side *side = &run->side;
	uint64_t expected = side->answers + count;

	give_turn(run, count);
	wait_for_dpa(run);
	while (side->answers < expected)
		doca_pe_progress(side->pe);
}

static bool is_mode(const struct bench_options *options, const char *mode)
{
	return options->mode && strcmp(options->mode, mode) == 0;
}

int main(int argc, char **argv)
{
	static const size_t default_sizes[] = {8};
	struct bench_options options;
	struct msgq_config config = {.thread = take_in_turns};
	void (*take_turn)(struct run * run, uint8_t count) = send;
	uint8_t batch = BATCH;
	uint64_t messages;
	struct run run = {0};

	options_parse(&options, argc, argv);
	options_default_sizes(&options, default_sizes, 1);
	messages = options.messages ? options.messages : MESSAGES;
	if (is_mode(&options, "thread")) {
		config.thread = serve_in_turns;
		batch = 1;
	} else if (is_mode(&options, "back")) {
		config.thread = send_in_turns;
		take_turn = receive;
	}
	if (pipe(run.to_dpa) || pipe(run.to_cpu))
		bench_fail("cannot create pipes");
	config.handles = (struct msgq_handles){.from_cpu = run.to_dpa[0], .to_cpu = run.to_cpu[1]};
	msgq_open(&run.side, &config);
	msgq_set_message(&run.side, SINK, options.sizes[0]);
	msgq_submit(&run.side);
	wait_for_dpa(&run);
	for (uint64_t done = 0; done < messages; done += batch)
		take_turn(&run, batch);
	close(run.to_dpa[1]);
	while (run.side.free_count < MSGQ_SENDS)
		doca_pe_progress(run.side.pe);
	msgq_close(&run.side);
	return 0;
}
