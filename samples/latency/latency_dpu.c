/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The DPU sends back what it gets. It polls for a while before it sleeps: fast while the host
 * talks, and no load while the host does something else.
 */
#include <string.h>
#include "latency.h"

#define PATIENCE 5000 /* polls that found nothing */

struct echo {
	bool may_poll; /* there is a CPU for each side */
	bool dozes;
};

static void connected(struct side *side)
{
	(void)side;
}

static void ping(struct side *side, const uint8_t *message, uint32_t size)
{
	struct echo *echo = side->user;
	doca_error_t error;
	struct ping ping;

	error = side_send(side, message, size);
	if (error != DOCA_SUCCESS)
		side_fail(side, error);
	if (size != sizeof(ping))
		return;
	memcpy(&ping, message, sizeof(ping));
	echo->dozes = ping.dozes != 0;
}

static const struct side_events events = {.connected = connected, .message = ping};

static void serve(struct side *side, const struct echo *echo)
{
	unsigned int idle = 0;

	while (!side_is_done(side)) {
		if (side_progress(side)) {
			idle = 0;
		} else if (echo->dozes || !echo->may_poll || ++idle > PATIENCE) {
			side_sleep(side);
			idle = 0;
		}
	}
}

doca_error_t latency_run(const struct latency_options *options)
{
	struct cpus cpus = cpus_find();
	struct echo echo = {.may_poll = cpus_are_two(&cpus)};
	doca_error_t error;
	struct side side;

	cpus_pin(cpus.dpu);
	error = side_open(&side, &options->side, &events, &echo);
	if (error == DOCA_SUCCESS)
		serve(&side, &echo);
	return side_close(&side, error);
}
