/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The barrier of the sleeper. What it does to other CPUs is for the stress suite.
 */
#include "test.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/barrier.h"

static void registers_where_the_kernel_can(void **state)
{
	long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
	bool can = commands >= 0 && commands & MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED;

	(void)state;
	assert_int_equal(priv_barrier_register(), can);
	assert_int_equal(priv_barrier_register(), can);
	priv_barrier_heavy();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_where_the_kernel_can),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
