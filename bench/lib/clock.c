/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calibration of the tick against the monotonic clock.
 */
#include "clock.h"

#define CALIBRATION_NS 20000000u

double clock_ns_per_tick(void)
{
	static double ns_per_tick;

	if (ns_per_tick == 0) {
		uint64_t start_ns = clock_ns();
		uint64_t start = clock_ticks();
		uint64_t now_ns;

		do
			now_ns = clock_ns();
		while (now_ns - start_ns < CALIBRATION_NS);
		ns_per_tick = (double)(now_ns - start_ns) / (double)(clock_ticks() - start);
	}
	return ns_per_tick;
}
