/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control path in turns, for counting instructions; see comch_turns.h.
 */
#include "comch_side.h"
#include "comch_turns.h"
#include "lib/pair.h"

static const size_t default_sizes[] = {8};

static void count(struct comch_side *side, const uint8_t *message, uint32_t size)
{
	struct turns *turns = side->config.arg;

	(void)message;
	(void)size;
	turns->received++;
}

static void serve(struct comch_side *side)
{
	turns_wait_hello(side->config.arg, side);
	turns_receive(side->config.arg, side->pe);
}

static void submit(void *arg)
{
	comch_submit(comch_slot_take(arg));
}

static void wait_all_sent(void *arg)
{
	comch_wait_all_sent(arg);
}

int main(int argc, char **argv)
{
	struct bench_options options;
	struct turns turns;
	struct comch_config client = {.on_message = count, .arg = &turns};
	struct comch_config server = {.on_message = count, .serve = serve, .arg = &turns};
	struct comch_pair pair;

	options_parse(&options, argc, argv);
	options_default_sizes(&options, default_sizes, 1);
	turns_init(&turns);
	comch_pair_open(&pair, &options, &client, &server);
	turns_say_hello(&turns, &pair.client);
	for (size_t i = 0; i < options.size_count; i++) {
		struct turns_sender sender = {submit, NULL, wait_all_sent, NULL};
		size_t size = options.sizes[i];

		sender.arg = comch_pool_get(&pair.client, (uint32_t)size, TURNS_BATCH);
		turns_send(&turns, &sender, size,
			   options.messages ? options.messages : TURNS_MESSAGES);
	}
	turns_finish(&turns);
	comch_pair_close(&pair);
	return 0;
}
