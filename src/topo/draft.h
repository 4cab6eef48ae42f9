/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A topology while its text is being read, and the files that share the reading.
 */
#ifndef SOFTFIELD_TOPO_DRAFT_H
#define SOFTFIELD_TOPO_DRAFT_H

#include "topo/reader.h"

/* The context of the reader. The arrays of topo have their final size, DPU functions first. */
struct draft {
	struct topo *topo;
	unsigned int card_next;
	unsigned int dpu_next, host_next; /* first free place of each side in topo->functions */
	unsigned int rep_next;
	/* of the card being read */
	unsigned int index[TOPO_SIDE_COUNT]; /* functions of each side so far */
	unsigned int host_pfs;
};

/* topo_function.c: one element of "dpu", of "host"; target is the card */
doca_error_t topo_read_dpu_function(struct reader *reader, struct json_object *value, void *target);
doca_error_t topo_read_host_function(struct reader *reader, struct json_object *value,
				     void *target);

/* topo_unique.c: refuses what two functions must not share; called when all gaps are filled */
doca_error_t topo_check_unique(struct reader *reader, const struct topo *topo);

#endif
