/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What strangers have written, before it is printed.
 */
#ifndef SOFTFIELD_BASE_PRINTABLE_H
#define SOFTFIELD_BASE_PRINTABLE_H

/* ASCII in one line: nothing moves the cursor or breaks JSON, in any locale. */
static inline char *printable_only(char *text)
{
	for (char *c = text; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return text;
}

#endif
