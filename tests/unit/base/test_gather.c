/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gathering: only in streams, never for more than can come, never for ever, and less and less often
 * where it brings nothing.
 */
#include "test.h"

#include "base/gather.h"

/* notes polls of count records each, with empty ones between them */
static void note(struct gather *gather, unsigned int polls, uint32_t count, unsigned int empty)
{
	unsigned int i;

	while (polls--) {
		for (i = 0; i < empty; i++)
			gather_note(gather, 0, 0, 1000);
		gather_note(gather, count, 100, 1000);
	}
}

static void single_messages_are_not_waited_for(void **state)
{
	struct gather gather = {0};

	(void)state;
	note(&gather, 1000, 1, GATHER_GAP + 1);
	assert_int_equal(gather.looks, 0);
}

static void a_burst_is(void **state)
{
	struct gather gather = {0};

	(void)state;
	note(&gather, 1, GATHER_STREAK - 1, 5);
	assert_int_equal(gather.looks, 0);
	note(&gather, 1, GATHER_STREAK, 5);
	assert_int_equal(gather.looks, GATHER_LOOKS);
	assert_int_equal(gather.index, 100 + GATHER_LINES);
}

static void so_are_messages_that_follow_each_other(void **state)
{
	struct gather gather = {0};

	(void)state;
	note(&gather, GATHER_STREAK - 1, 1, GATHER_GAP);
	assert_int_equal(gather.looks, 0);
	note(&gather, 1, 1, GATHER_GAP);
	assert_int_equal(gather.looks, GATHER_LOOKS);
}

static void no_more_is_waited_for_than_can_come(void **state)
{
	struct gather gather = {0};

	(void)state;
	gather_note(&gather, GATHER_STREAK, 100, 40);
	assert_int_equal(gather.index, 120);
	gather = (struct gather){0};
	gather_note(&gather, GATHER_STREAK, 100, 1);
	assert_int_equal(gather.looks, 0);
}

static void the_wait_ends_with_the_record(void **state)
{
	struct gather gather = {0};

	(void)state;
	gather_note(&gather, GATHER_STREAK, UINT32_MAX, 1000);
	assert_int_equal(gather.index, GATHER_LINES - 1);
	assert_true(gather_goes_on(&gather, false));
	assert_false(gather_goes_on(&gather, true));
	assert_int_equal(gather.looks, 0);
}

static void a_bundle_or_a_streak_is_a_stream(void **state)
{
	struct gather gather = {0};

	(void)state;
	assert_false(gather_is_stream(&gather, 0));
	assert_false(gather_is_stream(&gather, GATHER_BUNDLE - 1));
	assert_true(gather_is_stream(&gather, GATHER_BUNDLE));
	note(&gather, GATHER_STREAK, 1, 0);
	assert_true(gather_is_stream(&gather, 1));
	assert_false(gather_is_stream(&gather, 0));
	/* What comes after a pause is not part of it. */
	note(&gather, 1, 0, GATHER_GAP);
	assert_false(gather_is_stream(&gather, 1));
}

static unsigned int count_looks(struct gather *gather)
{
	unsigned int looks = 1;

	while (gather_goes_on(gather, false))
		looks++;
	return looks;
}

static void the_wait_ends_by_itself(void **state)
{
	struct gather gather = {0};

	(void)state;
	gather_note(&gather, GATHER_STREAK, 0, 1000);
	assert_int_equal(count_looks(&gather), GATHER_LOOKS);
}

/* how many single messages in a row pass before the next wait */
static unsigned int count_until_wait(struct gather *gather)
{
	unsigned int count = 0;

	while (!gather->looks) {
		note(gather, 1, 1, 0);
		count++;
	}
	count_looks(gather);
	return count;
}

static void waits_that_bring_nothing_become_rare(void **state)
{
	struct gather gather = {0};
	unsigned int i, before, count = count_until_wait(&gather);

	(void)state;
	for (i = 0; i < 6; i++) {
		before = count;
		count = count_until_wait(&gather);
		assert_true(count > before);
	}
	for (; i < 12; i++)
		count = count_until_wait(&gather);
	assert_in_range(count, GATHER_REST_MAX, GATHER_REST_MAX + GATHER_STREAK);
	/* One that was worth it makes up for them. */
	note(&gather, 1, GATHER_GAIN, 0);
	while (!gather.looks)
		note(&gather, 1, GATHER_STREAK, 0);
	count_looks(&gather);
	assert_in_range(count_until_wait(&gather), 1, 2 * GATHER_REST_MIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(single_messages_are_not_waited_for),
		cmocka_unit_test(a_burst_is),
		cmocka_unit_test(so_are_messages_that_follow_each_other),
		cmocka_unit_test(no_more_is_waited_for_than_can_come),
		cmocka_unit_test(a_bundle_or_a_streak_is_a_stream),
		cmocka_unit_test(the_wait_ends_with_the_record),
		cmocka_unit_test(the_wait_ends_by_itself),
		cmocka_unit_test(waits_that_bring_nothing_become_rare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
