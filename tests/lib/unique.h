/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names that no other run has, also in another container of the same network, where processes have
 * the same numbers.
 */
#ifndef SOFTFIELD_TESTS_UNIQUE_H
#define SOFTFIELD_TESTS_UNIQUE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* The same for the same words, in one process. */
static inline void unique_name(char *name, size_t size, const char *what)
{
	uint32_t run;

	memcpy(&run, (const char *)getauxval(AT_RANDOM) + sizeof(uint64_t), sizeof(run));
	snprintf(name, size, "%s-%d-%08x", what, (int)getpid(), run);
}

#endif
