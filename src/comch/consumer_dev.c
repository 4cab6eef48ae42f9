/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What DPA code does with consumers and their completions. It runs in a unit of the DPA, and so may
 * the polls of these consumers, in another one: the engine's lock is between them. Elements that
 * are in the ring are read without it.
 *
 * A handle that is 0 is nothing to do anything with.
 */
#define LOG_MODULE "comch"
#include "base/log.h"
#include "comch/consumer_completion.h"
#include "core/pe.h"
#include "doca_dpa_dev_comch_msgq.h"

static inline struct doca_comch_consumer_completion *
completion_of(doca_dpa_dev_comch_consumer_completion_t handle)
{
	return (struct doca_comch_consumer_completion *)(uintptr_t)handle;
}

/* The consumers may have messages that nobody has looked at. */
static void look_for_messages(const struct doca_comch_consumer_completion *completion)
{
	/* NULL: no consumer has run yet. It is there before its first message. */
	struct dpa_engine *engine = completion->engine;

	if (!engine)
		return;
	dpa_engine_lock(engine);
	doca_pe_progress(engine->pe);
	dpa_engine_unlock(engine);
}

void doca_dpa_dev_comch_consumer_ack(doca_dpa_dev_comch_consumer_t consumer, uint32_t num_msg)
{
	struct doca_comch_consumer *object = (struct doca_comch_consumer *)(uintptr_t)consumer;

	priv_dpa->check();
	if (!object)
		return;
	dpa_engine_lock(object->on_dpa.engine);
	if (object->ctx.state == DOCA_CTX_STATE_RUNNING)
		consumer_add_receives(object, num_msg);
	dpa_engine_unlock(object->on_dpa.engine);
}

int doca_dpa_dev_comch_consumer_get_completion(
	doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle,
	doca_dpa_dev_comch_consumer_completion_element_t *comp_element)
{
	struct doca_comch_consumer_completion *completion = completion_of(consumer_comp_handle);
	uint32_t read;

	if (completion && !completion_count_unread(completion))
		look_for_messages(completion);
	if (!completion || !completion_count_unread(completion)) {
		priv_dpa->pause();
		return 0;
	}
	/* Relaxed, both: it is the caller's. */
	read = atomic_load_explicit(&completion->read, memory_order_relaxed);
	*comp_element = (uintptr_t)completion_element(completion, read);
	atomic_store_explicit(&completion->read, read + 1, memory_order_relaxed);
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
	uint32_t read = atomic_load_explicit(&completion->read, memory_order_relaxed);
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
	completion_post_owed(completion);
}

void doca_dpa_dev_comch_consumer_completion_ack(
	doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle, uint64_t num_comp)
{
	struct doca_comch_consumer_completion *completion = completion_of(consumer_comp_handle);
	struct dpa_engine *engine = completion ? completion->engine : NULL;

	priv_dpa->check();
	if (!engine)
		return;
	dpa_engine_lock(engine);
	give_back(completion, num_comp);
	dpa_engine_unlock(engine);
}

void doca_dpa_dev_comch_consumer_completion_request_notification(
	doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle)
{
	struct doca_comch_consumer_completion *completion = completion_of(consumer_comp_handle);
	struct dpa_engine *engine = completion && completion->thread ? completion->engine : NULL;

	priv_dpa->check();
	if (!engine)
		return;
	dpa_engine_lock(engine);
	/* What is in the lanes yet is told of when the unit finds it there. */
	completion->is_armed = !completion_count_unread(completion);
	if (!completion->is_armed)
		priv_dpa->thread_trigger(completion->thread);
	dpa_engine_unlock(engine);
}
