/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where DPA code finds what consumers have received: what the program does with it. For what DPA
 * code does see consumer_dev.c.
 */
#define LOG_MODULE "comch"
#include "comch/consumer_completion.h"

#include <stdlib.h>
#include <unistd.h>
#include "base/log.h"
#include "base/pow2.h"
#include "chan/fast.h"
#include "core/pe.h"

/* messages, unless set, and at most */
#define RECV_DEFAULT 1024u
#define RECV_MAX     (1u << 20)

doca_error_t
doca_comch_consumer_completion_create(struct doca_comch_consumer_completion **consumer_comp)
{
	struct doca_comch_consumer_completion *completion;

	if (!consumer_comp)
		return DOCA_ERROR_INVALID_VALUE;
	if (!priv_dpa)
		return DOCA_ERROR_NOT_SUPPORTED;
	completion = calloc(1, sizeof(*completion));
	if (!completion)
		return DOCA_ERROR_NO_MEMORY;
	completion->place = priv_dpa_place_take(DPA_CONSUMER_COMPLETION, completion);
	if (!completion->place) {
		free(completion);
		return DOCA_ERROR_NO_MEMORY;
	}
	pthread_mutex_init(&completion->lock, NULL);
	completion->max_consumers = (uint32_t)priv_topo_limits()->consumer_max_consumers;
	completion->max_recv = RECV_DEFAULT;
	completion->imm_max = (uint32_t)priv_topo_limits()->consumer_max_imm_data_len;
	list_init(&completion->waiting);
	*consumer_comp = completion;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_consumer_completion_destroy(struct doca_comch_consumer_completion *consumer_comp)
{
	if (!consumer_comp)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer_comp->is_started) {
		LOG_ERR("a consumer completion cannot be destroyed: it is started, stop it first");
		return DOCA_ERROR_BAD_STATE;
	}
	priv_dpa_place_give(consumer_comp->place);
	priv_dpa_memory_give(consumer_comp->ring);
	pthread_mutex_destroy(&consumer_comp->lock);
	free(consumer_comp);
	return DOCA_SUCCESS;
}

/*
 * Configuration
 */

/* to be set, or started */
static doca_error_t check_stopped(const struct doca_comch_consumer_completion *completion)
{
	if (!completion->is_started)
		return DOCA_SUCCESS;
	LOG_ERR("a consumer completion cannot be changed or started: it is started");
	return DOCA_ERROR_BAD_STATE;
}

static doca_error_t check_started(const struct doca_comch_consumer_completion *completion)
{
	if (completion->is_started)
		return DOCA_SUCCESS;
	LOG_ERR("a consumer completion has no handle, and cannot be stopped: it is not started");
	return DOCA_ERROR_BAD_STATE;
}

doca_error_t
doca_comch_consumer_completion_set_dpa_thread(struct doca_comch_consumer_completion *consumer_comp,
					      struct doca_dpa_thread *dpa_thread)
{
	struct dpa_engine *engine;
	uint64_t handle;
	doca_error_t err;

	if (!consumer_comp || !dpa_thread)
		return DOCA_ERROR_INVALID_VALUE;
	if (check_stopped(consumer_comp))
		return DOCA_ERROR_BAD_STATE;
	handle = priv_dpa->thread_handle(dpa_thread);
	err = priv_dpa->thread_attach(handle, &dpa_thread, &engine); /* can it be? */
	if (err)
		return err;
	priv_dpa->thread_detach(dpa_thread);
	consumer_comp->thread_handle = handle;
	return DOCA_SUCCESS;
}

