/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What must hold on the fast path, whatever the programs do. A stream is what one producer sends to
 * one consumer. Each of its messages is predicted from the stream's key and the message's place, so
 * that the receiver can check all of it; what becomes of each is kept.
 */
#ifndef SOFTFIELD_TESTS_SIM_STREAM_H
#define SOFTFIELD_TESTS_SIM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/list.h"

#define STREAM_KEY_SIZE sizeof(uint64_t)
#define STREAM_IMM_MAX	32u

struct session;

enum place_fate { PLACE_SUBMITTED, PLACE_SENT, PLACE_FAILED };

/* One message of a stream. */
struct place {
	uint32_t size, imm_size;
	bool names_key; /* its data begins with the key of the stream and its place */
	bool received;
	enum place_fate fate; /* as its sender was told */
};

struct stream {
	struct list_node node; /* in the list of the run */
	uint64_t key;
	const struct session *session; /* of the sender */
	bool has_come;		       /* a message that names the key */
	uint32_t producer_id, consumer_id;
	struct place *places;
	uint32_t count, room;
	uint32_t next; /* the first place that has not been received or passed over */
	bool is_named; /* the sender knows that a message with the key has come */
	bool is_torn;  /* the receiver may have missed some */
};

/* A new one, without messages, in the list of all. */
struct stream *stream_create(struct list_node *streams);
void stream_destroy_all(struct list_node *streams);
/* of a message that names its key; NULL: there is none */
struct stream *stream_find(struct list_node *streams, const uint8_t *data);

/* Adds a place; data and imm get what is to be sent. Returns which one. */
uint32_t stream_add(struct stream *stream, uint32_t size, uint32_t imm_size, uint8_t *data,
		    uint8_t *imm);
/* takes the last place back: its submit was refused */
void stream_drop_last(struct stream *stream);
void stream_tell(struct stream *stream, uint32_t place, enum place_fate fate);

/* Is that the next message, and what it should be? NULL: yes. Else what is wrong with it. */
const char *stream_receive(struct stream *stream, const uint8_t *data, uint32_t size,
			   const uint8_t *imm, uint32_t imm_size);
/* NULL: every message that was sent has come, or may have been missed */
const char *stream_check_sent(const struct stream *stream);
/*
 * Nothing is under way any more. NULL: every message has been told of, and what was sent on a whole
 * connection has come. Else what is wrong.
 */
const char *stream_end(const struct stream *stream, bool is_whole);

#endif
