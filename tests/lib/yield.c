/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sched_yield() of test programs, and of the library in them. Under a virtual clock nobody of ours
 * runs meanwhile, but strangers do, and each of many rounds without work would last until they have
 * had their turn.
 */
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/clock.h"

int sched_yield(void)
{
	return priv_clock_virtual.on ? 0 : (int)syscall(SYS_sched_yield);
}
