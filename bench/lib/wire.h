/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One side of a TCP connection that sends requests of one size, so many at a time, and gets answers
 * of one size: what a host of a storage target does, and what the limit of it does. Data that does
 * not go with its request is asked for first, by an answer.
 */
#ifndef SOFTFIELD_BENCH_WIRE_H
#define SOFTFIELD_BENCH_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_DEPTH_MAX	   127u
#define WIRE_HEADER_SIZE   72u /* of a request, without its data */
#define WIRE_ANSWER_SIZE   24u
#define WIRE_READ_OVERHEAD 48u	 /* of an answer with data */
#define WIRE_DATA_HEADER   24u	 /* of data that was asked for */
#define WIRE_WITH_REQUEST  8192u /* bytes of data that go with a request */

struct wire {
	int sock;
	size_t request_size, answer_size;
	size_t data_size; /* with its header; 0: no answer asks for it */
	unsigned int depth;
	/* writes a request; number counts up */
	void (*fill)(uint8_t *request, unsigned int slot, uint64_t number, void *arg);
	/* whose answer it is; *wants_data: it asks for data and the real one follows */
	unsigned int (*slot_of)(const uint8_t *answer, bool *wants_data, void *arg);
	/* writes the header of the data that the answer asks for */
	void (*fill_data)(uint8_t *header, const uint8_t *answer, void *arg);
	void *arg;
};

struct wire_result {
	double count, elapsed_ns;
	double p50_ns; /* of one request, from before it is sent to its answer */
};

/* connected sockets, no Nagle; [0] asks, [1] answers */
void wire_connect(int sock[2]);
void wire_send_all(int sock, const void *data, size_t size);
/* polls until there is anything; 0: the other side has left */
size_t wire_receive(int sock, void *data, size_t size);
/* what goes over the wire for a read or write of so many bytes */
void wire_set_sizes(struct wire *wire, bool write, size_t size);
/* asks for so long */
struct wire_result wire_run(const struct wire *wire, uint64_t duration_ns);

/* asks so often, rounded up, in rounds of depth: whose work is counted does not depend on time */
void wire_count(const struct wire *wire, uint64_t count);

/* the points that are measured: of 4 KiB and of 128 KiB, reads and writes, at several depths */
void wire_for_each_point(void (*run)(void *arg, bool write, size_t size, unsigned int depth),
			 void *arg);
/* rows of one point */
void wire_report(const char *peer, bool write, size_t size, unsigned int depth,
		 const struct wire_result *result);

#endif
