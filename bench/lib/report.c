/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing result rows.
 */
#include <errno.h>
#include <stdio.h>
#include "pair.h"
#include "report.h"

void report_row(const char *peer, const char *metric, size_t size, double value, const char *unit)
{
	printf("{\"name\": \"%s\", \"peer\": \"%s\", \"metric\": \"%s\", \"size\": %zu, "
	       "\"value\": %.6g, \"unit\": \"%s\"}\n",
	       program_invocation_short_name, peer, metric, size, value, unit);
	if (fflush(stdout) != 0)
		bench_fail("cannot write results");
}

void report_latency(const char *peer, size_t size, struct samples *round_trips)
{
	samples_drop_warmup(round_trips);
	if (round_trips->count == 0)
		bench_fail("%s, %zu bytes: no round trip in the given time", peer, size);
	report_row(peer, "latency_mean", size, samples_mean(round_trips) / 2, "ns");
	report_row(peer, "latency_p50", size, samples_percentile(round_trips, 50) / 2, "ns");
	report_row(peer, "latency_p99", size, samples_percentile(round_trips, 99) / 2, "ns");
}

void report_rate(const char *peer, size_t size, double messages, double elapsed_ns)
{
	report_row(peer, "rate", size, messages / elapsed_ns * 1e3, "Mmsg/s");
}

void report_bandwidth(const char *peer, size_t size, double messages, double elapsed_ns)
{
	report_row(peer, "bandwidth", size, messages * (double)size / elapsed_ns, "GB/s");
}
