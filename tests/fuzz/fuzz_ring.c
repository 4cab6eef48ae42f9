/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A ring whose other end writes what it likes into the shared memory, at any moment. The first byte
 * chooses the end under test: a receiver on a ring of its own, or a sender on whatever the input
 * says is a ring. The rest is a script of what both do.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/ring.h"
#include "script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LINES	 16u
#define MOST	 256u
#define CAPACITY 200u

/* exactly so much, so that a byte beyond it is a finding */
static uint8_t *new_memory(size_t size)
{
	void *memory;

	if (posix_memalign(&memory, 128, size ? size : 1))
		abort();
	memset(memory, 0, size ? size : 1);
	return memory;
}

/* The other end writes a word or a byte somewhere. */
static void scribble(struct script *script, uint8_t *memory, size_t size)
{
	uint32_t at = next_number(script) % (uint32_t)size;

	if (next_byte(script) & 1 && at % 4 == 0 && at + 4 <= size) {
		uint32_t number = next_number(script);

		memcpy(memory + at, &number, sizeof(number));
	} else {
		memory[at] = next_byte(script);
	}
}

/* It publishes a line with any content. */
static void forge_line(struct script *script, struct ring_receiver *rx)
{
	uint32_t index = rx->tail + next_byte(script) % 4;
	struct ring_line *line = &rx->lines[index & rx->mask];

	line->size = next_byte(script) & 1 ? next_number(script) : next_byte(script);
	line->offset = next_byte(script) & 1 ? next_number(script) : next_byte(script);
	atomic_store(&line->seq, index + 1);
}

static void take_record(struct ring_receiver *rx)
{
	const struct ring_line *line = ring_peek(rx);
	uint8_t *buf = malloc(CAPACITY);
	uint32_t size;

	assert(buf);
	if (line) {
		if (ring_copy(rx, line, buf, CAPACITY, &size))
			assert(size <= CAPACITY);
		ring_pop(rx);
	}
	free(buf);
}

static void play_receiver(struct script *script)
{
	size_t size = priv_ring_memory_size(LINES, MOST);
	uint8_t *memory = new_memory(size);
	struct ring_receiver rx;

	priv_ring_receiver_init(&rx, memory, LINES, MOST);
	while (script->pos < script->end) {
		switch (next_byte(script) % 5) {
		case 0:
			scribble(script, memory, size);
			break;
		case 1:
			forge_line(script, &rx);
			break;
		case 2:
			take_record(&rx);
			break;
		case 3:
			ring_publish_tail(&rx);
			break;
		case 4:
			sleeper_announce(&rx.sleeper, true);
			sleeper_revoke(&rx.sleeper);
			break;
		}
	}
	free(memory);
}

static void push_record(struct script *script, struct ring_sender *tx)
{
	/* Its own sizes a sender knows to be within the slots'. */
	uint32_t size = (next_byte(script) & 1 ? next_byte(script) : next_number(script)) %
			(tx->slot_size + 1);
	uint8_t *data;

	if (!ring_has_room(tx))
		return;
	data = calloc(1, size ? size : 1);
	assert(data);
	ring_push(tx, 1, data, size);
	free(data);
	ring_wants_wake(tx);
}

/* a header that is right but for what the script changes, or anything at all */
static void lay_out(struct script *script, uint8_t *memory, size_t size)
{
	struct ring_receiver rx;
	size_t i;

	if (size >= priv_ring_memory_size(LINES, MOST) && next_byte(script) & 3)
		priv_ring_receiver_init(&rx, memory, LINES, MOST);
	else
		for (i = 0; i < size && i < sizeof(struct ring_shared); i++)
			memory[i] = next_byte(script);
	if (size && next_byte(script) & 1)
		scribble(script, memory, size);
}

static void play_sender(struct script *script)
{
	size_t size = next_number(script) % 8192;
	uint8_t *memory = new_memory(size);
	struct ring_sender tx;

	lay_out(script, memory, size);
	if (!priv_ring_sender_init(&tx, memory, size)) {
		while (script->pos < script->end) {
			if (next_byte(script) & 1)
				scribble(script, memory, size);
			else
				push_record(script, &tx);
		}
		priv_ring_sender_fini(&tx);
	}
	free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script script = {.pos = data, .end = data + size};

	if (next_byte(&script) & 1)
		play_receiver(&script);
	else
		play_sender(&script);
	return 0;
}
