/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asking over TCP. Both sides poll: what is measured is the way, not the wake-up.
 */
#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "clock.h"
#include "pair.h"
#include "report.h"

void wire_connect(int sock[2])
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(addr);
	const int on = 1;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	sock[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener < 0 || sock[0] < 0 || bind(listener, (struct sockaddr *)&addr, size) ||
	    listen(listener, 1) || getsockname(listener, (struct sockaddr *)&addr, &size) ||
	    connect(sock[0], (struct sockaddr *)&addr, size))
		bench_fail("cannot connect on loopback: %s", strerror(errno));
	sock[1] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (sock[1] < 0)
		bench_fail("cannot accept: %s", strerror(errno));
	close(listener);
	setsockopt(sock[0], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(sock[1], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

void wire_send_all(int sock, const void *data, size_t size)
{
	const char *p = data;

	while (size) {
		ssize_t n = send(sock, p, size, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			bench_fail("cannot send: %s", strerror(errno));
		if (n < 0)
			continue;
		p += n;
		size -= (size_t)n;
	}
}

size_t wire_receive(int sock, void *data, size_t size)
{
	ssize_t n;

	while ((n = recv(sock, data, size, MSG_DONTWAIT)) < 0)
		if (errno != EAGAIN && errno != EINTR)
			bench_fail("cannot receive: %s", strerror(errno));
	return (size_t)n;
}

struct asking {
	const struct wire *wire;
	uint8_t *tx, *rx;
	size_t tx_size, rx_size;
	uint64_t number;
	uint64_t asked[WIRE_DEPTH_MAX]; /* ticks, by slot */
	struct samples samples;
};

/* the next request of a slot, behind the others of this round */
static void ask(struct asking *a, unsigned int slot)
{
	const struct wire *wire = a->wire;

	wire->fill(a->tx + a->tx_size, slot, a->number++, wire->arg);
	a->tx_size += wire->request_size;
	a->asked[slot] = clock_ticks();
}

static void send_data(struct asking *a, const uint8_t *answer)
{
	a->wire->fill_data(a->tx + a->tx_size, answer, a->wire->arg);
	a->tx_size += a->wire->data_size;
}

static void flush(struct asking *a)
{
	wire_send_all(a->wire->sock, a->tx, a->tx_size);
	a->tx_size = 0;
}

/* takes what has come; asks again unless it is over. Returns how many requests are finished. */
static unsigned int take_answers(struct asking *a, bool again)
{
	const struct wire *wire = a->wire;
	const size_t room = wire->depth * wire->answer_size;
	const size_t n = wire_receive(wire->sock, a->rx + a->rx_size, room - a->rx_size);
	unsigned int answers = 0;
	size_t at = 0;

	if (!n)
		bench_fail("the target has closed the connection");
	a->rx_size += n;
	for (; a->rx_size - at >= wire->answer_size; at += wire->answer_size) {
		bool wants_data = false;
		const unsigned int slot = wire->slot_of(a->rx + at, &wants_data, wire->arg);

		if (wants_data) {
			send_data(a, a->rx + at);
			continue;
		}
		if (!samples_full(&a->samples))
			samples_add(&a->samples, clock_ticks() - a->asked[slot]);
		answers++;
		if (again)
			ask(a, slot);
	}
	a->rx_size -= at;
	memmove(a->rx, a->rx + at, a->rx_size);
	flush(a);
	return answers;
}

void wire_set_sizes(struct wire *wire, bool write, size_t size)
{
	const bool ask_first = write && size > WIRE_WITH_REQUEST;

	wire->request_size = WIRE_HEADER_SIZE + (write && !ask_first ? size : 0);
	wire->answer_size = write ? WIRE_ANSWER_SIZE : WIRE_READ_OVERHEAD + size;
	wire->data_size = ask_first ? WIRE_DATA_HEADER + size : 0;
}

static uint8_t *buffer(size_t size)
{
	uint8_t *memory = malloc(size);

	if (!memory)
		bench_fail("no memory");
	memset(memory, 0, size);
	return memory;
}

static void init(struct asking *a, const struct wire *wire)
{
	memset(a, 0, sizeof(*a));
	a->wire = wire;
	a->tx = buffer(wire->depth * (wire->request_size + wire->data_size));
	a->rx = buffer(wire->depth * wire->answer_size);
	samples_init(&a->samples);
}

static void fini(struct asking *a)
{
	samples_fini(&a->samples);
	free(a->tx);
	free(a->rx);
}

static void ask_all(struct asking *a)
{
	for (unsigned int slot = 0; slot < a->wire->depth; slot++)
		ask(a, slot);
	flush(a);
}

static void take_all(struct asking *a)
{
	unsigned int left = a->wire->depth;

	while (left)
		left -= take_answers(a, false);
}

struct wire_result wire_run(const struct wire *wire, uint64_t duration_ns)
{
	static struct asking a;
	struct wire_result result = {0};
	uint64_t start_ns = clock_ns(), now_ns;

	init(&a, wire);
	ask_all(&a);
	do {
		result.count += take_answers(&a, true);
		now_ns = clock_ns();
	} while (now_ns - start_ns < duration_ns);
	result.elapsed_ns = (double)(now_ns - start_ns);
	take_all(&a);
	samples_drop_warmup(&a.samples);
	result.p50_ns = samples_percentile(&a.samples, 50);
	fini(&a);
	return result;
}

void wire_count(const struct wire *wire, uint64_t count)
{
	static struct asking a;

	init(&a, wire);
	for (uint64_t done = 0; done < count; done += wire->depth) {
		ask_all(&a);
		take_all(&a);
	}
	fini(&a);
}

void wire_for_each_point(void (*run)(void *arg, bool write, size_t size, unsigned int depth),
			 void *arg)
{
	static const unsigned int depths[] = {1, 32, WIRE_DEPTH_MAX};

	for (int write = 0; write < 2; write++)
		for (unsigned int i = 0; i < 3; i++)
			run(arg, write, 4096, depths[i]);
	for (int write = 0; write < 2; write++)
		for (unsigned int i = 0; i < 2; i++)
			run(arg, write, 131072, depths[i]);
}

void wire_report(const char *peer, bool write, size_t size, unsigned int depth,
		 const struct wire_result *result)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_%s_qd%u", peer, write ? "write" : "read", depth);
	report_row(name, "command_p50", size, result->p50_ns, "ns");
	report_rate(name, size, result->count, result->elapsed_ns);
}
