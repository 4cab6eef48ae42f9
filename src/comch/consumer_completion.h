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
#include "core/dpa_hook.h"

/* A message; DPA code knows it by its address. */
struct consumer_element {
	_Alignas(64) uint32_t producer_id;
	uint32_t imm_size;
	uint8_t imm[LANE_IMM_MAX];
};

struct doca_comch_consumer_completion {
	uint32_t max_consumers, max_recv, imm_max;
	struct doca_dpa_thread *thread; /* NULL: nobody is told */
	struct list_node consumers;	/* that name it */
	uint32_t num_running;		/* of them: not idle */
	bool is_started;
	/* max_recv of them; kept after the stop, which DPA code may notice late */
	struct consumer_element *elements;
	struct dpa_garbage garbage;
	/* from start to stop */
	/* the thread's, or that of the first consumer that has run; NULL: neither */
	struct dpa_engine *_Atomic engine;
	_Atomic uint32_t filled; /* elements; the engine's lock is held */
	_Atomic uint32_t read;	 /* by DPA code */
	/* of the engine's lock */
	uint32_t acked; /* given back by DPA code */
	uint32_t used;
	struct list_node waiting; /* consumers that are owed receives */
	bool is_armed;		  /* the next element lets the thread run */
	bool has_warned;
};

static inline struct consumer_element *
completion_element(const struct doca_comch_consumer_completion *completion, uint32_t index)
{
	return &completion->elements[index & (completion->max_recv - 1)];
}

/* how many elements DPA code may take */
static inline uint32_t completion_count_unread(struct doca_comch_consumer_completion *completion)
{
	/*
	 * Acquire: pairs with the release when it is filled; the element is there. Relaxed: it is
	 * the caller's.
	 */
	return atomic_load_explicit(&completion->filled, memory_order_acquire) -
	       atomic_load_explicit(&completion->read, memory_order_relaxed);
}

/* consumer_on_dpa.c: posts what is owed, as far as there is room. The engine's lock is held. */
void completion_post_owed(struct doca_comch_consumer_completion *completion);

#endif
