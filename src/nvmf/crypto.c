/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hashes and Diffie-Hellman by OpenSSL's libcrypto.
 */
#include "nvmf/crypto.h"

#include <assert.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/obj_mac.h>
#include <openssl/rand.h>

bool nvmf_crypto_is_there(void)
{
	return true;
}

static const EVP_MD *md_of(enum nvmf_hash hash)
{
	switch (hash) {
	case NVMF_SHA256:
		return EVP_sha256();
	case NVMF_SHA384:
		return EVP_sha384();
	case NVMF_SHA512:
		return EVP_sha512();
	}
	return NULL;
}

static doca_error_t result(int ok)
{
	return ok > 0 ? DOCA_SUCCESS : DOCA_ERROR_UNEXPECTED;
}

doca_error_t nvmf_digest(enum nvmf_hash hash, const void *data, size_t size, uint8_t *digest)
{
	return result(EVP_Digest(data, size, digest, NULL, md_of(hash), NULL));
}

doca_error_t nvmf_hmac(enum nvmf_hash hash, const void *key, size_t key_size, const void *data,
		       size_t size, uint8_t *digest)
{
	return result(!!HMAC(md_of(hash), key, (int)key_size, data, size, digest, NULL));
}

doca_error_t nvmf_random(void *data, size_t size)
{
	return result(RAND_bytes(data, (int)size));
}

/*
 * Diffie-Hellman: struct nvmf_dh is a key of the library's
 */

static EVP_PKEY *key_of(const struct nvmf_dh *dh)
{
	return (EVP_PKEY *)(uintptr_t)dh;
}

static const char *name_of(enum nvmf_dh_group group)
{
	static const char *const names[NVMF_DH_GROUPS] = {
		[NVMF_FFDHE2048] = SN_ffdhe2048, [NVMF_FFDHE3072] = SN_ffdhe3072,
		[NVMF_FFDHE4096] = SN_ffdhe4096, [NVMF_FFDHE6144] = SN_ffdhe6144,
		[NVMF_FFDHE8192] = SN_ffdhe8192,
	};

	return names[group];
}

static int generate(EVP_PKEY_CTX *ctx, enum nvmf_dh_group group, EVP_PKEY **ret_key)
{
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME,
						 (char *)(uintptr_t)name_of(group), 0),
		OSSL_PARAM_END,
	};

	return ctx && EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_CTX_set_params(ctx, params) > 0 &&
	       EVP_PKEY_generate(ctx, ret_key) > 0;
}

doca_error_t nvmf_dh_create(enum nvmf_dh_group group, struct nvmf_dh **ret_dh)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "DH", NULL);
	EVP_PKEY *key = NULL;
	int ok;

	assert(group != NVMF_DH_NULL);
	ok = generate(ctx, group, &key);
	EVP_PKEY_CTX_free(ctx);
	if (ok)
		*ret_dh = (struct nvmf_dh *)key;
	return result(ok);
}

void nvmf_dh_destroy(struct nvmf_dh *dh)
{
	EVP_PKEY_free(key_of(dh)); /* which wipes it */
}

doca_error_t nvmf_dh_public(const struct nvmf_dh *dh, uint8_t *value)
{
	size_t size = (size_t)EVP_PKEY_get_size(key_of(dh)), got;

	return result(EVP_PKEY_get_octet_string_param(key_of(dh),
						      OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, value,
						      size, &got) > 0 &&
		      got == size);
}

/*
 * The primes are safe ones: of the values between 1 and p - 1 none is of small order. The library's
 * own derivation proves that again by a power to half the prime, fifteen times the work.
 */
static bool is_value(const BIGNUM *value, const BIGNUM *p, BIGNUM *limit)
{
	return BN_sub(limit, p, BN_value_one()) && BN_cmp(value, BN_value_one()) > 0 &&
	       BN_cmp(value, limit) < 0;
}

struct numbers {
	BN_CTX *ctx;
	BIGNUM *p, *own, *other, *secret;
};

static bool get_numbers(const EVP_PKEY *key, const uint8_t *other, int size, struct numbers *n)
{
	n->ctx = BN_CTX_secure_new();
	n->other = BN_bin2bn(other, size, NULL);
	n->secret = BN_secure_new();
	return n->ctx && n->other && n->secret &&
	       EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_FFC_P, &n->p) > 0 &&
	       EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &n->own) > 0;
}

static void put_numbers(struct numbers *n)
{
	BN_clear_free(n->secret);
	BN_clear_free(n->own);
	BN_free(n->other);
	BN_free(n->p);
	BN_CTX_free(n->ctx);
}

doca_error_t nvmf_dh_secret(const struct nvmf_dh *dh, const uint8_t *other, uint8_t *secret)
{
	int size = EVP_PKEY_get_size(key_of(dh));
	struct numbers n = {0};
	doca_error_t err = DOCA_ERROR_UNEXPECTED;
	bool ready = get_numbers(key_of(dh), other, size, &n);

	if (ready && !is_value(n.other, n.p, n.secret))
		err = DOCA_ERROR_INVALID_VALUE;
	else if (ready && BN_mod_exp_mont_consttime(n.secret, n.other, n.own, n.p, n.ctx, NULL) &&
		 BN_bn2binpad(n.secret, secret, size) == size)
		err = DOCA_SUCCESS;
	put_numbers(&n);
	return err;
}
