/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages without any waiting, for counting instructions: the sides take turns over pipes, a batch
 * of messages at a time, so no empty poll is ever made and every run does the same. The control
 * path, or, in mode "fast", the fast path. See `run.py instructions`.
 */
#include <string.h>
#include <unistd.h>
#include "comch_fast_side.h"
#include "lib/pair.h"

#define BATCH		 32
#define DEFAULT_MESSAGES 3200

static const size_t default_sizes[] = {8};

struct lockstep {
	bool fast;
	int to_receiver[2], to_sender[2]; /* pipes */
	uint32_t received;		  /* receiver: in this turn */
	struct fast_config fast_config;
	struct fast_side fast_side;
};

static void pass(const int pipe_fd[2])
{
	if (write(pipe_fd[1], "", 1) != 1)
		bench_fail("cannot pass the turn");
}

/* false: the other side has closed its end */
static bool wait_turn(const int pipe_fd[2])
{
	char byte;

	return read(pipe_fd[0], &byte, 1) == 1;
}

static void count_control(struct comch_side *side, const uint8_t *message, uint32_t size)
{
	struct lockstep *lockstep = side->config.arg;

	(void)message;
	(void)size;
	lockstep->received++;
}

static void count_fast(struct fast_side *side, uint8_t first_byte, size_t size)
{
	struct lockstep *lockstep = side->config.arg;

	(void)first_byte;
	(void)size;
	lockstep->received++;
}

/* Callgrind counts inside this function and send_in_turns() only, so they must exist as such. */
__attribute__((noinline)) static void receive_in_turns(struct lockstep *lockstep,
						       struct doca_pe *pe)
{
	while (wait_turn(lockstep->to_receiver)) {
		lockstep->received = 0;
		while (lockstep->received < BATCH)
			doca_pe_progress(pe);
		pass(lockstep->to_sender);
	}
}

static void serve(struct comch_side *side)
{
	struct lockstep *lockstep = side->config.arg;

	close(lockstep->to_receiver[1]);
	if (!lockstep->fast) {
		receive_in_turns(lockstep, side->pe);
		return;
	}
	fast_open(&lockstep->fast_side, side, &lockstep->fast_config);
	receive_in_turns(lockstep, lockstep->fast_side.pe);
	while (!side->gone)
		doca_pe_progress(side->pe);
	fast_close(&lockstep->fast_side);
}

static void send_control_batch(struct comch_pool *pool)
{
	for (int i = 0; i < BATCH; i++)
		comch_submit(comch_slot_take(pool));
}

static void send_fast_batch(struct fast_side *side, size_t size)
{
	for (int i = 0; i < BATCH; i++)
		fast_submit(fast_slot_take(side), size, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

__attribute__((noinline)) static void
send_in_turns(struct lockstep *lockstep, struct comch_pool *pool, size_t size, uint64_t messages)
{
	for (uint64_t sent = 0; sent < messages; sent += BATCH) {
		if (lockstep->fast)
			send_fast_batch(&lockstep->fast_side, size);
		else
			send_control_batch(pool);
		pass(lockstep->to_receiver);
		if (!wait_turn(lockstep->to_sender))
			bench_fail("the receiver has left");
		if (lockstep->fast)
			fast_wait_all_sent(&lockstep->fast_side);
		else
			comch_wait_all_sent(pool);
	}
}

static void send_all(struct lockstep *lockstep, struct comch_side *side,
		     const struct bench_options *options)
{
	if (lockstep->fast)
		fast_open(&lockstep->fast_side, side, &lockstep->fast_config);
	for (size_t i = 0; i < options->size_count; i++) {
		size_t size = options->sizes[i];
		struct comch_pool *pool =
			lockstep->fast ? NULL : comch_pool_get(side, (uint32_t)size, BATCH);

		send_in_turns(lockstep, pool, size, options->messages);
	}
	close(lockstep->to_receiver[1]);
	if (lockstep->fast)
		fast_close(&lockstep->fast_side);
}

int main(int argc, char **argv)
{
	struct bench_options options;
	struct lockstep lockstep = {.fast_config = {.on_message = count_fast, .arg = &lockstep}};
	struct comch_config client = {.on_message = count_control, .arg = &lockstep};
	struct comch_config server = {
		.on_message = count_control, .serve = serve, .arg = &lockstep};
	struct comch_pair pair;

	options_parse(&options, argc, argv);
	options_default_sizes(&options, default_sizes, 1);
	if (!options.messages)
		options.messages = DEFAULT_MESSAGES;
	lockstep.fast = options.mode && strcmp(options.mode, "fast") == 0;
	for (size_t i = 0; i < options.size_count; i++) {
		if (options.sizes[i] > lockstep.fast_config.max_size)
			lockstep.fast_config.max_size = options.sizes[i];
	}
	if (pipe(lockstep.to_receiver) || pipe(lockstep.to_sender))
		bench_fail("cannot create pipes");
	comch_pair_open(&pair, &options, &client, &server);
	send_all(&lockstep, &pair.client, &options);
	comch_pair_close(&pair);
	return 0;
}
