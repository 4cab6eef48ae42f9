/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blobs that end with a checksum. What lies behind that would be reached once in four billion
 * inputs.
 */
#ifndef SOFTFIELD_FUZZ_CHECKSUMMED_H
#define SOFTFIELD_FUZZ_CHECKSUMMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "base/crc32c.h"

/* Makes a blob of the input, if that is long enough; false: it is not. */
static inline bool make_checksummed(const uint8_t *data, size_t size, uint8_t *blob,
				    size_t blob_size)
{
	const size_t covered = blob_size - sizeof(uint32_t);
	uint32_t crc;

	if (size < covered)
		return false;
	memcpy(blob, data, covered);
	crc = priv_crc32c(blob, covered);
	for (size_t i = 0; i < sizeof(crc); i++)
		blob[covered + i] = (uint8_t)(crc >> 8 * i);
	return true;
}

#endif
