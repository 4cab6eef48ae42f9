/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole pages of memory.
 */
#ifndef SOFTFIELD_BASE_PAGE_H
#define SOFTFIELD_BASE_PAGE_H

#include <stdint.h>
#include <unistd.h>

static inline uintptr_t page_size(void)
{
	return (uintptr_t)sysconf(_SC_PAGESIZE);
}

/* where the page begins that holds the byte */
static inline char *page_down(const void *byte)
{
	return (char *)((uintptr_t)byte & ~(page_size() - 1));
}

/* the same of the first page that does not begin before it */
static inline char *page_up(const void *byte)
{
	return page_down((const char *)byte + page_size() - 1);
}

#endif
