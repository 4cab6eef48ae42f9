/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a test must leave as it found it: open descriptors and shared mappings of ours. Heap memory
 * is the sanitizer's business.
 */
#ifndef SOFTFIELD_TESTS_LEAK_H
#define SOFTFIELD_TESTS_LEAK_H

#include <stdbool.h>

struct leak {
	unsigned int fds;
	unsigned int mappings;
};

/* what is open and mapped now */
struct leak leak_count(void);
/* prints what there is more (or less) than before; true: nothing */
bool leak_check(const struct leak *before);

/* the same as setup and teardown of a cmocka test without a state of its own */
int leak_setup(void **state);
int leak_teardown(void **state);

#endif
