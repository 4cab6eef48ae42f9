/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exported sync events: whatever is accepted says the same when encoded again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/crc32c.h"
#include "core/event_cell.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const uint8_t *blob, size_t size)
{
	uint8_t again[EVENT_BLOB_SIZE];
	struct anchor_ref ref, copy;

	if (event_blob_decode(blob, size, &ref))
		return;
	event_blob_encode(&ref, again);
	if (event_blob_decode(again, sizeof(again), &copy) || memcmp(&copy, &ref, sizeof(ref)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t covered = EVENT_BLOB_SIZE - sizeof(uint32_t);
	uint8_t blob[EVENT_BLOB_SIZE];
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
