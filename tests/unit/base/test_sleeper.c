/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which barrier a sleeper has to use. That no wake-up is lost is for tests/model and the stress
 * suite.
 */
#include "test.h"

#include <stdlib.h>
#include "allowed.h"
#include "base/sleeper.h"

struct rig {
	struct sleeper_shared shared;
	struct sleeper sleeper;
};

static int setup(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	if (!rig)
		return -1;
	sleeper_init(&rig->sleeper, &rig->shared);
	*state = rig;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static uint32_t asks(const struct rig *rig)
{
	return rig->shared.fences;
}

static void rare_sleeps_ask_for_nothing(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		assert_false(sleeper_announce(&rig->sleeper, false));
		assert_int_equal(asks(rig), 0);
		assert_true(sleeper_wants_wake(&rig->shared));
		assert_false(sleeper_wants_wake(&rig->shared));
	}
}

/*
 * The first one still needs the heavy barrier: for wakers that have not seen what they are asked.
 */
static void frequent_sleeps_ask_for_fences(void **state)
{
	struct rig *rig = *state;

	assert_false(sleeper_announce(&rig->sleeper, true));
	assert_int_equal(asks(rig), SLEEPER_ASKS);
	assert_true(sleeper_wants_wake(&rig->shared));
	assert_true(sleeper_announce(&rig->sleeper, true));
	assert_true(sleeper_announce(&rig->sleeper, false));
	assert_true(sleeper_wants_wake(&rig->shared));
}

static void whoever_stays_awake_asks_no_more(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	sleeper_announce(&rig->sleeper, true);
	for (i = 1; i < SLEEPER_AWAKE; i++)
		sleeper_note_work(&rig->sleeper);
	assert_int_equal(asks(rig), SLEEPER_ASKS);
	assert_true(sleeper_announce(&rig->sleeper, true)); /* counts from here again */
	for (i = 0; i < SLEEPER_AWAKE; i++)
		sleeper_note_work(&rig->sleeper);
	assert_int_equal(asks(rig), 0);
	assert_false(sleeper_announce(&rig->sleeper, true));
}

static void a_need_is_not_taken_back(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	rig->shared.fences = SLEEPER_NEEDS;
	sleeper_announce(&rig->sleeper, true);
	for (i = 0; i < SLEEPER_AWAKE; i++)
		sleeper_note_work(&rig->sleeper);
	assert_int_equal(asks(rig), SLEEPER_NEEDS);
}

static void a_revoked_sleep_wakes_nobody(void **state)
{
	struct rig *rig = *state;

	sleeper_announce(&rig->sleeper, false);
	sleeper_revoke(&rig->sleeper);
	assert_false(sleeper_wants_wake(&rig->shared));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rare_sleeps_ask_for_nothing),	TEST(frequent_sleeps_ask_for_fences),
		TEST(whoever_stays_awake_asks_no_more), TEST(a_need_is_not_taken_back),
		TEST(a_revoked_sleep_wakes_nobody),
	};

	if (!membarrier_is_allowed())
		return 77; /* skipped */
	return cmocka_run_group_tests_name("sleeper", tests, NULL, NULL);
}
