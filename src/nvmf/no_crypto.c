/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A build without libcrypto: nobody can be given a key.
 */
#include "nvmf/crypto.h"

bool nvmf_crypto_is_there(void)
{
	return false;
}

doca_error_t nvmf_digest(enum nvmf_hash hash, const void *data, size_t size, uint8_t *digest)
{
	(void)hash;
	(void)data;
	(void)size;
	(void)digest;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t nvmf_hmac(enum nvmf_hash hash, const void *key, size_t key_size, const void *data,
		       size_t size, uint8_t *digest)
{
	(void)key;
	(void)key_size;
	return nvmf_digest(hash, data, size, digest);
}

doca_error_t nvmf_random(void *data, size_t size)
{
	(void)data;
	(void)size;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t nvmf_dh_create(enum nvmf_dh_group group, struct nvmf_dh **ret_dh)
{
	(void)group;
	(void)ret_dh;
	return DOCA_ERROR_NOT_SUPPORTED;
}

void nvmf_dh_destroy(struct nvmf_dh *dh)
{
	(void)dh;
}

doca_error_t nvmf_dh_public(const struct nvmf_dh *dh, uint8_t *value)
{
	(void)dh;
	(void)value;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t nvmf_dh_secret(const struct nvmf_dh *dh, const uint8_t *other, uint8_t *secret)
{
	(void)dh;
	(void)other;
	(void)secret;
	return DOCA_ERROR_NOT_SUPPORTED;
}
