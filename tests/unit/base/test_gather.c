/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gathering: only after bursts, never for more than can come, never for ever.
 */
#include "test.h"

#include "base/gather.h"

static void single_messages_are_not_waited_for(void **state)
{
	struct gather gather = {0};

	(void)state;
	gather_begin(&gather, GATHER_BURST - 1, 100, 1000);
	assert_int_equal(gather.looks, 0);
}

static void a_burst_is(void **state)
{
	struct gather gather = {0};

	(void)state;
	gather_begin(&gather, GATHER_BURST, 100, 1000);
	assert_int_equal(gather.looks, GATHER_LOOKS);
	assert_int_equal(gather.index, 100 + GATHER_LINES);
}

static void no_more_is_waited_for_than_can_come(void **state)
{
	struct gather gather = {0};

	(void)state;
	gather_begin(&gather, GATHER_BURST, 100, 40);
	assert_int_equal(gather.index, 110);
	gather = (struct gather){0};
	gather_begin(&gather, GATHER_BURST, 100, 3);
	assert_int_equal(gather.looks, 0);
}

static void the_wait_ends_with_the_record(void **state)
{
	struct gather gather = {0};

	(void)state;
	gather_begin(&gather, GATHER_BURST, UINT32_MAX, 1000);
	assert_int_equal(gather.index, GATHER_LINES - 1);
	assert_true(gather_goes_on(&gather, false));
	assert_false(gather_goes_on(&gather, true));
	assert_int_equal(gather.looks, 0);
}

static void the_wait_ends_by_itself(void **state)
{
	struct gather gather = {0};
	unsigned int looks = 1;

	(void)state;
	gather_begin(&gather, GATHER_BURST, 0, 1000);
	while (gather_goes_on(&gather, false))
		looks++;
	assert_int_equal(looks, GATHER_LOOKS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(single_messages_are_not_waited_for),
		cmocka_unit_test(a_burst_is),
		cmocka_unit_test(no_more_is_waited_for_than_can_come),
		cmocka_unit_test(the_wait_ends_with_the_record),
		cmocka_unit_test(the_wait_ends_by_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
