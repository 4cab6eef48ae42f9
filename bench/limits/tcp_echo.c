/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limit of a storage target over TCP: messages of the sizes that NVMe/TCP has, asked for and
 * answered on loopback by two processes that poll, with nothing in between.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "options.h"
#include "pair.h"
#include "wire.h"

struct echo {
	int sock[2];
	size_t request_size, answer_size;
	unsigned int depth;
	const struct bench_options *options;
};

/* the slot is in the first bytes, both ways */
static void fill(uint8_t *request, unsigned int slot, uint64_t number, void *arg)
{
	(void)number;
	(void)arg;
	memcpy(request, &slot, sizeof(slot));
}

static unsigned int slot_of(const uint8_t *answer, void *arg)
{
	unsigned int slot;

	(void)arg;
	memcpy(&slot, answer, sizeof(slot));
	return slot;
}

static void answer(void *arg)
{
	struct echo *echo = arg;
	size_t rx_size = 0, room = echo->depth * echo->request_size, n;
	uint8_t *rx = malloc(room), *tx = malloc(echo->depth * echo->answer_size);

	close(echo->sock[0]);
	if (!rx || !tx)
		bench_fail("no memory");
	memset(tx, 0, echo->depth * echo->answer_size);
	while ((n = wire_receive(echo->sock[1], rx + rx_size, room - rx_size))) {
		size_t at = 0, count = 0;

		rx_size += n;
		for (; rx_size - at >= echo->request_size; at += echo->request_size)
			memcpy(tx + count++ * echo->answer_size, rx + at, sizeof(unsigned int));
		rx_size -= at;
		memmove(rx, rx + at, rx_size);
		wire_send_all(echo->sock[1], tx, count * echo->answer_size);
	}
}

static void run(void *arg, bool write, size_t size, unsigned int depth)
{
	const struct bench_options *options = arg;
	struct echo echo = {
		.request_size = WIRE_HEADER_SIZE + (write ? size : 0),
		.answer_size = write ? WIRE_ANSWER_SIZE : WIRE_READ_OVERHEAD + size,
		.depth = depth,
	};
	struct wire wire = {
		.request_size = echo.request_size,
		.answer_size = echo.answer_size,
		.depth = depth,
		.fill = fill,
		.slot_of = slot_of,
	};
	struct wire_result result;
	pid_t child;

	wire_connect(echo.sock);
	child = pair_fork(options->cpu, answer, &echo);
	close(echo.sock[1]);
	wire.sock = echo.sock[0];
	result = wire_run(&wire, options->point_ns);
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
