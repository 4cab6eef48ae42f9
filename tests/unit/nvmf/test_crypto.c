/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hashes with known answers, and both ends of Diffie-Hellman exchanges.
 */
#include "keys.h"

static void digests_are_those_of_the_standard(void **state)
{
	uint8_t digest[NVMF_DIGEST_MAX];

	(void)state;
	need_crypto();
	assert_ok(nvmf_digest(NVMF_SHA256, "abc", 3, digest));
	assert_hex(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_ok(nvmf_digest(NVMF_SHA384, "abc", 3, digest));
	assert_hex(digest,
		   "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072b"
		   "a1e7cc2358baeca134c825a7");
	assert_ok(nvmf_digest(NVMF_SHA512, "abc", 3, digest));
	assert_hex(digest,
		   "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a"
		   "274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
}

static void hmacs_are_those_of_the_standard(void **state)
{
	uint8_t digest[NVMF_DIGEST_MAX];

	(void)state;
	need_crypto();
	assert_ok(nvmf_hmac(NVMF_SHA256, "key", 3, "abc", 3, digest));
	assert_hex(digest, "9c196e32dc0175f86f4b1cb89289d6619de6bee699e4c378e68309ed97a1a6ab");
	assert_ok(nvmf_hmac(NVMF_SHA384, "key", 3, "abc", 3, digest));
	assert_hex(digest,
		   "30ddb9c8f347cffbfb44e519d814f074cf4047a55d6f563324f1c6a33920e5edfb2a34ba"
		   "c60bdc96cd33a95623d7d638");
	assert_ok(nvmf_hmac(NVMF_SHA512, "key", 3, "abc", 3, digest));
	assert_hex(digest,
		   "3926a207c8c42b0c41792cbd3e1a1aaaf5f7a25704f62dfc939c4987dd7ce060009c5bb1"
		   "c2447355b3216f10b537e9afa7b64a4e5391b0d631172d07939e087a");
}

static void both_sides_have_the_same_secret(void **state)
{
	uint8_t values[2][NVMF_DH_VALUE_MAX], secrets[2][NVMF_DH_VALUE_MAX];
	unsigned int group;

	(void)state;
	need_crypto();
	for (group = NVMF_FFDHE2048; group < NVMF_DH_GROUPS; group++) {
		uint32_t size = nvmf_dh_size(group);
		struct nvmf_dh *ours, *theirs;

		assert_ok(nvmf_dh_create(group, &ours));
		assert_ok(nvmf_dh_create(group, &theirs));
		assert_ok(nvmf_dh_public(ours, values[0]));
		assert_ok(nvmf_dh_public(theirs, values[1]));
		assert_memory_not_equal(values[0], values[1], size);
		assert_ok(nvmf_dh_secret(ours, values[1], secrets[0]));
		assert_ok(nvmf_dh_secret(theirs, values[0], secrets[1]));
		assert_memory_equal(secrets[0], secrets[1], size);
		nvmf_dh_destroy(ours);
		nvmf_dh_destroy(theirs);
	}
}

static void values_that_give_the_secret_away_are_refused(void **state)
{
	uint8_t value[NVMF_DH_VALUE_MAX] = {0}, secret[NVMF_DH_VALUE_MAX];
	unsigned int group;

	(void)state;
	need_crypto();
	for (group = NVMF_FFDHE2048; group < NVMF_DH_GROUPS; group++) {
		uint32_t size = nvmf_dh_size(group);
		struct nvmf_dh *dh;

		assert_ok(nvmf_dh_create(group, &dh));
		memset(value, 0, size);
		assert_err(nvmf_dh_secret(dh, value, secret), INVALID_VALUE);
		value[size - 1] = 1;
		assert_err(nvmf_dh_secret(dh, value, secret), INVALID_VALUE);
		memset(value, 0xff, size); /* more than the prime */
		assert_err(nvmf_dh_secret(dh, value, secret), INVALID_VALUE);
		nvmf_dh_destroy(dh);
	}
	nvmf_dh_destroy(NULL);
}

static void random_bytes_differ(void **state)
{
	uint8_t a[32] = {0}, b[32] = {0};

	(void)state;
	need_crypto();
	assert_ok(nvmf_random(a, sizeof(a)));
	assert_ok(nvmf_random(b, sizeof(b)));
	assert_memory_not_equal(a, b, sizeof(a));
}

static void secrets_are_compared_to_the_last_byte(void **state)
{
	uint8_t a[64] = {0}, b[64] = {0};

	(void)state;
	assert_true(nvmf_is_same_secret(a, b, 64));
	b[63] = 1;
	assert_false(nvmf_is_same_secret(a, b, 64));
	assert_true(nvmf_is_same_secret(a, b, 63));
	b[0] = 0x80;
	assert_false(nvmf_is_same_secret(a, b, 63));
}

static void a_build_without_libcrypto_says_so(void **state)
{
	struct nvmf_dh *dh = NULL;
	uint8_t digest[NVMF_DIGEST_MAX];

	(void)state;
	if (nvmf_crypto_is_there())
		skip();
	assert_err(nvmf_digest(NVMF_SHA256, "", 0, digest), NOT_SUPPORTED);
	assert_err(nvmf_hmac(NVMF_SHA256, "", 0, "", 0, digest), NOT_SUPPORTED);
	assert_err(nvmf_random(digest, 1), NOT_SUPPORTED);
	assert_err(nvmf_dh_create(NVMF_FFDHE2048, &dh), NOT_SUPPORTED);
	assert_null(dh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digests_are_those_of_the_standard),
		cmocka_unit_test(hmacs_are_those_of_the_standard),
		cmocka_unit_test(both_sides_have_the_same_secret),
		cmocka_unit_test(values_that_give_the_secret_away_are_refused),
		cmocka_unit_test(random_bytes_differ),
		cmocka_unit_test(secrets_are_compared_to_the_last_byte),
		cmocka_unit_test(a_build_without_libcrypto_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
