/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Execution units: how long one polls before it sleeps.
 */
#include "test.h"

#include "dpa/unit_priv.h"

static void who_polls_in_vain_polls_less(void **state)
{
	struct unit unit = {.spin_ns = UNIT_SPIN_NS};

	(void)state;
	unit_note_sleep(&unit, UNIT_SPIN_NS + 1);
	assert_int_equal(unit.spin_ns, UNIT_SPIN_NS / 2);
	for (int i = 0; i < 16; i++)
		unit_note_sleep(&unit, 1000000);
	assert_int_equal(unit.spin_ns, 0);
}

static void who_would_have_found_something_polls_again(void **state)
{
	struct unit unit = {.spin_ns = 0};

	(void)state;
	unit_note_sleep(&unit, UNIT_SPIN_NS);
	assert_int_equal(unit.spin_ns, UNIT_SPIN_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_polls_in_vain_polls_less),
		cmocka_unit_test(who_would_have_found_something_polls_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
