/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Others who have the CPU when the tested thread lets them run, as the kernel counts them: for
 * programs with a sched_yield() of their own. It is the library's, too.
 */
#ifndef SOFTFIELD_OTHERS_H
#define SOFTFIELD_OTHERS_H

#include <sys/resource.h>

static long others_have_run; /* so often */

int getrusage(__rusage_who_t who, struct rusage *usage)
{
	(void)who;
	*usage = (struct rusage){.ru_nvcsw = 1, .ru_nivcsw = others_have_run};
	return 0;
}

#endif
