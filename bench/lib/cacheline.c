/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two words in lines of their own, each written by one side.
 */
#include <stdatomic.h>
#include <sys/mman.h>
#include "cacheline.h"
#include "clock.h"
#include "pair.h"

#define STOP UINT64_MAX

struct lines {
	_Alignas(256) _Atomic uint64_t ping; /* 256: no prefetcher brings the neighbour along */
	_Alignas(256) _Atomic uint64_t pong;
};

static void answer(void *arg)
{
	struct lines *lines = arg;
	uint64_t seen = 0, ping;

	for (;;) {
		/* Acquire: pairs with the release of ping below. */
		ping = atomic_load_explicit(&lines->ping, memory_order_acquire);
		if (ping == STOP)
			return;
		if (ping == seen) {
			clock_relax();
			continue;
		}
		seen = ping;
		/* Release: pairs with the acquire of pong. */
		atomic_store_explicit(&lines->pong, ping, memory_order_release);
	}
}

void cacheline_ping_pong(const int cpu[2], uint64_t duration_ns, struct samples *samples)
{
	struct lines *lines = pair_shared(sizeof(*lines));
	pid_t child = pair_fork(cpu, answer, lines);
	uint64_t end_ns = clock_ns() + duration_ns;
	uint64_t round = 0;

	samples->count = 0;
	while (!samples_full(samples) && (round % 16 != 0 || clock_ns() < end_ns)) {
		uint64_t start = clock_ticks();

		round++;
		atomic_store_explicit(&lines->ping, round, memory_order_release);
		while (atomic_load_explicit(&lines->pong, memory_order_acquire) != round)
			clock_relax();
		samples_add(samples, clock_ticks() - start);
	}
	atomic_store_explicit(&lines->ping, STOP, memory_order_release);
	pair_join(child);
	munmap(lines, sizeof(*lines));
}
