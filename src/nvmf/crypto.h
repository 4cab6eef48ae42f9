/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hashes and Diffie-Hellman groups of DH-HMAC-CHAP (Base 8.13.5). What computes them is libcrypto
 * (crypto.c); a build without it has no_crypto.c.
 */
#ifndef SOFTFIELD_NVMF_CRYPTO_H
#define SOFTFIELD_NVMF_CRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "doca_error.h"

/* numbers as in messages and in keys */
enum nvmf_hash { NVMF_SHA256 = 1, NVMF_SHA384 = 2, NVMF_SHA512 = 3 };
#define NVMF_HASHES	3u
#define NVMF_DIGEST_MAX 64u

/* numbers as in messages; RFC 7919 */
enum nvmf_dh_group {
	NVMF_DH_NULL = 0,
	NVMF_FFDHE2048 = 1,
	NVMF_FFDHE3072 = 2,
	NVMF_FFDHE4096 = 3,
	NVMF_FFDHE6144 = 4,
	NVMF_FFDHE8192 = 5,
};
#define NVMF_DH_GROUPS	  6u
#define NVMF_DH_VALUE_MAX 1024u

/* one side of an exchange: a private value and what the other side may see */
struct nvmf_dh;

/* bytes */
static inline uint32_t nvmf_digest_size(enum nvmf_hash hash)
{
	return 16u + 16u * (uint32_t)hash;
}

/* bytes of a value; 0: NVMF_DH_NULL */
static inline uint32_t nvmf_dh_size(enum nvmf_dh_group group)
{
	static const uint16_t bits[NVMF_DH_GROUPS] = {0, 2048, 3072, 4096, 6144, 8192};

	return bits[group] / 8u;
}

/* else all that follow answer NOT_SUPPORTED */
bool nvmf_crypto_is_there(void);

/* These answer UNEXPECTED when the library fails. digest: nvmf_digest_size() bytes */
doca_error_t nvmf_digest(enum nvmf_hash hash, const void *data, size_t size, uint8_t *digest);
doca_error_t nvmf_hmac(enum nvmf_hash hash, const void *key, size_t key_size, const void *data,
		       size_t size, uint8_t *digest);
/* that nobody can guess */
doca_error_t nvmf_random(void *data, size_t size);

/* makes a private value; not for NVMF_DH_NULL */
doca_error_t nvmf_dh_create(enum nvmf_dh_group group, struct nvmf_dh **ret_dh);
/* NULL: nothing */
void nvmf_dh_destroy(struct nvmf_dh *dh);
/* what the other side is told: nvmf_dh_size() bytes, big-endian */
doca_error_t nvmf_dh_public(const struct nvmf_dh *dh, uint8_t *value);
/* what both sides know then, of the same size. INVALID_VALUE: that is no value of the group */
doca_error_t nvmf_dh_secret(const struct nvmf_dh *dh, const uint8_t *other, uint8_t *secret);

/* takes the same time wherever they differ */
static inline bool nvmf_is_same_secret(const uint8_t *a, const uint8_t *b, size_t size)
{
	volatile uint8_t difference = 0;
	size_t i;

	for (i = 0; i < size; i++)
		difference = difference | (a[i] ^ b[i]);
	return !difference;
}

#endif
