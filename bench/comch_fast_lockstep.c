/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fast path in turns, for counting instructions; see comch_turns.h. Modes "batch", "fresh", "heap"
 * and "imm" as of comch_fast.c. Mode "imm_batch": two of them.
 */
#include <string.h>
#include "comch_fast_side.h"
#include "comch_turns.h"
#include "lib/pair.h"

static const size_t default_sizes[] = {8};

struct run {
	struct turns turns;
	struct fast_config config;
	struct fast_side side;
	size_t size; /* of the messages being sent */
	uint32_t flags;
};

static void count(struct fast_side *side, uint8_t first_byte, size_t size)
{
	struct run *run = side->config.arg;

	(void)first_byte;
	(void)size;
	run->turns.received++;
}

static void count_control(struct comch_side *side, const uint8_t *message, uint32_t size)
{
	struct run *run = side->config.arg;

	(void)message;
	(void)size;
	run->turns.received++;
}

static void serve(struct comch_side *control)
{
	struct run *run = control->config.arg;

	fast_open(&run->side, control, &run->config);
	turns_wait_hello(&run->turns, control);
	turns_receive(&run->turns, run->side.pe);
	while (!control->gone)
		doca_pe_progress(control->pe);
	fast_close(&run->side);
}

static void submit(void *arg)
{
	struct run *run = arg;

	fast_submit(fast_slot_take(&run->side), run->size, run->flags);
}

static void flush(void *arg)
{
	struct run *run = arg;

	fast_flush(&run->side);
}

static void wait_all_sent(void *arg)
{
	struct run *run = arg;

	fast_wait_all_sent(&run->side);
}

static bool is_mode(const struct bench_options *options, const char *name)
{
	return options->mode && strcmp(options->mode, name) == 0;
}

int main(int argc, char **argv)
{
	struct bench_options options;
	struct run run = {
		.config = {.window = FAST_WINDOW, .on_message = count, .arg = &run},
		.flags = DOCA_TASK_SUBMIT_FLAG_FLUSH,
	};
	struct turns_sender sender = {submit, NULL, wait_all_sent, &run};
	struct comch_config client = {.on_message = count_control, .arg = &run};
	struct comch_config server = {.on_message = count_control, .serve = serve, .arg = &run};
	struct comch_pair pair;

	options_parse(&options, argc, argv);
	options_default_sizes(&options, default_sizes, 1);
	run.config.max_size = fast_max_size(&options);
	if (is_mode(&options, "batch") || is_mode(&options, "imm_batch")) {
		run.flags = DOCA_TASK_SUBMIT_FLAG_NONE;
		sender.flush = flush;
	}
	run.config.fresh = is_mode(&options, "fresh");
	run.config.heap = is_mode(&options, "heap");
	run.config.imm = is_mode(&options, "imm") || is_mode(&options, "imm_batch");
	turns_init(&run.turns);
	comch_pair_open(&pair, &options, &client, &server);
	fast_open(&run.side, &pair.client, &run.config);
	turns_say_hello(&run.turns, &pair.client);
	for (size_t i = 0; i < options.size_count; i++) {
		run.size = options.sizes[i];
		turns_send(&run.turns, &sender, run.size,
			   options.messages ? options.messages : TURNS_MESSAGES);
	}
	turns_finish(&run.turns);
	fast_close(&run.side);
	comch_pair_close(&pair);
	return 0;
}
