/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same measurements for interfaces whose sends and receives are started and then waited for:
 * MPI, libfabric. Streams keep a window of messages in flight, as the benches of that world do.
 */
#ifndef SOFTFIELD_BENCH_WINDOW_H
#define SOFTFIELD_BENCH_WINDOW_H

#include <stddef.h>
#include "options.h"
#include "transport.h"

#define WINDOW_SIZE 64

struct window {
	const char *name;
	/* slot < WINDOW_SIZE, not in use */
	void (*start_send)(const void *message, size_t size, unsigned int slot);
	void (*start_recv)(void *buffer, size_t size, unsigned int slot);
	/* wait for the operations that were started in slots 0 to count - 1 */
	void (*wait_sends)(unsigned int count);
	void (*wait_recvs)(unsigned int count);
};

/* called in both processes, connected and pinned */
void window_bench(struct window *window, enum side side, const struct bench_options *options);

#endif
