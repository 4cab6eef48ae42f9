/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What DPA code does with consumers and their completions. It runs in a unit of the DPA, and so may
 * the polls of these consumers, in another one: the engine's lock is between them. Elements that
 * are in the ring are read without it.
 */
#define LOG_MODULE "comch"
#include "base/log.h"
#include "comch/consumer_completion.h"
#include "core/pe.h"
#include "doca_dpa_dev_comch_msgq.h"

static inline struct doca_comch_consumer_completion *
lock_completion(doca_dpa_dev_comch_consumer_completion_t handle, struct dpa_engine **ret_engine)
{
	return dpa_object_lock_engine(handle, DPA_CONSUMER_COMPLETION, ret_engine);
}

/* The consumers may have messages that nobody has looked at. */
static __attribute__((noinline)) void
look_for_messages(doca_dpa_dev_comch_consumer_completion_t handle)
{
	struct dpa_engine *engine;

	if (!lock_completion(handle, &engine)) /* no consumer has run yet */
		return;
	if (engine->pe) /* not of a DPA that has ended */
		priv_pe_work(engine->pe);
	/* Relaxed: a flag. */
	atomic_store_explicit(&engine->is_polled, true, memory_order_relaxed);
	dpa_engine_unlock(engine);
}

void doca_dpa_dev_comch_consumer_ack(doca_dpa_dev_comch_consumer_t consumer, uint32_t num_msg)
{
	struct doca_comch_consumer *object;
	struct dpa_engine *engine;

	priv_dpa->check();
	object = dpa_object_lock_engine(consumer, DPA_CONSUMER, &engine);
	if (!object)
		return;
	if (object->ctx.state == DOCA_CTX_STATE_RUNNING)
		consumer_add_receives(object, num_msg);
	dpa_engine_unlock(engine);
}

/* NULL: it was never started, or has been destroyed */
static inline struct consumer_ring *find_ring(doca_dpa_dev_comch_consumer_completion_t handle)
{
	struct dpa_place *place = dpa_place_find(handle, DPA_CONSUMER_COMPLETION);

	/* Acquire: pairs with the release in provide_ring(). */
	return place ? atomic_load_explicit(&place->ring, memory_order_acquire) : NULL;
}

int doca_dpa_dev_comch_consumer_get_completion(
	doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle,
	doca_dpa_dev_comch_consumer_completion_element_t *comp_element)
{
	struct consumer_element *element = NULL;
	struct consumer_ring *ring = find_ring(consumer_comp_handle);

	if (doca_likely(ring != NULL))
		element = completion_ring_take(ring);
	if (ring && !element) {
		look_for_messages(consumer_comp_handle);
		element = completion_ring_take(ring);
	}
	if (!element) {
		priv_dpa->pause();
		return 0;
	}
	*comp_element = (uintptr_t)element;
	priv_dpa->note_found();
	return 1;
}

const uint8_t *doca_dpa_dev_comch_consumer_get_completion_imm(
	doca_dpa_dev_comch_consumer_completion_element_t comp_element, uint32_t *imm_length)
{
	const struct consumer_element *element =
		(const struct consumer_element *)(uintptr_t)comp_element;

	*imm_length = element->imm_size;
	return element->imm;
}

uint32_t doca_dpa_dev_comch_consumer_get_completion_producer_id(
	doca_dpa_dev_comch_consumer_completion_element_t comp_element)
{
	return ((const struct consumer_element *)(uintptr_t)comp_element)->producer_id;
}

/* With the lock held. */
static void give_back(struct doca_comch_consumer_completion *completion, uint64_t count)
{
	/* Relaxed: it is the caller's. */
	uint32_t read = atomic_load_explicit(&completion->ring->read, memory_order_relaxed);
	uint32_t max = read - completion->acked;

	if (count > max) {
		if (!completion->has_warned)
			LOG_WRN("a consumer completion: DPA code gives %llu elements back; it has "
				"%u",
				(unsigned long long)count, max);
		completion->has_warned = true;
		count = max;
	}
	completion->acked += (uint32_t)count;
	completion->used -= (uint32_t)count;
	consumer_post_owed(completion);
}

void doca_dpa_dev_comch_consumer_completion_ack(
	doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle, uint64_t num_comp)
{
	struct doca_comch_consumer_completion *completion;
	struct dpa_engine *engine;

	priv_dpa->check();
	completion = lock_completion(consumer_comp_handle, &engine);
	if (!completion)
		return;
	give_back(completion, num_comp);
	dpa_engine_unlock(engine);
}

void doca_dpa_dev_comch_consumer_completion_request_notification(
	doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle)
{
	struct doca_comch_consumer_completion *completion;
	struct dpa_engine *engine;

	priv_dpa->check();
	completion = lock_completion(consumer_comp_handle, &engine);
	if (!completion)
		return;
	if (completion->thread) {
		/* What is in the lanes yet is told of when the unit finds it there. */
		completion->is_armed = !completion_ring_unread(completion->ring);
		if (!completion->is_armed)
			priv_dpa->thread_trigger(completion->thread);
	}
	dpa_engine_unlock_to_unit(engine); /* who asks for this looks no more */
}
