/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limit of any latency: one cache line from core to core.
 */
#include "cacheline.h"
#include "options.h"
#include "report.h"

int main(int argc, char **argv)
{
	struct bench_options options;
	struct samples samples;

	options_parse(&options, argc, argv);
	samples_init(&samples);
	cacheline_ping_pong(options.cpu, options.point_ns, &samples);
	report_latency("limit_cacheline", 8, &samples);
	samples_fini(&samples);
	return 0;
}