/* Sets a number that is rounded up. */
static doca_error_t set_max(const struct doca_comch_consumer_completion *completion, uint32_t value,
			    uint32_t limit, uint32_t *ret_max)
{
	if (!value || value > limit) {
		LOG_ERR("a consumer completion for %u consumers or messages; 1 to %u are possible",
			value, limit);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (check_stopped(completion))
		return DOCA_ERROR_BAD_STATE;
	*ret_max = round_up_pow2(value);
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_completion_set_max_num_consumers(
	struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_consumers)
{
	if (!consumer_comp)
		return DOCA_ERROR_INVALID_VALUE;
	return set_max(consumer_comp, max_num_consumers,
		       (uint32_t)priv_topo_limits()->consumer_max_consumers,
		       &consumer_comp->max_consumers);
}

doca_error_t doca_comch_consumer_completion_get_max_num_consumers(
	const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_consumers)
{
	if (!consumer_comp || !max_num_consumers)
		return DOCA_ERROR_INVALID_VALUE;
	*max_num_consumers = consumer_comp->max_consumers;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_completion_set_max_num_recv(
	struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_recv)
{
	if (!consumer_comp)
		return DOCA_ERROR_INVALID_VALUE;
	return set_max(consumer_comp, max_num_recv, RECV_MAX, &consumer_comp->max_recv);
}

doca_error_t doca_comch_consumer_completion_get_max_num_recv(
	const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_recv)
{
	if (!consumer_comp || !max_num_recv)
		return DOCA_ERROR_INVALID_VALUE;
	*max_num_recv = consumer_comp->max_recv;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_completion_set_imm_data_len(
	struct doca_comch_consumer_completion *consumer_comp, uint32_t imm_data_len)
{
	uint32_t limit = fast_imm_max_local();

	if (!consumer_comp)
		return DOCA_ERROR_INVALID_VALUE;
	if (imm_data_len > limit) {
		LOG_ERR("a consumer completion for immediate data of %u bytes; at most %u",
			imm_data_len, limit);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (check_stopped(consumer_comp))
		return DOCA_ERROR_BAD_STATE;
	consumer_comp->imm_max = imm_data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_completion_get_imm_data_len(
	const struct doca_comch_consumer_completion *consumer_comp, uint32_t *imm_data_len)
{
	if (!consumer_comp || !imm_data_len)
		return DOCA_ERROR_INVALID_VALUE;
	*imm_data_len = consumer_comp->imm_max;
	return DOCA_SUCCESS;
}

/*
 * Start and stop
 */

/* NULL: no memory */
static struct consumer_ring *ring_create(uint32_t count)
{
	struct consumer_ring *ring =
		priv_dpa_memory_take(DPA_MEMORY_ELEMENTS, count * sizeof(ring->elements[0]));

	if (ring) /* Relaxed: what tells of the ring has ordered it. */
		atomic_store_explicit(&ring->mask, count - 1, memory_order_relaxed);
	return ring;
}

/* The one that it has had, if there is as much room in it as is wanted now. NO_MEMORY */
static doca_error_t provide_ring(struct doca_comch_consumer_completion *completion)
{
	struct consumer_ring *ring = completion->ring;

	if (!ring || ring->mask != completion->max_recv - 1) {
		ring = ring_create(completion->max_recv);
		if (!ring)
			return DOCA_ERROR_NO_MEMORY;
		priv_dpa_memory_give(completion->ring);
		completion->ring = ring;
	}
	/* Relaxed: whoever goes on reading after the stop finds nothing any more. */
	atomic_store_explicit(&ring->filled, 0, memory_order_relaxed);
	atomic_store_explicit(&ring->read, 0, memory_order_relaxed);
	/* Release: pairs with the acquire in find_ring(). */
	atomic_store_explicit(&completion->place->ring, ring, memory_order_release);
	return DOCA_SUCCESS;
}

static doca_error_t start(struct doca_comch_consumer_completion *completion)
{
	struct doca_dpa_thread *thread = NULL;
	struct dpa_engine *engine = NULL;
	doca_error_t err;

	if (check_stopped(completion))
		return DOCA_ERROR_BAD_STATE;
	if (completion->thread_handle) {
		err = priv_dpa->thread_attach(completion->thread_handle, &thread, &engine);
		if (err)
			return err;
	}
	err = provide_ring(completion);
	if (err) {
		if (thread)
			priv_dpa->thread_detach(thread);
		return err;
	}
	completion->thread = thread;
	completion->acked = completion->used = 0;
	completion->has_warned = false;
	/* The first message may come before anybody asks for it. */
	completion->is_armed = thread != NULL;
	dpa_place_set_engine(completion->place, engine);
	completion->is_started = true;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_consumer_completion_start(struct doca_comch_consumer_completion *consumer_comp)
{
	doca_error_t err;

	if (!consumer_comp)
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&consumer_comp->lock);
	err = start(consumer_comp);
	pthread_mutex_unlock(&consumer_comp->lock);
	return err;
}

void completion_leave_engine(struct doca_comch_consumer_completion *completion)
{
	struct dpa_engine *engine = completion->place->engine;

	/* Relaxed: another thread changes it where it was another process's only. */
	if (!engine || atomic_load_explicit(&engine->owner, memory_order_relaxed) != getpid())
		return; /* nobody is there who would give up its lock */
	dpa_engine_lock(engine);
	dpa_place_set_engine(completion->place, NULL);
	dpa_engine_unlock(engine);
}

static doca_error_t stop(struct doca_comch_consumer_completion *completion)
{
	if (check_started(completion))
		return DOCA_ERROR_BAD_STATE;
	if (completion->num_running) {
		LOG_ERR("a consumer completion cannot be stopped: %u consumers are not idle",
			completion->num_running);
		return DOCA_ERROR_IN_USE;
	}
	completion_leave_engine(completion);
	if (completion->thread)
		priv_dpa->thread_detach(completion->thread);
	completion->is_started = false;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_consumer_completion_stop(struct doca_comch_consumer_completion *consumer_comp)
{
	doca_error_t err;

	if (!consumer_comp)
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&consumer_comp->lock);
	err = stop(consumer_comp);
	pthread_mutex_unlock(&consumer_comp->lock);
	return err;
}

doca_error_t doca_comch_consumer_completion_get_dpa_handle(
	struct doca_comch_consumer_completion *consumer_comp,
	doca_dpa_dev_comch_consumer_completion_t *consumer_comp_handle)
{
	if (!consumer_comp || !consumer_comp_handle)
		return DOCA_ERROR_INVALID_VALUE;
	if (check_started(consumer_comp))
		return DOCA_ERROR_BAD_STATE;
	*consumer_comp_handle = dpa_handle_of(consumer_comp->place);
	return DOCA_SUCCESS;
}
