/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the seed decides in all simulations, and how their sleepers are woken.
 */
#ifndef SOFTFIELD_TESTS_SIM_DICE_H
#define SOFTFIELD_TESTS_SIM_DICE_H

#include <poll.h>
#include "base/clock.h"
#include "base/random.h"
#include "core/pe.h"
#include "world.h"

static inline uint32_t dice_pick(struct random *random, uint32_t from, uint32_t to)
{
	return from + (uint32_t)random_below(random, to - from + 1);
}

/* Links of some speed, and servers that may have no time for a client. */
static inline void dice_roll_links(struct random *random, struct sim *sim)
{
	static const uint64_t delays[] = {0, 10000, 1000000, 50000000};

	sim->random.state = random_next(random);
	sim->delay_max_ns = delays[dice_pick(random, 0, 3)];
	sim->busy_percent = random_percent(random, 20) ? 50 : 0;
}

/* percent: so likely is a fault of each kind; a broken connection is two thirds as likely */
static inline void dice_roll_faults(struct random *random, struct topo_faults *faults,
				    unsigned int percent)
{
	faults->seed = random_next(random);
	if (random_percent(random, percent))
		faults->delay_ns = dice_pick(random, 1, 20000000);
	if (random_percent(random, percent))
		faults->jitter_ns = dice_pick(random, 1, 20000000);
	if (random_percent(random, percent * 2 / 3))
		faults->drop_after = dice_pick(random, 1, 200);
	if (random_percent(random, percent))
		faults->full_percent = random_percent(random, 20) ? 100 : dice_pick(random, 1, 50);
}

static inline void dice_pass_time(struct random *random)
{
	static const uint64_t most[] = {0, 1000, 300000, 2000000, 30000000};
	uint64_t bound = most[dice_pick(random, 0, 4)] + 1;

	priv_clock_virtual.now_ns += random_below(random, bound);
}

/* of an engine that somebody sleeps on */
static inline bool engine_is_woken(const struct doca_pe *pe)
{
	struct pollfd pollfd = {.events = POLLIN};
	doca_notification_handle_t handle;

	must(!doca_pe_get_notification_handle(pe, &handle));
	pollfd.fd = handle;
	return poll(&pollfd, 1, 0) == 1 ||
	       priv_poll_group_next_deadline(&pe->group) <= clock_now_ns();
}

#endif
