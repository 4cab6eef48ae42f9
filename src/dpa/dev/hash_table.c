/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hash tables: the DPA's side. An entry lies in the first slot that was free from the one on that
 * its key hashes to; between the two no slot is free. Removing keeps that by moving entries up.
 */
#include "doca_dpa_dev.h"

#include "dpa/activation.h"
#include "dpa/hash_table.h"

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

static void add(struct doca_dpa_hash_table *table, uint32_t key, uint64_t value)
{
	struct hash_slot *slot = &table->slots[find_slot(table, key)];

	if (!slot->is_used && table->count == table->num_entries) {
		dpa_fail(table->dpa, "doca_dpa_dev_hash_table_add(): the table is full");
		return;
	}
	table->count += !slot->is_used;
	*slot = (struct hash_slot){.value = value, .key = key, .is_used = true};
}

void doca_dpa_dev_hash_table_add(doca_dpa_dev_hash_table_t ht_handle, uint32_t key, uint64_t value)
{
	struct doca_dpa_hash_table *table;

	activation_check();
	table = dpa_object_lock(ht_handle, DPA_HASH_TABLE);
	if (!table)
		return;
	add(table, key, value);
	dpa_object_unlock(ht_handle);
}

static void take_out(struct doca_dpa_hash_table *table, uint32_t key)
{
	uint32_t mask = table->num_entries * 2 - 1, gap = find_slot(table, key), index;

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
}

void doca_dpa_dev_hash_table_remove(doca_dpa_dev_hash_table_t ht_handle, uint32_t key)
{
	struct doca_dpa_hash_table *table;

	activation_check();
	table = dpa_object_lock(ht_handle, DPA_HASH_TABLE);
	if (!table)
		return;
	take_out(table, key);
	dpa_object_unlock(ht_handle);
}

int doca_dpa_dev_hash_table_find(doca_dpa_dev_hash_table_t ht_handle, uint32_t key, uint64_t *value)
{
	struct doca_dpa_hash_table *table;
	const struct hash_slot *slot;
	bool is_found;

	activation_check();
	table = dpa_object_lock(ht_handle, DPA_HASH_TABLE);
	if (!table)
		return 0;
	slot = &table->slots[find_slot(table, key)];
	is_found = slot->is_used;
	if (is_found)
		*value = slot->value;
	dpa_object_unlock(ht_handle);
	return is_found;
}
