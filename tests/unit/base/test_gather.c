/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gathering: only in streams, never for more than can come, never for ever, and less and less often
 * where it brings nothing. A sender that waits for answers costs hardly a wait in vain.
 */
#include "test.h"

#include "base/gather.h"

/* notes polls of count records each, with empty ones between them */
static void note(struct gather *gather, unsigned int polls, uint32_t count, unsigned int empty)
{
	unsigned int i;

	while (polls--) {
		for (i = 0; i < empty; i++)
			gather_note_none(gather);
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
	assert_int_equal(gather.index, 100 + GATHER_LINES_MAX);
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
	assert_int_equal(gather.index, GATHER_LINES_MAX - 1);
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

/* how many single messages in a row pass before the next wait, which is in vain */
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

/* the record is there at once */
static void wait_in_time(struct gather *gather)
{
	while (!gather->looks)
		note(gather, 1, GATHER_STREAK, 0);
	assert_false(gather_goes_on(gather, true));
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
	wait_in_time(&gather);
	count_until_wait(&gather);
	assert_in_range(count_until_wait(&gather), 1, 2 * GATHER_REST_MIN);
}

static void after_a_wait_in_vain_fewer_are_waited_for(void **state)
{
	struct gather gather = {0};
	uint32_t lines;

	(void)state;
	note(&gather, 1, GATHER_STREAK, 0);
	for (lines = GATHER_LINES_MAX / 2; lines >= GATHER_LINES_MIN; lines /= 2) {
		count_looks(&gather);
		note(&gather, 1, lines, 0);
		assert_int_equal(gather.looks, GATHER_LOOKS);
		assert_int_equal(gather.index, 100 + lines);
	}
	count_looks(&gather);
	note(&gather, 1, GATHER_LINES_MIN - 1, 0);
	assert_int_equal(gather.looks, 0);
}

static void a_wait_that_is_stopped_counts_for_nothing(void **state)
{
	struct gather gather = {0};

	(void)state;
	note(&gather, 1, GATHER_STREAK, 0);
	gather_stop(&gather);
	assert_int_equal(gather.looks, 0);
	note(&gather, 1, 1, 0);
	assert_int_equal(gather.looks, GATHER_LOOKS);
	assert_int_equal(gather.index, 100 + GATHER_LINES_MAX);
}

static void in_a_stream_more_and_more_are_waited_for(void **state)
{
	struct gather gather = {0};
	unsigned int i;

	(void)state;
	note(&gather, 1, GATHER_STREAK, 0);
	for (i = 0; i < 4; i++) {
		count_looks(&gather);
		note(&gather, 1, GATHER_LINES_MAX, 0);
	}
	assert_true(gather.lines < GATHER_LINES_MAX / 8);
	for (i = 0; i < 4 * GATHER_HITS_MIN; i++) {
		wait_in_time(&gather);
		note(&gather, 1, GATHER_STREAK, 0);
	}
	assert_int_equal(gather.lines, GATHER_LINES_MAX);
}

/* A sender sends bursts of that many, each when the one before has been answered. */
static unsigned int count_waits_in_vain(uint32_t burst, unsigned int bursts)
{
	struct gather gather = {0};
	unsigned int in_vain = 0;

	while (bursts--) {
		if (gather.looks && gather.lines > burst) {
			count_looks(&gather);
			in_vain++;
		} else if (gather.looks) {
			gather_goes_on(&gather, true);
		}
		note(&gather, 1, burst, 0);
	}
	return in_vain;
}

static void a_sender_that_waits_for_answers_is_hardly_kept_waiting(void **state)
{
	uint32_t burst;

	(void)state;
	for (burst = 1; burst < GATHER_LINES_MAX; burst++)
		assert_in_range(count_waits_in_vain(burst, 100000), 1, 200);
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
		cmocka_unit_test(after_a_wait_in_vain_fewer_are_waited_for),
		cmocka_unit_test(a_wait_that_is_stopped_counts_for_nothing),
		cmocka_unit_test(in_a_stream_more_and_more_are_waited_for),
		cmocka_unit_test(a_sender_that_waits_for_answers_is_hardly_kept_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
