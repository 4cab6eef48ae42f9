/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CRC-32C (Castagnoli): the digest of exported descriptors and of NVMe/TCP PDUs.
 */
#ifndef SOFTFIELD_BASE_CRC32C_H
#define SOFTFIELD_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>
#include "base/export.h"

PRIV_EXPORT uint32_t priv_crc32c(const void *data, size_t size);

/*
 * The same in pieces: start with 0, hand each result to the next call; the last one is the digest.
 */
PRIV_EXPORT uint32_t priv_crc32c_add(uint32_t crc, const void *data, size_t size);

#endif
