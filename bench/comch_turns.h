/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages without any waiting, for counting instructions: the two sides take turns over pipes, a
 * batch of messages at a time, so no empty poll is ever made and every run does the same. Callgrind
 * counts only inside turns_send() and turns_receive*(). See `run.py instructions`.
 */
#ifndef SOFTFIELD_BENCH_COMCH_TURNS_H
#define SOFTFIELD_BENCH_COMCH_TURNS_H

#include <stddef.h>
#include <stdint.h>

#define TURNS_BATCH    32   /* messages of a turn, at most */
#define TURNS_BYTES    8192 /* likewise; more might wait for room in the receiver's queue */
#define TURNS_MESSAGES 3200 /* unless --messages says otherwise */

struct comch_side;
struct doca_pe;

struct turns {
	int to_receiver[2], to_sender[2]; /* pipes */
	uint64_t received;		  /* receiver: counted by its callback, with the hello */
};

struct turns_sender {
	void (*submit)(void *arg); /* one message */
	void (*flush)(void *arg);  /* what was submitted; NULL: it has gone */
	void (*wait_all_sent)(void *arg);
	void *arg;
};

/* before the fork */
void turns_init(struct turns *turns);

/*
 * Both sides, before the first turn: a message on the control path says that the sender is
 * connected, and a token that the receiver has posted what it posts, so that both may block from
 * here on. The receiver's callback must count the message.
 */
void turns_say_hello(const struct turns *turns, struct comch_side *sender);
void turns_wait_hello(const struct turns *turns, struct comch_side *receiver);

/* receiver: until the sender has finished */
void turns_receive(struct turns *turns, struct doca_pe *pe);
/* the same for one without a progress engine; receive() counts */
void turns_receive_by(struct turns *turns, void (*receive)(void *arg), void *arg);

/* at least so many messages of this size */
void turns_send(struct turns *turns, const struct turns_sender *sender, size_t size,
		uint64_t messages);
void turns_finish(struct turns *turns);

#endif
