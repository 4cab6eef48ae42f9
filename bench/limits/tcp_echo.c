/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limit of a storage target over TCP: messages of the sizes that NVMe/TCP has, asked for and
 * answered on loopback by two processes that poll, with nothing in between. Every message starts
 * with a struct tag, both ways; data is received and not looked at.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "options.h"
#include "pair.h"
#include "wire.h"

#define RX_SIZE (256u << 10)

struct tag {
	uint32_t slot;
	uint32_t is_data; /* of a request: that was asked for; of an answer: asks for it */
};

struct echo {
	int sock[2];
	struct wire wire;
	/* the side that answers */
	struct tag tag; /* of the message that is coming, and how much of it still is */
	size_t left;
	uint8_t *tx;
	size_t tx_size;
};

static void fill(uint8_t *request, unsigned int slot, uint64_t number, void *arg)
{
	const struct tag tag = {.slot = slot};

	(void)number;
	(void)arg;
	memcpy(request, &tag, sizeof(tag));
}

static unsigned int slot_of(const uint8_t *answer, bool *wants_data, void *arg)
{
	struct tag tag;

	(void)arg;
	memcpy(&tag, answer, sizeof(tag));
	*wants_data = tag.is_data;
	return tag.slot;
}

static void fill_data(uint8_t *header, const uint8_t *answer, void *arg)
{
	(void)arg;
	memcpy(header, answer, sizeof(struct tag));
}

/*
 * The side that answers
 */

static void begin(struct echo *echo, const uint8_t *message)
{
	memcpy(&echo->tag, message, sizeof(echo->tag));
	echo->left = echo->tag.is_data ? echo->wire.data_size : echo->wire.request_size;
}

/* the message has come to its end */
static void finish(struct echo *echo)
{
	const struct tag tag = {
		.slot = echo->tag.slot,
		.is_data = echo->wire.data_size && !echo->tag.is_data,
	};

	memcpy(echo->tx + echo->tx_size, &tag, sizeof(tag));
	echo->tx_size += echo->wire.answer_size;
}

/* returns how many bytes have been used: all but the pieces of a tag */
static size_t take(struct echo *echo, const uint8_t *rx, size_t size)
{
	size_t at = 0, part;

	while (echo->left || size - at >= sizeof(struct tag)) {
		if (!echo->left)
			begin(echo, rx + at);
		part = echo->left < size - at ? echo->left : size - at;
		at += part;
		echo->left -= part;
		if (echo->left)
			break;
		finish(echo);
	}
	return at;
}

static void answer(void *arg)
{
	struct echo *echo = arg;
	uint8_t *rx = malloc(RX_SIZE);
	size_t size = 0, used, n;

	close(echo->sock[0]);
	echo->tx = calloc(echo->wire.depth, echo->wire.answer_size);
	if (!rx || !echo->tx)
		bench_fail("no memory");
	while ((n = wire_receive(echo->sock[1], rx + size, RX_SIZE - size))) {
		size += n;
		used = take(echo, rx, size);
		size -= used;
		memmove(rx, rx + used, size);
		wire_send_all(echo->sock[1], echo->tx, echo->tx_size);
		echo->tx_size = 0;
	}
}

static void run(void *arg, bool write, size_t size, unsigned int depth)
{
	const struct bench_options *options = arg;
	struct echo echo = {
		.wire =
			{
				.depth = depth,
				.fill = fill,
				.slot_of = slot_of,
				.fill_data = fill_data,
			},
	};
	struct wire_result result;
	pid_t child;

	wire_set_sizes(&echo.wire, write, size);
	wire_connect(echo.sock);
	child = pair_fork(options->cpu, answer, &echo);
	close(echo.sock[1]);
	echo.wire.sock = echo.sock[0];
	result = wire_run(&echo.wire, options->point_ns);
	close(echo.sock[0]);
	pair_join(child);
	wire_report("limit_tcp_echo", write, size, depth, &result);
}

int main(int argc, char **argv)
{
	struct bench_options options;

	options_parse(&options, argc, argv);
	wire_for_each_point(run, &options);
	return 0;
}
