/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The application's second source, which has the name of the first one.
 */
#include "../in_header.h"

int triple(int value);
int triple(int value)
{
	return value * 3;
}

__dpa_global__ void store(uint64_t place, uint32_t value)
{
	*(uint32_t *)(uintptr_t)place = (uint32_t)triple((int)value);
}
