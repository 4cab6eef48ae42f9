/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doca_comm_channel in turns, for counting instructions; see comch_turns.h.
 */
#include "comch_turns.h"
#include "comm_channel_side.h"
#include "lib/options.h"
#include "lib/pair.h"

#define HELLO_SIZE 1

static const size_t default_sizes[] = {8};
static const uint8_t message[CHANNEL_MSG_SIZE];

struct lockstep {
	struct turns turns;
	struct channel channel;
	size_t size; /* of what is sent */
};

static void receive(void *arg)
{
	struct lockstep *lockstep = arg;
	uint8_t buffer[CHANNEL_MSG_SIZE];

	channel_receive(&lockstep->channel, buffer);
	lockstep->turns.received++;
}

static void serve(void *arg)
{
	struct lockstep *lockstep = arg;

	channel_listen(&lockstep->channel);
	receive(lockstep); /* the hello: from here on it may block */
	turns_receive_by(&lockstep->turns, receive, lockstep);
	channel_close(&lockstep->channel);
}

static void submit(void *arg)
{
	struct lockstep *lockstep = arg;

	channel_send(&lockstep->channel, message, lockstep->size);
}

static void wait_all_sent(void *arg)
{
	(void)arg; /* a message is sent when the call returns */
}

int main(int argc, char **argv)
{
	struct bench_options options;
	struct lockstep lockstep;
	struct turns_sender sender = {submit, NULL, wait_all_sent, &lockstep};
	pid_t child;

	options_parse(&options, argc, argv);
	options_default_sizes(&options, default_sizes, 1);
	turns_init(&lockstep.turns);
	channel_init(&lockstep.channel);
	child = pair_fork(options.cpu, serve, &lockstep);
	channel_connect(&lockstep.channel);
	channel_send(&lockstep.channel, message, HELLO_SIZE);
	for (size_t i = 0; i < options.size_count; i++) {
		lockstep.size = options.sizes[i];
		turns_send(&lockstep.turns, &sender, lockstep.size,
			   options.messages ? options.messages : TURNS_MESSAGES);
	}
	turns_finish(&lockstep.turns);
	channel_close(&lockstep.channel);
	pair_join(child);
	return 0;
}
