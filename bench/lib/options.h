/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command line that all bench programs share.
 */
#ifndef SOFTFIELD_BENCH_OPTIONS_H
#define SOFTFIELD_BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_MAX_SIZES 16

struct bench_options {
	int cpu[2];	    /* of the measuring and the answering side; -1: not pinned */
	uint64_t point_ns;  /* how long one point is measured */
	uint64_t messages;  /* for programs that count instead: 0 is their default */
	const char *metric; /* "latency", "rate", ...; NULL: all */
	const char *label;  /* overrides the peer's name in the rows */
	const char *mode;   /* a program's own variant, for instance "spin" */
	size_t sizes[BENCH_MAX_SIZES];
	size_t size_count; /* 0: the program's own list */
};

/* prints usage and exits on a bad command line */
void options_parse(struct bench_options *options, int argc, char **argv);

bool options_want(const struct bench_options *options, const char *metric);

/* replaces an empty size list by the given one */
void options_default_sizes(struct bench_options *options, const size_t *sizes, size_t count);

#endif
