/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What hinders an exchange of pages (takeover.h), or that anything is received into memory. DONE:
 * nothing does.
 */
#ifndef SOFTFIELD_LINK_OBSTACLE_H
#define SOFTFIELD_LINK_OBSTACLE_H

#include "link/takeover.h"

/* Is all of [begin, begin + size) plain private memory that nobody needs as it is? */
enum takeover obstacle_find(const char *begin, size_t size);
/* Is something of it this thread's stack, or what the C library knows of the thread? */
bool obstacle_is_our_stack(const char *begin, size_t size);
/*
 * Is all of it mapped, and may the process write there? NO_PROC, NO_DESCRIPTOR: nobody can say
 */
enum takeover obstacle_to_writing(const char *begin, size_t size);
/* what it means that /proc/self/maps cannot be opened: NO_PROC, NO_DESCRIPTOR */
enum takeover obstacle_without_maps(int err);

#endif
