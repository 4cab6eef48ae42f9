/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams of messages that can be predicted.
 */
#include "stream.h"

#include <stdlib.h>
#include <string.h>
#include "base/random.h"
#include "world.h"

#define PLACE_BITS 24

struct stream *stream_create(struct list_node *streams)
{
	struct stream *stream = calloc(1, sizeof(*stream));

	must(stream);
	stream->key = list_is_empty(streams)
			      ? 1
			      : container_of(streams->prev, struct stream, node)->key + 1;
	list_add_tail(streams, &stream->node);
	return stream;
}

void stream_destroy_all(struct list_node *streams)
{
	struct list_node *node;

	while ((node = list_pop(streams))) {
		struct stream *stream = container_of(node, struct stream, node);

		free(stream->places);
		free(stream);
	}
}

struct stream *stream_find(struct list_node *streams, const uint8_t *data)
{
	struct list_node *node;
	uint64_t name;

	memcpy(&name, data, STREAM_KEY_SIZE);
	list_for_each (node, streams)
		if (container_of(node, struct stream, node)->key == name >> PLACE_BITS)
			return container_of(node, struct stream, node);
	return NULL;
}

static void fill(struct random *random, uint8_t *bytes, uint32_t size)
{
	uint32_t i;

	for (i = 0; i + 8 <= size; i += 8) {
		uint64_t word = random_next(random);

		memcpy(&bytes[i], &word, 8);
	}
	for (; i < size; i++)
		bytes[i] = (uint8_t)random_next(random);
}

static void write_message(const struct stream *stream, uint32_t number, uint8_t *data, uint8_t *imm)
{
	const struct place *place = &stream->places[number];
	struct random random = {.state = stream->key * 0x9e3779b97f4a7c15u + number};

	fill(&random, imm, place->imm_size);
	fill(&random, data, place->size);
	if (place->names_key) {
		uint64_t name = stream->key << PLACE_BITS | number;

		memcpy(data, &name, STREAM_KEY_SIZE);
	}
}

uint32_t stream_add(struct stream *stream, uint32_t size, uint32_t imm_size, uint8_t *data,
		    uint8_t *imm)
{
	if (stream->count == stream->room) {
		stream->room = stream->room ? 2 * stream->room : 16;
		stream->places = realloc(stream->places, stream->room * sizeof(*stream->places));
		must(stream->places);
	}
	stream->places[stream->count] = (struct place){
		.size = size, .imm_size = imm_size, .names_key = size >= STREAM_KEY_SIZE};
	write_message(stream, stream->count, data, imm);
	return stream->count++;
}

void stream_drop_last(struct stream *stream)
{
	must(stream->count && stream->places[stream->count - 1].fate == PLACE_SUBMITTED);
	must(!stream->places[--stream->count].received);
}

void stream_tell(struct stream *stream, uint32_t place, enum place_fate fate)
{
	must(place < stream->count && stream->places[place].fate == PLACE_SUBMITTED);
	must(fate != PLACE_FAILED || !stream->places[place].received);
	stream->places[place].fate = fate;
	stream->is_named |= fate == PLACE_SENT && stream->places[place].names_key;
}

static bool is_message(const struct stream *stream, uint32_t number, const uint8_t *data,
		       uint32_t size, const uint8_t *imm, uint32_t imm_size)
{
	const struct place *place = &stream->places[number];
	uint8_t expected_imm[STREAM_IMM_MAX], *expected;
	bool is_same;

	if (place->size != size || place->imm_size != imm_size)
		return false;
	expected = malloc(size ? size : 1);
	must(expected);
	write_message(stream, number, expected, expected_imm);
	is_same = (!size || !memcmp(expected, data, size)) &&
		  (!imm_size || !memcmp(expected_imm, imm, imm_size));
	free(expected);
	return is_same;
}

/* May the receiver never see the message? */
static bool may_miss(const struct stream *stream, uint32_t number)
{
	return stream->places[number].fate != PLACE_SENT || stream->is_torn;
}

const char *stream_receive(struct stream *stream, const uint8_t *data, uint32_t size,
			   const uint8_t *imm, uint32_t imm_size)
{
	uint32_t number;

	for (number = stream->next; number < stream->count; number++) {
		if (is_message(stream, number, data, size, imm, imm_size)) {
			if (stream->places[number].fate == PLACE_FAILED)
				return "a message came whose sender was told that it failed";
			stream->places[number].received = true;
			stream->next = number + 1;
			return NULL;
		}
		if (!may_miss(stream, number))
			return "not the next message: loss, duplicate, disorder or wrong bytes";
	}
	return "not a message of this stream, or one that came before";
}

const char *stream_check_sent(const struct stream *stream)
{
	uint32_t number;

	for (number = 0; number < stream->count; number++)
		if (!stream->places[number].received && !may_miss(stream, number))
			return "a message was sent and did not come";
	return NULL;
}

const char *stream_end(const struct stream *stream, bool is_whole)
{
	uint32_t number;

	for (number = 0; number < stream->count; number++) {
		const struct place *place = &stream->places[number];

		if (place->fate == PLACE_SUBMITTED)
			return "a sender was never told of its message";
		if (place->received && place->fate == PLACE_FAILED)
			return "a message came, and its sender was told that it failed";
	}
	return is_whole ? stream_check_sent(stream) : NULL;
}
