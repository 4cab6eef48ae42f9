/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading and writing of bytes: what was put is what is got, and nothing beyond the end.
 */
#include "test.h"

#include <string.h>
#include "base/wire.h"

static void numbers_are_little_endian(void **state)
{
	static const uint8_t expected[] = {0x03, 0x02, 0x07, 0x06, 0x05, 0x04, 0x0f,
					   0x0e, 0x0d, 0x0c, 0x0b, 0x0a, 0x09, 0x08};
	uint8_t bytes[sizeof(expected)];
	struct wire_writer w = wire_writer(bytes, sizeof(bytes));
	struct wire_reader r = wire_reader(bytes, sizeof(bytes));

	(void)state;
	wire_put_u16(&w, 0x0203);
	wire_put_u32(&w, 0x04050607);
	wire_put_u64(&w, 0x08090a0b0c0d0e0f);
	assert_false(w.failed);
	assert_int_equal(wire_writer_size(&w), sizeof(expected));
	assert_memory_equal(bytes, expected, sizeof(expected));
	assert_int_equal(wire_get_u16(&r), 0x0203);
	assert_int_equal(wire_get_u32(&r), 0x04050607);
	assert_int_equal(wire_get_u64(&r), 0x08090a0b0c0d0e0f);
	assert_true(wire_reader_is_done(&r));
}

static void the_reader_stops_at_the_end(void **state)
{
	static const uint8_t bytes[5] = {1, 2, 3, 4, 5};
	struct wire_reader r = wire_reader(bytes, sizeof(bytes));

	(void)state;
	assert_int_equal(wire_get_u16(&r), 0x0201);
	assert_false(wire_reader_is_done(&r));
	assert_int_equal(wire_get_u32(&r), 0);
	assert_true(r.failed);
	/* It sticks, though bytes are left. */
	assert_int_equal(wire_get_u16(&r), 0);
	assert_null(wire_get(&r, 0));
	assert_false(wire_reader_is_done(&r));
}

static void absurd_lengths_do_not_wrap(void **state)
{
	static const uint8_t bytes[4];
	struct wire_reader r = wire_reader(bytes, sizeof(bytes));

	(void)state;
	assert_null(wire_get(&r, SIZE_MAX));
	r = wire_reader(bytes, sizeof(bytes));
	assert_non_null(wire_get(&r, 4));
	assert_non_null(wire_get(&r, 0));
	assert_true(wire_reader_is_done(&r));
}

static void the_writer_stops_at_the_end(void **state)
{
	uint8_t bytes[6] = {9, 9, 9, 9, 9, 9};
	struct wire_writer w = wire_writer(bytes, 5);

	(void)state;
	wire_put_u16(&w, 1);
	wire_put_u32(&w, 2);
	assert_true(w.failed);
	wire_put_u16(&w, 3);
	assert_int_equal(wire_writer_size(&w), 2);
	assert_int_equal(bytes[2], 9);
	assert_int_equal(bytes[3], 9);
}

static void texts_come_back(void **state)
{
	static const char *const texts[] = {"", "a", "a name", "1234567"};
	uint8_t bytes[32];
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		struct wire_writer w = wire_writer(bytes, sizeof(bytes));
		struct wire_reader r;
		char text[8];

		wire_put_string(&w, texts[i]);
		r = wire_reader(bytes, wire_writer_size(&w));
		wire_get_string(&r, text, sizeof(text));
		assert_true(wire_reader_is_done(&r));
		assert_string_equal(text, texts[i]);
	}
}

static void texts_that_do_not_fit_are_refused(void **state)
{
	static const uint8_t too_long[] = {8, 0, 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a'};
	static const uint8_t with_nul[] = {3, 0, 'a', 0, 'b'};
	static const uint8_t cut[] = {4, 0, 'a', 'b', 'c'};
	static const uint8_t no_length[] = {1};
	static const struct {
		const uint8_t *bytes;
		size_t size;
	} cases[] = {
		{too_long, sizeof(too_long)},
		{with_nul, sizeof(with_nul)},
		{cut, sizeof(cut)},
		{no_length, sizeof(no_length)},
		{no_length, 0},
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct wire_reader r = wire_reader(cases[i].bytes, cases[i].size);
		char text[8] = "before";

		wire_get_string(&r, text, sizeof(text));
		assert_true(r.failed);
		assert_string_equal(text, "");
	}
}

static void a_text_beyond_64k_is_not_written(void **state)
{
	static char text[UINT16_MAX + 2];
	static uint8_t bytes[sizeof(text) + 2];
	struct wire_writer w = wire_writer(bytes, sizeof(bytes));

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	wire_put_string(&w, text);
	assert_true(w.failed);
	w = wire_writer(bytes, sizeof(bytes));
	wire_put_string(&w, text + 1);
	assert_false(w.failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_little_endian),
		cmocka_unit_test(the_reader_stops_at_the_end),
		cmocka_unit_test(absurd_lengths_do_not_wrap),
		cmocka_unit_test(the_writer_stops_at_the_end),
		cmocka_unit_test(texts_come_back),
		cmocka_unit_test(texts_that_do_not_fit_are_refused),
		cmocka_unit_test(a_text_beyond_64k_is_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
