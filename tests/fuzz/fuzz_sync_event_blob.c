/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exported sync events: whatever is accepted says the same when encoded again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "checksummed.h"
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
	uint8_t blob[EVENT_BLOB_SIZE];

	check(data, size);
	if (make_checksummed(data, size, blob, sizeof(blob)))
		check(blob, sizeof(blob));
	return 0;
}
