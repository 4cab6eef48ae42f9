/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Another application of the same program, with names of the first one.
 */
#include <softfield_dpa_types.h>

uint64_t calls = 100;

int triple(int value);
int triple(int value)
{
	return value + 3;
}

__dpa_rpc__ uint64_t get_calls(void)
{
	return calls + (uint64_t)triple(0);
}
