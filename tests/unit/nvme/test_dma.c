/* SPDX-License-Identifier: BSD-3-Clause */
#include "nvme/dma.h"

#include <stdint.h>
#include <string.h>
#include "pages.h"
#include "test.h"

/* An address space that counts and may refuse. */
struct space {
	struct dma_space base;
	unsigned int mapped, unmapped, refuse_after; /* 0: never */
	void *last;
	size_t last_size;
};

static doca_error_t map(struct dma_space *base, void *addr, size_t size)
{
	struct space *space = container_of(base, struct space, base);

	if (space->refuse_after && space->mapped - space->unmapped == space->refuse_after)
		return DOCA_ERROR_NO_MEMORY;
	space->mapped++;
	space->last = addr;
	space->last_size = size;
	return DOCA_SUCCESS;
}

static void unmap(struct dma_space *base, void *addr, size_t size)
{
	struct space *space = container_of(base, struct space, base);

	(void)addr;
	assert_int_equal(size % PAGE, 0);
	space->unmapped++;
}

static struct space new_space(unsigned int refuse_after)
{
	return (struct space){.base = {.map = map, .unmap = unmap}, .refuse_after = refuse_after};
}

static void memory_is_whole_zeroed_pages(void **state)
{
	uint8_t *memory = dma_alloc(PAGE + 1);
	size_t i;

	(void)state;
	assert_non_null(memory);
	assert_int_equal((uintptr_t)memory % PAGE, 0);
	for (i = 0; i < 2 * PAGE; i++)
		assert_int_equal(memory[i], 0);
	memset(memory, 1, 2 * PAGE);
	assert_true(dma_contains(memory, 2 * PAGE));
	assert_true(dma_contains(memory + 100, 2 * PAGE - 100));
	assert_false(dma_contains(memory + 100, 2 * PAGE - 99));
	assert_false(dma_contains(memory - 1, 2));
	assert_false(dma_contains(memory + 2 * PAGE, 0 + 1));
	assert_false(dma_contains(&i, 1));
	assert_false(dma_contains(memory, SIZE_MAX));
	dma_free(memory);
}

static void spaces_see_what_there_is_and_will_be(void **state)
{
	void *before = dma_alloc(1), *after;
	struct space space = new_space(0);

	(void)state;
	assert_ok(dma_attach(&space.base));
	assert_int_equal(space.mapped, 1);
	assert_ptr_equal(space.last, before);
	after = dma_alloc(3 * PAGE);
	assert_int_equal(space.mapped, 2);
	assert_ptr_equal(space.last, after);
	assert_int_equal(space.last_size, 3 * PAGE);
	dma_free(before);
	assert_int_equal(space.unmapped, 1);
	dma_detach(&space.base);
	assert_int_equal(space.unmapped, 2);
	dma_free(after);
	assert_int_equal(space.unmapped, 2);
}

static void a_space_that_refuses_leaves_nothing_mapped(void **state)
{
	void *pieces[3];
	struct space first = new_space(0), second = new_space(2);
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++)
		pieces[i] = dma_alloc(1);
	assert_err(dma_attach(&second.base), NO_MEMORY);
	assert_int_equal(second.mapped, 2);
	assert_int_equal(second.unmapped, 2);
	dma_free(pieces[2]);
	assert_ok(dma_attach(&first.base));
	assert_ok(dma_attach(&second.base));
	assert_null(dma_alloc(1)); /* the second one has enough */
	assert_int_equal(first.mapped - first.unmapped, 2);
	dma_free(pieces[0]);
	dma_free(pieces[1]);
	assert_int_equal(first.mapped, first.unmapped);
	assert_int_equal(second.mapped, second.unmapped);
	dma_detach(&first.base);
	dma_detach(&second.base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_whole_zeroed_pages),
		cmocka_unit_test(spaces_see_what_there_is_and_will_be),
		cmocka_unit_test(a_space_that_refuses_leaves_nothing_mapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
