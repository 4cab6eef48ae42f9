/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is concluded from many round trips.
 */
#include "test.h"

#include <string.h>
#include "clock.h"
#include "samples.h"

static void a_percentile_lies_between_steps_of_the_clock(void **state)
{
	static const struct {
		uint32_t ticks[8];
		size_t count;
		double percent, expected;
	} cases[] = {
		{{7}, 1, 50, 7},
		{{10, 10, 10, 10}, 4, 50, 10}, /* nobody knows how long a step is */
		{{20, 10, 20, 10}, 4, 50, 15},
		{{10, 20, 20, 20, 20, 30}, 6, 50, 20},
		{{10, 10, 10, 20, 30, 30}, 6, 50, 15},
		{{10, 20, 20, 20, 20, 30, 30, 30}, 8, 50, 22.5}, /* most are above 20 */
		{{5, 6}, 2, 0, 5},
		{{5, 6}, 2, 100, 6},
	};
	struct samples samples;

	(void)state;
	samples_init(&samples);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		memcpy(samples.ticks, cases[i].ticks, sizeof(cases[i].ticks));
		samples.count = cases[i].count;
		/* in thousandths of a tick */
		assert_int_equal(samples_percentile(&samples, cases[i].percent) /
						 clock_ns_per_tick() * 1000 +
					 0.5,
				 cases[i].expected * 1000);
	}
	samples_fini(&samples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_percentile_lies_between_steps_of_the_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
