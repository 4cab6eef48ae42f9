/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keys of people, and what is proved with them.
 */
#include "keys.h"

#define HOSTNQN "nqn.2014-08.org.nvmexpress:uuid:11111111-2222-3333-4444-555555555555"
#define SUBNQN	"nqn.2024-01.example:disk"

static void keys_of_each_length_and_kind(void **state)
{
	static const struct {
		const char *text;
		uint8_t transform, size;
	} keys[] = {{"DHHC-1:00:" KEY_32, 0, 32},	    {"DHHC-1:01:" KEY_32, NVMF_SHA256, 32},
		    {"DHHC-1:02:" KEY_48, NVMF_SHA384, 48}, {"DHHC-1:03:" KEY_64, NVMF_SHA512, 64},
		    {"DHHC-1:00:" KEY_64, 0, 64},	    {"DHHC-1:01:" KEY_48, NVMF_SHA256, 48}};
	size_t i, at;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		struct nvmf_key key = parse_key(keys[i].text);

		assert_int_equal(key.transform, keys[i].transform);
		assert_int_equal(key.size, keys[i].size);
		for (at = 0; at < key.size; at++)
			assert_int_equal(key.bytes[at], (uint8_t)(7 * at));
	}
}

static void what_is_wrong_with_a_key_is_said_without_it(void **state)
{
	static const struct {
		const char *text, *why;
	} wrong[] = {
		{"", "does not begin with DHHC-1:"},
		{"DHHC-2:00:" KEY_32, "does not begin with DHHC-1:"},
		{"DHHC-1:", "has no 00, 01, 02 or 03 behind DHHC-1:"},
		{"DHHC-1:0", "has no 00, 01, 02 or 03 behind DHHC-1:"},
		{"DHHC-1:04:" KEY_32, "has no 00, 01, 02 or 03 behind DHHC-1:"},
		{"DHHC-1:10:" KEY_32, "has no 00, 01, 02 or 03 behind DHHC-1:"},
		{"DHHC-1:001" KEY_32, "has no 00, 01, 02 or 03 behind DHHC-1:"},
		{"DHHC-1:00:", "does not end with a colon"},
		{"DHHC-1:00:" KEY_32 ":", "does not end with a colon"},
		{"DHHC-1:00:" KEY_32 " ", "does not end with a colon"},
		{"DHHC-1:00::", "is not Base64"},
		{"DHHC-1:00:AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK-2vcTL0tk/PUPo:", "is not Base64"},
		{"DHHC-1:00:AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK+2vcTL0tk/PUP:", "is not Base64"},
		{"DHHC-1:00:AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK+2vcTL0tk/PUM=:",
		 "has not 32, 48 or 64 bytes"},
		{"DHHC-1:00:AAcO====:", "is not Base64"},
		{"DHHC-1:00:AAc=AAcO:", "is not Base64"},
		{"DHHC-1:00:AAcOFR==:", "is not Base64"}, /* bits that no byte has */
		{"DHHC-1:00:AA==:", "has not 32, 48 or 64 bytes"},
		{"DHHC-1:00:AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK+2vcTL0tk/PUPoAAAA:",
		 "has not 32, 48 or 64 bytes"},
		{"DHHC-1:00:AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK+2vcTL0tk/PUPp:",
		 "does not fit its checksum: a character is wrong"},
		{"DHHC-1:00:AAcPFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK+2vcTL0tk/PUPo:",
		 "does not fit its checksum: a character is wrong"},
		{"DHHC-1:00:AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK+2vcTL0tng5+71/AMKERgfJi00O0JJUFdeZWx"
		 "zeoGIj5adpKuyudSnJNMA:",
		 "is longer than 64 bytes"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct nvmf_key key = {.size = 7};
		const char *why = NULL;

		assert_err(nvmf_key_parse(wrong[i].text, &key, &why), INVALID_VALUE);
		assert_string_equal(why, wrong[i].why);
		assert_int_equal(key.size, 7);
	}
}

/* the challenge is 0, 1, 2, ... */
static void assert_proof(const char *text, enum nvmf_hash hash, const uint8_t *secret,
			 const char *role, const char *expected)
{
	bool by_host = !strcmp(role, NVMF_ROLE_HOST);
	struct nvmf_key key = parse_key(text);
	uint8_t challenge[NVMF_DIGEST_MAX], response[NVMF_DIGEST_MAX];
	struct nvmf_proof proof = {.key = &key,
				   .hash = hash,
				   .challenge = challenge,
				   .secret = secret,
				   .secret_size = secret ? 256 : 0,
				   .seqnum = 0x01020304,
				   .t_id = 0xabcd,
				   .role = role,
				   .nqn = by_host ? HOSTNQN : SUBNQN,
				   .other_nqn = by_host ? SUBNQN : HOSTNQN};
	unsigned int i;

	for (i = 0; i < NVMF_DIGEST_MAX; i++)
		challenge[i] = (uint8_t)i;
	assert_ok(nvmf_proof_make(&proof, response));
	assert_int_equal(strlen(expected), 2 * nvmf_digest_size(hash));
	assert_hex(response, expected);
}

static void proofs_have_known_answers(void **state)
{
	uint8_t rising[256], falling[256], padded[256];
	const struct {
		const char *key;
		enum nvmf_hash hash;
		const uint8_t *secret;
		const char *of_host, *of_controller;
	} proofs[] = {
		{"DHHC-1:00:" KEY_32, NVMF_SHA256, NULL,
		 "aa3cb585182dfa16952c77736de4ff342338519b75421de4ef934199d7964adf",
		 "018d0177873aa4290cfd0c827c266376eb669a88b53745a264d2b68ceaaa24b5"},
		{"DHHC-1:01:" KEY_32, NVMF_SHA256, NULL,
		 "b7909bea6dd66513a48f14e144999b03f17e2bf83be4b9a1d1a6aafd7305b698",
		 "00dc975281692c2892b94890efc8f66009026ebd448641609486de15201d1455"},
		{"DHHC-1:02:" KEY_48, NVMF_SHA384, NULL,
		 "ccb8efb486b85137779008d9514ab4c5720c7d66790ed6a77ac3000d92c429cdec6670b2"
		 "6a1b5be28f7683a7ebc7bdfb",
		 "326d5f88a06c48d4fe8519da64e6e81e95c332cb6b723e4a0b9c6274e62b650cdcd9afb0"
		 "c29987fe643700821da66fa9"},
		{"DHHC-1:03:" KEY_64, NVMF_SHA512, rising,
		 "efc930df8e91d33b4ae83f100737c0775090815f747821c1842eb723107b9a4f4e6bc96a"
		 "e1352c2b6a0d764774bd28e224540f738f6d66198770ab443e9e20df",
		 "3c6928146981721113f54e7d5af114dfe99a9aed2b87de84eef4e0c282f1b1236b0fbc5e"
		 "6487483570b9e72f3eb6dd0e7d0a3c62fb9bb65513e3246044aba46b"},
		{"DHHC-1:01:" KEY_48, NVMF_SHA384, falling,
		 "f4a2069d1a90a296b30472c8334b6d0ab747f57eb6803120d0523b1bc6a16208ccb87e9c"
		 "29804bf5a5a3b6a74ac7462e",
		 "6fef53332846bb9939f13bd1b91f691da7bc5b26c28720b1b56b855da4e7d291f444290c"
		 "d124dddd063e0a2a8c7b47f6"},
		{"DHHC-1:00:" KEY_64, NVMF_SHA256, padded,
		 "d70720dc5c30120e5df262e6ffaeef6e87fc3d266547be809012fdfce939dcae",
		 "6992c86e2cd1024f53d444f84940ace5ba8dd6870b8c07bec38dc015a2912ee5"},
	};
	unsigned int i;

	(void)state;
	need_crypto();
	for (i = 0; i < 256; i++) {
		rising[i] = (uint8_t)i;
		falling[i] = (uint8_t)(255 - i);
		padded[i] = i >= 7;
	}
	for (i = 0; i < ARRAY_SIZE(proofs); i++) {
		assert_proof(proofs[i].key, proofs[i].hash, proofs[i].secret, NVMF_ROLE_HOST,
			     proofs[i].of_host);
		assert_proof(proofs[i].key, proofs[i].hash, proofs[i].secret, NVMF_ROLE_CONTROLLER,
			     proofs[i].of_controller);
	}
}

static void longest_names_fit(void **state)
{
	char name[224] = {0};
	struct nvmf_key key = parse_key("DHHC-1:03:" KEY_64);
	uint8_t bytes[NVMF_DH_VALUE_MAX] = {0}, response[NVMF_DIGEST_MAX];
	struct nvmf_proof proof = {.key = &key,
				   .hash = NVMF_SHA512,
				   .challenge = bytes,
				   .secret = bytes,
				   .secret_size = sizeof(bytes),
				   .role = NVMF_ROLE_CONTROLLER,
				   .nqn = name,
				   .other_nqn = name};

	(void)state;
	need_crypto();
	memset(name, 'n', sizeof(name) - 1);
	assert_ok(nvmf_proof_make(&proof, response));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_of_each_length_and_kind),
		cmocka_unit_test(what_is_wrong_with_a_key_is_said_without_it),
		cmocka_unit_test(proofs_have_known_answers),
		cmocka_unit_test(longest_names_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
