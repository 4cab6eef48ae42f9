/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A function that the host starts, in a header that two sources include.
 */
#ifndef IN_HEADER_H_
#define IN_HEADER_H_

#include <stdint.h>

#include <softfield_dpa_types.h>

static inline __dpa_rpc__ uint64_t in_header(uint64_t value)
{
	return value ^ 1;
}

#endif
