/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Export descriptors of memory maps: whatever is accepted says the same when encoded again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "checksummed.h"
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
	uint8_t blob[REGION_BLOB_SIZE];

	check(data, size);
	if (make_checksummed(data, size, blob, sizeof(blob)))
		check(blob, sizeof(blob));
	return 0;
}
