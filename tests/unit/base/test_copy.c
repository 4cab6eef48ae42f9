/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies: every byte, and not one more, wherever they begin and end.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include "base/copy.h"

#define MARGIN 64u
#define MAX    (COPY_LONG + 1000u)
#define ROOM   ((MAX + 3 * 4096u) / 4096u * 4096u)

struct rig {
	char *from, *to;
};

static int setup(void **state)
{
	struct rig *rig = malloc(sizeof(*rig));
	size_t i;

	rig->from = aligned_alloc(4096, ROOM);
	rig->to = aligned_alloc(4096, ROOM);
	for (i = 0; i < ROOM; i++)
		rig->from[i] = (char)(i * 37 + i / 251);
	*state = rig;
	return 0;
}

static int teardown(void **state)
{
	struct rig *rig = *state;

	free(rig->from);
	free(rig->to);
	free(rig);
	return 0;
}

static void copy_in_line(void *dst, const void *src, size_t size)
{
	copy_inline(dst, src, (uint32_t)size);
}

static void copy_part_of_little(void *dst, const void *src, size_t size)
{
	priv_copy_part(dst, src, size, size);
}

static void copy_part_of_much(void *dst, const void *src, size_t size)
{
	priv_copy_part(dst, src, size, SIZE_MAX);
}

static void move_part_of_much(void *dst, const void *src, size_t size)
{
	copy_move(dst, src, size, SIZE_MAX);
}

static void check_copy(const struct rig *rig, void (*copy)(void *, const void *, size_t),
		       size_t to_offset, size_t from_offset, size_t size)
{
	char *to = rig->to + MARGIN + to_offset;
	const char *from = rig->from + from_offset;
	size_t i;

	memset(to - MARGIN, 0x5a, MARGIN + size + MARGIN);
	copy(to, from, size);
	assert_memory_equal(to, from, size);
	for (i = 1; i <= MARGIN; i++) {
		assert_int_equal(to[-(ptrdiff_t)i], 0x5a);
		assert_int_equal(to[size + i - 1], 0x5a);
	}
}

static void lines_are_copied_whole(void **state)
{
	size_t size;

	for (size = 0; size <= 112; size++)
		check_copy(*state, copy_in_line, size % 7, size % 5, size);
}

static void so_is_any_size_from_and_to_anywhere(void **state)
{
	static const size_t sizes[] = {0,
				       1,
				       63,
				       64,
				       65,
				       127,
				       128,
				       1000,
				       COPY_SHORT - 1,
				       COPY_SHORT,
				       4096,
				       5001,
				       16384 + 63,
				       2 * 16384 + 130,
				       COPY_LONG - 1,
				       COPY_LONG,
				       COPY_LONG + 777};
	static void (*const copies[])(void *, const void *, size_t) = {
		copy_bytes, copy_part_of_little, copy_part_of_much, move_part_of_much};
	size_t i, j, offset;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		for (j = 0; j < ARRAY_SIZE(copies); j++)
			for (offset = 0; offset < 64; offset += 21)
				check_copy(*state, copies[j], offset, (offset * 5) % 64, sizes[i]);
}

/* where the one begins and ends in its page tells how to copy */
static void so_is_what_begins_a_little_behind(void **state)
{
	static const size_t sizes[] = {COPY_SHORT, COPY_SHORT + 65, 8191, COPY_LONG, COPY_LONG + 1};
	size_t i, behind;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (behind = 0; behind <= 65; behind++) {
			check_copy(*state, copy_bytes, behind, MARGIN, sizes[i]);
			check_copy(*state, copy_bytes, behind + 3, MARGIN + 3, sizes[i]);
			check_copy(*state, copy_bytes, 1, MARGIN + 1 + behind, sizes[i]);
		}
	}
}

static void what_overlaps_is_moved(void **state)
{
	static const size_t sizes[] = {100, 5001, COPY_LONG + 777};
	static const ptrdiff_t shifts[] = {-4000, -64, -1, 0, 1, 64, 4000};
	const struct rig *rig = *state;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (j = 0; j < ARRAY_SIZE(shifts); j++) {
			char *from = rig->to + 4096, *to = from + shifts[j];

			memcpy(from, rig->from, sizes[i]);
			copy_move(to, from, sizes[i], SIZE_MAX);
			assert_memory_equal(to, rig->from, sizes[i]);
		}
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lines_are_copied_whole),
		TEST(so_is_any_size_from_and_to_anywhere),
		TEST(so_is_what_begins_a_little_behind),
		TEST(what_overlaps_is_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
