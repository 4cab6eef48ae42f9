/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which transfers may run beside each other.
 */
#include "rig.h"
#include "nvme/vctrl_ranges.h"
#include "test.h"

#define K 1024u
#define M (1024u * K)

static struct vctrl_ranges ranges;

static int setup(void **state)
{
	(void)state;
	vctrl_ranges_init(&ranges);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	vctrl_ranges_fini(&ranges);
	return 0;
}

static struct vctrl_io make(enum vctrl_op op, uint64_t size)
{
	return (struct vctrl_io){.op = op, .size = size};
}

static void only_what_overlaps_has_to_wait(void **state)
{
	static const struct {
		struct vctrl_io first, second;
		bool together;
	} cases[] = {
		{{.op = VCTRL_READ, .size = 512}, {.op = VCTRL_READ, .size = 512}, true},
		{{.op = VCTRL_READ, .size = 512}, {.op = VCTRL_WRITE, .size = 512}, false},
		{{.op = VCTRL_WRITE, .size = 512}, {.op = VCTRL_READ, .size = 512}, false},
		{{.op = VCTRL_WRITE, .size = 512}, {.op = VCTRL_WRITE, .size = 512}, false},
		{{.op = VCTRL_ZERO, .size = 512}, {.op = VCTRL_READ, .size = 512}, false},
		{{.op = VCTRL_WRITE, .size = 512},
		 {.op = VCTRL_READ, .offset = 512, .size = 512},
		 true},
		{{.op = VCTRL_WRITE, .size = 1024},
		 {.op = VCTRL_READ, .offset = 512, .size = 512},
		 false},
		/* over the end of a region, and as far as such a one can reach */
		{{.op = VCTRL_WRITE, .offset = 127 * K, .size = 128 * K},
		 {.op = VCTRL_READ, .offset = 254 * K, .size = 4 * K},
		 false},
		{{.op = VCTRL_WRITE, .offset = 254 * K, .size = 4 * K},
		 {.op = VCTRL_READ, .offset = 127 * K, .size = 128 * K},
		 false},
		/* the same bucket is not the same place */
		{{.op = VCTRL_WRITE, .size = 512},
		 {.op = VCTRL_READ, .offset = 8 * M, .size = 512},
		 true},
		{{.op = VCTRL_DISCARD, .size = 64 * M},
		 {.op = VCTRL_READ, .offset = 63 * M, .size = 512},
		 false},
		{{.op = VCTRL_READ, .offset = 63 * M, .size = 512},
		 {.op = VCTRL_DISCARD, .size = 64 * M},
		 false},
		{{.op = VCTRL_DISCARD, .size = 63 * M},
		 {.op = VCTRL_ZERO, .offset = 63 * M, .size = 64 * M},
		 true},
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct vctrl_io first = cases[i].first, second = cases[i].second;

		assert_true(vctrl_range_enter(&ranges, &first));
		assert_int_equal(vctrl_range_enter(&ranges, &second), cases[i].together);
		assert_true(vctrl_range_is_free(&ranges, &first));
		vctrl_range_leave(&ranges, &first);
		assert_true(vctrl_range_is_free(&ranges, &second));
		vctrl_range_leave(&ranges, &second);
	}
}

static void nobody_is_overtaken_for_ever(void **state)
{
	struct vctrl_io reading = make(VCTRL_READ, 4 * K), writer = make(VCTRL_WRITE, 512);
	struct vctrl_io reader = make(VCTRL_READ, 512);

	(void)state;
	assert_true(vctrl_range_enter(&ranges, &reading));
	assert_false(vctrl_range_enter(&ranges, &writer));
	assert_false(vctrl_range_enter(&ranges, &reader)); /* behind the writer */
	assert_false(vctrl_range_is_free(&ranges, &writer));
	vctrl_range_leave(&ranges, &reading);
	assert_false(vctrl_range_is_free(&ranges, &reader));
	assert_true(vctrl_range_is_free(&ranges, &writer));
	vctrl_range_leave(&ranges, &writer);
	assert_true(vctrl_range_is_free(&ranges, &reader));
	vctrl_range_leave(&ranges, &reader);
}

static void those_who_give_up_are_forgotten(void **state)
{
	struct vctrl_io writer = make(VCTRL_WRITE, 512), other = make(VCTRL_WRITE, 512);
	struct vctrl_io reader = make(VCTRL_READ, 512);

	(void)state;
	assert_true(vctrl_range_enter(&ranges, &writer));
	assert_false(vctrl_range_enter(&ranges, &other));
	assert_false(vctrl_range_enter(&ranges, &reader));
	vctrl_range_leave(&ranges, &other);
	vctrl_range_leave(&ranges, &writer);
	assert_true(vctrl_range_is_free(&ranges, &reader));
	vctrl_range_leave(&ranges, &reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(only_what_overlaps_has_to_wait, setup, teardown),
		cmocka_unit_test_setup_teardown(nobody_is_overtaken_for_ever, setup, teardown),
		cmocka_unit_test_setup_teardown(those_who_give_up_are_forgotten, setup, teardown),
	};

	return cmocka_run_group_tests_name("vctrl_ranges", tests, NULL, NULL);
}
