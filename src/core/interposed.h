/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Libraries, and programs, that define functions of ours and stand before us in the order in which
 * they are searched. What is compiled into programs then calls (softfield_inline.h).
 */
#ifndef SOFTFIELD_CORE_INTERPOSED_H
#define SOFTFIELD_CORE_INTERPOSED_H

#include "base/export.h"

/* Looks whether these functions, up to NULL, are those of the library where `own` is. */
PRIV_EXPORT void priv_interposed_look(const char *const *names, const void *own);

#endif
