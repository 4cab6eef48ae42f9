/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doca_comch_consumer_completion: where DPA code finds what its consumers have received.
 *
 * A ring. The callbacks of the consumers' receives fill it; DPA code reads elements, and gives them
 * back later. A receive is posted only when there is room for its message: `used` counts elements
 * that are not given back, and receives that are posted. Others wait as what is owed to a consumer.
 */
#ifndef SOFTFIELD_COMCH_CONSUMER_COMPLETION_H
#define SOFTFIELD_COMCH_CONSUMER_COMPLETION_H

#include "comch/consumer.h"
#include "core/dpa_handle.h"
#include "core/dpa_memory.h"

/* A message; DPA code knows it by its address. */
struct consumer_element {
	_Alignas(64) uint32_t producer_id;
	uint32_t imm_size;
	uint8_t imm[LANE_IMM_MAX];
};

/* Its memory is that of core/dpa_memory.h: DPA code reads it without a lock. */
struct consumer_ring {
	_Atomic uint32_t mask;	 /* DPA code that is late may read it while it is set once more */
	_Atomic uint32_t filled; /* elements; the engine's lock is held */
	_Atomic uint32_t read;	 /* by DPA code */
	struct consumer_element elements[];
};
_Static_assert(sizeof(struct consumer_ring) == DPA_MEMORY_HEAD, "the elements are the array");

struct doca_comch_consumer_completion {
	uint32_t max_consumers, max_recv, imm_max;
	struct dpa_place *place;
	uint64_t thread_handle; /* 0: nobody is told */

	/* of what follows, and of place->engine: consumers come and go in several threads */
	pthread_mutex_t lock;
	bool is_started;
	uint32_t num_running; /* consumers that are not idle */

	/*
	 * Since the last start. place->engine: the thread's, or that of the consumers. It stays
	 * when they have ended, for DPA code gives elements back later; its DPA may go.
	 */
	struct doca_dpa_thread *thread; /* attached; NULL: nobody is told */
	struct consumer_ring *ring;	/* DPA code may notice the stop late: see place->ring */
	/* of the engine's lock */
	uint32_t acked; /* given back by DPA code */
	uint32_t used;
	struct list_node waiting; /* consumers that are owed receives */
	bool is_armed;		  /* the next element lets the thread run */
	bool has_warned;
};

/* DPA code finds no engine of it any more. With the completion's own lock held. */
void completion_leave_engine(struct doca_comch_consumer_completion *completion);

static inline struct consumer_element *completion_ring_element(struct consumer_ring *ring,
							       uint32_t index)
{
	/* Relaxed: whose ring this was before, it had the same. */
	return &ring->elements[index & atomic_load_explicit(&ring->mask, memory_order_relaxed)];
}

/* how many elements DPA code may take */
static inline uint32_t completion_ring_unread(const struct consumer_ring *ring)
{
	/*
	 * Acquire: pairs with the release when it is filled; the element is there. Relaxed: it is
	 * the caller's.
	 */
	return atomic_load_explicit(&ring->filled, memory_order_acquire) -
	       atomic_load_explicit(&ring->read, memory_order_relaxed);
}

/* For DPA code: the next one; NULL: there is none */
static inline struct consumer_element *completion_ring_take(struct consumer_ring *ring)
{
	/* Relaxed, both: it is the caller's. */
	uint32_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);

	if (!completion_ring_unread(ring))
		return NULL;
	atomic_store_explicit(&ring->read, read + 1, memory_order_relaxed);
	return completion_ring_element(ring, read);
}

#endif
