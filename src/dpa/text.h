/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strings that programs ask for with a length that goes in and comes out.
 */
#ifndef SOFTFIELD_DPA_TEXT_H
#define SOFTFIELD_DPA_TEXT_H

#include <stddef.h>
#include <string.h>
#include "doca_error.h"

/*
 * size in: of the buffer; *ret_size: bytes of the text with its 0, whether or not it fits.
 * INVALID_VALUE: it does not, or buffer is NULL
 */
static inline doca_error_t text_give(const char *text, char *buffer, size_t size, size_t *ret_size)
{
	*ret_size = strlen(text) + 1;
	if (!buffer || size < *ret_size)
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(buffer, text, *ret_size);
	return DOCA_SUCCESS;
}

#endif
