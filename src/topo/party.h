/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The side that this process plays. Ordinary programs have one party and never see it; a simulation
 * holds several in one process and switches between them, per thread.
 */
#ifndef SOFTFIELD_TOPO_PARTY_H
#define SOFTFIELD_TOPO_PARTY_H

#include "base/export.h"

struct link_ops;
struct topo_faults;

struct party {
	const struct link_ops *link_ops;  /* how this party reaches others; NULL: as processes do */
	void *link_data;		  /* belongs to link_ops */
	const struct topo_faults *faults; /* NULL: those of the topology */
};

PRIV_EXPORT struct party *priv_party_current(void);
/* NULL: back to the process's own. Returns the one before. */
PRIV_EXPORT struct party *priv_party_switch(struct party *party);

#endif
