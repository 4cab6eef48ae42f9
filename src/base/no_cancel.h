/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pthread_cancel(): almost every system call is a point where a thread may end, which would leave
 * half done what it has in hand, and locks for ever taken. NO_CANCEL() puts that off to the end of
 * the scope, where a program's own points are next.
 */
#ifndef SOFTFIELD_BASE_NO_CANCEL_H
#define SOFTFIELD_BASE_NO_CANCEL_H

#include <pthread.h>

static inline int no_cancel_begin(void)
{
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	return before;
}

static inline void no_cancel_end(const int *before)
{
	pthread_setcancelstate(*before, NULL);
}

#define NO_CANCEL()                                                                                \
	__attribute__((cleanup(no_cancel_end), unused)) const int cancel_before = no_cancel_begin()

#endif
