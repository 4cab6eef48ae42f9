/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a terminal is for whoever looks at it, as its user says in the environment.
 */
#ifndef SOFTFIELD_BASE_TERMINAL_H
#define SOFTFIELD_BASE_TERMINAL_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* TERM: it takes no control sequences. */
static inline bool terminal_is_dumb(void)
{
	const char *term = secure_getenv("TERM");

	return term && !strcmp(term, "dumb");
}

/* NO_COLOR; an empty one says nothing. */
static inline bool terminal_has_colors(void)
{
	const char *no_color = secure_getenv("NO_COLOR");

	return !(no_color && *no_color) && !terminal_is_dumb();
}

#endif
