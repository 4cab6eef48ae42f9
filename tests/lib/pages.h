/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages of this machine: on arm64 they have 4, 16 or 64 KiB.
 */
#ifndef SOFTFIELD_TESTS_PAGES_H
#define SOFTFIELD_TESTS_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/page.h"

#define PAGE	 ((size_t)page_size())
#define PAGE_MAX 65536 /* for arrays */

/* Does the page with p take memory? */
static inline bool page_is_there(const void *p)
{
	unsigned char is_in_ram;

	return !mincore(page_down(p), 1, &is_in_ram) && (is_in_ram & 1);
}

/*
 * PROT_WRITE, or 0. Asks the kernel, which writes a byte if it may; getrandom() of glibc 2.41 does
 * not: it writes by itself.
 */
static inline int may_write(char *p)
{
	return syscall(SYS_getrandom, p, 1, 0) == 1 ? PROT_WRITE : 0;
}

#endif
