/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hash tables for DPA code: open addressing, twice as many slots as entries. Made by the program,
 * used by code of the DPA (dev/hash_table.c) in whatever thread.
 */
#ifndef SOFTFIELD_DPA_HASH_TABLE_H
#define SOFTFIELD_DPA_HASH_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include "core/dpa_handle.h"
#include "dpa/dpa.h"

#define HASH_TABLE_MAX_ENTRIES (1u << 24)

struct hash_slot {
	uint64_t value;
	uint32_t key;
	bool is_used;
};

struct doca_dpa_hash_table {
	struct dpa_place *place;
	struct doca_dpa *dpa;
	/* of the place's lock */
	uint32_t num_entries;	 /* how many it can have, a power of two */
	uint32_t count;		 /* how many it has */
	unsigned int num_bits;	 /* of a slot's index */
	struct hash_slot *slots; /* 2 * num_entries */
};

#endif
