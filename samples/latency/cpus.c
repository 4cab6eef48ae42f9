/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which CPUs there are.
 */
#define _GNU_SOURCE
#include <sched.h>
#include "latency.h"

struct cpus cpus_find(void)
{
	struct cpus cpus = {.host = -1, .dpu = -1};
	cpu_set_t allowed;
	int cpu;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		return (struct cpus){0};
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		if (cpus.host < 0)
			cpus.host = cpu;
		cpus.dpu = cpu;
	}
	return cpus;
}

void cpus_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	(void)sched_setaffinity(0, sizeof(set), &set); /* refused: it runs where it may */
}
