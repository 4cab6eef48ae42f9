/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sanitizers have a malloc() of their own, which has its memory elsewhere, and whose locks stay
 * locked in the child of a program that forks while another thread allocates.
 */
#ifndef SOFTFIELD_TESTS_OTHER_MALLOC_H
#define SOFTFIELD_TESTS_OTHER_MALLOC_H

#include <stdbool.h>

static inline bool has_other_malloc(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return true;
#else
	return false;
#endif
}

#endif
