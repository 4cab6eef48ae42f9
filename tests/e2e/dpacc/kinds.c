/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPA code with every kind of parameter and mark. Its names are also names of the program.
 */
#include "kinds.h"

#include <string.h>
#include "in_header.h"

#ifndef __DPA__
#error "code of the DPA"
#endif

int triple(int value); /* more/kinds.c */

uint64_t calls;
int only_here = 1;

static inline uint64_t plus_one(uint64_t value)
{
	return value + 1;
}

__dpa_global__ void count_call(void)
{
	calls++;
}

__dpa_rpc__ uint64_t get_calls(void)
{
	return calls;
}

__dpa_rpc__ uint64_t integers(uint8_t a, int8_t b, uint16_t c, short d, bool e, char f,
			      unsigned int g, long h, unsigned long long i)
{
	return (uint64_t)(a + b + c + d + e + f) + g + (uint64_t)h + i;
}

__dpa_rpc__ uint64_t reals(float a, double b, const float c)
{
	return (uint64_t)(a * 2 + b + c);
}

__dpa_rpc__ uint64_t structures(struct pair first, const struct big big, struct pair last)
{
	return first.a + first.b + first.c + big.values[0] + big.values[8] + last.c;
}

__attribute__((noinline)) __dpa_rpc__ uint64_t pointers(const char *text, int array[4],
							int at_least[static 2],
							void (*callback)(int),
							const void *const same, uint64_t (*rows)[3],
							uint64_t __attribute__((__unused__)) unused)
{
	callback(array[1]);
	return strlen(text) + (uint64_t)array[3] + (uint64_t)at_least[0] + (same == text) +
	       (*rows)[2];
}

__dpa_rpc__ uint64_t enums(enum color color, enum small small, handle_t handle, struct pair *pair)
{
	return (uint64_t)color + small + handle + pair->b;
}

static __dpa_rpc__ uint64_t hidden(uint32_t value)
{
	return plus_one((uint64_t)triple((int)value));
}

__dpa_rpc__ uint64_t marked_before(int value);

uint64_t marked_before(int value)
{
	return (uint64_t)value * 2;
}
