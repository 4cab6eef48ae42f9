/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keys of the tests: their byte number i is 7 i, or 7 i + 9 for that of the controller. Texts and
 * known answers are those of Python's base64, zlib, hashlib and hmac.
 */
#ifndef SOFTFIELD_TESTS_NVMF_KEYS_H
#define SOFTFIELD_TESTS_NVMF_KEYS_H

#include "test.h"

#include <stdio.h>
#include <string.h>
#include "nvmf/auth_key.h"

#define KEY_32 "AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK+2vcTL0tk/PUPo:"
#define KEY_48 "AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK+2vcTL0tng5+71/AMKERgfJi00O0JJ2TiKYw==:"
#define KEY_64                                                                                     \
	"AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK+2vcTL0tng5+71/AMKERgfJi00O0JJUFdeZWxzeoGIj5adpKuyudSn" \
	"JNM=:"
#define KEY_CTRLR                                                                                  \
	"DHHC-1:02:CRAXHiUsMzpBSE9WXWRrcnmAh46VnKOqsbi/xs3U2+Lp8Pf+BQwTGiEoLzY9REtSDOEg5w==:"

static inline struct nvmf_key parse_key(const char *text)
{
	struct nvmf_key key;
	const char *why = "";

	assert_ok(nvmf_key_parse(text, &key, &why));
	return key;
}

static inline void assert_hex(const uint8_t *data, const char *expected)
{
	char text[2 * 1024 + 1];
	size_t i;

	for (i = 0; i < strlen(expected) / 2; i++)
		snprintf(text + 2 * i, 3, "%02x", data[i]);
	assert_string_equal(text, expected);
}

/* a build without libcrypto has nothing to test */
static inline void need_crypto(void)
{
	if (!nvmf_crypto_is_there())
		skip();
}

#endif
