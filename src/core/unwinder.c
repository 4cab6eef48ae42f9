/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exceptions of programs that have an unwinder of their own: C++ with -static-libgcc, which
 * -static-libstdc++ is rarely without. It passes our functions, and what cleans up in them asks
 * libgcc_s.so.1 to set registers. That library knows their sizes once it has walked a stack
 * itself, and aborts before.
 */
#include <stddef.h>
#include <unwind.h>

static _Unwind_Reason_Code stop(struct _Unwind_Context *context, void *arg)
{
	(void)context;
	(void)arg;
	return _URC_NORMAL_STOP;
}

__attribute__((constructor)) static void walk_once(void)
{
	_Unwind_Backtrace(stop, NULL);
}
