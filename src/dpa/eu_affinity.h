/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which execution unit a thread wants. A thread takes the value when it is started: one affinity
 * serves for many threads, one after the other. Threads that name it keep its memory, so that the
 * program may destroy it before them.
 */
#ifndef SOFTFIELD_DPA_EU_AFFINITY_H
#define SOFTFIELD_DPA_EU_AFFINITY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "dpa/dpa.h"

struct doca_dpa_eu_affinity {
	struct doca_dpa *dpa;
	unsigned int eu_id;
	bool is_set;
	_Atomic uint32_t refs; /* the program's, and one for each thread that names it */
};

/* A thread's doca_dpa_thread_set_affinity() and doca_dpa_thread_destroy(). */
void eu_affinity_ref(const struct doca_dpa_eu_affinity *affinity);
void eu_affinity_unref(const struct doca_dpa_eu_affinity *affinity);

#endif
