/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whose turn it is.
 */
#include <stdbool.h>
#include <unistd.h>
#include "comch_side.h"
#include "comch_turns.h"
#include "lib/pair.h"

#define HELLO_SIZE 1

void turns_init(struct turns *turns)
{
	if (pipe(turns->to_receiver) || pipe(turns->to_sender))
		bench_fail("cannot create pipes");
	turns->received = 0;
}

/* The token is the number of messages that have been sent in the turn. */
static void pass(const int pipe_fd[2], uint8_t sent)
{
	if (write(pipe_fd[1], &sent, 1) != 1)
		bench_fail("cannot pass the turn");
}

/* false: the other side has closed its end */
static bool wait_turn(const int pipe_fd[2], uint8_t *ret_sent)
{
	return read(pipe_fd[0], ret_sent, 1) == 1;
}

void turns_say_hello(const struct turns *turns, struct comch_side *sender)
{
	struct comch_pool *pool = comch_pool_get(sender, HELLO_SIZE, 1);
	uint8_t nothing;

	comch_submit(comch_slot_take(pool));
	comch_wait_all_sent(pool);
	if (!wait_turn(turns->to_sender, &nothing))
		bench_fail("the receiver has left");
}

void turns_wait_hello(const struct turns *turns, struct comch_side *receiver)
{
	while (turns->received == 0)
		doca_pe_progress(receiver->pe);
	pass(turns->to_sender, 0);
}

void turns_receive(struct turns *turns, struct doca_pe *pe)
{
	uint64_t expected = 1; /* the hello; what follows may have come together with it */
	uint8_t sent;

	close(turns->to_receiver[1]);
	while (wait_turn(turns->to_receiver, &sent)) {
		expected += sent;
		while (turns->received < expected)
			doca_pe_progress(pe);
		pass(turns->to_sender, 0);
	}
}

void turns_receive_by(struct turns *turns, void (*receive)(void *arg), void *arg)
{
	uint64_t expected = 1; /* the hello */
	uint8_t sent;

	close(turns->to_receiver[1]);
	while (wait_turn(turns->to_receiver, &sent)) {
		expected += sent;
		while (turns->received < expected)
			receive(arg);
		pass(turns->to_sender, 0);
	}
}

static uint8_t batch_of(size_t size)
{
	size_t fitting = TURNS_BYTES / size;

	if (fitting > TURNS_BATCH)
		return TURNS_BATCH;
	return fitting ? (uint8_t)fitting : 1;
}

void turns_send(struct turns *turns, const struct turns_sender *sender, size_t size,
		uint64_t messages)
{
	uint8_t batch = batch_of(size), nothing;

	for (uint64_t sent = 0; sent < messages; sent += batch) {
		for (int i = 0; i < batch; i++)
			sender->submit(sender->arg);
		if (sender->flush)
			sender->flush(sender->arg);
		pass(turns->to_receiver, batch);
		if (!wait_turn(turns->to_sender, &nothing))
			bench_fail("the receiver has left");
		sender->wait_all_sent(sender->arg);
	}
}

void turns_finish(struct turns *turns)
{
	close(turns->to_receiver[1]);
}
