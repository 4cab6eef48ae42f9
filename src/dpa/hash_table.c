/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hash tables: the program's side.
 */
#define LOG_MODULE "dpa"
#include "dpa/hash_table.h"

#include <stdlib.h>
#include "base/log.h"

doca_error_t doca_dpa_hash_table_create(struct doca_dpa *dpa, unsigned int num_entries,
					struct doca_dpa_hash_table **ht)
{
	struct doca_dpa_hash_table *table;

	if (!dpa || !ht)
		return DOCA_ERROR_INVALID_VALUE;
	if (!num_entries || num_entries > HASH_TABLE_MAX_ENTRIES) {
		LOG_ERR("hash table of %u entries: 1 to %u are allowed", num_entries,
			HASH_TABLE_MAX_ENTRIES);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (!dpa->is_started)
		return DOCA_ERROR_BAD_STATE;
	table = calloc(1, sizeof(*table));
	if (!table)
		return DOCA_ERROR_NO_MEMORY;
	table->dpa = dpa;
	table->num_bits = (unsigned int)__builtin_ctz(round_up_pow2(num_entries)) + 1;
	table->num_entries = 1u << (table->num_bits - 1);
	table->slots = calloc((size_t)1 << table->num_bits, sizeof(*table->slots));
	if (table->slots)
		table->place = priv_dpa_place_take(DPA_HASH_TABLE, table);
	if (!table->place) {
		free(table->slots);
		free(table);
		return DOCA_ERROR_NO_MEMORY;
	}
	dpa_ref(dpa);
	*ht = table;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_hash_table_destroy(struct doca_dpa_hash_table *ht)
{
	if (!ht)
		return DOCA_ERROR_INVALID_VALUE;
	priv_dpa_place_give(ht->place);
	dpa_unref(ht->dpa);
	free(ht->slots);
	free(ht);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_hash_table_get_dpa_handle(struct doca_dpa_hash_table *ht,
						doca_dpa_dev_hash_table_t *ht_handle)
{
	if (!ht || !ht_handle)
		return DOCA_ERROR_INVALID_VALUE;
	*ht_handle = dpa_handle_of(ht->place);
	return DOCA_SUCCESS;
}
