/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The words through which one process sleeps and another one wakes it.
 *
 *	sleeper: asleep = 1; barrier; look for work; sleep
 *	waker:   publish work; if (asleep) wake
 *
 * Two kinds of barrier will do. membarrier() (barrier.h) spares the waker a fence, and the waker
 * goes this way millions of times a second; but it costs the sleeper microseconds, because it
 * interrupts every other processor. So a sleeper that sleeps between any two messages asks its
 * wakers, by `fences`, for a fence after each publication, and then needs no more than a fence
 * itself. Only the asking takes membarrier(): a waker that has not seen it by then has published
 * before. When the sleeper has been awake for a while, it takes the request back.
 *
 * Where a process cannot use membarrier, both use fences for good.
 */
#ifndef SOFTFIELD_BASE_SLEEPER_H
#define SOFTFIELD_BASE_SLEEPER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/barrier.h"

/* `fences`: each bit has one writer or is only ever set */
#define SLEEPER_ASKS  1u /* the sleeper, while it sleeps often */
#define SLEEPER_NEEDS 2u /* either side, at its set-up: it cannot use membarrier() */

/* work found in so many polls without sleep: the sleeper does not sleep often any more */
#define SLEEPER_AWAKE 256u

/* Read after each publication, written rarely: on a line with nothing that is written often. */
struct sleeper_shared {
	union {
		struct {
			_Atomic uint32_t asleep; /* sleeper sets, whoever wakes it clears */
			_Atomic uint32_t fences;
		};
		_Atomic uint64_t both;
	};
};

/* The sleeper's own. */
struct sleeper {
	struct sleeper_shared *shared;
	bool asked;	/* and a heavy barrier has passed since */
	uint32_t awake; /* polls with work since the last sleep */
};

/* Either side, before the first publication. */
static inline void sleeper_join(struct sleeper_shared *shared)
{
	if (!priv_barrier_register())
		atomic_fetch_or_explicit(&shared->fences, SLEEPER_NEEDS, memory_order_relaxed);
}

static inline void sleeper_init(struct sleeper *sleeper, struct sleeper_shared *shared)
{
	*sleeper = (struct sleeper){.shared = shared};
	sleeper_join(shared);
}

/* Announces a sleep. Follow it with a heavy barrier and another look. */
static inline void sleeper_mark(struct sleeper_shared *shared)
{
	atomic_store_explicit(&shared->asleep, 1, memory_order_relaxed);
}

/*
 * The same, for a sleeper that may sleep between any two messages. Follow it with a fence if true,
 * else with a heavy barrier, and another look. often: it is not the only sleep in a short time.
 */
static inline bool sleeper_announce(struct sleeper *sleeper, bool often)
{
	sleeper_mark(sleeper->shared);
	sleeper->awake = 0;
	if (sleeper->asked)
		return true;
	if (often)
		atomic_fetch_or_explicit(&sleeper->shared->fences, SLEEPER_ASKS,
					 memory_order_relaxed);
	sleeper->asked = often;
	return false;
}

static inline void sleeper_revoke(struct sleeper *sleeper)
{
	atomic_store_explicit(&sleeper->shared->asleep, 0, memory_order_relaxed);
}

/* A poll has found work. */
static inline void sleeper_note_work(struct sleeper *sleeper)
{
	if (__builtin_expect(!sleeper->asked, 1) || ++sleeper->awake < SLEEPER_AWAKE)
		return;
	sleeper->asked = false;
	atomic_fetch_and_explicit(&sleeper->shared->fences, ~SLEEPER_ASKS, memory_order_relaxed);
}

/* After a publication, for wakers: is sleeper_wants_wake() worth asking? One look at both words. */
static inline bool sleeper_may_want_wake(const struct sleeper_shared *shared)
{
	atomic_signal_fence(memory_order_seq_cst);
	/* Relaxed: without fences on our side the sleeper's heavy barrier orders it. */
	return __builtin_expect(atomic_load_explicit(&shared->both, memory_order_relaxed) != 0, 0);
}

/* After a publication, for wakers: must the sleeper be woken? Says so once. */
static inline bool sleeper_wants_wake(struct sleeper_shared *shared)
{
	if (!sleeper_may_want_wake(shared))
		return false;
	if (atomic_load_explicit(&shared->fences, memory_order_relaxed))
		atomic_thread_fence(memory_order_seq_cst);
	/* Relaxed: ordered against the publication by one barrier or the other. */
	return atomic_load_explicit(&shared->asleep, memory_order_relaxed) &&
	       atomic_exchange_explicit(&shared->asleep, 0, memory_order_relaxed);
}

#endif
