/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * getrusage() of test programs, and of the library in them. Under a virtual clock somebody has run
 * whenever a thread let others run: what a seed does is not to hang on what else the machine does.
 */
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/clock.h"

int getrusage(__rusage_who_t who, struct rusage *usage)
{
	static __thread long switches;

	if (!priv_clock_virtual.on)
		return (int)syscall(SYS_getrusage, who, usage);
	*usage = (struct rusage){.ru_nivcsw = ++switches};
	return 0;
}
