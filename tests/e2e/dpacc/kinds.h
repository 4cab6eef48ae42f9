/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the program and its DPA code share, with marks in all the places where programs have them.
 */
#ifndef KINDS_H_
#define KINDS_H_

#include <stdbool.h>
#include <stdint.h>

#include <softfield_dpa_types.h>

__dpa_global__ typedef uint64_t handle_t;

__dpa_global__ enum color { COLOR_RED, COLOR_GREEN = 7 };

enum __attribute__((packed)) small { SMALL_ONE = 1, SMALL_BIG = 200 };

struct pair {
	uint64_t a;
	uint32_t b;
	uint8_t c;
} __attribute__((packed, aligned(8))) __dpa_global__;

struct big {
	uint64_t values[9];
} __dpa_global__;

#endif
