/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The clock, real and virtual, and numbers that come again with their seed.
 */
#include "test.h"

#include "base/clock.h"
#include "base/random.h"

static void the_real_clock_does_not_go_back(void **state)
{
	uint64_t before = clock_now_ns();

	(void)state;
	clock_relax();
	assert_true(clock_now_ns() >= before);
	assert_true(before > 0);
}

static void the_virtual_clock_stands_still(void **state)
{
	(void)state;
	priv_clock_virtual.on = true;
	priv_clock_virtual.now_ns = 42;
	assert_int_equal(clock_now_ns(), 42);
	assert_int_equal(clock_ticks(), 42);
	priv_clock_virtual.now_ns += 1;
	assert_int_equal(clock_now_ns(), 43);
	priv_clock_virtual.on = false;
	assert_true(clock_now_ns() > 43);
}

static void random_numbers_come_again_with_their_seed(void **state)
{
	struct random a = {.state = 5}, b = {.state = 5}, c = {.state = 6};
	unsigned int i, differ = 0;

	(void)state;
	for (i = 0; i < 100; i++) {
		uint64_t number = random_next(&a);

		assert_int_equal(number, random_next(&b));
		differ += number != random_next(&c);
	}
	assert_int_equal(differ, 100);
}

static void random_numbers_stay_in_their_range(void **state)
{
	struct random random = {0};
	unsigned int seen[10] = {0}, percent = 0, i;

	(void)state;
	for (i = 0; i < 10000; i++) {
		seen[random_below(&random, 10)]++;
		percent += random_percent(&random, 30);
		assert_false(random_percent(&random, 0));
		assert_true(random_percent(&random, 100));
		assert_int_equal(random_below(&random, 0), 0);
		assert_int_equal(random_below(&random, 1), 0);
	}
	for (i = 0; i < 10; i++)
		assert_in_range(seen[i], 850, 1150);
	assert_in_range(percent, 2800, 3200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_real_clock_does_not_go_back),
		cmocka_unit_test(the_virtual_clock_stands_still),
		cmocka_unit_test(random_numbers_come_again_with_their_seed),
		cmocka_unit_test(random_numbers_stay_in_their_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
