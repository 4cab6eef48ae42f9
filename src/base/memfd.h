/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared anonymous memory: made here, or sent by a stranger.
 */
#ifndef SOFTFIELD_BASE_MEMFD_H
#define SOFTFIELD_BASE_MEMFD_H

#include <stddef.h>
#include "base/export.h"
#include "doca_error.h"

/*
 * Anonymous memory of a fixed size, all of it allocated; the caller adds seals. NO_MEMORY, FULL
 * (descriptors), OPERATING_SYSTEM
 */
PRIV_EXPORT doca_error_t priv_memfd_create(const char *name, size_t size, int *ret_fd);
/*
 * The same, of which only the first bytes are allocated, and the others when they are used; nobody
 * adds seals.
 */
PRIV_EXPORT doca_error_t priv_memfd_create_sparse(const char *name, size_t size, size_t allocated,
						  int *ret_fd);
/* size of a memfd that can neither shrink nor grow any more. INVALID_VALUE: it is not such a one */
PRIV_EXPORT doca_error_t priv_memfd_check(int fd, size_t *ret_size);

#endif
