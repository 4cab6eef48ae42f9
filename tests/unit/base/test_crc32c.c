/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CRC-32C: published values, and every way of computing it agrees with the definition.
 */
#include "test.h"

#include <string.h>
#include "base/crc32c.h"

/* the definition, bit by bit */
static uint32_t reference(const uint8_t *p, size_t size)
{
	uint32_t crc = 0xffffffff;
	int bit;

	while (size--) {
		crc ^= *p++;
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
	}
	return ~crc;
}

static void known_values(void **state)
{
	uint8_t data[48];
	int i;

	(void)state;
	assert_int_equal(priv_crc32c("", 0), 0);
	assert_int_equal(priv_crc32c("123456789", 9), 0xe3069283);
	/* RFC 3720 B.4 */
	memset(data, 0, 32);
	assert_int_equal(priv_crc32c(data, 32), 0x8a9136aa);
	memset(data, 0xff, 32);
	assert_int_equal(priv_crc32c(data, 32), 0x62a8ab43);
	for (i = 0; i < 32; i++)
		data[i] = (uint8_t)i;
	assert_int_equal(priv_crc32c(data, 32), 0x46dd794e);
}

static void every_size_and_alignment(void **state)
{
	static uint8_t data[8192 + 16];
	static const size_t sizes[] = {1,    7,	   8,	 9,    63,   64,   1023, 3071,
				       3072, 3073, 4096, 6144, 6151, 8191, 8192};
	size_t i, offset;

	(void)state;
	for (i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * i >> 3);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (offset = 0; offset < 8; offset += 3)
			assert_int_equal(priv_crc32c(data + offset, sizes[i]),
					 reference(data + offset, sizes[i]));
}

static void pieces_add_up(void **state)
{
	static uint8_t data[10000];
	uint32_t whole, parts = 0;
	size_t i, at = 0;

	(void)state;
	for (i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 31);
	whole = priv_crc32c(data, sizeof(data));
	for (i = 1; at < sizeof(data); i = i * 3 + 1) {
		size_t part = i < sizeof(data) - at ? i : sizeof(data) - at;

		parts = priv_crc32c_add(parts, data + at, part);
		at += part;
	}
	assert_int_equal(parts, whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_values),
		cmocka_unit_test(every_size_and_alignment),
		cmocka_unit_test(pieces_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
