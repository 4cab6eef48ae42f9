/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine's limit: one cache line to another CPU and back. No message can be faster.
 */
#ifndef SAMPLES_CACHELINE_H
#define SAMPLES_CACHELINE_H

#include <stdbool.h>
#include "times.h"

/* Adds one-way times of count round trips between the calling CPU and another. */
bool cacheline_measure(int other_cpu, unsigned int count, uint64_t clock_cost, struct times *times);

#endif
