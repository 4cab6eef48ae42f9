/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that DPA code has addresses in: who gets it again, and that it can be read for ever.
 */
#include "test.h"

#include <string.h>
#include "core/dpa_memory.h"

static char *array_of(void *head)
{
	return (char *)head + DPA_MEMORY_HEAD;
}

static void it_is_aligned_and_large_enough(void **state)
{
	static const size_t sizes[] = {1, 2, 63, 64, 65, 4096, 100000, 1 << 20};

	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		char *head = priv_dpa_memory_take(DPA_MEMORY_BUFS, sizes[i]);

		assert_non_null(head);
		assert_int_equal((uintptr_t)head % DPA_MEMORY_HEAD, 0);
		memset(head, 1, DPA_MEMORY_HEAD + sizes[i]);
		priv_dpa_memory_give(head);
	}
	priv_dpa_memory_give(NULL);
}

static void it_is_taken_again_for_the_same(void **state)
{
	void *head = priv_dpa_memory_take(DPA_MEMORY_BUFS, 5000), *other;

	(void)state;
	priv_dpa_memory_give(head);
	for (int i = 0; i < 1000; i++) {
		assert_ptr_equal(priv_dpa_memory_take(DPA_MEMORY_BUFS, 8192 - i), head);
		priv_dpa_memory_give(head);
	}
	other = priv_dpa_memory_take(DPA_MEMORY_ELEMENTS, 5000);
	assert_ptr_not_equal(other, head);
	priv_dpa_memory_give(other);
	other = priv_dpa_memory_take(DPA_MEMORY_BUFS, 4096);
	assert_ptr_not_equal(other, head);
	priv_dpa_memory_give(other);
}

/* Sanitizers see it if not. Much of a large one is given back, and is zero then. */
static void it_can_be_read_for_ever(void **state)
{
	char *small = priv_dpa_memory_take(DPA_MEMORY_ELEMENTS, 64);
	char *large = priv_dpa_memory_take(DPA_MEMORY_ELEMENTS, 1 << 24);

	(void)state;
	memset(array_of(small), 1, 64);
	memset(array_of(large), 1, 1 << 24);
	priv_dpa_memory_give(small);
	priv_dpa_memory_give(large);
	assert_int_equal(array_of(small)[63], 1);
	assert_int_equal(array_of(large)[1 << 23], 0);
	assert_ptr_equal(priv_dpa_memory_take(DPA_MEMORY_ELEMENTS, 1 << 24), large);
	memset(array_of(large), 1, 1 << 24);
	priv_dpa_memory_give(large);
}

static void too_much_is_refused(void **state)
{
	(void)state;
	assert_null(priv_dpa_memory_take(DPA_MEMORY_BUFS, SIZE_MAX));
	assert_null(priv_dpa_memory_take(DPA_MEMORY_BUFS, (size_t)1 << 60));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_aligned_and_large_enough),
		cmocka_unit_test(it_is_taken_again_for_the_same),
		cmocka_unit_test(it_can_be_read_for_ever),
		cmocka_unit_test(too_much_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
