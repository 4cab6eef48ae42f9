/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Export descriptors of memory maps: whatever is accepted says the same when encoded again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/crc32c.h"
#include "link/region.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const uint8_t *blob, size_t size)
{
	uint8_t again[REGION_BLOB_SIZE], third[REGION_BLOB_SIZE];
	struct region_desc desc, copy;
	char text[REGION_TEXT_SIZE];

	if (region_blob_decode(blob, size, &desc))
		return;
	region_blob_encode(&desc, again);
	if (region_blob_decode(again, sizeof(again), &copy))
		abort();
	region_text_encode(&copy, text);
	if (region_blob_decode(text, strlen(text), &copy))
		abort();
	region_blob_encode(&copy, third);
	if (memcmp(again, third, sizeof(third)) || desc.addr + desc.size < desc.addr)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t covered = REGION_BLOB_SIZE - sizeof(uint32_t);
	uint8_t blob[REGION_BLOB_SIZE];
	uint32_t crc;

	check(data, size);
	if (size < covered)
		return 0;
	/* What lies behind the checksum would be reached once in four billion inputs. */
	memcpy(blob, data, covered);
	crc = priv_crc32c(blob, covered);
	for (size_t i = 0; i < sizeof(crc); i++)
		blob[covered + i] = (uint8_t)(crc >> 8 * i);
	check(blob, sizeof(blob));
	return 0;
}
