/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Affinities.
 */
#define LOG_MODULE "dpa"
#include "dpa/eu_affinity.h"

#include <stdlib.h>
#include "base/log.h"

/* Threads know it as const, which says that they do not change what it names. */
static _Atomic uint32_t *refs_of(const struct doca_dpa_eu_affinity *affinity)
{
	return &((struct doca_dpa_eu_affinity *)(uintptr_t)affinity)->refs;
}

void eu_affinity_ref(const struct doca_dpa_eu_affinity *affinity)
{
	/* Relaxed: who calls has a reference. */
	atomic_fetch_add_explicit(refs_of(affinity), 1, memory_order_relaxed);
}

void eu_affinity_unref(const struct doca_dpa_eu_affinity *affinity)
{
	/* Release and acquire: with each other; the last one frees what others are done with. */
	if (atomic_fetch_sub_explicit(refs_of(affinity), 1, memory_order_acq_rel) == 1)
		free((void *)(uintptr_t)affinity);
}

doca_error_t doca_dpa_eu_affinity_create(struct doca_dpa *dpa,
					 struct doca_dpa_eu_affinity **affinity)
{
	struct doca_dpa_eu_affinity *new_affinity;

	if (!dpa || !affinity)
		return DOCA_ERROR_INVALID_VALUE;
	new_affinity = calloc(1, sizeof(*new_affinity));
	if (!new_affinity)
		return DOCA_ERROR_NO_MEMORY;
	new_affinity->dpa = dpa;
	atomic_init(&new_affinity->refs, 1);
	dpa_ref(dpa);
	*affinity = new_affinity;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_eu_affinity_destroy(struct doca_dpa_eu_affinity *affinity)
{
	if (!affinity)
		return DOCA_ERROR_INVALID_VALUE;
	dpa_unref(affinity->dpa);
	eu_affinity_unref(affinity);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_eu_affinity_set(struct doca_dpa_eu_affinity *affinity, unsigned int eu_id)
{
	if (!affinity)
		return DOCA_ERROR_INVALID_VALUE;
	if (eu_id >= DPA_EUS) {
		LOG_ERR("affinity to execution unit %u: there are 0 to %u", eu_id, DPA_EUS - 1);
		return DOCA_ERROR_INVALID_VALUE;
	}
	affinity->eu_id = eu_id;
	affinity->is_set = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_eu_affinity_clear(struct doca_dpa_eu_affinity *affinity)
{
	if (!affinity)
		return DOCA_ERROR_INVALID_VALUE;
	affinity->is_set = false;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_eu_affinity_get(struct doca_dpa_eu_affinity *affinity, unsigned int *eu_id)
{
	if (!affinity || !eu_id)
		return DOCA_ERROR_INVALID_VALUE;
	if (!affinity->is_set)
		return DOCA_ERROR_BAD_STATE;
	*eu_id = affinity->eu_id;
	return DOCA_SUCCESS;
}
