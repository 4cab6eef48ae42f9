/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two words in lines of their own, each written by one thread.
 */
#include "cacheline.h"

#include <pthread.h>
#include <stdatomic.h>
#include "latency.h"

#define STOP	UINT64_MAX
#define WARM_UP 1000

struct lines {
	_Alignas(256) _Atomic uint64_t ping; /* 256: no prefetcher brings the neighbour along */
	_Alignas(256) _Atomic uint64_t pong;
	int cpu; /* of the thread that answers */
};

static inline void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void *answer(void *arg)
{
	struct lines *lines = arg;
	uint64_t seen = 0;

	cpus_pin(lines->cpu);
	for (;;) {
		/* Acquire: pairs with the release of ping. */
		uint64_t ping = atomic_load_explicit(&lines->ping, memory_order_acquire);

		if (ping == STOP)
			return NULL;
		if (ping == seen) {
			relax();
			continue;
		}
		seen = ping;
		/* Release: pairs with the acquire of pong. */
		atomic_store_explicit(&lines->pong, ping, memory_order_release);
	}
}

static void round_trip(struct lines *lines, uint64_t number)
{
	atomic_store_explicit(&lines->ping, number, memory_order_release);
	while (atomic_load_explicit(&lines->pong, memory_order_acquire) != number)
		relax();
}

bool cacheline_measure(int other_cpu, unsigned int count, uint64_t clock_cost, struct times *times)
{
	struct lines lines = {.cpu = other_cpu};
	uint64_t number = 0, before;
	pthread_t thread;

	if (pthread_create(&thread, NULL, answer, &lines) != 0)
		return false;
	while (number < WARM_UP)
		round_trip(&lines, ++number);
	before = clock_ns();
	while (number < WARM_UP + count) {
		uint64_t now;

		round_trip(&lines, ++number);
		now = clock_ns();
		times_add(times, (float)(int64_t)(now - before - clock_cost) / 2);
		before = now;
	}
	atomic_store_explicit(&lines.ping, STOP, memory_order_release);
	pthread_join(thread, NULL);
	return true;
}
