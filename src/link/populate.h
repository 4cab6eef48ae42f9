/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages that are there before somebody needs them; also on kernels before Linux 5.14, which have no
 * advice for it.
 */
#ifndef SOFTFIELD_LINK_POPULATE_H
#define SOFTFIELD_LINK_POPULATE_H

#include <stdbool.h>
#include <stddef.h>

/* Does madvise() know of the advice? */
bool populate_knows(int advice);

/*
 * Whole pages are there; those of a private mapping are the process's own then. What others write
 * meanwhile stays. false: there is no memory for all of them
 */
bool populate_for_write(char *begin, size_t size);

#endif
