/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a message of the handshake: refused, or understood so well that encoding gives the
 * same bytes again.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "chan/handshake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *exact = malloc(size ? size : 1);
	uint8_t again[FD_MESSAGE_MAX];
	struct handshake handshake;
	doca_error_t err;

	assert(exact);
	memcpy(exact, data, size);
	err = priv_handshake_decode(exact, size, &handshake);
	if (!err) {
		assert(priv_handshake_encode(&handshake, again) == size);
		assert(!memcmp(again, data, size));
	} else {
		assert(err == DOCA_ERROR_INVALID_VALUE || err == DOCA_ERROR_UNSUPPORTED_VERSION);
	}
	free(exact);
	return 0;
}
