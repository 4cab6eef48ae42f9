/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The points that are measured of every way to pass messages, in the same order on both sides.
 */
#ifndef SOFTFIELD_BENCH_POINTS_H
#define SOFTFIELD_BENCH_POINTS_H

#include <stddef.h>
#include "options.h"

#define POINT_ACK_SIZE 8u	   /* smallest message: also the receipt at the end of a stream */
#define POINT_MAX_SIZE (16u << 20) /* largest message */

enum point_kind { POINT_LATENCY, POINT_RATE, POINT_BANDWIDTH, POINT_KIND_COUNT };

/* calls run for what the options select; sizes over max_size are left out */
void points_for_each(const struct bench_options *options, size_t max_size,
		     void (*run)(void *arg, enum point_kind kind, size_t size), void *arg);

#endif
