/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where DPA code finds what consumers have received: what the program does with it. For what DPA
 * code does see consumer_dev.c.
 */
#define LOG_MODULE "comch"
#include "comch/consumer_completion.h"

#include <stdlib.h>
#include "base/log.h"
#include "comch/on_dpa.h"

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
	completion->max_consumers = (uint32_t)priv_topo_limits()->consumer_max_consumers;
	completion->max_recv = RECV_DEFAULT;
	completion->imm_max = (uint32_t)priv_topo_limits()->consumer_max_imm_data_len;
	list_init(&completion->consumers);
	list_init(&completion->waiting);
	*consumer_comp = completion;
	return DOCA_SUCCESS;
}

static void release(struct dpa_garbage *garbage)
{
	struct doca_comch_consumer_completion *completion =
		container_of(garbage, struct doca_comch_consumer_completion, garbage);

	free(completion->elements);
	free(completion);
}

doca_error_t
doca_comch_consumer_completion_destroy(struct doca_comch_consumer_completion *consumer_comp)
{
	struct list_node *node;

	if (!consumer_comp)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer_comp->is_started) {
		LOG_ERR("a consumer completion cannot be destroyed: it is started, stop it first");
		return DOCA_ERROR_BAD_STATE;
	}
	while ((node = list_pop(&consumer_comp->consumers)))
		container_of(node, struct doca_comch_consumer, on_dpa.node)->on_dpa.completion =
			NULL;
	consumer_comp->garbage.release = release;
	priv_dpa->discard(&consumer_comp->garbage);
	return DOCA_SUCCESS;
}

/*
 * Configuration
 */

doca_error_t
doca_comch_consumer_completion_set_dpa_thread(struct doca_comch_consumer_completion *consumer_comp,
					      struct doca_dpa_thread *dpa_thread)
{
	struct dpa_engine *engine;
	doca_error_t err;

	if (!consumer_comp || !dpa_thread)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer_comp->is_started)
		return DOCA_ERROR_BAD_STATE;
	err = priv_dpa->thread_attach(dpa_thread, &engine); /* can it be? */
	if (err)
		return err;
	priv_dpa->thread_detach(dpa_thread);
	consumer_comp->thread = dpa_thread;
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
	if (completion->is_started)
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
	uint64_t limit = priv_topo_limits()->msgq_max_imm_data_len;

	if (!consumer_comp)
		return DOCA_ERROR_INVALID_VALUE;
	if (imm_data_len > limit) {
		LOG_ERR("a consumer completion for immediate data of %u bytes; at most %llu",
			imm_data_len, (unsigned long long)limit);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (consumer_comp->is_started)
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

doca_error_t
doca_comch_consumer_completion_start(struct doca_comch_consumer_completion *consumer_comp)
{
	struct dpa_engine *engine = NULL;
	struct consumer_element *elements;
	doca_error_t err;

	if (!consumer_comp)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer_comp->is_started)
		return DOCA_ERROR_BAD_STATE;
	elements = aligned_alloc(_Alignof(struct consumer_element),
				 consumer_comp->max_recv * sizeof(*elements));
	if (!elements)
		return DOCA_ERROR_NO_MEMORY;
	if (consumer_comp->thread) {
		err = priv_dpa->thread_attach(consumer_comp->thread, &engine);
		if (err) {
			free(elements);
			return err;
		}
	}
	free(consumer_comp->elements);
	consumer_comp->elements = elements;
	consumer_comp->filled = consumer_comp->read = 0;
	consumer_comp->acked = consumer_comp->used = 0;
	consumer_comp->has_warned = false;
	/* The first message may come before anybody asks for it. */
	consumer_comp->is_armed = engine != NULL;
	consumer_comp->engine = engine;
	consumer_comp->is_started = true;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_consumer_completion_stop(struct doca_comch_consumer_completion *consumer_comp)
{
	if (!consumer_comp)
		return DOCA_ERROR_INVALID_VALUE;
	if (!consumer_comp->is_started)
		return DOCA_ERROR_BAD_STATE;
	if (consumer_comp->num_running) {
		LOG_ERR("a consumer completion cannot be stopped: %u consumers are not idle",
			consumer_comp->num_running);
		return DOCA_ERROR_IN_USE;
	}
	if (consumer_comp->thread)
		priv_dpa->thread_detach(consumer_comp->thread);
	consumer_comp->is_started = false;
	consumer_comp->engine = NULL;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_completion_get_dpa_handle(
	struct doca_comch_consumer_completion *consumer_comp,
	doca_dpa_dev_comch_consumer_completion_t *consumer_comp_handle)
{
	if (!consumer_comp || !consumer_comp_handle)
		return DOCA_ERROR_INVALID_VALUE;
	if (!consumer_comp->is_started)
		return DOCA_ERROR_BAD_STATE;
	*consumer_comp_handle = (uintptr_t)consumer_comp;
	return DOCA_SUCCESS;
}
