/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links inside one process, for simulation: parties in one thread, messages that take a seeded time
 * of the virtual clock, a death whenever the simulation wants one. The same seed and the same calls
 * give the same run.
 *
 *	struct sim sim;
 *	struct party dpu = {.link_ops = &sim_link_ops, .link_data = &sim}, host = dpu;
 */
#ifndef SOFTFIELD_LINK_SIM_H
#define SOFTFIELD_LINK_SIM_H

#include "base/random.h"
#include "link/link.h"
#include "topo/party.h"

struct sim {
	struct random random;
	uint64_t delay_max_ns;	   /* a message takes 0 to so long */
	unsigned int busy_percent; /* of the connects are answered with AGAIN */
	struct list_node listeners, ends;
};

extern const struct link_ops sim_link_ops;

void sim_init(struct sim *sim, uint64_t seed);
/* everybody has closed and unlistened by now */
void sim_fini(struct sim *sim);

/*
 * The party dies, as far as others can see: its names are free and its links are lost; what it has
 * sent before still arrives. Its own objects hear the same from their side, so that the simulation
 * can stop and destroy them.
 */
void sim_kill(struct sim *sim, const struct party *party);

#endif
