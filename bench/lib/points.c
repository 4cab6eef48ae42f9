/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The default sizes of each kind of point.
 */
#include "points.h"

static const char *const kind_name[POINT_KIND_COUNT] = {
	[POINT_LATENCY] = "latency",
	[POINT_RATE] = "rate",
	[POINT_BANDWIDTH] = "bandwidth",
};

/* ended by 0 */
static const size_t default_sizes[POINT_KIND_COUNT][8] = {
	[POINT_LATENCY] = {8, 64, 256, 1024, 4096, 65536, 1048576},
	[POINT_RATE] = {8, 64, 256},
	[POINT_BANDWIDTH] = {4096, 65536, 1048576, 16777216},
};

static void run_size(size_t size, size_t max_size, enum point_kind kind,
		     void (*run)(void *arg, enum point_kind kind, size_t size), void *arg)
{
	if (size >= POINT_ACK_SIZE && size <= max_size)
		run(arg, kind, size);
}

void points_for_each(const struct bench_options *options, size_t max_size,
		     void (*run)(void *arg, enum point_kind kind, size_t size), void *arg)
{
	for (int kind = 0; kind < POINT_KIND_COUNT; kind++) {
		if (!options_want(options, kind_name[kind]))
			continue;
		for (size_t i = 0; i < options->size_count; i++)
			run_size(options->sizes[i], max_size, kind, run, arg);
		if (options->size_count > 0)
			continue;
		for (const size_t *size = default_sizes[kind]; *size; size++)
			run_size(*size, max_size, kind, run, arg);
	}
}
