/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limit of a message with a receive buffer: the least code that does what the fast path has to do.
 * The consumer posts buffers; the producer takes the next one, puts up to 48 bytes into a 64-byte
 * completion line, copies more straight into the consumer's memory, and publishes the line. One
 * producer, no wake-ups, no checks, always the same buffer.
 */
#include <stdatomic.h>
#include "clock.h"
#include "copy_kernel.h"
#include "pair.h"
#include "transport.h"

#define SLOTS	    256u
#define POSTED	    64u
#define INLINE_SIZE 48u
#define MOVSB_FROM  131072u
#define MAX_MESSAGE (16u << 20)

struct completion {
	_Alignas(64) _Atomic uint64_t seq;
	uint32_t size;
	uint32_t first_byte; /* of the message: what the receiver of a large one looks at */
	uint8_t data[INLINE_SIZE];
};

struct path {
	_Alignas(128) _Atomic uint64_t posted; /* by the consumer: number of buffers given so far */
	_Alignas(128) uint64_t offset[SLOTS];  /* by the consumer: where */
	_Alignas(128) struct completion completion[SLOTS];
	_Alignas(4096) uint8_t memory[MAX_MESSAGE]; /* the consumer's */
};

struct end {
	struct path *path[2]; /* by the producing side */
	struct path *out, *in;
	uint64_t sent, may_send, received, posted;
	uint8_t first_byte;
	bool movsb;
};

static void post(struct end *end)
{
	end->in->offset[end->posted % SLOTS] = 0;
	end->posted++;
	/* Release: pairs with the acquire in send_message(); publishes the offset. */
	atomic_store_explicit(&end->in->posted, end->posted, memory_order_release);
}

static void open_end(struct transport *transport, enum side side)
{
	struct end *end = transport->context;

	end->out = end->path[side];
	end->in = end->path[!side];
	end->movsb = copy_has_movsb();
	for (unsigned int i = 0; i < POSTED; i++)
		post(end);
}

static void copy_message(struct end *end, void *to, const void *from, size_t size)
{
	if (size == 8)
		memcpy(to, from, 8);
	else if (size >= MOVSB_FROM && end->movsb)
		copy_movsb(to, from, size);
	else
		memcpy(to, from, size);
}

static void send_message(struct transport *transport, const void *message, size_t size)
{
	struct end *end = transport->context;
	struct path *path = end->out;
	struct completion *completion = &path->completion[end->sent % SLOTS];
	void *to = completion->data;

	while (end->may_send == end->sent)
		end->may_send = atomic_load_explicit(&path->posted, memory_order_acquire);
	if (size > INLINE_SIZE)
		to = path->memory + path->offset[end->sent % SLOTS];
	copy_message(end, to, message, size);
	completion->size = (uint32_t)size;
	completion->first_byte = *(const uint8_t *)message;
	end->sent++;
	/* Release: pairs with the acquire in receive_message(); publishes line and memory. */
	atomic_store_explicit(&completion->seq, end->sent, memory_order_release);
}

static const uint8_t *receive_message(struct transport *transport, void *buffer, size_t size)
{
	struct end *end = transport->context;
	struct path *path = end->in;
	struct completion *completion = &path->completion[end->received % SLOTS];

	(void)buffer;
	(void)size;
	end->received++;
	while (atomic_load_explicit(&completion->seq, memory_order_acquire) != end->received)
		clock_relax();
	if (completion->size <= INLINE_SIZE)
		copy_message(end, path->memory, completion->data, completion->size);
	end->first_byte = (uint8_t)completion->first_byte;
	return &end->first_byte;
}

static void release_message(struct transport *transport)
{
	post(transport->context);
}

int main(int argc, char **argv)
{
	struct bench_options options;
	struct end end = {
		.path = {pair_shared(sizeof(struct path)), pair_shared(sizeof(struct path))}};
	struct transport transport = {
		.name = "limit_posted_copy",
		.max_size = MAX_MESSAGE,
		.open = open_end,
		.send = send_message,
		.recv = receive_message,
		.release = release_message,
		.context = &end,
	};

	options_parse(&options, argc, argv);
	transport_bench(&transport, &options);
	return 0;
}
