/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hash tables: the DPA's side. An entry lies in the first slot that was free from the one on that
 * its key hashes to; between the two no slot is free. Removing keeps that by moving entries up.
 */
#include "doca_dpa_dev.h"

#include "dpa/exec.h"
#include "dpa/hash_table.h"

static struct doca_dpa_hash_table *table_of(doca_dpa_dev_hash_table_t handle)
{
	return (struct doca_dpa_hash_table *)(uintptr_t)handle;
}

static uint32_t next_slot(const struct doca_dpa_hash_table *table, uint32_t index)
{
	return (index + 1) & (table->num_entries * 2 - 1);
}

/* where a key belongs: the upper bits of a product with 2^32 / the golden ratio */
static uint32_t home_of(const struct doca_dpa_hash_table *table, uint32_t key)
{
	return (key * UINT32_C(0x9e3779b1)) >> (32 - table->num_bits);
}

/* the slot of a key, or the free one where it would go: half of them are free */
static uint32_t find_slot(const struct doca_dpa_hash_table *table, uint32_t key)
{
	uint32_t index = home_of(table, key);

	while (table->slots[index].is_used && table->slots[index].key != key)
		index = next_slot(table, index);
	return index;
}

void doca_dpa_dev_hash_table_add(doca_dpa_dev_hash_table_t ht_handle, uint32_t key, uint64_t value)
{
	struct doca_dpa_hash_table *table = table_of(ht_handle);
	struct hash_slot *slot;
	bool is_full;

	activation_check();
	pthread_mutex_lock(&table->lock);
	slot = &table->slots[find_slot(table, key)];
	is_full = !slot->is_used && table->count == table->num_entries;
	if (!is_full) {
		table->count += !slot->is_used;
		*slot = (struct hash_slot){.value = value, .key = key, .is_used = true};
	}
	pthread_mutex_unlock(&table->lock);
	if (is_full)
		dpa_fail(table->dpa, "doca_dpa_dev_hash_table_add(): the table is full");
}

void doca_dpa_dev_hash_table_remove(doca_dpa_dev_hash_table_t ht_handle, uint32_t key)
{
	struct doca_dpa_hash_table *table = table_of(ht_handle);
	uint32_t mask = table->num_entries * 2 - 1, gap, index;

	activation_check();
	pthread_mutex_lock(&table->lock);
	gap = find_slot(table, key);
	table->count -= table->slots[gap].is_used;
	for (index = next_slot(table, gap);
	     table->slots[gap].is_used && table->slots[index].is_used;
	     index = next_slot(table, index)) {
		uint32_t home = home_of(table, table->slots[index].key);

		/* It may move if the gap is not before its home. */
		if (((index - home) & mask) < ((index - gap) & mask))
			continue;
		table->slots[gap] = table->slots[index];
		gap = index;
	}
	table->slots[gap].is_used = false;
	pthread_mutex_unlock(&table->lock);
}

int doca_dpa_dev_hash_table_find(doca_dpa_dev_hash_table_t ht_handle, uint32_t key, uint64_t *value)
{
	struct doca_dpa_hash_table *table = table_of(ht_handle);
	const struct hash_slot *slot;
	bool is_found;

	activation_check();
	pthread_mutex_lock(&table->lock);
	slot = &table->slots[find_slot(table, key)];
	is_found = slot->is_used;
	if (is_found)
		*value = slot->value;
	pthread_mutex_unlock(&table->lock);
	return is_found;
}
